/* Bulk copies and mbarriers in the executor of PTX: what they bring and count, when each warp may know it,
 * and what is failed or refused. */
#include "tests/warp_fixture.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = WARP_FIXTURE_BYTES, THREADS = 64 };

static unsigned char *const data = warp_fixture_data;

struct test {
    struct warp_result result;
    struct error error;
    uint64_t to, from;
    unsigned copies, bytes;
};

static bool look(const struct lane_access *access, void *context, struct error *error)
{
    struct test *test = context;
    (void)error;
    if (access->to == NULL)
        return true;
    test->copies++;
    test->to = access->to[0];
    test->from = access->addresses[0];
    test->bytes = access->bytes;
    assert_int_equal(access->count, 1);
    return true;
}

/* Two warps: %d is the data's address, %o that of 2,048 bytes of shared memory, %t the thread; %D and %O are
 * the thread's places in them, 16 bytes apart; %l: the block's first thread; %w: the second warp. */
static enum status run(struct test *test, const char *code)
{
    char text[8192];
    memset(test, 0, sizeof *test);
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
        ".reg .pred %%p, %%l, %%w; .reg .b32 %%t, %%r<8>; .reg .b64 %%d, %%o, %%D, %%O, %%A;\n"
        ".shared .align 16 .b8 own[2048];\n"
        "ld.param.u64 %%d, [data]; mov.u32 %%t, %%tid.x; mov.u64 %%o, own; mul.wide.u32 %%A, %%t, 16;\n"
        "add.u64 %%D, %%d, %%A; add.u64 %%O, %%o, %%A; setp.eq.u32 %%l, %%t, 0; setp.gt.u32 %%w, %%t, 31;\n"
        "TRAUMA_LOOP:\n%s\nret;\n}\n",
        code);
    static const struct lane_region region = {false, WARP_FIXTURE_DATA, BYTES / 2, 32};
    const struct warp_fixture fixture = {.sms = 1,
                                         .launch = {.blocks = 1,
                                                    .threads = THREADS,
                                                    .regions = &region,
                                                    .region_count = 1,
                                                    .visit = look,
                                                    .context = test}};
    warp_fixture_fill();
    return warp_fixture_run(&fixture, text, &test->result, &test->error);
}

static void good(struct test *test, const char *code)
{
    warp_fixture_expect(code, run(test, code), &test->error, STATUS_OK, "");
}

static void fails(const char *code, enum status status, const char *message)
{
    struct test test;
    enum status got = run(&test, code);
    warp_fixture_expect(code, got, &test.error, status, message);
    warp_result_free(&test.result);
}

#define ALONE(at) "@%l mbarrier.init.shared::cta.b64 [%o+" #at "], 1;"
#define FENCE "fence.proxy.async.shared::cta;"
#define MEET "bar.sync 0;"
#define INIT ALONE(2032) FENCE MEET
#define EXPECT(bytes) "@%l mbarrier.arrive.expect_tx.shared::cta.b64 _, [%o+2032], " #bytes ";"
#define BULK "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
#define COPY(to, from, bytes) "@%l " BULK "[%o+" #to "], [%d+" #from "], " #bytes ", [%o+2032];"
#define ASK(parity) "mbarrier.try_wait.parity.shared::cta.b64 %p, [%o+2032], " #parity ";"
#define WAIT(name, parity) "W" #name ": " ASK(parity) " @!%p bra W" #name ";"
#define READ "ld.shared.v4.u32 {%r0, %r1, %r2, %r3}, [%O];"
#define KEEP(at) "st.global.v4.u32 [%D+" #at "], {%r0, %r1, %r2, %r3};"

static void one_thread_copies_for_all(void **state)
{
    struct test test;
    (void)state;
    good(&test, INIT EXPECT(1024) COPY(0, 2048, 1024) WAIT(0, 0) READ KEEP(40960));
    assert_memory_equal(data + 40960, data + 2048, 1024);
    assert_int_equal(test.copies, 1);
    assert_int_equal(test.to, 0);
    assert_int_equal(test.from, WARP_FIXTURE_DATA + 2048);
    assert_int_equal(test.bytes, 1024);
    /* As many accesses as threads would make, 16 bytes each. */
    assert_int_equal(test.result.loads[GPU_MEM], THREADS);
    assert_int_equal(test.result.sectors[GPU_MEM], 32);
    assert_int_equal(test.result.bus[BUS_PROGRAM].bits, (32 - 1) * 256 + 256);
    assert_int_equal(test.result.unfinished, 0);
    warp_result_free(&test.result);
    /* 4 bytes each; L1, which has the line, is not asked. */
    good(&test,
         "ld.global.ca.v4.u32 {%r0, %r1, %r2, %r3}, [%D];" INIT EXPECT(256) COPY(0, 0, 256) WAIT(0, 0));
    assert_int_equal(test.result.loads[GPU_L2], THREADS);
    assert_int_equal(test.result.loads[GPU_L1], 0);
    warp_result_free(&test.result);
    /* Of 48 bytes 3 pieces. */
    good(&test, INIT EXPECT(48) COPY(0, 0, 48) WAIT(0, 0));
    assert_int_equal(test.result.loads[GPU_MEM], 3);
    warp_result_free(&test.result);
}

static void phases_follow_each_other_in_parity(void **state)
{
    struct test test;
    (void)state;
    good(&test, INIT WAIT(0, 1)); /* before the first phase the other one counts as over */
    warp_result_free(&test.result);
    good(&test,
         INIT EXPECT(1024) COPY(0, 0, 512) COPY(512, 512, 512) WAIT(0, 0) READ MEET EXPECT(1024)
             COPY(0, 1024, 1024) WAIT(1, 1) READ KEEP(40960) MEET EXPECT(1024) COPY(
                 0, 4096,
                 1024) "mov.u32 %r4, 0;"
                       "W2: mbarrier.try_wait.parity.shared::cta.b64 %p, [%o+2032], %r4; @!%p bra W2;" READ
                           KEEP(45056));
    assert_memory_equal(data + 40960, data + 1024, 1024);
    assert_memory_equal(data + 45056, data + 4096, 1024);
    warp_result_free(&test.result);
    /* Arrivals alone, of all threads. */
    good(&test,
         "@%l mbarrier.init.shared::cta.b64 [%o], 64;" FENCE MEET "mbarrier.arrive.shared::cta.b64 _, [%o];"
         "W0: mbarrier.test_wait.parity.shared.b64 %p, [%o], 0; @!%p bra W0;");
    warp_result_free(&test.result);
}

static void what_has_not_come_cannot_be_accessed(void **state)
{
    static const char early[] = "which a bulk copy still writes";
    struct test test;
    (void)state;
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) READ WAIT(0, 0), STATUS_FAILED, early);
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) ASK(0) READ, STATUS_FAILED,
          "which a bulk copy has written"); /* asked, but not again */
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) WAIT(0, 1) READ, STATUS_FAILED, early);
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) "st.shared.u32 [%O], %t;", STATUS_FAILED, early);
    /* Only the first warp knows it, until both meet. */
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) "@%w bra N;" WAIT(0, 0) "N:" READ, STATUS_FAILED, "a bulk copy");
    good(&test, INIT EXPECT(1024) COPY(0, 0, 1024) "@%w bra N;" WAIT(0, 0) "N:" MEET READ);
    warp_result_free(&test.result);
}

static void places_are_used_again_when_nobody_needs_them(void **state)
{
    static const char again[] = "where another copy is under way";
    (void)state;
    fails(INIT EXPECT(1024) COPY(0, 0, 512) COPY(256, 0, 512), STATUS_FAILED, again);
    fails(INIT EXPECT(1024) BULK "[%o], [%d], 1024, [%o+2032];", STATUS_FAILED, again); /* by all threads */
    fails(INIT EXPECT(1024) COPY(0, 0, 1024) WAIT(0, 0) READ EXPECT(1024) COPY(0, 0, 1024) WAIT(1, 1),
          STATUS_FAILED, "has accessed since the block's last barrier: expected bar.sync");
    fails("st.shared.u32 [%O], %t;" ALONE(2032) MEET "fence.mbarrier_init.release.cluster;" EXPECT(1024)
              COPY(0, 0, 1024),
          STATUS_FAILED, "expected fence.proxy.async after that");
}

static void mbarriers_are_there_and_seen(void **state)
{
    (void)state;
    fails(EXPECT(1024), STATUS_FAILED, "where there is none: expected mbarrier.init before");
    fails(ALONE(2032) FENCE ASK(1), STATUS_FAILED,
          "which warp 0 has initialised since the block's last barrier");
    fails(ALONE(2032) MEET EXPECT(1024) COPY(0, 0, 1024), STATUS_FAILED, "expected fence.mbarrier_init");
    fails(ALONE(2036), STATUS_FAILED, "expected a multiple of 8");
    fails(ALONE(2048), STATUS_FAILED, "in shared memory");
    fails(ALONE(2032) ALONE(2032), STATUS_FAILED, "twice");
    fails(INIT EXPECT(16) EXPECT(16), STATUS_FAILED, "at which all 1 have arrived");
}

static void waits_that_never_end_end_the_launch(void **state)
{
    (void)state;
    fails(INIT WAIT(0, 0), STATUS_FAILED, "waits for parity 0");
    fails(INIT WAIT(0, 0), STATUS_FAILED, "1 arrivals and 0 bytes are missing");
    fails(INIT EXPECT(1040) COPY(0, 0, 1024) WAIT(0, 0), STATUS_FAILED,
          "0 arrivals and 16 bytes are missing");
    fails(INIT EXPECT(1008) COPY(0, 0, 1024) WAIT(0, 0), STATUS_FAILED,
          "16 bytes arrived that it does not expect");
    fails(INIT "@%w bra N;" WAIT(0, 0) "N:" MEET, STATUS_FAILED,
          "which never comes"); /* the other meets it */
}

static void copies_that_nothing_waits_for_are_counted(void **state)
{
    struct test test;
    (void)state;
    good(&test, INIT EXPECT(1024) COPY(0, 0, 512) COPY(512, 0, 512));
    assert_true(test.result.unfinished > 0);
    warp_result_free(&test.result);
}

static void wrong_copies_are_failed(void **state)
{
    (void)state;
    fails(INIT COPY(1536, 0, 1024), STATUS_FAILED, "outside shared memory");
    fails(INIT COPY(8, 0, 1024), STATUS_FAILED, "expected a multiple of 16");
    fails(INIT COPY(0, 8, 1024), STATUS_FAILED, "copies from 0x100008: expected a multiple of 16");
    fails(INIT COPY(0, 0, 1000), STATUS_FAILED, "copies 1000 bytes: expected a multiple of 16");
    fails(INIT COPY(0, 0, 0), STATUS_FAILED, "copies 0 bytes");
    fails(INIT COPY(0, 1048576, 1024), STATUS_FAILED, "reads 1024 bytes");
    fails(BULK "[%o], [%d], %t, [%o];", STATUS_FAILED, "expected a number");
    fails(BULK "[%o], [%d], 16;", STATUS_FAILED, "expected 4");
    fails("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%o], [%d], 16, "
          "[%o];",
          STATUS_UNAVAILABLE, "of bulk copies the executor supports");
    fails("mbarrier.init.shared::cta.b64 [%o], 0;", STATUS_FAILED, "at least one thread");
    fails("mbarrier.try_wait.parity.shared::cta.b64 %p, [%o], 2;", STATUS_FAILED, "0 or 1");
    fails("mbarrier.try_wait.parity.shared::cta.b64 %r0, [%o], 1;", STATUS_FAILED, "a predicate");
    fails("mbarrier.try_wait.parity.shared::cta.b64 _, [%o], 1;", STATUS_FAILED, "expected a register");
    fails("mbarrier.arrive.shared::cta.b64 %A, [%o];", STATUS_UNAVAILABLE, "with the result _");
    fails("mbarrier.inval.shared::cta.b64 [%o];", STATUS_UNAVAILABLE, "mbarrier.inval");
    fails("add.u32 %r0, _, 1;", STATUS_FAILED, "expected a register or a number");
    fails(INIT "@%w bra N; @%l " ASK(1) " N:", STATUS_UNAVAILABLE, "whole warps only");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_copies_for_all),
        cmocka_unit_test(phases_follow_each_other_in_parity),
        cmocka_unit_test(what_has_not_come_cannot_be_accessed),
        cmocka_unit_test(places_are_used_again_when_nobody_needs_them),
        cmocka_unit_test(mbarriers_are_there_and_seen),
        cmocka_unit_test(waits_that_never_end_end_the_launch),
        cmocka_unit_test(copies_that_nothing_waits_for_are_counted),
        cmocka_unit_test(wrong_copies_are_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
