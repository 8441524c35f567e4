/* The loops of templates/<isa>/probe.s: every text assembles, and every rate is that of an operation
 * available to recipes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/paths.h"
#include "isa/mc.h"
#include "isa/template.h"
#include "runner/probe/code.h"
#include "runner/probe/wide.h"
#include "tests/skip.h"

#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 32, TEXT_BYTES = 160, LEAST_RATES = 10 };

struct scene {
    struct template texts, rows;
};

static void open_scene(const struct isa *isa, struct scene *scene)
{
    char home[FILE_PATH_BYTES];
    struct error error;
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load_texts(home, isa, isa->probe, &scene->texts, &error), STATUS_OK);
    assert_int_equal(template_load(home, isa, &scene->rows, &error), STATUS_OK);
}

static void close_scene(struct scene *scene)
{
    template_free(&scene->texts);
    template_free(&scene->rows);
}

/* A row of rates with its first register, between its sections. */
static void check_rate(const struct scene *scene, const char *name, const char *const sections[3],
                       const char *text)
{
    char plain[WORD_BYTES];
    char one[WORD_BYTES];
    struct buffer source = {0};
    struct buffer object = {0};
    struct error error;
    const char *registers = template_section(&scene->texts, sections[0]);
    assert_non_null(registers);
    assert_int_equal(sscanf(registers, "%31s", one), 1);
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(name, "@"), name);
    if (template_form(&scene->rows, plain) == NULL)
        fail_msg("rate %s is of no operation", name);
    const struct binding binding = {"register", one};
    for (int i = 1; i <= 2; i++) {
        const char *section = template_section(&scene->texts, sections[i]);
        if (strcmp(sections[i], "-") != 0 && section == NULL)
            fail_msg("rate %s names section %s, which is not there", name, sections[i]);
        if (section != NULL)
            buffer_printf(&source, "%s\n", section);
    }
    assert_int_equal(template_expand(&scene->texts, text, &binding, 1, &source, &error), STATUS_OK);
    buffer_text(&source, "\n");
    if (mc_assemble(scene->texts.isa, source.data, name, &object, &error) != STATUS_OK)
        fail_msg("rate %s: %s", name, error.message);
    buffer_free(&source);
    buffer_free(&object);
}

static void rates_are_of_operations_and_assemble(void **state)
{
    (void)state;
    for (size_t i = 0; isa_table[i] != NULL; i++) {
        unsigned count = 0;
        struct scene scene;
        if (isa_table[i]->probe == NULL)
            continue;
        open_scene(isa_table[i], &scene);
        const char *line = template_section(&scene.texts, "rates");
        assert_non_null(line);
        for (; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
            char words[4][WORD_BYTES];
            char text[TEXT_BYTES];
            if (line[0] == '#' || line[0] == '\n')
                continue;
            if (sscanf(line, "%31s %31s %31s %31s %159[^\n]", words[0], words[1], words[2], words[3], text) !=
                5)
                fail_msg("a row of rates is not NAME REGISTERS BEFORE AFTER TEXT: %.80s", line);
            const char *const sections[] = {words[1], words[2], words[3]};
            check_rate(&scene, words[0], sections, text);
            count++;
        }
        assert_true(count >= LEAST_RATES);
        close_scene(&scene);
    }
}

/* Of the present processor: what is run, with every access that it may have. */
static void loops_can_be_made(void **state)
{
    (void)state;
    static const char *const bodies[] = {"clock", "chase", "nop", "adds", "branch", "call"};
    static const unsigned widths[] = {8, 16, 32, 64};
    struct template texts;
    struct error error;
    if (probe_texts_open(&texts, &error) == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        const struct probe_loop loop = {.body = bodies[i], .repeat = 3};
        struct probe_code code = {0};
        if (probe_code_make(&texts, &loop, &code, &error) != STATUS_OK)
            fail_msg("%s: %s", bodies[i], error.message);
        probe_code_free(&code);
    }
    struct machine machine = {.document = json_pack("{s:[s, s]}", "features", "avx", "avx512f")};
    const struct probe_request request = {.machine = &machine};
    struct probe probe = {.request = &request, .texts = texts};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        struct probe_access access;
        if (!probe_access_find(&probe, widths[i], &access))
            continue; /* not every ISA has all widths */
        for (int store = 0; store < 2; store++) {
            const struct probe_loop loop = {.before = "walk.before",
                                            .text = store ? access.store : access.load,
                                            .repeat = 4,
                                            .step = widths[i],
                                            .after = "walk.after"};
            struct probe_code code = {0};
            if (probe_code_make(&texts, &loop, &code, &error) != STATUS_OK)
                fail_msg("access of %u bytes: %s", widths[i], error.message);
            probe_code_free(&code);
        }
    }
    json_decref(machine.document);
    template_free(&texts);
}

/* A chain of zeros takes time, and leaves the words as they were. */
static void a_loop_runs_and_keeps_its_words(void **state)
{
    (void)state;
    static const struct probe_loop chain = {.body = "clock", .repeat = 100};
    struct template texts;
    struct error error;
    struct probe_code code = {0};
    if (probe_texts_open(&texts, &error) == STATUS_UNAVAILABLE)
        skip_because("%s", error.message);
    assert_int_equal(probe_code_make(&texts, &chain, &code, &error), STATUS_OK);
    struct probe_words words = {.first = 5, .second = 2, .third = 7, .fourth = 11};
    uint64_t ticks = probe_code_run(&code, 1000, &words);
    assert_true(ticks > 0);
    assert_int_equal(words.first, 5 + 2 * 100 * 1000);
    assert_int_equal(words.second, 2);
    assert_int_equal(words.third, 7);
    assert_int_equal(words.fourth, 11);
    probe_code_free(&code);
    template_free(&texts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_of_operations_and_assemble),
        cmocka_unit_test(loops_can_be_made),
        cmocka_unit_test(a_loop_runs_and_keeps_its_words),
    };
    return cmocka_run_group_tests_name("runner/probe_texts", tests, NULL, NULL);
}
