#include "model/model.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "model/data/counters.h"
#include "model/data/left_out.h"
#include "model/data/pooled.h"
#include "model/fitting/form.h"
#include "model/fitting/trend.h"
#include "model/fitting/validation.h"
#include "runner/results/simulated.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

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

static enum status check_points(const struct dataset *dataset, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < dataset->count; i++) {
        const struct result_point *point = dataset->rows[i].point;
        const struct result_values *kept = &point->counters;
        if (i > 0 && point == dataset->rows[i - 1].point)
            continue;
        struct chip_counter *counters = memory_zeroed(kept->count + 1, sizeof *counters);
        for (size_t j = 0; j < kept->count; j++) {
            const struct interval *of = &kept->items[j].interval;
            counters[j] =
                (struct chip_counter){kept->items[j].name, of->n == 0 && isnan(of->value) ? 0 : of->value};
        }
        status = counters_check(counters, kept->count, error);
        free(counters);
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
        status = possible_coefficients(model->bounds, document, error);
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

/* Those of an application, a document of names and numbers. */
static enum status check_application(const json_t *document, struct error *error)
{
    struct chip_counter *counters = memory_zeroed(json_object_size(document) + 1, sizeof *counters);
    const char *name;
    json_t *number;
    size_t count = 0;
    json_object_foreach((json_t *)(uintptr_t)document, name, number)
    {
        if (json_is_number(number))
            counters[count++] = (struct chip_counter){name, json_number_value(number)};
    }
    enum status status = counters_check(counters, count, error);
    free(counters);
    return status;
}

enum status model_predict(const struct model *model, const json_t *document, const json_t *counters,
                          const struct model_settings *settings, json_t **result, struct error *error)
{
    enum status status = check_application(counters, error);
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
        if (model_setting_row(model->settings, settings->items[i].name) != NULL) {
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
    if (model_setting_row(model->settings, name) != NULL || counters_known(name))
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
