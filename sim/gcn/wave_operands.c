#include "sim/gcn/wave_state.h"
#include "sim/number_bits.h"

/* The operands from GCN_FLOATS on. */
static const float floats[] = {0.5F, -0.5F, 1, -1, 2, -2, 4, -4, 0.15915494F};

/* Bases and limits of LDS and scratch in the flat address space; operands from GFX9 on. */
static const uint64_t apertures[] = {UINT64_C(0x1000000000000), UINT64_C(0x10000ffffffff),
                                     UINT64_C(0x2000000000000), UINT64_C(0x20000ffffffff)};

static uint64_t condition(const struct wave *wave, unsigned code)
{
    if (code == GCN_VCCZ)
        return wave_mask(wave, GCN_VCC) == 0;
    return code == GCN_EXECZ ? wave_exec(wave) == 0 : wave->scc;
}

uint32_t wave_read(const struct wave *wave, const struct gcn_instruction *in, unsigned code)
{
    if (code < GCN_SCALARS)
        return wave->s[code];
    if (code < GCN_NEGATIVE)
        return code - GCN_ZERO;
    if (code < GCN_SHARED_BASE)
        return (uint32_t)(192 - (int)code);
    if (code < GCN_FLOATS)
        return (uint32_t)apertures[(code - GCN_SHARED_BASE) % 4];
    if (code == GCN_LITERAL)
        return in->literal;
    if (code > GCN_INVERSE_TWO_PI)
        return (uint32_t)condition(wave, code);
    return bits_of_float(floats[code - GCN_FLOATS]);
}

uint64_t wave_read_pair(const struct wave *wave, const struct gcn_instruction *in, unsigned code, char letter)
{
    if (letter == 'm' && wave->lanes < WAVE_LANES)
        return wave_read(wave, in, code);
    if (code + 1 < GCN_SCALARS)
        return wave_pair(wave, code);
    if (code >= GCN_SHARED_BASE && code <= GCN_PRIVATE_LIMIT)
        return apertures[code - GCN_SHARED_BASE];
    if (code >= GCN_FLOATS && code <= GCN_INVERSE_TWO_PI) {
        double wide = code == GCN_INVERSE_TWO_PI ? 0.15915494309189532 : (double)floats[code - GCN_FLOATS];
        return bits_of_double(wide);
    }
    uint32_t narrow = wave_read(wave, in, code);
    if (code == GCN_LITERAL)
        return letter == 'F' ? (uint64_t)narrow << 32 : narrow;
    return (uint64_t)(int64_t)(int32_t)narrow;
}
