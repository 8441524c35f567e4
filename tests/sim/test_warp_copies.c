/* Asynchronous copies in the executor of PTX: what they bring and count, when it is there, and what is failed
 * or refused. */
#include "tests/warp_fixture.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = WARP_FIXTURE_BYTES };

static unsigned char *const data = warp_fixture_data;

struct test {
    struct warp_result result;
    struct error error;
    uint64_t copied_to[32]; /* of the last copy */
    unsigned copies;
};

static bool look(const struct lane_access *access, void *context, struct error *error)
{
    struct test *test = context;
    (void)error;
    for (unsigned i = 0; access->to != NULL && i < access->count; i++)
        test->copied_to[i] = access->to[i];
    test->copies += access->to != NULL;
    return true;
}

/* One warp: %d is the data's address, %o that of 2,048 bytes of shared memory, %t the thread; %D and %O are
 * the thread's places in them, 16 bytes apart. */
static enum status run(struct test *test, const char *code)
{
    char text[4096];
    memset(test, 0, sizeof *test);
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
             ".reg .pred %%p; .reg .b32 %%t, %%r<8>; .reg .b64 %%d, %%o, %%D, %%O, %%A;\n"
             ".shared .align 16 .b8 own[2048];\n"
             "ld.param.u64 %%d, [data]; mov.u32 %%t, %%tid.x; mov.u64 %%o, own; mul.wide.u32 %%A, %%t, 16;\n"
             "add.u64 %%D, %%d, %%A; add.u64 %%O, %%o, %%A;\nTRAUMA_LOOP:\n%s\nret;\n}\n",
             code);
    static const struct lane_region region = {false, WARP_FIXTURE_DATA, BYTES / 2, 32};
    const struct warp_fixture fixture = {.sms = 1,
                                         .launch = {.blocks = 1,
                                                    .threads = 32,
                                                    .regions = &region,
                                                    .region_count = 1,
                                                    .visit = look,
                                                    .context = test}};
    return warp_fixture_run(&fixture, text, &test->result, &test->error);
}

static void good(struct test *test, const char *code)
{
    warp_fixture_fill();
    warp_fixture_expect(code, run(test, code), &test->error, STATUS_OK, "");
}

static void fails(const char *code, enum status status, const char *message)
{
    struct test test;
    enum status got = run(&test, code);
    warp_fixture_expect(code, got, &test.error, status, message);
    warp_result_free(&test.result);
}

#define ALL "cp.async.wait_all;"
#define COMMIT "cp.async.commit_group;"
#define WAIT(n) "cp.async.wait_group " #n ";"

static void copies_bring_bytes_by_way_of_shared_memory(void **state)
{
    static const struct {
        const char *how;
        unsigned bytes;
    } rows[] = {{"ca", 4}, {"ca", 8}, {"ca", 16}, {"cg", 16}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test test;
        char code[512];
        snprintf(code, sizeof code,
                 "cp.async.%s.shared.global [%%O+512], [%%D+1024], %u;" ALL
                 "ld.shared.v4.u32 {%%r0, %%r1, %%r2, %%r3}, [%%O+512];"
                 "st.global.v4.u32 [%%D+40960], {%%r0, %%r1, %%r2, %%r3};",
                 rows[i].how, rows[i].bytes);
        good(&test, code);
        for (unsigned t = 0; t < 32; t++) {
            const unsigned char zeros[16] = {0};
            const unsigned char *to = data + 40960 + (size_t)t * 16;
            assert_memory_equal(to, data + 1024 + (size_t)t * 16, rows[i].bytes);
            assert_memory_equal(to + rows[i].bytes, zeros, 16 - rows[i].bytes);
            assert_int_equal(test.copied_to[t], 512 + 16 * t);
        }
        assert_int_equal(test.copies, 1);
        warp_result_free(&test.result);
    }
}

/* A copy is a load of the level that it reads; what is read of shared memory later is in no region. */
static void copies_are_loads_of_the_level_that_they_read(void **state)
{
    struct test test;
    (void)state;
    good(&test, "cp.async.ca.shared.global [%O], [%D], 16;"              /* memory, fills L1 */
                "cp.async.ca.shared.global [%O+512], [%D], 16;"          /* L1 */
                "cp.async.cg.shared.global [%O+1024], [%D], 16;"         /* L2, past L1 */
                "cp.async.cg.shared.global [%O+1536], [%D+512], 16;" ALL /* memory; does not fill L1 */
                "ld.global.ca.u32 %r0, [%D+512];"                        /* so L2 */
                "ld.shared.u32 %r0, [%O];");
    assert_int_equal(test.result.loads[GPU_MEM], 64);
    assert_int_equal(test.result.loads[GPU_L1], 32);
    assert_int_equal(test.result.loads[GPU_L2], 64);
    assert_int_equal(test.result.loads[GPU_SHARED], 0);
    assert_int_equal(test.result.sectors[GPU_MEM], 32);
    assert_int_equal(test.result.bus[BUS_PROGRAM].bits, 5 * 16 * 256); /* 16 words of the bus each */
    assert_int_equal(test.result.unfinished, 0);
    warp_result_free(&test.result);
}

static void what_is_under_way_cannot_be_accessed(void **state)
{
    static const char early[] = "which an asynchronous copy still writes";
    static const char again[] = "where another copy is under way";
    (void)state;
#define COPY(at) "cp.async.ca.shared.global [%O+" #at "], [%D], 16;"
#define READ(at) "ld.shared.u32 %r0, [%O+" #at "];"
    fails(COPY(0) COMMIT READ(0), STATUS_FAILED, early);
    fails(COPY(0) WAIT(0) READ(0), STATUS_FAILED, early); /* in no group */
    fails(COPY(0) COMMIT COPY(512) COMMIT WAIT(1) READ(512), STATUS_FAILED, early);
    fails(COPY(0) COMMIT "st.shared.u32 [%O], %t;", STATUS_FAILED, early);
    fails(COPY(0) COMMIT COPY(0) COMMIT, STATUS_FAILED, again);
    fails("cp.async.ca.shared.global [%o], [%D], 16;" ALL, STATUS_FAILED, again); /* of its own lanes */
    struct test test;
    good(&test, COPY(0) COMMIT COPY(512) COMMIT WAIT(1) READ(0) COPY(0) COMMIT WAIT(1) READ(512) ALL READ(0));
    warp_result_free(&test.result);
    good(&test, "setp.lt.u32 %p, %t, 7; @%p " COPY(0) COMMIT "@!%p " READ(0) WAIT(0) READ(0));
    assert_int_equal(test.result.loads[GPU_MEM], 7);
    warp_result_free(&test.result);
}

static void copies_that_nothing_waits_for_are_counted(void **state)
{
    struct test test;
    (void)state;
    good(&test, COPY(0) COMMIT COPY(512) "bar.sync 0;" ALL);
    assert_int_equal(test.result.unfinished, 2);
    warp_result_free(&test.result);
    good(&test, COPY(0) COMMIT);
    assert_int_equal(test.result.unfinished, 1);
    warp_result_free(&test.result);
}

static void wrong_copies_are_failed(void **state)
{
    (void)state;
    fails("cp.async.ca.shared.global [%O+1792], [%D], 16;", STATUS_FAILED, "outside shared memory");
    fails("cp.async.ca.shared.global [%O+8], [%D], 16;", STATUS_FAILED, "not a multiple");
    fails("cp.async.ca.shared.global [%O], [%D+8], 16;", STATUS_FAILED, "is not a multiple");
    fails("cp.async.ca.shared.global [%O], [%D+1048576], 16;", STATUS_FAILED, "reads 16 bytes");
    fails("cp.async.cg.shared.global [%O], [%D], 8;", STATUS_FAILED, "expected 16");
    fails("cp.async.ca.shared.global [%O], [%D], 12;", STATUS_FAILED, "expected 4, 8 or 16");
    fails("cp.async.shared.global [%O], [%D], 16;", STATUS_UNAVAILABLE, "cp.async.shared.global");
    fails("cp.async.ca.shared.global [%O], [%D], 16, 8;", STATUS_UNAVAILABLE, "fourth operand");
    fails("cp.async.ca.shared.global.L2::cache_hint [%O], [%D], 16;", STATUS_UNAVAILABLE, "L2::cache_hint");
    fails("cp.async.bulk.prefetch.L2.global [%D], 16;", STATUS_UNAVAILABLE, "cp.async.bulk");
    fails("cp.async.wait_group %t;", STATUS_FAILED, "a number of at most");
    fails("setp.lt.u32 %p, %t, 7; @%p " COMMIT, STATUS_UNAVAILABLE, "whole warps only");
    fails("setp.lt.u32 %p, %t, 7; @%p " WAIT(0), STATUS_UNAVAILABLE, "whole warps only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_bring_bytes_by_way_of_shared_memory),
        cmocka_unit_test(copies_are_loads_of_the_level_that_they_read),
        cmocka_unit_test(what_is_under_way_cannot_be_accessed),
        cmocka_unit_test(copies_that_nothing_waits_for_are_counted),
        cmocka_unit_test(wrong_copies_are_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
