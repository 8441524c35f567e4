/* What a model says of several applications, side by side. */
#ifndef REPORT_APPLICATIONS_REPORT_H
#define REPORT_APPLICATIONS_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/model.h"

#include <jansson.h>
#include <stdio.h>

/* The model's results for each: {"applications": [{"application", "parts", "notes"}], "means": parts,
 * averaged over the applications that have them, "charts"}. New reference in *result. */
enum status applications_predict(const json_t *list, const json_t *document, const struct model *model,
                                 const struct model_settings *settings, json_t **result, struct error *error);

/* Writes a table for each unit and scenario with a line per application and the mean; then the notes. */
void applications_print(const json_t *result, FILE *to);

#endif
