#include "session/execute/check_points.h"

#include "base/clock.h"
#include "base/json.h"
#include "isa/isa.h"
#include "runner/conditions/condition.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/evidence_memory.h"
#include "runner/evidence/host.h"
#include "runner/results/results.h"
#include "runner/results/simulated.h"
#include "session/events.h"
#include "session/execute/calibrated_program.h"
#include "session/execute/check_workers.h"
#include "session/execute/conditions_now.h"
#include "session/execute/imported_counters.h"
#include "session/execute/probe_wanted.h"
#include "session/execute/requested_state.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* ---- check order ---- */

/* The order in which points are checked; findings are reported in the order of the inputs. */

static bool is_in_memory(const struct work_item *item)
{
    if (item->in_recipe == NULL || !item->source->target_context->machine.present)
        return false;
    json_t *document = work_document(item, NULL);
    const json_t *unit = json_object_get(json_object_get(document, "kernel"), "unit");
    bool found = false;
    for (size_t i = 0; i < json_array_size(unit); i++)
        found = found || json_number_or(json_object_get(json_array_get(unit, i), "served"), "MEM", 0) > 0;
    json_decref(document);
    return found;
}

/* The items' indices in the order in which to check them; in the work's arena. Points of recipes for the
 * present machine with data in memory are checked consecutively, starting at the first one's turn: a virtual
 * machine may return unused pages to its host within seconds, and getting a GiB back takes seconds too. */
static const size_t *check_order(struct work *work)
{
    size_t *order = arena_alloc(&work->arena, work->item_count, sizeof *order);
    bool *far = arena_alloc(&work->arena, work->item_count, sizeof *far);
    size_t count = 0;
    bool gathered = false;
    for (size_t i = 0; i < work->item_count; i++)
        far[i] = is_in_memory(&work->items[i]);
    for (size_t i = 0; i < work->item_count; i++) {
        if (!far[i])
            order[count++] = i;
        for (size_t j = i; far[i] && !gathered && j < work->item_count; j++)
            if (far[j])
                order[count++] = j;
        gathered = gathered || far[i];
    }
    return order;
}

/* ---- check ---- */

/* Findings in the order of the work's items. */
struct findings_in_turn {
    const struct check_request *request;
    size_t count; /* reported so far */
    struct check_finding *
        *waiting; /* findings that came before their turn, by index of the item; NULL: none */
    size_t waiting_count;
};

/* Reports the finding in its turn, together with those that waited for it. */
static void add_in_turn(struct findings_in_turn *findings, size_t place, struct check_finding *finding)
{
    findings->waiting[place] = finding;
    size_t next = findings->count;
    for (; next < findings->waiting_count && findings->waiting[next] != NULL; next++) {
        findings->request->found(findings->request->context, findings->waiting[next]);
        findings->waiting[next] = NULL;
        findings->count++;
    }
}

/* A program that fails becomes a finding, not the end. */
static void add_failure(struct findings_in_turn *findings, const struct session_events *events, size_t place,
                        struct check_finding *finding, const struct error *error)
{
    if (error->code == STATUS_RECIPE)
        session_refuse(events, finding->benchmark, finding->point, error);
    else
        session_point(events, SESSION_WARNING, finding->benchmark, finding->point, "%s", error->message);
    check_finding_fail(finding, error->message, error->code);
    add_in_turn(findings, place, finding);
}

/* The state of a check of programs. */
struct checking {
    const struct check_request *request;
    const struct session_events *events;
    struct work *work;
    struct check_workers workers;
    const size_t *order; /* of the work's items */
    int cpu;
    struct findings_in_turn *findings;
    struct evidence_memory *memory; /* of what is asked without workers */
    bool given_up;                  /* the time was over before a worker's result was there */
};

/* True when the time for the check is over. */
static bool is_late(const struct checking *checking)
{
    return checking->request->until_s > 0 && clock_now_s() > checking->request->until_s;
}

static enum status say_late(struct error *error)
{
    return error_set(error, STATUS_UNAVAILABLE, "left out: the time for the check was over");
}

/* A point that was timed, or could not be made (then the status is not STATUS_OK). */
struct timed {
    size_t turn;
    struct program program;
    struct evidence_parts parts;
    double seconds; /* that this process spent on it, without its worker */
    enum status status;
    struct error error;
};

/* Most points that wait for their workers; each has its program in memory. */
enum { MOST_WAITING = 64 };

/* Asks the sources that must be alone on the machine. A program that shares caches or processors is not timed
 * while workers are busy; they stay paused until a point without such needs. */
static void ask_alone(struct checking *checking, const struct test_program *test_program,
                      struct evidence_parts *parts)
{
    if (test_program->machine->present && test_program_shares(test_program))
        check_workers_pause(&checking->workers);
    else
        check_workers_resume(&checking->workers);
    evidence_ask(test_program, checking->request->evidence.counters, true, NULL, parts);
}

/* The same in the state that the recipe requests, if that is allowed and it runs on this machine. */
static void ask_alone_in_state(struct checking *checking, const struct work_item *item,
                               const struct test_program *test_program, struct evidence_parts *parts)
{
    if (!test_program->machine->present) {
        ask_alone(checking, test_program, parts);
        return;
    }
    struct state_record record = {.given = false};
    requested_state_begin(checking->work, item, test_program->manifest->state, &record);
    ask_alone(checking, test_program, parts);
    requested_state_end(checking->work);
    state_record_free(&record);
}

/* Judges the observations of all sources; asks those here that no worker asked. seconds: spent on the point
 * so far. */
static void conclude(const struct checking *checking, size_t index, const struct test_program *test_program,
                     struct evidence_parts *parts, double seconds)
{
    const struct work_item *item = &checking->work->items[index];
    struct check_finding *finding =
        check_finding_new(item->benchmark, item->point, manifest_text_or(test_program->manifest->target, ""),
                          test_program->manifest->parameters);
    struct evidence evidence;
    struct error error;
    double begin_s = clock_now_s();
    evidence_ask(test_program, checking->request->evidence.counters, false, checking->memory, parts);
    finding->seconds = seconds + clock_now_s() - begin_s;
    enum status status = evidence_join(parts, &evidence, &error);
    if (status == STATUS_OK)
        status = imported_add(&checking->request->evidence, &evidence, &error);
    if (status == STATUS_OK) {
        evidence_judge(test_program, &evidence, &finding->rates);
        session_point_warnings(checking->events, finding->benchmark, finding->point,
                               &evidence.observations.warnings);
        add_in_turn(checking->findings, index, finding);
    } else {
        add_failure(checking->findings, checking->events, index, finding, &error);
    }
    evidence_free(&evidence);
}

/* Warns if the program, of the processor's own ISA, cannot run here. */
static void warn_of(const struct checking *checking, const struct work_item *item,
                    const struct test_program *test_program)
{
    struct error error;
    if (test_program->machine->present && test_program->place != NULL &&
        test_program->place->why_not.message[0] != '\0')
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point,
                      "%s; it is judged without running it", test_program->place->why_not.message);
    const struct isa *host = isa_of_host();
    bool of_host = host != NULL && strcmp(host->name, test_program->machine->isa) == 0;
    if (of_host && test_program_check_features(test_program, &error) != STATUS_OK) {
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point, "skipped: %s",
                      error.message);
        checking->request->tally->skipped++;
    }
}

/* Times the program; its worker's results are awaited later. */
static void time_program(struct checking *checking, struct timed *timed)
{
    const struct work_item *item = &checking->work->items[checking->order[timed->turn]];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    test_program.brief = true;
    test_program_find_place(&test_program, &place);
    warn_of(checking, item, &test_program);
    ask_alone_in_state(checking, item, &test_program, &timed->parts);
}

/* Makes or loads the program of that turn and times it. A program that cannot be loaded becomes a finding. */
static enum status time_item(struct checking *checking, size_t turn, struct timed *timed, struct error *error)
{
    const struct work_item *item = &checking->work->items[checking->order[turn]];
    struct calibrated calibrated;
    bool changed;
    double begin_s = clock_now_s();
    *timed = (struct timed){.turn = turn};
    if (is_late(checking)) {
        timed->status = say_late(&timed->error);
        return STATUS_OK;
    }
    enum status status = calibrated_program(checking->work, item, checking->request->evidence.counters,
                                            checking->cpu, &timed->program, &changed, &calibrated, error);
    checking->request->tally->unreached += calibrated.unreached;
    calibrated_free(&calibrated);
    if (status == STATUS_OK && changed && !checking->request->as_is)
        status = error_set(error, STATUS_FAILED,
                           "its files differ from those generated; generate the suite anew, or judge the "
                           "present files with --as-is");
    else if (status == STATUS_OK && changed)
        session_point(checking->events, SESSION_WARNING, item->benchmark, item->point,
                      "its files differ from those generated; the present files are judged");
    if (status == STATUS_OK) {
        time_program(checking, timed);
    } else if (work_can_go_on(item, status)) {
        work_reduce(item, error);
        timed->status = status;
        timed->error = *error;
        status = STATUS_OK;
    }
    timed->seconds = clock_now_s() - begin_s;
    return status;
}

/* Adds the observations of the point's worker and judges all. */
static enum status finish_item(struct checking *checking, struct timed *timed, struct error *error)
{
    size_t index = checking->order[timed->turn];
    const struct work_item *item = &checking->work->items[index];
    struct test_program test_program = work_test_program(item, &timed->program, checking->cpu);
    struct placement place;
    const struct manifest *manifest = timed->program.manifest;
    const char *told = json_string_or(item->entry, "target", work_machine(item->source)->isa);
    const char *target = manifest == NULL ? told : manifest_text_or(manifest->target, told);
    enum status status = STATUS_OK;
    if (is_late(checking) && !check_workers_ready(&checking->workers, timed->turn))
        checking->given_up = true;
    if (!checking->given_up)
        status = check_workers_take(&checking->workers, timed->turn, &timed->parts, error);
    else if (timed->status == STATUS_OK)
        timed->status = say_late(&timed->error);
    if (status == STATUS_OK && timed->status == STATUS_OK) {
        test_program_find_place(&test_program, &place);
        conclude(checking, index, &test_program, &timed->parts, timed->seconds);
    } else if (status == STATUS_OK) {
        json_t *document = work_document(item, NULL);
        add_failure(
            checking->findings, checking->events, index,
            check_finding_new(item->benchmark, item->point, target, json_object_get(document, "parameters")),
            &timed->error);
        json_decref(document);
    }
    return status;
}

static void free_timed(struct timed *timed)
{
    evidence_free_parts(&timed->parts);
    program_free(&timed->program);
}

/* Times all points in turn, and finishes each once its worker is done, or when too many wait. */
static enum status check_turns(struct checking *checking, struct timed waiting[MOST_WAITING],
                               struct error *error)
{
    size_t count = checking->work->item_count;
    size_t done = 0;
    size_t turn = 0;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && done < count) {
        bool full = turn == count || turn - done == MOST_WAITING;
        struct timed *first = &waiting[done % MOST_WAITING];
        if (full)
            check_workers_resume(&checking->workers);
        if (turn > done && (full || check_workers_ready(&checking->workers, done))) {
            status = finish_item(checking, first, error);
            free_timed(first);
            session_progress(checking->events, "points checked", ++done, count);
        } else {
            status = time_item(checking, turn, &waiting[turn % MOST_WAITING], error);
            turn++;
        }
    }
    for (; done < turn; done++)
        free_timed(&waiting[done % MOST_WAITING]);
    return status;
}

static enum status check_items(struct checking *checking, struct error *error)
{
    struct work *work = checking->work;
    checking->order = check_order(work);
    checking->findings->waiting = arena_alloc(&work->arena, work->item_count, sizeof(struct check_finding *));
    checking->findings->waiting_count = work->item_count;
    const struct check_task task = {work, checking->order, checking->request->evidence.counters,
                                    checking->request->jobs, checking->cpu};
    session_progress(checking->events, "points checked", 0, work->item_count);
    enum status status = check_workers_open(&task, &checking->workers, error);
    if (status == STATUS_OK)
        status = check_turns(checking, arena_alloc(&work->arena, MOST_WAITING, sizeof(struct timed)), error);
    for (size_t i = 0; i < work->item_count; i++)
        check_finding_free(checking->findings->waiting[i]); /* left over after an error */
    checking->findings->waiting_count = 0;
    check_workers_close(&checking->workers);
    session_progress_end(checking->events);
    session_tell_points(checking->events);
    return status;
}

/* Warns of conditions that disturb timing, if the machine is present. */
static void tell_conditions(const struct check_request *request, const struct work *work, int cpu)
{
    unsigned matters = conditions_that_matter(request->evidence.counters, false, false);
    if (matters == 0 || !work_machine(&work->sources[0])->present)
        return;
    struct warnings warnings = {0};
    conditions_warn_now(work->request->root, cpu, matters, &warnings);
    conditions_tell(work->request->events, &warnings);
    warnings_free(&warnings);
}

enum status check_programs(const struct check_request *request, const struct selection *selection,
                           const struct target_request *target, struct error *error)
{
    struct work work;
    struct findings_in_turn findings = {.request = request};
    enum status status = work_open(selection, target, &work, error);
    if (status == STATUS_OK)
        status = work_check_runnable(&work, error);
    if (status == STATUS_OK)
        (void)work_find_devices(&work, NULL); /* without devices, programs are judged without running */
    if (status == STATUS_OK)
        status = imported_check(&request->evidence, &work, error);
    if (status == STATUS_OK)
        status = calibrate_check(&work, error);
    if (status == STATUS_OK && request->allow_state)
        status = requested_state_open(&work, false, error);
    if (status == STATUS_OK) {
        struct evidence_memory memory = {0};
        struct checking checking = {.request = request,
                                    .events = target->events,
                                    .work = &work,
                                    .cpu = host_choose_cpu(),
                                    .findings = &findings,
                                    .memory = &memory};
        tell_conditions(request, &work, checking.cpu);
        probe_wanted_tell(&work);
        status = check_items(&checking, error);
        evidence_memory_free(&memory);
    }
    requested_state_close(&work);
    work_close(&work);
    return status;
}

static bool is_bound(const json_t *bound)
{
    return json_is_number(bound) || json_is_null(bound); /* null: there is no interval */
}

static bool is_observation(const json_t *seen)
{
    return json_is_string(json_object_get(seen, "source")) && json_is_string(json_object_get(seen, "kind")) &&
           json_is_number(json_object_get(seen, "value")) && is_bound(json_object_get(seen, "low")) &&
           is_bound(json_object_get(seen, "high"));
}

/* What is wrong with a recorded point's rates, or NULL. */
static const char *fault_of(const json_t *rates)
{
    const char *metric;
    json_t *entry;
    if (!json_is_object(rates))
        return "expected an object as \"rates\", or the \"error\" of a point that did not run";
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        const json_t *list = json_object_get(entry, "observations");
        if (!json_is_array(list))
            return "expected a list of \"observations\" for each rate";
        for (size_t i = 0; i < json_array_size(list); i++)
            if (!is_observation(json_array_get(list, i)))
                return "expected \"source\" and \"kind\" and numbers as \"value\", \"low\" and \"high\" of "
                       "each observation";
    }
    return NULL;
}

/* Recorded observations are judged again, by the targets recorded with them. */
static enum status check_recorded(const struct results_reader *results, const json_t *recorded,
                                  const char *path, const struct check_request *request, struct error *error)
{
    const char *benchmark = json_string_or(recorded, "benchmark", "");
    const char *name = json_string_or(recorded, "name", "");
    json_t *failure = json_object_get(recorded, "error");
    const char *fault = json_is_string(failure) ? NULL : fault_of(json_object_get(recorded, "rates"));
    if (fault != NULL) {
        error_set(error, STATUS_USAGE, "%s/%s: %s", benchmark, name, fault);
        error_at(error, path, 0);
        return STATUS_USAGE;
    }
    request->tally->skipped += json_object_get(recorded, "skipped") != NULL;
    struct check_finding *finding = check_finding_recorded(results->context, recorded);
    request->found(request->context, finding);
    return STATUS_OK;
}

enum status check_results(const struct check_request *request, const char *path,
                          const struct session_events *events, struct error *error)
{
    struct results_reader results;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK && results.cut)
        session_warn(events,
                     "%s: the last line is incomplete and left out; trauma run --resume continues the run",
                     path);
    if (status == STATUS_OK && simulated_label(results.context) != NULL)
        session_warn(events, "%s: %s: %s", path, simulated_label(results.context),
                     simulated_how(results.context));
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++) {
        json_t *point = results_point(&results, i, NULL, error);
        status = point == NULL ? STATUS_USAGE : check_recorded(&results, point, path, request, error);
        json_decref(point);
    }
    if (status == STATUS_OK && results.count == 0)
        status = error_set(error, STATUS_FAILED, "%s has no finished point to check", path);
    results_reader_close(&results);
    return status;
}
