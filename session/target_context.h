/* What recipes are evaluated against: a machine, its calibration store, and the templates of its ISA. Without
 * -m it is the present machine, or for a GPU recipe a GPU of this machine. */
#ifndef SESSION_TARGET_CONTEXT_H
#define SESSION_TARGET_CONTEXT_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/suite/program.h"
#include "session/calibration_store.h"
#include "session/target_request.h"

#include <jansson.h>
#include <stdbool.h>

struct target_context {
    struct machine machine;
    struct calibration_store calibration_store;
    struct code_generator code_generator;
    json_t *ops; /* code_generator_operations; owned */
    bool open;
};

/* Opens the context of -m, or of the present machine. Close it even after an error. */
enum status target_context_open(const struct target_request *request, struct target_context *target_context,
                                struct error *error);

/* Opens the context of a target that the machine does not run, when -m was not given. If there is no such
 * machine or GPU here, stand_in selects a described one, with a warning; without stand_in:
 * STATUS_UNAVAILABLE. */
enum status target_context_open_for(const struct target_request *request, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error);

void target_context_close(struct target_context *target_context);

#endif
