/* The core's clock against the programs' clock, and both against the system's clock. */
#include "base/clock.h"
#include "generator/machine/detect.h"
#include "isa/isa.h"
#include "runner/probe/family.h"

enum { SAMPLES = 41, ADDS = 100, LONG_ITERATIONS = 20000 };

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

/* A difference of 1 % comes from the rounding of reported clocks; it is not another clock. */
static struct interval widened(struct interval interval)
{
    interval.low *= 0.99;
    interval.high *= 1.01;
    return interval;
}

enum status probe_clock(struct probe *probe, struct error *error)
{
    (void)error;
    struct interval tick;
    probe->ticks_per_ns = measure_tick(probe, &tick);
    double samples[SAMPLES];
    size_t dropped;
    uint64_t iterations = probe_clock_iterations(probe);
    for (size_t i = 0; i < SAMPLES; i++) {
        struct probe_words words = {0};
        uint64_t ticks = probe_code_run(&probe->clock_chain, iterations, &words);
        samples[i] = (double)ticks / ((double)iterations * ADDS);
    }
    struct interval cycles = probe_inverse(probe_quiet(samples, SAMPLES, &dropped));
    struct interval core = {cycles.value * tick.value, cycles.low * tick.low, cycles.high * tick.high,
                            cycles.n};
    const struct host *host = probe->texts.isa->host;
    struct probe_value *value = probe_add(probe, "clock.tsc", "GHz", tick, "%s", host->clock);
    value->interval = widened(tick);
    probe_compare(value, detect_tick_ghz(), host->source, "the counter may be scaled by the hypervisor");
    value->interval = tick;
    probe_add(probe, "clock.core", "GHz", core, "a chain of dependent adds, one per cycle");
    probe_add(probe, "clock.cycles_per_tick", "cycles", cycles, "core cycles per tick of the counter");
    return STATUS_OK;
}
