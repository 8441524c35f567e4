/* throttle{ duty = }: adds enough idle instructions to reduce the unit's other behaviours to a share of their
 * peak rate. */
#ifndef GENERATOR_KERNEL_THROTTLE_H
#define GENERATOR_KERNEL_THROTTLE_H

#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

bool throttle_has(const struct kernel *kernel);

/* Sets the count of the kernel's throttles. Idle instructions form one chain of one cycle each, so a unit
 * takes at least as many cycles as it has idle instructions: its time at peak, from the machine's
 * description, divided by the duty. STATUS_RECIPE if the description does not give that time, or idle
 * instructions would take issue slots that the unit needs. */
enum status throttle_fill(struct kernel *kernel, const struct machine *machine, struct error *error);

/* The duty that throttles promise, the same in all phases; below 0 without one, or of peak = "ports". */
double throttle_promise(const struct kernel *kernel);

#endif
