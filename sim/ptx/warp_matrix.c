/* Which thread holds which element: PTX ISA, "Matrix Fragments for mma". Products are exact; their sum, whose
 * order and precision PTX leaves open, is rounded once. */
#include "sim/ptx/warp_matrix.h"

#include "base/memory.h"
#include "sim/number_bits.h"
#include "sim/ptx/ptx_small.h"

#include <string.h>

enum { MOST_ROWS = 16, MOST_DEPTH = 32, COLUMNS = 8, GROUP = 4 /* threads that share a row */ };

static const struct ptx_matrix forms[] = {
    {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 16, 8, 2, 1, 4, 2, &ptx_half},
    {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 16, 16, 4, 2, 4, 2, &ptx_half},
    {"mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32", 16, 8, 2, 1, 4, 2, &ptx_brain},
    {"mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 16, 16, 4, 2, 4, 2, &ptx_brain},
    {"mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32", 16, 32, 4, 2, 4, 1, &ptx_e4m3},
    {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32", 8, 16, 1, 1, 2, 1, NULL},
    {"mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32", 16, 16, 2, 1, 4, 1, NULL},
    {"mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 16, 32, 4, 2, 4, 1, NULL},
};

const struct ptx_matrix *ptx_matrix_find(const char *name)
{
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

static uint32_t word_of(const struct warp_core *core, const struct warp *warp, ptx_place place, unsigned lane)
{
    uint32_t word;
    memcpy(&word, (const unsigned char *)warp_source(core, warp, place) + (size_t)lane * sizeof word,
           sizeof word);
    return word;
}

static double element_of(const struct ptx_matrix *form, uint32_t word, unsigned number)
{
    uint32_t bits = word >> (8 * form->bytes * number);
    bits &= form->bytes == 2 ? 0xffff : 0xff;
    return form->format == NULL ? (double)(int8_t)bits : ptx_small_number(form->format, bits);
}

static double sum_of(const struct ptx_matrix *form, uint32_t word)
{
    return form->format == NULL ? (double)(int32_t)word : (double)float_of(word);
}

static uint32_t rounded(const struct ptx_matrix *form, double sum)
{
    return form->format == NULL ? (uint32_t)(int64_t)sum : bits_of_float((float)sum);
}

/* Operations of other shapes than the last one's have nothing to be compared with. */
static void count_factors(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    unsigned count = it->matrix->first + it->matrix->second;
    uint64_t bits = (uint64_t)count * PTX_LANES * 32;
    if (warp->factors == NULL)
        warp->factors = memory_zeroed((size_t)BUS_TURNS * PTX_MOST_SOURCES, sizeof *warp->factors);
    warp->factors_sent = warp->factor_count == count ? warp->factors_sent : 0;
    warp->factor_count = count;
    for (unsigned turn = 0; turn < BUS_TURNS && warp->timed; turn++) {
        struct bus_count *operands = &core->result->operands[turn];
        bool compares = turn < warp->factors_sent;
        uint32_t(*before)[PTX_LANES] =
            warp->factors + (warp->factors_sent - turn - 1) % BUS_TURNS * PTX_MOST_SOURCES;
        for (unsigned r = 0; r < count; r++)
            for (unsigned lane = 0; lane < PTX_LANES; lane++) {
                uint32_t word = word_of(core, warp, it->source[r], lane);
                operands->ones += (unsigned)__builtin_popcount(word);
                operands->toggles += compares ? (unsigned)__builtin_popcount(word ^ before[r][lane]) : 0;
            }
        operands->transfers++;
        operands->bits += bits;
        operands->compared += compares ? bits : 0;
    }
    for (unsigned r = 0; r < count; r++)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            warp->factors[warp->factors_sent % BUS_TURNS * PTX_MOST_SOURCES + r][lane] =
                word_of(core, warp, it->source[r], lane);
    warp->factors_sent++;
}

void warp_matrix(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    const struct ptx_matrix *form = it->matrix;
    count_factors(core, warp, it);
    const ptx_place *second = it->source + form->first, *third = second + form->second;
    const unsigned per = 4 / form->bytes; /* elements of a register */
    double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS];
    uint32_t results[PTX_VECTOR][PTX_LANES]; /* registers may be sources and results */
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned own = lane / GROUP, among = lane % GROUP * per;
        for (unsigned r = 0; r < form->first; r++)
            for (unsigned e = 0; e < per; e++)
                a[own + r % 2 * 8][among + e + r / 2 * GROUP * per] =
                    element_of(form, word_of(core, warp, it->source[r], lane), e);
        for (unsigned r = 0; r < form->second; r++)
            for (unsigned e = 0; e < per; e++)
                b[among + e + r * GROUP * per][own] =
                    element_of(form, word_of(core, warp, second[r], lane), e);
    }
    for (unsigned r = 0; r < form->third; r++) {
        for (unsigned lane = 0; lane < PTX_LANES; lane++) {
            unsigned row = lane / GROUP + r / 2 * 8, column = lane % GROUP * 2 + r % 2;
            double sum = sum_of(form, word_of(core, warp, third[r], lane));
            for (unsigned k = 0; k < form->depth; k++)
                sum += a[row][k] * b[k][column];
            results[r][lane] = rounded(form, sum);
        }
    }
    for (unsigned r = 0; r < form->third; r++)
        memcpy(warp->registers + it->result[r], results[r], sizeof results[r]);
}
