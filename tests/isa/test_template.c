/* Template files: what is read, what is refused with file and line, and that no bytes crash the reader. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/random.h"
#include "isa/template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char OPS[] = "# a comment\n"
                          "registers value rcx rdx\n"
                          "\n"
                          "add           3  addq  addq {data}, {accumulator}\n"
                          "add.dependent 3  addq  addq {value}, {accumulator}\n";
static const char SKELETON[] = "A comment.\n@section one\n    nop\n@section two\n    retq\n";

struct home {
    char folder[64];
    char isa[FILE_PATH_BYTES];
    char ops[FILE_PATH_BYTES];
};

static void put(const struct home *home, const char *name, const void *bytes, size_t size)
{
    char path[FILE_PATH_BYTES];
    assert_int_equal(file_write(file_join(path, home->isa, name), bytes, size, false, NULL), STATUS_OK);
}

static int set_up(void **state)
{
    struct home *home = calloc(1, sizeof *home);
    if (home == NULL)
        return 1;
    *state = home;
    strcpy(home->folder, "/tmp/trauma-template-XXXXXX");
    if (mkdtemp(home->folder) == NULL)
        return 1;
    file_join(home->isa, home->folder, "templates/x86_64");
    file_join(home->ops, home->isa, "ops.txt");
    if (file_make_folders(home->isa, NULL) != STATUS_OK)
        return 1;
    put(home, "ops.txt", OPS, strlen(OPS));
    put(home, "kernel.s", SKELETON, strlen(SKELETON));
    put(home, "start.s", SKELETON, strlen(SKELETON));
    return 0;
}

static int tear_down(void **state)
{
    struct home *home = *state;
    enum status status = file_remove_tree(home->folder, NULL);
    free(home);
    return status == STATUS_OK ? 0 : 1;
}

static void rows_and_sections_are_read(void **state)
{
    const struct home *home = *state;
    struct template templates;
    struct error error;
    assert_int_equal(template_load(home->folder, &isa_x86_64, &templates, &error), STATUS_OK);
    assert_int_equal(template_form(&templates, "add")->bytes, 3);
    assert_string_equal(template_form(&templates, "add.dependent")->text, "addq {value}, {accumulator}");
    assert_null(template_form(&templates, "sub"));
    assert_string_equal(template_variant(&templates, "add", "dependent")->name, "add.dependent");
    assert_string_equal(template_variant(&templates, "add", "other")->name, "add");
    assert_null(template_variant(&templates, "ad", "d"));
    assert_int_equal(template_pool(&templates, "value")->count, 2);
    assert_null(template_pool(&templates, "none"));
    assert_non_null(strstr(template_section(&templates, "two"), "retq"));
    assert_null(template_section(&templates, "three"));
    template_free(&templates);
}

static void wrong_rows_are_told_with_file_and_line(void **state)
{
    const struct home *home = *state;
    static const char *const rows[] = {"add",
                                       "add 3",
                                       "add 3 addq",
                                       "add 3 addq   ",
                                       "add three addq addq %rax, %rax",
                                       "add 0 addq addq %rax, %rax",
                                       "add -1 addq addq %rax, %rax",
                                       "registers",
                                       "registers value",
                                       "registers value rcx nonsense",
                                       "floating",
                                       "iterative",
                                       "floating add",
                                       "iterative div"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct template templates;
        struct error error = {0};
        snprintf(text, sizeof text, "# first\nregisters data rsi\n%s\n", rows[i]);
        put(home, "ops.txt", text, strlen(text));
        if (template_load(home->folder, &isa_x86_64, &templates, &error) != STATUS_FAILED)
            fail_msg("'%s' was read", rows[i]);
        assert_string_equal(error.file, home->ops);
        assert_int_equal(error.line, 3);
        template_free(&templates);
    }
}

/* What a row can do follows from its columns, its text and the lists, not from its name. */
static void traits_are_read_once(void **state)
{
    static const char rows[] = "registers vector xmm0 xmm1\n"
                               "floating mean\n"
                               "iterative root\n"
                               "fetch     7 prefetcht0< prefetcht0 {hit_line}({data})\n"
                               "mean      4 addsd addsd {operand}, {accumulator}\n"
                               "mean.chain 4 addsd addsd {accumulator:64}, {accumulator}\n"
                               "mean.16   4 addpd addpd {operand}, {accumulator}\n"
                               "means     4 addq addq {operand:32}, {accumulator:32}\n"
                               "root      3 divq divq {operand}; movq {quotient}, {remainder}\n"
                               "save.nt.8 9 movntiq> movntiq {stored}, {disp}({base})\n"
                               "flow      1 nop nop {operands}\n";
    static const struct {
        const char *name;
        unsigned traits;
    } wanted[] = {{"fetch", FORM_HITS_LINE | FORM_READS},
                  {"mean", FORM_OPERAND | FORM_ACCUMULATES | FORM_FLOATING},
                  {"mean.chain", FORM_ACCUMULATES | FORM_FLOATING | FORM_VARIANT},
                  {"mean.16", FORM_OPERAND | FORM_ACCUMULATES | FORM_FLOATING | FORM_VARIANT},
                  {"means", FORM_OPERAND | FORM_ACCUMULATES},
                  {"root", FORM_OPERAND | FORM_DIVIDES | FORM_ITERATIVE},
                  {"save.nt.8", FORM_WRITES | FORM_VARIANT},
                  {"flow", 0}};
    const struct home *home = *state;
    struct template templates;
    struct error error = {0};
    put(home, "ops.txt", rows, strlen(rows));
    if (template_load(home->folder, &isa_x86_64, &templates, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (template_form(&templates, wanted[i].name)->traits != wanted[i].traits)
            fail_msg("%s has the traits %#x", wanted[i].name,
                     template_form(&templates, wanted[i].name)->traits);
    template_free(&templates);
}

/* Without the list, floating-point operations would be given general registers. */
static void vectors_need_the_list_of_floating_point(void **state)
{
    const struct home *home = *state;
    static const char rows[] = "registers vector xmm0 xmm1\nfadd 4 addsd addsd {operand}, {accumulator}\n";
    struct template templates;
    struct error error = {0};
    put(home, "ops.txt", rows, strlen(rows));
    assert_int_equal(template_load(home->folder, &isa_x86_64, &templates, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "floating OP..."));
    template_free(&templates);
}

static void a_missing_file_is_named(void **state)
{
    const struct home *home = *state;
    struct template templates;
    struct error error;
    assert_int_equal(unlink(home->ops), 0);
    assert_int_equal(template_load(home->folder, &isa_x86_64, &templates, &error), STATUS_FAILED);
    assert_non_null(strstr(error.message, "ops.txt"));
    template_free(&templates);
}

static void names_are_filled_in(void **state)
{
    const struct home *home = *state;
    struct template templates;
    struct error error;
    struct buffer text = {0};
    const struct binding bindings[] = {{"a", "%rax"}, {"ab", "7"}};
    assert_int_equal(template_load(home->folder, &isa_x86_64, &templates, &error), STATUS_OK);
    assert_int_equal(template_expand(&templates, "x {ab}({a}) {a:32}{a}", bindings, 2, &text, &error),
                     STATUS_OK);
    assert_string_equal(text.data, "x 7(%rax) %eax%rax");
    static const char *const wrong[] = {"{b}", "{", "{a", "{a:16}", "{ab:32}", "{}", "{a }"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        if (template_expand(&templates, wrong[i], bindings, 2, &text, &error) != STATUS_FAILED)
            fail_msg("'%s' was filled in", wrong[i]);
    buffer_free(&text);
    template_free(&templates);
}

/* Bytes of files that are right, some of them changed: read or refused, but never a crash. */
static void changed_files_are_read_or_refused(void **state)
{
    const struct home *home = *state;
    struct random random = random_start(1, "fuzz");
    static const char odd[] = "@{}\n \t\0#.:,%x9\xff";
    for (int round = 0; round < 1500; round++) {
        char ops[sizeof OPS];
        char skeleton[sizeof SKELETON];
        memcpy(ops, OPS, sizeof ops);
        memcpy(skeleton, SKELETON, sizeof skeleton);
        for (uint32_t i = random_below(&random, 6); i > 0; i--)
            ops[random_below(&random, sizeof ops)] = odd[random_below(&random, sizeof odd)];
        for (uint32_t i = random_below(&random, 6); i > 0; i--)
            skeleton[random_below(&random, sizeof skeleton)] = odd[random_below(&random, sizeof odd)];
        put(home, "ops.txt", ops, random_below(&random, sizeof ops + 1));
        put(home, "kernel.s", skeleton, random_below(&random, sizeof skeleton + 1));
        struct template templates;
        struct error error = {0};
        enum status status = template_load(home->folder, &isa_x86_64, &templates, &error);
        assert_true(status == STATUS_OK || (status == STATUS_FAILED && error.message[0] != '\0'));
        template_free(&templates);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_and_sections_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(wrong_rows_are_told_with_file_and_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(traits_are_read_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(vectors_need_the_list_of_floating_point, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_missing_file_is_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_filled_in, set_up, tear_down),
        cmocka_unit_test_setup_teardown(changed_files_are_read_or_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("isa/template", tests, NULL, NULL);
}
