#include "runner/probe/probe.h"

#include "runner/probe/family.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 15, SAMPLES_LEAST = 5, CHASE_LOADS = 32, CLOCK_ADDS = 100, SETTLE_MOST = 32 << 20 };
static const uint64_t MEMORY_LEAST = 64 << 20;
static const uint64_t MEMORY_MOST = UINT64_C(1) << 30;
static const double FULL_TIME_S = 20; /* enough for everything with SAMPLES and MEMORY_MOST */

enum probe_kind { WHOLE = 1, BRIEF = 2, STRUCTURES = 4 };

/* The families (a new one is a new row), with the text shown while each runs. */
static const struct {
    const char *what;
    probe_family *measure;
    unsigned kinds; /* the kinds of probes that include it */
} families[] = {
    {"clocks", probe_clock, WHOLE | BRIEF | STRUCTURES},
    {"latency over working set", probe_latency, WHOLE},
    {"a core's share of the caches", probe_effective, WHOLE | BRIEF},
    {"line and ways", probe_geometry, WHOLE},
    {"TLB", probe_tlb, WHOLE},
    {"bandwidth", probe_bandwidth, WHOLE},
    {"branches", probe_branch, WHOLE},
    {"issue width", probe_issue, WHOLE | BRIEF},
    {"width of the core", probe_width, WHOLE},
    {"instruction cache", probe_code_size, WHOLE},
    {"structures", probe_structures, STRUCTURES},
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

static const struct probe_loop clock_chain = {.body = "clock", .repeat = CLOCK_ADDS};
static const struct probe_loop long_chain = {.body = "clock.long", .repeat = CLOCK_ADDS};
static const struct probe_loop chase = {.body = "chase", .repeat = CHASE_LOADS};

/* A quarter of the system's free memory, and less if time is short; four times the last cache is enough for a
 * brief probe. */
static size_t memory_size(const struct probe_request *request)
{
    double time_s = request->brief ? FULL_TIME_S : request->time_s;
    uint64_t most = MEMORY_MOST;
    while (request->brief && most > MEMORY_LEAST && most / 2 >= 4 * request->machine->l3.size)
        most /= 2;
    while (most > MEMORY_LEAST &&
           (most > probe_memory_spare() / 4 || (double)most / (double)MEMORY_MOST > time_s / FULL_TIME_S))
        most /= 2;
    return (size_t)most;
}

static enum status prepare(struct probe *probe, struct error *error)
{
    double time_s = probe->request->time_s;
    double share = time_s / FULL_TIME_S;
    probe->samples = share >= 1 ? SAMPLES : (size_t)(SAMPLES_LEAST + share * (SAMPLES - SAMPLES_LEAST));
    probe->settle_most = (size_t)((double)SETTLE_MOST * (share < 1 ? share : 1));
    probe->ticks_per_ns = 1; /* until the clock is measured */
    enum status status = probe_texts_open(&probe->texts, error);
    if (status == STATUS_OK)
        status = probe_code_make(&probe->texts, &clock_chain, &probe->clock_chain, error);
    if (status == STATUS_OK)
        status = probe_code_make(&probe->texts, &long_chain, &probe->long_chain, error);
    if (status == STATUS_OK)
        status = probe_code_make(&probe->texts, &chase, &probe->chase, error);
    size_t size = memory_size(probe->request);
    while (status == STATUS_OK && probe->memory.bytes == NULL) {
        status = probe_memory_map(size, true, &probe->memory, error);
        if (status != STATUS_OK && size > MEMORY_LEAST)
            status = STATUS_OK; /* a limit that meminfo does not show: try less */
        size /= 2;
    }
    probe->huge_share = probe->memory.huge_share;
    return status;
}

static enum status measure(struct probe *probe, struct error *error)
{
    enum status status = prepare(probe, error);
    enum probe_kind kind = probe->request->structures ? STRUCTURES : probe->request->brief ? BRIEF : WHOLE;
    for (size_t i = 0; status == STATUS_OK && i < FAMILY_COUNT; i++) {
        if ((families[i].kinds & kind) == 0)
            continue;
        if (probe->request->step != NULL)
            probe->request->step(i, FAMILY_COUNT, families[i].what, probe->request->context);
        status = families[i].measure(probe, error);
    }
    if (status == STATUS_OK)
        probe_clock_settle(probe);
    return status;
}

enum status probe_run(const struct probe_request *request, struct probe *probe, struct error *error)
{
    memset(probe, 0, sizeof *probe);
    probe->request = request;
    cpu_set_t before, one;
    bool bound = request->cpu >= 0 && sched_getaffinity(0, sizeof before, &before) == 0;
    if (bound) {
        CPU_ZERO(&one);
        CPU_SET((size_t)request->cpu, &one);
        (void)sched_setaffinity(0, sizeof one, &one); /* without it the probe is only noisier */
    }
    enum status status = measure(probe, error);
    if (bound)
        (void)sched_setaffinity(0, sizeof before, &before);
    return status;
}

void probe_free(struct probe *probe)
{
    probe_memory_free(&probe->memory);
    probe_code_free(&probe->clock_chain);
    probe_code_free(&probe->long_chain);
    probe_code_free(&probe->chase);
    free(probe->structures);
    template_free(&probe->texts);
}
