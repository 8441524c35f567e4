/* Source "cupti": sectors and hits of the measured loop by NVIDIA's counters, from the events that
 * templates/events/nvidia*.txt name. It uses separate runs from power's, as the profiler slows programs down,
 * and checks that the clock is the same there. Tested with a simulated library only, not yet on a real
 * GPU. */
#include "base/json.h"
#include "base/memory.h"
#include "base/stats.h"
#include "runner/devices/cupti/cupti_count.h"
#include "runner/devices/launcher.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/events/event_table.h"
#include "runner/sources/source.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- cupti shares ---- */

/* Shares of a program's loads by the level that served them, from NVIDIA's counters. Caches count sectors of
 * 32 bytes and shared memory counts warps' instructions, but a recipe promises shares of loads. The number of
 * loads per sector at each level comes from the manifest's "accesses" and "transfers", which the generator
 * knows exactly. */

enum { CUPTI_SHARES = 8 };

struct cupti_shares {
    const char *metrics[CUPTI_SHARES]; /* "served.L1"; static text, or owned by the table */
    double values[CUPTI_SHARES];       /* NAN: nothing to divide by */
    size_t count;
    double loads; /* warps' load instructions on which the shares are based */
};

/* Fewer sectors or instructions than this come from the launch, not from the loop. */
static const double FEWEST = 1000;

enum { LEVELS = 3 };
static const char *const levels[LEVELS] = {"L1", "L2", "MEM"};
static const char *const served[LEVELS] = {"served.L1", "served.L2", "served.MEM"};
static const char shared[] = "served.SHARED";

/* The first of that name; NAN if there is none, or nothing to divide by. */
static double ratio(const struct event_table *table, const double *counts, const char *metric)
{
    for (size_t i = 0; i < table->ratio_count; i++) {
        const struct event_ratio *row = &table->ratios[i];
        if (strcmp(row->metric, metric) != 0)
            continue;
        double under = row->under.count == 0 ? 1 : event_sum_value(&row->under, counts);
        return under < FEWEST ? NAN : event_sum_value(&row->over, counts) / under;
    }
    return NAN;
}

/* Loads per sector of the level; 0 if the manifest has no loads there. */
static double weight(const struct manifest *manifest, const char *level)
{
    double accesses = rates_get(&manifest->loads_by_level, level, 0);
    double sectors = rates_get(&manifest->transfers, level, 0);
    return sectors > 0 ? accesses / sectors : 0;
}

static void add(struct cupti_shares *shares, const char *metric, double value)
{
    shares->metrics[shares->count] = metric;
    shares->values[shares->count++] = value;
}

/* If no loads were planned there, one sector counts as many as at the program's other levels, on average. */
static void fill_weights(const struct manifest *manifest, double weights[LEVELS])
{
    double sum = 0;
    unsigned known = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        weights[i] = weight(manifest, levels[i]);
        sum += weights[i];
        known += weights[i] > 0;
    }
    for (size_t i = 0; i < LEVELS; i++)
        if (!(weights[i] > 0))
            weights[i] = known > 0 ? sum / known : 1;
}

static double loads_of(const struct event_table *table, const double *counts)
{
    double loads = 0;
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].name, "global_loads") == 0 ||
            strcmp(table->events[i].name, "shared_loads") == 0)
            loads += counts[i];
    return loads;
}

/* Evaluates the table's metrics over counts [table->event_count]. The same table gives the same metrics. */
static void cupti_shares_make(const struct event_table *table, const double *counts,
                              const struct manifest *manifest, struct cupti_shares *shares)
{
    double weights[LEVELS];
    double parts[LEVELS];
    double sum = 0;
    double inside = ratio(table, counts, shared);
    *shares = (struct cupti_shares){.loads = loads_of(table, counts)};
    fill_weights(manifest, weights);
    for (size_t i = 0; i < LEVELS; i++) {
        parts[i] = fmax(ratio(table, counts, served[i]), 0) * weights[i];
        sum += parts[i];
    }
    bool caches = sum > 0 && isfinite(ratio(table, counts, served[0]));
    add(shares, shared, inside);
    for (size_t i = 0; i < LEVELS; i++)
        add(shares, served[i],
            caches        ? (1 - inside) * parts[i] / sum
            : inside == 1 ? 0
                          : NAN); /* all loads were of shared memory */
    add(shares, "l2.far_share", ratio(table, counts, "l2.far_share"));
    add(shares, "ipc", ratio(table, counts, "ipc"));
    add(shares, "l1d.miss_rate", ratio(table, counts, "l1d.miss_rate"));
    add(shares, "l2.miss_rate", ratio(table, counts, "l2.miss_rate"));
}

/* ---- cupti source ---- */

static const char SOURCE[] = "cupti";

/* The number of loads for a count: a run's own overhead is small beside it. At worst a thread's own loads
 * take a microsecond each, and each sample is some ten runs. */
static const double LOADS_COUNTED = 1e7;
static const double LOADS_OF_A_THREAD = 1e5;
static const double CLOCKS_DIFFER = 0.02;

static enum status usable(struct error *why_not)
{
    enum status status = cupti_is_here(why_not);
    return status == STATUS_OK ? launcher_any_device("ptx", why_not) : status;
}

/* ---- counting ---- */

/* The event file of the device that the program is for, by the manifest's "sm_90". */
static enum status find_events(const struct test_program *test_program, struct event_table *table,
                               struct error *error)
{
    const char *arch = manifest_text_or(test_program->manifest->arch, "");
    unsigned number = strncmp(arch, "sm_", 3) == 0 ? (unsigned)strtoul(arch + 3, NULL, 10) : 0;
    const struct event_processor processor = {"NVIDIA", number / 10, number % 10, "gpu", NULL};
    enum status status = event_folder_table(&processor, table, error);
    if (status != STATUS_OK || (event_table_of_gpu(table) && table->event_count > 0))
        return status;
    return error_set(error, STATUS_UNAVAILABLE, "no events file covers \"%s\"; nvidia*.txt start at sm_70",
                     arch);
}

static uint64_t choose_passes(const struct manifest *manifest)
{
    double period = fmax(manifest->period, 1);
    double loads = 0;
    for (size_t i = 0; i < manifest->loads_by_level.count; i++)
        loads += manifest->loads_by_level.items[i].value;
    double threads = fmax(manifest->blocks, 1) * fmax(manifest->block_threads, 1);
    double wanted = fmin(LOADS_COUNTED, LOADS_OF_A_THREAD * threads);
    return (uint64_t)(loads > 0 ? ceil(wanted / (loads * period)) * period : period);
}

static enum status count(const struct test_program *test_program, const struct event_table *table,
                         struct cupti_counts *counts, struct error *error)
{
    *counts =
        (struct cupti_counts){.count = table->event_count, .passes = choose_passes(test_program->manifest)};
    counts->names = memory_zeroed(table->event_count, sizeof *counts->names);
    for (size_t i = 0; i < CUPTI_SAMPLES; i++)
        counts->values[i] = memory_zeroed(table->event_count, sizeof(double));
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

/* ---- evaluating the counts ---- */

/* With few samples the interval is their whole range. */
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
    for (size_t i = 0; i < counts->count; i++) {
        double values[CUPTI_SAMPLES];
        for (size_t j = 0; j < CUPTI_SAMPLES; j++)
            values[j] = counts->values[j][i] / (double)counts->passes;
        observations_count(list, table->events[i].name, span(values), NAN);
    }
}

static void add_metrics(const struct manifest *manifest, const struct event_table *table,
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
            observations_add(list, shares[0].metrics[i], SOURCE, EVIDENCE_MEASURED, seen.value, seen.low,
                             seen.high, shares[0].loads);
    }
}

/* Power is measured in other runs: these counts apply to them only at the same clock. */
static void compare_clocks(const struct cupti_counts *counts, struct observations *list)
{
    double plain = counts->plain_clock_hz;
    double counted = counts->counted_clock_hz;
    if (!(fabs(counted - plain) > CLOCKS_DIFFER * plain))
        return;
    warning_add(&list->warnings, "state = { gpu_clock = ... } and --allow-state fix the clock",
                "with the profiler the multiprocessors ran at %.4g GHz, without it at %.4g: the counts do "
                "not describe the power measurement's runs",
                counted * 1e-9, plain * 1e-9);
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

/* The counters of L1's sectors and hits are of loads into registers, those of shared memory of a block's own.
 */
static enum status refuse_uncounted(const struct manifest *manifest, struct error *error)
{
    for (size_t i = 0; i < manifest->stream_count; i++) {
        if (manifest->streams[i].source[0] != '\0')
            return error_set(
                error, STATUS_UNAVAILABLE,
                "its loads are asynchronous, and no counter tells which level served such copies");
        if (strcmp(manifest->streams[i].level, "DSMEM") == 0)
            return error_set(
                error, STATUS_UNAVAILABLE,
                "it reads the shared memory of other blocks, and no counter is known to tell such "
                "loads from others");
    }
    return STATUS_OK;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (refuse_uncounted(test_program->manifest, error) != STATUS_OK)
        return STATUS_UNAVAILABLE;
    if (test_program->launch == NULL && !test_program->machine->present)
        return error_set(error, STATUS_UNAVAILABLE, "its program is for another machine");
    struct event_table *table = memory_zeroed(1, sizeof *table);
    enum status status = observe_with(test_program, table, list, error);
    event_table_free(table);
    free(table);
    return status;
}

const struct counter_source counter_cupti = {.name = SOURCE,
                                             .kind = EVIDENCE_MEASURED,
                                             .targets = "ptx",
                                             .usable = usable,
                                             .observe = observe,
                                             .alone = true};
