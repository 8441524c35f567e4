/* The standalone executable as a file: loadable, without an interpreter, and composed of its inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/executable.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <elf.h>
#include <string.h>

static const char START[] =
    "    .text\n    .globl _start\n_start:\n    movq trauma_code(%rip), %rax\n    ud2\n"
    "    .p2align 3\n    .globl trauma_parameters\ntrauma_parameters:\ntrauma_code:\n"
    "    .quad 0\n    .quad 0\n    .quad 0\n    .quad 0\n";
static const char KERNEL[] =
    "    .text\n    .globl trauma_kernel\ntrauma_kernel:\ntrauma_loop:\ntrauma_loop_end:\n    retq\n"
    "    .section .rodata\n    .globl trauma_layout\ntrauma_layout:\n    .quad 7\n    .quad 0\n";

static void assemble(const char *text, struct buffer *object)
{
    struct error error;
    if (mc_assemble(&isa_x86_64, text, "test", object, &error) != STATUS_OK)
        fail_msg("%d: %s", error.line, error.message);
}

static enum status link_aligned(const char *start_text, const char *kernel_text, uint64_t code_align,
                                struct buffer *file, struct error *error)
{
    struct buffer start = {0};
    struct buffer kernel = {0};
    assemble(start_text, &start);
    assemble(kernel_text, &kernel);
    const struct executable_request request = {.isa = &isa_x86_64,
                                               .start = &start,
                                               .object = &kernel,
                                               .data_bytes = 10000,
                                               .data_align = 65536,
                                               .code_align = code_align,
                                               .passes = 1234};
    enum status status = executable_write(&request, file, error);
    buffer_free(&start);
    buffer_free(&kernel);
    return status;
}

static enum status link_texts(const char *start_text, const char *kernel_text, struct buffer *file,
                              struct error *error)
{
    return link_aligned(start_text, kernel_text, 0, file, error);
}

static void it_loads_and_nothing_is_writable_and_executable(void **state)
{
    (void)state;
    struct buffer file = {0};
    struct error error;
    if (link_texts(START, KERNEL, &file, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    Elf64_Ehdr header;
    memcpy(&header, file.data, sizeof header);
    assert_int_equal(header.e_type, ET_EXEC);
    assert_int_equal(header.e_machine, EM_X86_64);
    uint64_t data = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr part;
        memcpy(&part, file.data + header.e_phoff + i * sizeof part, sizeof part);
        assert_true(part.p_type == PT_LOAD || part.p_type == PT_GNU_STACK);
        assert_true((part.p_flags & (PF_W | PF_X)) != (PF_W | PF_X));
        assert_true(part.p_offset + part.p_filesz <= file.size);
        if (part.p_type == PT_LOAD)
            assert_int_equal(part.p_vaddr % 4096, part.p_offset % 4096);
        if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
            assert_true(part.p_memsz >= 10000);
            data = part.p_vaddr;
        }
    }
    assert_true(data != 0 && data % 65536 == 0);
    buffer_free(&file);
}

static uint64_t word_at(const struct object_part *text, uint64_t address)
{
    uint64_t word;
    assert_true(address >= text->address && address - text->address + sizeof word <= text->size);
    memcpy(&word, text->bytes + (address - text->address), sizeof word);
    return word;
}

/* The start code finds kernel, constants, data and ITERATIONS at trauma_parameters. */
static void the_parameters_are_filled_in(void **state)
{
    (void)state;
    struct buffer file = {0};
    struct error error;
    if (link_texts(START, KERNEL, &file, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    struct object_part text;
    uint64_t kernel;
    uint64_t layout;
    uint64_t start;
    assert_int_equal(object_section(file.data, file.size, ".text", &text, &error), STATUS_OK);
    assert_int_equal(object_symbol(file.data, file.size, "trauma_kernel", &kernel, &error), STATUS_OK);
    assert_int_equal(object_symbol(file.data, file.size, "trauma_layout", &layout, &error), STATUS_OK);
    assert_int_equal(object_symbol(file.data, file.size, "_start", &start, &error), STATUS_OK);
    assert_int_equal(word_at(&text, layout), 7);
    assert_int_equal(text.bytes[kernel - text.address], 0xc3); /* retq */
    uint64_t parameters = start + 7 + 2;                       /* behind movq and ud2, aligned */
    parameters = (parameters + 7) / 8 * 8;
    assert_int_equal(word_at(&text, parameters), kernel);
    assert_int_equal(word_at(&text, parameters + 8), layout);
    assert_int_equal(word_at(&text, parameters + 24), 1234);
    buffer_free(&file);
}

/* Code that states L1I misses lies where its sets are as planned, in a file that does not grow with that. */
static void code_is_aligned_as_asked(void **state)
{
    (void)state;
    static const char kernel[] =
        "    .text\n    .globl trauma_kernel\n    .p2align "
        "7\ntrauma_kernel:\ntrauma_loop:\ntrauma_loop_end:\n"
        "    retq\n    .p2align 11\ntrauma_code:\n    nop\n"
        "    .section .rodata\n    .globl trauma_layout\ntrauma_layout:\n    .quad 7\n";
    static const uint64_t aligns[] = {4096, 65536, 3 * 65536, 1 << 22, UINT64_C(3) << 28};
    for (size_t i = 0; i < sizeof aligns / sizeof aligns[0]; i++) {
        struct buffer file = {0};
        struct error error;
        if (link_aligned(START, kernel, aligns[i], &file, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        struct object_part text;
        uint64_t at;
        Elf64_Ehdr header;
        Elf64_Phdr segments[2];
        memcpy(&header, file.data, sizeof header);
        memcpy(segments, file.data + header.e_phoff, sizeof segments);
        assert_int_equal(object_section(file.data, file.size, ".text", &text, &error), STATUS_OK);
        assert_int_equal(object_symbol(file.data, file.size, "trauma_kernel", &at, &error), STATUS_OK);
        assert_int_equal((at + 2048) % aligns[i], 0);
        assert_int_equal(text.bytes[at + 2048 - text.address], 0x90); /* nop */
        assert_int_equal(header.e_entry, text.address);
        assert_int_equal(segments[0].p_vaddr % 4096, segments[0].p_offset % 4096);
        assert_true(segments[0].p_vaddr + segments[0].p_memsz <= segments[1].p_vaddr);
        assert_true(file.size < 16384);
        buffer_free(&file);
    }
    struct buffer file = {0};
    struct error error = {0};
    assert_int_equal(link_aligned(START, KERNEL, 4096, &file, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "trauma_code"));
    buffer_free(&file);
}

static void what_is_missing_is_named(void **state)
{
    (void)state;
    static const struct {
        const char *start, *kernel, *missing;
    } rows[] = {
        {"    .text\n    .globl _start\n_start:\n    nop\n", KERNEL, "trauma_parameters"},
        {START,
         "    .text\n    retq\n    .section .rodata\n    .globl trauma_layout\ntrauma_layout:\n .quad 1\n",
         "trauma_kernel"},
        {START,
         "    .text\n    .globl trauma_kernel\ntrauma_kernel:\ntrauma_loop:\n    retq\n"
         "    .section .rodata\n    .globl trauma_layout\ntrauma_layout:\n .quad 1\n",
         "trauma_loop_end"},
        {START, "    .text\n    .globl trauma_kernel\ntrauma_kernel:\n    retq\n", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buffer file = {0};
        struct error error = {0};
        assert_int_equal(link_texts(rows[i].start, rows[i].kernel, &file, &error), STATUS_FAILED);
        assert_non_null(strstr(error.message, rows[i].missing));
        buffer_free(&file);
    }
}

/* MC leaves what is global to a linker, and its place zero. */
static void start_code_for_a_linker_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"_start: movq .Lhere(%rip), %rax\n.Lhere: .quad 5\n",
                                        "_start: movq here(%rip), %rax\n.globl here\nhere: .quad 5\n"};
    for (size_t i = 0; i < 2; i++) {
        struct buffer object = {0};
        struct error error = {0};
        assert_int_equal(mc_assemble(&isa_x86_64, texts[i], "start.s", &object, &error), STATUS_OK);
        assert_int_equal(executable_check_start(&isa_x86_64, &object, &error),
                         i == 0 ? STATUS_OK : STATUS_FAILED);
        assert_int_equal(strstr(error.message, "only a linker resolves") != NULL, i == 1);
        buffer_free(&object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_loads_and_nothing_is_writable_and_executable),
        cmocka_unit_test(the_parameters_are_filled_in),
        cmocka_unit_test(code_is_aligned_as_asked),
        cmocka_unit_test(what_is_missing_is_named),
        cmocka_unit_test(start_code_for_a_linker_is_refused),
    };
    return cmocka_run_group_tests_name("isa/executable", tests, NULL, NULL);
}
