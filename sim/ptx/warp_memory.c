/* A warp's accesses to memory: addresses, bounds, sectors, values, bus traffic. */
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

/* One access in progress. */
struct warp_access {
    const struct ptx_instruction *it;
    struct warp *warp;
    unsigned count; /* lanes */
    unsigned char lanes[PTX_LANES];
    uint64_t addresses[PTX_LANES];
    bool even; /* the first `count` lanes access addresses that grow by `stride` */
    int64_t stride;
    uint64_t low, high;    /* of an even access: its bytes */
    unsigned bytes;        /* per lane */
    unsigned char *origin; /* the bytes at the address `begin`, if all lanes are in one range; else NULL */
    uint64_t begin;
    unsigned char *apart[PTX_LANES]; /* without origin: the lanes' bytes */
    const struct device_range *range;
    unsigned owner; /* of PTX_CLUSTER: the rank of the block whose memory is accessed */
    struct warp_line lines[MOST_LINES];
    unsigned line_count;
    unsigned char grains[MOST_GRAINS * DEMAND_GRAIN]; /* a load's bytes that are not kept; `origin` is here */
    unsigned sectors[GPU_LEVELS]; /* by the level that served them; not of shared memory */
    unsigned served[GPU_LEVELS];  /* lanes, by the level that served them */
};

/* True for a load or a copy from global memory. */
static inline bool reads(const struct ptx_instruction *it)
{
    return it->kind == PTX_LOAD || it->kind == PTX_COPY || it->kind == PTX_BULK;
}

static inline enum lane_kind kind_of(const struct ptx_instruction *it)
{
    return reads(it) ? LANE_LOAD : it->kind == PTX_ATOMIC ? LANE_ATOMIC : LANE_STORE;
}

static inline unsigned char *bytes_of(const struct warp_access *access, unsigned lane)
{
    return access->origin != NULL ? access->origin + (access->addresses[lane] - access->begin)
                                  : access->apart[lane];
}

/* ---- addresses ---- */

static const unsigned char all_lanes[PTX_LANES] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                   22, 23, 24, 25, 26, 27, 28, 29, 30, 31};

static void find_ends(struct warp_access *access)
{
    uint64_t last = access->addresses[access->count - 1];
    access->low = access->stride < 0 ? last : access->addresses[0];
    access->high = (access->stride < 0 ? access->addresses[0] : last) + access->bytes;
}

/* The addresses of a whole warp. */
static void find_all(struct warp_access *access, const uint64_t base[PTX_LANES])
{
    const uint64_t offset = (uint64_t)access->it->address.offset;
    const uint64_t stride = base[1] - base[0];
    uint64_t expected = base[0], mismatch = 0;
    access->count = PTX_LANES;
    memcpy(access->lanes, all_lanes, sizeof all_lanes);
    for (unsigned i = 0; i < PTX_LANES; i++) {
        access->addresses[i] = base[i] + offset;
        mismatch |= base[i] ^ expected;
        expected += stride;
    }
    access->stride = (int64_t)stride;
    access->even = mismatch == 0;
    find_ends(access);
}

static void find_addresses(struct warp_access *access, uint32_t lanes)
{
    const struct ptx_instruction *it = access->it; /* cppcheck-suppress ctuuninitvar */
    const unsigned char *base = it->address.has_base ? access->warp->registers + it->address.base : NULL;
    const uint64_t *wide = (const uint64_t *)(const void *)base;
    unsigned count = 0;
    if (base != NULL && it->address.bytes == 8 && lanes == UINT32_MAX) {
        find_all(access, wide);
        return;
    }
    if (base != NULL && it->address.bytes == 8 && (lanes & (lanes + 1)) == 0) { /* the first lanes */
        count = (unsigned)__builtin_ctz(~lanes);
        memcpy(access->lanes, all_lanes, sizeof all_lanes);
        for (unsigned i = 0; i < count; i++)
            access->addresses[i] = wide[i] + (uint64_t)it->address.offset;
    }
    for (unsigned i = 0; count == 0 && i < PTX_LANES; i++) {
        if ((lanes >> i & 1) == 0)
            continue;
        access->lanes[access->count] = (unsigned char)i;
        access->addresses[access->count++] = warp_address(access->warp, &it->address, i);
    }
    count = count == 0 ? access->count : count;
    access->count = count;
    access->stride = count > 1 ? (int64_t)(access->addresses[1] - access->addresses[0]) : 0;
    uint64_t mismatch = 0;
    for (unsigned i = 1; i < count; i++)
        mismatch |= access->addresses[i] - access->addresses[i - 1] - (uint64_t)access->stride;
    access->even = mismatch == 0 && access->lanes[count - 1] == count - 1;
    find_ends(access);
}

static bool check_alignment(struct warp_core *core, const struct warp_access *access)
{
    uint64_t misaligned =
        (access->addresses[0] | (uint64_t)access->stride) & (access->bytes - 1); /* a power of two */
    for (unsigned i = 0; i < access->count && !access->even; i++)
        misaligned |= access->addresses[i] & (access->bytes - 1);
    if (misaligned == 0)
        return true;
    for (unsigned i = 0; i < access->count; i++)
        if (access->addresses[i] % access->bytes != 0)
            return warp_fault(core, access->warp, access->it,
                              "accesses %u bytes at 0x%" PRIx64 ", which is not a multiple of that",
                              access->bytes, access->addresses[i]);
    return true;
}

static bool fault_outside(struct warp_core *core, const struct warp_access *access, unsigned lane)
{
    static const char *const spaces[] = {"the data and the record", "shared memory", "the constants",
                                         "the parameters", "the cluster's shared memory"};
    const struct device_range *first = core->launch->range_count > 0 ? &core->launch->ranges[0] : NULL;
    int64_t past = first == NULL ? 0 : (int64_t)(access->addresses[lane] - first->address - first->size);
    if (access->it->space == PTX_GLOBAL && first != NULL && past >= 0 && past < (int64_t)1 << 32)
        return warp_fault(core, access->warp, access->it,
                          "thread %u %s %u bytes at 0x%" PRIx64 ", %" PRId64 " bytes past the end of %s",
                          access->warp->number * PTX_LANES + access->lanes[lane],
                          reads(access->it) ? "reads" : "writes", access->bytes, access->addresses[lane],
                          past, first->name);
    return warp_fault(core, access->warp, access->it, "thread %u %s %u bytes at 0x%" PRIx64 ", outside %s",
                      access->warp->number * PTX_LANES + access->lanes[lane],
                      reads(access->it) ? "reads" : "writes", access->bytes, access->addresses[lane],
                      spaces[access->it->space]);
}

/* The generator of the range's bytes; NULL: all are there. */
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

/* For a load of bytes that are requested for the first time: generates them in the access itself. */
static bool is_shown(const struct warp_core *core, struct warp_access *access,
                     const struct device_range *range)
{
    struct demand_memory *demand = demand_of(core, range);
    uint64_t from = access->low - range->address;
    if (demand == NULL || access->it->kind != PTX_LOAD ||
        from % DEMAND_GRAIN + (access->high - access->low) > sizeof access->grains ||
        !demand_memory_show(demand, from, access->high - access->low, access->grains))
        return false;
    access->origin = access->grains;
    access->begin = access->low - from % DEMAND_GRAIN;
    return true;
}

/* Finds the lanes' bytes in this process. */
static bool find_global(struct warp_core *core, struct warp_access *access)
{
    bool writes = !reads(access->it);
    const struct device_range *range =
        access->even ? device_memory_find(&core->memory, access->low, access->high - access->low) : NULL;
    bool close = access->stride <= DEMAND_GRAIN && access->stride >= -DEMAND_GRAIN;
    access->range = range;
    if (range != NULL && close && is_shown(core, access, range))
        return true;
    if (range != NULL && close && (range->writable || !writes)) {
        need(core, range, access->low, access->high - access->low);
        access->origin = range->bytes;
        access->begin = range->address;
        return true;
    }
    for (unsigned i = 0; i < access->count; i++) {
        const struct device_range *own =
            range != NULL ? range : device_memory_find(&core->memory, access->addresses[i], access->bytes);
        if (own == NULL || (writes && !own->writable))
            return fault_outside(core, access, i);
        need(core, own, access->addresses[i], access->bytes);
        access->apart[i] = own->bytes + (access->addresses[i] - own->address);
        access->range = own;
    }
    return true;
}

static bool find_within(struct warp_core *core, struct warp_access *access, unsigned char *bytes, size_t size)
{
    bool all = access->even && access->low <= access->high && access->high <= size;
    for (unsigned i = 0; i < access->count && !all; i++) {
        if (access->it->space == PTX_SHARED && access->addresses[i] >> WARP_RANK_SHIFT > 0 &&
            access->addresses[i] >> WARP_RANK_SHIFT <= access->warp->block->cluster->count)
            return warp_fault(core, access->warp, access->it,
                              "accesses 0x%" PRIx64
                              ", shared memory of a block of the cluster, by an instruction "
                              "that reaches only the block's own: expected .shared::cluster",
                              access->addresses[i]);
        if (access->addresses[i] > size || access->bytes > size - access->addresses[i])
            return fault_outside(core, access, i);
    }
    access->origin = bytes;
    access->begin = 0;
    return true;
}

/* Finds them in the shared memory of a block of the cluster, whose own addresses replace the cluster's. */
static bool find_of_cluster(struct warp_core *core, struct warp_access *access)
{
    if (!warp_cluster_find(core, access->warp, access->it, access->addresses, access->count, access->bytes,
                           &access->owner))
        return false;
    access->origin = access->warp->block->cluster->blocks[access->owner]->shared;
    access->begin = 0;
    find_ends(access);
    return true;
}

static bool find_bytes(struct warp_core *core, struct warp_access *access)
{
    const struct ptx_program *program = core->program;
    switch (access->it->space) {
    case PTX_GLOBAL:
        return find_global(core, access);
    case PTX_SHARED:
        return find_within(core, access, access->warp->block->shared, program->shared_bytes);
    case PTX_CLUSTER:
        return find_of_cluster(core, access);
    case PTX_CONST:
        return find_within(core, access, program->const_data, program->const_bytes);
    case PTX_PARAM:
        return find_within(core, access, core->parameters, core->parameter_bytes);
    }
    return false;
}

/* ---- values ---- */

/* The element, extended by zeros or its sign to a wider register. */
static uint64_t extended(uint64_t value, const struct ptx_type *type)
{
    unsigned bits = 8 * type->bytes;
    bool minus = type->letter == 's' && bits < 64 && (value >> (bits - 1) & 1) != 0;
    return minus ? value | ~((UINT64_C(1) << bits) - 1) : value;
}

static void load_any(const struct warp_access *access, unsigned element)
{
    const struct ptx_instruction *it = access->it;
    unsigned char *to = access->warp->registers + it->result[element];
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t value = 0;
        memcpy(&value, bytes_of(access, i) + (size_t)element * it->type.bytes, it->type.bytes);
        value = extended(value, &it->type);
        memcpy(to + (size_t)access->lanes[i] * it->result_bytes, &value, it->result_bytes);
    }
}

static void load_values(const struct warp_access *access)
{
    const struct ptx_instruction *it = access->it;
    unsigned width = it->type.bytes;
    if (it->count == 1 && access->count == PTX_LANES && access->even && access->stride == (int64_t)width &&
        it->result_bytes == width && access->range != NULL) {
        memcpy(access->warp->registers + it->result[0], bytes_of(access, 0), (size_t)width * PTX_LANES);
        return;
    }
    for (unsigned e = 0; e < it->count; e++) {
        unsigned char *to = access->warp->registers + it->result[e];
        size_t at = (size_t)e * it->type.bytes;
        if (it->result_bytes != it->type.bytes || (it->type.bytes != 4 && it->type.bytes != 8))
            load_any(access, e);
        else if (it->type.bytes == 4)
            for (unsigned i = 0; i < access->count; i++)
                memcpy(to + (size_t)access->lanes[i] * 4, bytes_of(access, i) + at, 4);
        else
            for (unsigned i = 0; i < access->count; i++)
                memcpy(to + (size_t)access->lanes[i] * 8, bytes_of(access, i) + at, 8);
    }
}

/* A fast path for elements of 4 bytes, as most stores have. */
static void store_words(const struct warp_core *core, const struct warp_access *access)
{
    const struct ptx_instruction *it = access->it;
    const unsigned char *from[PTX_VECTOR];
    for (unsigned e = 0; e < it->count; e++)
        from[e] = warp_source(core, access->warp, it->source[e]);
    for (unsigned i = 0; i < access->count; i++) {
        unsigned char *to = bytes_of(access, i);
        size_t at = (size_t)access->lanes[i] * 4;
        for (unsigned e = 0; e < it->count; e++)
            memcpy(to + (size_t)e * 4, from[e] + at, 4);
    }
}

static void store_values(const struct warp_core *core, const struct warp_access *access)
{
    const struct ptx_instruction *it = access->it;
    if (it->type.bytes == 4 && it->source_bytes == 4) {
        store_words(core, access);
        return;
    }
    for (unsigned e = 0; e < it->count; e++) {
        const unsigned char *from = warp_source(core, access->warp, it->source[e]);
        for (unsigned i = 0; i < access->count; i++)
            memcpy(bytes_of(access, i) + (size_t)e * it->type.bytes,
                   from + (size_t)access->lanes[i] * it->source_bytes, it->type.bytes);
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

/* The memory's value after an atomic operation on `old`. */
static uint64_t atomic_result(const struct ptx_instruction *it, uint64_t old, uint64_t a, uint64_t b)
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

/* A value, without a function call if it has 4 or 8 bytes, as most do. */
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

/* A fast path for additions of words, which most atomics are. */
static void add_words(const struct warp_access *access, const uint32_t *addends, uint32_t *olds)
{
    for (unsigned i = 0; i < access->count; i++) {
        unsigned char *at = bytes_of(access, i);
        uint32_t old;
        memcpy(&old, at, sizeof old);
        uint32_t sum = old + addends[access->lanes[i]];
        memcpy(at, &sum, sizeof sum);
        if (olds != NULL)
            olds[access->lanes[i]] = old;
    }
}

/* Executes an atomic operation, lane by lane. */
static void change_values(const struct warp_core *core, const struct warp_access *access)
{
    const struct ptx_instruction *it = access->it;
    const unsigned char *from[2] = {warp_source(core, access->warp, it->source[0]),
                                    warp_source(core, access->warp, it->source[it->sources > 1 ? 1 : 0])};
    unsigned char *result = access->warp->registers + it->result[0];
    unsigned bytes = it->type.bytes;
    if (it->atomic == PTX_ADD && it->type.letter != 'f' && bytes == 4 &&
        (!it->writes || it->result_bytes == 4)) {
        add_words(access, (const void *)from[0], it->writes ? (void *)result : NULL);
        return;
    }
    for (unsigned i = 0; i < access->count; i++) {
        size_t lane = access->lanes[i];
        uint64_t old = value_at(bytes_of(access, i), bytes);
        uint64_t a = value_at(from[0] + lane * bytes, bytes), b = value_at(from[1] + lane * bytes, bytes);
        set_value(bytes_of(access, i), bytes, atomic_result(it, old, a, b));
        if (it->writes)
            set_value(result + lane * it->result_bytes, it->result_bytes, old);
    }
}

/* ---- sectors ---- */

/* The number of sectors in a set of at most 8. Where POPCNT is not guaranteed, the compiler's built-in calls
 * a function. */
static unsigned count_sectors(unsigned sectors)
{
    sectors -= sectors >> 1 & 0x55;
    sectors = (sectors & 0x33) + (sectors >> 2 & 0x33);
    return (sectors + (sectors >> 4)) & 0xf;
}

static struct warp_line *line_of(struct warp_access *access, uint64_t number)
{
    for (unsigned i = access->line_count; i-- > 0;)
        if (access->lines[i].number == number)
            return &access->lines[i];
    struct warp_line *own = &access->lines[access->line_count++];
    own->number = number;
    own->wanted = 0;
    return own;
}

/* Collects the lines and sectors that the lanes access. */
static void find_lines(const struct warp_core *core, struct warp_access *access)
{
    unsigned sector = core->chip->l1.sector, per_line = core->chip->l1.line / sector;
    access->line_count = 0;
    if (access->even && access->stride >= 0 && access->stride <= (int64_t)access->bytes) {
        uint64_t first = access->low / sector, last = (access->high - 1) / sector;
        for (uint64_t at = first; at <= last;) {
            struct warp_line *line = &access->lines[access->line_count++];
            line->number = at / per_line;
            unsigned from = (unsigned)(at % per_line);
            uint64_t left = last - at;
            unsigned to = left < per_line - 1 - from ? from + (unsigned)left : per_line - 1;
            line->wanted = (2U << to) - (1U << from);
            at += to - from + 1;
        }
        return;
    }
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t first = access->addresses[i] / sector;
        uint64_t last = (access->addresses[i] + access->bytes - 1) / sector;
        for (uint64_t at = first; at <= last; at++)
            line_of(access, at / per_line)->wanted |= 1U << at % per_line;
    }
}

/* Counts lanes by the level that served the sector of their first byte. */
static void count_lanes(const struct warp_core *core, struct warp_access *access)
{
    unsigned sector = core->chip->l1.sector, per_line = core->chip->l1.line / sector;
    for (int level = 0; level < GPU_LEVELS; level++) {
        unsigned all = 0;
        for (int other = 0; other < GPU_LEVELS; other++)
            all += access->sectors[other];
        if (access->sectors[level] != all)
            continue;
        access->served[level] = access->count;
        return;
    }
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t at = access->addresses[i] / sector;
        const struct warp_line *line = line_of(access, at / per_line);
        unsigned bit = 1U << at % per_line;
        access->served[(line->in_l1 & bit) != 0 ? GPU_L1 : (line->in_l2 & bit) != 0 ? GPU_L2 : GPU_MEM]++;
    }
}

static void serve(struct warp_core *core, struct warp_access *access, bool counted, enum lane_kind kind)
{
    struct warp_result *result = core->result;
    bool past_l1 = !reads(access->it) || access->it->past_l1 || access->it->no_allocate;
    find_lines(core, access);
    for (unsigned i = 0; core->service != NULL && i < access->line_count; i++)
        warp_service_soon(core->service, access->warp->block->sm, access->lines[i].number);
    for (unsigned i = 0; i < access->line_count; i++) {
        struct warp_line *line = &access->lines[i];
        if (core->service == NULL) {
            line->in_l1 = line->in_l2 = line->in_copies = 0;
            line->far = false;
        } else {
            warp_service_line(core->service, access->warp->block->sm, past_l1, line);
        }
        unsigned wanted = count_sectors(line->wanted);
        unsigned l1 = count_sectors(line->in_l1);
        unsigned l2 = count_sectors(line->in_l2);
        access->sectors[GPU_L1] += l1;
        access->sectors[GPU_L2] += l2;
        access->sectors[GPU_MEM] += wanted - l1 - l2;
        if (!counted)
            continue;
        if (kind == LANE_LOAD) {
            unsigned copies = count_sectors(line->in_copies);
            result->copied[GPU_L1] += l1;
            result->copied[GPU_L2] += copies;
            result->copied[GPU_MEM] += wanted - l1 - copies;
        }
        *(line->far ? &result->far : &result->near) += wanted - l1;
    }
    count_lanes(core, access);
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

/* True if the word is in the list; else adds it. */
static bool was_sent(uint64_t *words, unsigned *count, uint64_t word)
{
    for (unsigned i = *count; i-- > 0;)
        if (words[i] == word)
            return true;
    words[(*count)++] = word;
    return false;
}

/* True if the bytes are among those generated in the access itself. */
static bool is_within(const struct warp_access *access, uint64_t at, uint64_t bytes)
{
    return access->origin == access->grains && at >= access->begin &&
           at - access->begin + bytes <=
               ((access->high - access->begin) + DEMAND_GRAIN - 1) / DEMAND_GRAIN * DEMAND_GRAIN;
}

/* Sends the bus words that contain the lanes' data, each once, in lane order. */
static void send(struct warp_core *core, struct warp_access *access, const struct lane_region *region)
{
    uint64_t words[MOST_WORDS];
    unsigned count = 0, bus = 0;
    while (core->bus_widths[bus] != region->bus)
        bus++;
    struct bus_count *orders = core->result->bus;
    struct bus *unit = &core->units[access->warp->block->sm * WARP_BUSES + bus];
    bool past_l1 = access->sectors[GPU_L2] + access->sectors[GPU_MEM] > 0;
    for (unsigned i = 0; i < access->count; i++) {
        uint64_t first = access->addresses[i] / region->bus;
        uint64_t end = (access->addresses[i] + access->bytes - 1) / region->bus;
        for (uint64_t word = first; word <= end; word++) {
            uint64_t at = word * region->bus;
            if (at < region->address || at + region->bus > region->address + region->size ||
                was_sent(words, &count, word))
                continue;
            const unsigned char *bytes = bytes_of(access, i) + (int64_t)(at - access->addresses[i]);
            if (!region->shared && !is_within(access, at, region->bus)) {
                need(core, access->range, at, region->bus);
                bytes = access->range->bytes + (at - access->range->address);
            }
            bus_deal(&access->warp->loaded[bus], orders, bytes, region->bus, region->bus);
            if (!past_l1)
                continue;
            uint64_t channel = at / core->chip->l2.line % WARP_CHANNELS;
            bus_send(unit, &orders[BUS_UNIT], bytes, region->bus, region->bus);
            bus_send(&core->channels[channel * WARP_BUSES + bus], &orders[BUS_CHANNEL], bytes, region->bus,
                     region->bus);
        }
    }
}

static void add_up(struct warp_core *core, const struct warp_access *access, enum lane_kind kind)
{
    struct warp_result *result = core->result;
    for (int level = 0; level < GPU_LEVELS; level++) {
        result->loads[level] += kind == LANE_LOAD ? access->served[level] : 0;
        (kind == LANE_LOAD ? result->sectors : result->stored)[level] += access->sectors[level];
    }
    result->stores += kind == LANE_STORE ? access->count : 0;
    result->atomics += kind == LANE_ATOMIC ? access->count : 0;
    result->sm_accesses[access->warp->block->sm] += access->count;
}

/* True if all lanes of a whole warp store `first` in each register of 4 bytes. */
static bool words_are(const struct warp_core *core, const struct warp_access *access, uint32_t first)
{
    const struct ptx_instruction *it = access->it;
    uint32_t mismatch = 0;
    for (unsigned e = 0; e < it->count; e++) {
        const uint32_t *from = warp_source(core, access->warp, it->source[e]);
        for (unsigned i = 0; i < PTX_LANES && (e == 0 || it->source[e] != it->source[e - 1]); i++)
            mismatch |= from[i] ^ first;
    }
    return mismatch == 0;
}

/* Fills in what a store writes, for the visitor. */
static void describe_values(const struct warp_core *core, const struct warp_access *access,
                            struct lane_access *shown)
{
    uint32_t first = 0, mismatch = 0;
    shown->value = bytes_of(access, 0);
    memcpy(&first, shown->value, access->bytes < sizeof first ? access->bytes : sizeof first);
    if (access->it->kind == PTX_STORE && access->it->type.bytes == 4 && access->it->source_bytes == 4 &&
        access->count == PTX_LANES) {
        shown->same_value = words_are(core, access, first);
        return;
    }
    for (unsigned i = 0; i < access->count; i++)
        for (unsigned at = 0; at + sizeof first <= access->bytes; at += sizeof first) {
            uint32_t word;
            memcpy(&word, bytes_of(access, i) + at, sizeof word);
            mismatch |= word ^ first;
        }
    shown->same_value = mismatch == 0;
}

/* Serves and counts the access. Returns its region, or -1. */
static int count_access(struct warp_core *core, struct warp_access *access, enum lane_kind kind)
{
    bool others = access->it->space == PTX_CLUSTER;
    bool shared = access->it->space == PTX_SHARED || others;
    int number = region_of(core, shared, access->addresses[0]);
    bool counted = access->warp->timed && number >= 0;
    if (shared)
        access->served[others ? GPU_DSMEM : GPU_SHARED] = access->count;
    else
        serve(core, access, counted, kind);
    if (counted) {
        const struct lane_region *region = &core->launch->regions[number];
        add_up(core, access, kind);
        if (region->bus > 0 && reads(access->it))
            send(core, access, region);
    }
    return number;
}

/* The atomic operation in the terms of manifests. */
static struct lane_atomic atomic_of(const struct warp_core *core, const struct warp_access *access)
{
    static const char *const ops[] = {
        [PTX_ADD] = "add", [PTX_MIN] = "min",   [PTX_MAX] = "max", [PTX_AND] = "and", [PTX_OR] = "or",
        [PTX_XOR] = "xor", [PTX_EXCH] = "swap", [PTX_CAS] = "cas", [PTX_INC] = "inc", [PTX_DEC] = "dec"};
    const struct ptx_instruction *it = access->it;
    struct lane_atomic atomic = {.op = it->type.letter == 'f' ? "fadd" : ops[it->atomic],
                                 .scope = it->scope,
                                 .returns = it->writes,
                                 .same = true};
    for (unsigned k = 0; k < it->sources; k++) {
        const unsigned char *from = warp_source(core, access->warp, it->source[k]);
        atomic.operands[k] = value_at(from + (size_t)access->lanes[0] * it->type.bytes, it->type.bytes);
        if (access->count == PTX_LANES) {
            size_t bytes = it->type.bytes; /* all are the same if each equals the one before */
            atomic.same = atomic.same && memcmp(from, from + bytes, (PTX_LANES - 1) * bytes) == 0;
            continue;
        }
        for (unsigned i = 1; i < access->count && atomic.same; i++)
            atomic.same = value_at(from + (size_t)access->lanes[i] * it->type.bytes, it->type.bytes) ==
                          atomic.operands[k];
    }
    return atomic;
}

/* Passes the access, which has been counted, to the visitor. */
static bool show(const struct warp_core *core, const struct warp_access *access, enum lane_kind kind,
                 int region, const uint64_t *to)
{
    const struct ptx_instruction *it = access->it;
    const struct warp *warp = access->warp;
    struct lane_access shown = {.kind = kind,
                                .shared = it->space == PTX_SHARED || it->space == PTX_CLUSTER,
                                .of_cluster = it->space == PTX_CLUSTER,
                                .owner = warp->block->cluster->first + access->owner,
                                .cache = it->cache,
                                .region = region,
                                .count = access->count,
                                .addresses = access->addresses,
                                .lanes = access->lanes,
                                .even = access->even,
                                .stride = access->stride,
                                .bytes = access->bytes,
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
        describe_values(core, access, &shown);
    struct lane_atomic atomic;
    if (it->kind == PTX_ATOMIC) {
        atomic = atomic_of(core, access);
        shown.atomic = &atomic;
    }
    return core->launch->visit(&shown, core->launch->context, core->error);
}

static bool observe(struct warp_core *core, struct warp_access *access, const struct warp_copied *copied)
{
    const struct ptx_instruction *it = access->it;
    enum lane_kind kind = kind_of(it);
    int region = count_access(core, access, kind);
    return show(core, access, kind, region, copied == NULL ? NULL : copied->to);
}

/* ---- bulk copies ---- */

/* A copy counts as one access of 4 or 8 bytes by each of the block's threads if its size is divisible like
 * that, else as accesses of 16 bytes. */
static unsigned piece_of(const struct warp_core *core, uint64_t bytes)
{
    uint64_t each = bytes % core->launch->threads == 0 ? bytes / core->launch->threads : 0;
    return each == 4 || each == 8 ? (unsigned)each : 16;
}

/* Counts adjacent accesses, at most PTX_LANES. */
static bool count_pieces(struct warp_core *core, const struct warp_access *whole, uint64_t at, unsigned count,
                         unsigned bytes)
{
    struct warp_access access = {.it = whole->it,
                                 .warp = whole->warp,
                                 .count = count,
                                 .even = true,
                                 .stride = bytes,
                                 .low = at,
                                 .high = at + (uint64_t)count * bytes,
                                 .bytes = bytes};
    memcpy(access.lanes, all_lanes, sizeof all_lanes);
    for (unsigned i = 0; i < count; i++)
        access.addresses[i] = at + (uint64_t)i * bytes;
    if (!find_bytes(core, &access))
        return false;
    (void)count_access(core, &access, kind_of(access.it));
    return true;
}

static bool is_ordered(struct warp_core *core, const struct warp_access *access, enum lane_kind kind,
                       const uint64_t *addresses);

/* Executes a bulk store. Threads may change its source only after a barrier. */
static bool put_lane(struct warp_core *core, struct warp_access *access, uint64_t from)
{
    memcpy(bytes_of(access, 0), access->warp->block->shared + from, access->it->size);
    access->warp->put++;
    return is_ordered(core, access, LANE_LOAD, &from);
}

/* Executes one thread's bulk copy: shown to the visitor as one access, counted piece by piece. */
static bool copy_lane(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      unsigned lane)
{
    struct warp_access access = {.it = it, .warp = warp, .bytes = (unsigned)it->size};
    uint64_t to = 0;
    unsigned piece = piece_of(core, it->size);
    find_addresses(&access, UINT32_C(1) << lane);
    if (access.addresses[0] % 16 != 0)
        return warp_fault(core, warp, it, "copies from 0x%" PRIx64 ": expected a multiple of 16",
                          access.addresses[0]);
    bool puts = it->kind == PTX_PUT;
    if (!find_bytes(core, &access) || !(puts ? warp_bulk_source : warp_bulk_find)(core, warp, it, lane, &to))
        return false;
    for (uint64_t at = 0; at < it->size;) {
        uint64_t left = (it->size - at) / piece;
        unsigned count = left > PTX_LANES ? PTX_LANES : (unsigned)left;
        if (!count_pieces(core, &access, access.addresses[0] + at, count, piece))
            return false;
        at += (uint64_t)count * piece;
    }
    int region = region_of(core, false, access.addresses[0]);
    if (puts)
        return put_lane(core, &access, to) && show(core, &access, LANE_STORE, region, NULL);
    return show(core, &access, LANE_LOAD, region, &to) &&
           warp_bulk_begin(core, warp, it, lane, to, bytes_of(&access, 0));
}

static bool copy_bulk(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                      uint32_t lanes)
{
    for (; lanes != 0; lanes &= lanes - 1)
        if (!copy_lane(core, warp, it, (unsigned)__builtin_ctz(lanes)))
            return false;
    return true;
}

/* True if the lane stores the value that is there already. */
static bool stores_same(const struct warp_core *core, const struct warp_access *access, unsigned lane)
{
    const struct ptx_instruction *it = access->it;
    bool same = it->kind == PTX_STORE;
    for (unsigned e = 0; same && e < it->count; e++) {
        const unsigned char *from = warp_source(core, access->warp, it->source[e]);
        same = memcmp(bytes_of(access, lane) + (size_t)e * it->type.bytes,
                      from + (size_t)access->lanes[lane] * it->source_bytes, it->type.bytes) == 0;
    }
    return same;
}

/* Records the lanes' accesses to the block's shared memory. False, with the error set, if one races. */
static bool is_ordered(struct warp_core *core, const struct warp_access *access, enum lane_kind kind,
                       const uint64_t *addresses)
{
    struct shared_races *races = access->warp->block->races;
    unsigned first = 0;
    if (races != NULL && access->even && addresses == access->addresses)
        first = shared_races_note_even(races, access->warp->number * PTX_LANES, access->count, kind,
                                       access->addresses[0], access->stride, access->bytes);
    for (unsigned i = first; races != NULL && i < access->count; i++) {
        unsigned thread = access->warp->number * PTX_LANES + access->lanes[i];
        if (!shared_races_note(races, thread, kind, false, addresses[i], access->bytes) &&
            !(stores_same(core, access, i) &&
              shared_races_note(races, thread, kind, true, addresses[i], access->bytes)))
            return warp_fault(core, access->warp, access->it,
                              "%s 0x%" PRIx64 " of shared memory, which another thread of the block accesses "
                              "without a barrier between: expected bar.sync",
                              kind == LANE_LOAD ? "reads" : "writes", addresses[i]);
    }
    return true;
}

/* Begins the lanes' copies, whose sources have been found. */
static bool copy_values(struct warp_core *core, struct warp_access *access, struct warp_copied *copied)
{
    copied->bytes = access->bytes;
    for (unsigned i = 0; i < access->count; i++)
        copied->from[i] = bytes_of(access, i);
    return warp_copies_begin(core, access->warp, access->it, copied) &&
           is_ordered(core, access, LANE_STORE, copied->to);
}

bool warp_access_memory(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                        uint32_t lanes)
{
    struct warp_access access;
    if (lanes == 0)
        return true;
    if (it->kind == PTX_BULK || it->kind == PTX_PUT)
        return copy_bulk(core, warp, it, lanes);
    access.it = it;
    access.warp = warp;
    access.bytes = it->type.bytes * it->count;
    access.range = NULL;
    access.origin = NULL;
    access.count = 0;
    access.owner = 0;
    memset(access.sectors, 0, sizeof access.sectors);
    memset(access.served, 0, sizeof access.served);
    find_addresses(&access, lanes);
    if (!check_alignment(core, &access) || !find_bytes(core, &access))
        return false;
    if (it->space == PTX_CONST || it->space == PTX_PARAM) {
        load_values(&access);
        return true;
    }
    if (it->kind == PTX_COPY) {
        struct warp_copied copied;
        warp_copies_find(warp, it, lanes, &copied);
        return observe(core, &access, &copied) && copy_values(core, &access, &copied);
    }
    if (it->space == PTX_SHARED && warp->block->busy != NULL &&
        !warp_copies_are_past(core, warp, it, access.addresses, access.count, access.bytes))
        return false;
    if (it->space == PTX_SHARED && warp->block->bulk != NULL &&
        !warp_bulk_is_past(core, warp, it, access.addresses, access.count, access.bytes))
        return false;
    if (it->space == PTX_SHARED && !is_ordered(core, &access, kind_of(it), access.addresses))
        return false;
    if (it->kind == PTX_STORE)
        store_values(core, &access);
    bool records = it->space == PTX_SHARED && it->kind != PTX_LOAD && warp->block->written != NULL;
    for (unsigned i = 0; records && i < access.count; i++)
        warp_cluster_write(warp, access.addresses[i], access.bytes);
    if (!observe(core, &access, NULL))
        return false;
    if (it->kind == PTX_LOAD)
        load_values(&access);
    else if (it->kind == PTX_ATOMIC)
        change_values(core, &access);
    return true;
}
