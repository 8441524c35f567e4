/* Imported counters: what another tool recorded for one point becomes part of its evidence. */
#ifndef SESSION_EXECUTE_IMPORTED_COUNTERS_H
#define SESSION_EXECUTE_IMPORTED_COUNTERS_H

#include "base/error.h"
#include "runner/evidence/evidence.h"
#include "session/execute/evidence_request.h"
#include "session/work.h"

/* Checks before anything runs that the file is readable and contains a known counter, and that there is
 * exactly one point that it can belong to. STATUS_OK without a file. */
enum status imported_check(const struct evidence_request *request, const struct work *work,
                           struct error *error);

/* Adds the file's counters to the evidence; does nothing without a file. */
enum status imported_add(const struct evidence_request *request, struct evidence *evidence,
                         struct error *error);

#endif
