/* Marks of logarithmic axes: neither none nor too many, powers of two if the values are such. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "report/figure/figure_curves.h"
#include "report/figure/figure_ticks.h"
#include "runner/results/recorded_machine.h"

static void assert_ticks(const struct figure_ticks *ticks, const char *wanted)
{
    char all[512] = "";
    for (size_t i = 0; i < ticks->count; i++) {
        strcat(all, i == 0 ? "" : " ");
        strcat(all, ticks->labels[i]);
    }
    assert_string_equal(all, wanted);
}

static void a_flat_range_has_round_numbers(void **state)
{
    (void)state;
    struct figure_ticks ticks;
    figure_ticks_decimal(1755 / 1.5, 1755 * 1.5, &ticks);
    assert_ticks(&ticks, "1200 1400 1600 1800 2000 2200 2400 2600");
    figure_ticks_decimal(0.9, 1.1, &ticks);
    assert_true(ticks.count >= 3);
}

static void decades_are_parted_while_there_are_few(void **state)
{
    (void)state;
    struct figure_ticks ticks;
    figure_ticks_decimal(0.8, 90, &ticks);
    assert_ticks(&ticks, "1 2 5 10 20 50");
    figure_ticks_decimal(0.5, 20000, &ticks);
    assert_ticks(&ticks, "1 10 100 1000 10000");
}

/* From a flat line to the ends of what a double can be: some marks, inside, rising, and room for all. */
static void every_range_has_marks(void **state)
{
    (void)state;
    for (double low = 1e-200; low < 1e200; low *= 137)
        for (double factor = 1.5; factor < 1e90; factor *= factor) {
            struct figure_ticks ticks;
            figure_ticks_decimal(low, low * factor, &ticks);
            assert_true(ticks.count >= 1 && ticks.count <= FIGURE_TICKS);
            for (size_t i = 0; i < ticks.count; i++)
                assert_true(ticks.places[i] >= low && ticks.places[i] <= low * factor &&
                            (i == 0 || ticks.places[i] > ticks.places[i - 1]));
        }
}

static void sizes_are_powers_of_two(void **state)
{
    (void)state;
    struct figure_ticks ticks;
    figure_ticks_binary(100, 1200, false, &ticks);
    assert_ticks(&ticks, "128 256 512 1024");
    figure_ticks_binary(1024, 1 << 30, true, &ticks);
    assert_ticks(&ticks, "1 KiB 4 KiB 16 KiB 64 KiB 256 KiB 1 MiB 4 MiB 16 MiB 64 MiB 256 MiB 1 GiB");
    figure_ticks_sizes(0, 7 * 1024, &ticks);
    assert_ticks(&ticks, "0 B 1 KiB 2 KiB 3 KiB 4 KiB 5 KiB 6 KiB 7 KiB");
    figure_ticks_sizes(4096, 1 << 20, &ticks);
    assert_ticks(&ticks, "128 KiB 256 KiB 384 KiB 512 KiB 640 KiB 768 KiB 896 KiB 1 MiB");
    figure_ticks_binary(5, 7, false, &ticks);
    assert_int_equal(ticks.count, 0);
}

static bool are_binary(const double *x, size_t count)
{
    struct figure_sample samples[8];
    struct figure_line line = {.samples = samples, .count = count};
    const struct figure_panel panel = {.lines = &line, .line_count = 1};
    for (size_t i = 0; i < count; i++)
        samples[i] = (struct figure_sample){.x = x[i]};
    return figure_ticks_are_binary(&panel);
}

static void values_tell_their_base(void **state)
{
    (void)state;
    assert_true(are_binary((const double[]){1, 4, 32, 1024}, 4));
    assert_true(are_binary((const double[]){1024, 1280, 1536, 1792, 2048}, 5));
    assert_false(are_binary((const double[]){1, 10, 100, 1000}, 4));
    assert_false(are_binary((const double[]){0.25, 0.5, 1}, 3));
    assert_false(are_binary((const double[]){64}, 1));
}

static void caches_that_x_goes_past_are_marked(void **state)
{
    (void)state;
    struct figure_sample samples[] = {{.x = 1024}, {.x = 64 << 20}};
    struct figure_line line = {.samples = samples, .count = 2};
    struct figure_panel panel = {.lines = &line, .line_count = 1};
    struct arena arena = {0};
    json_t *machine = json_pack("{s:{s:{s:i}, s:{s:i}, s:{s:i}}, s:{s:i}}", "caches", "L1", "size", 256 << 10,
                                "L2", "size", 50 << 20, "L3", "size", 512 << 20, "gpu", "sides", 2);
    figure_mark_caches(&arena, recorded_machine_read(machine), &panel);
    assert_int_equal(panel.mark_count, 3);
    assert_string_equal(panel.marks[0].label, "L1 256 KiB");
    assert_string_equal(panel.marks[1].label, "half of L2 25 MiB");
    assert_string_equal(panel.marks[2].label, "L2 50 MiB");
    assert_true(panel.marks[0].x < panel.marks[1].x && panel.marks[1].x < panel.marks[2].x);
    json_decref(machine);
    arena_free(&arena);
}

/* A results file may hold any numbers: an axis of them has ticks or none, at once. */
static void any_range_ends(void **state)
{
    (void)state;
    static const double ends[] = {-INFINITY, -1e308, -1, 0, 5e-324, 1e-308, 1, 1e300, 1e308, INFINITY, NAN};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    struct figure_ticks ticks;
    for (int i = 0; i < ENDS; i++)
        for (int j = 0; j < ENDS; j++) {
            figure_ticks_decimal(ends[i], ends[j], &ticks);
            assert_true(ticks.count <= FIGURE_TICKS);
            figure_ticks_binary(ends[i], ends[j], true, &ticks);
            assert_true(ticks.count <= FIGURE_TICKS);
        }
    figure_ticks_decimal(1e300, nextafter(1e300, INFINITY), &ticks);
    assert_true(ticks.count <= FIGURE_TICKS);
    figure_ticks_decimal(1e-308, 1e308, &ticks);
    assert_in_range(ticks.count, 2, FIGURE_TICKS);
    figure_ticks_sizes(1, 1e300, &ticks);
    assert_in_range(ticks.count, 2, FIGURE_TICKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_flat_range_has_round_numbers),
                                       cmocka_unit_test(decades_are_parted_while_there_are_few),
                                       cmocka_unit_test(every_range_has_marks),
                                       cmocka_unit_test(sizes_are_powers_of_two),
                                       cmocka_unit_test(values_tell_their_base),
                                       cmocka_unit_test(caches_that_x_goes_past_are_marked),
                                       cmocka_unit_test(any_range_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
