#include "generator/plan/gpu/gpu_dispatch.h"

#include "generator/plan/gpu/gpu_split.h"
#include "isa/gcn/target.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    MOST_NUMBERS = 32, /* of a field: programs keep a bit for each number */
};

/* The share of the machine's units that the place names; 1 if it names none. */
static double part_of(const struct place_list *list, unsigned count)
{
    return list->count == 0 || list->count >= count ? 1 : (double)list->count / count;
}

static bool names(const struct place_list *list, unsigned number)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->numbers[i] == (long long)number)
            return true;
    return list->count == 0;
}

enum { AMD_FIELDS = PLACE_CU + 1 }; /* PLACE_XCC to PLACE_CU */

/* The first number of the list that the field does not have; -1: it has all. */
static long long beyond(const struct place_list *list, unsigned count)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->numbers[i] < 0 || list->numbers[i] >= (long long)count)
            return list->numbers[i];
    return -1;
}

/* The place of a turn: turns go over dies first, then over a die's engines, their arrays, and their units.
 * The last units count as the inactive ones. */
static void find_place(const struct gpu *gpu, unsigned turn, unsigned at[AMD_FIELDS])
{
    unsigned own = turn / gpu->xcc;
    at[0] = turn % gpu->xcc;
    at[1] = own % gpu->se;
    at[2] = own / gpu->se % gpu->sh_per_se;
    at[3] = own / gpu->se / gpu->sh_per_se;
}

bool gpu_dispatch_works(const struct gpu_plan *plan, unsigned block)
{
    const struct gpu *gpu = &plan->machine->gpu;
    unsigned at[AMD_FIELDS];
    find_place(gpu, block % gpu->sm, at);
    for (size_t i = 0; i < AMD_FIELDS; i++)
        if (!names(&plan->kernel->place.of[i], at[i]))
            return false;
    return true;
}

/* Blocks in the place and, if a field is given (another than PLACE_FIELDS), with that number in it. */
static uint64_t count_blocks(const struct gpu_plan *plan, enum place_field field, unsigned number)
{
    const struct gpu *gpu = &plan->machine->gpu;
    uint64_t count = 0;
    for (unsigned turn = 0; turn < gpu->sm && turn < plan->blocks; turn++) {
        unsigned at[AMD_FIELDS];
        find_place(gpu, turn, at);
        bool asked = field == PLACE_FIELDS || (field <= PLACE_CU && at[field] == number);
        if (gpu_dispatch_works(plan, turn) && asked)
            count += (plan->blocks - turn + gpu->sm - 1) / gpu->sm;
    }
    return count;
}

static const struct gcn_room *gcn_room_of(const struct gpu *gpu)
{
    const struct gcn_target *target = gcn_target_named(gpu->arch);
    return target != NULL ? gcn_target_room(target, gpu->wave) : NULL;
}

static bool is_amd(const struct gpu_plan *plan)
{
    return strcmp(plan->machine->isa, "gcn") == 0;
}

double gpu_working_blocks(const struct gpu_plan *plan)
{
    if (is_amd(plan))
        return (double)count_blocks(plan, PLACE_FIELDS, 0);
    return ceil(part_of(&plan->kernel->place.of[PLACE_SM], plan->machine->gpu.sm) * plan->blocks - 1e-9);
}

uint64_t gpu_blocks_in_turn(const struct gpu_plan *plan)
{
    uint64_t count = 0;
    if (is_amd(plan))
        return count_blocks(plan, PLACE_FIELDS, 0);
    for (unsigned block = 0; block < plan->blocks; block++)
        count += names(&plan->kernel->place.of[PLACE_SM], block % plan->machine->gpu.sm);
    return count;
}

uint64_t gpu_dispatch_gap(const struct gpu_plan *plan, bool power)
{
    uint64_t first = UINT64_MAX, last = 0, least = UINT64_MAX, bits = 0;
    for (unsigned block = 0; is_amd(plan) && block < plan->blocks; block++) {
        if (!gpu_dispatch_works(plan, block))
            continue;
        uint64_t gap = block - last;
        if (first == UINT64_MAX) {
            first = block;
        } else {
            least = gap < least ? gap : least;
            bits |= gap;
        }
        last = block;
    }
    if (first == UINT64_MAX)
        return 1;
    uint64_t round = plan->blocks - last + first;
    least = round < least ? round : least;
    bits |= round | plan->blocks;
    return power ? bits & -bits : least;
}

/* Blocks of the place that have the number in the field, assigned in turn. */
static uint64_t blocks_at(const struct gpu_plan *plan, enum place_field field, unsigned number)
{
    unsigned sms = plan->machine->gpu.sm;
    if (is_amd(plan))
        return count_blocks(plan, field, number);
    return number < plan->blocks ? (plan->blocks - number + sms - 1) / sms : 0;
}

double gpu_dispatch_share(const struct gpu_plan *plan, enum place_field field, unsigned number)
{
    uint64_t working = gpu_blocks_in_turn(plan);
    return working > 0 ? (double)blocks_at(plan, field, number) / (double)working : 0;
}

unsigned gpu_dispatch_units(const struct gpu_plan *plan)
{
    return plan->machine->gpu.sm / plan->cluster * plan->cluster;
}

uint64_t gpu_dispatch_threads(const struct gpu_plan *plan, const struct template *templates)
{
    const struct gpu *gpu = &plan->machine->gpu;
    const struct gcn_room *room = gcn_room_of(gpu);
    uint64_t vgprs = 0, threads = plan->threads;
    if (room != NULL && template_word(templates, "vgprs", &vgprs))
        threads = (uint64_t)gcn_room_waves(room, (unsigned)vgprs) * GCN_SIMDS * gpu->wave;
    else
        (void)template_word_of(templates, "resident", gpu->arch, &threads);
    return threads;
}

/* Blocks of the grid that all units run at a time. */
static uint64_t blocks_at_once(const struct gpu_plan *plan)
{
    const struct gcn_room *room = gcn_room_of(&plan->machine->gpu);
    struct gpu_split split;
    uint64_t resident = plan->resident;
    if (plan->shared > 0 && room != NULL && room->lds / plan->shared < resident)
        resident = room->lds / plan->shared;
    while (plan->shared > 0 && resident > 1 && room == NULL &&
           gpu_split_of(plan->machine->gpu.arch, plan->shared, (unsigned)resident, &split) && !split.holds)
        resident--;
    return resident * gpu_dispatch_units(plan);
}

bool gpu_dispatch_even(const struct gpu_plan *plan, enum place_field field)
{
    const struct place_list *list = &plan->kernel->place.of[field];
    if (list->count == 1)
        return true;
    for (size_t i = 1; i < list->count; i++)
        if (blocks_at(plan, field, (unsigned)list->numbers[i]) !=
            blocks_at(plan, field, (unsigned)list->numbers[0]))
            return false;
    return plan->blocks <= blocks_at_once(plan);
}

/* ---- checks ---- */

static enum status check_sms(const struct gpu_plan *plan, const struct place_list *list, struct error *error)
{
    const struct machine *machine = plan->machine;
    unsigned sms = machine->gpu.sm;
    long long wrong = beyond(list, sms), far = beyond(list, plan->blocks);
    if (wrong != -1)
        return error_set(error, STATUS_RECIPE,
                         "place.sm names %lld: the machine %s has the multiprocessors 0 to %u", wrong,
                         machine->name, sms - 1);
    if (far != -1)
        return error_set(
            error, STATUS_RECIPE,
            "place.sm names %lld, and grid.blocks is %u: blocks go to the %u multiprocessors of the machine "
            "%s one after the other, and none may reach that one; expected %u blocks, one for each",
            far, plan->blocks, sms, machine->name, sms);
    return STATUS_OK;
}

static enum status check_fields(const struct gpu_plan *plan, struct error *error)
{
    const struct gpu *gpu = &plan->machine->gpu;
    const char *name = plan->machine->name;
    const unsigned counts[AMD_FIELDS] = {gpu->xcc, gpu->se, gpu->sh_per_se, gpu->cu_per_sh};
    bool any = false;
    for (size_t i = 0; i < AMD_FIELDS; i++) {
        const struct place_list *list = &plan->kernel->place.of[i];
        long long wrong = beyond(list, counts[i] < MOST_NUMBERS ? counts[i] : MOST_NUMBERS);
        if (wrong != -1)
            return error_set(error, STATUS_RECIPE, "place.%s names %lld: the machine %s has 0 to %u",
                             place_fields[i], wrong, name, counts[i] - 1);
        any = any || list->count > 0;
    }
    if (!any || gpu_working_blocks(plan) >= 1)
        return STATUS_OK;
    if (plan->blocks >= gpu->sm)
        return error_set(
            error, STATUS_RECIPE,
            "place names compute units of the machine %s that are inactive: %u of %u are active in each die "
            "(cu_per_xcc), assumed to be the first ones in turn; expected another cu",
            name, gpu->cu_per_xcc, gpu->se * gpu->sh_per_se * gpu->cu_per_sh);
    return error_set(error, STATUS_RECIPE,
                     "grid.blocks is %u: blocks go in turn to the %u compute units of the machine %s, and "
                     "none reaches one that place names; expected %u blocks, one for each",
                     plan->blocks, gpu->sm, name, gpu->sm);
}

enum status gpu_dispatch_check(const struct gpu_plan *plan, struct error *error)
{
    const struct place_list *sms = &plan->kernel->place.of[PLACE_SM];
    return sms->count > 0 ? check_sms(plan, sms, error) : check_fields(plan, error);
}

enum status gpu_dispatch_check_room(const struct gpu_plan *plan, struct error *error)
{
    uint64_t most = blocks_at_once(plan);
    if (gpu_blocks_in_turn(plan) == plan->blocks || plan->blocks <= most)
        return STATUS_OK;
    return error_set(
        error, STATUS_RECIPE,
        "grid.blocks is %u, and the machine %s runs %" PRIu64
        " such blocks at a time: those outside the place end at once, and it is unknown where the "
        "waiting ones then run; expected at most %" PRIu64 " blocks",
        plan->blocks, plan->machine->name, most, most);
}
