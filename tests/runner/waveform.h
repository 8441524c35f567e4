/* A power that is known at every moment, sent by a thread as a meter would, and recorded as a run does.
 * Included by tests that have cmocka. */
#ifndef TESTS_RUNNER_WAVEFORM_H
#define TESTS_RUNNER_WAVEFORM_H

#include "base/clock.h"
#include "base/random.h"
#include "runner/power/recorder.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

static const double WAVE_MEAN_W = 60, WAVE_SWING_W = 25, WAVE_PERIOD_S = 0.4;
static const double WAVE_PI = 3.14159265358979323846;

static inline double wave_watts(double t_s)
{
    return WAVE_MEAN_W + WAVE_SWING_W * sin(2 * WAVE_PI * t_s / WAVE_PERIOD_S);
}

static inline double wave_joules(double from_s, double to_s)
{
    double turn = 2 * WAVE_PI / WAVE_PERIOD_S;
    return WAVE_MEAN_W * (to_s - from_s) + WAVE_SWING_W / turn * (cos(turn * from_s) - cos(turn * to_s));
}

static inline void wave_rest(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    while (seconds > 0 && nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
}

/* How much longer than asked the worst of some short rests takes: what other programs delay this one by. */
static inline double wave_delay_s(void)
{
    double worst = 0;
    for (int i = 0; i < 100; i++) {
        double begin_s = clock_now_s();
        wave_rest(0.002);
        worst = fmax(worst, clock_now_s() - begin_s - 0.002);
    }
    return worst;
}

/* True, and said, where others delay this program by more than a wave can stand: how near its integral comes
 * is then not told. */
static inline bool wave_is_disturbed(double off)
{
    double delay_s = wave_delay_s();
    if (!(delay_s > 0.005))
        return false;
    print_message("not judged: off by %g while other programs delay this one by %.1f ms\n", off,
                  1e3 * delay_s);
    return true;
}

/* Records through the sensors for about `seconds` and compares the first channel of each meter with the wave.
 * Returns the largest relative error, NAN when one told nothing. */
static inline double wave_error(const struct meters *meters, double seconds, struct error *error)
{
    struct recorder *recorder;
    if (recorder_open(meters, &recorder, error) != STATUS_OK)
        return NAN;
    recorder_begin(recorder, NULL, 0);
    wave_rest(0.1);
    double from_s = clock_now_s();
    wave_rest(seconds);
    double to_s = clock_now_s();
    recorder_end(recorder, to_s);
    double worst = 0;
    for (size_t i = 0; i < meters->count; i++) {
        double joules =
            series_energy(recorder_series(recorder, i, 0), &meters->meters[i].channels[0], from_s, to_s, 0.1);
        double off = fabs(joules / wave_joules(from_s, to_s) - 1);
        worst = isnan(off) || off > worst ? off : worst;
    }
    recorder_close(recorder);
    return worst;
}

#endif
