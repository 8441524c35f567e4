/* ISAs other than x86-64, real ones and those of tests/isa/toys/, each a row below: their text and bytes
 * agree with LLVM MC's, what is out of reach is refused, and the generated programs run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/random.h"
#include "isa/assemble.h"
#include "isa/loop.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/template.h"
#include "tests/isa/toys/a64/a64.h"
#include "tests/isa/toys/rv64/rv64.h"
#include "tests/skip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct toy *const toys[] = {&toy_a64, &toy_rv64};
enum { TOYS = sizeof toys / sizeof toys[0], LINES = 800, TEXT_BYTES = 128 };

static void open_toy(const struct toy *toy, struct template *templates)
{
    char home[FILE_PATH_BYTES];
    struct error error = {0};
    struct buffer object = {0};
    enum status status = mc_assemble(toy->isa, "nop\n", "nop", &object, &error);
    if (status == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    buffer_free(&object);
    snprintf(home, sizeof home, "%s/tests/isa/toys/%s", TRAUMA_SOURCE_DIR, toy->home);
    if (template_load(home, toy->isa, templates, &error) != STATUS_OK)
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
}

/* Both assemblers' code of the text, or both refuse it. True when it is code. */
static bool compare(struct template *templates, const struct buffer *text)
{
    struct error error = {0};
    struct error other = {0};
    struct buffer object = {0};
    struct object_part wanted;
    enum status ours = assemble_text(templates->assembly, text, "text", &error);
    enum status theirs = mc_assemble(templates->isa, text->data, "text", &object, &other);
    if (ours != theirs)
        fail_msg("'%s': %s, but MC: %s", text->data, ours == STATUS_OK ? "taken" : error.message,
                 theirs == STATUS_OK ? "takes it" : other.message);
    if (ours == STATUS_OK) {
        assert_int_equal(object_section(object.data, object.size, ".text", &wanted, &error), STATUS_OK);
        struct assembly_bytes found = assembly_section(templates->assembly, ".text");
        if (found.size != wanted.size || memcmp(found.bytes, wanted.bytes, wanted.size) != 0)
            fail_msg("%zu bytes, expected %zu, or others, of\n%s", found.size, wanted.size, text->data);
    }
    buffer_free(&object);
    return ours == STATUS_OK;
}

/* Numbers at and beside the edges of the ISA's fields, and within them. */
static int64_t random_number(const struct isa *isa, struct random *random)
{
    const struct number_classes *classes = &isa->numbers[1 + random_below(random, 2)];
    const struct number_class *class = &classes->items[random_below(random, (unsigned)classes->count)];
    int64_t count = (class->high - class->low) / class->multiple + 1;
    switch (random_below(random, 4)) {
    case 0:
        return class->low - (int64_t)random_below(random, 2) * class->multiple;
    case 1:
        return class->high + (int64_t)random_below(random, 2) * class->multiple;
    default:
        return class->low + (int64_t)random_below(random, (unsigned)count) * class->multiple;
    }
}

static void write_row(const struct toy *toy, const char *row, struct random *random, struct buffer *text)
{
    const struct isa *isa = toy->isa;
    unsigned registers = (unsigned)(toy->registers == 0 ? isa->register_count : toy->registers);
    for (; *row != '\0'; row++) {
        if (strncmp(row, "{r}", 3) == 0)
            buffer_text(text, isa->registers[random_below(random, registers)].whole);
        else if (strncmp(row, "{n}", 3) == 0)
            buffer_printf(text, "%" PRId64, random_number(isa, random));
        else
            buffer_append(text, row, 1);
        row += *row == '{' ? 2 : 0;
    }
    buffer_text(text, "\n");
}

static void random_lines_are_what_mc_makes_of_them(void **state)
{
    (void)state;
    struct random random = random_start(1, "second ISA");
    for (size_t t = 0; t < TOYS; t++) {
        struct template templates;
        unsigned rows = 0;
        unsigned taken = 0;
        open_toy(toys[t], &templates);
        while (toys[t]->rows[rows] != NULL)
            rows++;
        for (unsigned i = 0; i < LINES; i++) {
            struct buffer text = {0};
            write_row(toys[t], toys[t]->rows[random_below(&random, rows)], &random, &text);
            taken += compare(&templates, &text);
            buffer_free(&text);
        }
        assert_in_range(taken, LINES / 3, LINES - 1); /* the others are out of reach */
        template_free(&templates);
    }
}

static void whatever_programs_hold_is_assembled_alike(void **state)
{
    (void)state;
    for (size_t t = 0; t < TOYS; t++) {
        struct template templates;
        struct buffer text = {0};
        open_toy(toys[t], &templates);
        buffer_text(&text, toys[t]->lines);
        assert_true(compare(&templates, &text));
        buffer_free(&text);
        template_free(&templates);
    }
}

static void branches_reach_as_far_as_their_fields(void **state)
{
    (void)state;
    for (size_t t = 0; t < TOYS; t++) {
        struct template templates;
        open_toy(toys[t], &templates);
        for (const struct toy_branch *branch = toys[t]->branches; branch->text != NULL; branch++) {
            struct buffer text = {0};
            struct error error = {0};
            if (branch->distance < 0)
                buffer_printf(&text, "trauma_x:\n .skip %" PRId64 "\n", -branch->distance);
            buffer_printf(&text, " %s trauma_x\n", branch->text);
            if (branch->distance >= 0)
                buffer_printf(&text, " .skip %" PRId64 "\ntrauma_x:\n", branch->distance - 4);
            if (branch->reaches) {
                assert_true(compare(&templates, &text));
            } else {
                assert_int_equal(assemble_text(templates.assembly, &text, "text", &error), STATUS_FAILED);
                if (strstr(error.message, "trauma_x is too far") == NULL)
                    fail_msg("%s over %" PRId64 " bytes: %s", branch->text, branch->distance, error.message);
            }
            buffer_free(&text);
        }
        template_free(&templates);
    }
}

/* What mix.<op> counts, and a text's own memory. */
static void memory_counts_apart(void **state)
{
    (void)state;
    for (size_t t = 0; t < TOYS; t++) {
        struct buffer address = {0};
        for (const struct toy_count *count = toys[t]->counts; count->text != NULL; count++) {
            char name[32];
            assert_true(loop_mnemonic(toys[t]->isa, count->text, name, sizeof name));
            assert_string_equal(name, count->name);
        }
        isa_write_address(toys[t]->isa, 64, toys[t]->isa->registers[0].whole, &address);
        assert_string_equal(address.data, toys[t]->address);
        buffer_free(&address);
    }
}

/* Every displacement within a reach assembles in the ISA's own loads, and the next one beyond does not. */
static void reaches_are_those_of_the_instructions(void **state)
{
    (void)state;
    static const unsigned widths[] = {4, 8};
    for (size_t t = 0; t < TOYS; t++) {
        struct template templates;
        open_toy(toys[t], &templates);
        for (size_t w = 0; w < 2; w++) {
            const struct form *form =
                template_form(&templates, widths[w] == 4 ? "load.independent.4" : "load.independent.8");
            int64_t farthest = isa_farthest(toys[t]->isa, widths[w]);
            assert_non_null(form);
            assert_true(farthest > 0);
            for (int64_t n = farthest; n <= farthest + widths[w]; n += widths[w]) {
                struct buffer text = {0};
                struct error error;
                char number[TEXT_BYTES];
                snprintf(number, sizeof number, "%" PRId64, n);
                const char *base = toys[t]->isa->registers[1].whole;
                const struct binding bindings[] = {{"disp", number}, {"base", base}, {"value", base}};
                assert_int_equal(template_expand(&templates, form->text, bindings, 3, &text, &error),
                                 STATUS_OK);
                buffer_text(&text, "\n");
                assert_int_equal(compare(&templates, &text), isa_reaches(toys[t]->isa, widths[w], n));
                assert_int_equal(isa_reaches(toys[t]->isa, widths[w], n), n == farthest);
                buffer_free(&text);
            }
        }
        template_free(&templates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_lines_are_what_mc_makes_of_them),
        cmocka_unit_test(whatever_programs_hold_is_assembled_alike),
        cmocka_unit_test(branches_reach_as_far_as_their_fields),
        cmocka_unit_test(memory_counts_apart),
        cmocka_unit_test(reaches_are_those_of_the_instructions),
    };
    return cmocka_run_group_tests_name("isa/second_isa", tests, NULL, NULL);
}
