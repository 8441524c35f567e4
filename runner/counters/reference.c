#include "runner/counters/reference.h"

#include "base/json.h"

#include "runner/counters/source.h"
#include "runner/pace.h"

#include <string.h>
#include <time.h>

static const double TIMEOUT_S = 60;
enum { FIRST_PASSES = 200, CLOCK_UNITS = 500, LEAST_ROUNDS = 9 };

/* What all rounds may take: programs with large working sets are long in setting them up. */
static const double BUDGET_S = 12;

void race_add(struct race *race, const struct subject *subject)
{
    race->parts[race->count++] = *subject;
}

static enum status add_reference(struct race *race, const struct subject *subject,
                                 const struct workshop *workshop, const json_t *kernel, bool indexed,
                                 struct error *error)
{
    struct program *program = &race->programs[race->count];
    struct plan_options options = {.seed = 1, .label = "reference", .force_indexed = indexed};
    const struct machine *machine = subject->yardstick != NULL ? subject->yardstick : subject->machine;
    enum status status = program_make_reference(workshop, kernel, machine, &options, program, error);
    if (status != STATUS_OK) {
        program_free(program);
        error->code = STATUS_UNAVAILABLE;
        return STATUS_UNAVAILABLE;
    }
    struct subject part = *subject;
    part.manifest = program->manifest;
    part.executable = program->executable.data;
    part.executable_size = program->executable.size;
    part.object = program->object.data;
    part.object_size = program->object.size;
    race_add(race, &part);
    return STATUS_OK;
}

enum status race_add_end(struct race *race, const struct subject *subject, const struct workshop *workshop,
                         struct race_end end, struct error *error)
{
    json_t *kernel = json_deep_copy(json_object_get(subject->manifest, "kernel"));
    json_t *unit = json_object_get(kernel, "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        json_t *item = json_array_get(unit, i);
        if (json_object_get(item, "served") != NULL)
            json_object_set_new(item, "served", json_pack("{s:f}", level_name((int)end.level), 1.0));
        if (json_object_get(item, "accuracy") != NULL) {
            json_object_set_new(item, "accuracy", json_real(1 - end.random / 2));
            json_object_del(item, "taken");
        }
    }
    json_object_set_new(kernel, "loop",
                        json_pack("{s:O}", "units", json_object_get(subject->manifest, "units")));
    bool indexed = json_is_true(json_object_get(subject->manifest, "indexed"));
    enum status status = add_reference(race, subject, workshop, kernel, indexed, error);
    json_decref(kernel);
    return status;
}

enum status race_add_clock(struct race *race, const struct subject *subject, const struct workshop *workshop,
                           struct error *error)
{
    json_t *kernel = json_pack("{s:[{s:s, s:i, s:i}], s:{s:i}}", "unit", "op", "xor", "count", 1, "chain",
                               1000000, "loop", "units", CLOCK_UNITS);
    enum status status = add_reference(race, subject, workshop, kernel, false, error);
    json_decref(kernel);
    return status;
}

double race_expected(const struct race *race, size_t part, const char *metric)
{
    return json_number_or(json_object_get(race->parts[part].manifest, "expected"), metric, 0);
}

double race_instructions(const struct race *race, size_t part)
{
    return json_number_or(race->parts[part].manifest, "instructions", 0);
}

/* Passes that take about rep_s: a first guess is timed, the time of the start being left out by the program.
 */
static enum status choose_passes(const struct race *race, size_t part, double ticks_per_s, uint64_t *passes,
                                 struct error *error)
{
    uint64_t ticks = 0;
    enum status status = subject_run(&race->parts[part], FIRST_PASSES, TIMEOUT_S, &ticks, error);
    *passes = pace_passes(race->rep_s, (double)(ticks == 0 ? 1 : ticks) / FIRST_PASSES / ticks_per_s);
    return status;
}

/* A program made here that fails says nothing of the subject. */
static enum status blame(const struct race *race, size_t part, enum status status, struct error *error)
{
    if (status == STATUS_OK || race->programs[part].executable.size == 0)
        return status;
    error_prefix(error, "the program to compare with");
    return source_cannot_see(status, error);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Rounds that the budget has when one takes so long. */
static size_t affordable(size_t rounds, double round_s)
{
    double most = round_s > 0 ? BUDGET_S / round_s : (double)rounds;
    if (most >= (double)rounds)
        return rounds;
    return most < LEAST_ROUNDS ? LEAST_ROUNDS : (size_t)most;
}

enum status race_run(struct race *race, size_t rounds, struct error *error)
{
    uint64_t passes[REFERENCE_PARTS] = {0};
    struct pace pace;
    enum status status = blame(race, 0, pace_measure(&race->parts[0], TIMEOUT_S, &pace, error), error);
    double started = seconds();
    for (size_t i = 0; status == STATUS_OK && i < race->count; i++)
        status = blame(race, i, choose_passes(race, i, pace.ticks_per_s, &passes[i], error), error);
    rounds = affordable(rounds, seconds() - started);
    for (size_t round = 0; status == STATUS_OK && round < rounds; round++) {
        for (size_t i = 0; status == STATUS_OK && i < race->count; i++) {
            uint64_t ticks = 0;
            status = blame(race, i, subject_run(&race->parts[i], passes[i], TIMEOUT_S, &ticks, error), error);
            race->ticks_per_pass[i][round] = (double)ticks / (double)passes[i];
        }
        race->rounds = round + 1;
    }
    return status;
}

void race_free(struct race *race)
{
    for (size_t i = 0; i < REFERENCE_PARTS; i++)
        program_free(&race->programs[i]);
    memset(race, 0, sizeof *race);
}
