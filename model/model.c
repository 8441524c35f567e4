#include "model/model.h"

#include "base/memory.h"
#include "base/text/suggest.h"
#include "model/data/counters.h"
#include "model/data/left_out.h"
#include "model/data/pooled.h"
#include "model/fitting/form.h"
#include "model/fitting/trend.h"
#include "model/fitting/validation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

/* Excluded points may be the missing ones. first: index of their first note. */
static void add_left_out(const struct model_result *result, size_t first, struct error *error)
{
    for (size_t i = first; i < result->notes.count && i < first + result->left_out_count; i++) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "; %s", result->notes.items[i]);
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
        struct named_number *counters = memory_zeroed(kept->count + 1, sizeof *counters);
        for (size_t j = 0; j < kept->count; j++) {
            const struct interval *of = &kept->items[j].interval;
            counters[j] =
                (struct named_number){kept->items[j].name, of->n == 0 && isnan(of->value) ? 0 : of->value};
        }
        status = counters_check(&(struct named_numbers){counters, kept->count}, error);
        free(counters);
        if (status != STATUS_OK && error != NULL)
            error_prefix(error, "%.200s", dataset_name(point));
    }
    return status;
}

static enum status fit(const struct model *model, struct dataset *dataset,
                       const struct model_settings *settings, struct fitted *fitted,
                       struct model_result *result, struct error *error)
{
    size_t first = result->notes.count;
    model_make_own(model, result);
    left_out_apply(dataset, model->of_coolings, result);
    saturation_leave_out(dataset, model->label, model->ends_by_point, result);
    enum status status = model->of_coolings ? STATUS_OK : possible_energies(dataset, error);
    if (status == STATUS_OK)
        status = pooled_meters(dataset, error);
    if (status == STATUS_OK && !model->of_coolings)
        status = check_points(dataset, error);
    if (status == STATUS_OK)
        status = model->fit(dataset, settings, fitted, result, error);
    if (status == STATUS_OK && !fitted->tested)
        status = form_test(fitted, result, error);
    if (status == STATUS_OK && !model->of_coolings && !model->own_idle)
        trend_judge(dataset, result);
    if (status == STATUS_OK)
        status = possible_coefficients(model->bounds, result, error);
    if (status != STATUS_OK && error != NULL)
        add_left_out(result, first, error);
    return status;
}

void *model_make_own(const struct model *model, struct model_result *result)
{
    if (model->own_size == 0)
        return NULL;
    result->own = arena_alloc(&result->arena, 1, model->own_size);
    if (model->own_none != NULL)
        memcpy(result->own, model->own_none, model->own_size);
    return result->own;
}

enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, struct model_result *result, struct error *error)
{
    struct fitted fitted = {0};
    enum status status = fit(model, dataset, settings, &fitted, result, error);
    if (status == STATUS_OK)
        validation_set(&fitted, dataset, result);
    fitted_free(&fitted);
    return status;
}

enum status model_predict(const struct model *model, const struct model_result *fitted,
                          const struct named_numbers *counters, const struct model_settings *settings,
                          struct model_result *result, struct error *error)
{
    enum status status = counters_check(counters, error);
    if (status == STATUS_OK)
        status = model->predict(fitted, counters, settings, result, error);
    if (status != STATUS_OK)
        return status;
    const struct sentences own = result->disbelief;
    if (fitted->disbelief.count > 0)
        result->disbelief = (struct sentences){0};
    for (size_t i = 0; i < fitted->disbelief.count; i++)
        model_disbelieve(result, "%s", fitted->disbelief.items[i]);
    for (size_t i = 0; fitted->disbelief.count > 0 && i < own.count; i++)
        model_disbelieve(result, "%s", own.items[i]);
    result->simulated = fitted->simulated;
    if (result->simulated != NULL)
        model_states(result, "simulated");
    return STATUS_OK;
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
