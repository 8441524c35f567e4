/* Measures a list of single instructions in a process of its own, so that one that faults or hangs costs only
 * its line; and tables of all instructions of a processor. */
#ifndef SESSION_INSTRUCTIONS_H
#define SESSION_INSTRUCTIONS_H

#include "base/error.h"
#include "session/events.h"
#include "session/instruction_results.h"

#include <stdbool.h>
#include <stddef.h>

struct instructions_request {
    const char *const *inputs; /* texts, and files with one on each line */
    size_t input_count;
    bool list; /* a table of many: the input "all" is every form that ships for this processor, no number
                  counts before another run confirms it, and LLVM's scheduling model stands beside them */
    const char *path;    /* of results to write; NULL: none */
    const char *sensors; /* of power: as --power; NULL: all that are usable */
    const char *root;    /* below which /sys and /proc are; "": the machine's own */
    const struct session_events *events;

    /* Called with each instruction when it is measured, or could not be. What it points to lasts for the
     * call. */
    void (*measured)(void *context, const struct instruction_measured *measured);
    void *context;
};

struct instructions_outcome {
    size_t measured;
    size_t failed;
    size_t left_out;              /* of a list: the processor lacks what they need */
    struct error first;           /* the first failure */
    struct error no_energy;       /* why no energy was measured; code STATUS_OK: it was */
    char model[MODEL_NAME_BYTES]; /* of a list: the core whose model stands beside it; "": none, */
    struct error no_model;        /* for this reason */
};

/* Returns STATUS_OK even if instructions failed; the outcome counts them. STATUS_USAGE without a text or for
 * a file that cannot be read, STATUS_UNAVAILABLE on a processor whose instructions cannot be measured. */
enum status instructions_measure(const struct instructions_request *request,
                                 struct instructions_outcome *outcome, struct error *error);

#endif
