/* The form of the model in a document, and the model of that form. */
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
static const struct field_row column_rows[] = {FIELD_ROW(ppep_own, "uops", FIELD_TEXT, columns[0]),
                                               FIELD_ROW(ppep_own, "fpu", FIELD_TEXT, columns[1]),
                                               FIELD_ROW(ppep_own, "l1i_fetches", FIELD_TEXT, columns[2]),
                                               FIELD_ROW(ppep_own, "l1d_accesses", FIELD_TEXT, columns[3]),
                                               FIELD_ROW(ppep_own, "l2_requests", FIELD_TEXT, columns[4]),
                                               FIELD_ROW(ppep_own, "branches", FIELD_TEXT, columns[5]),
                                               FIELD_ROW(ppep_own, "mispredictions", FIELD_TEXT, columns[6]),
                                               FIELD_ROW(ppep_own, "l2_misses", FIELD_TEXT, columns[7]),
                                               FIELD_ROW(ppep_own, "stalls", FIELD_TEXT, columns[8]),
                                               FIELD_ROW(ppep_own, "leading_loads", FIELD_TEXT, leading),
                                               {0}};

static const struct field_row power_rows[] = {
    SPREAD_ROWS(ppep_own, power.spread),
    FIELD_MANY(ppep_own, "events", FIELD_WORDS, power.events, power.event_count),
    FIELD_ROW(ppep_own, "volts", FIELD_REAL, power.volts),
    FIELD_ROW(ppep_own, "alpha", FIELD_REAL, power.alpha),
    FIELD_ROW(ppep_own, "alpha_fitted", FIELD_FLAG, power.alpha_fitted),
    FIELD_ROW(ppep_own, "awake", FIELD_FLAG, power.awake),
    FIELD_MANY(ppep_own, "copies", FIELD_OFFSETS, power.copies, power.copies_count),
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
    FIELD_STRUCTS(ppep_own, "vf", vf.states, vf.count, vf_rows, struct vf_state),
    FIELD_INNER("columns", column_rows),
    FIELD_INNER("power", power_rows),
    FIELD_ROW(ppep_own, "leading_factor", FIELD_REAL, leading_factor),
    FIELD_PART(ppep_own, "idle", idle, idle_kept_rows),
    {.name = "gating",
     .type = FIELD_OBJECT,
     .offset = offsetof(struct ppep_own, gating),
     .given = 1 + offsetof(struct ppep_own, gating.known),
     .rows = gating_rows},
    {0}};

const struct ppep_own ppep_nothing = {.power = {.spread = {.freedom = 1}, .volts = NAN, .alpha = NAN},
                                      .leading_factor = 1,
                                      .idle = IDLE_NOTHING,
                                      .gating = {.units = 1, .cores = 1}};

static void record_power(const struct ppep_power *power, struct ppep_own *own, struct arena *arena)
{
    own->power.spread = spread_record(&power->spread, arena);
    own->power.events = arena_alloc(arena, power->events, sizeof(const char *));
    for (size_t i = 0; i < power->events; i++)
        own->power.events[own->power.event_count++] = ppep_events[power->event[i]].name;
    own->power.volts = power->volts;
    own->power.alpha = power->alpha;
    own->power.alpha_fitted = power->alpha_fitted;
    own->power.awake = power->awake;
    own->power.copies = arena_alloc(arena, 2, sizeof *own->power.copies);
    own->power.copies_count = 2;
    own->power.copies[0] = power->copies_least;
    own->power.copies[1] = power->copies_most;
}

void ppep_record(const struct ppep_model *model, struct model_result *result)
{
    static const char *const members[] = {"vf", "columns", "power", "leading_factor"};
    struct ppep_own *own = result->own;
    own->vf = vf_record(&model->table, &result->arena);
    memcpy(own->columns, model->columns.event, sizeof own->columns);
    own->leading = model->columns.leading == NULL ? NULL : model->columns.leading->name;
    record_power(&model->power, own, &result->arena);
    own->leading_factor = model->leading_factor;
    own->gating = model->gating;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        model_states(result, members[i]);
    if (model->has_idle) {
        own->idle = idle_keep(&model->idle, &result->arena);
        model_states(result, "idle");
    }
    if (model->gating.known)
        model_states(result, "gating");
}

/* The event's own constant text of that name, so that no pointer refers to the document. */
static const char *known_name(size_t event, const char *name)
{
    for (size_t i = 0; name != NULL && i < PPEP_NAMES && ppep_events[event].names[i] != NULL; i++)
        if (strcmp(ppep_events[event].names[i], name) == 0)
            return ppep_events[event].names[i];
    return NULL;
}

static void recall_columns(const struct ppep_own *own, struct ppep_columns *columns)
{
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        columns->event[i] = known_name(i, own->columns[i]);
    for (size_t i = 0; own->leading != NULL && i < PPEP_LEADING; i++)
        if (strcmp(ppep_leading_loads[i].name, own->leading) == 0)
            columns->leading = &ppep_leading_loads[i];
}

static bool recall_power(const struct ppep_own *own, struct ppep_power *power)
{
    power->alpha = own->power.alpha;
    power->volts = own->power.volts;
    power->alpha_fitted = own->power.alpha_fitted;
    for (size_t i = 0; i < own->power.event_count && i < PPEP_EVENTS; i++)
        for (size_t j = 0; own->power.events[i] != NULL && j < PPEP_EVENTS; j++)
            if (power->events < PPEP_EVENTS && strcmp(ppep_events[j].name, own->power.events[i]) == 0)
                power->event[power->events++] = j;
    power->copies_least = own->power.copies_count > 0 ? own->power.copies[0] : 0;
    power->copies_most = own->power.copies_count > 1 ? own->power.copies[1] : 0;
    power->awake = own->power.awake;
    power->columns = power->events + power->awake + power->alpha_fitted;
    return spread_recall(&own->power.spread, &power->spread) && power->columns == power->spread.columns &&
           power->events > 0;
}

bool ppep_recall(const struct ppep_own *own, struct ppep_model *model)
{
    *model = (struct ppep_model){.leading_factor = own->leading_factor, .gating = own->gating};
    vf_recall(&own->vf, &model->table);
    recall_columns(own, &model->columns);
    model->has_idle = idle_recall(&own->idle, &model->idle);
    return recall_power(own, &model->power);
}
