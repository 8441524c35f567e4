/* Pages of a given width: prose is filled, columns continue below themselves, and nothing is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/wrap.h"

#include <string.h>

static void assert_page(const char *text, size_t width, const char *wanted)
{
    struct buffer page = {0};
    wrap_page(text, width, &page);
    assert_string_equal(page.data, wanted);
    buffer_free(&page);
}

static void prose_is_filled(void **state)
{
    (void)state;
    assert_page("one two three four\nfive six\n\nseven\n", 14, "one two three\nfour five six\n\nseven\n");
    assert_page("no end of the line", 80, "no end of the line\n");
}

static void columns_go_on_under_themselves(void **state)
{
    (void)state;
    assert_page("  -x, --ex    one two three\n", 22, "  -x, --ex    one two\n              three\n");
    assert_page("name  one two three\n", 13, "name  one two\n      three\n");
}

/* Short lines of columns are no paragraph, and neither is what is indented. */
static void columns_are_not_joined(void **state)
{
    (void)state;
    assert_page("a  one\nb  two\n", 80, "a  one\nb  two\n");
    assert_page("text:\n  a command\n  another\n", 80, "text:\n  a command\n  another\n");
}

static void a_word_that_is_too_long_stands_alone(void **state)
{
    (void)state;
    assert_page("a incomprehensibilities b\n", 8, "a\nincomprehensibilities\nb\n");
    assert_page("   incomprehensibilities b\n", 8, "   incomprehensibilities\n   b\n");
}

/* A column too far to the right leaves no room for words: they go on at the left. */
static void a_narrow_last_column_goes_on_at_the_left(void **state)
{
    (void)state;
    assert_page("  --a-rather-long-option  text of it\n", 30, "  --a-rather-long-option  text\n    of it\n");
}

/* Two bytes of UTF-8 are one column. */
static void columns_count_characters(void **state)
{
    (void)state;
    assert_page("\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6 u\n", 5, "\xc3\xa4\xc3\xa4 \xc3\xb6\xc3\xb6\nu\n");
}

/* Of any text and width every word stays, in its order. */
static void no_word_is_lost(void **state)
{
    (void)state;
    static const char *const lines[] = {"a bc  d", "", "  e f", "g", "   hi  jk l", "m n o p q r s"};
    for (size_t width = 1; width < 30; width++) {
        struct buffer text = {0};
        struct buffer page = {0};
        for (size_t i = 0; i < 3 * sizeof lines / sizeof lines[0]; i++)
            buffer_printf(&text, "%s\n", lines[i * (width + 1) % (sizeof lines / sizeof lines[0])]);
        wrap_page(text.data, width, &page);
        const char *a = text.data;
        const char *b = page.data;
        for (;;) {
            a += strspn(a, " \n");
            b += strspn(b, " \n");
            if (*a == '\0' || *b == '\0')
                break;
            assert_int_equal(*a++, *b++);
        }
        assert_int_equal(*a, '\0');
        assert_int_equal(*b, '\0');
        buffer_free(&text);
        buffer_free(&page);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prose_is_filled),
        cmocka_unit_test(columns_go_on_under_themselves),
        cmocka_unit_test(columns_are_not_joined),
        cmocka_unit_test(a_word_that_is_too_long_stands_alone),
        cmocka_unit_test(a_narrow_last_column_goes_on_at_the_left),
        cmocka_unit_test(columns_count_characters),
        cmocka_unit_test(no_word_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
