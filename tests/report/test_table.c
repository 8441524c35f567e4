/* Tables: columns as wide as their widest cell, aligned by character, and no cell that controls a terminal.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/table.h"

static const char TITLES[] = "name|>points|title";

static void add_row(struct table *table, const char *name, int points, const char *title)
{
    table_cell(table, "%s", name);
    table_cell(table, "%d", points);
    table_cell(table, "%s", title);
}

static void assert_written(struct table *table, bool styled, const char *wanted)
{
    struct buffer text = {0};
    table_write(table, styled, 0, &text);
    assert_string_equal(text.data, wanted);
    buffer_free(&text);
    table_free(table);
}

static void marks_have_their_reasons_below_once(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "b", 1, "x");
    table_doubt(&table, "disturbed", "b");
    table_doubt(&table, "disturbed", "b"); /* two numbers of one row */
    table_doubt(&table, "", "b");
    table_doubt(&table, "no clock", "c");
    table_doubt(&table, "disturbed", "c");
    table_doubt(&table, "no clock", "d");
    table_doubt(&table, "no clock", "e");
    table_doubt(&table, "no clock", "f");
    assert_written(&table, false,
                   "name  points  title\n"
                   "b          1  x\n"
                   "\n"
                   "? disturbed (b; c)\n"
                   "? no clock (4 rows)\n");
}

static void columns_fit_their_widest_cell(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "dcache", 33, "Power");
    add_row(&table, "b", 1000000, "Accuracy of branches");
    assert_written(&table, false,
                   "name     points  title\n"
                   "dcache       33  Power\n"
                   "b       1000000  Accuracy of branches\n");
}

static void a_table_without_rows_is_its_header(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    assert_written(&table, false, "name  points  title\n");
}

static void an_incomplete_row_ends_its_line(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    table_cell(&table, "alone");
    assert_written(&table, false, "name   points  title\nalone\n");
}

static void empty_cells_leave_no_blanks_behind(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "a", 1, "");
    assert_written(&table, false, "name  points  title\na          1\n");
}

static void characters_count_and_not_bytes(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table,
            "gr\xc3\xb6\xc3\x9f"
            "e",
            1, "x");
    add_row(&table, "groesse", 2, "y");
    assert_written(&table, false,
                   "name     points  title\n"
                   "gr\xc3\xb6\xc3\x9f"
                   "e         1  x\n"
                   "groesse       2  y\n");
}

static void control_characters_do_not_reach_the_terminal(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "a\nb", 1, "\x1b[31mred\x7f\xc2\x9b");
    assert_written(&table, false, "name  points  title\na\\nb       1  \\x1b[31mred\\x7f\\u009b\n");
}

static void a_styled_header_is_underlined_to_the_end_of_its_last_title(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "a", 1, "longer than the title");
    assert_written(&table, true,
                   "\033[4mname  points  title\033[0m\n"
                   "a          1  longer than the title\n");
}

static void many_cells_are_kept(void **state)
{
    (void)state;
    struct table table = table_of(">n");
    for (int i = 0; i < 1000; i++)
        table_cell(&table, "%d", i);
    struct buffer text = {0};
    table_write(&table, false, 0, &text);
    assert_int_equal(text.size, 4 * 1001);
    assert_memory_equal(text.data, "  n\n  0\n", 8);
    assert_string_equal(text.data + text.size - 4, "999\n");
    buffer_free(&text);
    table_free(&table);
}

/* On a terminal the last column goes on below itself, and a row never in the middle of a word. */
static void a_terminal_wraps_the_last_column(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    add_row(&table, "a", 1, "one two three four five six seven");
    add_row(&table, "b", 2, "   indented one two three four");
    struct buffer text = {0};
    table_write(&table, false, 40, &text);
    assert_string_equal(text.data, "name  points  title\n"
                                   "a          1  one two three four five\n"
                                   "              six seven\n"
                                   "b          2     indented one two three\n"
                                   "                   four\n");
    buffer_free(&text);
    table_write(&table, false, 30, &text);
    assert_string_equal(text.data, "name  points  title\n"
                                   "a          1  one two three four five six seven\n"
                                   "b          2     indented one two three four\n");
    buffer_free(&text);
    table_free(&table);
}

/* Equal sentences are one note; short ones stay in their cells. */
static void long_sentences_are_notes(void **state)
{
    (void)state;
    struct table table = table_of(TITLES);
    const char *const sentences[] = {
        "the library of the driver cannot be opened: no such file or directory, on this machine", "no",
        "the other library of the driver cannot be opened: no such file or\x1b directory here",
        "the library of the driver cannot be opened: no such file or directory, on this machine"};
    for (size_t i = 0; i < 4; i++) {
        char text[128];
        table_note(&table, sentences[i], text, sizeof text);
        table_cell(&table, "a");
        table_cell(&table, "%zu", i);
        table_cell(&table, "%s", text);
    }
    assert_written(
        &table, false,
        "name  points  title\n"
        "a          0  [1]\n"
        "a          1  no\n"
        "a          2  [2]\n"
        "a          3  [1]\n"
        "\n"
        "[1] the library of the driver cannot be opened: no such file or directory, on this machine\n"
        "[2] the other library of the driver cannot be opened: no such file or\\x1b directory here\n");
    char text[128];
    table_note(NULL, sentences[0], text, sizeof text);
    assert_string_equal(text, sentences[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_fit_their_widest_cell),
        cmocka_unit_test(marks_have_their_reasons_below_once),
        cmocka_unit_test(a_table_without_rows_is_its_header),
        cmocka_unit_test(an_incomplete_row_ends_its_line),
        cmocka_unit_test(empty_cells_leave_no_blanks_behind),
        cmocka_unit_test(characters_count_and_not_bytes),
        cmocka_unit_test(control_characters_do_not_reach_the_terminal),
        cmocka_unit_test(a_styled_header_is_underlined_to_the_end_of_its_last_title),
        cmocka_unit_test(many_cells_are_kept),
        cmocka_unit_test(a_terminal_wraps_the_last_column),
        cmocka_unit_test(long_sentences_are_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
