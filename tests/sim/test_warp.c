/* The executor of PTX: blocks, shared memory, atomics, and what serves accesses, by counts worked out by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/demand_memory.h"
#include "sim/ptx/ptx_code.h"
#include "sim/ptx/ptx_flow.h"
#include "sim/ptx/warp_launch.h"

#include <stdio.h>
#include <string.h>

#define DATA UINT64_C(0x100000)
enum { BYTES = 1 << 20 };

static unsigned char data[BYTES];

/* Two multiprocessors, each near a side of L2; chunks of 4 KiB have their homes. */
static const struct warp_chip chip = {.sms = 2,
                                      .sides = 2,
                                      .side_bytes = 4096,
                                      .l1 = {.size = 16384, .ways = 16, .line = 128, .sector = 32},
                                      .l2 = {.size = 131072, .ways = 16, .line = 128, .sector = 32}};

struct test {
    unsigned blocks, threads;
    uint64_t warmup;
    unsigned bus;
    struct demand_memory *demand; /* the data's bytes; NULL: those of `data` */
    struct warp_result result;
    struct error error;
    size_t unused;
    size_t count;
};

static enum status run(struct test *test, const char *code)
{
    char text[8192];
    struct ptx_program program;
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
             ".reg .pred %%p, %%q; .reg .b32 %%t, %%b, %%r<8>; .reg .b64 %%d, %%s, %%A<8>;\n"
             ".shared .align 16 .b8 own[1024];\n"
             "ld.param.u64 %%d, [data]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x;\n%s\nret;\n}\n",
             code);
    enum status status = ptx_read(text, strlen(text), "k", &program, &test->error);
    if (status != STATUS_OK)
        return status;
    const uint64_t parameters[] = {DATA};
    const struct device_range range = {
        "the data", DATA, BYTES, test->demand != NULL ? test->demand->bytes : data, true, true};
    const struct lane_region region = {false, DATA, BYTES, test->bus};
    const struct warp_launch launch = {.program = &program,
                                       .blocks = test->blocks,
                                       .threads = test->threads,
                                       .parameters = parameters,
                                       .ranges = &range,
                                       .demands = test->demand != NULL ? &test->demand : NULL,
                                       .range_count = 1,
                                       .regions = &region,
                                       .region_count = 1,
                                       .warmup = test->warmup,
                                       .most_instructions = 1 << 24};
    status = warp_run(&chip, &launch, &test->result, &test->error);
    test->unused = ptx_flow_unused(&program, true);
    test->count = program.count;
    ptx_free(&program);
    return status;
}

/* Runs it; the test fails where the launch does. */
static void good(struct test *test, const char *code)
{
    if (run(test, code) != STATUS_OK)
        fail_msg("%s", test->error.message);
}

static uint32_t word(size_t at)
{
    uint32_t value;
    memcpy(&value, data + 4 * at, sizeof value);
    return value;
}

static void blocks_share_memory_and_wait_for_each_other(void **state)
{
    (void)state;
    struct test test = {.blocks = 3, .threads = 96};
    memset(data, 0, sizeof data);
    /* Each thread leaves its number; after the barrier it reads that of its mirror image. */
    good(&test, "mov.u64 %A0, own; mul.wide.u32 %A1, %t, 4; add.u64 %A2, %A0, %A1; st.shared.u32 [%A2], %t;\n"
                "bar.sync 0; sub.u32 %r0, 95, %t; mul.wide.u32 %A1, %r0, 4; add.u64 %A2, %A0, %A1;\n"
                "ld.shared.u32 %r1, [%A2]; mad.lo.u32 %r2, %b, 96, %t; mul.wide.u32 %A1, %r2, 4;\n"
                "add.u64 %A2, %d, %A1; mad.lo.u32 %r1, %b, 1000, %r1; st.global.u32 [%A2], %r1;");
    for (unsigned block = 0; block < 3; block++)
        for (unsigned t = 0; t < 96; t++)
            assert_int_equal(word(block * 96 + t), block * 1000 + 95 - t);
    warp_result_free(&test.result);
}

static void atomics_change_memory_lane_by_lane(void **state)
{
    (void)state;
    static const struct {
        const char *code;
        uint32_t before, after;
    } rows[] = {
        {"atom.global.add.u32 %r0, [%d], 2;", 5, 5 + 2 * 64 * 2},
        {"red.global.add.u32 [%d], %t;", 0, 2 * 2016},
        {"atom.global.min.u32 %r0, [%d], %t;", 7, 0},
        {"atom.global.max.s32 %r0, [%d], %t;", 0xffffffff, 63},
        {"atom.global.and.b32 %r0, [%d], 0xf0;", 0xff, 0xf0},
        {"atom.global.or.b32 %r0, [%d], %t;", 0, 63},
        {"atom.global.xor.b32 %r0, [%d], 1;", 4, 4},
        {"atom.global.inc.u32 %r0, [%d], 9;", 0, 128 % 10},
        {"atom.global.dec.u32 %r0, [%d], 9;", 0, 2},
        {"atom.global.cas.b32 %r0, [%d], 6, 8;", 6, 8},
        {"atom.global.exch.b32 %r0, [%d], 77;", 6, 77},
        {"atom.relaxed.gpu.global.add.f32 %r0, [%d], 0f3F800000;", 0, 0x43000000}, /* 128.0 */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test test = {.blocks = 2, .threads = 64};
        memcpy(data, &rows[i].before, sizeof rows[i].before);
        good(&test, rows[i].code);
        if (word(0) != rows[i].after)
            fail_msg("%s: 0x%x", rows[i].code, word(0));
        warp_result_free(&test.result);
    }
}

static void loads_extend_and_vectors_hold_neighbours(void **state)
{
    (void)state;
    struct test test = {.blocks = 1, .threads = 1};
    static const unsigned char bytes[] = {0x80, 0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    memcpy(data, bytes, sizeof bytes);
    good(&test, "ld.global.s8 %r0, [%d]; ld.global.u8 %r1, [%d]; ld.global.s16 %r2, [%d];\n"
                "ld.global.v2.u32 {%r3, %r4}, [%d+8]; ld.global.v4.u32 {%r5, %r6, %r7, %r3}, [%d];\n"
                "st.global.v4.u32 [%d+16], {%r0, %r1, %r2, %r4}; st.global.v2.u32 [%d+32], {%r5, %r3};\n"
                "st.global.u8 [%d+40], %r7; st.global.u16 [%d+42], %r7;");
    assert_int_equal(word(4), 0xffffff80);
    assert_int_equal(word(5), 0x80);
    assert_int_equal(word(6), 0xffffff80);
    assert_int_equal(word(7), 0x0e0d0c0b);
    assert_int_equal(word(8), 0x0201ff80);
    assert_int_equal(word(9), 0x0e0d0c0b);
    assert_int_equal(word(10), 0x08070007);
    warp_result_free(&test.result);
}

/* One warp's loads in a loop of two passes, the second timed: sectors by what serves them. */
static void accesses_are_sectors_and_caches_keep_them(void **state)
{
    (void)state;
    static const struct {
        const char *address, *load;
        unsigned l1, l2, mem, lanes_l1, lanes_l2;
    } rows[] = {
        {"mul.wide.u32 %A1, %t, 4;", "ld.global.ca.u32 %r0, [%A2];", 4, 0, 0, 32, 0},
        {"mul.wide.u32 %A1, %t, 8;", "ld.global.ca.u64 %A3, [%A2];", 8, 0, 0, 32, 0},
        {"mul.wide.u32 %A1, %t, 16;", "ld.global.cg.v4.u32 {%r0, %r1, %r2, %r3}, [%A2];", 0, 16, 0, 0, 32},
        {"mul.wide.u32 %A1, %t, 32;", "ld.global.cg.u32 %r0, [%A2];", 0, 32, 0, 0, 32},
        {"mul.wide.u32 %A1, %t, 128;", "ld.global.ca.u32 %r0, [%A2];", 32, 0, 0, 32, 0},
        {"mul.wide.u32 %A1, %t, 0;", "ld.global.ca.u32 %r0, [%A2];", 1, 0, 0, 32, 0},
        {"mul.wide.u32 %A1, %t, 4; add.u64 %A1, %A1, 16;", "ld.global.ca.u32 %r0, [%A2];", 5, 0, 0, 32, 0},
        {"xor.b32 %r7, %t, 31; mul.wide.u32 %A1, %r7, 4;", "ld.global.cg.u32 %r0, [%A2];", 0, 4, 0, 0, 32},
        {"and.b32 %r7, %t, 3; mul.wide.u32 %A1, %r7, 64;", "ld.global.cg.u32 %r0, [%A2];", 0, 4, 0, 0, 32},
        /* what the pass before left elsewhere is new: memory */
        {"mul.wide.u32 %A1, %t, 4; add.u64 %d, %d, 4096;", "ld.global.ca.u32 %r0, [%A2];", 0, 0, 4, 0, 0},
        {"mul.wide.u32 %A1, %t, 4;", "ld.global.L1::no_allocate.u32 %r0, [%A2];", 0, 4, 0, 0, 32},
        {"mul.wide.u32 %A1, %t, 4;", "ld.volatile.global.u32 %r0, [%A2];", 0, 4, 0, 0, 32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test test = {.blocks = 1, .threads = 32, .warmup = 1};
        char code[1024];
        snprintf(code, sizeof code,
                 "mov.u32 %%r6, 0;\nTRAUMA_LOOP:\n%s add.u64 %%A2, %%d, %%A1; %s\nadd.u32 %%r6, %%r6, 1;\n"
                 "setp.lt.u32 %%p, %%r6, 2; @%%p bra TRAUMA_LOOP;",
                 rows[i].address, rows[i].load);
        good(&test, code);
        const struct warp_result *seen = &test.result;
        if (seen->sectors[GPU_L1] != rows[i].l1 || seen->sectors[GPU_L2] != rows[i].l2 ||
            seen->sectors[GPU_MEM] != rows[i].mem || seen->loads[GPU_L1] != rows[i].lanes_l1 ||
            seen->loads[GPU_L2] != rows[i].lanes_l2)
            fail_msg("%s %s: %u, %u, %u sectors", rows[i].address, rows[i].load,
                     (unsigned)seen->sectors[GPU_L1], (unsigned)seen->sectors[GPU_L2],
                     (unsigned)seen->sectors[GPU_MEM]);
        assert_int_equal(seen->least_passes, 2);
        warp_result_free(&test.result);
    }
}

/* Both multiprocessors read one chunk after the other: each is near its home for one of them. */
static void a_side_of_l2_is_near_half_of_the_multiprocessors(void **state)
{
    (void)state;
    struct test test = {.blocks = 2, .threads = 32};
    uint64_t near = 0, far = 0;
    for (unsigned sm = 0; sm < 2; sm++)
        for (unsigned chunk = 0; chunk < 8; chunk++) {
            bool same = warp_chip_home(&chip, DATA + 4096 * chunk) == warp_chip_near(&chip, sm);
            near += 4 * same;
            far += 4 * !same;
        }
    good(&test, "mov.u32 %r6, 0; mul.wide.u32 %A1, %t, 4; add.u64 %A2, %d, %A1;\nTRAUMA_LOOP:\n"
                "ld.global.cg.u32 %r0, [%A2]; add.u64 %A2, %A2, 4096; add.u32 %r6, %r6, 1;\n"
                "setp.lt.u32 %p, %r6, 8; @%p bra TRAUMA_LOOP;");
    assert_int_equal(test.result.near, near);
    assert_int_equal(test.result.far, far);
    assert_int_equal(near + far, 64);
    assert_int_equal(warp_chip_near(&chip, 0), 0);
    assert_int_equal(warp_chip_near(&chip, 1), 1);
    warp_result_free(&test.result);
}

/* Zeros, ones, zeros, ...: each transfer of 32 bytes changes all bits. */
static void a_bus_counts_what_changes(void **state)
{
    (void)state;
    struct test test = {.blocks = 1, .threads = 32, .bus = 32};
    for (size_t at = 0; at < sizeof data; at++)
        data[at] = at / 32 % 2 == 0 ? 0 : 0xff;
    good(&test, "mul.wide.u32 %A1, %t, 4; add.u64 %A2, %d, %A1;\nTRAUMA_LOOP:\nld.global.cg.u32 %r0, [%A2];\n"
                "setp.ne.u32 %p, %t, %t; @%p bra TRAUMA_LOOP;");
    assert_int_equal(test.result.bus[BUS_PROGRAM].transfers, 4);
    assert_int_equal(test.result.bus[BUS_PROGRAM].toggles, 3 * 256);
    assert_int_equal(test.result.bus[BUS_PROGRAM].compared, 3 * 256);
    assert_int_equal(test.result.bus[BUS_PROGRAM].ones, 2 * 256);
    warp_result_free(&test.result);
}

static unsigned char image[BYTES];

static void fill_from_image(const void *context, uint64_t from, size_t size, unsigned char *bytes)
{
    (void)context;
    memcpy(bytes, image + from, size);
}

/* Data that is made when it is needed is as data that was there: read for the first and a second time, read
 * after a store and an atomic, by words of buses of all widths. */
static void made_data_is_as_any(void **state)
{
    (void)state;
    static const unsigned buses[] = {0, 32, 96, 128};
    static const char code[] =
        "mul.wide.u32 %A1, %t, 20; add.u64 %A2, %d, %A1; mul.wide.u32 %A3, %t, 16; add.u64 %A4, %d, %A3;\n"
        "TRAUMA_LOOP:\nld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%A4+8192]; ld.global.u32 %r4, [%A2+40];\n"
        "ld.global.u32 %r5, [%A2+60]; st.global.u32 [%A2+16384], %r0; ld.global.u32 %r6, [%A2+16380];\n"
        "atom.global.add.u32 %r7, [%A2+32768], %t; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%A4+32768];\n"
        "add.u32 %r7, %r7, %r3; st.global.v4.u32 [%A4+65536], {%r4, %r5, %r6, %r7};\n"
        "setp.ne.u32 %p, %t, %t; @%p bra TRAUMA_LOOP;";
    for (size_t at = 0; at < sizeof image; at++)
        image[at] = (unsigned char)(at * at / 7 + at / 128);
    for (size_t i = 0; i < sizeof buses / sizeof buses[0]; i++) {
        struct demand_memory demand;
        struct test there = {.blocks = 1, .threads = 64, .bus = buses[i]}, made = there;
        assert_int_equal(demand_memory_open(BYTES, fill_from_image, NULL, &demand, &made.error), STATUS_OK);
        made.demand = &demand;
        memcpy(data, image, sizeof data);
        good(&there, code);
        good(&made, code);
        demand_memory_need(&demand, 0, BYTES);
        assert_memory_equal(demand.bytes, data, sizeof data);
        assert_memory_equal(made.result.bus, there.result.bus, sizeof there.result.bus);
        assert_true(buses[i] == 0 || there.result.bus[BUS_PROGRAM].toggles > 1000);
        warp_result_free(&there.result);
        warp_result_free(&made.result);
        demand_memory_free(&demand);
    }
}

static void only_branches_within_the_loop_are_counted(void **state)
{
    (void)state;
    struct test test = {.blocks = 1, .threads = 64};
    good(&test, "mov.u32 %r6, 0; and.b32 %r5, %t, 1; setp.eq.u32 %q, %r5, 0;\nTRAUMA_LOOP:\n"
                "@%q bra even; add.u32 %r0, %r0, 1; even: setp.eq.u32 %p, %t, %t; @%p bra all; all:\n"
                "add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 3; @%p bra TRAUMA_LOOP;");
    assert_int_equal(test.result.branches, 2 * 3 * 2);
    assert_int_equal(test.result.diverged, 2 * 3);
    assert_int_equal(test.result.working, 2);
    warp_result_free(&test.result);
}

/* A sum that reaches memory uses its loads; one that is only added to itself does not. */
static void results_that_reach_nothing_are_found(void **state)
{
    (void)state;
    static const struct {
        const char *in_loop, *after;
        bool used;
    } rows[] = {
        {"ld.global.u32 %r0, [%d]; xor.b32 %r1, %r1, %r0;", "st.global.u32 [%d], %r1;", true},
        {"ld.global.u32 %r0, [%d]; xor.b32 %r1, %r1, %r0;", "st.global.u32 [%d], %r2;", false},
        {"ld.global.u32 %r0, [%d]; xor.b32 %r1, %r1, %r2;", "st.global.u32 [%d], %r1;", false},
        {"ld.global.v2.u32 {%r0, %r3}, [%d]; xor.b32 %r1, %r1, %r0;", "st.global.u32 [%d], %r1;", false},
        {"ld.global.u64 %A1, [%d]; and.b64 %A1, %A1, 0; add.u64 %d, %d, %A1;", "st.global.u32 [%d], %r1;",
         true},
        {"ld.volatile.global.u32 %r0, [%d];", "st.global.u32 [%d], %r1;", true},
        {"ld.global.u32 %r0, [%d]; setp.eq.u32 %q, %r0, 7; @%q ret;", "st.global.u32 [%d], %r1;", true},
        {"@%q ld.global.u32 %r1, [%d];", "st.global.u32 [%d], %r1;", true},
    };
    memset(data, 0, sizeof data);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test test = {.blocks = 1, .threads = 1};
        char code[1024];
        snprintf(code, sizeof code,
                 "setp.eq.u32 %%q, %%t, 5;\nTRAUMA_LOOP:\n%s\nsetp.ne.u32 %%p, %%t, %%t; @%%p bra "
                 "TRAUMA_LOOP;\n%s",
                 rows[i].in_loop, rows[i].after);
        good(&test, code);
        if ((test.unused == test.count) != rows[i].used)
            fail_msg("%s", rows[i].in_loop);
        warp_result_free(&test.result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_share_memory_and_wait_for_each_other),
        cmocka_unit_test(atomics_change_memory_lane_by_lane),
        cmocka_unit_test(loads_extend_and_vectors_hold_neighbours),
        cmocka_unit_test(accesses_are_sectors_and_caches_keep_them),
        cmocka_unit_test(a_side_of_l2_is_near_half_of_the_multiprocessors),
        cmocka_unit_test(a_bus_counts_what_changes),
        cmocka_unit_test(made_data_is_as_any),
        cmocka_unit_test(only_branches_within_the_loop_are_counted),
        cmocka_unit_test(results_that_reach_nothing_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
