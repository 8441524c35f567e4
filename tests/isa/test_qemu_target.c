/* What the plugin takes for atomics, by encodings that LLVM's assembler gave. */
#include "isa/qemu_target.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct example {
    const char *text;
    uint8_t bytes[8];
    size_t size;
    enum access_code code;
};

static void check(const char *target, const struct example *examples, size_t count)
{
    const struct qemu_target *decoder = qemu_target_find(target);
    assert_non_null(decoder);
    for (size_t i = 0; i < count; i++) {
        enum access_code code = decoder->access(examples[i].bytes, examples[i].size);
        if (code != examples[i].code)
            fail_msg("%s: %d instead of %d", examples[i].text, (int)code, (int)examples[i].code);
    }
}

#define CHECK(target, examples) check(target, examples, sizeof(examples) / sizeof(examples)[0])

static void x86(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"lock xaddq %rcx, (%rbx)", {0xF0, 0x48, 0x0F, 0xC1, 0x0B}, 5, ACCESS_ATOMIC},
        {"xaddq %rcx, (%rbx)", {0x48, 0x0F, 0xC1, 0x0B}, 4, ACCESS_PLAIN},
        {"xchgq %rcx, (%rbx)", {0x48, 0x87, 0x0B}, 3, ACCESS_ATOMIC},
        {"xchgq %rcx, %rbx", {0x48, 0x87, 0xCB}, 3, ACCESS_PLAIN},
        {"lock cmpxchgl %ecx, 8(%rbx)", {0xF0, 0x0F, 0xB1, 0x4B, 0x08}, 5, ACCESS_ATOMIC},
        {"movq %rcx, (%rbx)", {0x48, 0x89, 0x0B}, 3, ACCESS_PLAIN},
        {"testb $0xa5, (%rax)", {0xF6, 0x00, 0xA5}, 3, ACCESS_FLUSH},
        {"testb $1, (%rax)", {0xF6, 0x00, 0x01}, 3, ACCESS_PLAIN},
        {"negb (%rax)", {0xF6, 0x18}, 2, ACCESS_PLAIN},
        {"clflush (%rax)", {0x0F, 0xAE, 0x38}, 3, ACCESS_PLAIN},
        {"nop", {0x90}, 1, ACCESS_PLAIN}};
    CHECK("x86_64", examples);
}

static void aarch64(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"ldaddal x2, x2, [x8]", {0x02, 0x01, 0xE2, 0xF8}, 4, ACCESS_ATOMIC},
        {"swpal w2, w2, [x8]", {0x02, 0x81, 0xE2, 0xB8}, 4, ACCESS_ATOMIC},
        {"casal x2, x10, [x8]", {0x0A, 0xFD, 0xE2, 0xC8}, 4, ACCESS_ATOMIC},
        {"ldaxr x2, [x8]", {0x02, 0xFD, 0x5F, 0xC8}, 4, ACCESS_LINK},
        {"stlxr w4, x10, [x8]", {0x0A, 0xFD, 0x04, 0xC8}, 4, ACCESS_CONDITIONAL},
        {"ldar x2, [x8]", {0x02, 0xFD, 0xDF, 0xC8}, 4, ACCESS_PLAIN},
        {"stlr x27, [x8]", {0x1B, 0xFD, 0x9F, 0xC8}, 4, ACCESS_PLAIN},
        {"ldr x2, [x29, #64]", {0xA2, 0x23, 0x40, 0xF9}, 4, ACCESS_PLAIN},
        {"str x11, [x29, #64]", {0xAB, 0x23, 0x00, 0xF9}, 4, ACCESS_PLAIN},
        {"ldr x2, [x8, x3]", {0x02, 0x69, 0x63, 0xF8}, 4, ACCESS_PLAIN},
        {"ldurb wzr, [x8]", {0x1F, 0x01, 0x40, 0x38}, 4, ACCESS_FLUSH},
        {"ldurb w3, [x8]", {0x03, 0x01, 0x40, 0x38}, 4, ACCESS_PLAIN}};
    CHECK("aarch64", examples);
}

static void riscv(void **state)
{
    (void)state;
    static const struct example examples[] = {
        {"amoadd.d.aqrl a3, a3, (a4)", {0xAF, 0x36, 0xD7, 0x06}, 4, ACCESS_ATOMIC},
        {"amoswap.w.aqrl a3, a3, (a4)", {0xAF, 0x26, 0xD7, 0x0E}, 4, ACCESS_ATOMIC},
        {"lr.d.aq a3, (a4)", {0xAF, 0x36, 0x07, 0x14}, 4, ACCESS_LINK},
        {"sc.d.rl a5, a6, (a4)", {0xAF, 0x37, 0x07, 0x1B}, 4, ACCESS_CONDITIONAL},
        {"ld a3, 0(a4)", {0x83, 0x36, 0x07, 0x00}, 4, ACCESS_PLAIN},
        {"c.ld a3, 0(a4)", {0x14, 0x63}, 2, ACCESS_PLAIN}};
    CHECK("riscv64", examples);
}

static void unknown(void **state)
{
    (void)state;
    assert_null(qemu_target_find("i386"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(x86), cmocka_unit_test(aarch64),
                                       cmocka_unit_test(riscv), cmocka_unit_test(unknown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
