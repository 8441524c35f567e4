/* A board's system: what ends a program under Linux ends it there, by the same signal, and what it does not
 * have has no address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/sources/qemu/qemu_program.h"
#include "tests/skip.h"

#include <string.h>

enum { CODE_AT = 4096, MOST_CODE = 16, ILLEGAL = 4, SEGMENT = 11, BREAK = 5 };

static const struct wild {
    const struct isa *isa;
    const char *qemu;
    unsigned char code[MOST_CODE];
    int signal;
} wild[] = {
    {&isa_x86_64, "qemu-system-x86_64", {0x0F, 0x0B}, ILLEGAL},                            /* ud2 */
    {&isa_x86_64, "qemu-system-x86_64", {0x48, 0x8B, 0x04, 0x25}, SEGMENT},                /* movq 0, %rax */
    {&isa_x86_64, "qemu-system-x86_64", {0xF4}, SEGMENT},                                  /* hlt */
    {&isa_x86_64, "qemu-system-x86_64", {0x48, 0x8B, 0x04, 0x25, 0, 0, 0x0F, 0}, SEGMENT}, /* its system's */
    {&isa_x86_64, "qemu-system-x86_64", {0xCC}, BREAK},                                    /* int3 */
    {&isa_aarch64, "qemu-system-aarch64", {0}, ILLEGAL},                                   /* udf #0 */
    {&isa_aarch64, "qemu-system-aarch64", {0, 0, 0x80, 0xD2, 0, 0, 0x40, 0xF9}, SEGMENT},  /* ldr x0, [0] */
    {&isa_aarch64, "qemu-system-aarch64", {0x00, 0x10, 0x18, 0xD5}, ILLEGAL},              /* msr sctlr_el1 */
    {&isa_aarch64, "qemu-system-aarch64", {0x00, 0x00, 0x20, 0xD4}, BREAK},                /* brk #0 */
    {&isa_riscv64, "qemu-system-riscv64", {0}, ILLEGAL},                                   /* unimp */
    {&isa_riscv64, "qemu-system-riscv64", {0x03, 0x35, 0x00, 0x00}, SEGMENT}, /* ld a0, 0(zero) */
    {&isa_riscv64, "qemu-system-riscv64", {0x73, 0x10, 0x00, 0x30}, ILLEGAL}, /* csrw mstatus */
    {&isa_riscv64, "qemu-system-riscv64", {0x73, 0x00, 0x10, 0x00}, BREAK},   /* ebreak */
};

static void faults_are_signals(void **state)
{
    (void)state;
    size_t judged = 0;
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++) {
        struct error error = {0};
        struct buffer file = {0};
        struct child_result result = {0};
        if (!child_program_exists(wild[i].qemu))
            continue;
        assert_int_equal(qemu_board_trial(wild[i].isa, &file, &error), STATUS_OK);
        assert_true(file.size > CODE_AT + MOST_CODE);
        memcpy(file.data + CODE_AT, wild[i].code, MOST_CODE);
        const struct qemu_start start = {.isa = wild[i].isa,
                                         .way = QEMU_SYSTEM,
                                         .cpu = wild[i].isa == &isa_riscv64 ? "rv64" : "max",
                                         .executable = file.data,
                                         .executable_size = file.size,
                                         .plugin = "l1i=4096:4:64:lru,l1d=4096:4:64:lru",
                                         .timeout_s = 30};
        enum status status = qemu_program_run(&start, &result, &error);
        if (status != STATUS_FAILED || result.signal != wild[i].signal)
            fail_msg("row %zu: %d, signal %d: %s", i, (int)status, result.signal, error.message);
        child_result_free(&result);
        buffer_free(&file);
        judged++;
    }
    if (judged == 0)
        skip_because("no qemu-system is installed");
}

/* An executable that is cut off, or whose parts share a page, is refused. */
static void odd_executables_are_refused(void **state)
{
    (void)state;
    static const char *const arguments[] = {"program", NULL};
    struct error error = {0};
    struct buffer file = {0};
    assert_int_equal(qemu_board_trial(&isa_aarch64, &file, &error), STATUS_OK);
    struct qemu_board_request request = {
        .isa = &isa_aarch64, .executable = file.data, .executable_size = file.size, .arguments = arguments};
    for (size_t size = 0; size < file.size; size += size < 200 ? 1 : 512) {
        struct qemu_board board = {0};
        request.executable_size = size;
        if (qemu_board_make(&request, &board, &error) == STATUS_OK)
            fail_msg("%zu of %zu bytes are taken", size, file.size);
        qemu_board_free(&board);
    }
    struct qemu_board board = {0};
    request.executable_size = file.size;
    assert_int_equal(qemu_board_make(&request, &board, &error), STATUS_OK);
    qemu_board_free(&board);
    request.isa = &isa_ptx;
    assert_int_equal(qemu_board_make(&request, &board, &error), STATUS_UNAVAILABLE);
    qemu_board_free(&board);
    buffer_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(faults_are_signals),
                                       cmocka_unit_test(odd_executables_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
