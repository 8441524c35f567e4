/* The names with which templates are expanded, for programs of processors and GPUs alike: one that does not
 * fit ends the emission with a reason, and replaces no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/emit/bindings.h"
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

static const char *const isas[] = {"x86_64", "ptx", "gcn"};
enum { ISAS = sizeof isas / sizeof isas[0] };

static void open_templates(const char *isa, struct template *templates, struct error *error)
{
    assert_int_equal(template_load(TRAUMA_SOURCE_DIR, isa_find(isa), templates, error), STATUS_OK);
}

static void names_without_room_are_refused(void **state)
{
    static char names[BINDINGS_MOST + 1][16];
    char said[ISAS][256];
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        struct template templates;
        struct error error = {0};
        struct buffer text = {0};
        open_templates(isas[i], &templates, &error);
        struct bindings bindings = {.templates = &templates, .error = &error};
        for (unsigned n = 0; n <= BINDINGS_MOST; n++) {
            assert_int_equal(bindings_expand(&bindings, "", &text), STATUS_OK);
            snprintf(names[n], sizeof names[n], "name_%u", n);
            if (n % 3 == 0)
                bindings_number(&bindings, names[n], n);
            else
                bindings_set(&bindings, names[n], "%u", n);
        }
        assert_string_equal(bindings_value(&bindings, "name_127"), "127");
        assert_null(bindings_value(&bindings, "name_128"));
        assert_int_equal(bindings_expand(&bindings, "{name_1}", &text), STATUS_FAILED);
        assert_int_equal(bindings_section(&bindings, "kernel", &text), STATUS_FAILED);
        assert_int_equal(bindings_row(&bindings, template_form(&templates, "nop"), NULL, &text),
                         STATUS_FAILED);
        assert_non_null(strstr(error.message, "{name_128}"));
        snprintf(said[i], sizeof said[i], "%s", strchr(error.message, ':'));
        assert_string_equal(said[i], said[0]); /* one sentence for all */
        buffer_free(&text);
        template_free(&templates);
    }
}

static void values_are_not_cut(void **state)
{
    (void)state;
    for (int i = 0; i < ISAS; i++) {
        struct template templates;
        struct error error = {0};
        struct buffer text = {0};
        char longest[2 * BINDINGS_VALUE] = "";
        memset(longest, 'r', BINDINGS_VALUE);
        open_templates(isas[i], &templates, &error);
        struct bindings bindings = {.templates = &templates, .error = &error};
        bindings_set(&bindings, "short", "%0*d", BINDINGS_VALUE - 1, 1);
        bindings_text(&bindings, "any", longest);
        assert_int_equal(bindings_expand(&bindings, "{short}{any}", &text), STATUS_OK);
        assert_int_equal(text.size, 2 * BINDINGS_VALUE - 1);
        struct bindings other = bindings;
        bindings_set(&bindings, "long", "%0*d", BINDINGS_VALUE, 1);
        assert_int_equal(bindings_expand(&bindings, "{short}", &text), STATUS_FAILED);
        assert_non_null(strstr(error.message, "{long}"));
        bindings_register(&other, "far", longest);
        assert_int_equal(bindings_expand(&other, "{short}", &text), STATUS_FAILED);
        assert_non_null(strstr(error.message, "{far}"));
        buffer_free(&text);
        template_free(&templates);
    }
}

/* A row's instructions have a line each, with the ISA's line end; the last is open for a comment. */
static void rows_are_lines(void **state)
{
    static const struct {
        const char *isa, *lines;
    } wanted[] = {{"x86_64", "    one a\n    two a"}, {"ptx", "    one a;\n    two a;"}};
    const struct form form = {.name = "form", .text = "one {x}; two {x}"};
    (void)state;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct template templates;
        struct error error = {0};
        struct buffer text = {0};
        size_t last = 0;
        open_templates(wanted[i].isa, &templates, &error);
        struct bindings bindings = {.templates = &templates, .error = &error};
        bindings_set(&bindings, "x", "%s", "a");
        assert_int_equal(bindings_row(&bindings, &form, &last, &text), STATUS_OK);
        assert_string_equal(text.data, wanted[i].lines);
        assert_string_equal(text.data + last, strrchr(text.data, '\n') + 1);
        assert_int_equal(bindings_row(&bindings, NULL, NULL, &text), STATUS_FAILED);
        buffer_free(&text);
        template_free(&templates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names_without_room_are_refused),
                                       cmocka_unit_test(values_are_not_cut),
                                       cmocka_unit_test(rows_are_lines)};
    return cmocka_run_group_tests_name("generator/bindings", tests, NULL, NULL);
}
