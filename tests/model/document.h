/* Fits and predictions as the documents that users get and give. */
#ifndef TESTS_MODEL_DOCUMENT_H
#define TESTS_MODEL_DOCUMENT_H

#include "base/json.h"
#include "model/fitting/validation.h"
#include "model/model_json.h"

#include <math.h>
#include <stdint.h>

static inline json_t *document_of(const struct model *model, const struct model_result *result)
{
    struct buffer text = {0};
    model_json_print(&text, model, result, true);
    json_t *document = json_parse(text.data, text.size, "the document", NULL);
    buffer_free(&text);
    return document;
}

/* Adds what model_fit says to the document, which states its machine. */
static inline enum status document_fit(const struct model *model, struct dataset *dataset,
                                       const struct model_settings *settings, json_t *document,
                                       struct error *error)
{
    struct model_result result = {0};
    model_json_origin(&result, document);
    enum status status = model_fit(model, dataset, settings, &result, error);
    json_t *said = document_of(model, &result);
    json_object_update(document, said);
    json_decref(said);
    model_result_free(&result);
    return status;
}

/* The same by the model's own fit, without what is left out for all models; validated: and its validation. */
static inline enum status document_fit_alone(const struct model *model, const struct dataset *dataset,
                                             const struct model_settings *settings, bool validated,
                                             json_t *document, struct error *error)
{
    struct model_result result = {0};
    struct fitted fitted = {0};
    model_json_origin(&result, document);
    model_make_own(model, &result);
    enum status status = model->fit(dataset, settings, &fitted, &result, error);
    if (status == STATUS_OK && validated)
        validation_set(&fitted, dataset, &result);
    json_t *said = document_of(model, &result);
    json_object_update(document, said);
    json_decref(said);
    fitted_free(&fitted);
    model_result_free(&result);
    return status;
}

static inline bool document_coefficient(const json_t *document, const char *name, struct interval *interval)
{
    const json_t *kept = json_object_get(json_object_get(document, "coefficients"), name);
    interval->value = json_number_or(kept, "value", NAN);
    interval->low = json_number_or(kept, "low", interval->value);
    interval->high = json_number_or(kept, "high", interval->value);
    interval->n = (size_t)json_number_or(kept, "n", 0);
    return isfinite(interval->value);
}

/* What the model of the document predicts from {name: number}; a new reference. */
static inline enum status document_predict(const struct model *model, const json_t *document,
                                           const json_t *counters, const struct model_settings *settings,
                                           json_t **predicted, struct error *error)
{
    struct model_result fitted = {0}, result = {0};
    struct named_numbers numbers = {0};
    struct arena arena = {0};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)counters, name, value)
        named_number_set(&numbers, &arena, name, json_number_value(value));
    model_json_read(document, model, &fitted);
    enum status status = model->predict(&fitted, &numbers, settings, &result, error);
    *predicted = status == STATUS_OK ? document_of(model, &result) : NULL;
    model_result_free(&fitted);
    model_result_free(&result);
    arena_free(&arena);
    return status;
}

#endif
