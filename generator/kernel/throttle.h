/* throttle{ duty = }: adds enough idle instructions to reduce the unit's other behaviours to a share of their
 * peak rate. */
#ifndef GENERATOR_KERNEL_THROTTLE_H
#define GENERATOR_KERNEL_THROTTLE_H

#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

/* Sets the count of the kernel's throttles. Idle instructions form one chain with a cycle each, so a unit
 * takes at least as many cycles as it has idle instructions. Their number is the unit's time at peak, from
 * the machine file, divided by the duty. STATUS_RECIPE if the file does not determine that time, or if idle
 * instructions would take issue slots that the unit needs. */
enum status throttle_fill(struct kernel *kernel, const struct machine *machine, struct error *error);

/* The duty that the throttle{} of every phase promises; below 0 if there is none, or with peak = "ports". */
double throttle_promise(const struct kernel *kernel);

/* True if the number of idle instructions, rounded to at least 1, differs by at most that share of it. */
bool throttle_is_whole(double idle, double off_by);

/* Adds a hint: the smallest multiple of the unit for which this holds. Returns STATUS_RECIPE. */
enum status throttle_hint_longer(double idle, double off_by, struct error *error);

#endif
