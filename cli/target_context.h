/* What recipes stand on: a machine, what was learnt of it, and the templates of its ISA. Without -m it is the
 * present machine, and for a recipe of a GPU a GPU of this machine. */
#ifndef CLI_TARGET_CONTEXT_H
#define CLI_TARGET_CONTEXT_H

#include "base/error.h"
#include "cli/calibration_store.h"
#include "cli/options.h"
#include "generator/machine/machine.h"
#include "generator/suite/program.h"

#include <jansson.h>
#include <stdbool.h>

struct target_context {
    struct machine machine;
    struct calibration_store calibration_store;
    struct code_generator code_generator;
    json_t *ops; /* code_generator_operations; owned */
    bool open;
};

/* Opens the ground of -m, or of the present machine. Close it also after an error. */
enum status target_context_open(const struct options *options, struct target_context *target_context,
                                struct error *error);

/* Opens the ground for a target that -m's machine, which was not given, does not run. With stand_in, where
 * there is no such GPU here, it is that of a described one, and a warning says so; without,
 * STATUS_UNAVAILABLE. */
enum status target_context_open_for(const struct options *options, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error);

void target_context_close(struct target_context *target_context);

#endif
