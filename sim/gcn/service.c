#include "sim/gcn/service.h"

#include "base/units.h"
#include "generator/plan/memory/cache_model.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LINES = 4 * WAVE_LANES, BUS_BYTES = 64, MOST_BUS = 128 };

/* The last transfer of a CU's bus. */
struct bus_state {
    bool used;
    unsigned char bytes[MOST_BUS];
};

struct wave_service {
    unsigned units, channels;
    unsigned bus_bytes, line;
    struct cache_model **l1, **l2;
    struct bus_state *l1_bus, *l2_bus, *lds_bus; /* [units] */
};

/* A cache line of one instruction, and how many lanes' accesses begin in it. */
struct line {
    uint64_t address;
    unsigned lanes;
    enum wave_level level;
};

static unsigned units_of(const struct wave_machine *machine)
{
    return machine->se * machine->sh_per_se * machine->cu_per_sh;
}

static enum status check(const struct wave_machine *machine, unsigned bus_bytes, struct error *error)
{
    uint64_t units = (uint64_t)machine->se * machine->sh_per_se * machine->cu_per_sh;
    if (units == 0 || units > WAVE_MOST_CUS || machine->se > WAVE_MOST_SE)
        return error_set(error, STATUS_USAGE, "the machine has %u x %u x %u compute units: expected 1 to %d",
                         machine->se, machine->sh_per_se, machine->cu_per_sh, WAVE_MOST_CUS);
    if (machine->l2_channels == 0 || machine->l2_channels > WAVE_MOST_CHANNELS || machine->interleave == 0)
        return error_set(error, STATUS_USAGE, "the machine has %u L2 channels, interleaved by %llu bytes",
                         machine->l2_channels, (unsigned long long)machine->interleave);
    if (cache_sets(&machine->l1) == 0 || cache_sets(&machine->l2) < machine->l2_channels)
        return error_set(error, STATUS_USAGE, "the machine's L1 or L2 has no sets, or fewer than channels");
    if (!units_is_power_of_two(machine->l1.line) || machine->interleave % machine->l2.line != 0 ||
        machine->l1.line > MOST_BUS)
        return error_set(error, STATUS_USAGE,
                         "lines of %u bytes in L1 and %u in L2 do not fit an interleaving of "
                         "%llu",
                         machine->l1.line, machine->l2.line, (unsigned long long)machine->interleave);
    if (bus_bytes % 8 != 0 || bus_bytes > machine->l1.line || machine->l1.line % bus_bytes != 0)
        return error_set(error, STATUS_USAGE, "a bus of %u bytes does not take lines of %u", bus_bytes,
                         machine->l1.line);
    return STATUS_OK;
}

static void *need(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort();
    return memory;
}

enum status wave_service_new(const struct wave_machine *machine, unsigned bus_bytes,
                             struct wave_service **service, struct error *error)
{
    bus_bytes = bus_bytes == 0 ? BUS_BYTES : bus_bytes;
    enum status status = check(machine, bus_bytes, error);
    if (status != STATUS_OK)
        return status;
    struct wave_service *s = need(1, sizeof *s);
    struct cache part = machine->l2;
    part.size /= machine->l2_channels;
    if (part.sector != 0 && part.sector < part.line)
        part.line = part.sector;
    *s = (struct wave_service){.units = units_of(machine),
                               .channels = machine->l2_channels,
                               .bus_bytes = bus_bytes,
                               .line = machine->l1.line};
    s->l1 = need(s->units, sizeof *s->l1);
    s->l2 = need(s->channels, sizeof *s->l2);
    s->l1_bus = need(s->units, sizeof *s->l1_bus);
    s->l2_bus = need(s->units, sizeof *s->l2_bus);
    s->lds_bus = need(s->units, sizeof *s->lds_bus);
    for (unsigned i = 0; i < s->units; i++)
        s->l1[i] = cache_model_new(&machine->l1);
    for (unsigned i = 0; i < s->channels; i++)
        s->l2[i] = cache_model_new(&part);
    *service = s;
    return STATUS_OK;
}

void wave_service_free(struct wave_service *service)
{
    if (service == NULL)
        return;
    for (unsigned i = 0; i < service->units; i++)
        cache_model_free(service->l1[i]);
    for (unsigned i = 0; i < service->channels; i++)
        cache_model_free(service->l2[i]);
    free(service->l1);
    free(service->l2);
    free(service->l1_bus);
    free(service->l2_bus);
    free(service->lds_bus);
    free(service);
}

unsigned wave_channel(const struct wave_machine *machine, uint64_t address)
{
    return (unsigned)(address / machine->interleave % machine->l2_channels);
}

/* Where what the wave does now is counted. */
static struct wave_result *counts(const struct wave_core *core, const struct wave *wave)
{
    return &core->intervals[wave->interval];
}

/* Asks L2; counts the line for its channel. */
static bool in_l2(struct wave_core *core, const struct wave *wave, uint64_t address)
{
    const struct wave_machine *machine = core->machine;
    struct wave_result *result = counts(core, wave);
    unsigned channel = wave_channel(machine, address);
    uint64_t row = address / machine->interleave / machine->l2_channels;
    uint64_t within = row * machine->interleave + address % machine->interleave;
    if (wave->timed) {
        result->channels[channel]++;
        if (wave->place.se >= machine->near_engines)
            result->untold++;
        else
            ++*(machine->near[wave->place.se][channel] ? &result->near : &result->far);
    }
    return cache_model_access(core->service->l2[channel], within);
}

/* Sums of ever more bits, side by side: without POPCNT, which not every processor has, the compiler calls a
 * function, and most of what the buses do is this. */
static unsigned ones(uint64_t word)
{
    word -= word >> 1 & 0x5555555555555555;
    word = (word & 0x3333333333333333) + (word >> 2 & 0x3333333333333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return (unsigned)(word * 0x0101010101010101 >> 56);
}

/* Sends the line over the bus. */
static void send(struct bus_state *state, struct wave_bus *bus, const unsigned char *bytes, unsigned size,
                 unsigned width)
{
    for (unsigned at = 0; at < size; at += width) {
        for (unsigned i = 0; i < width; i += 8) {
            uint64_t now;
            uint64_t before;
            memcpy(&now, bytes + at + i, sizeof now);
            memcpy(&before, state->bytes + i, sizeof before);
            bus->ones += ones(now);
            bus->toggles += state->used ? ones(now ^ before) : 0;
        }
        bus->transfers++;
        bus->bits += 8 * (uint64_t)width;
        bus->compared += state->used ? 8 * (uint64_t)width : 0;
        memcpy(state->bytes, bytes + at, width);
        state->used = true;
    }
}

/* One line of a load: who serves it, and what goes over the buses. */
static void load_line(struct wave_core *core, const struct wave *wave, struct line *line, bool past_l1)
{
    struct wave_service *service = core->service;
    struct wave_result *result = counts(core, wave);
    unsigned unit = wave->place.unit;
    line->level = WAVE_L1;
    if (past_l1 || !cache_model_access(service->l1[unit], line->address))
        line->level = in_l2(core, wave, line->address) ? WAVE_L2 : WAVE_MEM;
    const struct wave_range *range = wave_memory_find(&core->memory, line->address, service->line);
    if (!wave->timed)
        return;
    result->lines[line->level]++;
    if (range == NULL)
        return; /* a line that is only partly there has no bytes to compare */
    const unsigned char *bytes = range->bytes + (line->address - range->address);
    send(&service->l1_bus[unit], &result->l1_bus, bytes, service->line, service->bus_bytes);
    if (line->level != WAVE_L1)
        send(&service->l2_bus[unit], &result->l2_bus, bytes, service->line, service->bus_bytes);
}

/* The number of the line among those so far, which it joins if it is new. */
static unsigned find_line(struct line *lines, unsigned *count, uint64_t address)
{
    for (unsigned i = *count; i-- > 0;)
        if (lines[i].address == address)
            return i;
    lines[*count] = (struct line){address, 0, WAVE_L1};
    return (*count)++;
}

/* The lines that the lanes touch, in the order of lanes; first[] is the line in which each lane's begins. */
static unsigned gather(const struct wave_lanes *lanes, unsigned size, struct line lines[MOST_LINES],
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

/* That so many lanes accessed memory. */
static void count_work(struct wave_core *core, struct wave *wave, unsigned lanes)
{
    wave->report->worked = true;
    counts(core, wave)->se_accesses[wave->place.se] += lanes;
    counts(core, wave)->unit_accesses[wave->place.unit] += lanes;
}

static void count_changes(struct wave_core *core, struct wave *wave, enum wave_kind kind, unsigned lanes)
{
    wave->report->stores += kind == WAVE_STORE ? lanes : 0;
    counts(core, wave)->stores += kind == WAVE_STORE ? lanes : 0;
    wave->report->atomics += kind == WAVE_ATOMIC ? lanes : 0;
    counts(core, wave)->atomics += kind == WAVE_ATOMIC ? lanes : 0;
}

void wave_service_shared(struct wave_core *core, struct wave *wave, enum wave_kind kind, uint64_t mask,
                         unsigned elements)
{
    if (!wave->timed || mask == 0)
        return;
    unsigned all = ones(mask) * elements;
    count_work(core, wave, all);
    if (kind == WAVE_LOAD) {
        wave->report->loads[WAVE_SHARED] += all;
        counts(core, wave)->loads[WAVE_SHARED] += all;
    }
    count_changes(core, wave, kind, all);
}

void wave_service_shared_words(struct wave_core *core, const struct wave *wave, uint64_t mask,
                               const uint64_t address[WAVE_LANES], unsigned bytes)
{
    struct wave_lanes own = {.mask = mask, .bytes = bytes};
    struct line words[MOST_LINES];
    unsigned first[WAVE_LANES] = {0};
    unsigned width = core->service->bus_bytes;
    if (!wave->timed)
        return;
    memcpy(own.address, address, sizeof own.address);
    unsigned count = gather(&own, width, words, first);
    for (unsigned i = 0; i < count; i++)
        if (words[i].address + width <= core->kernel.lds_bytes)
            send(&core->service->lds_bus[wave->place.unit], &counts(core, wave)->lds_bus,
                 wave->group->lds + words[i].address, width, width);
}

void wave_service_branch(struct wave_core *core, struct wave *wave, uint64_t before, uint64_t after)
{
    if (!wave->timed || before == 0)
        return;
    counts(core, wave)->branches++;
    counts(core, wave)->parted += after != 0 && after != before;
}

static void count(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes,
                  const struct line *lines, unsigned line_count)
{
    struct wave_result *result = counts(core, wave);
    struct wave_report *report = wave->report;
    unsigned all = ones(lanes->mask);
    count_work(core, wave, all);
    for (unsigned i = 0; i < line_count && lanes->kind == WAVE_LOAD; i++) {
        report->loads[lines[i].level] += lines[i].lanes;
        result->loads[lines[i].level] += lines[i].lanes;
    }
    count_changes(core, wave, lanes->kind, all);
}

static void tell(const struct wave_core *core, const struct wave *wave, const struct wave_lanes *lanes,
                 const struct line *lines, const unsigned first[WAVE_LANES])
{
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        if ((lanes->mask >> i & 1) == 0)
            continue;
        struct wave_access access = {.kind = lanes->kind,
                                     .level = lanes->kind == WAVE_LOAD ? lines[first[i]].level : WAVE_L2,
                                     .address = lanes->address[i],
                                     .bytes = lanes->bytes,
                                     .block = wave->group->block,
                                     .thread = wave->number * wave->lanes + i,
                                     .place = wave->place,
                                     .timed = wave->timed};
        core->launch->visit(&access, core->launch->context);
    }
}

void wave_service_access(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes)
{
    struct line lines[MOST_LINES];
    unsigned first[WAVE_LANES] = {0};
    unsigned line_count = gather(lanes, core->service->line, lines, first);
    for (unsigned i = 0; i < line_count; i++) {
        if (lanes->kind == WAVE_LOAD)
            load_line(core, wave, &lines[i], lanes->past_l1);
        else
            in_l2(core, wave, lines[i].address);
    }
    if (wave->timed)
        count(core, wave, lanes, lines, line_count);
    if (core->launch->visit != NULL)
        tell(core, wave, lanes, lines, first);
}

void wave_service_invalidate(struct wave_core *core, unsigned unit)
{
    cache_model_free(core->service->l1[unit]);
    core->service->l1[unit] = cache_model_new(&core->machine->l1);
}
