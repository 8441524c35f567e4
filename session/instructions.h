/* Measures a list of single instructions in a process of its own, so that one that faults or hangs costs only
 * its line. */
#ifndef SESSION_INSTRUCTIONS_H
#define SESSION_INSTRUCTIONS_H

#include "base/error.h"
#include "session/events.h"

#include <jansson.h>
#include <stddef.h>

struct instructions_request {
    const char *const *inputs; /* texts, and files with one on each line */
    size_t input_count;
    const char *path;    /* of results to write; NULL: none */
    const char *sensors; /* of power: as --power; NULL: all that are usable */
    const char *root;    /* below which /sys and /proc are; "": the machine's own */
    const struct session_events *events;

    /* Called with each instruction's document (below) when it is measured. */
    void (*measured)(void *context, const json_t *document);
    void *context;
};

struct instructions_outcome {
    size_t measured;
    size_t failed;
    struct error first;     /* the first failure */
    struct error no_energy; /* why no energy was measured; code STATUS_OK: it was */
};

/* Documents: {"instruction": the text, "assembled": as it is measured, "latency": [{"from", "to", "cycles":
 * interval with "doubt"?, "values"?, "remark"?}], "per_cycle": [{"per_cycle": interval, "values"?,
 * "remark"?}], "reads" and "writes": operands by name, "changes_nothing": true if there is none written,
 * "headline": the index of the longest latency that is in no doubt, if any, "ports": [{"port": "" for all,
 * "per_instruction": interval}] or "no_ports": why not, "energy": {"per_instruction_j": interval above the
 * idle level, "per_instruction_total_j", "from": channels, "verdict", "reason"}, if a sensor of power is
 * there}, or {"instruction", "error", "code"}.
 *
 * Returns STATUS_OK even if instructions failed; the outcome counts them. STATUS_USAGE without a text or for
 * a file that cannot be read, STATUS_UNAVAILABLE on a processor whose instructions cannot be measured. */
enum status instructions_measure(const struct instructions_request *request,
                                 struct instructions_outcome *outcome, struct error *error);

#endif
