/* Compares the core's clock with the programs' clock, and both with the system's clock. */
#include "base/clock.h"
#include "generator/machine/detect.h"
#include "isa/isa.h"
#include "runner/probe/family.h"

#include <math.h>
#include <string.h>
#include <time.h>

enum { SAMPLES = 41, BURSTS = 16, LONG_ITERATIONS = 20000 };

static const char CORE[] = "clock.core", CYCLES[] = "clock.cycles_per_tick";

/* Ticks of the counter per nanosecond of the system's clock, over some loops of half a millisecond. */
static double measure_tick(struct probe *probe, struct interval *found)
{
    double samples[SAMPLES];
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < SAMPLES; i++) {
        struct probe_words words = {0};
        double before = clock_now_s();
        uint64_t ticks = probe_code_run(&probe->clock_chain, LONG_ITERATIONS, &words);
        samples[i] = (double)ticks / (1e9 * (clock_now_s() - before));
        least = ticks < least ? ticks : least;
    }
    probe->clock_iterations_per_tick = LONG_ITERATIONS / (double)(least > 0 ? least : 1);
    *found = stats_bootstrap(samples, SAMPLES);
    return found->value;
}

/* The interval, wider by the 1 % to which reported clocks are rounded. */
static struct interval widened(struct interval interval)
{
    interval.low *= 0.99;
    interval.high *= 1.01;
    return interval;
}

static struct interval cycles_of(const struct probe *probe)
{
    double cycles = 1 / probe->clock_least;
    return probe_of_runs((struct interval){cycles, cycles, cycles, (size_t)SAMPLES * BURSTS});
}

static struct interval core_ghz(const struct probe *probe)
{
    struct interval core = cycles_of(probe);
    core.value *= probe->ticks_per_ns;
    core.low *= probe->ticks_per_ns;
    core.high *= probe->ticks_per_ns;
    return core;
}

/* Reads the clock in bursts some milliseconds apart: a delay that lasts for a whole burst has often ended
 * before the next. */
static void read_clock(struct probe *probe)
{
    static const struct timespec apart = {.tv_nsec = 3000000};
    double readings[BURSTS][SAMPLES];
    double least = INFINITY;
    for (size_t burst = 0; burst < BURSTS; burst++) {
        for (size_t i = 0; i < SAMPLES; i++)
            readings[burst][i] = probe_ticks_per_cycle(probe);
        double own = probe_fastest(readings[burst], SAMPLES);
        if (own < least) {
            double present;
            least = own;
            probe->long_cycles = probe_long_cycles(probe, &present);
        }
        nanosleep(&apart, NULL);
    }
    probe->clock = probe->clock_least = probe_fastest(readings[0], (size_t)BURSTS * SAMPLES);
}

void probe_clock_settle(struct probe *probe)
{
    struct probe_value *values = probe->values;
    for (size_t i = 0; i < probe->value_count; i++) {
        if (strcmp(values[i].name, CORE) == 0)
            values[i].interval = core_ghz(probe);
        else if (strcmp(values[i].name, CYCLES) == 0)
            values[i].interval = cycles_of(probe);
    }
}

enum status probe_clock(struct probe *probe, struct error *error)
{
    (void)error;
    struct interval tick;
    probe->ticks_per_ns = measure_tick(probe, &tick);
    read_clock(probe);
    const struct host *host = probe->texts.isa->host;
    struct probe_value *value = probe_add(probe, "clock.tsc", "GHz", tick, "%s", host->clock);
    value->interval = widened(tick);
    probe_compare(value, detect_tick_ghz(), host->source, "the counter may be scaled by the hypervisor");
    value->interval = tick;
    probe_add(probe, CORE, "GHz", core_ghz(probe), "a chain of dependent adds, one per cycle");
    probe_add(probe, CYCLES, "cycles", cycles_of(probe), "core cycles per tick of the counter");
    return STATUS_OK;
}
