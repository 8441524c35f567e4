/* What trauma diff found, row by row, and by how much a number may move before it counts as changed. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "base/error.h"
#include "cli/options.h"
#include "session/point_values.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

struct diff {
    const struct options *options;
    double threshold[VALUE_CLASSES]; /* of shares absolute, else of the old value */
    json_t *rows;                    /* as they are printed by --json */
    size_t points;                   /* that both sides have */
    size_t compared;                 /* numbers or programs that both sides have */
    size_t past;                     /* rows that count as changed */
};

/* How far a number moved. */
struct diff_change {
    double by;     /* NAN: no number did */
    bool relative; /* in parts of the old one */
};
#define DIFF_NO_NUMBER ((struct diff_change){.by = NAN})

/* One row: old and new may be numbers, texts or NULL. It counts when past, and is kept also otherwise when
 * shown. Takes the references. */
void diff_row(struct diff *diff, const char *point, const char *part, const char *metric, json_t *old,
              json_t *new, struct diff_change change, const char *what, bool past, bool shown);

/* Rows for what of the contexts, or indices, differs: they tell, and do not count. */
void diff_contexts(struct diff *diff, const json_t *old, const json_t *new);

/* Two results files. STATUS_USAGE when one is no such file, STATUS_FAILED when one has no point. */
enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error);

/* Two suites. STATUS_USAGE when one is none. */
enum status diff_suites(struct diff *diff, const char *old, const char *new, struct error *error);

#endif
