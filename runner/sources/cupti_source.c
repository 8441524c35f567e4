/* Source "cupti": sectors and hits of the measured loop by NVIDIA's counters, which events make them as
 * templates/events/nvidia*.txt say. In runs apart from power's, as the profiler slows them down; that the
 * clock is the same there is looked at. A made-up library has been counted with; what a real GPU tells nobody
 * has seen yet. */
#include "base/json.h"
#include "base/stats.h"
#include "runner/devices/cupti/cupti_count.h"
#include "runner/devices/cupti/cupti_shares.h"
#include "runner/launch/launcher.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "cupti";
static const char KIND[] = "measured";

/* Loads that a count rests on: what a run adds of its own is small beside them. A thread's own loads take a
 * microsecond each at worst, and each sample is some ten runs. */
static const double LOADS_COUNTED = 1e7;
static const double LOADS_OF_A_THREAD = 1e5;
static const double CLOCKS_DIFFER = 0.02;

static enum status usable(struct error *why_not)
{
    enum status status = cupti_is_here(why_not);
    return status == STATUS_OK ? launcher_any_device("ptx", why_not) : status;
}

/* ---- counting ---- */

/* The file of the device that the program is for, by the manifest's "sm_90". */
static enum status find_events(const struct test_program *test_program, struct event_table *table,
                               struct error *error)
{
    const char *arch = json_string_or(test_program->manifest, "arch", "");
    unsigned number = strncmp(arch, "sm_", 3) == 0 ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;
    const struct event_processor processor = {"NVIDIA", number / 10, number % 10, "gpu", NULL};
    enum status status = event_folder_table(&processor, table, error);
    if (status != STATUS_OK || (event_table_of_gpu(table) && table->event_count > 0))
        return status;
    return error_set(error, STATUS_UNAVAILABLE, "no file of events is of \"%s\"; nvidia*.txt begin at sm_70",
                     arch);
}

static uint64_t choose_passes(const json_t *manifest)
{
    double period = fmax(json_number_or(manifest, "period", 1), 1);
    double loads = 0;
    const char *level;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)json_object_get(manifest, "accesses"), level, value)
    {
        loads += json_number_value(value);
    }
    const json_t *grid = json_object_get(manifest, "grid");
    double threads = json_number_or(grid, "blocks", 1) * json_number_or(grid, "threads", 1);
    double wanted = fmin(LOADS_COUNTED, LOADS_OF_A_THREAD * threads);
    return (uint64_t)(loads > 0 ? ceil(wanted / (loads * period)) * period : period);
}

static enum status count(const struct test_program *test_program, const struct event_table *table,
                         struct cupti_counts *counts, struct error *error)
{
    *counts =
        (struct cupti_counts){.count = table->event_count, .passes = choose_passes(test_program->manifest)};
    counts->names = calloc(table->event_count, sizeof *counts->names);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        counts->values[i] = calloc(table->event_count, sizeof(double));
    for (size_t i = 0; i < table->event_count; i++)
        counts->names[i] = table->events[i].code;
    return cupti_count(test_program, counts, error);
}

static void counts_free(struct cupti_counts *counts)
{
    free(counts->names);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        free(counts->values[i]);
}

/* ---- what they come to ---- */

/* Few samples: their whole span is the interval. */
static struct interval span(const double *values)
{
    struct interval interval = {stats_median(values, CUPTI_SAMPLES), values[0], values[0], CUPTI_SAMPLES};
    for (size_t i = 1; i < CUPTI_SAMPLES; i++) {
        interval.low = fmin(interval.low, values[i]);
        interval.high = fmax(interval.high, values[i]);
    }
    return interval;
}

static void add_counters(const struct event_table *table, const struct cupti_counts *counts,
                         struct observations *list)
{
    if (list->counters == NULL)
        list->counters = json_object();
    for (size_t i = 0; i < counts->count; i++) {
        double values[CUPTI_SAMPLES];
        for (size_t j = 0; j < CUPTI_SAMPLES; j++)
            values[j] = counts->values[j][i] / (double)counts->passes;
        struct interval seen = span(values);
        json_object_set_new(list->counters, table->events[i].name,
                            json_pack("{s:o, s:o, s:o, s:i}", "value", json_from_number(seen.value), "low",
                                      json_from_number(seen.low), "high", json_from_number(seen.high), "n",
                                      CUPTI_SAMPLES));
    }
}

static void add_metrics(const json_t *manifest, const struct event_table *table,
                        const struct cupti_counts *counts, struct observations *list)
{
    struct cupti_shares shares[CUPTI_SAMPLES];
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        cupti_shares_make(table, counts->values[i], manifest, &shares[i]);
    for (size_t i = 0; i < shares[0].count; i++) {
        double values[CUPTI_SAMPLES];
        bool told = true;
        for (size_t j = 0; j < CUPTI_SAMPLES; j++) {
            values[j] = shares[j].values[i];
            told = told && isfinite(values[j]);
        }
        struct interval seen = span(values);
        if (told)
            observations_add(list, shares[0].metrics[i], SOURCE, KIND, seen.value, seen.low, seen.high,
                             shares[0].loads);
    }
}

/* Power is measured in other runs: what was counted is theirs only at the same clock. */
static void compare_clocks(const struct cupti_counts *counts, struct observations *list)
{
    double plain = counts->plain_clock_hz;
    double counted = counts->counted_clock_hz;
    char what[160];
    if (!(fabs(counted - plain) > CLOCKS_DIFFER * plain))
        return;
    snprintf(
        what, sizeof what,
        "with the profiler the multiprocessors ran at %.4g GHz, without it at %.4g: what was counted is of "
        "other runs than power's",
        counted * 1e-9, plain * 1e-9);
    if (list->warnings == NULL)
        list->warnings = json_array();
    json_array_append_new(list->warnings,
                          json_pack("{s:s, s:s}", "what", what, "mend",
                                    "state = { gpu_clock = ... } and --allow-state hold the clock"));
}

static enum status observe_with(const struct test_program *test_program, struct event_table *table,
                                struct observations *list, struct error *error)
{
    struct cupti_counts counts = {.count = 0};
    enum status status = find_events(test_program, table, error);
    if (status == STATUS_OK)
        status = count(test_program, table, &counts, error);
    if (status == STATUS_OK) {
        add_counters(table, &counts, list);
        add_metrics(test_program->manifest, table, &counts, list);
        compare_clocks(&counts, list);
    }
    counts_free(&counts);
    return status;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine than this one");
    struct event_table *table = calloc(1, sizeof *table);
    if (table == NULL)
        abort(); /* out of memory */
    enum status status = observe_with(test_program, table, list, error);
    event_table_free(table);
    free(table);
    return status;
}

static const char *const metrics[] = {"served.*",     "l2.far_share", "l1d.miss_rate",
                                      "l2.miss_rate", "ipc",          NULL};

const struct counter_source counter_cupti = {.name = SOURCE,
                                             .kind = KIND,
                                             .targets = "ptx",
                                             .usable = usable,
                                             .observe = observe,
                                             .alone = true,
                                             .metrics = metrics};
