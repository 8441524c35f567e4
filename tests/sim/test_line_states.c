/* The states of lines that cores hold, by sequences whose outcome follows from MESI's definition. */
#include "sim/qemu/share_board.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Makes the accesses of one line in turn: "0r", "1w", a capital letter for one of the watched code, "-f" for
 * a flush. For each access how other cores held the line (n, s, e, m), "!" if it was taken from one, and "1"
 * if it was the first use. */
static void run(const char *accesses, const char *wanted)
{
    static const char letters[] = {
        [LINE_NOWHERE] = 'n', [LINE_SHARED] = 's', [LINE_EXCLUSIVE] = 'e', [LINE_MODIFIED] = 'm'};
    struct line_holders line = {0};
    char seen[64];
    size_t used = 0;
    for (const char *at = accesses; *at != '\0'; at += at[2] == ' ' ? 3 : 2) {
        if (at[1] == 'f') {
            line_states_flush(&line);
            continue;
        }
        bool is_use = at[1] == 'R' || at[1] == 'W';
        struct line_found found =
            line_states_access(&line, (unsigned)(at[0] - '0'), at[1] == 'w' || at[1] == 'W', is_use);
        seen[used++] = letters[found.elsewhere];
        if (found.taken)
            seen[used++] = '!';
        if (found.first)
            seen[used++] = '1';
    }
    seen[used] = '\0';
    assert_string_equal(seen, wanted);
}

static void one_core(void **state)
{
    (void)state;
    run("0r 0r 0w 0r 0w", "nnnnn");
}

static void reads(void **state)
{
    (void)state;
    run("0r 1r 2r 0r", "ne!s!s"); /* exclusive, then shared; who holds a line takes it from nobody */
    run("0w 1r 0r 0w", "nm!ss!"); /* a read leaves a modified line shared, and a write takes it back */
    run("0w 1r 1w 0r", "nm!s!m!");
}

static void writes(void **state)
{
    (void)state;
    run("0w 1w 0w 1w", "nm!m!m!");
    run("0r 1w 0r", "ne!m!");
    run("0r 1r 2w 0r 1r", "ne!s!m!s!");
}

static void flushes(void **state)
{
    (void)state;
    run("0w -f 1r", "nn");
    run("0r 1r -f 0r 1r", "ne!ne!");
}

/* A use is the first again when another core has touched the line, or after a flush. */
static void uses(void **state)
{
    (void)state;
    run("0R 0R 0r 0R", "n1nnn");
    run("0w 1R 1R 0w 1R", "nm!1ss!m!1");
    run("0R 1r 0R 0R", "n1e!s1s");
    run("0R -f 0R", "n1n1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_core), cmocka_unit_test(reads),
                                       cmocka_unit_test(writes), cmocka_unit_test(flushes),
                                       cmocka_unit_test(uses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
