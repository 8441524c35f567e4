/* Suggestions for unknown words, and lists of names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/names.h"
#include "base/text/suggest.h"

#include <string.h>

static const char *const words[] = {"check", "gen", "list", "machine", "run"};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

static void the_nearest_word_is_meant(void **state)
{
    (void)state;
    assert_string_equal(suggest("gne", words, WORD_COUNT), "gen");
    assert_string_equal(suggest("chek", words, WORD_COUNT), "check");
    assert_string_equal(suggest("lsit", words, WORD_COUNT), "list");
    assert_string_equal(suggest("mashine", words, WORD_COUNT), "machine");
    assert_string_equal(suggest("runn", words, WORD_COUNT), "run");
    static const char *const machines[] = {"cortex-a53", "cortex-a72", "zen5"};
    assert_string_equal(suggest("a72", machines, 3), "cortex-a72");
    assert_null(suggest("cortex", machines, 3));
    static const char *const chips[] = {"mi100", "mi210", "mi300x", "mi300x-cpx"};
    assert_string_equal(suggest("mi300", chips, 4), "mi300x");
    assert_string_equal(suggest("mi30", chips, 4), "mi300x");
    assert_string_equal(suggest("mi110", chips, 4), "mi100");
}

static void what_is_far_is_not_meant(void **state)
{
    (void)state;
    char lengthy[1000];
    memset(lengthy, 'a', sizeof lengthy - 1);
    lengthy[sizeof lengthy - 1] = '\0';
    const char *const long_words[] = {lengthy};
    assert_null(suggest("xylophone", words, WORD_COUNT));
    assert_null(suggest("gen", words, 0));
    assert_null(suggest(lengthy, words, WORD_COUNT));
    assert_null(suggest("gen", long_words, 1));
}

static void advice_is_the_nearest_word_or_another(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, STATUS_USAGE, "no such word");
    suggest_hint(&error, "chek", words, WORD_COUNT, "see the list");
    assert_string_equal(error.hint, "did you mean 'check'?");
    suggest_hint(&error, "xylophone", words, WORD_COUNT, "see the list");
    assert_string_equal(error.hint, "see the list");
    suggest_hint(NULL, "chek", words, WORD_COUNT, "see the list");
}

static void lists_hold_their_names(void **state)
{
    (void)state;
    assert_true(names_contain("plan,bytes,perf", "plan"));
    assert_true(names_contain("plan,bytes,perf", "bytes"));
    assert_true(names_contain("plan,bytes,perf", "perf"));
    assert_true(names_contain(NULL, "anything"));
    assert_false(names_contain("plan,bytes", "perf"));
    assert_false(names_contain("plan,bytes", "byte"));
    assert_false(names_contain("plan,bytes", "ytes"));
    assert_false(names_contain("", "plan"));
}

static void the_first_unknown_name_is_found(void **state)
{
    (void)state;
    char text[8];
    assert_false(names_find_unknown("run,gen", words, WORD_COUNT, text, sizeof text));
    assert_false(names_find_unknown(NULL, words, WORD_COUNT, text, sizeof text));
    assert_true(names_find_unknown("run,nonsense,gen", words, WORD_COUNT, text, sizeof text));
    assert_string_equal(text, "nonsens");
    assert_true(names_find_unknown("run,", words, WORD_COUNT, text, sizeof text));
    assert_string_equal(text, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_word_is_meant),
        cmocka_unit_test(what_is_far_is_not_meant),
        cmocka_unit_test(advice_is_the_nearest_word_or_another),
        cmocka_unit_test(lists_hold_their_names),
        cmocka_unit_test(the_first_unknown_name_is_found),
    };
    return cmocka_run_group_tests_name("base/text", tests, NULL, NULL);
}
