/* The operations of a kernel, that is, its behaviours that are neither accesses nor branches: which row of
 * the templates each takes on a machine, what is refused, and what their operands hold. */
#ifndef GENERATOR_KERNEL_OPERATIONS_H
#define GENERATOR_KERNEL_OPERATIONS_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"
#include "generator/plan/operand_words.h"
#include "isa/template.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Operations whose results are of one kind take turns with the same accumulators; others would make denormal
 * numbers of them, which cost a processor more than a hundred cycles each. */
enum accumulators {
    ACCUMULATE_SCALAR,
    ACCUMULATE_VECTOR,
    ACCUMULATE_FLOAT,
    ACCUMULATE_DOUBLE,
    ACCUMULATE_KINDS
};

/* True for a behaviour that is neither load, store nor branch. */
static inline bool operation_is(const struct behaviour *item)
{
    return !behaviour_accesses(item) && !item->is_branch && !item->is_asm && !item->is_tlb &&
           !item->is_code && !item->is_throttle;
}

/* True for those, and for stores whose data is said: registers hold the words that it takes in turn. */
bool operation_has_operands(const struct behaviour *item);

/* What the results of an operation are. */
enum accumulators operation_kind(const struct behaviour *item);

/* True when the operation's plain row on the machine has the text, such as "{accumulator". */
bool operation_uses(const struct template *templates, const struct machine *machine,
                    const struct behaviour *item, const char *text);

/* The row of an instance on the machine; NULL when there is none. */
const struct form *operation_form(const struct template *templates, const struct machine *machine,
                                  const struct behaviour *item, bool dependent, bool starts);

/* The row of that name which the machine has the feature for; NULL when there is none. */
const struct form *operation_row(const struct template *templates, const struct machine *machine,
                                 const char *name);

/* STATUS_RECIPE when an operation cannot be what the recipe says on the machine, with the op, its width and
 * the feature or form that is missing. */
enum status operations_check(const struct kernel *kernel, const struct machine *machine,
                             const struct template *templates, struct error *error);

/* Chooses what the operands of each operation hold, for that many units a pass: the recipe's data, else the
 * word of the templates for it; count 0 for those that take the data's address. *words: [kernel->count], from
 * the arena. STATUS_RECIPE when a list is too long for any registers. */
enum status operations_words(const struct kernel *kernel, const struct template *templates, unsigned units,
                             uint64_t seed, struct arena *arena, struct operand_words **words,
                             struct error *error);

/* True when the kernel has divisions of integers, whose operands have registers of their own. */
bool operations_divide(const struct kernel *kernel, const struct machine *machine,
                       const struct template *templates);

/* Bytes of the widest vector that the kernel works with: 16 and up; 0 when it has none. */
unsigned operations_widest(const struct kernel *kernel);

/* True when the kernel has floating-point operations on the recipe's data: bits that may be denormal numbers.
 */
bool operations_flush(const struct kernel *kernel);

/* What recipes may use, for the recipe language: [{"name", "widths": {"8": {"features": [...], "dependents",
 * "chain", "operand", "chain_operand", "divides"}}}]. New reference. */
json_t *operations_describe(const struct template *templates);

#endif
