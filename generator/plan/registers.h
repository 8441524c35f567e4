/* Which registers a program's roles may use, and which ones users' own texts get. templates/<isa>/ lists each
 * role's registers in order of preference; registers given to a text are removed from all lists, and a role
 * left with none may use those of accumulators. */
#ifndef GENERATOR_PLAN_REGISTERS_H
#define GENERATOR_PLAN_REGISTERS_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "isa/template.h"

#include <stddef.h>

struct registers {
    struct pool *pools; /* those of the templates, without the given registers */
    size_t pool_count;
    struct register_use **given; /* [kernel->count][behaviour's registers]: those of users' own texts; behind
                                   them {loaded}, one for all texts, where the behaviour consumes a load */
};

/* Everything is from the arena. STATUS_RECIPE, with the recipe's file and line if known, if a text requests a
 * register that it cannot have. */
enum status registers_assign(const struct template *templates, const struct kernel *kernel,
                             struct arena *arena, struct registers *registers, struct error *error);

/* The role's registers, or NULL. */
const struct pool *registers_pool(const struct registers *registers, const char *role);

/* So many registers of a role. */
struct register_demand {
    const char *role;
    unsigned count;
};

/* True if each role has as many as it wants, taken from the roles' lists in order. */
bool registers_suffice(const struct registers *registers, const struct register_demand *demands,
                       size_t count);

/* Registers that the role still has when the demands were met, each from its role's list in order. */
unsigned registers_left(const struct registers *registers, const struct register_demand *demands,
                        size_t count, const char *role);

/* The fewest accumulators that the kernel's operations need: one for each chain and for those that wait for
 * loads, two for others, which take them in turn. */
unsigned registers_operations_need(const struct kernel *kernel);

#endif
