/* What a program says about its failure is joined to one line, and nothing of it is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/complaint.h"

#include <string.h>

static const char *joined(const char *said, const char *mark)
{
    static char text[COMPLAINT_BYTES];
    complaint_join(text, sizeof text, said, said == NULL ? 0 : strlen(said), mark);
    return text;
}

static void test_all_lines(void **state)
{
    (void)state;
    assert_string_equal(joined("valgrind: Startup or configuration error:\n"
                               "==7== noise\n"
                               "valgrind:    Can't create client cmdline file in /nonexistent/x\n"
                               "valgrind: Unable to start up properly.  Giving up.\n",
                               "valgrind:"),
                        "Startup or configuration error: Can't create client cmdline file in /nonexistent/x; "
                        "Unable to start up properly.  Giving up.");
    assert_string_equal(joined("one\r\n\n \ntwo\tthree", ""), "one; two three");
    assert_string_equal(joined("only others", "valgrind:"), "");
    assert_string_equal(joined("val", "valgrind:"), "");
    assert_string_equal(joined("", ""), "");
    assert_string_equal(joined(NULL, ""), "");
}

static void test_bounds(void **state)
{
    (void)state;
    char text[16];
    complaint_join(text, sizeof text, "line\nXX", 4, "");
    assert_string_equal(text, "line");
    complaint_join(text, sizeof text, "123456789012345", 15, ""); /* fits exactly */
    assert_string_equal(text, "123456789012345");
    complaint_join(text, sizeof text, "many lines\nand the reason", 25, "");
    assert_string_equal(text, "...  the reason");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_lines), cmocka_unit_test(test_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
