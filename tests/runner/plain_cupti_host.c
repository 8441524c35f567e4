/* CUPTI's host functions: no GPU is needed, only the library. Skipped where it is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/devices/cupti/cupti_library.h"
#include "runner/sources/events/event_folder.h"
#include "tests/runner/says_why_not.h"

#include <stdlib.h>
#include <string.h>

static struct cupti_library library;

static int open_library(void **state)
{
    struct error error;
    (void)state;
    if (cupti_library_open(&library, &error) == STATUS_OK)
        return 0;
    print_message("skipped: %s\n", error.message);
    exit(77);
}

/* The events of the chip's file, as CUPTI knows them: which passes count them all. */
static void expect_file(const char *chip, unsigned major, unsigned minor, bool two_sides)
{
    const struct event_processor processor = {"NVIDIA", major, minor, "gpu", NULL};
    struct event_table *table = calloc(1, sizeof *table);
    struct error error;
    struct cupti_host host;
    const char *names[EVENT_TABLE_EVENTS];
    if (event_folder_table(&processor, table, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < table->event_count; i++)
        names[i] = table->events[i].code;
    if (cupti_host_open(&library, chip, NULL, names, table->event_count, &host, &error) != STATUS_OK)
        fail_msg("%s: %s", chip, error.message);
    print_message("%s: %zu counters in %zu passes\n", chip, table->event_count, host.passes);
    assert_true(host.passes >= 1 && host.passes <= 8);
    assert_int_equal(says_why_not(table, "l2.far_share"), !two_sides);
    cupti_host_close(&host);
    event_table_free(table);
    free(table);
}

static void the_files_names_are_the_chips(void **state)
{
    (void)state;
    expect_file("TU102", 7, 5, false);
    expect_file("GA100", 8, 0, true);
    expect_file("GA102", 8, 6, false);
    expect_file("AD102", 8, 9, false);
    expect_file("GH100", 9, 0, true);
    expect_file("GB100", 10, 0, true);
    expect_file("GB202", 12, 0, false);
}

static void what_a_chip_lacks_is_named(void **state)
{
    (void)state;
    const char *fabric = "lts__t_sectors_srcunit_ltcfabric_op_read.sum";
    const char *names[] = {"smsp__inst_executed.sum", fabric};
    struct cupti_host host;
    struct error error;
    assert_true(cupti_host_has(&library, "GH100", NULL, fabric));
    assert_false(cupti_host_has(&library, "AD102", NULL, fabric));
    assert_int_equal(cupti_host_open(&library, "AD102", NULL, names, 2, &host, &error), STATUS_UNAVAILABLE);
    assert_non_null(
        strstr(error.message, "AD102 has no counter lts__t_sectors_srcunit_ltcfabric_op_read.sum"));
    cupti_host_close(&host);
    assert_int_equal(cupti_host_open(&library, "G80", NULL, names, 1, &host, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "the counters of the chip G80"));
    cupti_host_close(&host);
}

static void a_library_that_is_none_is_said(void **state)
{
    (void)state;
    struct cupti_library other;
    struct error error;
    setenv("TRAUMA_CUPTI", "/nowhere/libcupti.so", 1);
    assert_int_equal(cupti_library_open(&other, &error), STATUS_UNAVAILABLE);
    assert_non_null(
        strstr(error.message, "/nowhere/libcupti.so, which TRAUMA_CUPTI names, cannot be opened"));
    setenv("TRAUMA_CUPTI", "libm.so.6", 1);
    assert_int_equal(cupti_library_open(&other, &error), STATUS_UNAVAILABLE);
    assert_non_null(strstr(error.message, "is not CUPTI of CUDA 12.6 or newer"));
    unsetenv("TRAUMA_CUPTI");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_files_names_are_the_chips),
        cmocka_unit_test(what_a_chip_lacks_is_named),
        cmocka_unit_test(a_library_that_is_none_is_said),
    };
    return cmocka_run_group_tests(tests, open_library, NULL);
}
