/* The source "perf": the processor's own counters through Linux perf_event_open, user space only. Each ratio
 * is counted in runs of its own, as one group, so that no counter has to be shared in time. */
#include "runner/counters/perf_events.h"
#include "runner/counters/source.h"

#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Ten million instructions are some milliseconds: enough that what a run adds of its own is below 0.001 of
 * the counts. Five samples give an interval. */
enum { SAMPLES = 5 };
static const double instructions_before = 1e6;
static const double instructions_counted = 1e7;

static const char source_name[] = "perf";
static const char source_kind[] = "measured";

static enum status usable(struct error *why_not)
{
    static const struct {
        const char *name;
        uint64_t code;
    } events[] = {{"instructions", PERF_COUNT_HW_INSTRUCTIONS}, {"cycles", PERF_COUNT_HW_CPU_CYCLES}};
    struct perf_host host;
    perf_host_read(&host);
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        struct perf_event_attr attributes = {.size = sizeof attributes,
                                             .type = PERF_TYPE_HARDWARE,
                                             .config = events[i].code,
                                             .disabled = 1,
                                             .exclude_kernel = 1,
                                             .exclude_hv = 1};
        long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
        if (fd < 0)
            return perf_refusal(&host, events[i].name, errno, why_not);
        close((int)fd);
    }
    return STATUS_OK;
}

/* Passes of the two runs whose difference is counted; whole periods, as rates hold over nothing less. */
struct passes {
    uint64_t fewer, more;
};

static uint64_t whole_periods(double instructions, double per_pass, double period)
{
    return (uint64_t)(instructions / (per_pass * period) + 1) * (uint64_t)period;
}

static enum status choose_passes(const json_t *manifest, struct passes *passes, struct error *error)
{
    double per_pass = json_number_or(manifest, "instructions", 0);
    double period = json_number_or(manifest, "period", 1);
    if (!(per_pass >= 1) || !(period >= 1))
        return error_set(error, STATUS_UNAVAILABLE,
                         "the manifest gives %g instructions a pass and a period of %g; expected 1 and up",
                         per_pass, period);
    passes->fewer = whole_periods(instructions_before, per_pass, period);
    passes->more = passes->fewer + whole_periods(instructions_counted, per_pass, period);
    return STATUS_OK;
}

static bool is_fraction(const char *metric)
{
    size_t length = strlen(metric);
    return strncmp(metric, "served.", 7) == 0 || (length > 5 && strcmp(metric + length - 5, "_rate") == 0);
}

/* The samples of one ratio: of each copy in turn, and then of all together. */
struct samples {
    size_t copies;
    struct perf_sample *of;           /* [copies + 1][SAMPLES] */
    struct perf_counts *fewer, *more; /* [copies] */
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort(); /* out of memory */
    return memory;
}

static enum status nothing_to_divide(const struct perf_ratio *ratio, struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "%s: nothing to divide by, as the loop has no \"%s\"",
                     ratio->metric, ratio->denominator);
}

static enum status take_sample(const struct subject *subject, const struct perf_host *host,
                               const struct perf_ratio *ratio, const struct passes *passes, int number,
                               struct samples *samples, struct error *error)
{
    enum status status = perf_count(subject, host, ratio, passes->fewer, samples->fewer, error);
    if (status == STATUS_OK)
        status = perf_count(subject, host, ratio, passes->more, samples->more, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < samples->copies; i++)
        if (!perf_sample_of(&samples->fewer[i], &samples->more[i],
                            &samples->of[i * SAMPLES + (size_t)number]))
            return nothing_to_divide(ratio, error);
    struct perf_counts fewer = perf_sum(samples->fewer, samples->copies);
    struct perf_counts more = perf_sum(samples->more, samples->copies);
    if (!perf_sample_of(&fewer, &more, &samples->of[samples->copies * SAMPLES + (size_t)number]))
        return nothing_to_divide(ratio, error);
    return STATUS_OK;
}

/* Those of single copies only where there are several. */
static void add_samples(const struct perf_ratio *ratio, const struct samples *samples,
                        struct observations *list)
{
    bool fraction = is_fraction(ratio->metric);
    for (size_t i = 0; i <= samples->copies; i++) {
        bool all = i == samples->copies;
        if (all || samples->copies > 1)
            observations_add_copy(list, all ? 0 : (unsigned)i + 1, ratio->metric, source_name, source_kind,
                                  perf_interval(samples->of + i * SAMPLES, SAMPLES, fraction));
    }
}

static enum status measure(const struct subject *subject, const struct perf_host *host,
                           const struct perf_ratio *ratio, const struct passes *passes,
                           struct observations *list, struct error *error)
{
    size_t copies = subject_copies(subject);
    struct samples samples = {.copies = copies,
                              .of = allocate((copies + 1) * SAMPLES, sizeof(struct perf_sample)),
                              .fewer = allocate(copies, sizeof(struct perf_counts)),
                              .more = allocate(copies, sizeof(struct perf_counts))};
    enum status status = STATUS_OK;
    for (int i = 0; i < SAMPLES && status == STATUS_OK; i++)
        status = take_sample(subject, host, ratio, passes, i, &samples, error);
    if (status == STATUS_OK)
        add_samples(ratio, &samples, list);
    free(samples.of);
    free(samples.fewer);
    free(samples.more);
    return status;
}

/* Shares of loads that follow from miss rates, where no pair of events counts them. */
static void derive_served(struct observations *list)
{
    const struct observation *found = observations_find(list, "l1d.miss_rate", source_name);
    if (found == NULL)
        return;
    const struct observation l1 = *found; /* the list may move when it grows */
    if (observations_find(list, "served.L1", source_name) == NULL)
        observations_add(list, "served.L1", source_name, source_kind, 1 - l1.value, 1 - l1.high, 1 - l1.low,
                         l1.n);
    found = observations_find(list, "l2.miss_rate", source_name);
    if (found == NULL || observations_find(list, "served.L2", source_name) != NULL)
        return;
    const struct observation l2 = *found;
    observations_add(list, "served.L2", source_name, source_kind, l1.value * (1 - l2.value),
                     l1.low * (1 - l2.high), l1.high * (1 - l2.low), l2.n);
}

/* Measures every ratio that can be; *first_reason stays that of the first which could not. */
static enum status measure_all(const struct subject *subject, const struct perf_host *host,
                               const struct passes *passes, struct observations *list,
                               struct error *first_reason)
{
    struct perf_ratio ratios[PERF_RATIOS];
    size_t count = 0;
    enum status status = perf_ratios(subject->machine->document, host, ratios, &count, first_reason);
    if (status != STATUS_OK)
        return status;
    bool have_reason = false;
    for (size_t i = 0; i < count; i++) {
        if (observations_find(list, ratios[i].metric, source_name) != NULL)
            continue;
        struct error reason = {0};
        status = measure(subject, host, &ratios[i], passes, list, &reason);
        if (status != STATUS_OK && (status != STATUS_UNAVAILABLE || !have_reason) && first_reason != NULL) {
            *first_reason = reason;
            have_reason = true;
        }
        if (status != STATUS_OK && status != STATUS_UNAVAILABLE)
            return status;
    }
    return STATUS_OK;
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    if (!subject->machine->present) {
        error_set(error, STATUS_UNAVAILABLE, "the machine \"%s\" is not this one: its counters are not here",
                  subject->machine->name);
        error_hint(error, "run the suite on that machine");
        return STATUS_UNAVAILABLE;
    }
    enum status status = subject_check_runs(subject, error);
    if (status == STATUS_OK)
        status = usable(error);
    struct passes passes = {0};
    if (status == STATUS_OK)
        status = choose_passes(subject->manifest, &passes, error);
    if (status != STATUS_OK)
        return status;
    struct perf_host host;
    perf_host_read(&host);
    size_t before = list->count;
    status = measure_all(subject, &host, &passes, list, error);
    if (status != STATUS_OK)
        return status;
    if (list->count == before)
        return STATUS_UNAVAILABLE; /* with the first reason */
    derive_served(list);
    return STATUS_OK;
}

static const char *const metrics[] = {"l1d.miss_rate",    "served.L1", "served.L2", "l2.miss_rate",
                                      "branch.miss_rate", "ipc",       NULL};

const struct counter_source counter_perf = {.name = source_name,
                                            .kind = source_kind,
                                            .usable = usable,
                                            .observe = observe,
                                            .alone = true,
                                            .metrics = metrics};
