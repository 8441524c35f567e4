#include "generator/plan/registers.h"

#include "generator/kernel/operations.h"
#include "generator/kernel/throttle.h"
#include "generator/plan/code/branches.h"

#include <string.h>

/* Accumulators that a text which does not name its registers leaves to operations. */
enum { LEAVE = 2 };

static struct pool *find(const struct registers *registers, const char *role)
{
    for (size_t i = 0; i < registers->pool_count; i++)
        if (strcmp(registers->pools[i].role, role) == 0)
            return &registers->pools[i];
    return NULL;
}

const struct pool *registers_pool(const struct registers *registers, const char *role)
{
    return find(registers, role);
}

enum { MOST_TAKEN = 64 };

static bool is_taken(const char *const *taken, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(taken[i], name) == 0)
            return true;
    return false;
}

/* Registers taken so far. */
struct takings {
    const char *names[MOST_TAKEN];
    unsigned count;
};

/* True if each role has as many as it wants. */
static bool take_all(const struct registers *registers, const struct register_demand *demands, size_t count,
                     struct takings *taken)
{
    bool all = true;
    for (size_t d = 0; d < count; d++) {
        const struct pool *pool = find(registers, demands[d].role);
        unsigned wanted = demands[d].count;
        for (unsigned i = 0; pool != NULL && i < pool->count && wanted > 0 && taken->count < MOST_TAKEN;
             i++) {
            if (is_taken(taken->names, taken->count, pool->registers[i]))
                continue;
            taken->names[taken->count++] = pool->registers[i];
            wanted--;
        }
        all = all && (wanted == 0 || pool == NULL);
    }
    return all;
}

bool registers_suffice(const struct registers *registers, const struct register_demand *demands, size_t count)
{
    struct takings taken = {.count = 0};
    return take_all(registers, demands, count, &taken);
}

unsigned registers_left(const struct registers *registers, const struct register_demand *demands,
                        size_t count, const char *role)
{
    struct takings taken = {.count = 0};
    (void)take_all(registers, demands, count, &taken);
    unsigned left = 0;
    const struct pool *pool = find(registers, role);
    for (unsigned i = 0; pool != NULL && i < pool->count; i++)
        left += !is_taken(taken.names, taken.count, pool->registers[i]);
    return left;
}

/* With a single register, independent operations would wait for each other. Each chain has its own, and
 * operations that wait for loads need only one. */
unsigned registers_operations_need(const struct kernel *kernel)
{
    unsigned need[2] = {0};
    for (int d = 0; d < 2; d++) {
        unsigned chains = 0, others = 0;
        for (size_t i = 0; i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            bool has = operation_is(item) && (d == 0 ? item->dependents < item->count : item->dependents > 0);
            bool scalar =
                has && behaviour_can(item, FORM_ACCUMULATES) && operation_kind(item) == ACCUMULATE_SCALAR;
            need[d] |= has;
            chains += scalar && item->chain > 0;
            others |= scalar && item->chain == 0 ? 2 - (unsigned)d : 0;
        }
        need[d] = chains + others > need[d] ? chains + others : need[d];
    }
    return need[0] + need[1];
}

/* ---- lists without the texts' registers ---- */

static void take_out(struct pool *pool, const char *name)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < pool->count; i++)
        if (strcmp(pool->registers[i], name) != 0)
            pool->registers[kept++] = pool->registers[i];
    pool->count = kept;
}

static void take_from_all(struct registers *registers, const char *name, const struct pool *but)
{
    for (size_t i = 0; i < registers->pool_count; i++)
        if (&registers->pools[i] != but)
            take_out(&registers->pools[i], name);
}

static void copy_pools(const struct template *templates, struct arena *arena, struct registers *registers)
{
    registers->pool_count = templates->pool_count;
    registers->pools = arena_alloc(arena, templates->pool_count, sizeof *registers->pools);
    for (size_t i = 0; i < templates->pool_count; i++) {
        const struct pool *from = &templates->pools[i];
        struct pool *pool = &registers->pools[i];
        *pool = *from;
        pool->registers = arena_alloc(arena, templates->isa->register_count, sizeof *pool->registers);
        memcpy(pool->registers, from->registers, from->count * sizeof *pool->registers);
    }
}

static bool has_pointer(const struct behaviour *item)
{
    return behaviour_points(item) ||
           (item->kind == BEHAVIOUR_SHARED && strcmp(item->shared.how, "shared_chase") == 0);
}

static bool is_branch(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_BRANCH && item->count > 0;
}

static bool has_instances(const struct behaviour *item)
{
    return operation_is(item) && (item->count > 0 || item->dependents > 0);
}

static bool has_operands(const struct behaviour *item)
{
    return operation_has_operands(item) && item->has_data;
}

static bool is_shared(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_SHARED;
}

static bool accesses(const struct behaviour *item)
{
    return behaviour_accesses(item) || is_shared(item);
}

static bool stores(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_STORE || is_shared(item);
}

static bool is_code(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_CODE;
}

static bool has_place(const struct behaviour *item)
{
    return accesses(item) || is_code(item);
}

static bool is_throttle(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_THROTTLE;
}

static bool is_vector(const struct behaviour *item)
{
    return item->width > 8 && (operation_is(item) || behaviour_accesses(item));
}

/* Roles that only kernels with such behaviours need. If a role is unused, its first registers are available
 * to texts. */
static const struct {
    const char *role;
    bool (*used)(const struct behaviour *item);
} sometimes_used[] = {{"pointer", has_pointer},
                      {"random", is_branch},
                      {"multiplier", is_branch},
                      {"goal", behaviour_has_goal},
                      {"quotient", operation_divides},
                      {"remainder", operation_divides},
                      {"accumulator", has_instances},
                      {"operand", has_operands},
                      {"stored", stores},
                      {"place", has_place},
                      {"anchor", accesses},
                      {"turn", accesses},
                      {"spare", accesses},
                      {"rotating", accesses},
                      {"copy", is_code},
                      {"copy_turn", is_code},
                      {"idle", is_throttle},
                      {"vector_value", is_vector},
                      {"vector_stored", is_vector},
                      {"address", is_vector},
                      {"compared", is_shared}};

enum { SOMETIMES_USED = sizeof sometimes_used / sizeof sometimes_used[0], SOMETIMES_GIVEN = 4 };

static bool is_used(const char *role, const struct kernel *kernel)
{
    for (size_t i = 0; i < SOMETIMES_USED; i++)
        if (strcmp(sometimes_used[i].role, role) == 0)
            return kernel_any(kernel, sometimes_used[i].used);
    return true;
}

/* One register suffices if no indirect branch is random, unless the back edge needs one, too. */
static bool needs_two_goals(const struct kernel *kernel, const struct registers *registers)
{
    bool two = find(registers, "back_goal") != NULL;
    for (size_t i = 0; i < kernel->count; i++)
        two = two || (behaviour_is_indirect(&kernel->items[i]) && kernel->items[i].accuracy < 1);
    return two;
}

/* Reserves the registers of indirect branches' targets, which are also in the lists of other roles. */
static void keep_goals(const struct kernel *kernel, struct registers *registers)
{
    struct pool *goals = find(registers, "goal");
    if (goals != NULL && !kernel_any(kernel, behaviour_has_goal))
        goals->count = 0;
    if (goals != NULL && goals->count > 1 && !needs_two_goals(kernel, registers))
        goals->count = 1;
    for (unsigned i = 0; goals != NULL && i < goals->count; i++)
        take_from_all(registers, goals->registers[i], goals);
}

/* Roles that need a register and have none left take the last accumulators. */
static enum status refill(const struct template *templates, const struct kernel *kernel,
                          struct registers *registers, struct error *error)
{
    const struct pool *accumulators = find(registers, "accumulator");
    for (size_t i = 0; i < registers->pool_count; i++) {
        struct pool *pool = &registers->pools[i];
        bool goals = strcmp(pool->role, "goal") == 0 && needs_two_goals(kernel, registers);
        struct register_use use;
        const char *first = templates->pools[i].registers[0];
        if (pool->count > goals || !is_used(pool->role, kernel))
            continue;
        if (accumulators == NULL || !templates->isa->text_rules->read_register(first, strlen(first), &use) ||
            use.kind != 'r' || accumulators->count == 0)
            return error_set(error, STATUS_RECIPE, "asm.registers leaves none for the kernel's %s",
                             pool->role);
        for (unsigned j = accumulators->count; j-- > 0 && pool->count < templates->isa->register_count;)
            pool->registers[pool->count++] = accumulators->registers[j];
    }
    return STATUS_OK;
}

/* ---- the texts' registers ---- */

struct giving {
    const struct isa *isa;
    const struct kernel *kernel;
    struct registers *registers;
    struct arena *arena;
    struct error *error;
};

static enum status give_named(struct giving *giving, size_t item)
{
    const struct text_rules *rules = giving->isa->text_rules;
    const struct behaviour *text = &giving->kernel->items[item];
    for (unsigned i = 0; i < text->registers; i++) {
        const char *name = text->register_names[i];
        struct register_use *use = &giving->registers->given[item][i];
        char whole[8];
        if (!rules->read_register(name, strlen(name), use))
            return error_set(giving->error, STATUS_RECIPE,
                             "asm.registers: %.40s is not a general, vector or mask register of %s", name,
                             giving->isa->name);
        struct register_use widest = *use;
        widest.bits = use->kind == 'v' ? 128 : 64;
        (void)rules->write_register(&widest, whole);
        for (const struct fixed_register *fixed = rules->fixed; fixed->name != NULL; fixed++)
            if (strcmp(fixed->name, whole) == 0)
                return error_set(giving->error, STATUS_RECIPE, "asm.registers: %s cannot be given: it %s",
                                 name, fixed->use);
        for (unsigned j = 0; j < i; j++)
            if (giving->registers->given[item][j].kind == use->kind &&
                giving->registers->given[item][j].number == use->number)
                return error_set(giving->error, STATUS_RECIPE,
                                 "asm.registers: %s is the same register as %s: expected each register once",
                                 name, text->register_names[j]);
        take_from_all(giving->registers, whole, NULL);
    }
    return STATUS_OK;
}

/* True if the register is the only one of a role of the kernel. */
static bool is_needed(const struct giving *giving, const char *name)
{
    for (size_t i = 0; i < giving->registers->pool_count; i++) {
        const struct pool *pool = &giving->registers->pools[i];
        if (pool->count == 1 && strcmp(pool->registers[0], name) == 0 && is_used(pool->role, giving->kernel))
            return true;
    }
    return false;
}

/* The last accumulator while there are spare ones, or a register of an unused role; NULL if there is none. */
static const char *spare_one(const struct giving *giving)
{
    const struct pool *pool = find(giving->registers, "accumulator");
    unsigned need = registers_operations_need(giving->kernel);
    unsigned leave = need > 0 && need < LEAVE ? LEAVE : need;
    if (pool != NULL && pool->count > leave)
        return pool->registers[pool->count - 1];
    for (size_t i = 0; i < SOMETIMES_GIVEN; i++) {
        pool = find(giving->registers, sometimes_used[i].role);
        if (pool == NULL || kernel_any(giving->kernel, sometimes_used[i].used))
            continue;
        for (unsigned j = 0; j < pool->count; j++)
            if (!is_needed(giving, pool->registers[j]))
                return pool->registers[j];
    }
    return NULL;
}

static enum status give_any(struct giving *giving, size_t item)
{
    const struct behaviour *text = &giving->kernel->items[item];
    for (unsigned i = 0; i < text->registers; i++) {
        const char *name = spare_one(giving);
        if (name == NULL) {
            error_set(giving->error, STATUS_RECIPE, "asm.registers is %u: this kernel can give %u",
                      text->registers, i);
            error_hint(giving->error, "vector registers are given by name: registers = %s",
                       giving->isa->text_rules->example);
            return STATUS_RECIPE;
        }
        (void)giving->isa->text_rules->read_register(name, strlen(name), &giving->registers->given[item][i]);
        take_from_all(giving->registers, name, NULL);
    }
    return STATUS_OK;
}

/* Chooses one register for all texts that consume loads, as each text copies the value first. */
static enum status give_loaded(struct giving *giving)
{
    const struct kernel *kernel = giving->kernel;
    struct register_use loaded = {0};
    const char *name = NULL;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_ASM || !item->consumes)
            continue;
        if (name == NULL) {
            name = spare_one(giving);
            if (name == NULL) {
                error_set(giving->error, STATUS_RECIPE,
                          "asm's {loaded} needs a register, and the kernel leaves none: expected fewer "
                          "asm.registers, or fewer behaviours in the unit");
                return behaviour_at_recipe(item, giving->error);
            }
            (void)giving->isa->text_rules->read_register(name, strlen(name), &loaded);
            take_from_all(giving->registers, name, NULL);
        }
        giving->registers->given[i][item->registers] = loaded;
    }
    return STATUS_OK;
}

/* Texts that name registers come first, because the others can have any. */
static enum status give_texts(struct giving *giving)
{
    const struct kernel *kernel = giving->kernel;
    enum status status = STATUS_OK;
    for (unsigned named = 2; named-- > 0;) {
        for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
            const struct behaviour *item = &kernel->items[i];
            if (item->kind != BEHAVIOUR_ASM || (item->register_names != NULL) != named)
                continue;
            giving->registers->given[i] =
                arena_alloc(giving->arena, item->registers + 1, sizeof **giving->registers->given);
            status = named ? give_named(giving, i) : give_any(giving, i);
            if (status == STATUS_RECIPE)
                status = behaviour_at_recipe(item, giving->error);
        }
    }
    return status == STATUS_OK ? give_loaded(giving) : status;
}

enum status registers_assign(const struct template *templates, const struct kernel *kernel,
                             struct arena *arena, struct registers *registers, struct error *error)
{
    copy_pools(templates, arena, registers);
    keep_goals(kernel, registers);
    registers->given = arena_alloc(arena, kernel->count, sizeof *registers->given);
    struct giving giving = {templates->isa, kernel, registers, arena, error};
    bool texts = false;
    for (size_t i = 0; i < kernel->count; i++)
        texts = texts || kernel->items[i].kind == BEHAVIOUR_ASM;
    if (!texts)
        return STATUS_OK;
    if (templates->isa->text_rules == NULL)
        return error_set(error, STATUS_RECIPE, "asm{}: %s does not accept a recipe's own text",
                         templates->isa->name);
    for (size_t i = 0; i < kernel->count; i++)
        if (behaviour_memory(&kernel->items[i]) > 0 && templates->isa->text_rules->own_address)
            take_from_all(registers, templates->isa->text_rules->address, NULL);
    enum status status = give_texts(&giving);
    return status == STATUS_OK ? refill(templates, kernel, registers, error) : status;
}
