/* The display of texts with control characters, marks that change the writing direction, or invalid UTF-8. */
#include "base/text/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static const struct {
    const char *text, *shown;
} texts[] = {
    {"", ""},
    {"plain, 0.5 [0.4, 0.6] % \\ '\"`", "plain, 0.5 [0.4, 0.6] % \\ '\"`"},
    {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 e\xcc\x81",
     "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x98\x80 e\xcc\x81"},
    {"\x1b[31mred\x1b]0;title\a", "\\x1b[31mred\\x1b]0;title\\x07"},
    {"a\nb\tc\rd\x7f", "a\\nb\\tc\\rd\\x7f"},
    {"\xc2\x9b"
     "31m",
     "\\u009b31m"}, /* CSI as one character */
    {"\xe2\x80\xae"
     "txt\xe2\x80\xac \xe2\x81\xa6\xe2\x81\xa9",
     "\\u202etxt\\u202c \\u2066\\u2069"},
    {"\xe2\x80\xa8\xe2\x80\xa9", "\\u2028\\u2029"},
    {"\xef\xbf\xbe\xef\xbf\xbf\xef\xbb\xbf", "\\ufffe\\uffff\\ufeff"},
    {"\x9b"
     "31m \xff\xfe",
     "\\x9b31m \\xff\\xfe"},                                          /* bytes of no UTF-8 */
    {"\xc0\xaf \xe0\x80\xaf", "\\xc0\\xaf \\xe0\\x80\\xaf"},          /* longer forms of '/' */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},                              /* half a surrogate pair */
    {"\xf4\x90\x80\x80 \xf8\x88", "\\xf4\\x90\\x80\\x80 \\xf8\\x88"}, /* beyond U+10FFFF */
    {"cut \xe2\x82", "cut \\xe2\\x82"},
};

static void shows_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct buffer shown = {0};
        buffer_text(&shown, "");
        visible_append(&shown, texts[i].text);
        assert_string_equal(shown.data, texts[i].shown);
        buffer_free(&shown);
    }
}

static void keeps_lines_where_asked(void **state)
{
    (void)state;
    struct buffer shown = {0};
    visible_append_lines(&shown, "a\n\tb\r\x1b[0m\n");
    assert_string_equal(shown.data, "a\n\tb\\r\\x1b[0m\n");
    buffer_free(&shown);
}

static void json_tells_the_same(void **state)
{
    (void)state;
    struct buffer shown = {0};
    visible_append_json(&shown, "{\"a\": \"\\u001b\x7f\xc2\x9b\xe2\x80\xae \xc2\xb1\"}\n");
    assert_string_equal(shown.data, "{\"a\": \"\\u001b\\u007f\\u009b\\u202e \xc2\xb1\"}\n");
    buffer_free(&shown);
}

/* Every byte string: what is shown is printable ASCII or whole characters, and shown again it stays as it is.
 */
static void is_stable(void **state)
{
    (void)state;
    for (uint32_t pair = 1; pair < 0x1000000; pair += 251) {
        const char text[] = {(char)(pair & 0xff), (char)(pair >> 8 & 0xff), (char)(pair >> 16), '\0'};
        struct buffer once = {0};
        struct buffer twice = {0};
        buffer_text(&once, "");
        buffer_text(&twice, "");
        visible_append(&once, text);
        visible_append(&twice, once.data);
        assert_string_equal(once.data, twice.data);
        buffer_free(&once);
        buffer_free(&twice);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shows_escapes),
                                       cmocka_unit_test(keeps_lines_where_asked),
                                       cmocka_unit_test(json_tells_the_same), cmocka_unit_test(is_stable)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
