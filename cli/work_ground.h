/* What recipes stand on: a machine, what was learnt of it, and the templates of its ISA. Without -m it is the
 * present machine, and for a recipe of a GPU a GPU of this machine. */
#ifndef CLI_WORK_GROUND_H
#define CLI_WORK_GROUND_H

#include "base/error.h"
#include "cli/learnt.h"
#include "cli/options.h"
#include "generator/machine/machine.h"
#include "generator/suite/program.h"

#include <jansson.h>
#include <stdbool.h>

struct work_ground {
    struct machine machine;
    struct learnt learnt;
    struct workshop workshop;
    json_t *ops; /* workshop_operations; owned */
    bool open;
};

/* Opens the ground of -m, or of the present machine. Close it also after an error. */
enum status work_ground_open(const struct options *options, struct work_ground *ground, struct error *error);

/* Opens the ground for a target that -m's machine, which was not given, does not run. With stand_in, where
 * there is no such GPU here, it is that of a described one, and a warning says so; without,
 * STATUS_UNAVAILABLE. */
enum status work_ground_open_for(const struct options *options, const char *target, bool stand_in,
                                 struct work_ground *ground, struct error *error);

void work_ground_close(struct work_ground *ground);

#endif
