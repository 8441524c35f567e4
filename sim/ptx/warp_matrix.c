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

/* Bits of the words that differ from the others; NULL: from zeros. */
static uint64_t bits_between(const uint32_t (*words)[PTX_LANES], const uint32_t (*others)[PTX_LANES],
                             unsigned count)
{
    uint64_t bits = 0;
    if (others != NULL && memcmp(words, others, count * sizeof words[0]) == 0)
        return 0;
    for (unsigned r = 0; r < count; r++)
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            bits += bits_set(words[r][lane] ^ (others != NULL ? others[r][lane] : 0));
    return bits;
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
static void count_factors(struct warp_core *core, struct warp *warp, const struct ptx_matrix *form,
                          const uint32_t (*words)[PTX_LANES])
{
    unsigned count = form->first + form->second;
    const uint64_t bits = (uint64_t)count * PTX_LANES * 32;
    const uint64_t ones = warp->timed ? bits_between(words, NULL, count) : 0;
    if (warp->factors == NULL)
        warp->factors = memory_zeroed((size_t)BUS_TURNS * PTX_MOST_SOURCES, sizeof *warp->factors);
    warp->factors_sent = warp->factor_count == count ? warp->factors_sent : 0;
    warp->factor_count = count;
    for (unsigned turn = 0; turn < BUS_TURNS && warp->timed; turn++) {
        struct bus_count *operands = &core->result->operands[turn];
        const uint32_t(*before)[PTX_LANES] =
            (const void *)(warp->factors + (warp->factors_sent - turn - 1) % BUS_TURNS * PTX_MOST_SOURCES);
        operands->ones += ones;
        operands->transfers++;
        operands->bits += bits;
        if (turn >= warp->factors_sent)
            continue;
        operands->toggles += bits_between(words, before, count);
        operands->compared += bits;
    }
    memcpy(warp->factors + warp->factors_sent % BUS_TURNS * PTX_MOST_SOURCES, words, count * sizeof words[0]);
    warp->factors_sent++;
}

/* Sums the row's products onto its columns, one depth after the other. */
static void add_row(const struct ptx_matrix *form, const double *row, const double (*second)[COLUMNS],
                    double sums[COLUMNS])
{
    for (unsigned k = 0; k < form->depth; k++)
        for (unsigned column = 0; column < COLUMNS; column++)
            sums[column] += row[k] * second[k][column];
}

void warp_matrix(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    const struct ptx_matrix *form = it->matrix;
    const unsigned factors = form->first + form->second;
    const unsigned per = 4 / form->bytes;        /* elements of a register */
    uint32_t words[PTX_MOST_SOURCES][PTX_LANES]; /* registers may be sources and results */
    double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS], sums[MOST_ROWS][COLUMNS];
    for (unsigned r = 0; r < factors + form->third; r++)
        memcpy(words[r], warp_source(core, warp, it->source[r]), sizeof words[r]);
    count_factors(core, warp, form, (const void *)words);
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned own = lane / GROUP, among = lane % GROUP * per;
        for (unsigned r = 0; r < form->first; r++)
            for (unsigned e = 0; e < per; e++)
                a[own + r % 2 * 8][among + e + r / 2 * GROUP * per] = element_of(form, words[r][lane], e);
        for (unsigned r = 0; r < form->second; r++)
            for (unsigned e = 0; e < per; e++)
                b[among + e + r * GROUP * per][own] = element_of(form, words[form->first + r][lane], e);
        for (unsigned r = 0; r < form->third; r++)
            sums[own + r / 2 * 8][lane % GROUP * 2 + r % 2] = sum_of(form, words[factors + r][lane]);
    }
    for (unsigned row = 0; row < form->third / 2 * 8U; row++)
        add_row(form, a[row], (const void *)b, sums[row]);
    for (unsigned r = 0; r < form->third; r++) {
        uint32_t results[PTX_LANES];
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            results[lane] = rounded(form, sums[lane / GROUP + r / 2 * 8][lane % GROUP * 2 + r % 2]);
        memcpy(warp->registers + it->result[r], results, sizeof results);
    }
}
