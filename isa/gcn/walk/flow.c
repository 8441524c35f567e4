#include "isa/gcn/walk/flow.h"

#include "isa/gcn/binary/elf.h"

/* Words that end or redirect control flow, by generation. */
static const struct turn {
    uint32_t mask, match;
    unsigned first, last;
    bool goes_on, jumps, by_register;
} turns[] = {
    /* clang-format off: one instruction a line. */
    {0xffff0000, 0xbf810000, 6, 10, false, false, false}, /* s_endpgm */
    {0xffff0000, 0xbfb00000, 11, 12, false, false, false},
    {0xffff0000, 0xbf9b0000, 8, 10, false, false, false}, /* s_endpgm_saved */
    {0xffff0000, 0xbfb10000, 11, 12, false, false, false},
    {0xffff0000, 0xbf9e0000, 9, 10, false, false, false}, /* s_endpgm_ordered_ps_done */
    {0xffff0000, 0xbfb20000, 11, 12, false, false, false},
    {0xffff0000, 0xbf9f0000, 10, 12, false, false, false}, /* s_code_end */
    {0xffff0000, 0xbf820000, 6, 10, false, true, false},   /* s_branch */
    {0xffff0000, 0xbfa00000, 11, 12, false, true, false},
    {0xfffe0000, 0xbf840000, 6, 10, true, true, false},  /* s_cbranch_scc0, scc1 */
    {0xfffe0000, 0xbf860000, 6, 10, true, true, false},  /* vccz, vccnz */
    {0xfffe0000, 0xbf880000, 6, 10, true, true, false},  /* execz, execnz */
    {0xffff0000, 0xbf970000, 7, 10, true, true, false},  /* cdbgsys */
    {0xfffe0000, 0xbf980000, 7, 10, true, true, false},  /* cdbguser, cdbgsys_or_user */
    {0xffff0000, 0xbf9a0000, 7, 10, true, true, false},  /* cdbgsys_and_user */
    {0xffff0000, 0xbfa10000, 11, 12, true, true, false}, /* scc0 */
    {0xfffe0000, 0xbfa20000, 11, 12, true, true, false}, /* scc1, vccz */
    {0xfffc0000, 0xbfa40000, 11, 12, true, true, false}, /* vccnz, execz, execnz, cdbgsys */
    {0xfffe0000, 0xbfa80000, 11, 12, true, true, false}, /* cdbguser, cdbgsys_or_user */
    {0xffff0000, 0xbfaa0000, 11, 12, true, true, false}, /* cdbgsys_and_user */
    {0xff800000, 0xb8800000, 6, 7, true, true, false},   /* s_cbranch_i_fork */
    {0xff800000, 0xb8000000, 8, 9, true, true, false},
    {0xff800000, 0xba800000, 9, 9, true, true, false}, /* s_call_b64 */
    {0xff800000, 0xbb000000, 10, 10, true, true, false},
    {0xff800000, 0xba000000, 11, 12, true, true, false},
    {0xff800000, 0xbd800000, 10, 10, true, true, false}, /* s_subvector_loop_begin */
    {0xff800000, 0xbe000000, 10, 10, true, true, false}, /* s_subvector_loop_end */
    {0xff800000, 0xbb000000, 11, 11, true, true, false},
    {0xff800000, 0xbb800000, 11, 11, true, true, false},
    {0xff80ff00, 0xbe802000, 6, 7, false, false, true}, /* s_setpc_b64 */
    {0xff80ff00, 0xbe801d00, 8, 9, false, false, true},
    {0xff80ff00, 0xbe802000, 10, 10, false, false, true},
    {0xff80ff00, 0xbe804800, 11, 12, false, false, true},
    {0xff80ff00, 0xbe802100, 6, 7, true, false, true}, /* s_swappc_b64 */
    {0xff80ff00, 0xbe801e00, 8, 9, true, false, true},
    {0xff80ff00, 0xbe802100, 10, 10, true, false, true},
    {0xff80ff00, 0xbe804900, 11, 12, true, false, true},
    {0xff80ff00, 0xbe802200, 6, 7, false, false, false}, /* s_rfe_b64 */
    {0xff80ff00, 0xbe801f00, 8, 9, false, false, false},
    {0xff80ff00, 0xbe802200, 10, 10, false, false, false},
    {0xff80ff00, 0xbe804a00, 11, 12, false, false, false},
    {0xff800000, 0x95800000, 8, 9, false, false, false}, /* s_rfe_restore_b64 */
    /* clang-format on */
};

/* s_getpc_b64 */
static const struct getpc {
    uint32_t match;
    unsigned first, last;
} getpcs[] = {
    {0xbe801f00, 6, 7},
    {0xbe801c00, 8, 9},
    {0xbe801f00, 10, 10},
    {0xbe804700, 11, 12},
};

struct gcn_flow gcn_flow_of(unsigned generation, uint32_t word)
{
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; i++) {
        const struct turn *turn = &turns[i];
        if ((word & turn->mask) == turn->match && generation >= turn->first && generation <= turn->last)
            return (struct gcn_flow){.goes_on = turn->goes_on,
                                     .jumps = turn->jumps,
                                     .by_register = turn->by_register,
                                     .distance = (int64_t)(int16_t)(word & 0xffff) * 4,
                                     .pair = word & 0xff};
    }
    return (struct gcn_flow){.goes_on = true};
}

static bool is_getpc(unsigned generation, uint32_t word)
{
    for (size_t i = 0; i < sizeof getpcs / sizeof getpcs[0]; i++)
        if ((word & 0xff80ff00) == getpcs[i].match && generation >= getpcs[i].first &&
            generation <= getpcs[i].last)
            return true;
    return false;
}

/* The constant value of a scalar source; false for a register. */
static bool number_of(unsigned source, const unsigned char *instruction, size_t length, uint32_t *number)
{
    if (source == 255 && length == 8)
        *number = gcn_read32(instruction + 4);
    else if (source >= 128 && source <= 192)
        *number = source - 128;
    else if (source >= 193 && source <= 208)
        *number = UINT32_C(0) - (source - 192);
    else
        return false;
    return true;
}

/* True for instructions that write the scalar register in bits 22:16. */
static bool may_write(uint32_t word, unsigned pair)
{
    bool scalar = (word & 0xc0000000) == 0x80000000 && (word & 0xff000000) != 0xbf000000;
    return scalar && (word >> 16 & 0x7f) == pair;
}

void gcn_flow_follow(unsigned generation, const unsigned char *instruction, size_t length, size_t at,
                     unsigned pair, bool *known, uint32_t *low)
{
    uint32_t word = gcn_read32(instruction);
    uint32_t number = 0;
    if (!may_write(word, pair))
        return;
    unsigned left = word & 0xff;
    unsigned right = word >> 8 & 0xff;
    uint32_t kind = word & 0xff800000;
    if (is_getpc(generation, word)) {
        *known = true;
        *low = (uint32_t)(at + length);
    } else if (kind == 0x80000000 && left == pair && number_of(right, instruction, length, &number)) {
        *low += number; /* s_add_u32 */
    } else if (kind == 0x80000000 && right == pair && number_of(left, instruction, length, &number)) {
        *low += number;
    } else if (kind == 0x80800000 && left == pair && number_of(right, instruction, length, &number)) {
        *low -= number; /* s_sub_u32 */
    } else {
        *known = false;
    }
}
