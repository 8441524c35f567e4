/* Damaged objects: what inspects a program's bytes reads none beyond their end and ends with a status. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/executable.h"
#include "isa/loop.h"
#include "isa/mc.h"
#include "tests/mutate.h"

static const char TEXT[] = "    .text\n"
                           "    .globl _start, trauma_parameters, trauma_kernel, trauma_loop, trauma_layout\n"
                           "_start:\n"
                           "trauma_kernel:\n"
                           "    .p2align 4\n"
                           "trauma_parameters:\n"
                           "    .quad 0, 0, 0, 0\n"
                           "trauma_loop:\n"
                           "    movq 4096(%rsi), %rcx\n"
                           ".Ltext0:\n"
                           "    addq %rcx, %r9\n"
                           ".Ltext_end0:\n"
                           "trauma_advance:\n"
                           "trauma_close:\n"
                           "    decq %rdi\n"
                           "    jnz trauma_loop\n"
                           "    .globl trauma_loop_end\n"
                           "trauma_loop_end:\n"
                           "    retq\n"
                           "    .section .rodata\n"
                           "trauma_layout:\n"
                           "    .quad 0, 0, 0, 0, 0, 0, 0\n"
                           "    .section .trauma.texts, \"\", @progbits\n"
                           "    .long .Ltext0 - trauma_loop, .Ltext_end0 - trauma_loop\n";

static void inspect(const struct buffer *object, unsigned *good, unsigned *bad)
{
    struct loop_count count;
    struct error error = {0};
    struct buffer file = {0};
    const struct executable_request request = {
        .isa = &isa_x86_64, .start = object, .object = object, .data_bytes = 4096, .data_align = 4096};
    enum status status = loop_inspect(&isa_x86_64, object->data, object->size, &count, &error);
    assert_true(status == STATUS_OK || error.message[0] != '\0');
    *good += status == STATUS_OK;
    *bad += status != STATUS_OK;
    error.message[0] = '\0';
    status = executable_write(&request, &file, &error);
    assert_true(status == STATUS_OK || error.message[0] != '\0');
    buffer_free(&file);
}

static void damaged_objects_are_told(void **state)
{
    (void)state;
    struct buffer object = {0};
    struct error error;
    unsigned good = 0;
    unsigned bad = 0;
    assert_int_equal(mc_assemble(&isa_x86_64, TEXT, "test", &object, &error), STATUS_OK);
    inspect(&object, &good, &bad);
    assert_int_equal(good, 1);
    struct random random = mutate_start("objects");
    for (struct mutate_span span = mutate_begin(mutate_seconds()); mutate_more(&span);) {
        struct buffer damaged = mutate(&random, &object);
        inspect(&damaged, &good, &bad);
        buffer_free(&damaged);
    }
    assert_true(bad > 10);
    print_message("%u objects inspected, %u refused\n", good, bad);
    buffer_free(&object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(damaged_objects_are_told)};
    return cmocka_run_group_tests_name("isa/fuzz_objects", tests, NULL, NULL);
}
