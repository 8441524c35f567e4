/* The source "perf": the processor's own counters through Linux perf_event_open, in user space only. Files
 * define the events of metrics (event_file.h); the events table of a machine file comes first. */
#include "base/memory.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/perf/perf_measure.h"
#include "runner/sources/perf/perf_plan.h"
#include "runner/sources/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char SOURCE[] = "perf";

static enum status usable_on(const struct perf_host *host, struct error *why_not)
{
    static const struct {
        const char *name;
        uint64_t code;
    } events[] = {{"instructions", PERF_COUNT_HW_INSTRUCTIONS}, {"cycles", PERF_COUNT_HW_CPU_CYCLES}};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && status == STATUS_OK; i++) {
        struct perf_event_attr attributes = {.size = sizeof attributes,
                                             .type = PERF_TYPE_HARDWARE,
                                             .config = events[i].code,
                                             .exclude_kernel = 1,
                                             .exclude_hv = 1};
        status = perf_try(host, events[i].name, &attributes, why_not);
    }
    return status;
}

static enum status usable(struct error *why_not)
{
    struct perf_host host;
    perf_host_read(&host, -1, "");
    return usable_on(&host, why_not);
}

/* ---- what to count ---- */

/* Adds the rows of the machine file: events = { ["l1d.miss_rate"] = { "r0F48", "per", "r0143" } }. */
static enum status add_machine_rows(const struct machine *machine, struct event_table *table,
                                    struct error *error)
{
    struct machine_ratio ratio;
    for (size_t i = 0; machine != NULL && machine_event(machine, i, &ratio); i++) {
        if (ratio.over == NULL || ratio.under == NULL) {
            error_set(error, STATUS_RECIPE, "the machine's events of \"%s\" are not a ratio", ratio.metric);
            error_hint(error, "expected [\"%s\"] = { \"EVENT\", \"per\", \"EVENT\" }", ratio.metric);
            return STATUS_RECIPE;
        }
        if (!event_table_add(table, ratio.metric, ratio.over, ratio.under))
            return error_set(error, STATUS_RECIPE, "the machine has too many events rows");
    }
    return STATUS_OK;
}

static const char COUNT[] = "events.";

/* The count's name in a metric such as events.cycles; NULL: it is none. */
static const char *count_in(const char *metric)
{
    return strncmp(metric, COUNT, strlen(COUNT)) == 0 ? metric + strlen(COUNT) : NULL;
}

static void request_name(struct perf_request *request, const char *name)
{
    if (name != NULL && request->name_count < PERF_NAMES)
        request->names[request->name_count++] = name;
}

/* Requests the recipe's measure = { events = {...} }, and each events.NAME for which it expects a value. */
static void request_names(const struct manifest *manifest, struct perf_request *request)
{
    for (size_t i = 0; i < manifest->events.count; i++)
        request_name(request, manifest->events.items[i]);
    for (size_t i = 0; i < manifest->expect_count; i++)
        request_name(request, count_in(manifest->expect[i].metric));
}

/* Counts that are judged also become observations. */
static void observe_expected(const struct manifest *manifest, struct observations *list)
{
    for (size_t i = 0; i < manifest->expect_count; i++) {
        const char *metric = manifest->expect[i].metric;
        const char *name = count_in(metric);
        const struct raw_count *seen = name == NULL ? NULL : observations_counted(list, name);
        if (seen != NULL)
            observations_add(list, metric, SOURCE, EVIDENCE_MEASURED, seen->interval.value,
                             seen->interval.low, seen->interval.high, (double)seen->interval.n);
    }
}

/* Removes other rows of the metrics for which the machine file has a row. */
static void drop_others(struct event_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->ratio_count; i++) {
        bool other = false;
        for (size_t j = 0; j < kept; j++)
            other = other || (table->ratios[j].file == NULL && table->ratios[i].file != NULL &&
                              strcmp(table->ratios[j].metric, table->ratios[i].metric) == 0);
        if (!other)
            table->ratios[kept++] = table->ratios[i];
    }
    table->ratio_count = kept;
}

enum status perf_table(const struct perf_host *host, const struct machine *machine, struct event_table *table,
                       struct error *error)
{
    const struct event_processor processor = {host->vendor, host->family, host->model, host->pmu, NULL};
    enum status status = event_folder_table(&processor, table, error);
    if (status == STATUS_OK)
        status = add_machine_rows(machine, table, error);
    if (status == STATUS_OK)
        drop_others(table);
    return status;
}

/* ---- derived metrics ---- */

/* Shares of loads derived from miss rates, if no events count them. */
static void derive_served(struct observations *list)
{
    const struct observation *found = observations_find(list, "l1d.miss_rate", SOURCE);
    if (found == NULL)
        return;
    const struct observation l1 = *found; /* the list may move when it grows */
    if (observations_find(list, "served.L1", SOURCE) == NULL)
        observations_add(list, "served.L1", SOURCE, EVIDENCE_MEASURED, 1 - l1.value, 1 - l1.high, 1 - l1.low,
                         l1.n);
    found = observations_find(list, "l2.miss_rate", SOURCE);
    if (found == NULL || observations_find(list, "served.L2", SOURCE) != NULL)
        return;
    const struct observation l2 = *found;
    observations_add(list, "served.L2", SOURCE, EVIDENCE_MEASURED, l1.value * (1 - l2.value),
                     l1.low * (1 - l2.high), l1.high * (1 - l2.low), l2.n);
}

static void warn(struct observations *list, const char *name, const struct error *reason)
{
    warning_add(&list->warnings, reason->hint[0] == '\0' ? NULL : reason->hint,
                "perf did not count \"%.60s\": %s", name, reason->message);
}

/* Drops names that no file has, so that the others can still be counted. */
static void drop_unknown(struct event_table *table, struct perf_request *request, struct observations *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < request->name_count; i++) {
        struct event_sum sum;
        struct error reason;
        if (event_table_sum(table, request->names[i], &sum, &reason) == STATUS_OK)
            request->names[kept++] = request->names[i];
        else
            warn(list, request->names[i], &reason);
    }
    request->name_count = kept;
}

/* Warns of requested names that could not be counted. */
static void warn_of_missing(const struct perf_request *request, const struct error *reason,
                            struct observations *list)
{
    for (size_t i = 0; i < request->name_count; i++)
        if (observations_counted(list, request->names[i]) == NULL)
            warn(list, request->names[i], reason);
}

/* Warns of events that failed their trial on this processor: their metrics need another source. */
static void warn_of_refused(const struct event_table *table, struct observations *list)
{
    for (size_t i = 0; i < table->event_count; i++)
        if (table->events[i].refused != NULL)
            warning_add(&list->warnings, "`trauma events` tries the events again",
                        "perf does not use the event \"%s\" (%s) of this processor: %s",
                        table->events[i].name, table->events[i].code, table->events[i].refused);
}

static enum status measure_with(const struct test_program *test_program, const struct perf_host *host,
                                struct event_table *table, struct observations *list, struct error *error)
{
    struct perf_request request = {.stores = test_program->manifest->stores > 0,
                                   .shares = test_program->manifest->shared.given,
                                   .all_counts = test_program->all_counts};
    struct perf_plan *plan = memory_resized(NULL, 1, sizeof *plan);
    size_t before = list->count;
    struct error reason;
    request_names(test_program->manifest, &request);
    drop_unknown(table, &request, list);
    enum status status = perf_plan_make(table, host, &request, plan, &reason);
    if (status == STATUS_OK)
        status = perf_measure(plan, test_program, list, &reason);
    free(plan);
    if (status == STATUS_OK) {
        warn_of_missing(&request, &reason, list);
        warn_of_refused(table, list);
        observe_expected(test_program->manifest, list);
    }
    if (status == STATUS_OK && list->count == before && list->counters.count == 0)
        status = STATUS_UNAVAILABLE;
    if (status != STATUS_OK)
        *error = reason;
    else if (!request.stores)
        derive_served(list);
    return status;
}

enum status perf_observe_on(const struct test_program *test_program, const struct perf_host *host,
                            struct observations *list, struct error *error)
{
    struct event_table *table = memory_zeroed(1, sizeof *table);
    enum status status = perf_table(host, test_program->machine, table, error);
    if (status == STATUS_OK)
        status = measure_with(test_program, host, table, list, error);
    event_table_free(table);
    free(table);
    return status;
}

/* Copies on cores of two kinds would need two tables at the same time. */
static enum status check_units(const struct test_program *test_program, const struct perf_host *host,
                               struct error *error)
{
    if (test_program->place == NULL || strcmp(host->pmu, "cpu") == 0)
        return STATUS_OK;
    for (size_t i = 1; i < test_program->place->count; i++) {
        struct perf_host other;
        perf_host_read(&other, test_program->place->cpus[i], "");
        if (strcmp(other.pmu, host->pmu) == 0)
            continue;
        error_set(error, STATUS_UNAVAILABLE, "the copies run on cores of two kinds, %s and %s", host->pmu,
                  other.pmu);
        error_hint(error, "place = { cores = {...} } keeps them on one kind");
        return STATUS_UNAVAILABLE;
    }
    return STATUS_OK;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (!test_program->machine->present) {
        error_set(error, STATUS_UNAVAILABLE,
                  "the machine \"%s\" is not this one: its counters are not available",
                  test_program->machine->name);
        error_hint(error, "run the suite on that machine");
        return STATUS_UNAVAILABLE;
    }
    struct perf_host host;
    perf_host_read(&host, test_program->place == NULL ? test_program->cpu : test_program->place->cpus[0], "");
    enum status status = test_program_check_runs(test_program, error);
    if (status == STATUS_OK)
        status = check_units(test_program, &host, error);
    if (status == STATUS_OK)
        status = usable_on(&host, error);
    return status == STATUS_OK ? perf_observe_on(test_program, &host, list, error) : status;
}

const struct counter_source counter_perf = {
    .name = SOURCE, .kind = EVIDENCE_MEASURED, .usable = usable, .observe = observe, .alone = true};
