#include "generator/plan/memory/windows.h"

enum { MOST_DEMANDS = 24, ACCUMULATORS = 2 };

static uint64_t power_within(uint64_t bytes)
{
    uint64_t power = 1;
    while (2 * power <= bytes)
        power *= 2;
    return power;
}

/* Bytes behind an address that the ISA's displacements reach, in aligned accesses of that width. *before:
 * bytes in front of it if they are as many, else 0: the fewer are reached only by other instructions, which
 * are not worth using. */
static uint64_t reach_of(const struct isa *isa, unsigned width, uint64_t *before)
{
    uint64_t behind = power_within((uint64_t)isa_farthest(isa, width) + width);
    *before = (uint64_t)-isa_nearest(isa, width) < behind ? 0 : behind;
    return behind;
}

/* Number of operand words, each of which needs a register; a list or a toggle rate has several. */
static unsigned operand_words_in(const struct kernel *kernel, const struct template *templates, uint64_t seed)
{
    struct arena arena = {0};
    struct operand_words *words = NULL;
    unsigned count = 0;
    if (operand_words_choose(kernel, templates, 1, seed, &arena, &words, NULL) == STATUS_OK)
        for (size_t i = 0; i < kernel->count; i++)
            if (operation_kind(&kernel->items[i]) == ACCUMULATE_SCALAR)
                count += words[i].count;
    arena_free(&arena);
    return count;
}

/* Registers that a plan needs besides those of its kernel. */
struct own_demand {
    unsigned bases, anchors, words; /* words: of operands */
    bool changes, computes;         /* some places change; some are computed */
};

/* In the order in which emission_claim() takes them. */
static unsigned demand(const struct plan *plan, const struct own_demand *own,
                       struct register_demand demands[MOST_DEMANDS])
{
    const struct kernel *kernel = plan->kernel;
    bool stores = false;
    bool chases = false;
    bool indirect = false;
    bool code = kernel_code_misses(kernel); /* it has copies */
    unsigned count = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        stores = stores || (item->kind == BEHAVIOUR_STORE && !item->from_vector);
        chases = chases || behaviour_points(item);
        indirect = indirect || behaviour_is_indirect(item);
    }
    unsigned divides = kernel_any(kernel, operation_divides);
    demands[count++] = (struct register_demand){"quotient", divides};
    demands[count++] = (struct register_demand){"remainder", divides};
    demands[count++] = (struct register_demand){"data", 1};
    demands[count++] = (struct register_demand){"pointer", chases};
    demands[count++] = (struct register_demand){"value", 1};
    demands[count++] = (struct register_demand){"random", branches_in_unit(kernel) > 0};
    demands[count++] = (struct register_demand){"multiplier", branches_in_unit(kernel) > 0};
    demands[count++] = (struct register_demand){"goal", indirect ? 2 : 0};
    demands[count++] = (struct register_demand){"back_goal", indirect};
    demands[count++] = (struct register_demand){"mask", indirect};
    demands[count++] = (struct register_demand){"place", code || own->computes};
    demands[count++] = (struct register_demand){"turn", own->changes};
    demands[count++] = (struct register_demand){"spare", own->changes};
    demands[count++] = (struct register_demand){"idle", kernel_has(kernel, BEHAVIOUR_THROTTLE)};
    demands[count++] = (struct register_demand){"address", operations_widest_vector(kernel) > 0};
    demands[count++] = (struct register_demand){"stored", stores};
    demands[count++] = (struct register_demand){"rotating", own->bases};
    demands[count++] = (struct register_demand){"anchor", own->anchors};
    demands[count++] = (struct register_demand){"copy", code};
    demands[count++] = (struct register_demand){"copy_turn", code};
    demands[count++] = (struct register_demand){"operand", own->words};
    return count;
}

void windows_begin(struct plan *plan, const struct template *templates)
{
    const struct isa *isa = templates->isa;
    struct windows *windows = &plan->memory.windows;
    uint64_t most_before = UINT64_MAX;
    uint64_t most_behind = UINT64_MAX;
    *windows = (struct windows){.reached = UINT64_MAX};
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!behaviour_accesses(item))
            continue;
        /* The bytes that accesses of all widths reach. */
        uint64_t before;
        uint64_t behind = reach_of(isa, item->width, &before);
        uint64_t reached = (uint64_t)isa_farthest(isa, item->width) + 1;
        most_before = before < most_before ? before : most_before;
        most_behind = behind < most_behind ? behind : most_behind;
        windows->reached = reached < windows->reached ? reached : windows->reached;
    }
    bool accesses = most_behind < UINT64_MAX;
    windows->before = accesses ? most_before : 0;
    windows->bytes = accesses ? most_before + most_behind : UINT64_MAX;
    if (windows->bytes > INT32_MAX) { /* as far as offsets go */
        *windows = (struct windows){0};
        return;
    }
    struct register_demand demands[MOST_DEMANDS];
    const struct own_demand own = {.words = operand_words_in(plan->kernel, templates, 1)};
    unsigned count = demand(plan, &own, demands);
    windows->most = registers_left(&plan->registers, demands, count, "anchor");
    windows->most = windows->most < ANCHORS_MOST ? windows->most : ANCHORS_MOST;
}

bool windows_needed(const struct plan *plan)
{
    bool stays = !plan->memory.by_rotation && !plan->sizing.rotating && plan->sizing.period == 1;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        bool led = behaviour_chases(item) && (stays || plan->memory.linked);
        if (behaviour_moves(item) && !led)
            return true;
    }
    return false;
}

struct windows windows_left(const struct plan *plan, unsigned bases)
{
    enum { PLACE_TURN_SPARE = 3 };
    struct windows windows = plan->memory.windows;
    bool changes = plan->sizing.schedule_count > 0;
    unsigned taken = bases + (changes ? PLACE_TURN_SPARE : bases > 0);
    windows.most -= taken < windows.most ? taken : windows.most;
    return windows;
}

unsigned windows_fitting(const struct plan *plan, unsigned most)
{
    struct own_demand own = {.bases = plan->memory.base_count,
                             .anchors = most,
                             .changes = plan->sizing.schedule_count > 0,
                             .computes = true};
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        bool scalar = operation_has_operands(item) && operation_kind(item) == ACCUMULATE_SCALAR;
        struct operand_word same;
        for (unsigned w = 0; scalar && w < plan->data.operands[i].count; w++)
            own.words += !operand_words_same(plan->kernel, plan->data.operands, i, w, &same);
    }
    unsigned least = registers_operations_need(plan->kernel);
    for (; own.anchors > 0; own.anchors--) {
        struct register_demand demands[MOST_DEMANDS];
        unsigned count = demand(plan, &own, demands);
        demands[count++] =
            (struct register_demand){"accumulator", least < ACCUMULATORS ? ACCUMULATORS : least};
        if (registers_suffice(&plan->registers, demands, count))
            break;
    }
    return own.anchors;
}
