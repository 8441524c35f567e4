/* A power that is known at every moment, sent by a thread as a meter would, and recorded as a run does.
 * Included by tests that have cmocka. */
#ifndef TESTS_RUNNER_WAVEFORM_H
#define TESTS_RUNNER_WAVEFORM_H

#include "base/clock.h"
#include "base/random.h"
#include "runner/power/recorder.h"
#include "tests/skip.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
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

/* The longest that a rest lasted beyond its time since wave_error() began: what a busy machine does to the
 * meter. */
static _Atomic double wave_late_s;

/* Later than this, a recording says nothing of the recorder. */
static const double WAVE_LATE_S = 0.002;

static inline void wave_rest(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    double until_s = clock_now_s() + seconds;
    while (seconds > 0 && nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
    double late_s = clock_now_s() - until_s;
    if (late_s > atomic_load(&wave_late_s))
        atomic_store(&wave_late_s, late_s);
}

/* Records through the sensors for about `seconds` and compares the first channel of each meter with the wave.
 * Returns the largest relative error, NAN when one told nothing. */
static inline double wave_error(const struct sensor_list *meters, double seconds, struct error *error)
{
    struct recorder *recorder;
    atomic_store(&wave_late_s, 0);
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

/* A machine that is busy delays the meter's thread: one attempt in a few has to be right. Returns its error,
 * or the last one; *quiet is false when threads woke late in every attempt. */
static inline double wave_best_error(const struct sensor_list *meters, double within, bool *quiet,
                                     struct error *error)
{
    enum { ATTEMPTS = 8 };
    double off = NAN;
    *quiet = false;
    for (int i = 0; i < ATTEMPTS && !(off <= within); i++) {
        off = wave_error(meters, 1.1, error);
        *quiet = *quiet || atomic_load(&wave_late_s) <= WAVE_LATE_S;
    }
    return off;
}

/* Ends the test, as one that cannot run here where the machine was never quiet. */
static inline void wave_expect(double off, double within, bool quiet, const char *what,
                               const struct error *error)
{
    if (!(off <= within) && !quiet)
        skip_because("threads wake %.1f ms late here", 1e3 * atomic_load(&wave_late_s));
    if (!(off <= within))
        fail_msg("%s: off by %g; %s", what, off, error->message);
    if (getenv("TRAUMA_SHOW") != NULL)
        print_message("off by %g\n", off);
}

#endif
