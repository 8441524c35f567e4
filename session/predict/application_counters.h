/* An application's counters for trauma predict: from other tools' files (perf stat -j or -x, Nsight Compute,
 * rocprof and CodeXL CSV), from the user's own table, or as names with numbers. */
#ifndef SESSION_PREDICT_APPLICATION_COUNTERS_H
#define SESSION_PREDICT_APPLICATION_COUNTERS_H

#include "base/error.h"
#include "model/model.h"
#include "runner/results/warning.h"

#include <jansson.h>

/* A file, and how to read it. */
struct application_file {
    const char *path;
    const char *columns; /* "COLUMN=NAME,..."; NULL: no columns named */
    const struct model *model;
    const char *scope;      /* the application that its counters belong to; "": all, or the only one */
    const json_t *document; /* of the model */
    json_t *told;           /* names that earlier files gave, with their values; borrowed */
};

/* Adds the file's counters to the object {name: number}. Numbers that bear the name of one of the model's
 * settings go to settings unless the command line has set them. The file is a JSON object of numbers, lines
 * NAME,NUMBER, or another tool's output: counts under the names of templates/imports/, and metrics
 * ("l2.miss_rate"). With columns, each column is summed over its rows. Warnings about what was not understood
 * are added. STATUS_USAGE, with the line, for any other format, or when a name occurs twice
 * with different values. */
/* A results file of trauma run with one point gives its repetitions' means (application_results_read). */
enum status application_counters_read(const struct application_file *file, struct model_settings *settings,
                                      json_t *counters, struct warnings *warnings, struct error *error);

/* Appends the points of a results file, each {"application": "benchmark/point", "counters", "settings": {}}:
 * means over its repetitions, counters of all copies or, for a model that takes them by core, of each copy.
 * warnings: of results of another machine than the model's (document). STATUS_USAGE when no point ran. */
enum status application_results_read(const char *path, const struct model *model, const json_t *document,
                                     json_t *list, struct warnings *warnings, struct error *error);

#endif
