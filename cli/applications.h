/* Several applications at a time, as trauma predict takes them: a table with a line for each, or --each, a
 * file for each. What a model says of all of them, side by side. */
#ifndef CLI_APPLICATIONS_H
#define CLI_APPLICATIONS_H

#include "base/error.h"
#include "cli/options.h"
#include "model/model.h"

#include <jansson.h>
#include <stdbool.h>

/* True when the file is a table of applications: its first line begins with "application,". */
bool applications_is(const char *path);

/* The applications of the files inputs[1] and on: [{"application", "counters": {name: number}, "settings":
 * {name: number}}]. A table has names of counters, or of the model's settings, as columns; an empty cell is
 * not told. A file that is no table holds for all applications of a table; with each it is an application,
 * named as the file, but for one of settings alone, which holds for all. Adds settings that hold for all to
 * settings. New reference in *list. STATUS_USAGE, with the line, when a cell is no number, a row has more
 * cells than there are columns, or there is no application. */
enum status applications_read(const struct options *options, const struct model *model,
                              struct model_settings *settings, json_t **list, json_t *warnings,
                              struct error *error);

/* What the model says of each: {"applications": [{"application", "parts", "notes"}], "means": parts, their
 * means over the applications that have them, "charts"}. New reference in *result. */
enum status applications_predict(const json_t *list, const json_t *document, const struct model *model,
                                 const struct model_settings *settings, json_t **result, struct error *error);

/* A table for each unit and scenario, a line an application and the mean; then the notes. */
void applications_print(const json_t *result);

#endif
