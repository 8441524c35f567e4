/* Which registers a program's roles may take, and which ones users' own texts are given. The rows of
 * templates/<isa>/ list for every role its registers, in the order of choice; what a text is given is in no
 * list, and a role that has lost all of its own may take accumulators'. */
#ifndef GENERATOR_PLAN_REGISTERS_H
#define GENERATOR_PLAN_REGISTERS_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "isa/template.h"

#include <stddef.h>

struct registers {
    struct pool *pools; /* those of the templates, without what is given away */
    size_t pool_count;
    struct register_use **given; /* [kernel->count][behaviour's registers]: those of users' own texts */
};

/* Everything is from the arena. STATUS_RECIPE when a text asks for what it cannot have, with the recipe's
 * file and line where they are known. */
enum status registers_assign(const struct template *templates, const struct kernel *kernel,
                             struct arena *arena, struct registers *registers, struct error *error);

/* The role's registers, or NULL. */
const struct pool *registers_pool(const struct registers *registers, const char *role);

/* Accumulators that the kernel's operations need at least: one for those that wait for loads, one for the
 * others.
 */
unsigned registers_operations_need(const struct kernel *kernel);

#endif
