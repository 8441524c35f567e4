/* Vector arithmetic: gathers the operands of all lanes, computes all, and stores the results of lanes in
 * EXEC.
 * */
#include "sim/gcn/wave_state.h"

#include <string.h>

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

/* A 32-bit source: the register itself, or a scalar copied to all lanes. */
static const uint32_t *narrow(const struct wave *wave, const struct gcn_instruction *in, unsigned number,
                              uint32_t room[WAVE_LANES])
{
    unsigned code = in->src[number];
    bool size = (in->abs >> number & 1) != 0;
    bool halves = in->row->format == GCN_VOP3P; /* the operation turns their signs */
    bool minus = !halves && (in->neg >> number & 1) != 0;
    if (code >= GCN_VECTOR) {
        if (!size && !minus)
            return wave->v[code - GCN_VECTOR];
        memcpy(room, wave->v[code - GCN_VECTOR], sizeof wave->v[0]);
    } else {
        uint32_t value = wave_read(wave, in, code);
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = value;
    }
    if (size || minus)
        change_sign(room, size, minus);
    return room;
}

static const uint64_t *wide(const struct wave *wave, const struct gcn_instruction *in, unsigned number,
                            uint64_t room[WAVE_LANES])
{
    unsigned code = in->src[number];
    bool size = (in->abs >> number & 1) != 0;
    bool minus = (in->neg >> number & 1) != 0;
    if (code >= GCN_VECTOR) {
        const uint32_t *low = wave->v[code - GCN_VECTOR];
        const uint32_t *high = wave->v[code - GCN_VECTOR + 1];
        for (unsigned i = 0; i < WAVE_LANES; i++)
            room[i] = low[i] | (uint64_t)high[i] << 32;
    } else {
        uint64_t value = wave_read_pair(wave, in, code, gcn_letter_in(in->row, number));
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
    (void)core;
    const struct gcn_instruction *in = &it->in;
    struct lane_room room;
    uint64_t exec = wave_exec(wave);
    uint64_t mask = compute(wave, in, it->vector, &room) & exec;
    char out = gcn_letter_out(in->row, 0);
    if (out == 'm' || out == '\0') {
        write_mask(wave, it, mask);
        return true;
    }
    if (in->dst2 != GCN_NO_OPERAND)
        wave_set_mask(wave, in->dst2, mask);
    if (gcn_letter_dwords(out) == 2)
        write_wide(&wave->v[in->dst - GCN_VECTOR], room.D, exec);
    else
        write_narrow(wave->v[in->dst - GCN_VECTOR], room.d, exec);
    return true;
}
