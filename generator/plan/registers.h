/* Which registers each role of a program may use, and which ones a recipe's own instructions (asm{}) get.
 * templates/<isa>/ lists each role's registers in order of preference. Registers that an asm{} gets are
 * removed from all lists, and a role with none left may use those of accumulators. */
#ifndef GENERATOR_PLAN_REGISTERS_H
#define GENERATOR_PLAN_REGISTERS_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "isa/template.h"

#include <stddef.h>

struct registers {
    struct pool *pools; /* those of the templates, without the registers that texts get */
    size_t pool_count;
    struct register_use *
        *given; /* [kernel->count][behaviour's registers]: those of each asm{}; if it consumes a load, the
                   register for {loaded} follows, the same for all texts */
};

/* Everything is from the arena. STATUS_RECIPE, with the recipe's file and line if known, if a text requests a
 * register that it cannot have. */
enum status registers_assign(const struct template *templates, const struct kernel *kernel,
                             struct arena *arena, struct registers *registers, struct error *error);

/* The role's registers, or NULL. */
const struct pool *registers_pool(const struct registers *registers, const char *role);

/* A number of registers that a role needs. */
struct register_demand {
    const char *role;
    unsigned count;
};

/* True if each role gets as many as it needs, taken from the roles' lists in order. */
bool registers_suffice(const struct registers *registers, const struct register_demand *demands,
                       size_t count);

/* Registers left in the role's list after the demands are met, each from its role's list in order. */
unsigned registers_left(const struct registers *registers, const struct register_demand *demands,
                        size_t count, const char *role);

/* The fewest accumulators that the kernel's operations need: one for each chain, one for operations that wait
 * for loads, and two, used in turn, for all others. */
unsigned registers_operations_need(const struct kernel *kernel);

#endif
