/* throttle{ duty = }: so many idle instructions that the unit's other behaviours keep a share of their peak
 * rate. */
#ifndef GENERATOR_KERNEL_THROTTLE_H
#define GENERATOR_KERNEL_THROTTLE_H

#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

bool throttle_has(const struct kernel *kernel);

/* Sets the count of the kernel's throttles. Idle instructions are one chain of a cycle each, so that a unit
 * takes at least as many cycles as it has of them: its time at peak, as the machine's description tells it,
 * over the duty. STATUS_RECIPE when the description does not tell it, or idle instructions would take turns
 * that the unit needs. */
enum status throttle_fill(struct kernel *kernel, const struct machine *machine, struct error *error);

/* The duty that throttles promise, the same in all phases; below 0 without one. */
double throttle_duty(const struct kernel *kernel);

#endif
