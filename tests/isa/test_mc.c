/* LLVM MC: text to objects and back, and errors that name the line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/mc.h"
#include "isa/object.h"

#include <string.h>

static const char TEXT[] = "    .text\n"
                           "    .globl here\n"
                           "here:\n"
                           "    movq 4096(%rsi), %rcx\n"
                           "    addq %rcx, %r9\n"
                           "there:\n"
                           "    retq\n";

/* What a disassembler found, one mnemonic after the other. */
struct listing {
    char text[512];
    size_t bytes;
};

static void list(uint64_t offset, size_t length, const char *text, void *context)
{
    struct listing *listing = context;
    assert_int_equal(offset, listing->bytes);
    listing->bytes += length;
    strncat(listing->text, text, strcspn(text, " \t"));
    strcat(listing->text, " ");
}

static void what_is_assembled_disassembles(void **state)
{
    (void)state;
    struct buffer object = {0};
    struct error error;
    struct object_part part;
    struct listing listing = {0};
    assert_int_equal(mc_assemble(&isa_x86_64, TEXT, "test", &object, &error), STATUS_OK);
    assert_int_equal(object_section(object.data, object.size, ".text", &part, &error), STATUS_OK);
    assert_int_equal(mc_disassemble(&isa_x86_64, part.bytes, part.size, list, &listing, &error), STATUS_OK);
    assert_string_equal(listing.text, "movq addq retq ");
    assert_int_equal(listing.bytes, part.size);
    uint64_t value;
    assert_int_equal(object_symbol(object.data, object.size, "here", &value, &error), STATUS_OK);
    assert_int_equal(value, 0);
    assert_int_equal(object_symbol(object.data, object.size, "nowhere", &value, &error), STATUS_FAILED);
    assert_int_equal(object_section(object.data, object.size, ".nothing", &part, &error), STATUS_FAILED);
    buffer_free(&object);
}

static void the_same_text_gives_the_same_bytes(void **state)
{
    (void)state;
    struct buffer one = {0};
    struct buffer two = {0};
    struct error error;
    assert_int_equal(mc_assemble(&isa_x86_64, TEXT, "one", &one, &error), STATUS_OK);
    assert_int_equal(mc_assemble(&isa_x86_64, TEXT, "another", &two, &error), STATUS_OK);
    assert_int_equal(one.size, two.size);
    assert_memory_equal(one.data, two.data, one.size);
    buffer_free(&one);
    buffer_free(&two);
}

static void an_error_names_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
    } rows[] = {
        {"nop\nfrobnicate %rax\nnop\n", 2},
        {"nop\nnop\naddq %rax\n", 3},
        {"addq %nonsense, %rax\nnop\n", 1},
        {"nop\n\n\n.unknown_directive\n", 4},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer object = {0};
        struct error error = {0};
        assert_int_equal(mc_assemble(&isa_x86_64, rows[i].text, "wrong.s", &object, &error), STATUS_FAILED);
        assert_string_equal(error.file, "wrong.s");
        assert_int_equal(error.line, rows[i].line);
        assert_true(strlen(error.message) > 10);
        assert_int_equal(object.size, 0);
        buffer_free(&object);
    }
}

static void bytes_that_are_no_instruction_are_told(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0x90, 0x90, 0x06}; /* nop, nop, and what x86-64 took away */
    struct listing listing = {0};
    struct error error;
    assert_int_equal(mc_disassemble(&isa_x86_64, bytes, sizeof bytes, list, &listing, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "offset 2"));
    assert_string_equal(listing.text, "nop nop ");
}

/* Whatever lies there is refused, never read beyond its end (which the sanitizers would see). */
static void a_file_that_is_cut_is_refused(void **state)
{
    (void)state;
    struct buffer object = {0};
    struct error error;
    assert_int_equal(mc_assemble(&isa_x86_64, TEXT, "test", &object, &error), STATUS_OK);
    for (size_t size = 0; size < object.size; size++) {
        struct buffer cut = {0};
        struct object_part part;
        uint64_t value;
        buffer_append(&cut, object.data, size);
        object_section(cut.data, size, ".text", &part, &error);
        object_symbol(cut.data, size, "here", &value, &error);
        buffer_free(&cut);
    }
    buffer_free(&object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_assembled_disassembles),
        cmocka_unit_test(the_same_text_gives_the_same_bytes),
        cmocka_unit_test(an_error_names_the_line),
        cmocka_unit_test(bytes_that_are_no_instruction_are_told),
        cmocka_unit_test(a_file_that_is_cut_is_refused),
    };
    return cmocka_run_group_tests_name("isa/mc", tests, NULL, NULL);
}
