#include "sim/gcn/wave_state.h"

#include <limits.h>
#include <string.h>

static void add(struct wave_registers *registers, unsigned code, unsigned dwords)
{
    bool vector = code >= GCN_VECTOR && code < 3 * GCN_VECTOR;
    for (unsigned i = 0; i < dwords && (vector || code + i < GCN_SCALARS); i++) {
        unsigned bit = vector ? code + i - GCN_VECTOR + GCN_SCALARS : code + i;
        if (code != GCN_NULL && bit < 64 * sizeof registers->words / sizeof registers->words[0])
            registers->words[bit / 64] |= UINT64_C(1) << bit % 64;
    }
}

static unsigned dwords_of(char letter, unsigned lanes)
{
    return letter == 'm' && lanes < 64 ? 1 : gcn_letter_dwords(letter);
}

static void fill(struct wave_uses *uses, unsigned code, unsigned dwords)
{
    uses->filled = (uint16_t)code;
    uses->dwords = (uint8_t)dwords;
}

/* FLAT, GLOBAL and MUBUF. From GFX10 on, accesses that return nothing have a counter of their own. */
static void use_memory(const struct gcn_instruction *in, unsigned generation, struct wave_uses *uses)
{
    bool buffer = in->row->format == GCN_MUBUF;
    unsigned out = gcn_letter_dwords(gcn_letter_out(in->row, 0));
    unsigned data = gcn_letter_dwords(gcn_letter_in(in->row, 0));
    bool returns = out > 0 && (data == 0 || (in->modifiers & GCN_GLC) != 0);
    bool wide = !buffer ? in->src[2] == GCN_NO_OPERAND : (in->modifiers & GCN_ADDR64) != 0;
    bool both = (in->modifiers & GCN_OFFEN) != 0 && (in->modifiers & GCN_IDXEN) != 0;
    bool any = !buffer || (in->modifiers & (GCN_ADDR64 | GCN_OFFEN | GCN_IDXEN)) != 0;
    uses->vm = returns || generation < 10 || (out == 0 && data == 0);
    if (generation >= 12 && strncmp(in->row->name, "global_wb", strlen("global_wb")) == 0)
        uses->vm = false; /* a write-back counts as a store */
    uses->vs = !uses->vm;
    uses->lgkm = in->row->format == GCN_FLAT;
    if (out > 0 || data > 0)
        add(&uses->touched, in->src[0], !any ? 0 : wide || both ? 2 : 1);
    add(&uses->touched, buffer ? in->dst : in->src[1], data);
    if (buffer && (out > 0 || data > 0)) {
        add(&uses->touched, in->src[1], 4);
        add(&uses->touched, in->src[2], 1);
    } else if (!buffer && in->src[2] != GCN_NO_OPERAND) {
        add(&uses->touched, in->src[2], 2);
    }
    if (returns)
        fill(uses, in->dst, out);
}

static void use_shared(const struct gcn_instruction *in, struct wave_uses *uses)
{
    uses->lgkm = true;
    add(&uses->touched, in->src[0], 1);
    for (unsigned i = 0; i < 2; i++)
        add(&uses->touched, in->src[1 + i], gcn_letter_dwords(gcn_letter_in(in->row, i)));
    if (gcn_letter_out(in->row, 0) != '\0')
        fill(uses, in->dst, gcn_letter_dwords(gcn_letter_out(in->row, 0)));
}

static void use_operands(const struct gcn_instruction *in, unsigned lanes, struct wave_uses *uses)
{
    add(&uses->touched, in->dst, dwords_of(gcn_letter_out(in->row, 0), lanes));
    add(&uses->touched, in->dst2, dwords_of(gcn_letter_out(in->row, 1), lanes));
    for (unsigned i = 0; i < 3; i++)
        add(&uses->touched, in->src[i], dwords_of(gcn_letter_in(in->row, i), lanes));
}

void wave_uses_of(const struct gcn_instruction *in, unsigned generation, unsigned lanes,
                  struct wave_uses *uses)
{
    bool message = strncmp(in->row->name, "s_sendmsg_rtn", strlen("s_sendmsg_rtn")) == 0;
    *uses = (struct wave_uses){.dwords = 0};
    if (in->row->format >= GCN_FLAT) {
        use_memory(in, generation, uses);
    } else if (in->row->format == GCN_DS) {
        use_shared(in, uses);
    } else if (in->row->format == GCN_SMEM || message) {
        unsigned out = gcn_letter_dwords(gcn_letter_out(in->row, 0));
        uses->km = generation >= 12;
        uses->lgkm = !uses->km;
        uses->unordered = out > 0;
        if (!message) {
            add(&uses->touched, in->src[0], gcn_letter_dwords(gcn_letter_in(in->row, 0)));
            add(&uses->touched, in->src[1], 1);
        }
        fill(uses, in->dst, out);
    } else {
        use_operands(in, lanes, uses);
    }
    if (in->beside != NULL) {
        struct gcn_instruction second = gcn_beside(in);
        use_operands(&second, lanes, uses);
    }
}

int wave_waits_missing(const struct wave_waits *waits, const struct wave_uses *uses)
{
    for (unsigned i = 0; i < sizeof waits->pending.words / sizeof waits->pending.words[0]; i++) {
        uint64_t both = waits->pending.words[i] & uses->touched.words[i];
        unsigned bit = 64 * i + (both == 0 ? 0 : (unsigned)__builtin_ctzll(both));
        if (both != 0)
            return (int)(bit < GCN_SCALARS ? bit : bit - GCN_SCALARS + GCN_VECTOR);
    }
    return -1;
}

static void find_pending(struct wave_waits *waits)
{
    waits->pending = (struct wave_registers){{0}};
    for (unsigned i = 0; i < waits->vm_count; i++)
        add(&waits->pending, waits->vm[i].filled, waits->vm[i].dwords);
    for (unsigned i = 0; i < waits->lgkm_count; i++)
        add(&waits->pending, waits->lgkm[i].filled, waits->lgkm[i].dwords);
    for (unsigned i = 0; i < waits->km_count; i++)
        add(&waits->pending, waits->km[i].filled, waits->km[i].dwords);
}

/* Keeps the last `most` entries. */
static void keep(struct wave_underway *list, unsigned *count, unsigned most)
{
    if (*count <= most)
        return;
    memmove(list, list + (*count - most), most * sizeof *list);
    *count = most;
}

static void push(struct wave_underway *list, unsigned *count, const struct wave_uses *uses, bool fills)
{
    list[(*count)++] =
        (struct wave_underway){uses->filled, fills ? uses->dwords : 0, fills && uses->unordered};
}

void wave_waits_issue(struct wave_waits *waits, const struct wave_uses *uses)
{
    if (waits->vm_count == WAVE_UNDERWAY || waits->lgkm_count == WAVE_UNDERWAY ||
        waits->km_count == WAVE_UNDERWAY) {
        keep(waits->vm, &waits->vm_count, WAVE_UNDERWAY - 1);
        keep(waits->lgkm, &waits->lgkm_count, WAVE_UNDERWAY - 1);
        keep(waits->km, &waits->km_count, WAVE_UNDERWAY - 1);
        find_pending(waits);
    }
    waits->vs_count += uses->vs;
    if (uses->vm)
        push(waits->vm, &waits->vm_count, uses, true);
    if (uses->lgkm)
        push(waits->lgkm, &waits->lgkm_count, uses, !uses->vm);
    if (uses->km)
        push(waits->km, &waits->km_count, uses, true);
    add(&waits->pending, uses->filled, uses->dwords);
}

static bool any_unordered(const struct wave_underway *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (list[i].unordered)
            return true;
    return false;
}

/* If accesses may complete in any order, only a wait for all of them proves that one has completed. */
static void keep_ordered(struct wave_underway *list, unsigned *count, unsigned most)
{
    if (most == 0 || !any_unordered(list, *count))
        keep(list, count, most);
}

bool wave_waits_answer(const struct wave_waits *waits)
{
    return any_unordered(waits->lgkm, waits->lgkm_count) || any_unordered(waits->km, waits->km_count);
}

void wave_waits_until(struct wave_waits *waits, unsigned vm, unsigned lgkm, unsigned km)
{
    keep(waits->vm, &waits->vm_count, vm);
    keep_ordered(waits->lgkm, &waits->lgkm_count, lgkm);
    keep_ordered(waits->km, &waits->km_count, km);
    find_pending(waits);
}

unsigned wave_waits_underway(const struct wave_waits *waits)
{
    return waits->vm_count + waits->lgkm_count + waits->km_count + waits->vs_count;
}

unsigned wave_vmcnt(unsigned generation, int32_t number)
{
    unsigned bits = (unsigned)number & 0xffff;
    if (generation >= 11)
        return bits >> 10;
    return (bits & 15) | (generation >= 9 ? bits >> 14 << 4 : 0);
}

unsigned wave_lgkmcnt(unsigned generation, int32_t number)
{
    unsigned bits = (unsigned)number & 0xffff;
    return generation >= 11 ? bits >> 4 & 63 : bits >> 8 & (generation == 10 ? 63 : 15);
}
