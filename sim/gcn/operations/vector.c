/* Vector arithmetic: gathers the operands of all lanes, computes all results, and stores those of lanes in
 * EXEC. */
#include "isa/gcn/decode/decode.h"
#include "sim/gcn/wave_result.h"
#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

#include <string.h>

/* ---- lane sources ---- */

/* DPP: from which lane each lane reads source 0, and which lanes are written. Source: AMD's "GCN3", "Vega"
 * and RDNA ISA manuals, "data parallel primitives". */

enum { ROW = 16, NO_LANE = -1 };

/* The lane `away` from this one in its 16, or none. */
static int in_row(int lane, int away)
{
    int at = lane % ROW + away;
    return at < 0 || at >= ROW ? NO_LANE : lane / ROW * ROW + at;
}

/* The last lane of the previous 16, or 32, lanes. */
static int last_before(int lane, int size)
{
    return lane < size ? NO_LANE : lane / size * size - 1;
}

static int by_control(unsigned control, int lane, int lanes)
{
    int number = (int)(control & 15), row = lane / ROW * ROW, at = lane % ROW;
    if (control < 0x100)
        return (lane & ~3) | (int)(control >> 2 * (lane % 4) & 3);
    switch (control & 0x1f0) {
    case 0x100:
        return in_row(lane, number);
    case 0x110:
        return in_row(lane, -number);
    case 0x120:
        return row + (at - number + ROW) % ROW;
    case 0x150:
        return row + number;
    case 0x160:
        return row + (at ^ number);
    default:
        break;
    }
    switch (control) {
    case 0x130:
        return lane + 1 < lanes ? lane + 1 : NO_LANE;
    case 0x134:
        return (lane + 1) % lanes;
    case 0x138:
        return lane - 1;
    case 0x13c:
        return (lane + lanes - 1) % lanes;
    case 0x140:
        return row + ROW - 1 - at;
    case 0x141:
        return (lane & ~7) + 7 - lane % 8;
    case 0x142:
        return last_before(lane, ROW);
    default:
        return last_before(lane, 2 * ROW);
    }
}

/* The lane from which the lane reads; NO_LANE if there is none, or if it is inactive and FI is not set. */
static int source_of(const struct gcn_instruction *in, uint64_t exec, unsigned lanes, unsigned lane)
{
    int from = in->extension == GCN_DPP8 ? (int)((lane & ~7u) | (in->dpp.lanes >> 3 * (lane % 8) & 7))
                                         : by_control(in->dpp.control, (int)lane, (int)lanes);
    return from == NO_LANE || in->dpp.inactive || (exec >> from & 1) != 0 ? from : NO_LANE;
}

/* The lanes that an instruction with DPP writes: those in exec that its masks allow and that have a source,
 * or read 0 without one. lanes: of the wave. */
static uint64_t wave_dpp_written(const struct gcn_instruction *in, uint64_t exec, unsigned lanes)
{
    uint64_t written = 0;
    for (unsigned i = 0; i < lanes; i++) {
        bool allowed = (in->dpp.rows >> i / ROW & 1) != 0 && (in->dpp.banks >> i % ROW / 4 & 1) != 0;
        bool served = in->dpp.zero || source_of(in, exec, lanes, i) != NO_LANE;
        written |= (uint64_t)(allowed && served) << i;
    }
    return written & exec;
}

/* Fills `to` with each lane's source value; 0 if it has no source. */
static void wave_dpp_read(const struct gcn_instruction *in, uint64_t exec, unsigned lanes,
                          const uint32_t from[WAVE_LANES], uint32_t to[WAVE_LANES])
{
    for (unsigned i = 0; i < lanes; i++) {
        int lane = source_of(in, exec, lanes, i);
        to[i] = lane == NO_LANE ? 0 : from[lane];
    }
    for (unsigned i = lanes; i < WAVE_LANES; i++)
        to[i] = 0;
}

/* ---- vector ---- */

/* Room for one instruction's operands. */
struct lane_room {
    uint32_t narrow[3][WAVE_LANES];
    uint64_t wide[3][WAVE_LANES];
    uint32_t d[WAVE_LANES];
    uint64_t D[WAVE_LANES];
};

static void change_sign(uint32_t *lanes, bool size, bool minus)
{
    uint32_t keep = size ? 0x7fffffff : UINT32_MAX;
    uint32_t flip = minus ? 0x80000000 : 0;
    for (unsigned i = 0; i < WAVE_LANES; i++)
        lanes[i] = (lanes[i] & keep) ^ flip;
}

static void change_sign64(uint64_t *lanes, bool size, bool minus)
{
    uint64_t keep = size ? INT64_MAX : UINT64_MAX;
    uint64_t flip = minus ? UINT64_C(1) << 63 : 0;
    for (unsigned i = 0; i < WAVE_LANES; i++)
        lanes[i] = (lanes[i] & keep) ^ flip;
}

static void change_sign16(uint32_t *lanes, bool size, bool minus)
{
    uint32_t keep = size ? 0x7fff : 0xffff;
    uint32_t flip = minus ? 0x8000 : 0;
    for (unsigned i = 0; i < WAVE_LANES; i++)
        lanes[i] = (lanes[i] & keep) ^ flip;
}

/* Where a part begins in a register, and its bits. */
static unsigned part_low(unsigned part)
{
    return part <= GCN_BYTE_3 ? 8 * part : part == GCN_WORD_1 ? 16 : 0;
}

static uint32_t part_mask(unsigned part)
{
    return part <= GCN_BYTE_3 ? 0xff : part == GCN_DWORD ? UINT32_MAX : 0xffff;
}

/* SDWA's part of a source. */
static void take_part(uint32_t *lanes, unsigned part, bool sign)
{
    uint32_t mask = part_mask(part);
    uint32_t top = sign ? mask - mask / 2 : 0;
    for (unsigned i = 0; i < WAVE_LANES && part != GCN_DWORD; i++)
        lanes[i] = ((lanes[i] >> part_low(part) & mask) ^ top) - top;
}

static bool is_half_source(const struct gcn_instruction *in, unsigned number)
{
    char letter = gcn_letter_in(in->row, number);
    return letter == 'e' || (letter == 'x' && (in->select_high >> number & 1) != 0) ||
           (letter == 'q' && strstr(in->row->name, "_f16") != NULL);
}

/* A scalar or a constant; a 16-bit floating-point constant is in the lower half, with zeros above. */
static uint32_t scalar_source(const struct wave *wave, const struct gcn_instruction *in, unsigned number)
{
    static const uint16_t constants[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000,
                                         0xc000, 0x4400, 0xc400, 0x3118};
    unsigned code = in->src[number];
    if (code >= GCN_FLOATS && code <= GCN_INVERSE_TWO_PI && is_half_source(in, number))
        return constants[code - GCN_FLOATS];
    return wave_read(wave, in, code);
}

/* A 32-bit source: the register itself, a scalar copied to all lanes, or a copy with the modifiers applied. A
 * 16-bit source is in the lower half. */
static const uint32_t *narrow(const struct wave *wave, const struct gcn_instruction *in, unsigned number,
                              uint32_t room[WAVE_LANES])
{
    unsigned code = in->src[number];
    char letter = gcn_letter_in(in->row, number);
    bool size = (in->abs >> number & 1) != 0;
    bool halves = in->row->format == GCN_VOP3P && letter != 'x'; /* the operation itself negates them */
    bool minus = !halves && (in->neg >> number & 1) != 0;
    bool parts = in->extension == GCN_SDWA && number < 2;
    bool lanes = in->extension >= GCN_DPP && number == 0;
    bool upper = (gcn_letter_is_half(letter) || letter == 'x') && (in->select >> number & 1) != 0;
    if (code >= GCN_VECTOR) {
        if (!size && !minus && !parts && !lanes && !upper && letter != 'x')
            return wave->v[code - GCN_VECTOR];
        if (lanes)
            wave_dpp_read(in, wave_exec(wave), wave->lanes, wave->v[code - GCN_VECTOR], room);
        else
            memcpy(room, wave->v[code - GCN_VECTOR], sizeof wave->v[0]);
    } else {
        uint32_t value = scalar_source(wave, in, number);
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = value;
    }
    if (parts)
        take_part(room, in->sdwa.src[number], (in->sdwa.sign >> number & 1) != 0);
    if (letter == 'x' && (in->select_high >> number & 1) != 0)
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = bits_of_float((float)of_half(room[i] >> (upper ? 16 : 0)));
    else if (upper && letter != 'x')
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] >>= 16;
    if ((size || minus) && letter == 'e')
        change_sign16(room, size, minus);
    else if (size || minus)
        change_sign(room, size, minus);
    return room;
}

static const uint64_t *wide(const struct wave *wave, const struct gcn_instruction *in, unsigned number,
                            uint64_t room[WAVE_LANES])
{
    unsigned code = in->src[number];
    bool pairs = gcn_letter_in(in->row, number) == 'P'; /* the operation itself negates them */
    bool size = (in->abs >> number & 1) != 0;
    bool minus = !pairs && (in->neg >> number & 1) != 0;
    if (code >= GCN_VECTOR) {
        const uint32_t *low = wave->v[code - GCN_VECTOR];
        const uint32_t *high = wave->v[code - GCN_VECTOR + 1];
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = low[i] | (uint64_t)high[i] << 32;
    } else {
        uint64_t value = pairs && code >= GCN_SCALARS
                             ? wave_read(wave, in, code)
                             : wave_read_pair(wave, in, code, gcn_letter_in(in->row, number));
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = value;
    }
    if (size || minus)
        change_sign64(room, size, minus);
    return room;
}

static void set_source(const struct wave *wave, const struct gcn_instruction *in, unsigned number,
                       struct lane_room *room, struct wave_vector *x)
{
    const uint32_t **narrows[] = {&x->a, &x->b, &x->c};
    const uint64_t **wides[] = {&x->A, &x->B, &x->C};
    char letter = gcn_letter_in(in->row, number);
    if (letter == 'm')
        x->in = wave_read_pair(wave, in, in->src[number], letter);
    else if (gcn_letter_dwords(letter) == 2)
        *wides[number] = wide(wave, in, number, room->wide[number]);
    else
        *narrows[number] = narrow(wave, in, number, room->narrow[number]);
}

static float scaled(float value, unsigned omod, bool clamp)
{
    static const float factors[] = {1, 2, 4, 0.5F};
    value *= factors[omod];
    return !clamp ? value : value > 1 ? 1 : value > 0 ? value : 0;
}

static double scaled64(double value, unsigned omod, bool clamp)
{
    static const double factors[] = {1, 2, 4, 0.5};
    value *= factors[omod];
    return !clamp ? value : value > 1 ? 1 : value > 0 ? value : 0;
}

/* OMOD and CLAMP of floating-point results. */
static void modify(const struct gcn_instruction *in, char out, struct lane_room *room)
{
    for (unsigned i = 0; i < WAVE_LANES && out == 'f'; i++) {
        float value;
        memcpy(&value, &room->d[i], sizeof value);
        value = scaled(value, in->omod, in->clamp);
        memcpy(&room->d[i], &value, sizeof value);
    }
    for (unsigned i = 0; i < WAVE_LANES && out == 'e'; i++)
        room->d[i] = to_half(scaled64(of_half(room->d[i]), in->omod, in->clamp));
    for (unsigned i = 0; i < WAVE_LANES && out == 'F'; i++) {
        double value;
        memcpy(&value, &room->D[i], sizeof value);
        value = scaled64(value, in->omod, in->clamp);
        memcpy(&room->D[i], &value, sizeof value);
    }
}

static void write_narrow(uint32_t to[WAVE_LANES], const uint32_t from[WAVE_LANES], uint64_t exec)
{
    if (exec == UINT64_MAX) {
        memcpy(to, from, sizeof(uint32_t[WAVE_LANES]));
        return;
    }
    for (unsigned i = 0; i < WAVE_LANES; i++)
        if ((exec >> i & 1) != 0)
            to[i] = from[i];
}

static void write_wide(uint32_t (*to)[WAVE_LANES], const uint64_t from[WAVE_LANES], uint64_t exec)
{
    for (unsigned i = 0; i < WAVE_LANES; i++)
        if ((exec >> i & 1) != 0) {
            to[0][i] = (uint32_t)from[i];
            to[1][i] = (uint32_t)(from[i] >> 32);
        }
}

/* Runs the operation on its operands; returns the resulting mask of lanes. */
static uint64_t compute(const struct wave *wave, const struct gcn_instruction *in, wave_vector_operation *run,
                        struct lane_room *room)
{
    struct wave_vector x = {.d = room->d,
                            .D = room->D,
                            .select = in->select,
                            .select_high = in->select_high,
                            .neg = in->neg,
                            .neg_high = in->neg_high};
    for (unsigned i = 0; i < 3 && gcn_letter_in(in->row, i) != '\0'; i++)
        set_source(wave, in, i, room, &x);
    if (x.c == NULL && in->dst >= GCN_VECTOR && in->dst != GCN_NO_OPERAND)
        x.c = wave->v[in->dst - GCN_VECTOR]; /* v_mac_f32 adds to it */
    run(&x);
    if (in->omod != 0 || in->clamp)
        modify(in, gcn_letter_out(in->row, 0), room);
    return x.out;
}

/* SDWA: the result in its part of the register. */
static void place_part(const struct gcn_instruction *in, uint32_t lanes[WAVE_LANES], const uint32_t *before)
{
    unsigned low = part_low(in->sdwa.dst);
    uint32_t mask = part_mask(in->sdwa.dst);
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        uint32_t value = lanes[i] & mask;
        uint32_t top = in->sdwa.rest == GCN_REST_SIGN ? mask - mask / 2 : 0;
        uint32_t rest = in->sdwa.rest == GCN_REST_KEPT ? before[i] & ~(mask << low) : 0;
        lanes[i] = ((value ^ top) - top) << low | rest;
    }
}

/* True if an operation on 16 bits keeps the other half of its result's register. Source: LLVM's
 * GCNSubtarget::zeroesHigh16BitsOfDest, which is what programs are compiled for. */
static bool keeps_half(const struct gcn_instruction *in, unsigned generation)
{
    static const char *const keeping[] = {"v_mac_f16",   "v_fmac_f16",  "v_madmk_f16",
                                          "v_madak_f16", "v_fmamk_f16", "v_fmaak_f16"};
    for (size_t i = 0; i < sizeof keeping / sizeof keeping[0]; i++)
        if (strcmp(keeping[i], in->row->name) == 0)
            return generation >= 9;
    return generation >= 10 || gcn_selects_halves(in->row, generation);
}

static void place_half(const struct gcn_instruction *in, unsigned generation, uint32_t lanes[WAVE_LANES],
                       const uint32_t *before)
{
    bool upper = (in->select & 8) != 0;
    bool keeps = keeps_half(in, generation);
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        uint32_t value = lanes[i] & 0xffff;
        uint32_t rest = keeps ? before[i] & (upper ? 0xffff : 0xffff0000) : 0;
        lanes[i] = (upper ? value << 16 : value) | rest;
    }
}

/* Stores a comparison's mask; from GFX10 on, comparisons that change EXEC write nothing else. */
static void write_mask(struct wave *wave, const struct wave_instruction *it, uint64_t mask)
{
    if (it->in.dst != GCN_NO_OPERAND)
        wave_set_mask(wave, it->in.dst, mask);
    if (it->sets_exec)
        wave_set_mask(wave, GCN_EXEC, mask);
}

bool wave_do_pair(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    struct gcn_instruction second = gcn_beside(&it->in);
    struct lane_room rooms[2]; /* both read before either writes */
    compute(wave, &it->in, it->vector, &rooms[0]);
    compute(wave, &second, it->beside, &rooms[1]);
    write_narrow(wave->v[it->in.dst - GCN_VECTOR], rooms[0].d, wave_exec(wave));
    write_narrow(wave->v[second.dst - GCN_VECTOR], rooms[1].d, wave_exec(wave));
    return true;
}

bool wave_do_vector(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    const struct gcn_instruction *in = &it->in;
    struct lane_room room;
    uint64_t exec = wave_exec(wave);
    if (in->extension >= GCN_DPP)
        exec = wave_dpp_written(in, exec, wave->lanes);
    uint64_t mask = compute(wave, in, it->vector, &room) & exec;
    char out = gcn_letter_out(in->row, 0);
    if (out == 'm' || out == '\0') {
        write_mask(wave, it, mask);
        return true;
    }
    if (in->dst2 != GCN_NO_OPERAND)
        wave_set_mask(wave, in->dst2, mask);
    const uint32_t *before = wave->v[in->dst - GCN_VECTOR];
    if (gcn_letter_is_half(out) && in->extension != GCN_SDWA)
        place_half(in, core->kernel.target->generation, room.d, before);
    else if (in->extension == GCN_SDWA && gcn_letter_is_half(out))
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room.d[i] &= 0xffff;
    if (in->extension == GCN_SDWA)
        place_part(in, room.d, before);
    if (gcn_letter_dwords(out) == 2)
        write_wide(&wave->v[in->dst - GCN_VECTOR], room.D, exec);
    else
        write_narrow(wave->v[in->dst - GCN_VECTOR], room.d, exec);
    return true;
}
