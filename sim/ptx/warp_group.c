/* Layouts of the factors in shared memory and of the sum in registers: PTX ISA, "Asynchronous Warpgroup Level
 * Matrix Shared Memory Layout" and "Register Fragments" of wgmma. Products are exact; each sum is rounded
 * once. */
#include "sim/ptx/warp_group.h"

#include "base/memory.h"
#include "sim/number_bits.h"
#include "sim/ptx/ptx_flow.h"
#include "sim/ptx/warp_bulk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CORE_ROWS = 8, /* rows of a core matrix, which are contiguous */
    CHUNK = 16,    /* bytes of such a row */
    CHUNKS = GROUP_ROW_BYTES / CHUNK,
    FIRST_BYTES = GROUP_ROWS * GROUP_ROW_BYTES,
    SECOND_BYTES = GROUP_MOST_COLUMNS * GROUP_ROW_BYTES,
    KEPT = 16 /* products in the cache */
};

static const struct ptx_small ptx_tf32 = {10, 8, true};

static const struct ptx_group_matrix forms[] = {
    {"k16", ".f32.f16.f16", 2, 0, &ptx_half, 2, 2},   {"k16", ".f32.bf16.bf16", 2, 0, &ptx_brain, 2, 2},
    {"k8", ".f32.tf32.tf32", 4, 13, &ptx_tf32, 2, 0}, {"k32", ".f32.e4m3.e4m3", 1, 0, &ptx_e4m3, 2, 0},
    {"k32", ".s32.s8.s8", 1, 0, NULL, 0, 0},
};

/* The first factor row by row, the second column by column. */
struct group_factors {
    unsigned char first[FIRST_BYTES], second[SECOND_BYTES];
};

struct group_product {
    const struct ptx_group_matrix *form;
    unsigned columns;
    struct group_factors factors;
    double *sums;    /* [GROUP_WARPS][columns / 2][PTX_LANES]: each thread's addends */
    uint64_t serial; /* from 1 */
    uint64_t ones;   /* set bits of both factors */
    struct {
        uint64_t serial, bits;
    } others[KEPT]; /* how many bits differ from the factors of the product with that serial */
};

struct warp_products {
    struct group_product items[KEPT];
    unsigned last;
    uint64_t made;
};

/* A register of a warp's sums. */
struct group_sum {
    uint64_t group;                      /* of the last product that adds to it, from 1 */
    bool fenced;                         /* a fence has made it visible to products */
    const struct ptx_group_matrix *form; /* of the products since the fence; NULL: none */
};

struct warp_group {
    struct group_sum *sums; /* by place / 8 */
    uint64_t group, over;   /* the current group, and the last one that has been waited for */
    bool open;              /* the current group has products */
    uint64_t digest, made;  /* hash and number of the wgmma instructions, which four warps must share */
    const struct ptx_instruction *last;
    struct group_factors *sent; /* [BUS_TURNS]: of the latest products; only in the first of four warps */
    uint64_t serials[BUS_TURNS], sent_count;
};

const struct ptx_group_matrix *ptx_group_find(const char *name, unsigned *columns)
{
    static const char start[] = "wgmma.mma_async.sync.aligned.m64n";
    char *rest = NULL;
    if (strncmp(name, start, sizeof start - 1) != 0)
        return NULL;
    unsigned long number = strtoul(name + sizeof start - 1, &rest, 10);
    *columns = (unsigned)number;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0] && number % 8 == 0; i++) {
        size_t length = strlen(forms[i].shape);
        if (number > 0 && number <= GROUP_MOST_COLUMNS && strncmp(rest, forms[i].shape, length) == 0 &&
            strcmp(rest + length, forms[i].types) == 0)
            return &forms[i];
    }
    return NULL;
}

void ptx_group_mark(struct ptx_program *program)
{
    unsigned char *sums = memory_zeroed(program->register_bytes / 8 + 1, 1);
    for (size_t i = 0; i < program->count; i++)
        for (unsigned r = 0; program->code[i].kind == PTX_GROUP_MATRIX && r < program->code[i].count; r++)
            sums[ptx_result(&program->code[i], r) / 8] = 1;
    for (size_t i = 0; i < program->count; i++) {
        struct ptx_instruction *it = &program->code[i];
        bool uses = false;
        for (unsigned r = 0; it->kind != PTX_GROUP_MATRIX && r < ptx_results(it); r++)
            uses = uses || sums[ptx_result(it, r) / 8] != 0;
        for (unsigned r = 0; it->kind != PTX_GROUP_MATRIX && r < it->sources; r++)
            uses = uses || (it->source[r] >= 0 && sums[it->source[r] / 8] != 0);
        it->in_group = uses || (it->address.has_base && sums[it->address.base / 8] != 0);
    }
    free(sums);
}

static struct warp_group *group_of(const struct warp_core *core, struct warp *warp)
{
    if (warp->group == NULL) {
        warp->group = memory_zeroed(1, sizeof *warp->group);
        warp->group->sums = memory_zeroed(core->program->register_bytes / 8 + 1, sizeof *warp->group->sums);
        warp->group->group = 1;
    }
    return warp->group;
}

void warp_group_free(struct warp *warp)
{
    if (warp->group != NULL) {
        free(warp->group->sums);
        free(warp->group->sent);
    }
    free(warp->group);
}

void warp_products_free(struct warp_products *products)
{
    for (size_t i = 0; products != NULL && i < KEPT; i++)
        free(products->items[i].sums);
    free(products);
}

/* ---- registers ---- */

bool warp_group_uses(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    struct warp_group *group = group_of(core, warp);
    unsigned results = ptx_results(it);
    for (unsigned i = 0; i < results + it->sources + it->address.has_base; i++) {
        ptx_place place = i < results                 ? ptx_result(it, i)
                          : i < results + it->sources ? it->source[i - results]
                                                      : it->address.base;
        struct group_sum *sum = place < 0 ? NULL : &group->sums[place / 8];
        if (sum != NULL && sum->group > group->over)
            return warp_fault(core, warp, it,
                              "uses a register to which products are still being added (%s): expected "
                              "wgmma.wait_group 0 before",
                              it->name);
        if (sum != NULL && i < results)
            *sum = (struct group_sum){.fenced = false};
    }
    return true;
}

static void fence(const struct ptx_program *program, struct warp_group *group)
{
    for (size_t i = 0; i < program->register_bytes / 8 + 1; i++) {
        group->sums[i].fenced = true;
        group->sums[i].form = NULL;
    }
}

static bool add_to(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it)
{
    struct warp_group *group = warp->group;
    for (unsigned r = 0; r < it->count; r++) {
        struct group_sum *sum = &group->sums[ptx_result(it, r) / 8];
        if (!sum->fenced)
            return warp_fault(core, warp, it,
                              "adds products to a register that has changed since its last wgmma.fence, or "
                              "before the first one: expected wgmma.fence.sync.aligned before");
        if (sum->form != NULL && sum->form != it->group)
            return warp_fault(core, warp, it,
                              "adds products to a register that products of another shape change: expected "
                              "wgmma.fence.sync.aligned between");
        *sum = (struct group_sum){.group = group->group, .fenced = true, .form = it->group};
    }
    return true;
}

/* ---- factors ---- */

/* Copies a factor from its core matrices of 8 rows of 16 bytes; the layout has no swizzle. */
static bool gather(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                   unsigned which, unsigned rows, unsigned char *to, uint64_t *descriptor)
{
    const unsigned char *values = warp_source(core, warp, it->source[which]);
    static const uint64_t used = UINT64_C(0x00003fff3fff3fff);
    memcpy(descriptor, values, sizeof *descriptor);
    for (unsigned lane = 1; lane < PTX_LANES; lane++)
        if (memcmp(values, values + lane * sizeof *descriptor, sizeof *descriptor) != 0)
            return warp_fault(core, warp, it, "has threads with different descriptors");
    if ((*descriptor & ~used) != 0)
        return warp_fault(core, warp, it,
                          "has the descriptor 0x%" PRIx64 ": expected the layout without a swizzle, 0 in all "
                          "but bits 0 to 13, 16 to 29 and 32 to 45",
                          *descriptor);
    uint64_t start = (*descriptor & 0x3fff) * CHUNK, leading = (*descriptor >> 16 & 0x3fff) * CHUNK,
             stride = (*descriptor >> 32 & 0x3fff) * CHUNK;
    for (unsigned row = 0; row < rows; row++)
        for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
            uint64_t at = start + row / CORE_ROWS * stride + chunk * leading + row % CORE_ROWS * CHUNK;
            if (at + CHUNK > core->program->shared_bytes)
                return warp_fault(core, warp, it,
                                  "multiplies 0x%" PRIx64
                                  ", outside shared memory: its descriptor is 0x%" PRIx64,
                                  at, *descriptor);
            if (!warp_bulk_multiplies(core, warp, it, at))
                return false;
            memcpy(to + (row * CHUNKS + chunk) * CHUNK, warp->block->shared + at, CHUNK);
        }
    return true;
}

static double element_of(const struct ptx_group_matrix *form, const unsigned char *at)
{
    uint32_t bits = 0;
    memcpy(&bits, at, form->bytes);
    return form->format == NULL ? (double)(int8_t)bits : ptx_small_number(form->format, bits >> form->idle);
}

static void multiply(struct group_product *product)
{
    const struct ptx_group_matrix *form = product->form;
    unsigned depth = GROUP_ROW_BYTES / form->bytes;
    double *a = memory_zeroed((size_t)GROUP_ROWS * depth, sizeof *a);
    double *b = memory_zeroed((size_t)product->columns * depth, sizeof *b);
    for (size_t i = 0; i < (size_t)GROUP_ROWS * depth; i++)
        a[i] = element_of(form, product->factors.first + i * form->bytes);
    for (size_t i = 0; i < (size_t)product->columns * depth; i++)
        b[i] = element_of(form, product->factors.second + i * form->bytes);
    size_t count = (size_t)GROUP_ROWS * product->columns;
    product->sums = memory_resized(product->sums, count, sizeof *product->sums);
    for (size_t i = 0; i < count; i++) {
        size_t lane = i % PTX_LANES, r = i / PTX_LANES % (product->columns / 2);
        size_t row =
            i / PTX_LANES / (product->columns / 2) * (GROUP_ROWS / GROUP_WARPS) + lane / 4 + r / 2 % 2 * 8;
        size_t column = r / 4 * 8 + lane % 4 * 2 + r % 2;
        double sum = 0;
        for (unsigned k = 0; k < depth; k++)
            sum += a[row * depth + k] * b[column * depth + k];
        product->sums[i] = sum;
    }
    free(a);
    free(b);
}

/* The number of bits in which both differ; other NULL: zeros. */
static uint64_t changed(const struct group_factors *one, const struct group_factors *other)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof *one; i += sizeof(uint64_t)) {
        uint64_t a, b = 0;
        memcpy(&a, (const unsigned char *)one + i, sizeof a);
        if (other != NULL)
            memcpy(&b, (const unsigned char *)other + i, sizeof b);
        bits += bits_set(a ^ b);
    }
    return bits;
}

/* The product, from a cache: loops multiply few factors again and again. */
static struct group_product *product_of(struct warp_core *core, const struct ptx_group_matrix *form,
                                        unsigned columns, const struct group_factors *factors)
{
    if (core->products == NULL)
        core->products = memory_zeroed(1, sizeof *core->products);
    struct warp_products *kept = core->products;
    for (unsigned i = 0; i < KEPT; i++) {
        unsigned at = (kept->last + i) % KEPT;
        struct group_product *item = &kept->items[at];
        if (item->form == form && item->columns == columns &&
            memcmp(item->factors.first, factors->first, FIRST_BYTES) == 0 &&
            memcmp(item->factors.second, factors->second, (size_t)columns * GROUP_ROW_BYTES) == 0) {
            kept->last = at;
            return item;
        }
    }
    kept->last = (unsigned)(kept->made % KEPT);
    struct group_product *item = &kept->items[kept->last];
    *item = (struct group_product){
        .form = form, .columns = columns, .factors = *factors, .sums = item->sums, .serial = ++kept->made};
    item->ones = changed(&item->factors, NULL);
    multiply(item);
    return item;
}

/* ---- counts ---- */

static uint64_t toggles_of(struct group_product *product, const struct group_factors *other, uint64_t serial)
{
    size_t at = serial % KEPT;
    if (product->others[at].serial != serial) {
        product->others[at].serial = serial;
        product->others[at].bits = changed(&product->factors, other);
    }
    return product->others[at].bits;
}

/* Called once per group of four warps. */
static void count_factors(const struct warp_core *core, struct warp *warp, struct group_product *product)
{
    struct warp_group *group = warp->group;
    uint64_t bits = 8 * (FIRST_BYTES + (uint64_t)product->columns * GROUP_ROW_BYTES);
    if (group->sent == NULL)
        group->sent = memory_zeroed(BUS_TURNS, sizeof *group->sent);
    for (unsigned turn = 0; turn < BUS_TURNS && warp->timed; turn++) {
        struct bus_count *operands = &core->result->operands[turn];
        size_t before = (group->sent_count - turn - 1) % BUS_TURNS;
        operands->ones += product->ones;
        operands->transfers++;
        operands->bits += bits;
        if (turn >= group->sent_count)
            continue;
        operands->compared += bits;
        operands->toggles += toggles_of(product, &group->sent[before], group->serials[before]);
    }
    group->serials[group->sent_count % BUS_TURNS] = product->serial;
    group->sent[group->sent_count++ % BUS_TURNS] = product->factors;
}

/* Counts the bytes of shared memory that the factors occupy; overlapping bytes count once. */
static void count_places(const struct warp_core *core, const uint64_t descriptors[2], unsigned columns)
{
    struct warp_result *result = core->result;
    const unsigned rows[2] = {GROUP_ROWS, columns};
    unsigned char used[0x4000] = {0}; /* per chunk that a descriptor can address */
    uint64_t bytes = 0;
    for (unsigned i = 0; i < 2; i++)
        for (unsigned row = 0; row < rows[i]; row++)
            for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
                uint64_t at = (descriptors[i] & 0x3fff) + row / CORE_ROWS * (descriptors[i] >> 32 & 0x3fff) +
                              chunk * (descriptors[i] >> 16 & 0x3fff) + row % CORE_ROWS;
                bytes += used[at % sizeof used] == 0 ? CHUNK : 0;
                used[at % sizeof used] = 1;
            }
    result->least_factors =
        result->most_factors == 0 || bytes < result->least_factors ? bytes : result->least_factors;
    result->most_factors = bytes > result->most_factors ? bytes : result->most_factors;
}

/* ---- the four instructions ---- */

static void add_rows(const struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     const struct group_product *product)
{
    const bool whole = product->form->format == NULL;
    const double sign = it->minus_first != it->minus_second ? -1 : 1;
    const double *parts = product->sums + (size_t)(warp->number % GROUP_WARPS) * it->count * PTX_LANES;
    uint32_t adds;
    memcpy(&adds, warp_source(core, warp, it->source[2]), sizeof adds);
    for (unsigned r = 0; r < it->count; r++, parts += PTX_LANES) {
        uint32_t words[PTX_LANES];
        memcpy(words, warp->registers + ptx_result(it, r), sizeof words);
        for (unsigned lane = 0; lane < PTX_LANES; lane++) {
            double before = whole ? (double)(int32_t)words[lane] : (double)float_of(words[lane]);
            double sum = sign * parts[lane] + ((adds >> lane & 1) != 0 ? before : 0);
            words[lane] = whole ? (uint32_t)(int64_t)sum : bits_of_float((float)sum);
        }
        memcpy(warp->registers + ptx_result(it, r), words, sizeof words);
    }
}

static bool multiply_all(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it)
{
    struct group_factors factors;
    uint64_t descriptors[2];
    unsigned columns = it->count * 2;
    memset(&factors, 0, sizeof factors);
    if (!add_to(core, warp, it) || !gather(core, warp, it, 0, GROUP_ROWS, factors.first, &descriptors[0]) ||
        !gather(core, warp, it, 1, columns, factors.second, &descriptors[1]))
        return false;
    struct group_product *product = product_of(core, it->group, columns, &factors);
    if (warp->number % GROUP_WARPS == 0) {
        count_factors(core, warp, product);
        count_places(core, descriptors, columns);
    }
    warp->group->open = true;
    for (unsigned i = 0; i < 2; i++)
        warp->group->digest = (warp->group->digest ^ descriptors[i]) * UINT64_C(0x9e3779b97f4a7c15);
    add_rows(core, warp, it, product);
    return true;
}

bool warp_group_step(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                     uint32_t lanes)
{
    struct warp_group *group = group_of(core, warp);
    if (lanes == 0)
        return true;
    if (lanes != UINT32_MAX)
        return warp_fault(core, warp, it, "executes %s with only some of its threads", it->name);
    if (warp->number / GROUP_WARPS >= core->launch->threads / PTX_LANES / GROUP_WARPS)
        return warp_fault(
            core, warp, it,
            "executes %s, and its block has %u threads: expected a multiple of %d, the threads of four warps",
            it->name, core->launch->threads, GROUP_WARPS * PTX_LANES);
    group->made++;
    group->last = it;
    group->digest = (group->digest ^ (uint64_t)(it - core->program->code)) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    bool good = it->kind != PTX_GROUP_MATRIX || multiply_all(core, warp, it);
    if (it->kind == PTX_GROUP_FENCE)
        fence(core->program, group);
    if (it->kind == PTX_GROUP_COMMIT) {
        group->group++;
        group->open = false;
    }
    if (it->kind == PTX_GROUP_WAIT && group->group - 1 > it->pending + group->over)
        group->over = group->group - 1 - it->pending;
    warp->multiplies = (size_t)(group->group - 1 - group->over) + group->open;
    return good;
}

static bool has_stopped(const struct warp *warp)
{
    return warp->waiting || warp->done;
}

bool warp_group_agree(struct warp_core *core, const struct warp_block *block, unsigned warps)
{
    for (unsigned first = 0; first + GROUP_WARPS <= warps; first += GROUP_WARPS) {
        const struct warp *own = &block->warps[first], *other = own;
        bool all = has_stopped(own), same = true;
        for (unsigned i = 1; i < GROUP_WARPS; i++) {
            const struct warp_group *a = own->group, *b = own[i].group;
            bool equal = a == b || (a != NULL && b != NULL && a->made == b->made && a->digest == b->digest);
            all = all && has_stopped(&own[i]);
            other = same && !equal ? &own[i] : other;
            same = same && equal;
        }
        if (!all || same)
            continue;
        const struct warp *blamed = other->group != NULL && other->group->last != NULL ? other : own;
        return warp_fault(core, other, blamed->group->last,
                          "has not executed the same wgmma instructions, with the same descriptors, as warp "
                          "%u, the first of its four",
                          first);
    }
    return true;
}
