#include "generator/plan/memory/plan_shared.h"

#include "base/random.h"
#include "base/rational.h"

#include <inttypes.h>
#include <string.h>

enum { WORD_BYTES = 8, STATE_ALIGN = 64 };

static uint64_t round_up(uint64_t value, uint64_t align)
{
    return (value + align - 1) / align * align;
}

static uint64_t step_of(const struct plan *plan, const struct behaviour *item)
{
    return (uint64_t)plan->sizing.units * item->count * item->shared.stride;
}

static struct shared_base base_of(const struct plan *plan, const struct behaviour *item)
{
    const struct shared_access *access = &item->shared;
    return (struct shared_base){access->region, access->apart, access->working_set,
                                access->working_set > 0 ? step_of(plan, item) : 0, access->window};
}

unsigned plan_shared_base(const struct plan *plan, const struct behaviour *item)
{
    const struct shared_base wanted = base_of(plan, item);
    unsigned i = 0;
    while (i < plan->shared.base_count &&
           (plan->shared.bases[i].region != wanted.region || plan->shared.bases[i].apart != wanted.apart ||
            plan->shared.bases[i].working_set != wanted.working_set ||
            plan->shared.bases[i].step != wanted.step || plan->shared.bases[i].window != wanted.window))
        i++;
    return i;
}

unsigned plan_shared_accesses(const struct plan *plan, const char *op)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (plan->kernel->items[i].kind == BEHAVIOUR_SHARED && strcmp(plan->kernel->items[i].op, op) == 0)
            count += plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

unsigned plan_shared_turns(const struct plan *plan)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (behaviour_is_atomic(&plan->kernel->items[i], "turn"))
            count += plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

static void find_bases(struct plan *plan)
{
    const struct kernel *kernel = plan->kernel;
    plan->shared.bases = arena_alloc(&plan->arena, kernel->count, sizeof *plan->shared.bases);
    plan->shared.base_count = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_SHARED && plan_shared_base(plan, item) == plan->shared.base_count)
            plan->shared.bases[plan->shared.base_count++] = base_of(plan, item);
    }
}

/* The end of what all copies' accesses of the behaviour touch, in its region. */
static uint64_t end_of(const struct plan *plan, const struct behaviour *item, unsigned copies)
{
    const struct shared_access *access = &item->shared;
    uint64_t moves = access->working_set > 0 ? access->working_set : step_of(plan, item);
    uint64_t last = moves > access->stride ? moves - access->stride : 0;
    return access->offset + last + (copies - 1) * access->apart + item->width;
}

static enum status check_place(const struct plan *plan, const struct behaviour *item, const struct isa *isa,
                               unsigned copies, struct error *error)
{
    const struct shared_access *access = &item->shared;
    uint64_t step = step_of(plan, item);
    uint64_t last = access->offset + (step > access->stride ? step - access->stride : 0);
    if (access->working_set > 0 && access->window % step != 0) {
        error_set(error, STATUS_RECIPE,
                  "%s.%s is %" PRIu64 ": a pass advances by %u units * count * stride = %" PRIu64 " bytes",
                  item->op, access->window < access->working_set ? "window" : "working_set", access->window,
                  plan->sizing.units, step);
        error_hint(error, "expected a multiple of it, or loop = { units = 1 }");
        return STATUS_RECIPE;
    }
    if (end_of(plan, item, copies) >= REGION_SPAN)
        return error_set(error, STATUS_RECIPE,
                         "%s.shared: the accesses of %u copies end %" PRIu64
                         " MiB into the region: expected less than 2 GiB",
                         item->op, copies, end_of(plan, item, copies) >> 20);
    if (shared_reaches(item, isa, last))
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "%s.shared: the last access of a pass is %" PRIu64
              " bytes behind the first, beyond the reach of %s",
              item->op, last, isa->name);
    error_hint(
        error,
        "a smaller offset, stride, count or loop.units brings it within reach; working_set walks farther");
    return STATUS_RECIPE;
}

/* Adds a mapping behind the data. */
static void map(struct plan *plan, const struct isa *isa, uint64_t bytes, uint64_t file_at)
{
    uint64_t page = isa->load_align;
    uint64_t at = round_up(plan->memory.bytes, page);
    plan->shared.mappings[plan->shared.mapping_count++] =
        (struct shared_mapping){at, round_up(bytes, page), file_at};
    plan->memory.bytes = at + round_up(bytes, page);
}

/* Regions that the kernel does not use, as another core's does, are not mapped: 0 bytes. */
static void map_regions(struct plan *plan, const struct isa *isa, unsigned copies)
{
    plan->shared.mapping_count = 0;
    map(plan, isa, WORD_BYTES, 0);
    for (unsigned region = 0; region < plan->kernel->region_count; region++) {
        uint64_t end = 0;
        for (size_t i = 0; i < plan->kernel->count; i++) {
            const struct behaviour *item = &plan->kernel->items[i];
            if (item->kind != BEHAVIOUR_SHARED || item->shared.region != region)
                continue;
            uint64_t ends = end_of(plan, item, copies);
            end = ends > end ? ends : end;
        }
        map(plan, isa, end, (1 + region) * REGION_SPAN);
    }
}

/* The offset of each access of a pass, in the order of the recipe or shuffled. */
static void place_slots(struct plan *plan, unsigned item, struct random *random)
{
    const struct behaviour *behaviour = &plan->kernel->items[item];
    const struct shared_access *access = &behaviour->shared;
    unsigned count = plan->sizing.units * behaviour->count;
    uint32_t *order = arena_alloc(&plan->arena, count, sizeof *order);
    for (unsigned i = 0; i < count; i++)
        order[i] = i;
    if (access->shuffled && access->stride > 0)
        random_shuffle_numbers(random, order, count);
    unsigned next = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].item == item && next < count)
            plan->slots[i].shared_offset = (uint32_t)(access->offset + order[next++] * access->stride);
}

/* The lines that the loads in a given state touch, in a window: another core prepares all from the first to
 * the last. */
static void find_prepared(struct plan *plan)
{
    struct plan_shared *shared = &plan->shared;
    uint64_t from = UINT64_MAX, until = 0;
    shared->line = plan->machine->l1d.line;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        const struct shared_access *access = &item->shared;
        if (item->kind != BEHAVIOUR_SHARED || access->coherence == COHERENCE_NONE)
            continue;
        uint64_t moves = access->working_set > 0 ? access->window : step_of(plan, item);
        uint64_t last = access->offset + moves - (moves > access->stride ? access->stride : moves);
        uint64_t first = access->offset / shared->line * shared->line;
        uint64_t end = round_up(last + item->width, shared->line);
        from = first < from ? first : from;
        until = end > until ? end : until;
        shared->coherent_base = plan_shared_base(plan, item);
        shared->coherence = access->coherence;
        shared->pass_lines +=
            (double)item->count * plan->sizing.units *
            (access->stride < shared->line ? (double)access->stride / (double)shared->line : 1);
    }
    if (until == 0)
        return;
    shared->prepared_first = from;
    shared->prepared_lines = (until - from) / shared->line;
}

enum status plan_place_shared(struct plan *plan, const struct isa *isa, unsigned copies, uint64_t seed,
                              const char *label, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    enum status status = STATUS_OK;
    bool all = plan->memory.huge_from >= plan->memory.bytes;
    plan->shared.mapping_count = 0;
    if (!kernel_has(kernel, BEHAVIOUR_SHARED))
        return STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_SHARED)
            status = check_place(plan, &kernel->items[i], isa, copies, error);
    if (status != STATUS_OK)
        return status;
    struct random random = random_start(seed, label);
    find_bases(plan);
    plan->shared.state = round_up(plan->memory.bytes, STATE_ALIGN);
    plan->memory.bytes = plan->shared.state + round_up(SHARED_STATES * WORD_BYTES, STATE_ALIGN);
    plan->memory.align = rational_lcm(plan->memory.align, isa->load_align);
    map_regions(plan, isa, copies);
    if (all)
        plan->memory.huge_from = plan->memory.bytes;
    for (unsigned i = 0; i < kernel->count; i++) {
        if (kernel->items[i].kind != BEHAVIOUR_SHARED)
            continue;
        place_slots(plan, i, &random);
        plan->shared.chases = plan->shared.chases || behaviour_is_atomic(&kernel->items[i], "shared_chase");
        plan->shared.turns = plan->shared.turns || behaviour_is_atomic(&kernel->items[i], "turn");
    }
    find_prepared(plan);
    return STATUS_OK;
}
