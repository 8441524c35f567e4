/* Measures single instructions, or all instructions of a processor, in a process of its own, so that an
 * instruction that faults or hangs loses only its own result. */
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
    bool list; /* a table: the input "all" is every form that ships for this processor, each number must be
                  confirmed by another run, and LLVM's scheduling model is added */
    const char *path;    /* of results to write; NULL: none */
    const char *sensors; /* power sensors, as --power lists them; NULL: all that are usable */
    const char *root;    /* root folder of /sys and /proc; "": the machine's own */
    const struct session_events *events;

    /* Called for each instruction, measured or not; *measured is valid during the call. */
    void (*measured)(void *context, const struct instruction_measured *measured);
    void *context;
};

struct instructions_outcome {
    size_t measured;
    size_t failed;
    size_t left_out;              /* of a list: the processor lacks a feature that they need */
    struct error first;           /* the first failure */
    struct error no_energy;       /* why no energy was measured; code STATUS_OK: energy was measured */
    char model[MODEL_NAME_BYTES]; /* of a list: the core whose model is compared; "": none */
    struct error no_model;        /* why there is no model */
};

/* Returns STATUS_OK even if instructions failed; the outcome counts them. STATUS_USAGE without a text or for
 * a file that cannot be read, STATUS_UNAVAILABLE on a processor whose instructions cannot be measured. */
enum status instructions_measure(const struct instructions_request *request,
                                 struct instructions_outcome *outcome, struct error *error);

#endif
