/* The layout of elements in threads: PTX ISA, "Matrix Fragments for mma". Products are exact; their sum,
 * whose order and precision PTX does not define, is rounded once. */
#include "sim/ptx/warp_matrix.h"

#include "base/memory.h"
#include "sim/number_bits.h"
#include "sim/ptx/ptx_small.h"

#include <string.h>

enum {
    MOST_ROWS = 16,
    MOST_DEPTH = 32,
    COLUMNS = 8,
    GROUP = 4, /* threads that share a row */
    PRODUCTS = 128,
    OTHERS = 8
};

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

/* The number of bits in which the words differ from the others; NULL: zeros. */
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

/* A cached product: loops multiply few factors again and again. */
struct matrix_product {
    const struct ptx_matrix *form;               /* NULL: none so far */
    uint32_t words[PTX_MOST_SOURCES][PTX_LANES]; /* of the factors */
    double sums[MOST_ROWS][COLUMNS];
    uint64_t serial; /* from 1 */
    uint64_t ones;   /* set bits of the factors */
    struct {
        uint64_t serial, bits;
    } others[OTHERS]; /* how many bits differ from the factors of the product with that serial */
};

struct matrix_products {
    struct matrix_product items[PRODUCTS];
    uint64_t made;
};

/* Sums the row's products by column, one depth after the other. */
static void multiply_row(const struct ptx_matrix *form, const double *row, const double (*second)[COLUMNS],
                         double sums[COLUMNS])
{
    for (unsigned k = 0; k < form->depth; k++)
        for (unsigned column = 0; column < COLUMNS; column++)
            sums[column] += row[k] * second[k][column];
}

static void multiply(struct matrix_product *product)
{
    const struct ptx_matrix *form = product->form;
    const unsigned per = 4 / form->bytes; /* elements of a register */
    double a[MOST_ROWS][MOST_DEPTH], b[MOST_DEPTH][COLUMNS];
    for (unsigned lane = 0; lane < PTX_LANES; lane++) {
        unsigned own = lane / GROUP, among = lane % GROUP * per;
        for (unsigned r = 0; r < form->first; r++)
            for (unsigned e = 0; e < per; e++)
                a[own + r % 2 * 8][among + e + r / 2 * GROUP * per] =
                    element_of(form, product->words[r][lane], e);
        for (unsigned r = 0; r < form->second; r++)
            for (unsigned e = 0; e < per; e++)
                b[among + e + r * GROUP * per][own] =
                    element_of(form, product->words[form->first + r][lane], e);
    }
    for (unsigned row = 0; row < form->third / 2 * 8U; row++)
        multiply_row(form, a[row], (const void *)b, product->sums[row]);
}

static struct matrix_product *product_of(struct warp_core *core, const struct ptx_instruction *it,
                                         const uint32_t (*words)[PTX_LANES])
{
    const struct ptx_matrix *form = it->matrix;
    const size_t bytes = (size_t)(form->first + form->second) * sizeof words[0];
    if (core->matrix_products == NULL)
        core->matrix_products = memory_zeroed(1, sizeof *core->matrix_products);
    struct matrix_product *item =
        &core->matrix_products->items[(size_t)(it - core->program->code) % PRODUCTS];
    if (item->form == form && memcmp(item->words, words, bytes) == 0)
        return item;
    *item = (struct matrix_product){.form = form,
                                    .serial = ++core->matrix_products->made,
                                    .ones = bits_between(words, NULL, form->first + form->second)};
    memcpy(item->words, words, bytes);
    multiply(item);
    return item;
}

/* The number of bits in which the factors differ from the words of the product with that serial number. */
static uint64_t toggles_of(struct matrix_product *product, unsigned count, const uint32_t (*words)[PTX_LANES],
                           uint64_t serial)
{
    size_t at = serial % OTHERS;
    if (product->others[at].serial != serial) {
        product->others[at].serial = serial;
        product->others[at].bits = bits_between((const void *)product->words, words, count);
    }
    return product->others[at].bits;
}

/* Toggles are counted between operations of one shape: another shape begins anew. */
static void count_factors(const struct warp_core *core, struct warp *warp, struct matrix_product *product)
{
    unsigned count = product->form->first + product->form->second;
    const uint64_t bits = (uint64_t)count * PTX_LANES * 32;
    if (warp->factors == NULL)
        warp->factors = memory_zeroed((size_t)BUS_TURNS * PTX_MOST_SOURCES, sizeof *warp->factors);
    warp->factors_sent = warp->factor_count == count ? warp->factors_sent : 0;
    warp->factor_count = count;
    for (unsigned turn = 0; turn < BUS_TURNS && warp->timed; turn++) {
        struct bus_count *operands = &core->result->operands[turn];
        const size_t before = (warp->factors_sent - turn - 1) % BUS_TURNS;
        operands->ones += product->ones;
        operands->transfers++;
        operands->bits += bits;
        if (turn >= warp->factors_sent)
            continue;
        operands->toggles +=
            toggles_of(product, count, (const void *)(warp->factors + before * PTX_MOST_SOURCES),
                       warp->factor_serials[before]);
        operands->compared += bits;
    }
    const size_t now = warp->factors_sent++ % BUS_TURNS;
    memcpy(warp->factors + now * PTX_MOST_SOURCES, product->words, count * sizeof product->words[0]);
    warp->factor_serials[now] = product->serial;
}

void warp_matrix(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    const struct ptx_matrix *form = it->matrix;
    const unsigned factors = form->first + form->second;
    uint32_t words[PTX_MOST_SOURCES][PTX_LANES]; /* registers may be sources and results */
    for (unsigned r = 0; r < factors + form->third; r++)
        memcpy(words[r], warp_source(core, warp, it->source[r]), sizeof words[r]);
    struct matrix_product *product = product_of(core, it, (const void *)words);
    count_factors(core, warp, product);
    for (unsigned r = 0; r < form->third; r++) {
        uint32_t results[PTX_LANES];
        for (unsigned lane = 0; lane < PTX_LANES; lane++)
            results[lane] =
                rounded(form, sum_of(form, words[factors + r][lane]) +
                                  product->sums[lane / GROUP + r / 2 * 8][lane % GROUP * 2 + r % 2]);
        memcpy(warp->registers + it->result[r], results, sizeof results);
    }
}
