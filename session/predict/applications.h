/* Several applications at once for trauma predict: a table with a line for each, or with --each a file for
 * each. Shows the model's results for all of them side by side. */
#ifndef SESSION_PREDICT_APPLICATIONS_H
#define SESSION_PREDICT_APPLICATIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "model/model.h"

#include <jansson.h>
#include <stdbool.h>

/* True when the file is a table of applications: its first line begins with "application,". */
bool applications_is(const char *path);

/* Reads the applications of inputs[1] and later files: [{"application", "counters": {name: number},
 * "settings": {name: number}}]. A table's columns are names of counters or of the model's settings; an empty
 * cell means "not given". A file that is not a table applies to all applications of a table. With --each it
 * is one application, named after the file, unless it contains only settings: then they apply to all.
 * Settings for all are added to settings. New reference in *list. STATUS_USAGE, with the line, when a cell is
 * not a number, a row has more cells than there are columns, or there is no application. */
enum status applications_read(const struct options *options, const struct model *model,
                              struct model_settings *settings, json_t **list, json_t *warnings,
                              struct error *error);

/* The model's results for each: {"applications": [{"application", "parts", "notes"}], "means": parts,
 * averaged over the applications that have them, "charts"}. New reference in *result. */
enum status applications_predict(const json_t *list, const json_t *document, const struct model *model,
                                 const struct model_settings *settings, json_t **result, struct error *error);

/* Prints a table for each unit and scenario with a line per application and the mean; then the notes. */
void applications_print(const json_t *result);

#endif
