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
    const char *columns; /* "COLUMN=NAME,..."; NULL: no columns named */
    const struct model *model;
    const char *scope; /* the application that its counters belong to; "": all, or the only one */
    const struct model_result *fitted; /* the model, as it was fitted */
    struct told_numbers *told;         /* what earlier files gave; borrowed, as is */
    struct arena *arena;               /* for all that is read */
};

/* Numbers that files gave. */
struct told_number {
    const char *scope, *name, *file;
    double value;
};

struct told_numbers {
    struct told_number *items; /* in the arena */
    size_t count;
};

/* Adds the file's counters. Numbers that bear the name of one of the model's settings go to settings unless
 * the command line has set them. The file is a JSON object of numbers, lines NAME,NUMBER, or another tool's
 * output: counts under the names of templates/imports/, and metrics ("l2.miss_rate"). With columns, each
 * column is summed over its rows. A results file of trauma run with one point gives its repetitions' means
 * (application_results_read). Warnings about what was not understood are added. STATUS_USAGE, with the line,
 * for any other format, or when a name occurs twice with different values. */
enum status application_counters_read(const struct application_file *file, struct model_settings *settings,
                                      struct named_numbers *counters, struct sentences *warnings,
                                      struct error *error);

/* Of an error that the counters of an application lack something: sets as its hint the command that records
 * it again with that. */
void application_hint(const char *path, struct error *error);

/* Adds the points of a results file, each as "benchmark/point": means over its repetitions, counters of all
 * copies or, for a model that takes them by core, of each copy. warnings, in the list's arena: of results of
 * another machine than the model's. STATUS_USAGE when no point ran. */
enum status application_results_read(const char *path, const struct model *model,
                                     const struct model_result *fitted, struct applications *list,
                                     struct sentences *warnings, struct error *error);

#endif
