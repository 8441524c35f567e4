/* An application's counters for trauma predict: from other tools' files (perf stat -j or -x, Nsight Compute,
 * rocprof and CodeXL CSV), from the user's own table, or as names with numbers. */
#ifndef SESSION_PREDICT_APPLICATION_COUNTERS_H
#define SESSION_PREDICT_APPLICATION_COUNTERS_H

#include "base/error.h"
#include "model/data/application.h"
#include "model/model.h"

/* A file, and how to read it. */
struct application_file {
    const char *path;
    const char *columns; /* "COLUMN=NAME,..."; NULL: none */
    const struct model *model;
    const char *scope; /* the application that the counters belong to; "": all, or the only one */
    const struct model_result *fitted; /* the fitted model */
    struct file_numbers *stated;       /* the numbers of earlier files */
    struct arena *arena;               /* for everything that is read */
};

/* The numbers that files state. */
struct file_number {
    const char *scope, *name, *file;
    double value;
};

struct file_numbers {
    struct file_number *items; /* in the arena */
    size_t count;
};

/* Adds the file's counters. Numbers named like a setting of the model are added to settings, unless the
 * command line has set them. The file is a JSON object of numbers, lines NAME,NUMBER, or another tool's
 * output: counts under the names of templates/imports/, and metrics ("l2.miss_rate"). With columns, each
 * column is summed over its rows. A results file of trauma run with one point gives its repetitions' means
 * (application_results_read). Warns of parts that were not understood. STATUS_USAGE, with the line,
 * for any other format, or when a name occurs twice with different values. */
enum status application_counters_read(const struct application_file *file, struct model_settings *settings,
                                      struct named_numbers *counters, struct sentences *warnings,
                                      struct error *error);

/* If the error is that the application's counters lack one, sets as its hint the command that records it. */
void application_hint(const char *path, struct error *error);

/* Adds the points of a results file, each as "benchmark/point": means over its repetitions, counters of all
 * copies or, for a model that takes them by core, of each copy. Warns, in the list's arena, of results
 * of another machine than the model's. STATUS_USAGE when no point ran. */
enum status application_results_read(const char *path, const struct model *model,
                                     const struct model_result *fitted, struct applications *list,
                                     struct sentences *warnings, struct error *error);

#endif
