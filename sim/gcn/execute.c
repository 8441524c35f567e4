#include "sim/gcn/execute.h"

#include "base/memory.h"
#include "sim/gcn/hardware.h"
#include "sim/gcn/service.h"
#include "sim/gcn/wave_start.h"
#include "sim/gcn/wave_state.h"
#include "sim/shared_races.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the dispatcher: assigns work-groups to compute units while there is room ---- */

enum { WAVE_MOST_GROUPS = 40 };

struct dispatch_unit {
    unsigned slots[GCN_SIMDS]; /* one bit per slot in use */
    unsigned lds;
    uint64_t groups;
};

struct wave_dispatch {
    const struct wave_chip *chip;
    unsigned waves, lds; /* of a group */
    unsigned unit_lds;
    unsigned slots; /* waves that a SIMD takes */
    unsigned count, next;
    unsigned blocks, placed; /* of the launch; so far */
    struct dispatch_unit *units;
};

static struct wave_dispatch *wave_dispatch_new(const struct wave_chip *chip, const struct wave_kernel *kernel,
                                               unsigned threads, unsigned blocks)
{
    struct wave_dispatch *dispatch = memory_zeroed(1, sizeof *dispatch);
    dispatch->chip = chip;
    dispatch->blocks = blocks;
    dispatch->waves = (threads + kernel->lanes - 1) / kernel->lanes;
    dispatch->lds = kernel->lds_bytes;
    dispatch->unit_lds = kernel->room->lds;
    dispatch->slots = gcn_room_waves(kernel->room, kernel->vgprs);
    dispatch->count = wave_chip_units(chip) - chip->xcc * chip->off;
    dispatch->units = memory_zeroed(wave_chip_units(chip), sizeof *dispatch->units);
    return dispatch;
}

static void wave_dispatch_free(struct wave_dispatch *dispatch)
{
    if (dispatch != NULL)
        free(dispatch->units);
    free(dispatch);
}

/* The place for that turn: over dies first, then shader engines, then arrays, then CUs. */
static struct wave_place place_of(const struct wave_chip *chip, unsigned turn)
{
    unsigned own = turn / chip->xcc;
    struct wave_place place = {.xcc = turn % chip->xcc,
                               .se = own % chip->se,
                               .sh = own / chip->se % chip->sh_per_se,
                               .cu = own / chip->se / chip->sh_per_se};
    place.unit =
        ((place.se * chip->sh_per_se + place.sh) * chip->cu_per_sh + place.cu) * chip->xcc + place.xcc;
    return place;
}

/* Hardware does not define where a round begins, so each is shifted: programs must not derive a work-group's
 * place from its number. An incomplete round gets the first places. */
static unsigned shifted(const struct wave_dispatch *dispatch, unsigned turn)
{
    unsigned left = dispatch->blocks - dispatch->placed / dispatch->count * dispatch->count;
    unsigned size = left < dispatch->count ? left : dispatch->count;
    unsigned shift = size / 2;
    shift += dispatch->chip->se > 1 && shift % dispatch->chip->se == 0;
    shift += dispatch->chip->xcc > 1 && shift % dispatch->chip->xcc == 0;
    return turn < size ? (turn + shift) % size : turn;
}

/* Takes a slot on the SIMD with the fewest waves; false if none is free. */
static bool take(const struct wave_dispatch *dispatch, struct dispatch_unit *unit, struct wave_place *place)
{
    unsigned best = 0;
    for (unsigned i = 1; i < GCN_SIMDS; i++)
        if (__builtin_popcount(unit->slots[i]) < __builtin_popcount(unit->slots[best]))
            best = i;
    for (unsigned slot = 0; slot < dispatch->slots; slot++)
        if ((unit->slots[best] >> slot & 1) == 0) {
            unit->slots[best] |= 1u << slot;
            place->simd = best;
            place->slot = slot;
            return true;
        }
    return false;
}

static bool fits(const struct wave_dispatch *dispatch, struct dispatch_unit *unit, struct wave_place *places,
                 unsigned *slot)
{
    struct dispatch_unit before = *unit;
    struct wave_place there = places[0];
    for (*slot = 0; *slot < WAVE_MOST_GROUPS && (unit->groups >> *slot & 1) != 0;)
        ++*slot;
    if (*slot == WAVE_MOST_GROUPS || unit->lds + dispatch->lds > dispatch->unit_lds)
        return false;
    for (unsigned i = 0; i < dispatch->waves; i++) {
        places[i] = there;
        if (!take(dispatch, unit, &places[i])) {
            *unit = before;
            return false;
        }
    }
    unit->lds += dispatch->lds;
    unit->groups |= UINT64_C(1) << *slot;
    return true;
}

/* Finds room for a work-group: fills places[waves] with each wave's place, and *slot with the group's number
 * on the CU. False if there is no room now. */
static bool wave_dispatch_place(struct wave_dispatch *dispatch, struct wave_place *places, unsigned *slot)
{
    for (unsigned i = 0; i < dispatch->count; i++) {
        unsigned turn = (dispatch->next + i) % dispatch->count;
        places[0] = place_of(dispatch->chip, shifted(dispatch, turn));
        if (fits(dispatch, &dispatch->units[places[0].unit], places, slot)) {
            dispatch->next = (turn + 1) % dispatch->count;
            dispatch->placed++;
            return true;
        }
    }
    return false;
}

/* Frees the work-group's room. */
static void wave_dispatch_release(struct wave_dispatch *dispatch, const struct wave_place *places,
                                  unsigned slot)
{
    struct dispatch_unit *unit = &dispatch->units[places[0].unit];
    for (unsigned i = 0; i < dispatch->waves; i++)
        unit->slots[places[i].simd] &= ~(1u << places[i].slot);
    unit->lds -= dispatch->lds;
    unit->groups &= ~(UINT64_C(1) << slot);
}

/* ---- the launch ---- */

/* Limits: consecutive instructions of a wave, bytes of code, work-items per group. */
enum { QUANTUM = 64, MOST_CODE = 4 << 20, MOST_THREADS = 1024, MOST_BLOCKS = 1 << 20, MOST_WAVES = 32 };

/* The work-groups on the chip. */
struct wave_grid {
    struct wave_core *core;
    struct wave_dispatch *dispatch;
    struct wave_group *groups; /* [capacity]; block is UINT32_MAX if vacant */
    unsigned *slots;           /* [capacity] on its CU */
    unsigned count, capacity;
    unsigned next_block;
    unsigned waves; /* of a group */
};

bool wave_fault(struct wave_core *core, const struct wave *wave, const char *format, ...)
{
    char what[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(core->error, STATUS_FAILED, "%s: work-group %u, wave %u at offset 0x%llx of the code %s",
              core->launch->kernel, wave->group->block, wave->number,
              (unsigned long long)(wave->at - WAVE_IMAGE_ADDRESS - core->kernel.code), what);
    return false;
}

static enum status decode(const struct wave_core *core, uint64_t offset, struct gcn_instruction *in)
{
    uint64_t at = core->kernel.code + offset;
    enum status status = gcn_decode(core->kernel.target->generation, core->kernel.image + at,
                                    core->kernel.code_end - at, offset, in, core->error);
    if (status == STATUS_OK)
        gcn_settle(core->kernel.target->name, in);
    return status;
}

/* The wave's current instruction, prepared; NULL with the error set. */
static struct wave_instruction *fetch(struct wave_core *core, struct wave *wave)
{
    wave->at = wave->pc;
    uint64_t offset = wave->pc - WAVE_IMAGE_ADDRESS;
    if (offset < core->kernel.code || offset >= core->kernel.code_end || offset % 4 != 0) {
        wave_fault(core, wave, "is not in the code");
        return NULL;
    }
    offset -= core->kernel.code;
    struct wave_instruction *it = &core->code[offset / 4];
    if (it->in.length != 0 ||
        (decode(core, offset, &it->in) == STATUS_OK && wave_bind(core, it, offset, core->error) == STATUS_OK))
        return it;
    it->in.length = 0;
    return NULL;
}

/* True if no load into a register that the instruction uses is in flight. */
static bool has_operands(struct wave_core *core, const struct wave *wave, const struct wave_instruction *it)
{
    int missing = wave_waits_missing(&wave->waits, &it->uses);
    bool vector = missing >= GCN_VECTOR;
    return missing < 0 ||
           wave_fault(core, wave, "uses %c%d while a load into it is in flight: no s_waitcnt waits for it",
                      vector ? 'v' : 's', vector ? missing - GCN_VECTOR : missing);
}

/* For an instruction that works on lanes: records its lanes for the last branch, and that it did not wait for
 * the last read of a clock. */
static void record_work(struct wave_core *core, struct wave *wave)
{
    uint64_t lanes = wave_exec(wave);
    if (wave->fork.whole != 0 && lanes == wave->fork.whole)
        wave_service_join(core, wave);
    else if (wave->fork.whole != 0 && lanes != wave->fork.first)
        wave->fork.other |= lanes;
    if (wave->reading && wave->clocks.count <= CLOCK_READS)
        wave->clocks.items[wave->clocks.count - 1].late = true;
}

/* Runs the wave until it accesses memory, waits, ends or has used its turn. */
static bool turn(struct wave_core *core, struct wave *wave)
{
    for (unsigned i = 0; i < QUANTUM; i++) {
        struct wave_instruction *it = fetch(core, wave);
        if (it == NULL)
            return false;
        if (core->left-- == 0)
            return wave_fault(core, wave, "is still running after %llu instructions of all waves",
                              (unsigned long long)core->result->executed);
        if (!has_operands(core, wave, it))
            return false;
        if (it->lanes && (wave->fork.whole != 0 || wave->reading))
            record_work(core, wave);
        wave->pc += it->in.length;
        core->result->executed++;
        core->intervals[wave->interval].instructions += wave->timed;
        it->times += wave->timed;
        core->result->lane_instructions += (unsigned)__builtin_popcountll(wave_exec(wave));
        if (!it->run(core, wave, it))
            return false;
        wave->s[GCN_NULL] = 0;
        if (it->uses.vm || it->uses.lgkm || it->uses.vs || it->uses.km)
            wave_waits_issue(&wave->waits, &it->uses);
        if (it->yields || wave->done || wave->waiting)
            break;
    }
    return true;
}

static bool is_chosen(const struct wave_launch *launch, unsigned block)
{
    return launch->chosen == NULL || launch->chosen[block] != 0;
}

static void begin(struct wave_grid *grid, struct wave_group *group, const struct wave_place *places,
                  unsigned slot)
{
    struct wave_core *core = grid->core;
    group->block = grid->next_block++;
    group->unit = places[0].unit;
    group->slot = slot;
    group->live = grid->waves;
    group->waiting = 0;
    memset(group->lds, 0, core->kernel.lds_bytes);
    shared_races_free(group->races);
    group->races = core->kernel.lds_bytes > 0 ? shared_races_new(core->kernel.lds_bytes, 1) : NULL;
    for (unsigned i = 0; i < grid->waves; i++) {
        struct wave *wave = &group->waves[i];
        wave->group = group;
        wave->number = i;
        wave->place = places[i];
        wave->report = &core->result->waves[(size_t)group->block * grid->waves + i];
        *wave->report = (struct wave_report){.block = group->block,
                                             .number = i,
                                             .place = places[i],
                                             .hw_id = wave_hw_id(core->kernel.target, &places[i], slot)};
        wave_start(&core->kernel, core->launch, wave);
        wave->done = !is_chosen(core->launch, group->block);
        group->live -= wave->done;
    }
}

/* A vacant group, with memory for its waves; NULL: there is none. */
static struct wave_group *vacant(struct wave_grid *grid)
{
    const struct wave_kernel *kernel = &grid->core->kernel;
    for (unsigned i = 0; i < grid->count; i++)
        if (grid->groups[i].live == 0)
            return &grid->groups[i];
    if (grid->count == grid->capacity)
        return NULL;
    struct wave_group *group = &grid->groups[grid->count++];
    group->lds = memory_zeroed(kernel->lds_bytes, 1);
    group->waves = memory_zeroed(grid->waves, sizeof *group->waves);
    group->wave_count = grid->waves;
    for (unsigned i = 0; i < grid->waves; i++)
        group->waves[i].v = memory_zeroed(kernel->registers, sizeof *group->waves[i].v);
    return group;
}

static void end_group(struct wave_grid *grid, struct wave_group *group)
{
    struct wave_place places[MOST_WAVES] = {{0}};
    for (unsigned i = 0; i < grid->waves; i++)
        places[i] = group->waves[i].place;
    wave_dispatch_release(grid->dispatch, places, grid->slots[group - grid->groups]);
}

/* Dispatches as many work-groups as fit. */
static void fill(struct wave_grid *grid)
{
    while (grid->next_block < grid->core->launch->blocks) {
        struct wave_place places[MOST_WAVES] = {{0}};
        unsigned slot = 0;
        struct wave_group *group = vacant(grid);
        if (group == NULL || !wave_dispatch_place(grid->dispatch, places, &slot))
            return;
        grid->slots[group - grid->groups] = slot;
        begin(grid, group, places, slot);
        if (group->live == 0)
            end_group(grid, group);
    }
}

/* Releases the waves at a barrier once all have arrived. */
static void release(struct wave_group *group)
{
    if (group->live == 0 || group->waiting < group->live)
        return;
    group->waiting = 0;
    if (group->races != NULL)
        shared_races_barrier(group->races);
    for (unsigned i = 0; i < group->wave_count; i++)
        group->waves[i].waiting = false;
}

/* Gives every wave a turn: wave 0 of all groups, then wave 1. *any: one has run. */
static bool round_of(struct wave_grid *grid, bool *any)
{
    *any = false;
    for (unsigned number = 0; number < grid->waves; number++)
        for (unsigned i = 0; i < grid->count; i++) {
            struct wave_group *group = &grid->groups[i];
            struct wave *wave = &group->waves[number];
            if (group->live == 0 || wave->done || wave->waiting)
                continue;
            if (!turn(grid->core, wave))
                return false;
            *any = true;
            group->live -= wave->done;
            group->waiting += wave->waiting;
            release(group);
            if (group->live == 0)
                end_group(grid, group);
        }
    return true;
}

static enum status run(struct wave_grid *grid)
{
    bool any = true;
    fill(grid);
    while (any) {
        if (!round_of(grid, &any))
            return STATUS_FAILED;
        fill(grid);
    }
    return STATUS_OK;
}

static void open_grid(struct wave_core *core, struct wave_grid *grid)
{
    const struct wave_chip *chip = core->chip;
    unsigned units = wave_chip_units(chip);
    grid->core = core;
    grid->waves = (core->launch->threads + core->kernel.lanes - 1) / core->kernel.lanes;
    grid->dispatch = wave_dispatch_new(chip, &core->kernel, core->launch->threads, core->launch->blocks);
    grid->capacity = units * WAVE_MOST_GROUPS;
    grid->capacity = core->launch->blocks < grid->capacity ? core->launch->blocks : grid->capacity;
    grid->groups = memory_zeroed(grid->capacity, sizeof *grid->groups);
    grid->slots = memory_zeroed(grid->capacity, sizeof *grid->slots);
}

static void close_grid(struct wave_grid *grid)
{
    for (unsigned i = 0; i < grid->count; i++) {
        for (unsigned j = 0; j < grid->waves; j++)
            free(grid->groups[i].waves[j].v);
        free(grid->groups[i].waves);
        free(grid->groups[i].lds);
        shared_races_free(grid->groups[i].races);
    }
    free(grid->groups);
    free(grid->slots);
    wave_dispatch_free(grid->dispatch);
}

static enum status check(const struct wave_core *core)
{
    const struct wave_launch *launch = core->launch;
    if (launch->threads == 0 || launch->threads > MOST_THREADS || launch->blocks == 0 ||
        launch->blocks > MOST_BLOCKS)
        return error_set(core->error, STATUS_USAGE,
                         "a launch of %u work-groups of %u work-items: expected 1 to %d, of 1 to %d",
                         launch->blocks, launch->threads, MOST_BLOCKS, MOST_THREADS);
    if (core->kernel.code_end - core->kernel.code > MOST_CODE)
        return error_set(core->error, STATUS_FAILED, "the code is larger than %d MiB", MOST_CODE >> 20);
    unsigned slots = gcn_room_waves(core->kernel.room, core->kernel.vgprs);
    if ((launch->threads + core->kernel.lanes - 1) / core->kernel.lanes > slots * GCN_SIMDS)
        return error_set(core->error, STATUS_FAILED,
                         "a work-group of %u work-items with %u VGPRs each does not fit a compute unit",
                         launch->threads, core->kernel.vgprs);
    return wave_check_hw_id(core->kernel.target, core->chip, core->error);
}

static enum status map(struct wave_core *core, const struct buffer *kernarg, const struct buffer *packet)
{
    const struct device_range own[] = {
        {"the code", WAVE_IMAGE_ADDRESS, core->kernel.image_size, core->kernel.image, false, false},
        {"the arguments", WAVE_KERNARG_ADDRESS, kernarg->size, (unsigned char *)kernarg->data, false, false},
        {"the packet", WAVE_PACKET_ADDRESS, packet->size, (unsigned char *)packet->data, false, false},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < core->launch->range_count; i++)
        status = device_memory_add(&core->memory, &core->launch->ranges[i], core->error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof own / sizeof own[0]; i++)
        status = device_memory_add(&core->memory, &own[i], core->error);
    return status;
}

void wave_forget(struct wave_report *report)
{
    report->worked = false;
    memset(report->loads, 0, sizeof report->loads);
    report->stores = report->atomics = 0;
}

static void tally_up(const struct wave_core *core)
{
    struct wave_result *result = core->result;
    size_t words = (core->kernel.code_end - core->kernel.code) / 4;
    size_t rows = 0;
    while (gcn_row_at((unsigned)rows) != NULL)
        rows++;
    result->tally = memory_zeroed(rows + 1, sizeof *result->tally);
    for (size_t i = 0; i < words; i++) {
        const struct wave_instruction *it = &core->code[i];
        char name[GCN_NAME_BYTES];
        size_t at = 0;
        if (it->times == 0)
            continue;
        gcn_row_name(it->in.row, result->target_generation, name);
        while (at < result->tally_count && strcmp(result->tally[at].name, name) != 0)
            at++;
        if (at == result->tally_count)
            memcpy(result->tally[result->tally_count++].name, name, sizeof name);
        result->tally[at].times += it->times;
    }
}

/* Finds the program's loop: the widest of the backward branches that waves execute between clock reads. False
 * if there is none. */
static bool find_loop(const struct wave_core *core, size_t *from, size_t *last)
{
    size_t words = (core->kernel.code_end - core->kernel.code) / 4;
    size_t widest = 0;
    for (size_t i = 0; i < words; i++) {
        const struct wave_instruction *it = &core->code[i];
        bool branch = it->times > 0 && it->in.row->format == GCN_SOPP && it->in.row->operands[1] == 'b';
        size_t back = branch && it->in.number < 0 ? (size_t)-it->in.number : 0;
        if (back <= widest || back > i + 1)
            continue;
        widest = back;
        *from = i + 1 - back;
        *last = i;
    }
    return widest > 0;
}

/* Lists the loop's instructions, executed or not, and the others that waves executed between clock reads. */
static enum status list_loop(const struct wave_core *core)
{
    struct wave_result *result = core->result;
    size_t from = 0, last = 0, words = (core->kernel.code_end - core->kernel.code) / 4;
    enum status status = STATUS_OK;
    if (!find_loop(core, &from, &last))
        return STATUS_OK;
    for (size_t at = 0; at < words; at++) {
        const struct wave_instruction *it = &core->code[at];
        if (it->times == 0 || (at >= from && at <= last))
            continue;
        result->around = memory_next(result->around, result->around_count, sizeof *result->around);
        result->around[result->around_count++] = (struct wave_loop_step){it->in, at * 4, it->times};
    }
    result->loop = memory_zeroed(last - from + 1, sizeof *result->loop);
    for (size_t at = from; at <= last && status == STATUS_OK;) {
        struct wave_loop_step *step = &result->loop[result->loop_count++];
        step->offset = at * 4;
        status = decode(core, step->offset, &step->in);
        at += step->in.length / 4;
    }
    return status;
}

/* Makes the last interval, the measured loop, the result. */
static void select_interval(struct wave_core *core)
{
    struct wave_result *result = core->result;
    struct wave_result last = core->intervals[core->interval_count > 0 ? core->interval_count - 1 : 0];
    last.waves = result->waves;
    last.wave_count = result->wave_count;
    last.executed = result->executed;
    last.lane_instructions = result->lane_instructions;
    last.target_generation = result->target_generation;
    last.clocked = result->clocked;
    last.lanes = result->lanes;
    last.tally = result->tally;
    last.tally_count = result->tally_count;
    last.loop = result->loop;
    last.loop_count = result->loop_count;
    last.around = result->around;
    last.around_count = result->around_count;
    *result = last;
    for (size_t i = 0; i < result->wave_count; i++)
        if (!core->launch->all && result->waves[i].intervals != core->interval_count)
            wave_forget(&result->waves[i]);
}

static enum status launch_on(struct wave_core *core)
{
    struct wave_grid grid = {0};
    struct buffer kernarg = {0};
    struct buffer packet = {0};
    wave_make_kernarg(&core->kernel, core->launch, &kernarg);
    wave_make_packet(&core->kernel, core->launch, &packet);
    enum status status = map(core, &kernarg, &packet);
    if (status == STATUS_OK) {
        open_grid(core, &grid);
        core->result->wave_count = (size_t)core->launch->blocks * grid.waves;
        core->result->waves = memory_zeroed(core->result->wave_count, sizeof *core->result->waves);
        core->intervals = memory_zeroed(WAVE_INTERVALS, sizeof *core->intervals);
        core->code = memory_zeroed((core->kernel.code_end - core->kernel.code) / 4 + 1, sizeof *core->code);
        status = run(&grid);
        close_grid(&grid);
        tally_up(core);
        if (status == STATUS_OK)
            status = list_loop(core);
        select_interval(core);
    }
    buffer_free(&kernarg);
    buffer_free(&packet);
    return status;
}

enum status wave_run(const struct wave_chip *chip, const struct wave_launch *launch,
                     struct wave_result *result, struct error *error)
{
    struct wave_core core = {.chip = chip,
                             .launch = launch,
                             .result = result,
                             .error = error,
                             .left = launch->most_instructions != 0 ? launch->most_instructions
                                                                    : UINT64_C(1) << 32};
    *result = (struct wave_result){0};
    enum status status =
        wave_kernel_load(launch->object, launch->object_size, launch->kernel, &core.kernel, error);
    if (status == STATUS_OK) {
        result->target_generation = core.kernel.target->generation;
        result->lanes = core.kernel.lanes;
        status = check(&core);
    }
    if (status == STATUS_OK)
        status = wave_service_new(chip, launch->bus_bytes, &core.service, error);
    if (status == STATUS_OK)
        status = launch_on(&core);
    wave_service_free(core.service);
    free(core.code);
    free(core.intervals);
    wave_kernel_free(&core.kernel);
    return status;
}
