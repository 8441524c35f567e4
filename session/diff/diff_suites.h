/* Compares two suites. */
#ifndef SESSION_DIFF_DIFF_SUITES_H
#define SESSION_DIFF_DIFF_SUITES_H

#include "base/error.h"
#include "session/diff/diff_rows.h"

/* Two suites. STATUS_USAGE when one is not a suite. */
enum status diff_suites(struct diff *diff, const char *old, const char *new, struct error *error);

#endif
