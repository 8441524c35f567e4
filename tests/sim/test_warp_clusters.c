/* Clusters in the executor of PTX: addresses of other blocks' shared memory, what reads of them bring and
 * count, barriers, and what is failed or refused. */
#include "tests/warp_fixture.h"

#include <stdio.h>
#include <string.h>

enum { SHARED = 4096, MOST_OWNERS = 64, SMS = 6 };

static unsigned char *const data = warp_fixture_data;

struct test {
    struct warp_result result;
    struct error error;
    unsigned blocks, threads;
    unsigned
        owners[MOST_OWNERS]; /* [block]: whose memory it last read by way of the cluster; UINT_MAX: none */
    uint64_t at[MOST_OWNERS];
    unsigned char ran_on[MOST_OWNERS]; /* [block]: the multiprocessor */
};

static bool look(const struct lane_access *access, void *context, struct error *error)
{
    struct test *test = context;
    (void)error;
    test->ran_on[access->block] = (unsigned char)access->unit;
    if (!access->of_cluster)
        return true;
    assert_true(access->shared);
    test->owners[access->block] = access->owner;
    test->at[access->block] = access->addresses[0];
    return true;
}

/* %d is the data's address, %D the block's place in it (256 bytes), %o the shared memory, %O the thread's 4
 * bytes of it, %t the thread, %b the block, %r its rank, %n the next one's. */
static enum status run(struct test *test, unsigned cluster, unsigned blocks, unsigned threads,
                       const char *code)
{
    char text[8192], directive[64] = "";
    memset(test, 0, sizeof *test);
    memset(test->owners, 255, sizeof test->owners);
    memset(data, 0, WARP_FIXTURE_BYTES);
    if (cluster > 0)
        snprintf(directive, sizeof directive, ".reqnctapercluster %u, 1, 1\n", cluster);
    snprintf(text, sizeof text,
             ".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 data)\n%s{\n"
             ".reg .pred %%p; .reg .b32 %%t, %%b, %%r, %%n, %%v<8>, %%q<4>; .reg .b64 %%d, %%o, %%D, %%O, "
             "%%A, %%M, %%w;\n"
             ".shared .align 16 .b8 own[%d];\n"
             "ld.param.u64 %%d, [data]; mov.u32 %%t, %%tid.x; mov.u32 %%b, %%ctaid.x; mov.u64 %%o, own;\n"
             "mul.wide.u32 %%A, %%t, 4; add.u64 %%O, %%o, %%A; mul.wide.u32 %%D, %%b, 256; add.u64 %%D, %%d, "
             "%%D;\n"
             "add.u64 %%D, %%D, %%A; mov.u32 %%r, %%cluster_ctarank; add.u32 %%n, %%r, 1; mov.u32 %%v0, "
             "%%cluster_nctarank;\n"
             "setp.eq.u32 %%p, %%n, %%v0; @%%p mov.u32 %%n, 0;\nTRAUMA_LOOP:\n%s\nret;\n}\n",
             directive, SHARED, code);
    static const struct lane_region regions[] = {{false, WARP_FIXTURE_DATA, WARP_FIXTURE_BYTES, 0},
                                                 {true, 0, SHARED, 32}};
    const struct warp_fixture fixture = {.sms = SMS,
                                         .launch = {.blocks = blocks,
                                                    .threads = threads,
                                                    .regions = regions,
                                                    .region_count = 2,
                                                    .visit = look,
                                                    .context = test}};
    return warp_fixture_run(&fixture, text, &test->result, &test->error);
}

static void good(struct test *test, unsigned cluster, unsigned blocks, unsigned threads, const char *code)
{
    warp_fixture_expect(code, run(test, cluster, blocks, threads, code), &test->error, STATUS_OK, "");
}

static void fails(unsigned cluster, const char *code, enum status status, const char *message)
{
    struct test test;
    enum status got = run(&test, cluster, 4, 64, code);
    warp_fixture_expect(code, got, &test.error, status, message);
    warp_result_free(&test.result);
}

static uint32_t stored(unsigned block, unsigned thread)
{
    uint32_t word;
    memcpy(&word, data + (size_t)block * 256 + (size_t)thread * 4, sizeof word);
    return word;
}

#define WRITE "mad.lo.u32 %v1, %b, 1000, %t; st.shared.u32 [%O], %v1;"
#define ALL                                                                                                  \
    "mul.wide.u32 %A, %t, 16; add.u64 %A, %A, %o; st.shared.v4.u32 [%A], {%t, %t, %t, %t};"                  \
    "st.shared.v4.u32 [%A+1024], {%t, %t, %t, %t}; st.shared.v4.u32 [%A+2048], {%t, %t, %t, %t};"            \
    "st.shared.v4.u32 [%A+3072], {%t, %t, %t, %t};"
#define ARRIVE "barrier.cluster.arrive;"
#define WAIT "barrier.cluster.wait;"
#define BARRIER ARRIVE WAIT
#define MAP "mapa.shared::cluster.u64 %M, %O, %n;"
#define READ "ld.shared::cluster.u32 %v2, [%M];"
#define STORE "st.global.u32 [%D], %v2;"

static void blocks_read_what_others_wrote(void **state)
{
    (void)state;
    for (unsigned cluster = 2; cluster <= 6; cluster++) {
        struct test test;
        unsigned blocks = 4 * cluster, elsewhere = 0;
        good(&test, cluster, blocks, 64, WRITE BARRIER MAP READ STORE BARRIER);
        for (unsigned block = 0; block < blocks; block++) {
            unsigned owner = block % cluster + 1 == cluster ? block + 1 - cluster : block + 1;
            assert_int_equal(test.owners[block], owner);
            for (unsigned t = 0; t < 64; t++)
                assert_int_equal(stored(block, t), owner * 1000 + t);
            unsigned rank = block % cluster, first = test.ran_on[block - rank];
            assert_true(first % cluster == 0 && first + cluster <= SMS);
            assert_int_equal(test.ran_on[block], first + rank); /* side by side */
            elsewhere += first != block - rank;
        }
        assert_true(SMS / cluster == 1 || elsewhere > 0); /* a block's number does not say where it runs */
        assert_int_equal(test.result.loads[GPU_DSMEM], (uint64_t)blocks * 64);
        assert_int_equal(test.result.loads[GPU_SHARED], 0);
        warp_result_free(&test.result);
    }
}

static void addresses_mean_the_same_to_all_blocks(void **state)
{
    struct test test;
    (void)state;
    /* A pointer to its own memory that a block hands on: the reader's reader follows it. */
    good(&test, 3, 3, 32,
         "mapa.shared::cluster.u64 %w, %o, %r; mul.wide.u32 %A, %t, 8; add.u64 %O, %o, %A; st.shared.u64 "
         "[%O], %w;"
         "add.u64 %A, %O, 1024; mad.lo.u32 %v1, %b, 1000, 7; st.shared.u32 [%A], %v1;" BARRIER MAP
         "ld.shared::cluster.u64 %w, [%M]; ld.shared::cluster.u32 %v2, [%w+1024];" STORE BARRIER);
    for (unsigned block = 0; block < 3; block++)
        assert_int_equal(stored(block, 5), (block + 1) % 3 * 1000 + 7);
    warp_result_free(&test.result);
    /* An own address without a rank is of the own block, in the cluster's window too; of 32 bits alike. */
    good(&test, 2, 4, 32, WRITE "ld.shared::cluster.u32 %v2, [%O];" STORE);
    assert_int_equal(stored(3, 4), 3004);
    assert_int_equal(test.owners[3], 3);
    warp_result_free(&test.result);
    good(&test, 2, 4, 32,
         WRITE "cvt.u32.u64 %q0, %O; mapa.shared::cluster.u32 %q1, %q0, %n;" BARRIER
               "ld.shared::cluster.u32 %v2, [%q1];" STORE BARRIER);
    assert_int_equal(stored(0, 9), 1009);
    warp_result_free(&test.result);
    good(&test, 2, 2, 32,
         WRITE BARRIER
         "mapa.shared::cluster.u64 %M, own, 1; ld.shared::cluster.u32 %v2, [%M+8];" STORE BARRIER);
    assert_int_equal(stored(0, 0), 1002);
    assert_int_equal(test.at[0], 8);
    warp_result_free(&test.result);
}

static void blocks_know_their_cluster(void **state)
{
    static const struct {
        const char *name;
        unsigned values[4];
    } rows[] = {{"%cluster_ctarank", {0, 1, 0, 1}}, {"%cluster_nctarank", {2, 2, 2, 2}},
                {"%cluster_ctaid.x", {0, 1, 0, 1}}, {"%clusterid.x", {0, 0, 1, 1}},
                {"%nclusterid.x", {2, 2, 2, 2}},    {"%cluster_nctaid.y", {1, 1, 1, 1}},
                {"%cluster_nctaid.x", {2, 2, 2, 2}}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct test test;
        char code[128];
        snprintf(code, sizeof code, "mov.u32 %%v2, %s; st.global.u32 [%%D], %%v2;", rows[i].name);
        good(&test, 2, 4, 32, code);
        for (unsigned block = 0; block < 4; block++)
            assert_int_equal(stored(block, 0), rows[i].values[block]);
        warp_result_free(&test.result);
    }
    struct test test;
    good(&test, 0, 2, 32, "mov.u32 %v2, %cluster_nctarank; st.global.u32 [%D], %v2;" BARRIER);
    assert_int_equal(stored(1, 0), 1);
    warp_result_free(&test.result);
}

static void barriers_wait_for_all_blocks(void **state)
{
    struct test test;
    (void)state;
    /* Block 0 takes long before it writes. */
    good(&test, 2, 4, 64,
         "mov.u32 %v3, 5000; setp.ne.u32 %p, %r, 0; @%p bra GO;\nAGAIN: sub.u32 %v3, %v3, 1; setp.ne.u32 %p, "
         "%v3, 0; @%p bra AGAIN;\n"
         "GO:" WRITE BARRIER MAP READ STORE BARRIER);
    assert_int_equal(stored(1, 3), 3);
    warp_result_free(&test.result);
    /* Halves apart, with a block's barrier between; the next barrier's write is read after it. */
    good(&test, 2, 4, 64,
         WRITE ARRIVE "bar.sync 0;" WAIT MAP READ BARRIER
                      "add.u32 %v1, %v1, 500; st.shared.u32 [%O], %v1;" BARRIER READ STORE BARRIER);
    assert_int_equal(stored(0, 1), 1501);
    warp_result_free(&test.result);
    /* Blocks that have ended are not waited for. */
    good(&test, 2, 4, 64, "setp.ne.u32 %p, %r, 0; @%p bra OUT;" BARRIER "\nOUT:");
    warp_result_free(&test.result);
    good(&test, 2, 4, 64,
         WRITE "barrier.cluster.arrive.release.aligned; barrier.cluster.wait.acquire.aligned;" MAP READ STORE
             BARRIER);
    warp_result_free(&test.result);
}

static void races_are_failed_whatever_runs_first(void **state)
{
    (void)state; /* by which of two messages depends on what ran first */
    fails(2, WRITE MAP READ STORE BARRIER, STATUS_FAILED, "may not have begun");
    fails(2, BARRIER WRITE MAP READ STORE BARRIER, STATUS_FAILED, "written");
    fails(2, BARRIER WRITE "bar.sync 0;" MAP READ STORE BARRIER, STATUS_FAILED, "written");
    fails(2, WRITE ARRIVE MAP READ WAIT STORE BARRIER, STATUS_FAILED, "may not have begun");
    fails(2, BARRIER ARRIVE WRITE WAIT MAP READ STORE BARRIER, STATUS_FAILED, "written");
    fails(2, BARRIER MAP READ STORE BARRIER, STATUS_FAILED, "has not written");
    fails(2, ALL BARRIER WRITE MAP READ STORE BARRIER, STATUS_FAILED, "may not have written yet");
    fails(2, WRITE BARRIER MAP "ld.shared::cluster.u32 %v2, [%M+128];" STORE BARRIER, STATUS_FAILED,
          "has not written");
    fails(2, "st.shared.u8 [%O], %v1;" BARRIER MAP READ STORE BARRIER, STATUS_FAILED, "has not written");
    fails(2, WRITE BARRIER MAP READ STORE, STATUS_FAILED, "expected a cluster barrier before");
    fails(2, WRITE BARRIER MAP READ BARRIER READ STORE, STATUS_FAILED, "expected a cluster barrier before");
    fails(2, WRITE BARRIER MAP ARRIVE READ STORE WAIT, STATUS_FAILED, "expected a cluster barrier before");
    /* The first block ends long before the second one reads. */
    fails(2,
          WRITE BARRIER MAP "mov.u32 %v3, 5000; setp.eq.u32 %p, %r, 0; @%p bra OUT;\nAGAIN: sub.u32 %v3, "
                            "%v3, 1; setp.ne.u32 %p, %v3, 0;"
                            "@%p bra AGAIN;" READ STORE "\nOUT:",
          STATUS_FAILED, "which has ended");
}

static void bounds_and_blocks_are_kept(void **state)
{
    (void)state;
    fails(2, WRITE BARRIER MAP "ld.shared::cluster.u32 %v2, [%M+4096];" STORE BARRIER, STATUS_FAILED,
          "past the end of its shared memory, 4096 bytes");
    fails(2, WRITE BARRIER MAP "ld.shared::cluster.u32 %v2, [%M+-4096];" STORE BARRIER, STATUS_FAILED,
          "past the end");
    fails(2, WRITE BARRIER MAP "ld.shared::cluster.u32 %v2, [%M+67108864];" STORE BARRIER, STATUS_FAILED,
          "outside the shared memory of its cluster");
    fails(2, WRITE BARRIER MAP "ld.shared::cluster.u32 %v2, [%M+2];" STORE BARRIER, STATUS_FAILED,
          "not a multiple");
    fails(2, "mapa.shared::cluster.u64 %M, %O, 2;", STATUS_FAILED, "there is no such block");
    fails(0, "mapa.shared::cluster.u64 %M, %O, 1;", STATUS_FAILED, "there is no such block");
    fails(2, WRITE BARRIER MAP "ld.shared.u32 %v2, [%M];" STORE BARRIER, STATUS_FAILED,
          "reaches only the block's own");
    fails(2, WRITE BARRIER MAP "st.shared.u32 [%M], %v1;" BARRIER, STATUS_FAILED,
          "reaches only the block's own");
    fails(3, WRITE, STATUS_FAILED, "expected a multiple");
    fails(8, WRITE, STATUS_FAILED, "no more than the chip has");
    /* Lanes that read of different blocks. */
    fails(2, WRITE BARRIER "and.b32 %v3, %t, 1; mapa.shared::cluster.u64 %M, %O, %v3;" READ STORE BARRIER,
          STATUS_UNAVAILABLE, "several blocks");
}

static void barriers_that_are_none_are_failed(void **state)
{
    (void)state;
    fails(2, WAIT, STATUS_FAILED, "without having arrived");
    fails(2, ARRIVE ARRIVE, STATUS_FAILED, "again without having waited");
    fails(2, "setp.ne.u32 %p, %t, 3; @%p barrier.cluster.arrive;", STATUS_FAILED,
          "with only some of its threads");
    fails(2,
          "setp.lt.u32 %p, %t, 32; @%p bra ONE;" BARRIER "bar.sync 0; bra TWO;\nONE: bar.sync 0;" BARRIER
          "\nTWO:",
          STATUS_FAILED, "wait for each other for ever");
    fails(2, "barrier.cluster.arrive.relaxed;" WAIT, STATUS_FAILED, "relaxed");
    fails(2, ARRIVE "barrier.cluster.wait.release;", STATUS_FAILED, "there is no .release");
    fails(2, "barrier.cluster.sync;", STATUS_FAILED, "expected barrier.cluster.arrive");
    fails(2, "mapa.u64 %M, %O, 1;", STATUS_UNAVAILABLE, "mapa.shared::cluster.u32 and .u64");
}

#define REMOTE "st.shared::cluster.u32 [%M], %v1;"
#define CHANGE "atom.shared::cluster.cluster.add.u32 %v2, [%M], %v1;"

static void stores_and_atomics_keep_to_barriers(void **state)
{
    struct test test;
    (void)state;
    good(&test, 2, 4, 64, WRITE BARRIER MAP REMOTE CHANGE BARRIER);
    warp_result_free(&test.result);
    good(&test, 2, 4, 64, BARRIER MAP REMOTE BARRIER); /* nobody needs what was there */
    warp_result_free(&test.result);
    fails(2, WRITE MAP REMOTE BARRIER, STATUS_FAILED, "accesses shared memory of block");
    fails(2, BARRIER WRITE MAP CHANGE BARRIER, STATUS_FAILED, "written");
    fails(2, BARRIER MAP CHANGE BARRIER, STATUS_FAILED, "has not written");
    fails(2, WRITE BARRIER MAP REMOTE, STATUS_FAILED, "expected a cluster barrier before");
    fails(2, WRITE BARRIER MAP CHANGE, STATUS_FAILED, "expected a cluster barrier before");
    fails(2, WRITE BARRIER MAP "st.shared::cluster.u32 [%M+4096], %v1;" BARRIER, STATUS_FAILED,
          "past the end of its shared memory, 4096 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_read_what_others_wrote),
        cmocka_unit_test(addresses_mean_the_same_to_all_blocks),
        cmocka_unit_test(blocks_know_their_cluster),
        cmocka_unit_test(barriers_wait_for_all_blocks),
        cmocka_unit_test(races_are_failed_whatever_runs_first),
        cmocka_unit_test(bounds_and_blocks_are_kept),
        cmocka_unit_test(barriers_that_are_none_are_failed),
        cmocka_unit_test(stores_and_atomics_keep_to_barriers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
