/* The sides of L2: determined from noisy ticks, refused where there are none, and the data that a program of
 * one side reads on a mock GPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/random.h"
#include "generator/plan/gpu/gpu_image_sides.h"
#include "runner/devices/cuda/cuda_sides.h"
#include "runner/devices/launcher.h"
#include "runner/sources/timing/timing_source.h"
#include "tests/given_manifest.h"

#include <stdlib.h>
#include <string.h>

static const char library[] = TRAUMA_BUILD_DIR "/tests/libfake_cuda.so";
static struct error error;

/* ---- ticks ---- */

enum { SMS = 132, CHUNKS = 256 };

struct truth {
    unsigned char sm[SMS], chunk[CHUNKS];
};

/* Slices and multiprocessors differ by up to 80 ticks of their own, as they do on real chips. */
static void play(struct truth *truth, double *ticks, double apart, double noise, uint64_t seed)
{
    struct random random = random_start(seed, "sides");
    double own[CHUNKS];
    for (size_t s = 0; s < SMS; s++)
        truth->sm[s] = s > 0 && random_below(&random, 2) == 1;
    for (size_t c = 0; c < CHUNKS; c++) {
        truth->chunk[c] = random_below(&random, 2) == 1;
        own[c] = random_below(&random, 80);
    }
    for (size_t s = 0; s < SMS; s++)
        for (size_t c = 0; c < CHUNKS; c++)
            ticks[s * CHUNKS + c] = 200 + own[c] + (double)(s % 20) +
                                    (truth->sm[s] != truth->chunk[c] ? apart : 0) +
                                    noise * random_below(&random, 1000) / 1000.0;
}

static void sides_are_told_from_ticks(void **state)
{
    (void)state;
    static double ticks[SMS * CHUNKS];
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct truth truth;
        struct truth told;
        struct sides_found found;
        play(&truth, ticks, 150, seed % 2 == 0 ? 20 : 90, seed);
        if (sides_split(ticks, SMS, CHUNKS, told.sm, told.chunk, &found, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        assert_memory_equal(told.sm, truth.sm, SMS);
        assert_memory_equal(told.chunk, truth.chunk, CHUNKS);
        assert_true(found.far_ticks > found.near_ticks + 100 && found.agreement > 0.95);
        for (int side = 0; side < 2; side++) {
            assert_int_equal(found.judge_count[side], SIDES_JUDGES);
            for (int i = 0; i < SIDES_JUDGES; i++)
                assert_int_equal(truth.sm[found.judges[side][i]], side);
        }
    }
}

static void no_sides_are_told_where_there_are_none(void **state)
{
    (void)state;
    static double ticks[SMS * CHUNKS];
    struct truth truth;
    struct truth told;
    struct sides_found found;
    for (uint64_t seed = 0; seed < 10; seed++) {
        play(&truth, ticks, 0, 100, seed); /* noise alone */
        assert_int_equal(sides_split(ticks, SMS, CHUNKS, told.sm, told.chunk, &found, &error),
                         STATUS_UNAVAILABLE);
        play(&truth, ticks, 10, 100, seed); /* what there may be drowns in it */
        assert_int_equal(sides_split(ticks, SMS, CHUNKS, told.sm, told.chunk, &found, &error),
                         STATUS_UNAVAILABLE);
    }
    for (size_t i = 0; i < SMS * CHUNKS; i++)
        ticks[i] = 250;
    assert_int_equal(sides_split(ticks, SMS, CHUNKS, told.sm, told.chunk, &found, &error),
                     STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "about 250 ticks"));
    assert_int_equal(sides_split(ticks, 1, CHUNKS, told.sm, told.chunk, &found, &error), STATUS_UNAVAILABLE);
}

static void chunks_between_are_of_no_side(void **state)
{
    (void)state;
    const struct sides_found found = {.near_ticks = 250, .far_ticks = 410};
    static const struct {
        double mean[2];
        unsigned char side;
    } rows[] = {{{250, 410}, 0}, {{430, 260}, 1}, {{300, 379}, 9}, {{300, 381}, 0}, {{300, 300}, 9}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_int_equal(sides_classify(&found, rows[i].mean, 9), rows[i].side);
}

/* ---- programs ---- */

static const char text[] = ".version 7.8\n.target sm_90\n.visible .entry trauma_kernel(.param .u64 p) {\n"
                           "// stream 0: where its wave begins on its side of L2\n"
                           "mul.lo.u32 %at, %place, 2;\nld.global.cg.u64 a, [a];\n}\n";

static json_t *describe(const char *side)
{
    json_t *manifest = json_pack(
        "{s:s, s:s, s:s, s:i, s:{s:i, s:i}, s:[{s:b, s:s, s:s}], "
        "s:{s:i, s:i, s:[{s:i, s:i, s:{s:s, s:s, s:i, s:i, s:i, s:i, s:i}}]}, s:{}, s:{}, s:{}}",
        "target", "ptx", "arch", "sm_90", "entry", "trauma_kernel", "warmup", 2, "grid", "blocks", 4,
        "threads", 32, "streams", "chase", 1, "level", "L2", "side", side, "data", "bytes", 4096 * 151,
        "align", 4096, "regions", "offset", 0, "bytes", 4096 * 151, "fill", "kind", "sides", "side", side,
        "chunk", 4096, "header", 0, "count", 50, "sm", 4, "starts", 2, "targets", "expected", "kernel");
    assert_non_null(manifest);
    return manifest;
}

static enum status run(const json_t *manifest, double *ticks)
{
    const struct machine machine = {.present = true};
    const struct test_program test_program = {.benchmark = "sides",
                                              .point = "one",
                                              .manifest = given_manifest(manifest),
                                              .executable = text,
                                              .executable_size = sizeof text - 1,
                                              .machine = &machine,
                                              .cpu = -1};
    const struct test_program_call call = {.iterations = 100, .timeout_s = 20};
    struct test_program_time time = {0};
    enum status status = launch_run(&test_program, &call, &time, &error);
    *ticks = (double)time.ticks / 100;
    result_record_free(time.record);
    return status;
}

static int set_up(void **state)
{
    (void)state;
    setenv("TRAUMA_CUDA", library, 1);
    unsetenv("FAKE_CUDA");
    return 0;
}

/* The made-up GPU faults where a wave leaves its side. */
static void waves_stay_on_the_side_that_was_asked(void **state)
{
    (void)state;
    double ticks[2];
    static const char *const sides[] = {"near", "far"};
    for (int i = 0; i < 2; i++) {
        json_t *manifest = describe(sides[i]);
        if (run(manifest, &ticks[i]) != STATUS_OK)
            fail_msg("%s", error.message);
        json_decref(manifest);
    }
    assert_true(ticks[0] > 230 && ticks[0] < 280);
    assert_true(ticks[1] > 390 && ticks[1] < 440);
}

static void what_cannot_be_learned_is_a_sentence(void **state)
{
    (void)state;
    static const struct {
        const char *trouble, *message;
        int count;
    } rows[] = {
        {"one-side", "cannot be told apart on this device: all multiprocessors", 50},
        {"fine-sides", "changes within chunks of 4096 bytes", 50},
        {"lopsided", "of the chunks are on one side", 50},
        {"third", "the program needs 75 on each", 75},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double ticks;
        json_t *manifest = describe("near");
        json_t *region = json_array_get(json_object_get(json_object_get(manifest, "data"), "regions"), 0);
        json_object_set_new(json_object_get(region, "fill"), "count", json_integer(rows[i].count));
        setenv("FAKE_CUDA", rows[i].trouble, 1);
        assert_int_equal(run(manifest, &ticks), STATUS_UNAVAILABLE);
        if (strstr(error.message, rows[i].message) == NULL)
            fail_msg("%s", error.message);
        json_decref(manifest);
    }
}

static void the_far_share_is_inferred_from_latency(void **state)
{
    (void)state;
    const struct machine machine = {.present = true};
    static const char *const sides[] = {"near", "far"};
    for (int i = 0; i < 2; i++) {
        json_t *manifest = describe(sides[i]);
        struct test_program test_program = {.benchmark = "sides",
                                            .point = "one",
                                            .manifest = given_manifest(manifest),
                                            .executable = text,
                                            .executable_size = sizeof text - 1,
                                            .machine = &machine,
                                            .cpu = -1};
        struct observations seen = {0};
        assert_true(timing_device_concerns(&test_program));
        if (timing_device_observe(&test_program, &seen, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const struct observation *share = observations_find(&seen, "l2.far_share", "timing");
        assert_non_null(share);
        assert_float_equal(share->value, i, 0.05);
        assert_int_equal(share->kind, EVIDENCE_INFERRED);
        observations_free(&seen);
        json_object_set_new(json_object_get(manifest, "grid"), "threads", json_integer(256));
        test_program.manifest = given_manifest(manifest);
        assert_false(timing_device_concerns(&test_program)); /* bound by what moves, not by the way */
        json_decref(manifest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sides_are_told_from_ticks),
        cmocka_unit_test(no_sides_are_told_where_there_are_none),
        cmocka_unit_test(chunks_between_are_of_no_side),
        cmocka_unit_test_setup(waves_stay_on_the_side_that_was_asked, set_up),
        cmocka_unit_test_setup(what_cannot_be_learned_is_a_sentence, set_up),
        cmocka_unit_test_setup(the_far_share_is_inferred_from_latency, set_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
