/* What all models write into their documents: coefficients, notes, and why they are not to be trusted. */
#ifndef MODEL_DATA_MODEL_DOCUMENT_H
#define MODEL_DATA_MODEL_DOCUMENT_H

#include "base/stats.h"

#include <jansson.h>
#include <stdbool.h>

/* Adds coefficients[name] = {"value", "low", "high", "n", "unit"}. */
void model_set_coefficient(json_t *document, const char *name, struct interval interval, const char *unit);

/* Reads a stored coefficient. False when the document does not have it. */
bool model_coefficient(const json_t *document, const char *name, struct interval *interval);

/* Adds a sentence to document["disbelief"]: why the model is not to be trusted; shown before everything
 * else. */
__attribute__((format(printf, 2, 3))) void model_disbelieve(json_t *document, const char *format, ...);

/* Adds a sentence to document["notes"]. */
__attribute__((format(printf, 2, 3))) void model_note(json_t *document, const char *format, ...);

/* Appends the notes in told to the document's own. */
void model_take_notes(json_t *document, const json_t *told);

#endif
