/* A kernel's operations, the behaviours of kind BEHAVIOUR_OPERATION: the template row of each on a machine,
 * and refusals. */
#ifndef GENERATOR_KERNEL_OPERATIONS_H
#define GENERATOR_KERNEL_OPERATIONS_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

/* Kinds of results. Operations of one kind use accumulators in turn; sharing between kinds would create
 * denormal numbers, which cost a processor over 100 cycles each. */
enum accumulators {
    ACCUMULATE_SCALAR,
    ACCUMULATE_VECTOR,
    ACCUMULATE_FLOAT,
    ACCUMULATE_DOUBLE,
    ACCUMULATE_KINDS
};

static inline bool operation_is(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_OPERATION;
}

/* True for operations, and for stores with data: registers hold the words that the behaviour uses in turn. */
bool operation_has_operands(const struct behaviour *item);

/* True if vector registers hold its words. */
bool operation_has_vectors(const struct behaviour *item);

/* The kind of an operation's results, or of the words of a store with data. */
enum accumulators operation_kind(const struct behaviour *item);

/* The row for an instance on the machine, or NULL. */
const struct form *operation_form(const struct template *templates, const struct machine *machine,
                                  const struct behaviour *item, bool dependent, bool starts);

/* The row of that name whose feature the machine has, or NULL. */
const struct form *operation_row(const struct template *templates, const struct machine *machine,
                                 const char *name);

/* Finds the plain row of each operation on the machine. STATUS_RECIPE, with the op, its width and the missing
 * feature or form, if the machine cannot run one as the recipe states it. Needed before a plan is made,
 * because it determines the operations' kinds. */
enum status operations_resolve(struct kernel *kernel, const struct machine *machine,
                               const struct template *templates, struct error *error);

/* True for operations that use the divider's registers, which operands then cannot use. */
bool operation_divides(const struct behaviour *item);

/* Bytes of the widest operand in a vector register: 8 and up; 0: there is none. */
unsigned operations_widest(const struct kernel *kernel);

/* Bytes of the widest vector of an operation or an access: 16 and up; 0: there is none. */
unsigned operations_widest_vector(const struct kernel *kernel);

/* True if the kernel has floating-point operations on the recipe's data or on loaded values, which may be
 * denormal numbers. */
bool operations_flush(const struct kernel *kernel);

#endif
