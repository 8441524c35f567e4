/* Memory: scalar loads (SMRD, SMEM), and lanes' accesses through FLAT, GLOBAL and MUBUF. */
#include "sim/gcn/service.h"

#include <stddef.h>
#include <string.h>

static const struct device_range *reach(struct wave_core *core, const struct wave *wave, uint64_t address,
                                        unsigned bytes, bool write)
{
    const struct device_range *range = wave_service_memory(core, address, bytes);
    if (range == NULL)
        wave_fault(core, wave, "%s %u bytes at address 0x%llx, where there is no memory",
                   write ? "writes" : "reads", bytes, (unsigned long long)address);
    else if (write && !range->writable) {
        wave_fault(core, wave, "writes %u bytes at address 0x%llx, in %s", bytes, (unsigned long long)address,
                   range->name);
        return NULL;
    }
    return range;
}

/* A buffer descriptor: words 0 and 1 hold base, stride and swizzle; word 2 the number of records; word 3 the
 * data format and the rule for out-of-range accesses. */
struct buffer_words {
    uint64_t base, stride, records;
    bool swizzled;  /* GFX11 has two bits for it */
    bool by_thread; /* the thread's number is added to the index */
    unsigned outside;
    bool formatted; /* false: hardware treats the descriptor as unbound, and loads return 0 */
};

static struct buffer_words describe(const struct wave_core *core, const struct wave *wave, unsigned code)
{
    const uint32_t *words = &wave->s[code];
    unsigned generation = core->kernel.target->generation;
    bool two_bits = generation >= 11;
    if (code + 4 > GCN_SCALARS)
        return (struct buffer_words){0};
    return (struct buffer_words){
        .base = words[0] | (uint64_t)(words[1] & 0xffff) << 32,
        .stride = words[1] >> 16 & 0x3fff,
        .records = words[2],
        .swizzled = words[1] >> (two_bits ? 30 : 31) != 0,
        .by_thread = (words[3] >> 23 & 1) != 0,
        .outside = words[3] >> 28 & 3,
        .formatted = (words[3] >> (generation >= 10 ? 12 : 15) & (generation == 10  ? 0x7f
                                                                  : generation > 10 ? 0x3f
                                                                                    : 0xf)) != 0};
}

static bool beyond(struct wave_core *core, const struct wave *wave, const struct buffer_words *buffer)
{
    return wave_fault(core, wave, "accesses a buffer of %llu bytes or records beyond its end",
                      (unsigned long long)buffer->records);
}

bool wave_do_scalar_load(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const struct gcn_instruction *in = &it->in;
    unsigned dwords = gcn_letter_dwords(gcn_letter_out(in->row, 0));
    uint64_t offset = (in->modifiers & GCN_IMMEDIATE) != 0 ? (uint64_t)(int64_t)in->number : 0;
    if (in->src[1] < GCN_SCALARS)
        offset += wave->s[in->src[1]];
    else if (in->src[1] == GCN_LITERAL) /* GFX7: dwords */
        offset = (uint64_t)in->literal * 4;
    bool described = gcn_letter_in(in->row, 0) == 'B';
    struct buffer_words buffer = describe(core, wave, in->src[0]);
    uint64_t base = described ? buffer.base : wave_pair(wave, in->src[0]);
    uint64_t room = buffer.records * (buffer.stride == 0 ? 1 : buffer.stride);
    uint64_t address = (base + offset) & ~UINT64_C(3);
    if (described && (offset > room || room - offset < dwords * 4))
        return beyond(core, wave, &buffer);
    const struct device_range *range = reach(core, wave, address, dwords * 4, false);
    if (range != NULL && in->dst != GCN_NULL)
        memcpy(&wave->s[in->dst], range->bytes + (address - range->address), dwords * sizeof(uint32_t));
    return range != NULL;
}

/* Names after "flat_", "global_" or "buffer_". */
static const struct transfer {
    const char *name;
    struct wave_transfer transfer;
} transfers[] = {
    {"load_ubyte", {LANE_LOAD, 1, false, 0}},      {"load_sbyte", {LANE_LOAD, 1, true, 0}},
    {"load_ushort", {LANE_LOAD, 2, false, 0}},     {"load_sshort", {LANE_LOAD, 2, true, 0}},
    {"load_dword", {LANE_LOAD, 4, false, 0}},      {"load_dwordx2", {LANE_LOAD, 8, false, 0}},
    {"load_dwordx3", {LANE_LOAD, 12, false, 0}},   {"load_dwordx4", {LANE_LOAD, 16, false, 0}},
    {"store_byte", {LANE_STORE, 1, false, 0}},     {"store_short", {LANE_STORE, 2, false, 0}},
    {"store_dword", {LANE_STORE, 4, false, 0}},    {"store_dwordx2", {LANE_STORE, 8, false, 0}},
    {"store_dwordx3", {LANE_STORE, 12, false, 0}}, {"store_dwordx4", {LANE_STORE, 16, false, 0}},
};

static const struct atomic {
    const char *name;
    enum wave_atomic atomic;
} atomics[] = {
    {"swap", ATOMIC_SWAP}, {"cmpswap", ATOMIC_CMPSWAP}, {"add", ATOMIC_ADD},   {"sub", ATOMIC_SUB},
    {"smin", ATOMIC_SMIN}, {"umin", ATOMIC_UMIN},       {"smax", ATOMIC_SMAX}, {"umax", ATOMIC_UMAX},
    {"and", ATOMIC_AND},   {"or", ATOMIC_OR},           {"xor", ATOMIC_XOR},   {"inc", ATOMIC_INC},
    {"dec", ATOMIC_DEC},
};

static bool atomic_of(const char *name, struct wave_transfer *transfer)
{
    size_t length = strcspn(name, "_");
    for (size_t i = 0; i < sizeof atomics / sizeof atomics[0]; i++)
        if (strlen(atomics[i].name) == length && memcmp(atomics[i].name, name, length) == 0) {
            *transfer =
                (struct wave_transfer){LANE_ATOMIC, name[length] == '_' ? 8 : 4, false, atomics[i].atomic};
            return true;
        }
    return false;
}

bool wave_transfer_of(const struct gcn_row *row, struct wave_transfer *transfer)
{
    static const char ATOMIC[] = "atomic_";
    const char *name = strchr(row->name, '_') + 1;
    if (strncmp(name, ATOMIC, sizeof ATOMIC - 1) == 0)
        return atomic_of(name + sizeof ATOMIC - 1, transfer);
    for (size_t i = 0; i < sizeof transfers / sizeof transfers[0]; i++)
        if (strcmp(transfers[i].name, name) == 0) {
            *transfer = transfers[i].transfer;
            return true;
        }
    return false;
}

static uint64_t vector_pair(const struct wave *wave, unsigned code, unsigned lane)
{
    return wave->v[code - GCN_VECTOR][lane] | (uint64_t)wave->v[code - GCN_VECTOR + 1][lane] << 32;
}

static void flat_addresses(const struct wave *wave, const struct gcn_instruction *in,
                           struct wave_lanes *lanes)
{
    bool based = in->src[2] != GCN_NO_OPERAND;
    uint64_t base = based ? wave_pair(wave, in->src[2]) : 0;
    for (unsigned i = 0; i < WAVE_LANES; i++)
        lanes->address[i] =
            (based ? base + wave->v[in->src[0] - GCN_VECTOR][i] : vector_pair(wave, in->src[0], i)) +
            (uint64_t)(int64_t)in->number;
}

/* True if the access lies in the buffer. Without a stride, records are bytes. With one, they are records on
 * GFX6 and GFX7, bytes on GFX8, and bytes on GFX9 if there is no index. From GFX10 on the descriptor decides:
 * 0 and 1 check the index (0 also the offset within the record), 2 checks nothing, 3 counts bytes. */
static bool lies_in(const struct wave_core *core, const struct buffer_words *buffer, bool indexed,
                    uint64_t index, uint64_t within, unsigned bytes)
{
    unsigned generation = core->kernel.target->generation;
    bool records = generation >= 10 ? buffer->outside < 2 : generation < 8 || (generation == 9 && indexed);
    if (generation >= 10 && buffer->outside == 2)
        return buffer->records != 0;
    if (buffer->stride == 0 || !records)
        return index * buffer->stride + within + bytes <= buffer->records;
    bool fits = !indexed || (generation >= 10 && buffer->outside == 1) || within + bytes <= buffer->stride;
    return index < buffer->records && fits;
}

static bool buffer_addresses(struct wave_core *core, const struct wave *wave,
                             const struct gcn_instruction *in, struct wave_lanes *lanes)
{
    struct buffer_words buffer = describe(core, wave, in->src[1]);
    bool indexed = (in->modifiers & GCN_IDXEN) != 0;
    bool offset = (in->modifiers & GCN_OFFEN) != 0;
    bool wide = (in->modifiers & GCN_ADDR64) != 0;
    uint64_t common = wave_read(wave, in, in->src[2]);
    const uint32_t *first = wave->v[in->src[0] - GCN_VECTOR];
    const uint32_t *last = indexed && offset ? first + WAVE_LANES : first;
    if (!buffer.formatted)
        return wave_fault(core, wave, "accesses a buffer whose descriptor has no data format");
    if (buffer.swizzled || buffer.by_thread)
        return wave_fault(core, wave,
                          "accesses a buffer that is swizzled or indexed by thread, which is not modelled");
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        uint64_t within = (uint64_t)in->number + (offset ? last[i] : 0);
        uint64_t index = indexed ? first[i] : 0;
        lanes->address[i] = buffer.base + common + within + index * buffer.stride +
                            (wide ? vector_pair(wave, in->src[0], i) : 0);
        if (!wide && (lanes->mask >> i & 1) != 0 &&
            !lies_in(core, &buffer, indexed, index, within, lanes->bytes))
            return beyond(core, wave, &buffer);
    }
    return true;
}

static void load(struct wave *wave, unsigned to, unsigned lane, const unsigned char *from,
                 const struct wave_transfer *transfer)
{
    uint32_t words[4] = {0};
    memcpy(words, from, transfer->bytes);
    if (transfer->is_signed)
        words[0] = transfer->bytes == 1 ? (uint32_t)(int8_t)words[0] : (uint32_t)(int16_t)words[0];
    for (unsigned i = 0; i * 4 < transfer->bytes; i++)
        wave->v[to + i][lane] = words[i];
}

static void store(const struct wave *wave, unsigned from, unsigned lane, unsigned char *to,
                  const struct wave_transfer *transfer)
{
    uint32_t words[4] = {0};
    for (unsigned i = 0; i * 4 < transfer->bytes; i++)
        words[i] = wave->v[from + i][lane];
    memcpy(to, words, transfer->bytes);
}

/* A compare-and-swap has the new value first, then the value to compare with. */
static void change(struct wave *wave, const struct gcn_instruction *in, unsigned data, unsigned lane,
                   unsigned char *memory, const struct wave_transfer *transfer, struct wave_lanes *among)
{
    unsigned dwords = transfer->bytes / 4;
    unsigned back = in->dst - GCN_VECTOR;
    uint64_t old = 0;
    uint64_t values[2] = {0, 0};
    for (unsigned i = 0; i < (transfer->atomic == ATOMIC_CMPSWAP ? 2 * dwords : dwords); i++)
        values[i / dwords] |= (uint64_t)wave->v[data + i][lane] << (32 * (i % dwords));
    memcpy(&old, memory, transfer->bytes);
    uint64_t new = wave_atomic_value(transfer->atomic, transfer->bytes, old, values[0], values[1]);
    memcpy(memory, &new, transfer->bytes);
    bool compares = transfer->atomic == ATOMIC_CMPSWAP, returns = (in->modifiers & GCN_GLC) != 0;
    wave_service_atomic(among, transfer->atomic, returns,
                        (const uint64_t[]){values[compares ? 1 : 0], compares ? values[0] : 0});
    for (unsigned i = 0; i < dwords && returns; i++)
        wave->v[back + i][lane] = (uint32_t)(old >> (32 * i));
}

/* Moves the data. Afterwards lanes->mask has the lanes that accessed a counted range, and others->mask those
 * that wrote elsewhere. */
static bool move(struct wave_core *core, struct wave *wave, const struct wave_instruction *it,
                 struct wave_lanes *lanes, struct wave_lanes *others)
{
    const struct wave_transfer *transfer = &it->transfer;
    const struct gcn_instruction *in = &it->in;
    unsigned data = (in->row->format == GCN_MUBUF ? in->dst : in->src[1]) - GCN_VECTOR;
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        if ((lanes->mask >> i & 1) == 0)
            continue;
        const struct device_range *range =
            reach(core, wave, lanes->address[i], transfer->bytes, transfer->kind != LANE_LOAD);
        if (range == NULL)
            return false;
        unsigned char *memory = range->bytes + (lanes->address[i] - range->address);
        struct wave_lanes *among = range->counted ? lanes : others;
        if (transfer->kind == LANE_LOAD)
            load(wave, in->dst - GCN_VECTOR, i, memory, transfer);
        else if (transfer->kind == LANE_STORE)
            store(wave, data, i, memory, transfer);
        else
            change(wave, in, data, i, memory, transfer, among);
        if (transfer->kind == LANE_STORE)
            wave_service_value(among, memory);
        if (range->counted)
            continue;
        lanes->mask &= ~(UINT64_C(1) << i);
        others->mask |= transfer->kind == LANE_LOAD ? 0 : UINT64_C(1) << i;
        others->address[i] = lanes->address[i];
    }
    return true;
}

/* True if GFX12's hint marks the line for early eviction from L2. */
static bool leaves(const struct gcn_instruction *in, enum lane_kind kind)
{
    if (kind == LANE_ATOMIC)
        return (in->hint & GCN_TH_ATOMIC_NT) != 0;
    return in->hint == GCN_TH_NT || in->hint == GCN_TH_RT_NT;
}

bool wave_do_memory(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const struct gcn_instruction *in = &it->in;
    static const char *const reaches[] = {"cu", "cta", "gpu", "sys"}; /* by enum gcn_scope */
    bool dies = (core->kernel.target->traits & GCN_XCC) != 0, later = core->kernel.target->generation >= 12;
    unsigned past = dies ? GCN_SCC1 : GCN_GLC; /* sc0 alone is a work-group's scope, which L1 serves */
    struct wave_lanes lanes = {.kind = it->transfer.kind,
                               .mask = wave_exec(wave),
                               .bytes = it->transfer.bytes,
                               .past_l1 = later ? in->scope > GCN_SCOPE_CU : (in->modifiers & past) != 0,
                               .streams =
                                   later ? leaves(in, it->transfer.kind) : (in->modifiers & GCN_SLC) != 0};
    if (in->row->format != GCN_MUBUF)
        flat_addresses(wave, in, &lanes);
    else if (!buffer_addresses(core, wave, in, &lanes))
        return false;
    lanes.atomic.names = later;
    if (later)
        lanes.atomic.scope = reaches[in->scope];
    else if (dies) /* other processors have one instruction for all scopes */
        lanes.atomic.scope = (in->modifiers & GCN_SCC1) != 0 ? "sys" : "gpu";
    struct wave_lanes others = {.kind = lanes.kind, .bytes = lanes.bytes};
    if (!move(core, wave, it, &lanes, &others) || !wave_service_show(core, wave, &others, false))
        return false;
    return lanes.mask == 0 || wave_service_access(core, wave, &lanes);
}
