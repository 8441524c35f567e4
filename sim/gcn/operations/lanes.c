/* Operations between lanes: reading and writing one, and exchanging through LDS's crossbar. */
#include "sim/gcn/wave_state.h"

#include <stddef.h>
#include <string.h>

static uint32_t lane_of(const struct wave *wave, const struct gcn_instruction *in, unsigned code,
                        unsigned lane)
{
    return code >= GCN_VECTOR ? wave->v[code - GCN_VECTOR][lane] : wave_read(wave, in, code);
}

/* The first active lane; lane 0 if none is active. */
static bool first_lane(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    uint64_t exec = wave_exec(wave);
    unsigned lane = exec == 0 ? 0 : (unsigned)__builtin_ctzll(exec);
    wave->s[it->in.dst] = lane_of(wave, &it->in, it->in.src[0], lane);
    return true;
}

static unsigned chosen(const struct wave *wave, const struct wave_instruction *it)
{
    return lane_of(wave, &it->in, it->in.src[1], 0) % wave->lanes;
}

static bool read_lane(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    wave->s[it->in.dst] = lane_of(wave, &it->in, it->in.src[0], chosen(wave, it));
    return true;
}

static bool write_lane(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    (void)core;
    wave->v[it->in.dst - GCN_VECTOR][chosen(wave, it)] = wave_read(wave, &it->in, it->in.src[0]);
    return true;
}

/* The lane at that byte address; from GFX10 on within the same 32 lanes. */
static unsigned partner(const struct wave_core *core, uint32_t address, unsigned lane)
{
    unsigned named = address / 4 % WAVE_LANES;
    return core->kernel.target->generation >= 10 ? named % 32 + lane / 32 * 32 : named;
}

/* Each lane reads another lane's value; inactive lanes read as 0. */
static bool pull(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    uint64_t exec = wave_exec(wave);
    uint32_t data[WAVE_LANES];
    const uint32_t *address = wave->v[it->in.src[0] - GCN_VECTOR];
    memcpy(data, wave->v[it->in.src[1] - GCN_VECTOR], sizeof data);
    uint32_t to[WAVE_LANES];
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        unsigned from = partner(core, address[i] + (uint32_t)it->in.number, i);
        to[i] = (exec >> from & 1) != 0 ? data[from] : 0;
    }
    for (unsigned i = 0; i < WAVE_LANES; i++)
        if ((exec >> i & 1) != 0)
            wave->v[it->in.dst - GCN_VECTOR][i] = to[i];
    return true;
}

/* Each lane writes to another lane; the last write wins, and a lane without a write gets 0. */
static bool push(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    uint64_t exec = wave_exec(wave);
    uint32_t to[WAVE_LANES] = {0};
    const uint32_t *address = wave->v[it->in.src[0] - GCN_VECTOR];
    const uint32_t *data = wave->v[it->in.src[1] - GCN_VECTOR];
    for (unsigned i = 0; i < WAVE_LANES; i++)
        if ((exec >> i & 1) != 0)
            to[partner(core, address[i] + (uint32_t)it->in.number, i)] = data[i];
    for (unsigned i = 0; i < WAVE_LANES; i++)
        if ((exec >> i & 1) != 0)
            wave->v[it->in.dst - GCN_VECTOR][i] = to[i];
    return true;
}

/* The lane that a pattern names: any of each four, or within 32 lanes by AND, OR and XOR of its number. */
static unsigned swizzled(unsigned pattern, unsigned lane)
{
    if ((pattern & 0x8000) != 0)
        return (lane & ~3u) | (pattern >> 2 * (lane % 4) & 3);
    return (lane & ~31u) | ((((lane & pattern) | pattern >> 5) ^ pattern >> 10) & 31);
}

/* Inactive lanes read as 0. */
static bool swizzle(struct wave_core *core, struct wave *wave, const struct wave_instruction *it)
{
    uint64_t exec = wave_exec(wave);
    uint32_t data[WAVE_LANES];
    memcpy(data, wave->v[it->in.src[0] - GCN_VECTOR], sizeof data);
    if (core->kernel.target->generation >= 9 && ((unsigned)it->in.number & 0xf000) >= 0xc000)
        return wave_fault(core, wave,
                          "has ds_swizzle_b32 in its FFT or rotation mode, which is not supported");
    for (unsigned i = 0; i < WAVE_LANES; i++) {
        unsigned from = swizzled((unsigned)it->in.number & 0xffff, i);
        if ((exec >> i & 1) != 0)
            wave->v[it->in.dst - GCN_VECTOR][i] = (exec >> from & 1) != 0 ? data[from] : 0;
    }
    return true;
}

const struct wave_row wave_lane_rows[] = {
    {"v_readfirstlane_b32", first_lane},
    {"v_readlane_b32", read_lane},
    {"v_writelane_b32", write_lane},
    {"ds_swizzle_b32", swizzle},
    {"ds_bpermute_b32", pull},
    {"ds_permute_b32", push},
    {NULL, NULL},
};
