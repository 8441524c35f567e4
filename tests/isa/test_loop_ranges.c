/* The pieces of a loop: a single one, or by the object's table, which may be damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/loop.h"
#include "isa/loop_ranges.h"
#include "isa/mc.h"

#include <string.h>

/* Pieces at 64, 0 and 128, of a jump each, the last with the loop's close; between them bytes that are no
 * code. */
#define CODE                                                                                                 \
    "    .text\n    .globl trauma_kernel\ntrauma_kernel:\n.Lb:\n    nop\n    jmp .Lc\n.Lb_end:\n"            \
    "    .org 64, 0x06\ntrauma_loop:\n    nop\n    nop\n    jmp .Lb\n.La_end:\n"                             \
    "    .org 128, 0x06\n.Lc:\n    nop\ntrauma_advance:\n    incq %rax\ntrauma_close:\n    decq %rdi\n"      \
    "    jnz trauma_loop\ntrauma_loop_end:\n    retq\n    .section .rodata\n    .quad 0\n"
#define TABLE                                                                                                \
    "trauma_chunks:\n    .quad 3, trauma_loop - trauma_kernel, .La_end - trauma_loop, 0, .Lb_end - .Lb\n"    \
    "    .quad .Lc - trauma_kernel, trauma_loop_end - .Lc\n"

static void assemble(const char *text, struct buffer *object)
{
    struct error error;
    if (mc_assemble(&isa_x86_64, text, "test", object, &error) != STATUS_OK)
        fail_msg("%d: %s", error.line, error.message);
}

static unsigned count_of(const struct loop_count *count, const char *mnemonic)
{
    for (size_t i = 0; i < count->mnemonic_count; i++)
        if (strcmp(count->mnemonics[i].name, mnemonic) == 0)
            return count->mnemonics[i].count;
    return 0;
}

static void pieces_are_read_in_the_order_of_a_pass(void **state)
{
    (void)state;
    struct buffer object = {0};
    struct error error;
    struct loop_ranges ranges;
    struct loop_count count;
    assemble(CODE TABLE, &object);
    assert_int_equal(loop_ranges_read(object.data, object.size, &ranges, &error), STATUS_OK);
    assert_int_equal(ranges.count, 3);
    assert_int_equal(ranges.items[0].start, 64);
    assert_int_equal(ranges.items[1].start, 0);
    assert_int_equal(ranges.items[2].start, 128);
    assert_int_equal(loop_ranges_lines(&ranges, 64), 3);
    assert_int_equal(loop_ranges_lines(&ranges, 256), 1); /* it never leaves the line */
    loop_ranges_free(&ranges);
    assert_int_equal(loop_inspect(&isa_x86_64, object.data, object.size, NULL, &count, &error), STATUS_OK);
    assert_int_equal(count.instructions, 9); /* 4 nop, 2 jmp, incq, decq, jne */
    assert_int_equal(count.body, 6);
    assert_int_equal(count_of(&count, "nop"), 4);
    assert_int_equal(count_of(&count, "jmp"), 2);
    buffer_free(&object);
}

/* Helpers are what precedes the last instruction of a row, of the longest row that fits, and never the
 * recipe's own text. */
static void helpers_belong_to_no_unit(void **state)
{
    (void)state;
    static const char *const helped[] = {
        "testq {data}, {data}; js {target}",
        "imulq {multiplier}, {random}; testq {random}, {random}; js {target}", NULL};
    static const char before[] = "    .text\ntrauma_loop:\n    imulq %rax, %rcx\n";
    static const char random[] = "    imulq %r8, %rdx\n    testq %rdx, %rdx\n    js 1f\n1:\n";
    static const char after[] =
        "    testq %rsi, %rsi\n    js 1f\n1:\n    js 1f\n1:\n    testq %rsi, %rsi\n"
        "trauma_advance:\n    incq %rax\ntrauma_close:\n    decq %rdi\n    js trauma_loop\n"
        "trauma_loop_end:\ntrauma_closes_unit:\n";
    static const char texts[] = "    .section .trauma.texts, \"\", @progbits\n    .long 4, 8\n";
    for (int own = 0; own < 2; own++) {
        struct buffer object = {0};
        struct buffer text = {0};
        struct error error;
        struct loop_count count;
        buffer_printf(&text, "%s%s%s%s", before, random, after, own ? texts : "");
        assemble(text.data, &object);
        assert_int_equal(loop_inspect(&isa_x86_64, object.data, object.size, helped, &count, &error),
                         STATUS_OK);
        assert_int_equal(count.instructions, 11);
        assert_int_equal(count.body, own ? 7 : 6);
        assert_int_equal(count_of(&count, "imulq"), own ? 2 : 1);
        assert_int_equal(count_of(&count, "testq"), 1);
        assert_int_equal(count_of(&count, "js"), 4);
        assert_int_equal(count_of(&count, "decq"), 0);
        buffer_free(&object);
        buffer_free(&text);
    }
}

static void without_a_table_the_loop_is_one_piece(void **state)
{
    (void)state;
    struct buffer object = {0};
    struct error error;
    struct loop_ranges ranges;
    assemble("    .text\n    nop\ntrauma_loop:\n    nop\n    nop\ntrauma_loop_end:\n", &object);
    assert_int_equal(loop_ranges_read(object.data, object.size, &ranges, &error), STATUS_OK);
    assert_int_equal(ranges.count, 1);
    assert_int_equal(ranges.items[0].start, 1);
    assert_int_equal(ranges.items[0].bytes, 2);
    loop_ranges_free(&ranges);
    buffer_free(&object);
}

static void damaged_tables_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text, *part;
    } rows[] = {
        {CODE "trauma_chunks:\n    .quad 3, 0, 1\n", "truncated"},
        {CODE "trauma_chunks:\n    .quad 0\n", "truncated"},
        {CODE "trauma_chunks:\n    .quad -1\n", "truncated"},
        {CODE "trauma_chunks:\n", "truncated"},
        {CODE "trauma_chunks:\n    .quad 1, 0, 100000\n", "point outside its code"},
        {CODE "trauma_chunks:\n    .quad 1, -8, 16\n", "point outside its code"},
        {"    .text\n    nop\n", "trauma_loop"},
        {"    .text\ntrauma_loop_end:\n    nop\ntrauma_loop:\n", "out of order"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer object = {0};
        struct error error = {0};
        struct loop_ranges ranges;
        assemble(rows[i].text, &object);
        assert_int_equal(loop_ranges_read(object.data, object.size, &ranges, &error), STATUS_FAILED);
        if (strstr(error.message, rows[i].part) == NULL)
            fail_msg("row %zu: %s", i, error.message);
        loop_ranges_free(&ranges);
        buffer_free(&object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_read_in_the_order_of_a_pass),
        cmocka_unit_test(helpers_belong_to_no_unit),
        cmocka_unit_test(without_a_table_the_loop_is_one_piece),
        cmocka_unit_test(damaged_tables_are_refused),
    };
    return cmocka_run_group_tests_name("isa/loop_ranges", tests, NULL, NULL);
}
