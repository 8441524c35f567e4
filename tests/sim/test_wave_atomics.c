/* The effect of atomic operations on memory and LDS, and their return values, compared with numbers derived
 * from the manuals' text independently of the executor. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/wave_fixture.h"
#include "tests/wave_object.h"

enum { DATA_BYTES = 64 << 10 };

static const struct row {
    const char *name;
    unsigned bits;
    uint64_t memory, data, compare; /* before; the operand; what a compare-and-swap compares with */
    uint64_t after;
} rows[] = {
    /* clang-format off */
    {"swap", 32, 0x5, 0x7, 0x5, 0x7},
    {"swap", 32, 0x7, 0x5, 0x0, 0x5},
    {"swap", 32, 0x80000001, 0x3, 0x80000001, 0x3},
    {"swap", 32, 0x3, 0x80000001, 0x2, 0x80000001},
    {"swap", 32, 0x0, 0x4, 0x0, 0x4},
    {"swap", 32, 0x9, 0x9, 0x9, 0x9},
    {"swap", 64, 0x5, 0x7, 0x5, 0x7},
    {"swap", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x3},
    {"swap", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000001},
    {"swap", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"swap", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"swap", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"swap", 64, 0x9, 0x9, 0x9, 0x9},
    {"cmpswap", 32, 0x5, 0x7, 0x5, 0x7},
    {"cmpswap", 32, 0x7, 0x5, 0x0, 0x7},
    {"cmpswap", 32, 0x80000001, 0x3, 0x80000001, 0x3},
    {"cmpswap", 32, 0x3, 0x80000001, 0x2, 0x3},
    {"cmpswap", 32, 0x0, 0x4, 0x0, 0x4},
    {"cmpswap", 32, 0x9, 0x9, 0x9, 0x9},
    {"cmpswap", 64, 0x5, 0x7, 0x5, 0x7},
    {"cmpswap", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x3},
    {"cmpswap", 64, 0x3, 0x8000000000000001, 0x0, 0x3},
    {"cmpswap", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"cmpswap", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"cmpswap", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"cmpswap", 64, 0x9, 0x9, 0x9, 0x9},
    {"add", 32, 0x5, 0x7, 0x5, 0xc},
    {"add", 32, 0x7, 0x5, 0x0, 0xc},
    {"add", 32, 0x80000001, 0x3, 0x80000001, 0x80000004},
    {"add", 32, 0x3, 0x80000001, 0x2, 0x80000004},
    {"add", 32, 0x0, 0x4, 0x0, 0x4},
    {"add", 32, 0x9, 0x9, 0x9, 0x12},
    {"add", 64, 0x5, 0x7, 0x5, 0xc},
    {"add", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000004},
    {"add", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000004},
    {"add", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"add", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x2ffffffff},
    {"add", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"add", 64, 0x9, 0x9, 0x9, 0x12},
    {"sub", 32, 0x5, 0x7, 0x5, 0xfffffffe},
    {"sub", 32, 0x7, 0x5, 0x0, 0x2},
    {"sub", 32, 0x80000001, 0x3, 0x80000001, 0x7ffffffe},
    {"sub", 32, 0x3, 0x80000001, 0x2, 0x80000002},
    {"sub", 32, 0x0, 0x4, 0x0, 0xfffffffc},
    {"sub", 32, 0x9, 0x9, 0x9, 0x0},
    {"sub", 64, 0x5, 0x7, 0x5, 0xfffffffffffffffe},
    {"sub", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x7ffffffffffffffe},
    {"sub", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000002},
    {"sub", 64, 0xffffffff, 0x100000000, 0xffffffff, 0xffffffffffffffff},
    {"sub", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0xffffffff},
    {"sub", 64, 0x0, 0x10000000000, 0x0, 0xffffff0000000000},
    {"sub", 64, 0x9, 0x9, 0x9, 0x0},
    {"smin", 32, 0x5, 0x7, 0x5, 0x5},
    {"smin", 32, 0x7, 0x5, 0x0, 0x5},
    {"smin", 32, 0x80000001, 0x3, 0x80000001, 0x80000001},
    {"smin", 32, 0x3, 0x80000001, 0x2, 0x80000001},
    {"smin", 32, 0x0, 0x4, 0x0, 0x0},
    {"smin", 32, 0x9, 0x9, 0x9, 0x9},
    {"smin", 64, 0x5, 0x7, 0x5, 0x5},
    {"smin", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000001},
    {"smin", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000001},
    {"smin", 64, 0xffffffff, 0x100000000, 0xffffffff, 0xffffffff},
    {"smin", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"smin", 64, 0x0, 0x10000000000, 0x0, 0x0},
    {"smin", 64, 0x9, 0x9, 0x9, 0x9},
    {"umin", 32, 0x5, 0x7, 0x5, 0x5},
    {"umin", 32, 0x7, 0x5, 0x0, 0x5},
    {"umin", 32, 0x80000001, 0x3, 0x80000001, 0x3},
    {"umin", 32, 0x3, 0x80000001, 0x2, 0x3},
    {"umin", 32, 0x0, 0x4, 0x0, 0x0},
    {"umin", 32, 0x9, 0x9, 0x9, 0x9},
    {"umin", 64, 0x5, 0x7, 0x5, 0x5},
    {"umin", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x3},
    {"umin", 64, 0x3, 0x8000000000000001, 0x0, 0x3},
    {"umin", 64, 0xffffffff, 0x100000000, 0xffffffff, 0xffffffff},
    {"umin", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"umin", 64, 0x0, 0x10000000000, 0x0, 0x0},
    {"umin", 64, 0x9, 0x9, 0x9, 0x9},
    {"smax", 32, 0x5, 0x7, 0x5, 0x7},
    {"smax", 32, 0x7, 0x5, 0x0, 0x7},
    {"smax", 32, 0x80000001, 0x3, 0x80000001, 0x3},
    {"smax", 32, 0x3, 0x80000001, 0x2, 0x3},
    {"smax", 32, 0x0, 0x4, 0x0, 0x4},
    {"smax", 32, 0x9, 0x9, 0x9, 0x9},
    {"smax", 64, 0x5, 0x7, 0x5, 0x7},
    {"smax", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x3},
    {"smax", 64, 0x3, 0x8000000000000001, 0x0, 0x3},
    {"smax", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"smax", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"smax", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"smax", 64, 0x9, 0x9, 0x9, 0x9},
    {"umax", 32, 0x5, 0x7, 0x5, 0x7},
    {"umax", 32, 0x7, 0x5, 0x0, 0x7},
    {"umax", 32, 0x80000001, 0x3, 0x80000001, 0x80000001},
    {"umax", 32, 0x3, 0x80000001, 0x2, 0x80000001},
    {"umax", 32, 0x0, 0x4, 0x0, 0x4},
    {"umax", 32, 0x9, 0x9, 0x9, 0x9},
    {"umax", 64, 0x5, 0x7, 0x5, 0x7},
    {"umax", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000001},
    {"umax", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000001},
    {"umax", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"umax", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"umax", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"umax", 64, 0x9, 0x9, 0x9, 0x9},
    {"and", 32, 0x5, 0x7, 0x5, 0x5},
    {"and", 32, 0x7, 0x5, 0x0, 0x5},
    {"and", 32, 0x80000001, 0x3, 0x80000001, 0x1},
    {"and", 32, 0x3, 0x80000001, 0x2, 0x1},
    {"and", 32, 0x0, 0x4, 0x0, 0x0},
    {"and", 32, 0x9, 0x9, 0x9, 0x9},
    {"and", 64, 0x5, 0x7, 0x5, 0x5},
    {"and", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x1},
    {"and", 64, 0x3, 0x8000000000000001, 0x0, 0x1},
    {"and", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x0},
    {"and", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"and", 64, 0x0, 0x10000000000, 0x0, 0x0},
    {"and", 64, 0x9, 0x9, 0x9, 0x9},
    {"or", 32, 0x5, 0x7, 0x5, 0x7},
    {"or", 32, 0x7, 0x5, 0x0, 0x7},
    {"or", 32, 0x80000001, 0x3, 0x80000001, 0x80000003},
    {"or", 32, 0x3, 0x80000001, 0x2, 0x80000003},
    {"or", 32, 0x0, 0x4, 0x0, 0x4},
    {"or", 32, 0x9, 0x9, 0x9, 0x9},
    {"or", 64, 0x5, 0x7, 0x5, 0x7},
    {"or", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000003},
    {"or", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000003},
    {"or", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"or", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"or", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"or", 64, 0x9, 0x9, 0x9, 0x9},
    {"xor", 32, 0x5, 0x7, 0x5, 0x2},
    {"xor", 32, 0x7, 0x5, 0x0, 0x2},
    {"xor", 32, 0x80000001, 0x3, 0x80000001, 0x80000002},
    {"xor", 32, 0x3, 0x80000001, 0x2, 0x80000002},
    {"xor", 32, 0x0, 0x4, 0x0, 0x4},
    {"xor", 32, 0x9, 0x9, 0x9, 0x0},
    {"xor", 64, 0x5, 0x7, 0x5, 0x2},
    {"xor", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000002},
    {"xor", 64, 0x3, 0x8000000000000001, 0x0, 0x8000000000000002},
    {"xor", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x1ffffffff},
    {"xor", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0xffffffff},
    {"xor", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"xor", 64, 0x9, 0x9, 0x9, 0x0},
    {"inc", 32, 0x5, 0x7, 0x5, 0x6},
    {"inc", 32, 0x7, 0x5, 0x0, 0x0},
    {"inc", 32, 0x80000001, 0x3, 0x80000001, 0x0},
    {"inc", 32, 0x3, 0x80000001, 0x2, 0x4},
    {"inc", 32, 0x0, 0x4, 0x0, 0x1},
    {"inc", 32, 0x9, 0x9, 0x9, 0x0},
    {"inc", 64, 0x5, 0x7, 0x5, 0x6},
    {"inc", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x0},
    {"inc", 64, 0x3, 0x8000000000000001, 0x0, 0x4},
    {"inc", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"inc", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x0},
    {"inc", 64, 0x0, 0x10000000000, 0x0, 0x1},
    {"inc", 64, 0x9, 0x9, 0x9, 0x0},
    {"dec", 32, 0x5, 0x7, 0x5, 0x4},
    {"dec", 32, 0x7, 0x5, 0x0, 0x5},
    {"dec", 32, 0x80000001, 0x3, 0x80000001, 0x3},
    {"dec", 32, 0x3, 0x80000001, 0x2, 0x2},
    {"dec", 32, 0x0, 0x4, 0x0, 0x4},
    {"dec", 32, 0x9, 0x9, 0x9, 0x8},
    {"dec", 64, 0x5, 0x7, 0x5, 0x4},
    {"dec", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x3},
    {"dec", 64, 0x3, 0x8000000000000001, 0x0, 0x2},
    {"dec", 64, 0xffffffff, 0x100000000, 0xffffffff, 0xfffffffe},
    {"dec", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0x100000000},
    {"dec", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"dec", 64, 0x9, 0x9, 0x9, 0x8},
    {"rsub", 32, 0x5, 0x7, 0x5, 0x2},
    {"rsub", 32, 0x7, 0x5, 0x0, 0xfffffffe},
    {"rsub", 32, 0x80000001, 0x3, 0x80000001, 0x80000002},
    {"rsub", 32, 0x3, 0x80000001, 0x2, 0x7ffffffe},
    {"rsub", 32, 0x0, 0x4, 0x0, 0x4},
    {"rsub", 32, 0x9, 0x9, 0x9, 0x0},
    {"rsub", 64, 0x5, 0x7, 0x5, 0x2},
    {"rsub", 64, 0x8000000000000001, 0x3, 0x8000000000000001, 0x8000000000000002},
    {"rsub", 64, 0x3, 0x8000000000000001, 0x0, 0x7ffffffffffffffe},
    {"rsub", 64, 0xffffffff, 0x100000000, 0xffffffff, 0x1},
    {"rsub", 64, 0x1ffffffff, 0x100000000, 0xffffffff, 0xffffffff00000001},
    {"rsub", 64, 0x0, 0x10000000000, 0x0, 0x10000000000},
    {"rsub", 64, 0x9, 0x9, 0x9, 0x0},
    /* clang-format on */
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Names in LDS, where those of memory are others. */
static const struct {
    const char *name, *lds;
    char letter;
} names[] = {{"swap", "wrxchg", 'b'}, {"cmpswap", "cmpst", 'b'}, {"add", "add", 'u'},  {"sub", "sub", 'u'},
             {"rsub", "rsub", 'u'},   {"smin", "min", 'i'},      {"umin", "min", 'u'}, {"smax", "max", 'i'},
             {"umax", "max", 'u'},    {"and", "and", 'b'},       {"or", "or", 'b'},    {"xor", "xor", 'b'},
             {"inc", "inc", 'u'},     {"dec", "dec", 'u'}};

static void put(struct buffer *text, unsigned number, uint64_t value)
{
    buffer_printf(text, "v_mov_b32 v%u, 0x%x\nv_mov_b32 v%u, 0x%x\n", number, (unsigned)value, number + 1,
                  (unsigned)(value >> 32));
}

/* v[2:3]: memory before; v[8:9]: the operand; v[4:5]: what comes back; v[6:7]: memory after. */
static void add_memory(struct buffer *text, const struct row *row, bool returns)
{
    const char *wide = row->bits == 64 ? "_x2" : "";
    bool compares = strcmp(row->name, "cmpswap") == 0;
    char operands[32];
    if (row->bits == 64)
        snprintf(operands, sizeof operands, "v[8:%d]", compares ? 11 : 9);
    else
        snprintf(operands, sizeof operands, compares ? "v[8:9]" : "v8");
    put(text, 10, row->compare);
    if (compares && row->bits == 32)
        buffer_printf(text, "v_mov_b32 v9, v10\n");
    buffer_printf(text, "flat_store_dwordx2 v[30:31], v[2:3]\ns_waitcnt vmcnt(0)\n");
    if (returns)
        buffer_printf(text, "flat_atomic_%s%s %s, v[30:31], %s glc\n", row->name, wide,
                      row->bits == 64 ? "v[4:5]" : "v4", operands);
    else
        buffer_printf(text, "flat_atomic_%s%s v[30:31], %s\n", row->name, wide, operands);
    buffer_printf(text, "s_waitcnt vmcnt(0) lgkmcnt(0)\nflat_load_dwordx2 v[6:7], v[30:31]\n"
                        "s_waitcnt vmcnt(0) lgkmcnt(0)\n");
}

static void add_lds(struct buffer *text, const struct row *row, bool returns)
{
    const char *data = row->bits == 64 ? "v[8:9]" : "v8", *compare = row->bits == 64 ? "v[10:11]" : "v10";
    size_t i = 0;
    while (strcmp(names[i].name, row->name) != 0)
        i++;
    bool compares = strcmp(row->name, "cmpswap") == 0;
    put(text, 10, row->compare);
    buffer_printf(text, "v_mov_b32 v1, 8\nds_write_b64 v1, v[2:3] offset:16\n");
    if (returns)
        buffer_printf(text, "ds_%s_rtn_%c%u %s, v1, ", names[i].lds, names[i].letter, row->bits,
                      row->bits == 64 ? "v[4:5]" : "v4");
    else
        buffer_printf(text, "ds_%s_%c%u v1, ", names[i].lds, names[i].letter, row->bits);
    /* What is compared with comes first. */
    buffer_printf(text, compares ? "%s, %s offset:16\n" : "%s%.0s offset:16\n", compares ? compare : data,
                  data);
    buffer_printf(text, "ds_read_b64 v[6:7], v1 offset:16\ns_waitcnt lgkmcnt(0)\n");
}

static bool has(const struct row *row, bool lds, bool returns)
{
    return lds ? returns || strcmp(row->name, "swap") != 0 : strcmp(row->name, "rsub") != 0;
}

static void check(const struct fixture *fixture, size_t at, const struct row *row, bool lds, bool returns)
{
    uint64_t got[2]; /* what came back, and memory */
    uint64_t mask = row->bits == 64 ? UINT64_MAX : UINT32_MAX;
    memcpy(got, fixture->data + 1024 + at * sizeof got, sizeof got);
    uint64_t back = returns ? row->memory : 0;
    uint64_t after = (row->memory & ~mask) | row->after;
    if ((got[0] & mask) != back || got[1] != after)
        fail_msg("%s, %u bits%s%s: memory 0x%" PRIx64 ", operand 0x%" PRIx64 ": left 0x%" PRIx64
                 " and gave 0x%" PRIx64 ", expected 0x%" PRIx64 " and 0x%" PRIx64,
                 row->name, row->bits, lds ? " in LDS" : "", returns ? ", returning" : "", row->memory,
                 row->data, got[1], got[0], after, back);
}

static void run(bool lds, bool returns)
{
    const struct object_kernel kernel = {"gfx906", 64, 4096, 64};
    struct fixture fixture;
    struct buffer text = {0};
    size_t at = 0;
    fixture_open(&fixture, 1, 64, DATA_BYTES);
    buffer_printf(&text, "s_load_dwordx2 s[4:5], s[0:1], 0x10\ns_waitcnt lgkmcnt(0)\ns_mov_b32 m0, -1\n"
                         "s_mov_b64 exec, 1\nv_mov_b32 v30, s4\nv_mov_b32 v31, s5\ns_add_u32 s6, s4, 1024\n"
                         "s_addc_u32 s7, s5, 0\n");
    for (size_t i = 0; i < ROWS; i++) {
        if (!has(&rows[i], lds, returns))
            continue;
        put(&text, 2, rows[i].memory);
        put(&text, 4, 0);
        put(&text, 8, rows[i].data);
        if (lds)
            add_lds(&text, &rows[i], returns);
        else
            add_memory(&text, &rows[i], returns);
        buffer_printf(&text, "v_mov_b32 v32, s6\nv_mov_b32 v33, s7\nflat_store_dwordx4 v[32:33], v[4:7]\n"
                             "s_add_u32 s6, s6, 16\ns_addc_u32 s7, s7, 0\n");
    }
    buffer_printf(&text, "s_endpgm\n");
    object_assemble(&kernel, text.data, &fixture.object);
    fixture_run(&fixture, 0, 0);
    for (size_t i = 0; i < ROWS; i++)
        if (has(&rows[i], lds, returns))
            check(&fixture, at++, &rows[i], lds, returns);
    assert_true(at > ROWS / 2);
    buffer_free(&text);
    fixture_close(&fixture);
}

static void test_memory(void **state)
{
    (void)state;
    run(false, true);
    run(false, false);
}

static void test_lds(void **state)
{
    (void)state;
    run(true, true);
    run(true, false);
}

int main(void)
{
#ifndef TRAUMA_LLVM_AMDGPU
    print_message("LLVM has no AMDGPU here\n");
    return 77;
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_lds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
