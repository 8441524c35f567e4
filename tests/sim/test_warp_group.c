/* wgmma in the executor of PTX: what four warps add where, by a matrix product made here, and what of order,
 * registers, shared memory and threads is failed. */
#include "tests/warp_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    THREADS = 128,
    ROWS = 64,
    COLUMNS = 16,
    REGISTERS = COLUMNS / 2,
    SECOND = 2048,
    OUT = 8192,
    EACH = 32
};

static unsigned char *const data = warp_fixture_data;

/* 4,096 bytes of the data go to shared memory: thread t copies 16 bytes there twice. %a and %b are
 * descriptors of the first factor, whose halves of 16 bytes are 1,024 bytes apart, and of the second, from
 * 2,048 on. */
#define FILL                                                                                                 \
    "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%D]; st.shared.v4.u32 [%O], {%r0, %r1, %r2, %r3};"              \
    "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%D+2048]; st.shared.v4.u32 [%O+2048], {%r0, %r1, %r2, %r3};"
#define PROXY "fence.proxy.async.shared::cta;"
#define MEET "bar.sync 0;"
#define FENCE "wgmma.fence.sync.aligned;"
#define COMMIT "wgmma.commit_group.sync.aligned;"
#define WAIT(groups) "wgmma.wait_group.sync.aligned " #groups ";"
#define SUM "{%c0, %c1, %c2, %c3, %c4, %c5, %c6, %c7}"
#define HALVES(first)                                                                                        \
    "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUM ", %a, %b, %yes, " #first ", 1, 0, 0;"
#define KEEP "st.global.v4.u32 [%Q], {%c0, %c1, %c2, %c3}; st.global.v4.u32 [%Q+16], {%c4, %c5, %c6, %c7};"

struct test {
    struct warp_result result;
    struct error error;
};

static enum status run_of(struct test *test, unsigned threads, const char *start, const char *code)
{
    char text[8192], clear[512] = "";
    memset(test, 0, sizeof *test);
    for (unsigned i = 0; i < REGISTERS; i++)
        snprintf(clear + strlen(clear), sizeof clear - strlen(clear), "mov.b32 %%c%u, %s; ", i, start);
    snprintf(
        text, sizeof text,
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 data)\n{\n"
        ".reg .pred %%p, %%yes, %%no; .reg .b32 %%t, %%r<4>, %%c<8>; .reg .b64 %%d, %%o, %%D, %%O, %%Q, "
        "%%T, %%a, %%b, %%e;\n"
        ".shared .align 128 .b8 own[4096];\n"
        "ld.param.u64 %%d, [data]; mov.u32 %%t, %%tid.x; mov.u64 %%o, own; mul.wide.u32 %%T, %%t, 16;\n"
        "add.u64 %%D, %%d, %%T; add.u64 %%O, %%o, %%T; mul.wide.u32 %%T, %%t, 32; add.u64 %%Q, %%d, %%T;\n"
        "add.u64 %%Q, %%Q, 8192; setp.eq.u32 %%yes, %%t, %%t; setp.ne.u32 %%no, %%t, %%t;\n"
        "shr.u64 %%a, %%o, 4; or.b64 %%a, %%a, 0x0000000800400000; shr.u64 %%b, %%o, 4;\n"
        "add.u64 %%b, %%b, 128; or.b64 %%b, %%b, 0x0000001000080000;\n%s\nTRAUMA_LOOP:\n%s\nret;\n}\n",
        clear, code);
    const struct warp_fixture fixture = {.sms = 1, .launch = {.blocks = 1, .threads = threads}};
    return warp_fixture_run(&fixture, text, &test->result, &test->error);
}

static void fails(const char *code, enum status status, const char *message)
{
    struct test test;
    enum status got = run_of(&test, THREADS, "0", code);
    warp_fixture_expect(code, got, &test.error, status, message);
    warp_result_free(&test.result);
}

static void good(const char *code)
{
    fails(code, STATUS_OK, "");
}

/* ---- numbers ---- */

static const struct type {
    const char *form;
    bool has_sign;
    const char *tail, *one; /* behind the sign; what the sum begins with */
    unsigned bytes;
    uint32_t numbers[5]; /* bits of 0 to 4 */
    uint32_t sign;
} types[] = {
    {"k16.f32.f16.f16", true, ", 1, 0, 0", "0x3f800000", 2, {0, 0x3c00, 0x4000, 0x4200, 0x4400}, 0x8000},
    {"k16.f32.bf16.bf16", true, ", 1, 0, 0", "0x3f800000", 2, {0, 0x3f80, 0x4000, 0x4040, 0x4080}, 0x8000},
    {"k8.f32.tf32.tf32",
     true,
     ", 1",
     "0x3f800000",
     4,
     {0, 0x3f801fff, 0x40000001, 0x40400000, 0x40800000},
     1U << 31},
    {"k32.f32.e4m3.e4m3", true, ", 1", "0x3f800000", 1, {0, 0x38, 0x40, 0x44, 0x48}, 0x80},
    {"k32.s32.s8.s8", false, "", "1", 1, {0, 1, 2, 3, 4}, 0},
};

/* Where element k of the row, or column, of 32 bytes is, by the distances of both kinds. */
static size_t place_of(unsigned row, unsigned byte, size_t leading, size_t stride)
{
    return row / 8 * stride + byte / 16 * leading + row % 8 * 16 + byte % 16;
}

static int draw(const struct type *type, unsigned char *at)
{
    int number = rand() % 9 - 4;
    uint32_t bits = type->numbers[abs(number)] | (number < 0 ? type->sign : 0);
    if (type->sign == 0)
        bits = (uint32_t)number;
    memcpy(at, &bits, type->bytes);
    return number;
}

static void four_warps_add_a_product(void **state)
{
    (void)state;
    for (size_t n = 0; n < sizeof types / sizeof types[0]; n++) {
        const struct type *type = &types[n];
        static int first[ROWS][32], second[COLUMNS][32];
        unsigned depth = 32 / type->bytes;
        int sign = type->has_sign ? -1 : 1;
        char code[2048], tail[32];
        struct test test;
        warp_fixture_fill();
        for (unsigned k = 0; k < depth; k++) {
            for (unsigned row = 0; row < ROWS; row++)
                first[row][k] = draw(type, data + place_of(row, k * type->bytes, 1024, 128));
            for (unsigned column = 0; column < COLUMNS; column++)
                second[column][k] = draw(type, data + SECOND + place_of(column, k * type->bytes, 128, 256));
        }
        snprintf(tail, sizeof tail, "%s%s", type->has_sign ? ", -1" : "", type->tail);
        snprintf(code, sizeof code, "%swgmma.mma_async.sync.aligned.m64n16%s %s, %%a, %%b, %%yes%s;%s",
                 FILL PROXY MEET FENCE, type->form, SUM, tail, COMMIT WAIT(0) KEEP);
        enum status status = run_of(&test, THREADS, type->one, code);
        warp_fixture_expect(code, status, &test.error, STATUS_OK, "");
        warp_result_free(&test.result);
        for (unsigned thread = 0; thread < THREADS; thread++)
            for (unsigned i = 0; i < REGISTERS; i++) {
                unsigned row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
                unsigned column = i / 4 * 8 + thread % 4 * 2 + i % 2;
                int sum = 0, found;
                float number;
                for (unsigned k = 0; k < depth; k++)
                    sum += first[row][k] * second[column][k];
                memcpy(&found, data + OUT + (size_t)thread * EACH + 4 * i, sizeof found);
                memcpy(&number, &found, sizeof number);
                assert_int_equal(type->sign == 0 ? found : (int)number, 1 + sign * sum);
            }
    }
}

/* Without what it adds to the sum is the product; two with opposite signs leave the sum as it was. */
static void signs_and_sums(void **state)
{
    struct test test;
    uint32_t word;
    (void)state;
    warp_fixture_fill();
    for (unsigned i = 0; i < 4096; i += 2)
        memcpy(data + i, &(uint16_t){0x3c00}, 2);
    assert_int_equal(run_of(&test, THREADS, "0x3f800000",
                            FILL PROXY MEET FENCE HALVES(1) HALVES(-1) HALVES(1) COMMIT WAIT(0) KEEP),
                     STATUS_OK);
    memcpy(&word, data + OUT, sizeof word);
    assert_int_equal(word, 0x41880000); /* 17 */
    warp_result_free(&test.result);
    assert_int_equal(run_of(&test, THREADS, "0x3f800000",
                            FILL PROXY MEET FENCE "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 " SUM
                                                  ", %a, %b, %no, -1, -1, 0, 0;" COMMIT WAIT(0) KEEP),
                     STATUS_OK);
    memcpy(&word, data + OUT, sizeof word);
    assert_int_equal(word, 0x41800000); /* 16 */
    warp_result_free(&test.result);
}

/* ---- order ---- */

#define READY FILL PROXY MEET

static void registers_are_left_alone_meanwhile(void **state)
{
    (void)state;
    good(READY FENCE HALVES(1) COMMIT HALVES(1) COMMIT WAIT(1) WAIT(0) KEEP);
    fails(READY HALVES(1) COMMIT WAIT(0) KEEP, STATUS_FAILED, "before the first one: expected wgmma.fence");
    fails(READY FENCE "mov.b32 %c7, 0;" HALVES(1) COMMIT WAIT(0), STATUS_FAILED,
          "has changed since its last");
    fails(READY FENCE HALVES(1) COMMIT WAIT(0) "add.u32 %c0, %c1, %c2;" HALVES(1) COMMIT WAIT(0),
          STATUS_FAILED, "has changed since");
    fails(READY FENCE HALVES(1) COMMIT KEEP, STATUS_FAILED, "products are still being added");
    fails(READY FENCE HALVES(1) WAIT(0) KEEP, STATUS_FAILED, "products are still being added");
    fails(READY FENCE HALVES(1) COMMIT WAIT(1) "xor.b32 %r0, %r0, %c5;", STATUS_FAILED,
          "products are still being added");
    fails(READY FENCE HALVES(1) COMMIT HALVES(1) COMMIT WAIT(1) "mov.b32 %c5, 0;", STATUS_FAILED,
          "products are still being added");
    fails(READY FENCE HALVES(1) "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 " SUM
                                ", %a, %b, %yes, 1, 1;" COMMIT WAIT(0),
          STATUS_FAILED, "of another shape");
    good(READY FENCE HALVES(1) FENCE "wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 " SUM
                                     ", %a, %b, %yes, 1, 1;" COMMIT WAIT(0) KEEP);
}

static void factors_are_written_and_seen(void **state)
{
    (void)state;
    fails(FILL MEET FENCE HALVES(1) COMMIT WAIT(0), STATUS_FAILED, "expected fence.proxy.async after that");
    fails(FILL PROXY FENCE HALVES(1) COMMIT WAIT(0), STATUS_FAILED, "expected");
    fails("st.shared.v4.u32 [%O], {%r0, %r0, %r0, %r0};" PROXY MEET FENCE HALVES(1) COMMIT WAIT(0),
          STATUS_FAILED, "which nobody has written");
    fails(READY FENCE HALVES(1) COMMIT "st.shared.u32 [%O], %t;" WAIT(0), STATUS_FAILED,
          "products of warp 0 may still read");
    good(READY FENCE HALVES(1) COMMIT WAIT(0) MEET "st.shared.u32 [%O], %t;" PROXY MEET FENCE HALVES(1)
             COMMIT WAIT(0) KEEP);
    fails(READY "add.u64 %b, %b, 128;" FENCE HALVES(1) COMMIT WAIT(0), STATUS_FAILED,
          "outside shared memory");
    fails(READY "or.b64 %a, %a, 0x4000000000000000;" FENCE HALVES(1) COMMIT WAIT(0), STATUS_FAILED,
          "without a swizzle");
    fails(READY "cvt.u64.u32 %e, %t; add.u64 %a, %a, %e;" FENCE HALVES(1) COMMIT WAIT(0), STATUS_FAILED,
          "threads with different descriptors");
}

static void four_warps_do_the_same(void **state)
{
    struct test test;
    (void)state;
    fails(READY "setp.gt.u32 %p, %t, 95; @%p bra L;" FENCE HALVES(1) COMMIT WAIT(0) "L: " MEET, STATUS_FAILED,
          "has not executed the same wgmma instructions");
    fails(READY FENCE "setp.lt.u32 %p, %t, 96; @%p " HALVES(1) COMMIT WAIT(0) MEET, STATUS_FAILED,
          "has not executed the same wgmma instructions");
    fails(READY "setp.gt.u32 %p, %t, 95; @%p add.u64 %a, %a, 1;" FENCE HALVES(1) COMMIT WAIT(0),
          STATUS_FAILED, "has not executed the same wgmma instructions");
    fails(READY FENCE "setp.ne.u32 %p, %t, 5; @%p " HALVES(1) COMMIT WAIT(0), STATUS_FAILED,
          "with only some of its threads");
    enum status got = run_of(&test, 96, "0", READY FENCE HALVES(1) COMMIT WAIT(0));
    warp_fixture_expect("96 threads", got, &test.error, STATUS_FAILED, "expected a multiple of 128");
    warp_result_free(&test.result);
}

static void what_is_no_product_is_refused(void **state)
{
    static const char start[] = READY FENCE "wgmma.mma_async.sync.aligned.";
    static const struct {
        const char *text;
        enum status status;
        const char *message;
    } rows[] = {
        {"m64n12k16.f32.f16.f16 " SUM ", %a, %b, %yes, 1, 1, 0, 0;", STATUS_UNAVAILABLE,
         "does not support the instruction"},
        {"m64n16k16.f32.u8.u8 " SUM ", %a, %b, %yes;", STATUS_UNAVAILABLE,
         "does not support the instruction"},
        {"m64n16k16.f32.f16.f16 " SUM ", %a, %b, %yes, 1, 1;", STATUS_FAILED, "operands: expected 8"},
        {"m64n16k16.f32.f16.f16 " SUM ", %a, %b, %yes, 2, 1, 0, 0;", STATUS_FAILED, "expected 1 or -1"},
        {"m64n16k16.f32.f16.f16 " SUM ", %a, %b, %yes, 1, 1, 0, 1;", STATUS_FAILED,
         "factor that is not transposed"},
        {"m64n8k16.f32.f16.f16 " SUM ", %a, %b, %yes, 1, 1, 0, 0;", STATUS_FAILED, "expected '}'"},
        {"m64n16k16.f32.f16.f16 {%c1, %c1, %c2, %c3, %c4, %c5, %c6, %c7}, %a, %b, %yes, 1, 1, 0, 0;",
         STATUS_FAILED, "lists a register twice"},
        {"m64n16k16.f32.f16.f16 " SUM ", %c0, %b, %yes, 1, 1, 0, 0;", STATUS_FAILED, "expected 64 bits"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char code[2048];
        snprintf(code, sizeof code, "%s%s", start, rows[i].text);
        fails(code, rows[i].status, rows[i].message);
    }
    fails(READY FENCE HALVES(1) "wgmma.commit_group.sync.aligned 1;", STATUS_FAILED, "expected no operands");
    fails(READY FENCE "wgmma.wait_group.sync.aligned;", STATUS_FAILED, "expected a number of groups");
    fails(READY "wgmma.fence.aligned;", STATUS_UNAVAILABLE, "does not support the instruction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_warps_add_a_product),
        cmocka_unit_test(signs_and_sums),
        cmocka_unit_test(registers_are_left_alone_meanwhile),
        cmocka_unit_test(factors_are_written_and_seen),
        cmocka_unit_test(four_warps_do_the_same),
        cmocka_unit_test(what_is_no_product_is_refused),
    };
    srand(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
