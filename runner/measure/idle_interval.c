#include "runner/measure/idle_interval.h"

#include "base/clock.h"
#include "base/memory.h"
#include "runner/launch/rounds.h"
#include "runner/power/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* About thirty years: longer than any recipe needs, and within a time_t. */
static const double LONGEST_PAUSE_S = 1e9;

static const double SAMPLE_S = 0.2;
static const double LEAST_RECORDED_S = 2;

void idle_rest(double seconds)
{
    seconds = fmin(fmax(seconds, 0), LONGEST_PAUSE_S);
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&pause, NULL);
}

/* Starts a copy on each processor and leaves it waiting; returns how many started. */
static size_t hold(const struct test_program *test_program, struct rounds *held, size_t copies)
{
    size_t count = 0;
    while (count < copies) {
        const struct test_program_call copy = {.cpu = test_program_cpu(test_program, count)};
        if (rounds_open(test_program, &copy, &held[count], NULL) != STATUS_OK)
            break;
        count++;
        /* A round of no passes: its report shows that set-up and warm-up are complete. */
        struct test_program_time unused;
        const struct round_call call = {.passes = 0, .timeout_s = 60};
        if (rounds_make(&held[count - 1], &call, &unused, NULL) != STATUS_OK)
            break;
    }
    return count;
}

struct window idle_with_memory(const struct test_program *test_program, double seconds,
                               struct recorder *recorder, const char *phase, bool *held)
{
    size_t copies = test_program->launch != NULL
                        ? 0
                        : test_program_copies(test_program); /* a loaded program already holds its memory */
    struct rounds *programs = memory_zeroed(copies + 1, sizeof *programs);
    size_t count = seconds > 0 ? hold(test_program, programs, copies) : 0;
    *held = test_program->launch != NULL || (copies > 0 && count == copies);
    recorder_mark(recorder, phase);
    struct window window = {.from_s = clock_now_s()};
    idle_rest(seconds);
    window.to_s = clock_now_s();
    for (size_t i = 0; i < copies; i++)
        rounds_close(&programs[i]);
    free(programs);
    return window;
}

static bool is_of(const struct listed_sensor *meter, size_t channel, const char *device)
{
    return device == NULL ? !meter->sensor->accelerator
                          : meter->sensor->accelerator && strcmp(meter->channels[channel].pci, device) == 0;
}

/* NAN if no thermometer reported a value. */
static double hottest(struct recorder *recorder, const char *device)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    double most = NAN;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (meters->meters[i].channels[j].quantity == SENSOR_TEMPERATURE &&
                is_of(&meters->meters[i], j, device))
                most = fmax(most, recorder_latest(recorder, i, j));
    return most;
}

bool idle_until_below(struct recorder *recorder, const char *device, double temperature, double wait_s,
                      double *celsius)
{
    double end_s = clock_now_s() + wait_s;
    *celsius = hottest(recorder, device);
    while (*celsius > temperature &&
           clock_now_s() < end_s) { /* without a thermometer there is nothing to wait for */
        idle_rest(fmin(SAMPLE_S, end_s - clock_now_s()));
        *celsius = hottest(recorder, device);
    }
    return *celsius <= temperature;
}

static struct result_sample sample_at(const struct recorder *recorder, double begin_s, double t_s,
                                      struct arena *arena)
{
    return (struct result_sample){t_s - begin_s,
                                  summary_energies(recorder, (struct window){begin_s, t_s}, arena),
                                  summary_temperatures(recorder, t_s, arena)};
}

struct result_idle idle_record(const struct recorder *recorder, struct window window, struct arena *arena)
{
    struct result_idle idle = {.seconds = window_seconds(window)};
    if (recorder_meters(recorder)->count == 0 || !(idle.seconds >= LEAST_RECORDED_S))
        return idle;
    idle.given = true;
    idle.samples = arena_alloc(arena, (size_t)(idle.seconds / SAMPLE_S) + 3, sizeof *idle.samples);
    for (double t_s = window.from_s; t_s < window.to_s; t_s = window.from_s + (double)idle.count * SAMPLE_S)
        idle.samples[idle.count++] = sample_at(recorder, window.from_s, t_s, arena);
    idle.samples[idle.count++] = sample_at(recorder, window.from_s, window.to_s, arena);
    return idle;
}
