#include "generator/plan/gpu/gpu_async.h"

#include "base/rational.h"
#include "base/units.h"

/* Stages if the recipe states none, reduced until loads that nothing consumes have room. Groups that a wait
 * can leave under way (ptxas turns larger numbers into 63). */
enum { USUAL_STAGES = 4, MOST_PENDING = 63 };

/* Bulk copies are multiples of BULK_BYTES; an mbarrier has PHASE_BYTES. */
enum { BULK_BYTES = 16, PHASE_BYTES = 8 };

uint64_t gpu_ring_step(const struct gpu_plan *plan, unsigned item)
{
    return (uint64_t)plan->threads * plan->kernel->items[item].width;
}

uint64_t gpu_ring_bytes(const struct gpu_plan *plan, unsigned item)
{
    const struct gpu_ring *ring = &plan->rings[item];
    return (uint64_t)ring->stages * ring->copies * gpu_ring_step(plan, item);
}

uint64_t gpu_ring_copied(const struct gpu_plan *plan, unsigned item, unsigned number)
{
    const struct gpu_ring *ring = &plan->rings[item];
    return number % (ring->stages * ring->copies) * gpu_ring_step(plan, item);
}

uint64_t gpu_ring_read(const struct gpu_plan *plan, unsigned item, unsigned unit)
{
    const struct gpu_ring *ring = &plan->rings[item];
    return (((uint64_t)unit + 1) % ring->stages * ring->copies + ring->copies - 1) *
           gpu_ring_step(plan, item);
}

/* A bulk load's mbarriers, one for each stage, lie behind its ring. */
static uint64_t ring_room(const struct gpu_plan *plan, unsigned item)
{
    const struct gpu_ring *ring = &plan->rings[item];
    return rational_round_up(gpu_ring_bytes(plan, item), GPU_SHARED_ALIGN) +
           (ring->bulk ? rational_round_up((uint64_t)ring->stages * PHASE_BYTES, GPU_SHARED_ALIGN) : 0);
}

uint64_t gpu_ring_phase(const struct gpu_plan *plan, unsigned item, unsigned stage)
{
    return rational_round_up(gpu_ring_bytes(plan, item), GPU_SHARED_ALIGN) + (uint64_t)stage * PHASE_BYTES;
}

unsigned gpu_ring_stage(const struct gpu_plan *plan, unsigned item, unsigned unit)
{
    return unit % plan->rings[item].stages;
}

unsigned gpu_ring_parity(const struct gpu_plan *plan, unsigned item, int unit)
{
    int stages = (int)plan->rings[item].stages;
    return unit < 0 ? 1 : (unsigned)(unit / stages) % 2;
}

/* Finds which loads are read and how many groups a unit has. */
static void find_groups(struct gpu_plan *plan)
{
    const struct kernel *kernel = plan->kernel;
    struct gpu_ring *last = NULL; /* of the last load */
    bool open = false;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_LOAD) {
            last = item->async ? &plan->rings[i] : NULL;
            open = open || (item->async && !item->bulk);
            plan->rings[i].copies = item->async ? item->count : 0;
            plan->rings[i].bulk = item->bulk;
        }
        if (item->kind == BEHAVIOUR_LOAD && item->async && item->address == ADDRESS_CHASE) {
            plan->rings[i].copies = 1; /* which is read at its end */
            plan->rings[i].read = true;
            last = NULL;
        }
        if (item->kind == BEHAVIOUR_STORE && item->returns)
            last = NULL;
        if (item->kind != BEHAVIOUR_OPERATION || item->dependents == 0 || last == NULL)
            continue;
        last->read = true;
        last = NULL;
        plan->groups += open;
        open = false;
    }
    plan->groups += open;
}

/* Sets the stages of loads without stated ones to `usual`. Returns the bytes of shared memory that all rings
 * need. */
static uint64_t set_stages(struct gpu_plan *plan, unsigned usual)
{
    uint64_t bytes = 0;
    for (unsigned i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        struct gpu_ring *ring = &plan->rings[i];
        if (ring->copies == 0)
            continue;
        ring->stages = item->stages > 0 ? item->stages : ring->read ? 1 : usual;
        bytes += ring_room(plan, i);
    }
    return bytes;
}

/* Bytes of shared memory that a block can use for rings: what its own streams leave, if all blocks of the
 * multiprocessor have as much. */
static uint64_t room(const struct gpu_plan *plan)
{
    uint64_t own = plan->machine->gpu.shared, all = plan->machine->l1d.size / 2 / plan->resident;
    bool served = false;
    for (size_t i = 0; i < plan->kernel->count; i++)
        served =
            served ||
            (behaviour_accesses(&plan->kernel->items[i]) &&
             (plan->kernel->items[i].served[GPU_SHARED] > 0 || plan->kernel->items[i].served[GPU_DSMEM] > 0));
    own = served ? own / 2 : own;
    return own < all ? own : all;
}

/* Checks that a bulk copy of adjacent bytes can serve all threads of a block. */
static enum status check_bulk(const struct gpu_plan *plan, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!behaviour_accesses(item) || !item->bulk)
            continue;
        if (kernel->place.side != NULL)
            return error_set(error, STATUS_RECIPE,
                             "%s.source is \"tma\" with place.side: a bulk copy is for a whole block, and "
                             "each of its warps walks its side of L2 by itself; expected %sno side",
                             item->op,
                             item->kind == BEHAVIOUR_LOAD && item->address != ADDRESS_CHASE
                                 ? "source = \"async\", or "
                                 : "no source, or ");
        uint64_t row = (uint64_t)plan->threads * item->width;
        bool chase = item->address == ADDRESS_CHASE;
        if (chase && item->stride > 0 && item->stride < row)
            return error_set(
                error, STATUS_RECIPE,
                "%s.stride is %llu bytes, and a bulk copy of %u threads takes %llu side by side, "
                "all of which lead to the same next ones; expected a stride of at least that",
                item->op, (unsigned long long)item->stride, plan->threads, (unsigned long long)row);
        if (row % BULK_BYTES != 0 && chase)
            return error_set(
                error, STATUS_RECIPE,
                "%s.source is \"tma\" with address = \"chase\": %u threads copy %u bytes each, and "
                "a bulk copy is a multiple of %d bytes; expected a multiple of %u threads",
                item->op, plan->threads, item->width, BULK_BYTES, BULK_BYTES / item->width);
        if (row % BULK_BYTES != 0)
            return error_set(error, STATUS_RECIPE,
                             "%s.source is \"tma\": %u threads copy %u bytes each, and a bulk copy is a "
                             "multiple of %d bytes; expected width = %d, or a multiple of %u threads",
                             item->op, plan->threads, item->width, BULK_BYTES, BULK_BYTES,
                             BULK_BYTES / item->width);
    }
    return STATUS_OK;
}

enum status gpu_async_make(struct gpu_plan *plan, struct error *error)
{
    const struct kernel *kernel = plan->kernel;
    bool any = false;
    for (size_t i = 0; i < kernel->count; i++)
        any = any || (kernel->items[i].kind == BEHAVIOUR_LOAD && kernel->items[i].async);
    if (check_bulk(plan, error) != STATUS_OK)
        return STATUS_RECIPE;
    if (!any)
        return STATUS_OK;
    plan->rings = arena_alloc(&plan->arena, kernel->count, sizeof *plan->rings);
    find_groups(plan);
    unsigned usual = USUAL_STAGES;
    while (set_stages(plan, usual) > room(plan) && usual > 1)
        usual /= 2;
    for (size_t i = 0; i < kernel->count; i++) {
        struct gpu_ring *ring = &plan->rings[i];
        if (ring->copies == 0 || ring->bulk)
            continue;
        ring->pending = ring->read ? (ring->stages - 1) * plan->groups : ring->stages * plan->groups - 1;
        if (ring->pending > MOST_PENDING)
            return error_set(error, STATUS_RECIPE,
                             "load.stages is %u, and the copies of a unit form %u groups: a thread can wait "
                             "with at most %d groups under way; expected at most %u stages",
                             ring->stages, plan->groups, MOST_PENDING, MOST_PENDING / plan->groups);
    }
    return STATUS_OK;
}

unsigned gpu_async_turn(const struct gpu_plan *plan)
{
    uint64_t turn = 1;
    for (size_t i = 0; plan->rings != NULL && i < plan->kernel->count; i++)
        if (plan->rings[i].copies > 0)
            turn = rational_lcm(turn, (plan->rings[i].bulk ? 2 : 1) * (uint64_t)plan->rings[i].stages);
    return (unsigned)turn;
}

enum status gpu_async_lay(struct gpu_plan *plan, struct error *error)
{
    char needs[32], has[32];
    for (unsigned i = 0; plan->rings != NULL && i < plan->kernel->count; i++) {
        if (plan->rings[i].copies == 0)
            continue;
        plan->rings[i].offset = plan->shared;
        plan->shared += ring_room(plan, i);
    }
    uint64_t outgoing = 0;
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        uint64_t row = (uint64_t)plan->threads * stream->width;
        outgoing = stream->store && stream->bulk && row > outgoing ? row : outgoing;
    }
    plan->outgoing = plan->shared;
    plan->shared += rational_round_up(outgoing, GPU_SHARED_ALIGN);
    plan->tiles.offset = plan->shared;
    plan->shared += gpu_tiles_bytes(&plan->tiles);
    uint64_t all = plan->shared * plan->resident, least = plan->machine->l1d.size;
    if ((plan->rings == NULL && outgoing == 0) || all < least || plan->shared > plan->machine->gpu.shared)
        return STATUS_OK; /* gpu_shared_check refuses a single block that needs too much */
    return error_set(
        error, STATUS_RECIPE,
        "source is \"async\" or \"tma\": all blocks of a multiprocessor (%u) need %s of shared memory, "
        "and L1 and shared memory have %s together; expected fewer stages, threads or blocks",
        plan->resident, units_format_size(all, needs, sizeof needs),
        units_format_size(least, has, sizeof has));
}
