/* Imported counters: another tool's counters of one point become part of its evidence. */
#ifndef SESSION_EXECUTE_IMPORTED_COUNTERS_H
#define SESSION_EXECUTE_IMPORTED_COUNTERS_H

#include "base/error.h"
#include "runner/evidence/evidence.h"
#include "session/execute/evidence_request.h"
#include "session/work.h"

/* Checks before the run that the file is readable and contains a known counter, and that exactly one point is
 * selected. STATUS_OK without a file; else STATUS_USAGE. */
enum status imported_check(const struct evidence_request *request, const struct work *work,
                           struct error *error);

/* Adds the file's counters to the evidence; does nothing without a file. */
enum status imported_add(const struct evidence_request *request, struct evidence *evidence,
                         struct error *error);

#endif
