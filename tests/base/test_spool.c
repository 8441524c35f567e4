/* Spooled data is read back, from disk and from the write buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/spool.h"
#include "base/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3000 };

static size_t fill(unsigned number, char text[256])
{
    int size = snprintf(text, 256, "part %u ", number);
    size_t more = number * 7 % 200;
    memset(text + size, 'a' + number % 26, more);
    return (size_t)size + more;
}

static void parts_come_back_in_any_order(void **state)
{
    (void)state;
    struct spool spool = {0};
    struct error error;
    struct buffer bytes = {0};
    struct random random = random_start(1, "spool");
    static uint64_t starts[PARTS];
    char text[256];
    for (unsigned i = 0; i < PARTS; i++)
        assert_int_equal(spool_append(&spool, text, fill(i, text), &starts[i], &error), STATUS_OK);
    for (unsigned i = 0; i < PARTS; i++) {
        unsigned part = random_below(&random, PARTS);
        size_t size = fill(part, text);
        assert_int_equal(spool_read(&spool, starts[part], size, &bytes, &error), STATUS_OK);
        assert_int_equal(bytes.size, size);
        assert_memory_equal(bytes.data, text, size);
    }
    assert_int_equal(spool_read(&spool, 0, 0, &bytes, &error), STATUS_OK);
    assert_int_equal(bytes.size, 0);
    buffer_free(&bytes);
    spool_free(&spool);
}

static void a_folder_that_is_not_there_is_no_matter(void **state)
{
    (void)state;
    struct spool spool = {0};
    struct error error;
    struct buffer bytes = {0};
    uint64_t start;
    char large[100000];
    memset(large, 'x', sizeof large);
    setenv("TMPDIR", "/nowhere/at/all", 1);
    assert_int_equal(spool_append(&spool, large, sizeof large, &start, &error), STATUS_OK);
    unsetenv("TMPDIR");
    assert_int_equal(spool_read(&spool, start, sizeof large, &bytes, &error), STATUS_OK);
    assert_memory_equal(bytes.data, large, sizeof large);
    buffer_free(&bytes);
    spool_free(&spool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_come_back_in_any_order),
        cmocka_unit_test(a_folder_that_is_not_there_is_no_matter),
    };
    return cmocka_run_group_tests_name("base/spool", tests, NULL, NULL);
}
