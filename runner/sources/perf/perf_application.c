#include "base/memory.h"
#include "base/text/names.h"
#include "runner/measure/process_group.h"
#include "runner/sources/perf/perf_measure.h"
#include "runner/sources/perf/perf_plan.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_FILES = 4096, FILES_A_COPY = 20 };

static const char SOURCE[] = "perf";
static const double SKEW = 1.002, FULL = 1 - 1e-9;

/* Counts of one run, by core and event; NAN: not counted. */
struct run_counts {
    double *counts;                     /* [cores][EVENT_TABLE_EVENTS] */
    double counted[EVENT_TABLE_EVENTS]; /* share of the time */
};

struct perf_application {
    struct perf_host host;
    struct event_table table;
    struct perf_plan plan;
    struct arena arena;   /* of requested names */
    struct error missing; /* why the first uncounted event is not counted; no message: all are */
    int *cpus;            /* a single -1: all together */
    size_t cpu_count;

    /* While attached: */
    int events[EVENT_TABLE_EVENTS]; /* indices of the table */
    size_t event_count;
    int *files; /* [event_count][cpu_count]; -1: not open */
    struct perf_reading *before;

    struct run_counts *runs;
    size_t run_count;
};

/* ---- what to count ---- */

/* Adds the names in the list to the request. */
static void read_names(const char *list, struct perf_request *request, struct arena *arena)
{
    while (*list != '\0') {
        size_t length = strcspn(list, ",");
        bool is_source = length == strlen(SOURCE) && strncmp(list, SOURCE, length) == 0;
        if (length > 0 && !is_source && request->name_count < PERF_NAMES)
            request->names[request->name_count++] = arena_print(arena, "%.*s", (int)length, list);
        list += length;
        list += *list == ',';
    }
}

static enum status check_all(const struct perf_plan *plan, const struct perf_request *request,
                             const struct error *reason, struct error *error)
{
    for (size_t i = 0; i < request->name_count; i++) {
        bool found = false;
        for (size_t j = 0; j < plan->want_count; j++)
            found = found || strcmp(plan->wants[j].name, request->names[i]) == 0;
        if (found)
            continue;
        *error = *reason;
        error_prefix(error, "--counters %s", request->names[i]);
        return STATUS_UNAVAILABLE;
    }
    return STATUS_OK;
}

enum status perf_application_open(const char *list, const struct machine *machine,
                                  const struct perf_host *host, struct perf_application **application,
                                  struct error *error)
{
    struct perf_application *made = memory_zeroed(1, sizeof *made);
    bool all = names_contain(list, SOURCE);
    struct perf_request request = {.stores = true, .all_counts = all};
    struct error reason;
    *application = made;
    made->host = *host;
    enum status status = perf_table(host, machine, &made->table, error);
    if (status != STATUS_OK)
        return status;
    made->table.ratio_count = all ? made->table.ratio_count : 0;
    if (list != NULL)
        read_names(list, &request, &made->arena);
    status = perf_plan_make(&made->table, &made->host, &request, &made->plan, &reason);
    made->missing = reason;
    if (status == STATUS_OK)
        return check_all(&made->plan, &request, &reason, error);
    *error = reason;
    error->code = status == STATUS_RECIPE ? STATUS_USAGE : status;
    return error->code;
}

size_t perf_application_runs(const struct perf_application *application)
{
    return application->plan.bundle_count;
}

/* ---- counting ---- */

static void add_event(struct perf_application *own, int event)
{
    for (size_t i = 0; i < own->event_count; i++)
        if (own->events[i] == event)
            return;
    own->events[own->event_count++] = event;
}

/* True if the bundle is counted in the present one of that many runs: with fewer runs than bundles, several
 * bundles share a run. */
static bool is_its_turn(const struct perf_application *own, size_t bundle, size_t runs)
{
    size_t bundles = own->plan.bundle_count;
    return runs < bundles ? bundle % runs == own->run_count % runs : own->run_count % bundles == bundle;
}

static void choose_events(struct perf_application *own, size_t runs)
{
    const struct perf_plan *plan = &own->plan;
    own->event_count = 0;
    for (size_t i = 0; i < plan->bundle_count; i++)
        for (size_t j = 0; is_its_turn(own, i, runs) && j < plan->bundles[i].count; j++)
            add_event(own, plan->bundles[i].events[j]);
}

/* Chooses the logical processors that the application may use, if there are enough files for all of them. */
static void choose_cpus(struct perf_application *own)
{
    cpu_set_t set;
    size_t most = 0;
    CPU_ZERO(&set);
    if (own->cpus != NULL)
        return;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        most = (size_t)CPU_COUNT(&set);
    own->cpus = memory_zeroed(most + 1, sizeof *own->cpus);
    if (most * own->event_count > MOST_FILES)
        most = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE && own->cpu_count < most; cpu++)
        if (CPU_ISSET((size_t)cpu, &set))
            own->cpus[own->cpu_count++] = cpu;
    if (own->cpu_count == 0)
        own->cpus[own->cpu_count++] = -1;
    process_group_allow_files(own->cpu_count * own->event_count / FILES_A_COPY + 2);
}

static void close_files(struct perf_application *own)
{
    for (size_t i = 0; own->files != NULL && i < own->event_count * own->cpu_count; i++)
        if (own->files[i] >= 0)
            close(own->files[i]);
    free(own->files);
    free(own->before);
    own->files = NULL;
    own->before = NULL;
}

/* Opens all files. Returns 0, or errno for the refused event, whose index is *refused. */
static int open_files(struct perf_application *own, pid_t pid, size_t *refused)
{
    size_t count = own->event_count * own->cpu_count;
    own->files = memory_zeroed(count + 1, sizeof *own->files);
    own->before = memory_zeroed(count + 1, sizeof *own->before);
    memset(own->files, -1, count * sizeof *own->files);
    for (size_t i = 0; i < count; i++) {
        struct perf_event_attr attributes = own->plan.attributes[own->events[i / own->cpu_count]];
        attributes.disabled = 1;
        attributes.enable_on_exec = 1;
        own->files[i] = own->host.kernel->open(&attributes, pid, own->cpus[i % own->cpu_count], -1);
        *refused = i / own->cpu_count;
        if (own->files[i] < 0)
            return errno;
    }
    return 0;
}

enum status perf_application_attach(struct perf_application *own, pid_t pid, size_t runs, struct error *error)
{
    size_t refused = 0;
    choose_events(own, runs);
    choose_cpus(own);
    int number = open_files(own, pid, &refused);
    if (number == EMFILE && own->run_count == 0 && own->cpu_count > 1) {
        close_files(own);
        own->cpus[0] = -1;
        own->cpu_count = 1;
        number = open_files(own, pid, &refused);
    }
    if (number == 0)
        return STATUS_OK;
    close_files(own);
    return perf_refusal(&own->host, own->table.events[own->events[refused]].code, number, error);
}

/* Computes an event's counts. A process's event is enabled on every processor all of the time, but runs on
 * one of them: the counts are scaled to all of that time. */
static void count_event(const struct perf_application *own, size_t number, const struct perf_reading *now,
                        struct run_counts *run)
{
    const struct perf_reading *before = own->before + number * own->cpu_count;
    double enabled = 0, running = 0;
    size_t event = (size_t)own->events[number];
    now += number * own->cpu_count;
    for (size_t i = 0; i < own->cpu_count; i++) {
        enabled = fmax(enabled, (double)(now[i].enabled - before[i].enabled));
        running += (double)(now[i].running - before[i].running);
    }
    double scale = running > 0 ? enabled / running : enabled > 0 ? NAN : 1;
    if (scale < SKEW) /* the counters are read one after the other */
        scale = 1;
    run->counted[event] = running > 0 ? 1 / scale : enabled > 0 ? 0 : 1;
    for (size_t i = 0; i < own->cpu_count; i++)
        run->counts[i * EVENT_TABLE_EVENTS + event] = scale * (double)(now[i].value - before[i].value);
}

static struct run_counts run_begin(const struct perf_application *own)
{
    struct run_counts run = {.counts =
                                 memory_zeroed(own->cpu_count * EVENT_TABLE_EVENTS + 1, sizeof(double))};
    for (size_t i = 0; i < own->cpu_count * EVENT_TABLE_EVENTS; i++)
        run.counts[i] = NAN;
    return run;
}

/* Reads all counters into now; returns the counts since own->before. */
static struct run_counts read_all(const struct perf_application *own, struct perf_reading *now)
{
    struct run_counts run = run_begin(own);
    for (size_t i = 0; i < own->event_count; i++) {
        bool good = true;
        for (size_t j = i * own->cpu_count; j < (i + 1) * own->cpu_count; j++)
            good = own->host.kernel->read(own->files[j], &now[j]) && good;
        if (good)
            count_event(own, i, now, &run);
    }
    return run;
}

/* ---- values ---- */

/* The value for a core; with core == cpu_count, for all cores. */
static double value_of(const struct perf_application *own, const struct run_counts *run,
                       const struct event_sum *sum, size_t core)
{
    double counts[EVENT_TABLE_EVENTS] = {0};
    for (size_t i = 0; i < sum->count; i++) {
        int event = sum->terms[i].event;
        double all = 0;
        if (event < 0)
            continue;
        for (size_t j = 0; j < own->cpu_count; j++)
            all +=
                core == own->cpu_count || core == j ? run->counts[j * EVENT_TABLE_EVENTS + (size_t)event] : 0;
        counts[event] = all;
    }
    return event_sum_value(sum, counts);
}

static void add_value(struct result_values *values, const char *name, double value, struct arena *arena)
{
    if (isfinite(value))
        result_value_add(values, name, (struct interval){value, value, value, 1}, arena);
}

/* The mean over the runs with a count; NAN: none has one. */
static double mean_of(const struct perf_application *own, const struct run_counts *runs, size_t count,
                      const struct event_sum *sum, size_t core)
{
    double all = 0;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        double value = value_of(own, &runs[i], sum, core);
        if (isfinite(value)) {
            all += value;
            found++;
        }
    }
    return found > 0 ? all / (double)found : NAN;
}

static void fill(const struct perf_application *own, const struct run_counts *runs, size_t count,
                 struct perf_look *look, struct arena *arena)
{
    const struct perf_plan *plan = &own->plan;
    *look = (struct perf_look){.cores = arena_alloc(arena, own->cpu_count, sizeof *look->cores)};
    for (size_t core = 0; core <= own->cpu_count; core++) {
        struct result_values values = {0};
        double any = 0;
        for (size_t i = 0; i < plan->want_count; i++) {
            double value =
                plan->wants[i].is_count ? mean_of(own, runs, count, &plan->wants[i].over, core) : NAN;
            any += isfinite(value) ? fabs(value) : 0;
            add_value(&values, plan->wants[i].name, value, arena);
        }
        if (core == own->cpu_count)
            look->counters = values;
        else if (any > 0 && own->cpus[core] >= 0)
            look->cores[look->core_count++] =
                (struct result_copy_summary){.cpu = own->cpus[core], .counters = values};
    }
}

void perf_application_look(struct perf_application *own, struct perf_look *look, struct arena *arena)
{
    size_t count = own->event_count * own->cpu_count;
    struct perf_reading *now = memory_zeroed(count + 1, sizeof *now);
    struct run_counts run = read_all(own, now);
    fill(own, &run, 1, look, arena);
    free(run.counts);
    free(own->before);
    own->before = now;
}

void perf_application_detach(struct perf_application *own)
{
    size_t count = own->event_count * own->cpu_count;
    if (own->files == NULL)
        return;
    struct perf_reading *now = memory_zeroed(count + 1, sizeof *now);
    memset(own->before, 0, count * sizeof *own->before);
    own->runs = memory_resized(own->runs, own->run_count + 1, sizeof *own->runs);
    own->runs[own->run_count++] = read_all(own, now);
    free(now);
    close_files(own);
}

/* ---- the whole ---- */

static double counted_of(const struct run_counts *run, const struct perf_want *want)
{
    return event_sum_counted(&want->under, run->counted, event_sum_counted(&want->over, run->counted, 1));
}

/* The interval of the runs' values, widened by the time not counted. */
static struct interval spread(const double *values, size_t count, double counted)
{
    struct interval seen =
        count > 1 ? stats_repeated(values, count) : (struct interval){values[0], values[0], values[0], 1};
    double unseen = (1 - counted) * fabs(seen.value);
    seen.low -= unseen;
    seen.high += unseen;
    seen.n = count;
    return seen;
}

static void add_want(const struct perf_application *own, const struct perf_want *want, double *values,
                     struct observations *list)
{
    double counted = 1;
    size_t count = 0;
    for (size_t i = 0; i < own->run_count; i++) {
        const struct run_counts *run = &own->runs[i];
        double over = value_of(own, run, &want->over, own->cpu_count);
        double under = want->under.count > 0 ? value_of(own, run, &want->under, own->cpu_count) : 1;
        if (!isfinite(over) || !(under > 0))
            continue;
        values[count++] = over / under;
        counted = fmin(counted, counted_of(run, want));
    }
    if (count == 0)
        return;
    struct interval seen = spread(values, count, counted);
    if (want->is_count) {
        observations_count(list, want->name, seen, counted);
        return;
    }
    observations_add_copy(list, 0, want->name, SOURCE, EVIDENCE_MEASURED, seen);
    list->items[list->count - 1].counted = counted;
}

void perf_application_total(const struct perf_application *own, struct observations *list,
                            struct perf_look *look, struct arena *arena)
{
    double *values = memory_zeroed(own->run_count + 1, sizeof *values);
    double least = 1;
    for (size_t i = 0; i < own->plan.want_count; i++)
        add_want(own, &own->plan.wants[i], values, list);
    for (size_t i = 0; i < list->counters.count; i++)
        least = fmin(least, list->counters.items[i].counted);
    if (least < FULL)
        warning_add(
            &list->warnings, NULL,
            "counters took turns, as the processor has fewer; some counted for %.0f %% of the time alone, "
            "and the counts are scaled; --reps %zu counts them in so many runs",
            100 * least, perf_application_runs(own));
    if (own->missing.message[0] != '\0')
        warning_add(&list->warnings, own->missing.hint[0] == '\0' ? NULL : own->missing.hint,
                    "not all that the processor's events file has is counted: %s", own->missing.message);
    fill(own, own->runs, own->run_count, look, arena);
    free(values);
}

void perf_application_close(struct perf_application *own)
{
    if (own == NULL)
        return;
    perf_application_detach(own);
    for (size_t i = 0; i < own->run_count; i++)
        free(own->runs[i].counts);
    free(own->runs);
    free(own->cpus);
    event_table_free(&own->table);
    arena_free(&own->arena);
    free(own);
}
