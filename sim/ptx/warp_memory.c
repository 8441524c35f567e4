/* A warp's accesses to memory: addresses, bounds, sectors, values, bits on the bus. */
#include "base/memory.h"
#include "sim/number_bits.h"
#include "sim/ptx/warp_bulk.h"
#include "sim/ptx/warp_clusters.h"
#include "sim/ptx/warp_copies.h"
#include "sim/ptx/warp_service.h"
#include "sim/ptx/warp_state.h"
#include "sim/shared_races.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LINES = 2 * PTX_LANES, MOST_WORDS = 4 * PTX_LANES, MOST_GRAINS = 6 };

/* One access on its way. */
struct way {
    const struct ptx_instruction *it;
    struct warp *warp;
    unsigned count; /* lanes */
    unsigned char lanes[PTX_LANES];
    uint64_t addresses[PTX_LANES];
    bool even;
    int64_t stride;
    uint64_t low, high;    /* of an even access: its bytes */
    unsigned bytes;        /* of a lane */
    unsigned char *origin; /* the bytes at the address `begin`, if all lanes are in one range; else NULL */
    uint64_t begin;
    unsigned char *apart[PTX_LANES]; /* else: the lanes' bytes */
    const struct device_range *range;
    unsigned owner; /* of PTX_CLUSTER: the rank of the block whose memory it is */
    struct warp_line lines[MOST_LINES];
    unsigned line_count;
    unsigned char grains[MOST_GRAINS * DEMAND_GRAIN]; /* what `origin` may point to, of a load */
    unsigned sectors[GPU_LEVELS];                     /* by the level that served them; shared memory: none */
    unsigned served[GPU_LEVELS];                      /* lanes, likewise */
};

/* True if it brings bytes: a load, or a copy. */
static inline bool reads(const struct ptx_instruction *it)
{
    return it->kind == PTX_LOAD || it->kind == PTX_COPY || it->kind == PTX_BULK;
}

static inline enum lane_kind kind_of(const struct ptx_instruction *it)
{
    return reads(it) ? LANE_LOAD : it->kind == PTX_ATOMIC ? LANE_ATOMIC : LANE_STORE;
}

static inline unsigned char *bytes_of(const struct way *way, unsigned lane)
{
    return way->origin != NULL ? way->origin + (way->addresses[lane] - way->begin) : way->apart[lane];
}

/* ---- addresses ---- */

static const unsigned char all_lanes[PTX_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static void find_ends(struct way *way)
{
    uint64_t last = way->addresses[way->count - 1];
    way->low = way->stride < 0 ? last : way->addresses[0];
    way->high = (way->stride < 0 ? way->addresses[0] : last) + way->bytes;
}

/* The addresses of a whole warp. */
static void find_all(struct way *way, const uint64_t base[PTX_LANES])
{
    const uint64_t offset = (uint64_t)way->it->address.offset;
    const uint64_t stride = base[1] - base[0];
    uint64_t even = base[0], odd = 0;
    way->count = PTX_LANES;
    memcpy(way->lanes, all_lanes, sizeof all_lanes);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        way->addresses[i] = base[i] + offset;
        odd |= base[i] ^ even;
        even += stride;
    }
    way->stride = (int64_t)stride;
    way->even = odd == 0;
    find_ends(way);
}

static void find_addresses(struct way *way, uint32_t lanes)
{
    const struct ptx_instruction *it = way->it; /* cppcheck-suppress ctuuninitvar */
    const unsigned char *base = it->address.has_base ? way->warp->registers + it->address.base : NULL;
    const uint64_t *wide = (const uint64_t *)(const void *)base;
    unsigned count = 0;
    if (base != NULL && it->address.bytes == 8 && lanes == UINT32_MAX) {
        find_all(way, wide);
        return;
    }
    if (base != NULL && it->address.bytes == 8 && (lanes & (lanes + 1)) == 0) { /* the first lanes */
        count = (unsigned)__builtin_ctz(~lanes);
        memcpy(way->lanes, all_lanes, sizeof all_lanes);
        for (unsigned i = 0; i < count; i++)
            way->addresses[i] = wide[i] + (uint64_t)it->address.offset;
    }
    for (unsigned i = 0; count == 0 && i < PTX_LANES; i++) {
        if ((lanes >> i & 1) == 0)
            continue;
        way->lanes[way->count] = (unsigned char)i;
        way->addresses[way->count++] = warp_address(way->warp, &it->address, i);
    }
    count = count == 0 ? way->count : count;
    way->count = count;
    way->stride = count > 1 ? (int64_t)(way->addresses[1] - way->addresses[0]) : 0;
    uint64_t odd = 0;
    for (unsigned i = 1; i < count; i++)
        odd |= way->addresses[i] - way->addresses[i - 1] - (uint64_t)way->stride;
    way->even = odd == 0 && way->lanes[count - 1] == count - 1;
    find_ends(way);
}

static bool check_alignment(struct warp_core *core, const struct way *way)
{
    uint64_t odd = (way->addresses[0] | (uint64_t)way->stride) & (way->bytes - 1); /* a power of two */
    for (unsigned i = 0; i < way->count && !way->even; i++)
        odd |= way->addresses[i] & (way->bytes - 1);
    if (odd == 0)
        return true;
    for (unsigned i = 0; i < way->count; i++)
        if (way->addresses[i] % way->bytes != 0)
            return warp_fault(core, way->warp, way->it,
                              "accesses %u bytes at 0x%" PRIx64 ", which is not a multiple of that",
                              way->bytes, way->addresses[i]);
    return true;
}

static bool outside(struct warp_core *core, const struct way *way, unsigned lane)
{
    static const char *const spaces[] = {"the data and the record", "shared memory", "the constants",
                                         "the parameters", "the cluster's shared memory"};
    const struct device_range *first = core->launch->range_count > 0 ? &core->launch->ranges[0] : NULL;
    int64_t past = first == NULL ? 0 : (int64_t)(way->addresses[lane] - first->address - first->size);
    if (way->it->space == PTX_GLOBAL && first != NULL && past >= 0 && past < (int64_t)1 << 32)
        return warp_fault(core, way->warp, way->it,
                          "thread %u %s %u bytes at 0x%" PRIx64 ", %" PRId64 " bytes past the end of %s",
                          way->warp->number * PTX_LANES + way->lanes[lane],
                          reads(way->it) ? "reads" : "writes", way->bytes, way->addresses[lane], past,
                          first->name);
    return warp_fault(core, way->warp, way->it, "thread %u %s %u bytes at 0x%" PRIx64 ", outside %s",
                      way->warp->number * PTX_LANES + way->lanes[lane], reads(way->it) ? "reads" : "writes",
                      way->bytes, way->addresses[lane], spaces[way->it->space]);
}

/* NULL: all its bytes are there. */
static struct demand_memory *demand_of(const struct warp_core *core, const struct device_range *range)
{
    size_t number = (size_t)(range - core->memory.ranges);
    return core->launch->demands == NULL || number >= core->launch->range_count
               ? NULL
               : core->launch->demands[number];
}

static void need(struct warp_core *core, const struct device_range *range, uint64_t address, uint64_t bytes)
{
    struct demand_memory *demand = demand_of(core, range);
    if (demand != NULL)
        demand_memory_need(demand, address - range->address, bytes);
}

/* The bytes of a load that nothing has asked for so far, in the way itself. */
static bool is_shown(const struct warp_core *core, struct way *way, const struct device_range *range)
{
    struct demand_memory *demand = demand_of(core, range);
    uint64_t from = way->low - range->address;
    if (demand == NULL || way->it->kind != PTX_LOAD ||
        from % DEMAND_GRAIN + (way->high - way->low) > sizeof way->grains ||
        !demand_memory_show(demand, from, way->high - way->low, way->grains))
        return false;
    way->origin = way->grains;
    way->begin = way->low - from % DEMAND_GRAIN;
    return true;
}

/* Where the lanes' bytes are in this process. */
static bool find_global(struct warp_core *core, struct way *way)
{
    bool writes = !reads(way->it);
    const struct device_range *range =
        way->even ? device_memory_find(&core->memory, way->low, way->high - way->low) : NULL;
    bool close = way->stride <= DEMAND_GRAIN && way->stride >= -DEMAND_GRAIN;
    way->range = range;
    if (range != NULL && close && is_shown(core, way, range))
        return true;
    if (range != NULL && close && (range->writable || !writes)) {
        need(core, range, way->low, way->high - way->low);
        way->origin = range->bytes;
        way->begin = range->address;
        return true;
    }
    for (unsigned i = 0; i < way->count; i++) {
        const struct device_range *own =
            range != NULL ? range : device_memory_find(&core->memory, way->addresses[i], way->bytes);
        if (own == NULL || (writes && !own->writable))
            return outside(core, way, i);
        need(core, own, way->addresses[i], way->bytes);
        way->apart[i] = own->bytes + (way->addresses[i] - own->address);
        way->range = own;
    }
    return true;
}

static bool find_within(struct warp_core *core, struct way *way, unsigned char *bytes, size_t size)
{
    bool all = way->even && way->low <= way->high && way->high <= size;
    for (unsigned i = 0; i < way->count && !all; i++) {
        if (way->it->space == PTX_SHARED && way->addresses[i] >> WARP_RANK_SHIFT > 0 &&
            way->addresses[i] >> WARP_RANK_SHIFT <= way->warp->block->cluster->count)
            return warp_fault(core, way->warp, way->it,
                              "accesses 0x%" PRIx64
                              ", shared memory of a block of the cluster, by an instruction "
                              "that reaches only the block's own: expected .shared::cluster",
                              way->addresses[i]);
        if (way->addresses[i] > size || way->bytes > size - way->addresses[i])
            return outside(core, way, i);
    }
    way->origin = bytes;
    way->begin = 0;
    return true;
}

/* In the shared memory of a block of the cluster; addresses then are those in its own. */
static bool find_of_cluster(struct warp_core *core, struct way *way)
{
    if (!warp_cluster_find(core, way->warp, way->it, way->addresses, way->count, way->bytes, &way->owner))
        return false;
    way->origin = way->warp->block->cluster->blocks[way->owner]->shared;
    way->begin = 0;
    find_ends(way);
    return true;
}

static bool find_bytes(struct warp_core *core, struct way *way)
{
    const struct ptx_program *program = core->program;
    switch (way->it->space) {
    case PTX_GLOBAL:
        return find_global(core, way);
    case PTX_SHARED:
        return find_within(core, way, way->warp->block->shared, program->shared_bytes);
    case PTX_CLUSTER:
        return find_of_cluster(core, way);
    case PTX_CONST:
        return find_within(core, way, program->const_data, program->const_bytes);
    case PTX_PARAM:
        return find_within(core, way, core->parameters, core->parameter_bytes);
    }
    return false;
}

/* ---- values ---- */

/* The element as a register holds it: a wider register gets zeros or the sign. */
static uint64_t extended(uint64_t value, const struct ptx_type *type)
{
    unsigned bits = 8 * type->bytes;
    bool minus = type->letter == 's' && bits < 64 && (value >> (bits - 1) & 1) != 0;
    return minus ? value | ~((UINT64_C(1) << bits) - 1) : value;
}

static void load_any(const struct way *way, unsigned element)
{
    const struct ptx_instruction *it = way->it;
    unsigned char *to = way->warp->registers + it->result[element];
    for (unsigned i = 0; i < way->count; i++) {
        uint64_t value = 0;
        memcpy(&value, bytes_of(way, i) + (size_t)element * it->type.bytes, it->type.bytes);
        value = extended(value, &it->type);
        memcpy(to + (size_t)way->lanes[i] * it->result_bytes, &value, it->result_bytes);
    }
}

static void load_values(const struct way *way)
{
    const struct ptx_instruction *it = way->it;
    unsigned width = it->type.bytes;
    if (it->count == 1 && way->count == PTX_LANES && way->even && way->stride == (int64_t)width &&
        it->result_bytes == width && way->range != NULL) {
        memcpy(way->warp->registers + it->result[0], bytes_of(way, 0), (size_t)width * PTX_LANES);
        return;
    }
    for (unsigned e = 0; e < it->count; e++) {
        unsigned char *to = way->warp->registers + it->result[e];
        size_t at = (size_t)e * it->type.bytes;
        if (it->result_bytes != it->type.bytes || (it->type.bytes != 4 && it->type.bytes != 8))
            load_any(way, e);
        else if (it->type.bytes == 4)
            for (unsigned i = 0; i < way->count; i++)
                memcpy(to + (size_t)way->lanes[i] * 4, bytes_of(way, i) + at, 4);
        else
            for (unsigned i = 0; i < way->count; i++)
                memcpy(to + (size_t)way->lanes[i] * 8, bytes_of(way, i) + at, 8);
    }
}

/* Elements of 4 bytes, as most stores have: lane by lane. */
static void store_words(const struct warp_core *core, const struct way *way)
{
    const struct ptx_instruction *it = way->it;
    const unsigned char *from[PTX_VECTOR];
    for (unsigned e = 0; e < it->count; e++)
        from[e] = warp_source(core, way->warp, it->source[e]);
    for (unsigned i = 0; i < way->count; i++) {
        unsigned char *to = bytes_of(way, i);
        size_t at = (size_t)way->lanes[i] * 4;
        for (unsigned e = 0; e < it->count; e++)
            memcpy(to + (size_t)e * 4, from[e] + at, 4);
    }
}

static void store_values(const struct warp_core *core, const struct way *way)
{
    const struct ptx_instruction *it = way->it;
    if (it->type.bytes == 4 && it->source_bytes == 4) {
        store_words(core, way);
        return;
    }
    for (unsigned e = 0; e < it->count; e++) {
        const unsigned char *from = warp_source(core, way->warp, it->source[e]);
        for (unsigned i = 0; i < way->count; i++)
            memcpy(bytes_of(way, i) + (size_t)e * it->type.bytes,
                   from + (size_t)way->lanes[i] * it->source_bytes, it->type.bytes);
    }
}

static double real_of(uint64_t bits, unsigned bytes)
{
    return bytes == 4 ? (double)float_of((uint32_t)bits) : double_of(bits);
}

static uint64_t bits_of(double real, unsigned bytes)
{
    return bytes == 4 ? bits_of_float((float)real) : bits_of_double(real);
}

static uint64_t changed(const struct ptx_instruction *it, uint64_t old, uint64_t a, uint64_t b)
{
    bool is_signed = it->type.letter == 's';
    uint64_t x = extended(old, &it->type), y = extended(a, &it->type);
    bool less = is_signed ? (int64_t)x < (int64_t)y : x < y;
    switch (it->atomic) {
    case PTX_ADD:
        return it->type.letter == 'f'
                   ? bits_of(real_of(old, it->type.bytes) + real_of(a, it->type.bytes), it->type.bytes)
                   : old + a;
    case PTX_MIN:
        return less ? old : a;
    case PTX_MAX:
        return less ? a : old;
    case PTX_AND:
        return old & a;
    case PTX_OR:
        return old | a;
    case PTX_XOR:
        return old ^ a;
    case PTX_EXCH:
        return a;
    case PTX_CAS:
        return old == a ? b : old;
    case PTX_INC:
        return old >= a ? 0 : old + 1;
    case PTX_DEC:
        return old == 0 || old > a ? a : old - 1;
    }
    return old;
}

/* The value of 4 or 8 bytes, as most are, without a call. */
static inline uint64_t value_at(const unsigned char *at, unsigned bytes)
{
    uint64_t value = 0; /* little endian */
    if (bytes == sizeof value)
        memcpy(&value, at, sizeof value);
    else if (bytes == sizeof(uint32_t))
        memcpy(&value, at, sizeof(uint32_t));
    else
        memcpy(&value, at, bytes);
    return value;
}

static inline void set_value(unsigned char *at, unsigned bytes, uint64_t value)
{
    if (bytes == sizeof value)
        memcpy(at, &value, sizeof value);
    else if (bytes == sizeof(uint32_t))
        memcpy(at, &value, sizeof(uint32_t));
    else
        memcpy(at, &value, bytes);
}

/* Sums of words, as most atomics are. */
static void add_words(const struct way *way, const uint32_t *addends, uint32_t *olds)
{
    for (unsigned i = 0; i < way->count; i++) {
        unsigned char *at = bytes_of(way, i);
        uint32_t old;
        memcpy(&old, at, sizeof old);
        uint32_t sum = old + addends[way->lanes[i]];
        memcpy(at, &sum, sizeof sum);
        if (olds != NULL)
            olds[way->lanes[i]] = old;
    }
}

/* One lane after the other. */
static void change_values(const struct warp_core *core, const struct way *way)
{
    const struct ptx_instruction *it = way->it;
    const unsigned char *from[2] = {warp_source(core, way->warp, it->source[0]),
                                    warp_source(core, way->warp, it->source[it->sources > 1 ? 1 : 0])};
    unsigned char *result = way->warp->registers + it->result[0];
    unsigned bytes = it->type.bytes;
    if (it->atomic == PTX_ADD && it->type.letter != 'f' && bytes == 4 &&
        (!it->writes || it->result_bytes == 4)) {
        add_words(way, (const void *)from[0], it->writes ? (void *)result : NULL);
        return;
    }
    for (unsigned i = 0; i < way->count; i++) {
        size_t lane = way->lanes[i];
        uint64_t old = value_at(bytes_of(way, i), bytes);
        uint64_t a = value_at(from[0] + lane * bytes, bytes), b = value_at(from[1] + lane * bytes, bytes);
        set_value(bytes_of(way, i), bytes, changed(it, old, a, b));
        if (it->writes)
            set_value(result + lane * it->result_bytes, it->result_bytes, old);
    }
}

/* ---- sectors ---- */

/* Of a line's sectors, at most 8: without POPCNT the compiler would call a function. */
static unsigned ones(unsigned sectors)
{
    sectors -= sectors >> 1 & 0x55;
    sectors = (sectors & 0x33) + (sectors >> 2 & 0x33);
    return (sectors + (sectors >> 4)) & 0xf;
}

static struct warp_line *line_of(struct way *way, uint64_t number)
{
    for (unsigned i = way->line_count; i-- > 0;)
        if (way->lines[i].number == number)
            return &way->lines[i];
    struct warp_line *own = &way->lines[way->line_count++];
    own->number = number;
    own->wanted = 0;
    return own;
}

static void gather(const struct warp_core *core, struct way *way)
{
    unsigned sector = core->chip->l1.sector, per_line = core->chip->l1.line / sector;
    way->line_count = 0;
    if (way->even && way->stride >= 0 && way->stride <= (int64_t)way->bytes) {
        uint64_t first = way->low / sector, last = (way->high - 1) / sector;
        for (uint64_t at = first; at <= last;) {
            struct warp_line *line = &way->lines[way->line_count++];
            line->number = at / per_line;
            unsigned from = (unsigned)(at % per_line);
            uint64_t left = last - at;
            unsigned to = left < per_line - 1 - from ? from + (unsigned)left : per_line - 1;
            line->wanted = (2U << to) - (1U << from);
            at += to - from + 1;
        }
        return;
    }
    for (unsigned i = 0; i < way->count; i++) {
        uint64_t first = way->addresses[i] / sector;
        uint64_t last = (way->addresses[i] + way->bytes - 1) / sector;
        for (uint64_t at = first; at <= last; at++)
            line_of(way, at / per_line)->wanted |= 1U << at % per_line;
    }
}

/* The level of a lane: that of its first byte's sector. */
static void count_lanes(const struct warp_core *core, struct way *way)
{
    unsigned sector = core->chip->l1.sector, per_line = core->chip->l1.line / sector;
    for (int level = 0; level < GPU_LEVELS; level++) {
        unsigned all = 0;
        for (int other = 0; other < GPU_LEVELS; other++)
            all += way->sectors[other];
        if (way->sectors[level] != all)
            continue;
        way->served[level] = way->count;
        return;
    }
    for (unsigned i = 0; i < way->count; i++) {
        uint64_t at = way->addresses[i] / sector;
        const struct warp_line *line = line_of(way, at / per_line);
        unsigned bit = 1U << at % per_line;
        way->served[(line->in_l1 & bit) != 0 ? GPU_L1 : (line->in_l2 & bit) != 0 ? GPU_L2 : GPU_MEM]++;
    }
}

static void serve(struct warp_core *core, struct way *way, bool counted, enum lane_kind kind)
{
    struct warp_result *result = core->result;
    bool past_l1 = !reads(way->it) || way->it->past_l1 || way->it->no_allocate;
    gather(core, way);
    for (unsigned i = 0; core->service != NULL && i < way->line_count; i++)
        warp_service_soon(core->service, way->warp->block->sm, way->lines[i].number);
    for (unsigned i = 0; i < way->line_count; i++) {
        struct warp_line *line = &way->lines[i];
        if (core->service == NULL) {
            line->in_l1 = line->in_l2 = line->in_copies = 0;
            line->far = false;
        } else {
            warp_service_line(core->service, way->warp->block->sm, past_l1, line);
        }
        unsigned wanted = ones(line->wanted);
        unsigned l1 = ones(line->in_l1);
        unsigned l2 = ones(line->in_l2);
        way->sectors[GPU_L1] += l1;
        way->sectors[GPU_L2] += l2;
        way->sectors[GPU_MEM] += wanted - l1 - l2;
        if (!counted)
            continue;
        if (kind == LANE_LOAD) {
            unsigned copies = ones(line->in_copies);
            result->copied[GPU_L1] += l1;
            result->copied[GPU_L2] += copies;
            result->copied[GPU_MEM] += wanted - l1 - copies;
        }
        *(line->far ? &result->far : &result->near) += wanted - l1;
    }
    count_lanes(core, way);
}

/* ---- counts ---- */

static int region_of(struct warp_core *core, bool shared, uint64_t address)
{
    const struct warp_launch *launch = core->launch;
    for (size_t i = 0; i < launch->region_count; i++) {
        size_t number = (core->last_region + i) % launch->region_count;
        const struct lane_region *region = &launch->regions[number];
        if (region->shared != shared || address - region->address >= region->size)
            continue;
        core->last_region = (unsigned)number;
        return (int)number;
    }
    return -1;
}

/* True if the word was sent before; the list gets it. */
static bool was_sent(uint64_t *words, unsigned *count, uint64_t word)
{
    for (unsigned i = *count; i-- > 0;)
        if (words[i] == word)
            return true;
    words[(*count)++] = word;
    return false;
}

/* True if the bytes are among those that the way itself holds. */
static bool is_within(const struct way *way, uint64_t at, uint64_t bytes)
{
    return way->origin == way->grains && at >= way->begin &&
           at - way->begin + bytes <=
               ((way->high - way->begin) + DEMAND_GRAIN - 1) / DEMAND_GRAIN * DEMAND_GRAIN;
}

/* The words of the bus that lanes touch, in their order, once each. */
static void send(struct warp_core *core, struct way *way, const struct lane_region *region)
{
    uint64_t words[MOST_WORDS];
    unsigned count = 0, bus = 0;
    while (core->bus_widths[bus] != region->bus)
        bus++;
    struct bus_count *orders = core->result->bus;
    struct bus *unit = &core->units[way->warp->block->sm * WARP_BUSES + bus];
    bool past_l1 = way->sectors[GPU_L2] + way->sectors[GPU_MEM] > 0;
    for (unsigned i = 0; i < way->count; i++) {
        uint64_t first = way->addresses[i] / region->bus;
        uint64_t end = (way->addresses[i] + way->bytes - 1) / region->bus;
        for (uint64_t word = first; word <= end; word++) {
            uint64_t at = word * region->bus;
            if (at < region->address || at + region->bus > region->address + region->size ||
                was_sent(words, &count, word))
                continue;
            const unsigned char *bytes = bytes_of(way, i) + (int64_t)(at - way->addresses[i]);
            if (!region->shared && !is_within(way, at, region->bus)) {
                need(core, way->range, at, region->bus);
                bytes = way->range->bytes + (at - way->range->address);
            }
            bus_deal(&way->warp->loaded[bus], orders, bytes, region->bus, region->bus);
            if (!past_l1)
                continue;
            uint64_t channel = at / core->chip->l2.line % WARP_CHANNELS;
            bus_send(unit, &orders[BUS_UNIT], bytes, region->bus, region->bus);
            bus_send(&core->channels[channel * WARP_BUSES + bus], &orders[BUS_CHANNEL], bytes, region->bus,
                     region->bus);
        }
    }
}

static void add_up(struct warp_core *core, const struct way *way, enum lane_kind kind)
{
    struct warp_result *result = core->result;
    for (int level = 0; level < GPU_LEVELS; level++) {
        result->loads[level] += kind == LANE_LOAD ? way->served[level] : 0;
        (kind == LANE_LOAD ? result->sectors : result->stored)[level] += way->sectors[level];
    }
    result->stores += kind == LANE_STORE ? way->count : 0;
    result->atomics += kind == LANE_ATOMIC ? way->count : 0;
    result->sm_accesses[way->warp->block->sm] += way->count;
}

/* True if all lanes of a whole warp store `first` in each register of 4 bytes. */
static bool words_are(const struct warp_core *core, const struct way *way, uint32_t first)
{
    const struct ptx_instruction *it = way->it;
    uint32_t odd = 0;
    for (unsigned e = 0; e < it->count; e++) {
        const uint32_t *from = warp_source(core, way->warp, it->source[e]);
        for (unsigned i = 0; i < PTX_LANES && (e == 0 || it->source[e] != it->source[e - 1]); i++)
            odd |= from[i] ^ first;
    }
    return odd == 0;
}

/* What a store writes, for the visitor. */
static void look_at_values(const struct warp_core *core, const struct way *way, struct lane_access *access)
{
    uint32_t first = 0, odd = 0;
    access->value = bytes_of(way, 0);
    memcpy(&first, access->value, way->bytes < sizeof first ? way->bytes : sizeof first);
    if (way->it->kind == PTX_STORE && way->it->type.bytes == 4 && way->it->source_bytes == 4 &&
        way->count == PTX_LANES) {
        access->same_value = words_are(core, way, first);
        return;
    }
    for (unsigned i = 0; i < way->count; i++)
        for (unsigned at = 0; at + sizeof first <= way->bytes; at += sizeof first) {
            uint32_t word;
            memcpy(&word, bytes_of(way, i) + at, sizeof word);
            odd |= word ^ first;
        }
    access->same_value = odd == 0;
}

/* Serves and counts the access. */
static int count_access(struct warp_core *core, struct way *way, enum lane_kind kind)
{
    bool others = way->it->space == PTX_CLUSTER;
    bool shared = way->it->space == PTX_SHARED || others;
    int number = region_of(core, shared, way->addresses[0]);
    bool counted = way->warp->timed && number >= 0;
    if (shared)
        way->served[others ? GPU_DSMEM : GPU_SHARED] = way->count;
    else
        serve(core, way, counted, kind);
    if (counted) {
        const struct lane_region *region = &core->launch->regions[number];
        add_up(core, way, kind);
        if (region->bus > 0 && reads(way->it))
            send(core, way, region);
    }
    return number;
}

/* What an atomic does, as manifests say it. */
static struct lane_atomic atomic_of(const struct warp_core *core, const struct way *way)
{
    static const char *const ops[] = {
        [PTX_ADD] = "add", [PTX_MIN] = "min",   [PTX_MAX] = "max", [PTX_AND] = "and", [PTX_OR] = "or",
        [PTX_XOR] = "xor", [PTX_EXCH] = "swap", [PTX_CAS] = "cas", [PTX_INC] = "inc", [PTX_DEC] = "dec"};
    const struct ptx_instruction *it = way->it;
    struct lane_atomic atomic = {.op = it->type.letter == 'f' ? "fadd" : ops[it->atomic],
                                 .scope = it->scope,
                                 .returns = it->writes,
                                 .same = true};
    for (unsigned k = 0; k < it->sources; k++) {
        const unsigned char *from = warp_source(core, way->warp, it->source[k]);
        atomic.operands[k] = value_at(from + (size_t)way->lanes[0] * it->type.bytes, it->type.bytes);
        if (way->count == PTX_LANES) {
            size_t bytes = it->type.bytes; /* all are the same: each is as the one before */
            atomic.same = atomic.same && memcmp(from, from + bytes, (PTX_LANES - 1) * bytes) == 0;
            continue;
        }
        for (unsigned i = 1; i < way->count && atomic.same; i++)
            atomic.same =
                value_at(from + (size_t)way->lanes[i] * it->type.bytes, it->type.bytes) == atomic.operands[k];
    }
    return atomic;
}

/* Shows the access, which has been counted, to the visitor. */
static bool show(const struct warp_core *core, const struct way *way, enum lane_kind kind, int region,
                 const uint64_t *to)
{
    const struct ptx_instruction *it = way->it;
    const struct warp *warp = way->warp;
    struct lane_access access = {.kind = kind,
                                 .shared = it->space == PTX_SHARED || it->space == PTX_CLUSTER,
                                 .of_cluster = it->space == PTX_CLUSTER,
                                 .owner = warp->block->cluster->first + way->owner,
                                 .cache = it->cache,
                                 .region = region,
                                 .count = way->count,
                                 .addresses = way->addresses,
                                 .lanes = way->lanes,
                                 .even = way->even,
                                 .stride = way->stride,
                                 .bytes = way->bytes,
                                 .block = warp->block->number,
                                 .warp = warp->number,
                                 .unit = warp->block->sm,
                                 .clocks = &warp->clocks,
                                 .pass = warp->pass,
                                 .timed = warp->timed,
                                 .line = it->line,
                                 .to = to};
    if (core->launch->visit == NULL)
        return true;
    if (it->kind == PTX_STORE || it->kind == PTX_PUT)
        look_at_values(core, way, &access);
    struct lane_atomic atomic;
    if (it->kind == PTX_ATOMIC) {
        atomic = atomic_of(core, way);
        access.atomic = &atomic;
    }
    return core->launch->visit(&access, core->launch->context, core->error);
}

static bool observe(struct warp_core *core, struct way *way, const struct warp_copied *copied)
{
    const struct ptx_instruction *it = way->it;
    enum lane_kind kind = kind_of(it);
    int region = count_access(core, way, kind);
    return show(core, way, kind, region, copied == NULL ? NULL : copied->to);
}

/* ---- bulk copies ---- */

/* What a copy brings counts as one access of each of the block's threads, if it divides evenly among them,
 * and else by 16 bytes. */
static unsigned piece_of(const struct warp_core *core, uint64_t bytes)
{
    uint64_t each = bytes % core->launch->threads == 0 ? bytes / core->launch->threads : 0;
    return each == 4 || each == 8 ? (unsigned)each : 16;
}

/* Up to a warp's number of accesses side by side. */
static bool count_pieces(struct warp_core *core, const struct way *whole, uint64_t at, unsigned count,
                         unsigned bytes)
{
    struct way way = {.it = whole->it,
                      .warp = whole->warp,
                      .count = count,
                      .even = true,
                      .stride = bytes,
                      .low = at,
                      .high = at + (uint64_t)count * bytes,
                      .bytes = bytes};
    memcpy(way.lanes, all_lanes, sizeof all_lanes);
    for (unsigned i = 0; i < count; i++)
        way.addresses[i] = at + (uint64_t)i * bytes;
    if (!find_bytes(core, &way))
        return false;
    (void)count_access(core, &way, kind_of(way.it));
    return true;
}

static bool is_ordered(struct warp_core *core, const struct way *way, enum lane_kind kind,
                       const uint64_t *addresses);

/* Writes what a bulk store brings, which no thread may change from now on but behind a barrier. */
static bool put_lane(struct warp_core *core, struct way *way, uint64_t from)
{
    memcpy(bytes_of(way, 0), way->warp->block->shared + from, way->it->size);
    way->warp->put++;
    return is_ordered(core, way, LANE_LOAD, &from);
}

/* One thread's copy: seen as one access, counted piece by piece. */
static bool copy_lane(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      unsigned lane)
{
    struct way way = {.it = it, .warp = warp, .bytes = (unsigned)it->size};
    uint64_t to = 0;
    unsigned piece = piece_of(core, it->size);
    find_addresses(&way, UINT32_C(1) << lane);
    if (way.addresses[0] % 16 != 0)
        return warp_fault(core, warp, it, "copies from 0x%" PRIx64 ": expected a multiple of 16",
                          way.addresses[0]);
    bool puts = it->kind == PTX_PUT;
    if (!find_bytes(core, &way) || !(puts ? warp_bulk_source : warp_bulk_find)(core, warp, it, lane, &to))
        return false;
    for (uint64_t at = 0; at < it->size;) {
        uint64_t left = (it->size - at) / piece;
        unsigned count = left > PTX_LANES ? PTX_LANES : (unsigned)left;
        if (!count_pieces(core, &way, way.addresses[0] + at, count, piece))
            return false;
        at += (uint64_t)count * piece;
    }
    int region = region_of(core, false, way.addresses[0]);
    if (puts)
        return put_lane(core, &way, to) && show(core, &way, LANE_STORE, region, NULL);
    return show(core, &way, LANE_LOAD, region, &to) &&
           warp_bulk_begin(core, warp, it, lane, to, bytes_of(&way, 0));
}

static bool copy_bulk(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1)
        if (!copy_lane(core, warp, it, (unsigned)__builtin_ctz(lanes)))
            return false;
    return true;
}

/* True if the lane stores what is there already. */
static bool stores_same(const struct warp_core *core, const struct way *way, unsigned lane)
{
    const struct ptx_instruction *it = way->it;
    bool same = it->kind == PTX_STORE;
    for (unsigned e = 0; same && e < it->count; e++) {
        const unsigned char *from = warp_source(core, way->warp, it->source[e]);
        same = memcmp(bytes_of(way, lane) + (size_t)e * it->type.bytes,
                      from + (size_t)way->lanes[lane] * it->source_bytes, it->type.bytes) == 0;
    }
    return same;
}

/* Notes what lanes do in the block's shared memory. */
static bool is_ordered(struct warp_core *core, const struct way *way, enum lane_kind kind,
                       const uint64_t *addresses)
{
    struct shared_races *races = way->warp->block->races;
    unsigned first = 0;
    if (races != NULL && way->even && addresses == way->addresses)
        first = shared_races_note_even(races, way->warp->number * PTX_LANES, way->count, kind,
                                       way->addresses[0], way->stride, way->bytes);
    for (unsigned i = first; races != NULL && i < way->count; i++) {
        unsigned thread = way->warp->number * PTX_LANES + way->lanes[i];
        if (!shared_races_note(races, thread, kind, false, addresses[i], way->bytes) &&
            !(stores_same(core, way, i) &&
              shared_races_note(races, thread, kind, true, addresses[i], way->bytes)))
            return warp_fault(core, way->warp, way->it,
                              "%s 0x%" PRIx64 " of shared memory, which another thread of the block accesses "
                              "without a barrier between: expected bar.sync",
                              kind == LANE_LOAD ? "reads" : "writes", addresses[i]);
    }
    return true;
}

/* Begins the copies of the lanes, whose bytes have been found. */
static bool copy_values(struct warp_core *core, struct way *way, struct warp_copied *copied)
{
    copied->bytes = way->bytes;
    for (unsigned i = 0; i < way->count; i++)
        copied->from[i] = bytes_of(way, i);
    return warp_copies_begin(core, way->warp, way->it, copied) &&
           is_ordered(core, way, LANE_STORE, copied->to);
}

bool warp_access_memory(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                        uint32_t lanes)
{
    struct way way;
    if (lanes == 0)
        return true;
    if (it->kind == PTX_BULK || it->kind == PTX_PUT)
        return copy_bulk(core, warp, it, lanes);
    way.it = it;
    way.warp = warp;
    way.bytes = it->type.bytes * it->count;
    way.range = NULL;
    way.origin = NULL;
    way.count = 0;
    way.owner = 0;
    memset(way.sectors, 0, sizeof way.sectors);
    memset(way.served, 0, sizeof way.served);
    find_addresses(&way, lanes);
    if (!check_alignment(core, &way) || !find_bytes(core, &way))
        return false;
    if (it->space == PTX_CONST || it->space == PTX_PARAM) {
        load_values(&way);
        return true;
    }
    if (it->kind == PTX_COPY) {
        struct warp_copied copied;
        warp_copies_find(warp, it, lanes, &copied);
        return observe(core, &way, &copied) && copy_values(core, &way, &copied);
    }
    if (it->space == PTX_SHARED && warp->block->busy != NULL &&
        !warp_copies_are_past(core, warp, it, way.addresses, way.count, way.bytes))
        return false;
    if (it->space == PTX_SHARED && warp->block->bulk != NULL &&
        !warp_bulk_is_past(core, warp, it, way.addresses, way.count, way.bytes))
        return false;
    if (it->space == PTX_SHARED && !is_ordered(core, &way, kind_of(it), way.addresses))
        return false;
    if (it->kind == PTX_STORE)
        store_values(core, &way);
    bool notes = it->space == PTX_SHARED && it->kind != PTX_LOAD && warp->block->written != NULL;
    for (unsigned i = 0; notes && i < way.count; i++)
        warp_cluster_write(warp, way.addresses[i], way.bytes);
    if (!observe(core, &way, NULL))
        return false;
    if (it->kind == PTX_LOAD)
        load_values(&way);
    else if (it->kind == PTX_ATOMIC)
        change_values(core, &way);
    return true;
}
