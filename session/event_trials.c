#include "session/event_trials.h"

#include "base/files/paths.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "base/text/text_set.h"
#include "generator/metric/quantity.h"
#include "runner/evidence/host.h"
#include "runner/sources/events/counted_runs.h"
#include "runner/sources/events/event_claims.h"
#include "runner/sources/events/event_corrected.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/perf/perf_measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS = 5, NAME_BYTES = 48, WHY_BYTES = 400 };

/* A making of trials. */
struct making {
    const struct event_trial_request *request;
    struct event_trials *trials;
    struct work *work;
    struct program *programs; /* [program_count], kept if they run here */
    const struct work_item **items;
    size_t program_count;
    struct text_set names, quantities;
    struct event_claims claims;
    const struct session_events *events;
    struct error *error;
};

/* ---- the suite ---- */

/* A GPU's quantities are accesses of all its threads, and transfers, by the level that serves them. */
static size_t gpu_counts(const struct manifest *manifest, struct rates counts[3], const char *kinds[3])
{
    kinds[0] = "loads";
    kinds[1] = "transfers";
    kinds[2] = "stored";
    counts[0] = manifest->loads_by_level;
    counts[1] = manifest->transfers;
    counts[2] = manifest->stored;
    return manifest->has_grid ? 3 : 0;
}

/* Calls for each count of a manifest: names of quantities alone, or also their numbers. */
static void take_counts(struct making *making, const struct manifest *manifest, double *known)
{
    struct rates parts[3];
    const char *kinds[3];
    size_t part_count = gpu_counts(manifest, parts, kinds);
    for (size_t i = 0; i < manifest->counts.count; i++) {
        size_t q = text_set_add(&making->quantities, manifest->counts.items[i].metric);
        if (known != NULL)
            known[q] = manifest->counts.items[i].value;
    }
    for (size_t i = 0; i < part_count; i++)
        for (size_t j = 0; j < parts[i].count; j++) {
            char name[NAME_BYTES];
            snprintf(name, sizeof name, "%s.%s", kinds[i], parts[i].items[j].metric);
            size_t q = text_set_add(&making->quantities, name);
            if (known != NULL)
                known[q] = parts[i].items[j].value;
        }
}

static enum status load_programs(struct making *making)
{
    struct work *work = making->work;
    making->programs = memory_zeroed(work->item_count + 1, sizeof *making->programs);
    making->items = memory_zeroed(work->item_count + 1, sizeof(const struct work_item *));
    enum status status = STATUS_OK;
    for (size_t i = 0; i < work->item_count && status == STATUS_OK; i++) {
        struct program *program = &making->programs[making->program_count];
        bool changed = false;
        status = work_program(&work->items[i], program, &changed, making->error);
        session_progress(making->events, "programs", i + 1, work->item_count);
        if (status == STATUS_OK && changed)
            session_point(making->events, SESSION_WARNING, work->items[i].benchmark, work->items[i].point,
                          "its files were changed after they were generated");
        if (status == STATUS_OK)
            making->items[making->program_count++] = &work->items[i];
        else if (work_can_go_on(&work->items[i], status)) /* a level that the machine lacks */
            status = STATUS_OK;
    }
    session_progress_end(making->events);
    session_tell_points(making->events);
    if (status == STATUS_OK && making->program_count == 0)
        return error_set(making->error, STATUS_USAGE, "the suite has no program");
    return status;
}

/* Orders the quantities as their table does; those that it lacks, of GPUs, follow. */
static void order_quantities(struct making *making)
{
    struct text_set ordered = {0};
    for (const struct quantity *row = quantity_table; row->name != NULL; row++)
        if (text_set_find(&making->quantities, row->name) < making->quantities.count)
            text_set_add(&ordered, row->name);
    for (size_t i = 0; i < making->quantities.count; i++)
        text_set_add(&ordered, making->quantities.texts[i]);
    text_set_free(&making->quantities);
    making->quantities = ordered;
}

static const char *keep(struct event_trials *trials, const char *text)
{
    return arena_strdup(&trials->arena, text);
}

static enum status know_suite(struct making *making)
{
    struct event_trials *trials = making->trials;
    enum status status = load_programs(making);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < making->program_count; i++)
        take_counts(making, making->programs[i].manifest, NULL);
    order_quantities(making);
    size_t quantities = making->quantities.count, programs = making->program_count;
    double *known = arena_alloc(&trials->arena, programs * quantities + 1, sizeof *known);
    bool *named = arena_alloc(&trials->arena, quantities + 1, sizeof *named);
    const char **names = arena_alloc(&trials->arena, quantities + 1, sizeof *names);
    trials->set.programs = arena_alloc(&trials->arena, programs + 1, sizeof *trials->set.programs);
    for (size_t i = 0; i < quantities; i++) {
        const struct quantity *row = quantity_find(making->quantities.texts[i]);
        names[i] = keep(trials, making->quantities.texts[i]);
        named[i] = row != NULL && row->sum != NULL && strcmp(row->sum, "loads,stores") == 0;
    }
    for (size_t i = 0; i < programs; i++) {
        char name[512];
        for (size_t j = 0; j < quantities; j++)
            known[i * quantities + j] = NAN;
        take_counts(making, making->programs[i].manifest, known + i * quantities);
        snprintf(name, sizeof name, "%s/%s", making->items[i]->benchmark, making->items[i]->point);
        trials->set.programs[i] = keep(trials, name);
        text_set_add(&making->names, name);
    }
    trials->set.suite = (struct trial_suite){programs, quantities, names, known, named};
    trials->set.condition = trial_condition(&trials->set.suite, &trials->set.moved);
    trials->set.machine = keep(trials, work_machine(making->items[0]->source)->name);
    if (quantities > 0)
        return STATUS_OK;
    error_set(making->error, STATUS_USAGE, "no program of the suite states its counts");
    error_hint(making->error, "`trauma gen events -o DIR` makes one whose programs do");
    return STATUS_USAGE;
}

/* ---- judging ---- */

static int quantity_of(const struct making *making, const char *name)
{
    size_t found = name == NULL ? making->quantities.count : text_set_find(&making->quantities, name);
    return found < making->quantities.count ? (int)found : TRIAL_NONE;
}

/* The code of an event that the table names, or that is a code itself; NULL: unknown. */
static const char *code_of(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->total_count; i++) {
        const struct event_sum *sum = &table->totals[i].sum;
        if (strcmp(table->totals[i].name, name) == 0)
            return sum->count == 1 && sum->terms[0].factor == 1 && sum->terms[0].event >= 0
                       ? table->events[sum->terms[0].event].code
                       : NULL;
    }
    for (size_t i = 0; i < table->event_count; i++)
        if (strcmp(table->events[i].code, name) == 0)
            return table->events[i].code;
    return NULL;
}

/* The name by which the table has the event; NULL: it has none. */
static const char *name_in(const struct event_table *table, const struct trial_event *item)
{
    for (size_t i = 0; i < table->total_count; i++)
        if (strcmp(table->totals[i].name, item->name) == 0)
            return item->name;
    for (size_t i = 0; i < table->event_count && item->code != NULL; i++)
        if (strcmp(table->events[i].code, item->code) == 0)
            return table->events[i].name;
    return NULL;
}

/* why: it was not counted; NULL: it was. */
static void judge(struct making *making, const char *name, const char *code, const struct trial_run *runs,
                  size_t count, const char *why)
{
    struct event_trials *trials = making->trials;
    bool own = making->request->claims != NULL;
    const char *claim = event_claim_of(own ? &making->claims : NULL, &trials->table, name);
    if (own && claim == NULL && code != NULL)
        claim = event_claim_of(&making->claims, NULL, code);
    trials->set.items = memory_next(trials->set.items, trials->set.count, sizeof *trials->set.items);
    struct trial_event *item = &trials->set.items[trials->set.count++];
    *item = (struct trial_event){.name = arena_strdup(&trials->arena, name), .code = code, .claim = claim};
    item->result =
        (struct trial_result){.verdict = TRIAL_UNAVAILABLE, .why = why, .error = NAN, .noise = NAN};
    bool unknown = claim != NULL && quantity_of(making, claim) == TRIAL_NONE;
    if (unknown)
        item->result.why = "no program of the suite has what is claimed";
    else if (why == NULL)
        trial_judge(&trials->set.suite, runs, count, quantity_of(making, claim), &item->result);
    item->why = item->result.why == NULL ? NULL : arena_strdup(&trials->arena, item->result.why);
}

/* ---- counts made elsewhere ---- */

static bool is_wanted(const struct event_trial_request *request, const char *event)
{
    bool wanted = request->event_count == 0;
    for (size_t i = 0; i < request->event_count; i++)
        wanted = wanted || strcmp(request->events[i], event) == 0;
    return wanted;
}

static enum status unknown_program(const struct making *making, const char *name)
{
    const struct event_trials *trials = making->trials;
    error_set(making->error, STATUS_USAGE, "the suite has no program \"%.200s\", which %s counts", name,
              making->request->counts);
    suggest_hint(making->error, name, trials->set.programs, trials->set.suite.programs,
                 "count the programs of this suite");
    return STATUS_USAGE;
}

static enum status judge_counted(struct making *making, const struct counted_runs *counted)
{
    struct text_set events = {0};
    struct trial_run *runs = memory_zeroed(counted->count + 1, sizeof *runs);
    enum status status = STATUS_OK;
    for (size_t i = 0; i < counted->count; i++)
        if (is_wanted(making->request, counted->items[i].event))
            text_set_add(&events, counted->items[i].event);
    for (size_t e = 0; e < events.count && status == STATUS_OK; e++) {
        const char *why = NULL;
        size_t count = 0;
        for (size_t i = 0; i < counted->count && status == STATUS_OK; i++) {
            const struct counted_run *run = &counted->items[i];
            if (strcmp(run->event, events.texts[e]) != 0)
                continue;
            size_t program = text_set_find(&making->names, run->program);
            if (program == making->names.count)
                status = unknown_program(making, run->program);
            else if (run->why == NULL)
                runs[count++] = (struct trial_run){program, run->passes, run->count};
            else
                why = run->why;
        }
        if (status == STATUS_OK)
            judge(making, events.texts[e], code_of(&making->trials->table, events.texts[e]), runs, count,
                  count == 0 ? why : NULL);
    }
    const char *const *asked = making->request->events;
    for (size_t i = 0; i < making->request->event_count && status == STATUS_OK; i++)
        if (text_set_find(&events, asked[i]) == events.count)
            judge(making, asked[i], NULL, NULL, 0, "the file has no counts of it");
    for (size_t i = 0; i < making->claims.count && making->request->event_count == 0 && status == STATUS_OK;
         i++)
        if (text_set_find(&events, making->claims.items[i].event) == events.count)
            judge(making, making->claims.items[i].event, NULL, NULL, 0, "the file has no counts of it");
    text_set_free(&events);
    free(runs);
    return status;
}

static enum status read_counts(struct making *making)
{
    struct counted_runs counted = {0};
    struct error ignored; /* a machine without a family has no names but the quantities' */
    struct event_trials *trials = making->trials;
    struct event_processor processor = {.vendor = "", .pmu = "cpu", .name = trials->set.machine};
    if (work_machine(making->items[0]->source)->present) {
        perf_host_read(&trials->host, -1, making->request->root);
        processor = (struct event_processor){.vendor = trials->host.vendor,
                                             .family = trials->host.family,
                                             .model = trials->host.model,
                                             .pmu = trials->host.pmu};
    }
    if (event_folder_untried(&processor, &trials->table, &ignored) != STATUS_OK)
        event_table_free(&trials->table);
    enum status status = counted_runs_read(making->request->counts, &counted, making->error);
    if (status == STATUS_OK)
        status = judge_counted(making, &counted);
    counted_runs_free(&counted);
    return status;
}

/* ---- counting here ---- */

/* The counts of the table's events: of each, runs of every program. */
struct counted_here {
    struct trial_run *runs[EVENT_TABLE_EVENTS]; /* NULL: not counted */
    const char *why[EVENT_TABLE_EVENTS];
    bool tried[EVENT_TABLE_EVENTS];
    size_t run_count;
};

static enum status count_event(struct making *making, int event, size_t reps, struct counted_here *counted)
{
    const struct event_trials *trials = making->trials;
    const char *code = trials->table.events[event].code;
    struct perf_event_attr attributes;
    struct perf_run *seen = memory_zeroed(2 * reps, sizeof *seen);
    struct trial_run *runs = memory_zeroed(counted->run_count, sizeof *runs);
    struct error reason = {0};
    enum status status = perf_event_encode(&trials->host, code, &attributes, &reason);
    if (status == STATUS_OK)
        status = perf_try(&trials->host, code, &attributes, &reason);
    for (size_t i = 0; i < making->program_count && status == STATUS_OK; i++) {
        struct test_program test_program =
            work_test_program(making->items[i], &making->programs[i], host_choose_cpu());
        status = perf_measure_event(&test_program, &trials->host, code, &attributes, reps, seen, &reason);
        for (size_t j = 0; j < 2 * reps; j++)
            runs[i * 2 * reps + j] = (struct trial_run){i, seen[j].passes, seen[j].count};
    }
    counted->tried[event] = true;
    counted->runs[event] = status == STATUS_OK ? runs : NULL;
    if (status != STATUS_OK) {
        counted->why[event] = arena_strdup(&making->trials->arena, reason.message);
        free(runs);
    }
    free(seen);
    if (status == STATUS_FAILED)
        *making->error = reason;
    return status == STATUS_FAILED ? status : STATUS_OK;
}

/* A count of several events: the sum of their runs, one by one. */
static enum status judge_here(struct making *making, const char *name, const struct event_sum *sum,
                              size_t reps, struct counted_here *counted)
{
    struct trial_run *runs = memory_zeroed(counted->run_count, sizeof *runs);
    const char *why = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sum->count && status == STATUS_OK; i++) {
        int event = sum->terms[i].event;
        if (event >= 0 && !counted->tried[event])
            status = count_event(making, event, reps, counted);
        const struct trial_run *seen = event < 0 ? NULL : counted->runs[event];
        why = event >= 0 && seen == NULL && why == NULL ? counted->why[event] : why;
        for (size_t j = 0; j < counted->run_count && seen != NULL; j++)
            runs[j] = (struct trial_run){seen[j].program, seen[j].passes,
                                         runs[j].count + sum->terms[i].factor * seen[j].count};
    }
    bool one = sum->count == 1 && sum->terms[0].factor == 1 && sum->terms[0].event >= 0;
    if (status == STATUS_OK)
        judge(making, name, one ? making->trials->table.events[sum->terms[0].event].code : NULL, runs,
              counted->run_count, why);
    free(runs);
    return status;
}

/* Counts of the kernel alone, as its clock, are not the processor's. */
static bool is_of_processor(const struct event_table *table, const struct event_sum *sum)
{
    for (size_t i = 0; i < sum->count; i++)
        if (sum->terms[i].event >= 0 &&
            strcmp(table->events[sum->terms[i].event].code, "perf::TASK-CLOCK") == 0)
            return false;
    return sum->count > 0;
}

static enum status judge_names(struct making *making, const char *const *names, size_t count, size_t reps,
                               struct counted_here *counted)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        struct event_sum sum;
        status = event_table_sum(&making->trials->table, names[i], &sum, making->error);
        if (status == STATUS_OK)
            status = judge_here(making, names[i], &sum, reps, counted);
        session_progress(making->events, "events", i + 1, count);
    }
    return status;
}

static enum status judge_table(struct making *making, size_t reps, struct counted_here *counted)
{
    const struct event_table *table = &making->trials->table;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < table->total_count && status == STATUS_OK; i++) {
        if (is_of_processor(table, &table->totals[i].sum))
            status = judge_here(making, table->totals[i].name, &table->totals[i].sum, reps, counted);
        session_progress(making->events, "events", i + 1, table->total_count);
    }
    return status;
}

/* The suite's programs must be for this machine, and one event must be countable. */
static enum status check_host(struct making *making)
{
    struct event_trials *trials = making->trials;
    static const struct perf_event_attr instructions = {.size = sizeof instructions,
                                                        .type = PERF_TYPE_HARDWARE,
                                                        .config = PERF_COUNT_HW_INSTRUCTIONS,
                                                        .exclude_kernel = 1,
                                                        .exclude_hv = 1};
    perf_host_read(&trials->host, host_choose_cpu(), making->request->root);
    if (making->request->kernel != NULL)
        trials->host.kernel = making->request->kernel;
    enum status status = perf_try(&trials->host, "instructions", &instructions, making->error);
    if (status == STATUS_OK)
        return STATUS_OK;
    error_hint(making->error,
               "count elsewhere: `trauma gen events -m MACHINE -o DIR`, run DIR/events.sh on that machine, "
               "then `trauma events --suite DIR --counts FILE.csv`");
    return status;
}

static enum status count_here(struct making *making)
{
    struct event_trials *trials = making->trials;
    size_t reps = making->request->reps == 0 ? REPS : making->request->reps;
    struct counted_here *counted = memory_zeroed(1, sizeof *counted);
    counted->run_count = making->program_count * 2 * reps;
    const struct event_processor processor = {.vendor = trials->host.vendor,
                                              .family = trials->host.family,
                                              .model = trials->host.model,
                                              .pmu = trials->host.pmu};
    enum status status = event_folder_untried(&processor, &trials->table, making->error);
    const char **known =
        status == STATUS_OK && making->request->all ? perf_host_events(&trials->arena) : NULL;
    size_t count = 0;
    while (known != NULL && known[count] != NULL)
        count++;
    if (status == STATUS_OK && making->request->event_count > 0)
        status = judge_names(making, making->request->events, making->request->event_count, reps, counted);
    else if (status == STATUS_OK)
        status = judge_table(making, reps, counted);
    if (status == STATUS_OK)
        status = judge_names(making, known, count, reps, counted);
    trials->here = status == STATUS_OK;
    session_progress_end(making->events);
    for (size_t i = 0; i < EVENT_TABLE_EVENTS; i++)
        free(counted->runs[i]);
    free(counted);
    return status;
}

enum status event_trials_make(const struct event_trial_request *request, const struct selection *selection,
                              const struct target_request *target, struct event_trials *trials,
                              struct error *error)
{
    struct work work = {0};
    struct making making = {
        .request = request, .trials = trials, .work = &work, .events = target->events, .error = error};
    enum status status = request->counts == NULL ? check_host(&making) : STATUS_OK;
    if (status == STATUS_OK)
        status = work_open(selection, target, &work, error);
    if (status == STATUS_OK)
        status = know_suite(&making);
    if (status == STATUS_OK && request->claims != NULL)
        status = event_claims_read(request->claims, trials->set.suite.names, trials->set.suite.quantities,
                                   &trials->arena, &making.claims, error);
    if (status == STATUS_OK)
        status = request->counts != NULL ? read_counts(&making) : count_here(&making);
    for (size_t i = 0; i < making.program_count; i++)
        program_free(&making.programs[i]);
    free(making.programs);
    free(making.items);
    text_set_free(&making.names);
    text_set_free(&making.quantities);
    work_close(&work);
    return status;
}

/* ---- what was found ---- */

/* The event that counts the quantity alone. */
static const struct trial_event *counter_of(const struct event_trials *trials, const char *quantity,
                                            double *per)
{
    for (size_t i = 0; i < trials->set.count; i++) {
        const struct trial_result *result = &trials->set.items[i].result;
        if (trials->set.items[i].code == NULL || result->meaning.count != 1 || result->per_pass > 0 ||
            result->wraps > 0 ||
            strcmp(trials->set.suite.names[result->meaning.terms[0].quantity], quantity) != 0)
            continue;
        *per = result->verdict == TRIAL_EXACT ? 1 : result->meaning.terms[0].per;
        return &trials->set.items[i];
    }
    return NULL;
}

enum status event_trials_correct(const struct event_trials *trials, struct buffer *text, struct error *error)
{
    struct event_correction *list = memory_zeroed(trials->set.count + 1, sizeof *list);
    char(*why)[WHY_BYTES] = memory_zeroed(trials->set.count + 1, sizeof *why);
    size_t count = 0;
    for (size_t i = 0; i < trials->set.count; i++) {
        const struct trial_event *item = &trials->set.items[i];
        const char *name = name_in(&trials->table, item);
        if (item->claim == NULL || !trial_contradicts(item->result.verdict) || name == NULL)
            continue;
        struct event_correction *one = &list[count];
        struct buffer meaning = {0};
        trial_say(&trials->set.suite, &item->result.meaning, &meaning);
        const struct trial_event *by = counter_of(trials, item->claim, &one->per);
        snprintf(why[count], sizeof why[count], "on trial it was %s%s%s, not %s; %s%s",
                 trial_verdict_names[item->result.verdict], meaning.size > 0 ? ": it counts " : "",
                 meaning.size > 0 ? meaning.data : "", item->claim,
                 by == NULL ? "no event tried counts that" : by->name,
                 by == NULL   ? ""
                 : by == item ? " is divided"
                              : " counts that");
        one->name = name;
        one->why = why[count++];
        one->code = by == NULL ? NULL : by->code;
        buffer_free(&meaning);
    }
    enum status status =
        event_corrected_write(&trials->table, trials->here ? &trials->host : NULL, list, count, text, error);
    free(list);
    free(why);
    return status;
}

enum status event_trials_keep(const struct event_trials *trials, char path[FILE_PATH_BYTES],
                              struct error *error)
{
    char own[FILE_PATH_BYTES], folder[FILE_PATH_BYTES], name[128];
    path[0] = '\0';
    if (paths_own(own)[0] == '\0')
        return STATUS_OK;
    snprintf(name, sizeof name, "trial-%s-%u-%u-%s.txt", trials->host.vendor, trials->host.family,
             trials->host.model, trials->host.pmu);
    file_join(path, file_join(folder, own, "events"), name);
    struct buffer text = {0};
    enum status status = event_trials_correct(trials, &text, error);
    if (status == STATUS_OK)
        status = file_make_folders(folder, error);
    if (status == STATUS_OK)
        status = file_write(path, text.data, text.size, false, error);
    buffer_free(&text);
    return status;
}

void event_trials_free(struct event_trials *trials)
{
    free(trials->set.items);
    event_table_free(&trials->table);
    arena_free(&trials->arena);
}
