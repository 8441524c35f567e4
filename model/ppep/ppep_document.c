/* The fields of the model in a document; copies the model to and from them. */
#include "model/model_json.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <string.h>

static const struct field_row leading_rows[] = {FIELD_ROW(ppep_leading, "counter", FIELD_TEXT, name),
                                                FIELD_ROW(ppep_leading, "what", FIELD_TEXT, what),
                                                FIELD_ROW(ppep_leading, "exact", FIELD_FLAG, exact),
                                                {0}};

static const struct field_row across_rows[] = {
    FIELD_ROW(ppep_across, "cpi", FIELD_REAL, cpi),
    FIELD_ROW(ppep_across, "pairs", FIELD_WHOLE, pairs),
    FIELD_ROW(ppep_across, "dynamic_power", FIELD_REAL, dynamic_power),
    FIELD_ROW(ppep_across, "chip_power", FIELD_REAL, chip_power),
    FIELD_ROW(ppep_across, "from_ghz", FIELD_REAL, from_ghz),
    FIELD_ROW(ppep_across, "to_ghz", FIELD_REAL, to_ghz),
    {0}};

static const struct field_row program_rows[] = {
    FIELD_ROW(ppep_program, "benchmark", FIELD_TEXT, benchmark),
    FIELD_ROW(ppep_program, "name", FIELD_TEXT, name),
    FIELD_ROW(ppep_program, "from_ghz", FIELD_REAL, from_ghz),
    FIELD_ROW(ppep_program, "to_ghz", FIELD_REAL, to_ghz),
    FIELD_ROW(ppep_program, "memory_boundedness", FIELD_REAL, memory_boundedness),
    FIELD_ROW(ppep_program, "cpi_error", FIELD_REAL, cpi_error),
    {0}};

static const struct field_row observation_rows[] = {
    FIELD_ROW(ppep_observation, "what", FIELD_TEXT, what),
    FIELD_ROW(ppep_observation, "difference", FIELD_REAL, difference),
    FIELD_ROW(ppep_observation, "programs", FIELD_WHOLE, programs),
    {0}};

static const struct field_row fitted_rows[] = {MODEL_SPAN(ppep_own, "ghz", fitted.ghz), {0}};

/* In the order of ppep_events. */
static const struct field_row column_rows[] = {
    FIELD_ROW(ppep_own, "uops", FIELD_TEXT, model.columns.event[0]),
    FIELD_ROW(ppep_own, "fpu", FIELD_TEXT, model.columns.event[1]),
    FIELD_ROW(ppep_own, "l1i_fetches", FIELD_TEXT, model.columns.event[2]),
    FIELD_ROW(ppep_own, "l1d_accesses", FIELD_TEXT, model.columns.event[3]),
    FIELD_ROW(ppep_own, "l2_requests", FIELD_TEXT, model.columns.event[4]),
    FIELD_ROW(ppep_own, "branches", FIELD_TEXT, model.columns.event[5]),
    FIELD_ROW(ppep_own, "mispredictions", FIELD_TEXT, model.columns.event[6]),
    FIELD_ROW(ppep_own, "l2_misses", FIELD_TEXT, model.columns.event[7]),
    FIELD_ROW(ppep_own, "stalls", FIELD_TEXT, model.columns.event[8]),
    FIELD_ROW(ppep_own, "leading_loads", FIELD_TEXT, leading),
    {0}};

static const struct field_row power_rows[] = {
    MODEL_SPREAD(ppep_own, model.power.spread),
    FIELD_MANY(ppep_own, "events", FIELD_WORDS, events, event_count),
    FIELD_ROW(ppep_own, "volts", FIELD_REAL, model.power.volts),
    FIELD_ROW(ppep_own, "alpha", FIELD_REAL, model.power.alpha),
    FIELD_ROW(ppep_own, "alpha_fitted", FIELD_FLAG, model.power.alpha_fitted),
    FIELD_ROW(ppep_own, "awake", FIELD_FLAG, model.power.awake),
    FIELD_MANY(ppep_own, "copies", FIELD_OFFSETS, copies, copies_count),
    {0}};

static const struct field_row gating_rows[] = {
    FIELD_ROW(ppep_gating, "units", FIELD_REAL, units), FIELD_ROW(ppep_gating, "cores", FIELD_REAL, cores),
    FIELD_ROW(ppep_gating, "cu_w", FIELD_REAL, cu),     FIELD_ROW(ppep_gating, "nb_w", FIELD_REAL, nb),
    FIELD_ROW(ppep_gating, "base_w", FIELD_REAL, base), {0}};

const struct field_row ppep_own_rows[] = {
    FIELD_PART(ppep_own, "leading_loads", leading_loads, leading_rows),
    FIELD_STRUCTS(ppep_own, "across", across, across_count, across_rows, struct ppep_across),
    FIELD_STRUCTS(ppep_own, "programs", programs, program_count, program_rows, struct ppep_program),
    FIELD_STRUCTS(ppep_own, "observations", observations, observation_count, observation_rows,
                  struct ppep_observation),
    FIELD_INNER("fitted", fitted_rows),
    MODEL_OWN(ppep_own, "vf", model.table, vf_read_states, vf_write_states),
    FIELD_INNER("columns", column_rows),
    FIELD_INNER("power", power_rows),
    FIELD_ROW(ppep_own, "leading_factor", FIELD_REAL, model.leading_factor),
    FIELD_PART(ppep_own, "idle", model.idle, idle_fit_rows),
    {.name = "gating",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct ppep_own, model.gating),
     .given = 1 + offsetof(struct ppep_own, model.gating.known),
     .rows = gating_rows},
    {0}};

const struct ppep_own ppep_nothing = {
    .model = {.table = {.clock_ghz = NAN},
              .power = {.spread = {.freedom = 1}, .volts = NAN, .alpha = NAN},
              .leading_factor = 1,
              .idle = IDLE_NOTHING,
              .gating = {.units = 1, .cores = 1}}};

void ppep_record(const struct ppep_model *model, struct model_result *result)
{
    static const char *const members[] = {"vf", "columns", "power", "leading_factor"};
    struct ppep_own *own = result->own;
    own->model = *model;
    own->leading = model->columns.leading == NULL ? NULL : model->columns.leading->name;
    own->events = arena_alloc(&result->arena, model->power.events, sizeof(const char *));
    for (size_t i = 0; i < model->power.events; i++)
        own->events[own->event_count++] = ppep_events[model->power.event[i]].name;
    own->copies = arena_alloc(&result->arena, 2, sizeof *own->copies);
    own->copies_count = 2;
    own->copies[0] = model->power.copies_least;
    own->copies[1] = model->power.copies_most;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        model_states(result, members[i]);
    if (model->has_idle)
        model_states(result, "idle");
    if (model->gating.known)
        model_states(result, "gating");
}

bool ppep_recall(const struct ppep_own *own, struct ppep_model *model)
{
    *model = own->model;
    struct ppep_power *power = &model->power;
    for (size_t i = 0; own->leading != NULL && i < PPEP_LEADING; i++)
        if (strcmp(ppep_leading_loads[i].name, own->leading) == 0)
            model->columns.leading = &ppep_leading_loads[i];
    for (size_t i = 0; i < own->event_count && i < PPEP_EVENTS; i++)
        for (size_t j = 0; own->events[i] != NULL && j < PPEP_EVENTS; j++)
            if (power->events < PPEP_EVENTS && strcmp(ppep_events[j].name, own->events[i]) == 0)
                power->event[power->events++] = j;
    power->copies_least = own->copies_count > 0 ? own->copies[0] : 0;
    power->copies_most = own->copies_count > 1 ? own->copies[1] : 0;
    power->columns = power->events + power->awake + power->alpha_fitted;
    model->has_idle = idle_is_fit(&model->idle);
    return spread_is_whole(&power->spread) && power->columns == power->spread.columns && power->events > 0;
}
