/* The table of models, and what is the same for all. */
#include "base/json.h"
#include "base/text/suggest.h"
#include "model/data/counters.h"
#include "model/data/left_out.h"
#include "model/data/pooled.h"
#include "model/data/possible.h"
#include "model/data/saturation.h"
#include "model/fitting/form.h"
#include "model/fitting/trend.h"
#include "model/fitting/validation.h"
#include "model/model.h"
#include "runner/results/simulated.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct model *const models[] = {
    &model_access_energy, &model_idle, &model_incremental, &model_interconnect, &model_linear,
    &model_ppep,          NULL};

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

/* Excluded points may be the missing ones. first: index of their first note. */
static void add_left_out(const json_t *document, size_t first, struct error *error)
{
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(document, "notes"), i, note)
    {
        size_t used = strlen(error->message);
        if (i >= first && i < first + json_object_size(json_object_get(document, "left_out")))
            snprintf(error->message + used, sizeof error->message - used, "; %s", json_string_value(note));
    }
}

/* Counters of the points as numbers. */
static enum status check_points(const struct dataset *dataset, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < dataset->count; i++) {
        const struct result_point *point = dataset->rows[i].point;
        const struct result_values *counters = &point->counters;
        bool again = i > 0 && point == dataset->rows[i - 1].point;
        json_t *numbers = json_object();
        for (size_t j = 0; !again && j < counters->count; j++)
            json_object_set_new(
                numbers, counters->items[j].name,
                json_real(counters->items[j].interval.n == 0 && isnan(counters->items[j].interval.value)
                              ? 0
                              : counters->items[j].interval.value));
        status = counters_check(numbers, error);
        json_decref(numbers);
        if (status != STATUS_OK && error != NULL)
            error_prefix(error, "%.200s", dataset_name(point));
    }
    return status;
}

static enum status fit(const struct model *model, struct dataset *dataset,
                       const struct model_settings *settings, struct fitted *fitted, json_t *document,
                       struct error *error)
{
    size_t first = json_array_size(json_object_get(document, "notes"));
    left_out_apply(dataset, model->of_coolings, document);
    saturation_leave_out(dataset, model->label, model->ends_by_point, document);
    enum status status = model->of_coolings ? STATUS_OK : possible_energies(dataset, error);
    if (status == STATUS_OK)
        status = pooled_meters(dataset, error);
    if (status == STATUS_OK && !model->of_coolings)
        status = check_points(dataset, error);
    if (status == STATUS_OK)
        status = model->fit(dataset, settings, fitted, document, error);
    if (status == STATUS_OK && !fitted->tested)
        status = form_test(fitted, document, error);
    if (status == STATUS_OK && !model->of_coolings && !model->own_idle)
        trend_judge(dataset, document);
    if (status == STATUS_OK)
        status = possible_coefficients(model, document, error);
    if (status != STATUS_OK && error != NULL)
        add_left_out(document, first, error);
    return status;
}

enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, json_t *document, struct error *error)
{
    struct fitted fitted = {0};
    enum status status = fit(model, dataset, settings, &fitted, document, error);
    if (status == STATUS_OK)
        validation_set(&fitted, dataset, document);
    fitted_free(&fitted);
    return status;
}

enum status model_predict(const struct model *model, const json_t *document, const json_t *counters,
                          const struct model_settings *settings, json_t **result, struct error *error)
{
    enum status status = counters_check(counters, error);
    if (status == STATUS_OK)
        status = model->predict(document, counters, settings, result, error);
    json_t *objections = json_deep_copy(json_object_get(document, "disbelief"));
    if (status == STATUS_OK && objections != NULL) {
        json_array_extend(objections, json_object_get(*result, "disbelief"));
        json_object_set(*result, "disbelief", objections);
    }
    json_decref(objections);
    if (status == STATUS_OK)
        simulated_take(*result, document);
    return status;
}

const struct model_setting_row *model_setting_row(const struct model *model, const char *name)
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
    const struct model_setting_row *row = model_setting_row(model, name);
    return row == NULL ? NAN : row->fallback;
}

bool model_matches(const char *pattern, const char *name)
{
    size_t length = strcspn(pattern, "*");
    return strncmp(pattern, name, length) == 0 && (pattern[length] == '*' || name[length] == '\0');
}

static enum status check_use(const struct model *model, const char *name, bool predicting,
                             struct error *error)
{
    const char *const *useless = predicting ? model->fit_only : model->predict_only;
    for (; useless != NULL && *useless != NULL; useless++) {
        if (!model_matches(*useless, name))
            continue;
        error_set(error, STATUS_USAGE, "the setting %.60s is not used when the model %s %s", name,
                  model->name,
                  predicting ? "predicts: it belongs to the fit" : "is fitted: it belongs to predict");
        error_hint(error, "leave it out, or give it to trauma %s", predicting ? "fit" : "predict");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 bool predicting, struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        names[count++] = row->name;
    for (size_t i = 0; i < settings->count; i++) {
        if (model_setting_row(model, settings->items[i].name) != NULL) {
            enum status status = check_use(model, settings->items[i].name, predicting, error);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        error_set(error, STATUS_USAGE, "the model %s has no setting '%s'", model->name,
                  settings->items[i].name);
        suggest_hint(error, settings->items[i].name, names, count, "trauma fit --help lists the settings");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* Misspellings change letters only: l3_hits is not meant to be l2_hits. */
static bool has_same_digits(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;;) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        if (*a != *b || *a == '\0')
            return *a == *b;
        a++;
        b++;
    }
}

/* The setting whose name differs in a letter or two, in capitals, or in the separators of its words. */
static const char *nearly_setting(const struct model *model, const char *name)
{
    enum { SHORT = 4, LONG = 7 };
    char plain[NAMES_MOST];
    size_t length = strlen(name);
    if (length < SHORT || length >= sizeof plain)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        plain[i] = name[i] == '-' || name[i] == '.' || name[i] == ' ' ? '_' : (char)tolower(name[i]);
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        if (has_same_digits(plain, row->name) &&
            suggest_distance(plain, row->name) <= (length < LONG ? 1 : 2))
            return row->name;
    return NULL;
}

enum status model_check_name(const struct model *model, const char *name, bool beside_settings,
                             struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    if (model_setting_row(model, name) != NULL || counters_known(name))
        return STATUS_OK;
    const char *meant = nearly_setting(model, name);
    if (meant == NULL && !beside_settings)
        return STATUS_OK;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        names[count++] = row->name;
    error_set(error, STATUS_USAGE, "'%.60s' is no setting of the model %s, and no counter that a model takes",
              name, model->name);
    if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        suggest_hint(error, name, names, count,
                     "leave it out; trauma fit --explain MODEL lists the settings");
    return STATUS_USAGE;
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

static void add_sentence(json_t *document, const char *key, const char *format, va_list arguments)
{
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    json_t *sentences = json_object_get(document, key);
    if (sentences == NULL) {
        sentences = json_array();
        json_object_set_new(document, key, sentences);
    }
    json_array_append_new(sentences, json_string(text));
}

void model_disbelieve(json_t *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(document, "disbelief", format, arguments);
    va_end(arguments);
}

void model_note(json_t *document, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_sentence(document, "notes", format, arguments);
    va_end(arguments);
}

void model_take_notes(json_t *document, const json_t *told)
{
    const json_t *note;
    size_t i;
    json_array_foreach(json_object_get(told, "notes"), i, note)
        model_note(document, "%s", json_string_value(note));
}
