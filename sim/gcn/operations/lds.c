/* LDS, which the waves of a work-group share (DS). From GFX9 on M0 no longer limits it. */
#include "sim/gcn/service.h"
#include "sim/shared_races.h"

#include <stddef.h>
#include <string.h>

/* Passes the access to one element of each lane to the visitor. */
static bool show(struct wave_core *core, const struct wave *wave, const struct wave_shape *shape,
                 struct wave_lanes *lanes, const uint64_t address[WAVE_LANES])
{
    lanes->mask = wave_exec(wave);
    lanes->bytes = shape->bytes;
    memcpy(lanes->address, address, sizeof lanes->address);
    return wave_service_show(core, wave, lanes, true);
}

/* The element at the address; NULL, with the error set, if it lies outside LDS or the access races with
 * another wave's. stored: the element that a plain store writes, else NULL. */
static unsigned char *at(struct wave_core *core, const struct wave *wave, enum lane_kind kind,
                         const void *stored, uint64_t address, unsigned bytes)
{
    uint64_t limit = core->kernel.lds_bytes;
    if (core->kernel.target->generation < 9 && wave->s[GCN_M0] < limit)
        limit = wave->s[GCN_M0];
    bool same =
        stored != NULL && address + bytes <= limit && memcmp(wave->group->lds + address, stored, bytes) == 0;
    if (address + bytes <= limit &&
        !shared_races_note(wave->group->races, wave->number, kind, same, address, bytes)) {
        wave_fault(
            core, wave,
            "%s 0x%llx of LDS, which another wave of the work-group accesses without a barrier between: "
            "expected s_barrier",
            kind == LANE_LOAD ? "reads" : "writes", (unsigned long long)address);
        return NULL;
    }
    if (address + bytes <= limit)
        return wave->group->lds + address;
    wave_fault(core, wave, "accesses %u bytes at 0x%llx of LDS, which has %llu bytes%s", bytes,
               (unsigned long long)address, (unsigned long long)limit,
               limit < core->kernel.lds_bytes ? " according to M0, which code for GFX6 to GFX8 must set"
                                              : "");
    return NULL;
}

static bool is_shared(struct wave_core *core, const struct wave *wave, const struct wave_instruction *it)
{
    if (wave->arrived)
        return wave_fault(core, wave,
                          "accesses LDS between s_barrier_signal and s_barrier_wait: expected before "
                          "both or after");
    return (it->in.modifiers & GCN_GDS) == 0 || wave_fault(core, wave, "accesses GDS, which is not modelled");
}

struct wave_shape wave_shape_of(const struct gcn_instruction *in, const struct wave_lds_row *row)
{
    char out = gcn_letter_out(in->row, 0);
    char letter = out != '\0' ? out : gcn_letter_in(in->row, 0);
    struct wave_shape shape = {.elements = row->apart > 0 ? 2 : 1,
                               .bytes = row->bytes > 0 ? row->bytes : gcn_letter_dwords(letter) * 4,
                               .offset = {(uint32_t)in->number, 0},
                               .is_signed = row->is_signed};
    for (unsigned i = 0; row->apart > 0 && i < 2; i++)
        shape.offset[i] = in->offsets[i] * shape.bytes * row->apart;
    return shape;
}

static uint32_t extended(uint32_t value, const struct wave_shape *shape)
{
    if (!shape->is_signed)
        return value;
    return shape->bytes == 1 ? (uint32_t)(int8_t)value : (uint32_t)(int16_t)value;
}

static bool read(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const struct gcn_instruction *in = &it->in;
    const struct wave_shape *shape = &it->shape;
    uint64_t exec = wave_exec(wave);
    uint32_t address[WAVE_LANES];
    uint64_t words[2][WAVE_LANES];
    if (!is_shared(core, wave, it))
        return false;
    memcpy(address, wave->v[in->src[0] - GCN_VECTOR], sizeof address);
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        uint32_t *to = &wave->v[in->dst - GCN_VECTOR][lane];
        if ((exec >> lane & 1) == 0)
            continue;
        for (unsigned i = 0; i < shape->elements; i++) {
            words[i][lane] = (uint64_t)address[lane] + shape->offset[i];
            const unsigned char *from = at(core, wave, LANE_LOAD, NULL, words[i][lane], shape->bytes);
            if (from == NULL)
                return false;
            for (unsigned byte = 0; byte < shape->bytes; byte += 4, to += WAVE_LANES) {
                uint32_t value = 0;
                memcpy(&value, from + byte, shape->bytes < 4 ? shape->bytes : 4);
                *to = extended(value, shape);
            }
        }
    }
    for (unsigned i = 0; i < shape->elements; i++) {
        struct wave_lanes lanes = {.kind = LANE_LOAD};
        wave_service_shared_words(core, wave, exec, words[i], shape->bytes);
        if (!show(core, wave, shape, &lanes, words[i]))
            return false;
    }
    wave_service_shared(core, wave, LANE_LOAD, exec, shape->elements);
    return true;
}

static bool write(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const struct gcn_instruction *in = &it->in;
    const struct wave_shape *shape = &it->shape;
    uint64_t exec = wave_exec(wave);
    const uint32_t *address = wave->v[in->src[0] - GCN_VECTOR];
    uint64_t elements[2][WAVE_LANES] = {{0}};
    struct wave_lanes lanes[2] = {{.kind = LANE_STORE}, {.kind = LANE_STORE}};
    if (!is_shared(core, wave, it))
        return false;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++)
        for (unsigned i = 0; i < shape->elements && (exec >> lane & 1) != 0; i++) {
            const uint32_t *from = &wave->v[in->src[1 + i] - GCN_VECTOR][lane];
            unsigned char stored[16];
            for (unsigned byte = 0; byte < shape->bytes; byte += 4, from += WAVE_LANES)
                memcpy(stored + byte, from, shape->bytes < 4 ? shape->bytes : 4);
            elements[i][lane] = (uint64_t)address[lane] + shape->offset[i];
            unsigned char *to = at(core, wave, LANE_STORE, stored, elements[i][lane], shape->bytes);
            if (to == NULL)
                return false;
            memcpy(to, stored, shape->bytes);
            lanes[i].bytes = shape->bytes;
            wave_service_value(&lanes[i], to);
        }
    for (unsigned i = 0; i < shape->elements; i++)
        if (!show(core, wave, shape, &lanes[i], elements[i]))
            return false;
    wave_service_shared(core, wave, LANE_STORE, exec, shape->elements);
    return true;
}

static uint64_t value_of(const struct wave *wave, unsigned code, unsigned lane, unsigned bytes)
{
    uint64_t low = wave->v[code - GCN_VECTOR][lane];
    return bytes == 8 ? low | (uint64_t)wave->v[code - GCN_VECTOR + 1][lane] << 32 : low;
}

/* last: which source is the value that is written; the other is the comparand, if there is one. */
static bool change(struct wave_core *core, struct wave *wave, const struct wave_instruction *it,
                   enum wave_atomic atomic, unsigned last)
{
    const struct gcn_instruction *in = &it->in;
    unsigned bytes = gcn_letter_dwords(gcn_letter_in(in->row, 0)) * 4;
    bool returns = gcn_letter_out(in->row, 0) != '\0';
    bool compares = atomic == ATOMIC_CMPSWAP;
    uint64_t exec = wave_exec(wave), addresses[WAVE_LANES] = {0};
    const struct wave_shape shape = {.elements = 1, .bytes = bytes};
    struct wave_lanes lanes = {.kind = LANE_ATOMIC};
    if (!is_shared(core, wave, it))
        return false;
    for (unsigned lane = 0; lane < WAVE_LANES; lane++) {
        if ((exec >> lane & 1) == 0)
            continue;
        uint64_t address = addresses[lane] =
            (uint64_t)wave->v[in->src[0] - GCN_VECTOR][lane] + (uint32_t)in->number;
        uint64_t operand = value_of(wave, in->src[last], lane, bytes);
        uint64_t compare = compares ? value_of(wave, in->src[3 - last], lane, bytes) : 0;
        unsigned char *memory = at(core, wave, LANE_ATOMIC, NULL, address, bytes);
        if (memory == NULL)
            return false;
        uint64_t old = 0;
        memcpy(&old, memory, bytes);
        uint64_t new = wave_atomic_value(atomic, bytes, old, operand, compare);
        memcpy(memory, &new, bytes);
        wave_service_atomic(&lanes, atomic, returns,
                            (const uint64_t[]){compares ? compare : operand, compares ? operand : 0});
        if (returns)
            wave->v[in->dst - GCN_VECTOR][lane] = (uint32_t)old;
        if (returns && bytes == 8)
            wave->v[in->dst - GCN_VECTOR + 1][lane] = (uint32_t)(old >> 32);
    }
    wave_service_shared(core, wave, LANE_ATOMIC, exec, 1);
    return show(core, wave, &shape, &lanes, addresses);
}

/* ds_cmpst has the comparand first, GFX11's ds_cmpstore last. */
static bool cmpst(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    return change(core, wave, it, ATOMIC_CMPSWAP, 2);
}

static bool cmpstore(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    return change(core, wave, it, ATOMIC_CMPSWAP, 1);
}

#define CHANGE(name, atomic)                                                                                 \
    static bool name(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)           \
    {                                                                                                        \
        return change(core, wave, it, atomic, 1);                                                            \
    }
CHANGE(swap, ATOMIC_SWAP)
CHANGE(add, ATOMIC_ADD)
CHANGE(sub, ATOMIC_SUB)
CHANGE(rsub, ATOMIC_RSUB)
CHANGE(min_i, ATOMIC_SMIN)
CHANGE(min_u, ATOMIC_UMIN)
CHANGE(max_i, ATOMIC_SMAX)
CHANGE(max_u, ATOMIC_UMAX)
CHANGE(and, ATOMIC_AND)
CHANGE(or, ATOMIC_OR)
CHANGE(xor, ATOMIC_XOR)
CHANGE(inc, ATOMIC_INC)
CHANGE(dec, ATOMIC_DEC)

#define WHOLE(name, run)                                                                                     \
    {                                                                                                        \
        name, run, 0, false, 0                                                                               \
    }
#define TYPED(name, letter, run)                                                                             \
    WHOLE("ds_" #name "_" #letter "32", run), WHOLE("ds_" #name "_" #letter "64", run),                      \
        WHOLE("ds_" #name "_rtn_" #letter "32", run), WHOLE("ds_" #name "_rtn_" #letter "64", run)
const struct wave_lds_row wave_lds_rows[] = {
    WHOLE("ds_read_b32", read),
    {"ds_read_u8", read, 1, false, 0},
    {"ds_read_i8", read, 1, true, 0},
    {"ds_read_u16", read, 2, false, 0},
    {"ds_read_i16", read, 2, true, 0},
    WHOLE("ds_read_b64", read),
    WHOLE("ds_read_b96", read),
    WHOLE("ds_read_b128", read),
    {"ds_read2_b32", read, 4, false, 1},
    {"ds_read2st64_b32", read, 4, false, 64},
    {"ds_read2_b64", read, 8, false, 1},
    {"ds_read2st64_b64", read, 8, false, 64},
    WHOLE("ds_write_b32", write),
    {"ds_write_b8", write, 1, false, 0},
    {"ds_write_b16", write, 2, false, 0},
    WHOLE("ds_write_b64", write),
    WHOLE("ds_write_b96", write),
    WHOLE("ds_write_b128", write),
    {"ds_write2_b32", write, 4, false, 1},
    {"ds_write2st64_b32", write, 4, false, 64},
    {"ds_write2_b64", write, 8, false, 1},
    {"ds_write2st64_b64", write, 8, false, 64},
    WHOLE("ds_wrxchg_rtn_b32", swap),
    WHOLE("ds_wrxchg_rtn_b64", swap),
    TYPED(cmpst, b, cmpst),
    TYPED(cmpstore, b, cmpstore),
    TYPED(add, u, add),
    TYPED(sub, u, sub),
    TYPED(rsub, u, rsub),
    TYPED(inc, u, inc),
    TYPED(dec, u, dec),
    TYPED(min, i, min_i),
    TYPED(min, u, min_u),
    TYPED(max, i, max_i),
    TYPED(max, u, max_u),
    TYPED(and, b, and),
    TYPED(or, b, or),
    TYPED(xor, b, xor),
    {NULL, NULL, 0, false, 0},
};
