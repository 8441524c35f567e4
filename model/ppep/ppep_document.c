/* Converts the model to a document and back. */
#include "base/json.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <string.h>

static json_t *columns_to_json(const struct ppep_columns *columns)
{
    json_t *object = json_object();
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        if (columns->event[i] != NULL)
            json_object_set_new(object, ppep_events[i].name, json_string(columns->event[i]));
    if (columns->leading != NULL)
        json_object_set_new(object, "leading_loads", json_string(columns->leading->name));
    return object;
}

static json_t *power_to_json(const struct ppep_power *power)
{
    json_t *object = spread_to_json(&power->spread);
    json_t *events = json_array();
    for (size_t i = 0; i < power->events; i++)
        json_array_append_new(events, json_string(ppep_events[power->event[i]].name));
    json_object_set_new(object, "events", events);
    json_object_set_new(object, "volts", json_real(power->volts));
    if (isfinite(power->alpha))
        json_object_set_new(object, "alpha", json_real(power->alpha));
    json_object_set_new(object, "alpha_fitted", json_boolean(power->alpha_fitted));
    json_object_set_new(object, "awake", json_boolean(power->awake));
    json_object_set_new(object, "copies",
                        json_pack("[I, I]", (json_int_t)power->copies_least, (json_int_t)power->copies_most));
    return object;
}

void ppep_to_json(const struct ppep_model *model, json_t *document)
{
    json_object_set_new(document, "vf", vf_to_json(&model->table));
    json_object_set_new(document, "columns", columns_to_json(&model->columns));
    json_object_set_new(document, "power", power_to_json(&model->power));
    json_object_set_new(document, "leading_factor", json_real(model->leading_factor));
    if (model->has_idle)
        json_object_set_new(document, "idle", idle_to_json(&model->idle));
    if (model->gating.known)
        json_object_set_new(document, "gating",
                            json_pack("{s:f, s:f, s:f, s:f, s:f}", "units", model->gating.units, "cores",
                                      model->gating.cores, "cu_w", model->gating.cu, "nb_w", model->gating.nb,
                                      "base_w", model->gating.base));
}

/* The event's own constant text of that name, so that no pointer refers to the document. */
static const char *known_name(size_t event, const char *name)
{
    for (size_t i = 0; name != NULL && i < PPEP_NAMES && ppep_events[event].names[i] != NULL; i++)
        if (strcmp(ppep_events[event].names[i], name) == 0)
            return ppep_events[event].names[i];
    return NULL;
}

static void read_columns(const json_t *object, struct ppep_columns *columns)
{
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        columns->event[i] = known_name(i, json_string_or(object, ppep_events[i].name, NULL));
    const char *leading = json_string_or(object, "leading_loads", "");
    for (size_t i = 0; i < PPEP_LEADING; i++)
        if (strcmp(ppep_leading_loads[i].name, leading) == 0)
            columns->leading = &ppep_leading_loads[i];
}

static bool read_power(const json_t *object, struct ppep_power *power)
{
    const json_t *events = json_object_get(object, "events");
    power->alpha = json_number_or(object, "alpha", NAN);
    power->volts = json_number_or(object, "volts", NAN);
    power->alpha_fitted = json_is_true(json_object_get(object, "alpha_fitted"));
    for (size_t i = 0; i < json_array_size(events) && i < PPEP_EVENTS; i++) {
        const char *name = json_string_value(json_array_get(events, i));
        for (size_t j = 0; name != NULL && j < PPEP_EVENTS; j++)
            if (strcmp(ppep_events[j].name, name) == 0)
                power->event[power->events++] = j;
    }
    const json_t *copies = json_object_get(object, "copies");
    power->copies_least = (size_t)json_integer_value(json_array_get(copies, 0));
    power->copies_most = (size_t)json_integer_value(json_array_get(copies, 1));
    power->awake = json_is_true(json_object_get(object, "awake"));
    power->columns = power->events + power->awake + power->alpha_fitted;
    return spread_from_json(object, &power->spread) && power->columns == power->spread.columns &&
           power->events > 0;
}

bool ppep_from_json(const json_t *document, struct ppep_model *model)
{
    const json_t *gating = json_object_get(document, "gating");
    *model = (struct ppep_model){.leading_factor = json_number_or(document, "leading_factor", 1)};
    vf_from_json(json_object_get(document, "vf"), &model->table);
    read_columns(json_object_get(document, "columns"), &model->columns);
    model->has_idle = idle_from_json(json_object_get(document, "idle"), &model->idle);
    model->gating = (struct ppep_gating){.known = gating != NULL,
                                         .units = json_number_or(gating, "units", 1),
                                         .cores = json_number_or(gating, "cores", 1),
                                         .cu = json_number_or(gating, "cu_w", 0),
                                         .nb = json_number_or(gating, "nb_w", 0),
                                         .base = json_number_or(gating, "base_w", 0)};
    return read_power(json_object_get(document, "power"), &model->power);
}
