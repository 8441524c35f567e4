#include "sim/gcn/service.h"

#include "base/memory.h"
#include "base/units.h"
#include "sim/bus.h"
#include "sim/caches.h"
#include "sim/gcn/wave_start.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 4 * WAVE_LANES, BUS_BYTES = 64 };

/* The caches' levels: those of enum gpu_level from GPU_L1 on; the next is memory. */
enum { L1, L2, L3, LEVELS };

struct wave_service {
    unsigned bus_bytes, line;
    unsigned levels; /* of the caches */
    struct caches *caches;
    struct bus *units, *channels; /* [units], [l2_channels]: lines from L2 */
};

/* A cache line of one instruction, and how many lanes' accesses begin in it. */
struct touched_line {
    uint64_t address;
    unsigned lanes;
    enum gpu_level level;
};

static enum status check(const struct wave_chip *chip, unsigned bus_bytes, struct error *error)
{
    uint64_t units = (uint64_t)chip->xcc * chip->se * chip->sh_per_se * chip->cu_per_sh;
    if (units == 0 || units > WAVE_MOST_CUS || chip->se > WAVE_MOST_SE)
        return error_set(error, STATUS_USAGE,
                         "the machine has %u x %u x %u x %u compute units: expected 1 to %d", chip->xcc,
                         chip->se, chip->sh_per_se, chip->cu_per_sh, WAVE_MOST_CUS);
    if (chip->xcc > 1 && chip->l2_channels > 1)
        return error_set(error, STATUS_USAGE, "the machine has %u dies with channels of L2: expected one die",
                         chip->xcc);
    if (chip->l2_channels == 0 || chip->l2_channels > WAVE_MOST_CHANNELS || chip->interleave == 0)
        return error_set(error, STATUS_USAGE, "the machine has %u L2 channels, interleaved by %llu bytes",
                         chip->l2_channels, (unsigned long long)chip->interleave);
    if (!units_is_power_of_two(chip->l1.line) || chip->l1.line > BUS_MOST_BYTES)
        return error_set(error, STATUS_USAGE, "L1 has lines of %u bytes: expected a power of two up to %d",
                         chip->l1.line, BUS_MOST_BYTES);
    if (bus_bytes % 4 != 0 || bus_bytes > chip->l1.line || chip->l1.line % bus_bytes != 0)
        return error_set(error, STATUS_USAGE, "a bus of %u bytes does not divide L1 lines of %u bytes",
                         bus_bytes, chip->l1.line);
    return STATUS_OK;
}

enum status wave_service_new(const struct wave_chip *chip, unsigned bus_bytes, struct wave_service **service,
                             struct error *error)
{
    bus_bytes = bus_bytes == 0 ? BUS_BYTES : bus_bytes;
    enum status status = check(chip, bus_bytes, error);
    if (status != STATUS_OK)
        return status;
    const struct cache_level levels[LEVELS] = {
        [L1] = {.cache = chip->l1, .copies = wave_chip_units(chip)},
        /* with several dies, each has a copy, selected by the unit's number */
        [L2] = {.cache = chip->l2,
                .copies = chip->xcc > 1 ? chip->xcc : chip->l2_channels,
                .interleave = chip->xcc > 1 ? 0 : chip->interleave},
        [L3] = {.cache = chip->l3, .copies = 1}};
    unsigned count = chip->l3.size > 0 ? LEVELS : L3;
    struct caches *caches;
    status = caches_new(levels, count, &caches, error);
    if (status != STATUS_OK)
        return status;
    struct wave_service *s = memory_zeroed(1, sizeof *s);
    *s = (struct wave_service){
        .bus_bytes = bus_bytes, .line = chip->l1.line, .levels = count, .caches = caches};
    s->units = memory_zeroed(wave_chip_units(chip), sizeof *s->units);
    s->channels = memory_zeroed(chip->l2_channels, sizeof *s->channels);
    *service = s;
    return STATUS_OK;
}

void wave_service_free(struct wave_service *service)
{
    if (service == NULL)
        return;
    caches_free(service->caches);
    free(service->units);
    free(service->channels);
    free(service);
}

/* The counts for the wave's current interval. */
static struct wave_result *counts(const struct wave_core *core, const struct wave *wave)
{
    return &core->intervals[wave->interval];
}

/* Accesses the line from level `first` on; counts it for its channel if it reaches L2. */
static enum gpu_level serve(struct wave_core *core, const struct wave *wave, unsigned first, bool streams,
                            uint64_t address)
{
    const struct wave_chip *chip = core->chip;
    struct caches *caches = core->service->caches;
    struct wave_result *result = counts(core, wave);
    bool leaves = streams && core->launch->streams_leave;
    result->leaving += streams;
    unsigned level = leaves ? caches_serve_leaving(caches, first, L2, wave->place.unit, address)
                            : caches_serve(caches, first, wave->place.unit, address);
    if (level >= L2 && wave->timed) {
        unsigned channel = caches_channel(caches, L2, address);
        result->channels[channel]++;
        if (wave->place.se >= chip->near_engines)
            result->undetermined++;
        else
            ++*(chip->near[wave->place.se][channel] ? &result->near : &result->far);
    }
    return level == core->service->levels ? GPU_MEM : (enum gpu_level)(GPU_L1 + level);
}

const struct device_range *wave_service_memory(struct wave_core *core, uint64_t address, uint64_t bytes)
{
    const struct device_range *range = device_memory_find(&core->memory, address, bytes);
    struct demand_memory *data = core->launch->data;
    if (range != NULL && data != NULL && range->bytes == data->bytes)
        demand_memory_need(data, address - range->address, bytes);
    return range;
}

/* One line of a load: finds the level that serves it, and sends it over the buses. */
static void load_line(struct wave_core *core, struct wave *wave, struct touched_line *line, bool past_l1,
                      bool streams)
{
    struct wave_service *service = core->service;
    struct wave_result *result = counts(core, wave);
    line->level = serve(core, wave, past_l1 ? L2 : L1, streams, line->address);
    const struct device_range *range = wave_service_memory(core, line->address, service->line);
    if (!wave->timed)
        return;
    result->lines[line->level]++;
    if (range == NULL)
        return; /* a line partly outside memory has no data */
    const unsigned char *bytes = range->bytes + (line->address - range->address);
    bus_deal(&wave->lines, result->bus, bytes, service->line, service->bus_bytes);
    if (line->level == GPU_L1)
        return;
    unsigned channel = caches_channel(service->caches, L2, line->address);
    bus_send(&service->units[wave->place.unit], &result->bus[BUS_UNIT], bytes, service->line,
             service->bus_bytes);
    bus_send(&service->channels[channel], &result->bus[BUS_CHANNEL], bytes, service->line,
             service->bus_bytes);
}

/* The line's index in the list, to which it is appended if it is new. */
static unsigned find_line(struct touched_line *lines, unsigned *count, uint64_t address)
{
    for (unsigned i = *count; i-- > 0;)
        if (lines[i].address == address)
            return i;
    lines[*count] = (struct touched_line){address, 0, GPU_L1};
    return (*count)++;
}

/* Collects the lines that the lanes access, in lane order; first[]: the line in which each lane's access
 * begins. */
static unsigned gather(const struct wave_lanes *lanes, unsigned size, struct touched_line lines[MOST_LINES],
                       unsigned first[WAVE_LANES])
{
    unsigned count = 0;
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        if ((lanes->mask >> i & 1) == 0)
            continue;
        uint64_t from = lanes->address[i] & ~(uint64_t)(size - 1);
        uint64_t last = (lanes->address[i] + lanes->bytes - 1) & ~(uint64_t)(size - 1);
        first[i] = find_line(lines, &count, from);
        lines[first[i]].lanes++;
        for (uint64_t at = from; at != last;)
            find_line(lines, &count, at += size);
    }
    return count;
}

/* Counts the lanes that accessed memory. */
static void count_work(struct wave_core *core, struct wave *wave, unsigned lanes)
{
    wave->report->worked = true;
    counts(core, wave)->se_accesses[wave->place.se] += lanes;
    counts(core, wave)->unit_accesses[wave->place.unit] += lanes;
}

static void count_changes(struct wave_core *core, struct wave *wave, enum lane_kind kind, unsigned lanes)
{
    wave->report->stores += kind == LANE_STORE ? lanes : 0;
    counts(core, wave)->stores += kind == LANE_STORE ? lanes : 0;
    wave->report->atomics += kind == LANE_ATOMIC ? lanes : 0;
    counts(core, wave)->atomics += kind == LANE_ATOMIC ? lanes : 0;
}

void wave_service_shared(struct wave_core *core, struct wave *wave, enum lane_kind kind, uint64_t mask,
                         unsigned elements)
{
    if (!wave->timed || mask == 0)
        return;
    unsigned all = (unsigned)__builtin_popcountll(mask) * elements;
    count_work(core, wave, all);
    if (kind == LANE_LOAD) {
        wave->report->loads[GPU_SHARED] += all;
        counts(core, wave)->loads[GPU_SHARED] += all;
    }
    count_changes(core, wave, kind, all);
}

void wave_service_shared_words(struct wave_core *core, struct wave *wave, uint64_t mask,
                               const uint64_t address[WAVE_LANES], unsigned bytes)
{
    struct wave_lanes own = {.mask = mask, .bytes = bytes};
    struct touched_line words[MOST_LINES];
    unsigned first[WAVE_LANES] = {0};
    unsigned width = core->service->bus_bytes;
    if (!wave->timed)
        return;
    memcpy(own.address, address, sizeof own.address);
    unsigned count = gather(&own, width, words, first);
    struct bus_count *orders = counts(core, wave)->bus;
    for (unsigned i = 0; i < count; i++) {
        const unsigned char *word = wave->group->lds + words[i].address;
        if (words[i].address + width > core->kernel.lds_bytes)
            continue;
        bus_deal(&wave->words, orders, word, width, width);
    }
}

void wave_service_branch(struct wave_core *core, struct wave *wave, uint64_t before, uint64_t after)
{
    if (!wave->timed || before == 0)
        return;
    wave_service_join(core, wave);
    wave->fork = (struct wave_fork){.whole = before, .first = after};
    counts(core, wave)->branches++;
    counts(core, wave)->diverged += after != 0 && after != before;
}

void wave_service_join(struct wave_core *core, struct wave *wave)
{
    const struct wave_fork *fork = &wave->fork;
    bool both = fork->first != 0 && fork->first != fork->whole;
    counts(core, wave)->halved += both && fork->other == (fork->whole & ~fork->first);
    wave->fork = (struct wave_fork){.whole = 0};
}

static void count(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes,
                  const struct touched_line *lines, unsigned line_count)
{
    struct wave_result *result = counts(core, wave);
    struct wave_report *report = wave->report;
    unsigned all = (unsigned)__builtin_popcountll(lanes->mask);
    count_work(core, wave, all);
    for (unsigned i = 0; i < line_count && lanes->kind == LANE_LOAD; i++) {
        report->loads[lines[i].level] += lines[i].lanes;
        result->loads[lines[i].level] += lines[i].lanes;
    }
    count_changes(core, wave, lanes->kind, all);
}

void wave_service_value(struct wave_lanes *lanes, const unsigned char *stored)
{
    if (lanes->value == NULL) {
        lanes->value = stored;
        lanes->same_value = true;
    }
    for (unsigned at = 0; at + 4 <= lanes->bytes; at += 4)
        lanes->same_value = lanes->same_value && memcmp(stored + at, lanes->value, 4) == 0;
}

void wave_service_atomic(struct wave_lanes *lanes, enum wave_atomic atomic, bool returns,
                         const uint64_t operands[2])
{
    static const char *const names[] = {
        [ATOMIC_ADD] = "add", [ATOMIC_CMPSWAP] = "cas", [ATOMIC_SWAP] = "swap", [ATOMIC_UMAX] = "max"};
    struct lane_atomic *own = &lanes->atomic;
    if (own->op == NULL) {
        const char *name = atomic < sizeof names / sizeof names[0] ? names[atomic] : NULL;
        own->op = name == NULL ? "of another kind" : name;
        own->same = true;
        memcpy(own->operands, operands, sizeof own->operands);
    }
    own->returns = returns;
    own->same = own->same && memcmp(own->operands, operands, sizeof own->operands) == 0;
}

/* The cache operator, by the names of the templates' rows. */
static const char *operator_of(const struct wave_lanes *lanes)
{
    if (lanes->streams && (lanes->kind != LANE_LOAD || lanes->past_l1))
        return "stream";
    if (lanes->kind == LANE_ATOMIC)
        return "";
    return lanes->kind == LANE_STORE ? "wb" : lanes->past_l1 ? "l2" : "l1";
}

bool wave_service_show(struct wave_core *core, const struct wave *wave, const struct wave_lanes *lanes,
                       bool shared)
{
    uint64_t addresses[WAVE_LANES];
    unsigned char numbers[WAVE_LANES];
    unsigned count = 0;
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        if ((lanes->mask >> i & 1) == 0)
            continue;
        addresses[count] = lanes->address[i];
        numbers[count++] = (unsigned char)i;
    }
    if (count == 0 || core->launch->visit == NULL)
        return true;
    const struct lane_access access = {.kind = lanes->kind,
                                       .shared = shared,
                                       .cache = shared ? "" : operator_of(lanes),
                                       .region = -1,
                                       .count = count,
                                       .addresses = addresses,
                                       .lanes = numbers,
                                       .bytes = lanes->bytes,
                                       .value = lanes->value,
                                       .same_value = lanes->same_value,
                                       .atomic = lanes->atomic.op == NULL ? NULL : &lanes->atomic,
                                       .block = wave->group->block,
                                       .warp = wave->number,
                                       .unit = wave->place.unit,
                                       .clocks = &wave->clocks,
                                       .pass = wave->timed ? LANE_SOME_PASS : 0,
                                       .timed = wave->timed,
                                       .offset = wave->at - WAVE_IMAGE_ADDRESS - core->kernel.code};
    return core->launch->visit(&access, core->launch->context, core->error);
}

bool wave_service_access(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes)
{
    struct touched_line lines[MOST_LINES];
    unsigned first[WAVE_LANES] = {0};
    unsigned line_count = gather(lanes, core->service->line, lines, first);
    for (unsigned i = 0; i < line_count; i++) {
        if (lanes->kind == LANE_LOAD)
            load_line(core, wave, &lines[i], lanes->past_l1, lanes->streams);
        else
            serve(core, wave, L2, lanes->streams, lines[i].address);
        counts(core, wave)->stored += wave->timed && lanes->kind != LANE_LOAD;
    }
    if (wave->timed)
        count(core, wave, lanes, lines, line_count);
    return wave_service_show(core, wave, lanes, false);
}

void wave_service_invalidate(struct wave_core *core, unsigned unit)
{
    caches_empty(core->service->caches, L1, unit);
}
