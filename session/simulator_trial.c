#include "session/simulator_trial.h"

#include "base/file.h"
#include "base/memory.h"
#include "runner/results/evidence_kind.h"
#include "session/events.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FAULTS_NAMED = 3, PASSES = 100, NAME_BYTES = 512 };
static const double NEARER = 0.9; /* of a distance: what is in between is as near */
static const double LEAST = 20000,
                    MOST = 100000; /* accesses that are tried: without a report's own, and at most */

/* What is promised and reported of one program, and what each fault would give. */
struct judged {
    double promised[SIMULATED_RATES], reported[SIMULATED_RATES];
    double counted; /* accesses in the report; NAN: unknown */
    double faulty[SIMULATOR_FAULTS][SIMULATED_RATES];
    bool has_faulty;
};

struct trying {
    const struct simulator *simulator;
    const struct simulator_request *request;
    struct work *work;
    struct judged *programs; /* [item_count] */
    struct simulator_trial *trial;
};

static double tolerance_of(enum simulated_rate rate)
{
    const double *of = evidence_kinds[EVIDENCE_SIMULATED].tolerances;
    return rate == RATE_BRANCH ? of[1] : of[0];
}

/* ---- reports ---- */

/* The path with the program's name for {}. */
static enum status name_file(const struct trying *judging, const char *program, char path[FILE_PATH_BYTES],
                             struct error *error)
{
    const char *stats = judging->request->stats, *mark = strstr(stats, "{}");
    bool table = strcmp(judging->simulator->name, "csv") == 0;
    if (mark == NULL && !table && judging->work->item_count > 1) {
        error_set(error, STATUS_USAGE, "--import %s: that is the report of one program, and %zu are selected",
                  stats, judging->work->item_count);
        error_hint(error,
                   "name a file for each, with {} for BENCHMARK/POINT: --import 'stats/{}.txt'; or --filter");
        return STATUS_USAGE;
    }
    if (mark == NULL)
        snprintf(path, FILE_PATH_BYTES, "%s", stats);
    else
        snprintf(path, FILE_PATH_BYTES, "%.*s%s%s", (int)(mark - stats), stats, program, mark + 2);
    return STATUS_OK;
}

static enum status read_report(const struct trying *judging, const char *program,
                               const struct simulated_known *known, struct judged *judged,
                               struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    struct simulated_stats stats;
    simulated_stats_clear(&stats);
    enum status status = name_file(judging, program, path, error);
    if (status == STATUS_OK)
        status = file_read_most(path, FILE_MOST_DOCUMENT, &text, error);
    buffer_append(&text, "", 1);
    const struct simulated_text from = {path, text.data, program, judging->request->columns};
    if (status == STATUS_OK)
        status = judging->simulator->read(&from, &stats, error);
    buffer_free(&text);
    if (status == STATUS_OK) {
        simulated_complete(&stats, known);
        simulated_rates(&stats, judged->reported);
        judged->counted = isnan(stats.of[SIMULATED_ACCESSES])
                              ? stats.of[SIMULATED_LOADS] + stats.of[SIMULATED_STORES]
                              : stats.of[SIMULATED_ACCESSES];
    }
    return status;
}

/* ---- promises ---- */

static struct simulated_known know(const struct manifest *manifest)
{
    double instructions = manifest->states_instructions ? manifest->instructions : NAN;
    return (struct simulated_known){(manifest->loads + manifest->stores) / instructions,
                                    rates_get(&manifest->counts, "branches", NAN) / instructions};
}

static void promise(const struct manifest *manifest, double rates[SIMULATED_RATES])
{
    for (size_t i = 0; i < SIMULATED_RATES; i++)
        rates[i] = rates_get(&manifest->expected, simulated_rate_names[i], NAN);
    double accesses = manifest->loads + manifest->stores;
    double branches = rates_get(&manifest->counts, "branches", NAN);
    rates[RATE_STORES] = accesses > 0 ? manifest->stores / accesses : NAN;
    double misses = rates_get(&manifest->counts, "l1d.misses", NAN);
    rates[RATE_STORE_MISSES] =
        misses > 0 ? rates_get(&manifest->counts, "l1d.store_misses", NAN) / misses : NAN;
    rates[RATE_BRANCH] = branches > 0 ? rates_get(&manifest->counts, "branches.missed", NAN) / branches : NAN;
    if (!(accesses > 0))
        rates[RATE_L1D] = NAN;
    if (!(rates[RATE_L1D] > 0))
        rates[RATE_L2] = NAN;
    if (!(rates[RATE_L2] > 0))
        rates[RATE_L3] = NAN;
}

/* As many as the simulator counted, as far as they are not too many: what the first ones still bring in is
 * then the same share. */
static uint64_t passes_to_try(const struct manifest *manifest, double counted)
{
    double accesses = manifest->loads + manifest->stores, period = fmax(manifest->period, 1);
    double wanted = isnan(counted) ? LEAST : fmin(counted, MOST);
    double passes = accesses > 0 ? round(wanted / accesses) : PASSES;
    return (uint64_t)(ceil(fmax(passes, PASSES) / period) * period);
}

/* Tries the faults on a program. One that qemu cannot execute explains nothing. */
static void try_faults(struct trying *judging, size_t index)
{
    bool changed;
    struct program program = {0};
    struct error error;
    const struct work_item *item = &judging->work->items[index];
    struct judged *judged = &judging->programs[index];
    if (judged->has_faulty)
        return;
    if (work_refusal(item, &error) == STATUS_OK &&
        work_program(item, &program, &changed, &error) == STATUS_OK) {
        const struct test_program test_program = work_test_program(item, &program, -1);
        judged->has_faulty =
            simulator_fault_rates(&test_program, passes_to_try(program.manifest, judged->counted),
                                  judged->faulty, &error) == STATUS_OK;
        if (!judged->has_faulty)
            session_point(judging->work->request->events, SESSION_WARNING, item->benchmark, item->point,
                          "no fault can be tried: %s", error.message);
    }
    program_free(&program);
}

/* True where executing a program shows what its walks do: chance decides nothing. */
static bool is_certain(const struct machine *machine)
{
    const struct cache *const caches[] = {&machine->l1d, &machine->l2, &machine->l3};
    bool certain = machine->data_tlb.policy != POLICY_RANDOM;
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        certain = certain && caches[i]->policy != POLICY_RANDOM;
    return certain;
}

/* Of walks, and of pages without tlb{}, the manifest has a prediction or nothing. What they are to show is
 * seen as they are executed, all of whose pages are those of the machine's TLB: simulators have no huge ones.
 */
static void promise_walks(struct trying *judging, size_t index, const struct manifest *manifest)
{
    struct judged *judged = &judging->programs[index];
    const struct machine *machine = work_machine(judging->work->items[index].source);
    static const enum simulated_rate rates[] = {RATE_L1D, RATE_L2, RATE_L3, RATE_TLB};
    for (size_t i = 0; is_certain(machine) && i < sizeof rates / sizeof rates[0]; i++) {
        bool has = rates[i] == RATE_TLB ? machine->data_tlb.entries > 0 : !isnan(judged->promised[rates[i]]);
        if (!has || isnan(judged->reported[rates[i]]) ||
            !isnan(rates_get(&manifest->targets, simulated_rate_names[rates[i]], NAN)))
            continue;
        try_faults(judging, index);
        if (judged->has_faulty)
            judged->promised[rates[i]] = judged->faulty[0][rates[i]];
    }
}

static void add_rows(struct trying *judging, const char *program, const struct judged *judged)
{
    struct simulator_trial *trial = judging->trial;
    for (size_t i = 0; i < SIMULATED_RATES; i++) {
        struct simulator_row row = {.rate = (enum simulated_rate)i,
                                    .promised = judged->promised[i],
                                    .reported = judged->reported[i],
                                    .tolerance = tolerance_of(i)};
        if (isnan(row.promised) || isnan(row.reported))
            continue;
        row.program = memory_text(program);
        row.wrong = fabs(row.promised - row.reported) > row.tolerance;
        trial->wrong += row.wrong;
        trial->rows = memory_next(trial->rows, trial->count, sizeof *trial->rows);
        trial->rows[trial->count++] = row;
    }
    trial->programs++;
}

static enum status judge_item(struct trying *judging, size_t index, struct error *error)
{
    char name[NAME_BYTES];
    bool changed;
    struct program program = {0};
    struct simulated_known known;
    const struct work_item *item = &judging->work->items[index];
    struct judged *judged = &judging->programs[index];
    snprintf(name, sizeof name, "%s/%s", item->benchmark, item->point);
    if (work_refusal(item, error) != STATUS_OK) /* it has no program */
        return STATUS_OK;
    enum status status = work_program(item, &program, &changed, error);
    if (status == STATUS_OK)
        known = know(program.manifest);
    if (status == STATUS_OK)
        status = read_report(judging, name, &known, judged, error);
    if (status == STATUS_OK) {
        promise(program.manifest, judged->promised);
        promise_walks(judging, index, program.manifest);
        add_rows(judging, name, judged);
    }
    program_free(&program);
    return status;
}

/* ---- faults ---- */

static bool is_near(double a, double b, enum simulated_rate rate)
{
    return fabs(a - b) <= tolerance_of(rate);
}

/* How many reported rates a simulator with the fault would have; NAN says nothing of a fault. */
static size_t count_explained(const struct trying *judging, size_t fault, size_t *tried)
{
    size_t explained = 0;
    *tried = 0;
    for (size_t i = 0; i < judging->work->item_count; i++)
        for (size_t rate = 0; judging->programs[i].has_faulty && rate < SIMULATED_RATES; rate++) {
            const struct judged *judged = &judging->programs[i];
            if (isnan(judged->reported[rate]) || isnan(judged->promised[rate]))
                continue;
            ++*tried;
            explained += is_near(judged->faulty[fault][rate], judged->reported[rate], rate);
        }
    return explained;
}

/* Of faults that explain equally many, all are named, up to a few. */
static void find_fault(struct trying *judging)
{
    struct simulator_trial *trial = judging->trial;
    size_t named = 0, least = count_explained(judging, 0, &trial->tried);
    trial->explained = least;
    for (size_t fault = 1; fault < SIMULATOR_FAULTS; fault++) {
        size_t tried, explained = count_explained(judging, fault, &tried);
        if (explained > trial->explained)
            named = 0, trial->explained = explained;
        if (explained > least && explained == trial->explained && named < MOST_FAULTS_NAMED)
            trial->faults[named++] = simulator_fault_words(fault);
        trial->faults[named] = NULL;
    }
}

/* How far the reported rates are from those of a simulator with the fault, all together. */
static double distance_of(const struct trying *judging, size_t fault)
{
    double distance = 0;
    for (size_t i = 0; i < judging->work->item_count; i++)
        for (size_t rate = 0; judging->programs[i].has_faulty && rate < SIMULATED_RATES; rate++) {
            const struct judged *judged = &judging->programs[i];
            double off = judged->faulty[fault][rate] - judged->reported[rate];
            if (!isnan(judged->promised[rate]))
                distance += isnan(off) ? 0 : fabs(off);
        }
    return distance;
}

/* A simulator that executes out of order has a fault's rates but nearly: where none is explained, those are
 * named to which most of the way leads. */
static void find_nearest(struct trying *judging)
{
    struct simulator_trial *trial = judging->trial;
    double least = distance_of(judging, 0) / 2;
    size_t named = 0;
    for (size_t fault = 1; fault < SIMULATOR_FAULTS; fault++) {
        double distance = distance_of(judging, fault);
        if (distance < least * NEARER)
            named = 0;
        if (distance < least / NEARER && named < MOST_FAULTS_NAMED)
            trial->faults[named++] = simulator_fault_words(fault);
        least = fmin(least, distance);
        trial->faults[named] = NULL;
    }
    trial->nearly = named > 0;
}

enum status simulator_trial_judge(const struct simulator_request *request, const struct selection *selection,
                                  const struct target_request *target, struct simulator_trial *trial,
                                  struct error *error)
{
    struct work work = {0};
    struct trying judging = {.request = request, .work = &work, .trial = trial};
    enum status status = simulator_find(request->simulator, &judging.simulator, error);
    if (status == STATUS_OK)
        status = work_open(selection, target, &work, error);
    judging.programs = memory_zeroed(work.item_count, sizeof *judging.programs);
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++)
        status = judge_item(&judging, i, error);
    for (size_t i = 0; status == STATUS_OK && trial->wrong > 0 && i < work.item_count; i++) {
        try_faults(&judging, i);
        session_progress(target->events, "programs tried with faults", i + 1, work.item_count);
    }
    session_progress_end(target->events);
    session_tell_points(target->events);
    if (status == STATUS_OK && trial->wrong > 0)
        find_fault(&judging);
    if (status == STATUS_OK && trial->wrong > 0 && trial->faults[0] == NULL)
        find_nearest(&judging);
    free(judging.programs);
    work_close(&work);
    if (status == STATUS_OK && trial->count == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "nothing was judged: %s has no rate that these programs promise", request->stats);
    return status == STATUS_OK && trial->wrong > 0 ? STATUS_MISSED : status;
}

void simulator_trial_free(struct simulator_trial *trial)
{
    for (size_t i = 0; i < trial->count; i++)
        free(trial->rows[i].program);
    free(trial->rows);
    *trial = (struct simulator_trial){0};
}
