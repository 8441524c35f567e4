/* The rows of templates/: each assembles with the longest registers, is no longer than stated, and counts by
 * the mnemonic that a disassembler prints for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "isa/loop.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/template.h"

#include <stdio.h>
#include <string.h>

/* Every role at the register whose encoding is longest. */
static const struct binding bindings[] = {
    {"data", "%rsi"},
    {"base", "%r13"},
    {"disp", "1073741824"},
    {"place", "%rbp"},
    {"pointer", "%r14"},
    {"random", "%r15"},
    {"multiplier", "%r8"},
    {"target", "trauma_loop"},
    {"loop_target", "trauma_loop"},
    {"twin_target", "trauma_loop"},
    {"goal", "%r14"},
    {"idle", "%r14"},
    {"copy", "%r14"},
    {"other_goal", "%r15"},
    {"quotient", "%rax"},
    {"remainder", "%rdx"},
    {"hit_line", "1073741824"},
    {"word", "0x7edcba9876543210"},
    {"scratch", "%r9"},
    {"shared", "%r11"},
    {"again", "trauma_loop"},
    {"compared", "%rax"},
    {"spare", "%r9"},
    {"mine", "%r8"},
    {"next", "%r10"},
    {"given", "%r9"},
    {"kept_copy", "%xmm13"},
};

/* Names that stand for a general register, or in a vector row for a vector register; a number from a load
 * is in a general one there too. */
static const char *const either[] = {"accumulator", "operand", "value", "register", "from", "stored"};
static const char *const general[] = {"%r13", "%r15", "%rcx", "%r12", "%r12", "%r15"};
static const char *const vector[] = {"%xmm9", "%xmm14", "%xmm15", "%xmm11", "%xmm12", "%xmm14"};
static const char *const vector_of_value[] = {"%xmm9", "%xmm14", "%rcx", "%xmm11", "%xmm12", "%xmm14"};

enum { MOST_BINDINGS = 40, EITHER = sizeof either / sizeof either[0] };

struct seen {
    const struct form *form;
    unsigned instructions, bytes;
    bool mnemonic;
};

static void look(uint64_t offset, size_t length, const char *text, void *context)
{
    struct seen *seen = context;
    char name[32];
    (void)offset;
    seen->bytes += (unsigned)length;
    if (strstr(text, isa_x86_64.prefix) != NULL) /* disassembled as an instruction of its own */
        return;
    seen->instructions++;
    if (loop_mnemonic(&isa_x86_64, text, name, sizeof name) && strcmp(name, seen->form->mnemonic) == 0)
        seen->mnemonic = true;
}

static bool assemble(const struct template *templates, const struct form *form, const char *const registers[],
                     struct seen *seen)
{
    struct binding all[MOST_BINDINGS];
    size_t count = sizeof bindings / sizeof bindings[0];
    memcpy(all, bindings, sizeof bindings);
    for (size_t i = 0; i < EITHER; i++)
        all[count++] = (struct binding){either[i], registers[i]};
    struct error error;
    struct buffer source = {0};
    struct buffer object = {0};
    struct object_part text;
    *seen = (struct seen){.form = form};
    if (strncmp(form->name, "load.start", strlen("load.start")) == 0)
        all[1].value = all[0].value; /* these read the data's first word, and no other base has it */
    buffer_text(&source, "    .text\ntrauma_loop:\n");
    bool good = template_expand(templates, form->text, all, count, &source, &error) == STATUS_OK;
    buffer_text(&source, "\n");
    good = good && mc_assemble(templates->isa, source.data, form->name, &object, &error) == STATUS_OK &&
           object_section(object.data, object.size, ".text", &text, &error) == STATUS_OK &&
           mc_disassemble(templates->isa, text.bytes, text.size, look, seen, &error) == STATUS_OK;
    buffer_free(&source);
    buffer_free(&object);
    return good;
}

/* A row's text has instructions apart by "; ", which the assembler takes too. */
static void rows_are_what_they_say(void **state)
{
    (void)state;
    char home[FILE_PATH_BYTES];
    struct template templates;
    struct error error;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, &isa_x86_64, &templates, &error), STATUS_OK);
    assert_true(templates.form_count > 150);
    for (size_t i = 0; i < templates.form_count; i++) {
        const struct form *form = &templates.forms[i];
        struct seen seen;
        if (!assemble(&templates, form, general, &seen) && !assemble(&templates, form, vector, &seen) &&
            !assemble(&templates, form, vector_of_value, &seen))
            fail_msg("%s does not assemble: %s", form->name, form->text);
        if (seen.bytes > form->bytes || seen.instructions != form->instructions)
            fail_msg("%s@%s has %u bytes in %u instructions, its row says %u in %u", form->name,
                     form->feature, seen.bytes, seen.instructions, form->bytes, form->instructions);
        if (!seen.mnemonic && strcmp(form->mnemonic, "-") != 0)
            fail_msg("%s has no instruction that counts as %s", form->name, form->mnemonic);
    }
    template_free(&templates);
}

static void rows_of_one_name_need_different_features(void **state)
{
    (void)state;
    char home[FILE_PATH_BYTES];
    struct template templates;
    struct error error;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, &isa_x86_64, &templates, &error), STATUS_OK);
    for (size_t i = 0; i < templates.form_count; i++) {
        const struct form *form = &templates.forms[i];
        const struct form *next = template_next(&templates, form->name, form);
        if (next != NULL && (form->feature[0] == '\0' || strcmp(form->feature, next->feature) == 0))
            fail_msg("%s has a row that is never taken", form->name);
    }
    template_free(&templates);
}

static void memory_and_registers_count_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
    } cases[] = {
        {"movq\t8(%rsi), %rax", "movq<"},
        {"movq\t%rax, 8(%rsi,%rbx)", "movq>"},
        {"movq\t%rsi, %rax", "movq"},
        {"leaq\t8(%rsi), %rax", "leaq"},
        {"prefetcht0\t(%rsi,%rbx)", "prefetcht0<"},
        {"nop", "nop"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char name[32];
        assert_true(loop_mnemonic(&isa_x86_64, cases[i].text, name, sizeof name));
        assert_string_equal(name, cases[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_what_they_say),
        cmocka_unit_test(rows_of_one_name_need_different_features),
        cmocka_unit_test(memory_and_registers_count_apart),
    };
    return cmocka_run_group_tests_name("isa/rows", tests, NULL, NULL);
}
