#include "generator/plan/memory/plan_shared.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/rational.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 8, STATE_ALIGN = 64 };

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

/* The end, in its region, of the bytes that the behaviour's accesses touch in all copies. */
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
    uint64_t at = rational_round_up(plan->memory.bytes, page);
    plan->shared.mappings[plan->shared.mapping_count++] =
        (struct shared_mapping){at, rational_round_up(bytes, page), file_at};
    plan->memory.bytes = at + rational_round_up(bytes, page);
}

/* Maps the regions that the kernel uses. Others, which another core's kernel uses, have a mapping of 0 bytes.
 */
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

/* The lines that loads with coherence touch in a window. Another core prepares all lines from the first to
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
        uint64_t end = rational_round_up(last + item->width, shared->line);
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
    plan->shared.state = rational_round_up(plan->memory.bytes, STATE_ALIGN);
    plan->memory.bytes = plan->shared.state + rational_round_up(SHARED_STATES * WORD_BYTES, STATE_ALIGN);
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

/* ---- the rates of shared accesses ---- */

enum { COMMON_WORD_BYTES = 4, MOST_TOUCHES = 1 << 22 };

/* A part of a region that an access of a copy touches; an access may touch two words. */
struct shared_touch {
    uint64_t part;
    unsigned region, copy;
    size_t access;
};

static int compare_touches(const void *a, const void *b)
{
    const struct shared_touch *left = a, *right = b;
    if (left->region != right->region)
        return left->region < right->region ? -1 : 1;
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    return (left->copy > right->copy) - (left->copy < right->copy);
}

/* Places of the behaviour's accesses in a pass: one for all, or one for each. */
static unsigned places_of(const struct plan *plan, const struct behaviour *item)
{
    return item->shared.stride == 0 ? 1 : plan->sizing.units * item->count;
}

/* The places of all copies; 0 if it depends on the pass which lines are shared: a walk meets accesses that
 * stay in place. */
static double count_places(const struct plan *plan, unsigned copies)
{
    const struct kernel *kernel = plan->kernel;
    bool walks[MOST_REGIONS] = {false}, apart[MOST_REGIONS] = {false};
    double places = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_SHARED)
            continue;
        walks[item->shared.region] = walks[item->shared.region] || item->shared.working_set > 0;
        apart[item->shared.region] = apart[item->shared.region] || item->shared.apart > 0;
        places += (double)copies * places_of(plan, item);
    }
    for (unsigned region = 0; region < MOST_REGIONS; region++)
        if (walks[region] && apart[region])
            return 0;
    return places;
}

/* One pass of a walk represents all passes, because the copies walk through the same lines. */
static size_t find_touches(const struct plan *plan, unsigned copies, unsigned bytes,
                           struct shared_touch *touches, double *accesses)
{
    size_t count = 0, access = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (item->kind != BEHAVIOUR_SHARED)
            continue;
        unsigned places = places_of(plan, item);
        for (unsigned place = 0; place < places * copies; place++, access++) {
            uint64_t at = item->shared.offset + place % places * item->shared.stride +
                          place / places * item->shared.apart;
            accesses[access] = (double)plan->sizing.units * item->count / places;
            for (uint64_t part = at / bytes; part <= (at + item->width - 1) / bytes; part++)
                touches[count++] = (struct shared_touch){part, item->shared.region, place / places, access};
        }
    }
    return count;
}

/* The share of all copies' accesses that touch a part of so many bytes that another copy touches, too. */
static double share_common(const struct plan *plan, unsigned copies, size_t places, unsigned bytes)
{
    struct shared_touch *touches = memory_zeroed(2 * places, sizeof *touches);
    double *accesses = memory_zeroed(places, sizeof *accesses);
    bool *common = memory_zeroed(places, sizeof *common);
    size_t count = find_touches(plan, copies, bytes, touches, accesses);
    double part = 0, whole = 0;
    qsort(touches, count, sizeof *touches, compare_touches);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && touches[end].part == touches[first].part &&
               touches[end].region == touches[first].region)
            end++;
        for (size_t i = first; touches[first].copy != touches[end - 1].copy && i < end; i++)
            common[touches[i].access] = true;
    }
    for (size_t i = 0; i < places; i++) {
        part += common[i] ? accesses[i] : 0;
        whole += accesses[i];
    }
    free(touches);
    free(accesses);
    free(common);
    return part / whole;
}

static void promise(struct plan *plan, const char *metric, double value)
{
    rates_add(&plan->arena, &plan->rates.targets, metric, value);
    rates_add(&plan->arena, &plan->rates.expected, metric, value);
}

void plan_promise_shared(struct plan *plan, unsigned copies)
{
    static const char *const left[] = {[COHERENCE_MODIFIED] = "coherence.left_modified",
                                       [COHERENCE_EXCLUSIVE] = "coherence.left_exclusive",
                                       [COHERENCE_SHARED] = "coherence.left_shared"};
    if (plan->shared.mapping_count == 0)
        return;
    double places = copies > 1 ? count_places(plan, copies) : 0;
    if (plan->shared.coherence != COHERENCE_NONE)
        promise(plan, left[plan->shared.coherence], 1);
    if (places > 0 && 2 * places <= MOST_TOUCHES) {
        promise(plan, "coherence.common_lines",
                share_common(plan, copies, (size_t)places, plan->machine->l1d.line));
        promise(plan, "coherence.common_words",
                share_common(plan, copies, (size_t)places, COMMON_WORD_BYTES));
    }
    promise(plan, "coherence.placed", 1);
}
