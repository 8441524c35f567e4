/* The counters of several applications: from a table with a line for each application, results with a point
 * for each, or a file for each. */
#ifndef SESSION_PREDICT_APPLICATIONS_H
#define SESSION_PREDICT_APPLICATIONS_H

#include "base/error.h"
#include "model/data/application.h"
#include "model/model.h"

#include <stdbool.h>
#include <stddef.h>

/* True when the file has several applications: a table that begins with "application,", or results of trauma
 * run with several points. */
bool applications_is(const char *path);

struct application_request {
    const char *const *paths;
    size_t count;
    const char *columns; /* "COLUMN=NAME,..."; NULL: none */
    bool each;           /* each file is an application with the file's name */
    const struct model *model;
    const struct model_result *fitted; /* the fitted model */
};

/* Reads the applications of the files. A table's columns are names of counters or of the model's settings; an
 * empty cell means "not given". A file that is not a table applies to all applications of a table; with
 * `each` it is one application with the file's name, unless it has only settings, which then apply to all.
 * Settings for all are added to settings. Warnings are in the list's arena, which the caller frees in every
 * case. STATUS_USAGE, with the line, when a cell is not a number, a row has more or fewer cells than there
 * are columns, or there is no application. */
enum status applications_read(const struct application_request *request, struct model_settings *settings,
                              struct applications *list, struct sentences *warnings, struct error *error);

#endif
