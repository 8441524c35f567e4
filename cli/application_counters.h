/* An application's counters, as trauma predict takes them: from files of other tools (perf stat -j or -x,
 * Nsight Compute, rocprof and CodeXL CSV), from a table of the user's own, or as names with numbers. */
#ifndef CLI_APPLICATION_COUNTERS_H
#define CLI_APPLICATION_COUNTERS_H

#include "base/error.h"
#include "model/model.h"

#include <jansson.h>

/* A file, and what it is read for. */
struct application_file {
    const char *path;
    const char *columns; /* "COLUMN=NAME,..."; NULL: none are named */
    const struct model *model;
    const char *scope; /* the application that its counters are of; "": all, or the only one */
    json_t *told;      /* what the files before it told (told.h); borrowed */
};

/* Adds the file's counters to the object {name: number}; those that bear the name of a setting of the model
 * go to settings, where the command line has not set them. The file is a JSON object of numbers, or lines
 * NAME,NUMBER; what another tool wrote: counts by the names of templates/imports/, and metrics
 * ("l2.miss_rate"); with columns: each one's sum over the rows. Warnings of what was not understood are
 * appended to the array. STATUS_USAGE, with the line, when it is none of them; when a name is told twice, and
 * not the same. */
enum status application_counters_read(const struct application_file *file, struct model_settings *settings,
                                      json_t *counters, json_t *warnings, struct error *error);

#endif
