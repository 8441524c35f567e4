/* The table of models, and what is the same for all. */
#include "base/json.h"
#include "base/suggest.h"
#include "model/left_out.h"
#include "model/model.h"
#include "model/pooled.h"
#include "model/possible.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct model *const models[] = {&model_access_energy, &model_idle, &model_incremental,
                                      &model_interconnect,  &model_ppep, NULL};

enum { NAMES_MOST = 64 };

enum status model_find(const char *name, const struct model **model, struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (size_t i = 0; models[i] != NULL; i++) {
        if (strcmp(models[i]->name, name) == 0) {
            *model = models[i];
            return STATUS_OK;
        }
        names[count++] = models[i]->name;
    }
    error_set(error, STATUS_USAGE, "there is no model '%s'", name);
    suggest_hint(error, name, names, count, "trauma fit --help lists the models");
    return STATUS_USAGE;
}

/* What was left out may be what is missing. */
static void add_left_out(const json_t *document, struct error *error)
{
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(document, "notes"), i, note)
    {
        size_t used = strlen(error->message);
        if (json_object_size(json_object_get(document, "left_out")) > i)
            snprintf(error->message + used, sizeof error->message - used, "; %s", json_string_value(note));
    }
}

enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, json_t *document, struct error *error)
{
    left_out_apply(dataset, model->of_coolings, document);
    enum status status = model->of_coolings ? STATUS_OK : possible_energies(dataset, error);
    if (status == STATUS_OK)
        status = pooled_meters(dataset, error);
    if (status == STATUS_OK)
        status = model->fit(dataset, settings, document, error);
    if (status == STATUS_OK)
        status = possible_coefficients(model, document, error);
    if (status != STATUS_OK && error != NULL)
        add_left_out(document, error);
    return status;
}

static const struct model_setting_row *find_setting(const struct model *model, const char *name)
{
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

double model_setting(const struct model *model, const struct model_settings *settings, const char *name)
{
    for (size_t i = settings->count; i > 0; i--)
        if (strcmp(settings->items[i - 1].name, name) == 0)
            return settings->items[i - 1].value;
    const struct model_setting_row *row = find_setting(model, name);
    return row == NULL ? NAN : row->fallback;
}

enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        names[count++] = row->name;
    for (size_t i = 0; i < settings->count; i++) {
        if (find_setting(model, settings->items[i].name) != NULL)
            continue;
        error_set(error, STATUS_USAGE, "the model %s has no setting '%s'", model->name,
                  settings->items[i].name);
        suggest_hint(error, settings->items[i].name, names, count, "trauma fit --help lists the settings");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

void model_set_coefficient(json_t *document, const char *name, struct interval interval, const char *unit)
{
    json_t *coefficients = json_object_get(document, "coefficients");
    if (coefficients == NULL) {
        coefficients = json_object();
        json_object_set_new(document, "coefficients", coefficients);
    }
    json_object_set_new(coefficients, name,
                        json_pack("{s:f, s:f, s:f, s:I, s:s}", "value", interval.value, "low", interval.low,
                                  "high", interval.high, "n", (json_int_t)interval.n, "unit", unit));
}

bool model_coefficient(const json_t *document, const char *name, struct interval *interval)
{
    const json_t *kept = json_object_get(json_object_get(document, "coefficients"), name);
    interval->value = json_number_or(kept, "value", NAN);
    interval->low = json_number_or(kept, "low", interval->value);
    interval->high = json_number_or(kept, "high", interval->value);
    interval->n = (size_t)json_number_or(kept, "n", 0);
    return isfinite(interval->value);
}

void model_note(json_t *document, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    json_t *notes = json_object_get(document, "notes");
    if (notes == NULL) {
        notes = json_array();
        json_object_set_new(document, "notes", notes);
    }
    json_array_append_new(notes, json_string(text));
}
