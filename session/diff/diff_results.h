/* Compares two results files. */
#ifndef SESSION_DIFF_DIFF_RESULTS_H
#define SESSION_DIFF_DIFF_RESULTS_H

#include "base/error.h"
#include "session/diff/diff_rows.h"

/* Two results files. STATUS_USAGE when one is not a results file, STATUS_FAILED when one has no points. */
enum status diff_results(struct diff *diff, const char *old, const char *new, struct error *error);

#endif
