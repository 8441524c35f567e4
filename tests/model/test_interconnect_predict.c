/* The paper's predictions from its model of moving data, for given counters: bandwidths, shares of dynamic
 * power, the two layouts, other caches and another technology (Adhinarayanan et al. 2016, sections VI to
 * VIII).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/model/document.h"

#include <math.h>
#include <string.h>

static const double CLOCK = 0.93e9;

/* constant 2 W/mm with an interval of 10 %, floor 0.12, a FirePro W9100's peak. */
static json_t *make_document(void)
{
    json_t *line = json_array();
    for (int i = 0; i < 5; i++)
        json_array_append_new(line, json_pack("{s:f, s:f, s:f, s:f}", "toggle", 0.25 * i, "value",
                                              2 * 0.25 * i + 0.12, "low", 0.9 * (2 * 0.25 * i + 0.12), "high",
                                              1.1 * (2 * 0.25 * i + 0.12)));
    return json_pack("{s:o, s:{s:{s:f, s:f, s:f, s:i, s:s}}, s:{s:f, s:f, s:f}, s:s, s:{s:f, s:f, s:f}}",
                     "line", line, "coefficients", "product", "value", 2.24, "low", 2.2, "high", 2.3, "n", 9,
                     "unit", "W/mm", "reference", "hz", CLOCK, "volts", 1.1687, "peak_bytes_per_s",
                     16 * 64 * CLOCK, "distance_unit", "mm", "settings", "reg_l1", 3.5, "l1_l2", 10.5,
                     "l2_mc", 11.5);
}

struct counts {
    double l1, hits, misses, to_l1, to_hits, to_misses, dynamic_w;
};

static void set(json_t *object, const char *name, double value)
{
    if (value >= 0)
        json_object_set_new(object, name, json_real(value));
}

/* In two seconds; counts below 0 are not told. */
static json_t *make_counters(struct counts counts)
{
    json_t *counters = json_pack("{s:f}", "seconds", 2.0);
    set(counters, "l1_accesses", counts.l1);
    set(counters, "l2_hits", counts.hits);
    set(counters, "l2_misses", counts.misses);
    set(counters, "to.l1_accesses", counts.to_l1);
    set(counters, "to.l2_hits", counts.to_hits);
    set(counters, "to.l2_misses", counts.to_misses);
    set(counters, "dynamic_w", counts.dynamic_w);
    return counters;
}

static const struct counts plain = {2e10, 6e9, 4e9, -1, -1, -1, -1};

static enum status predict(struct counts counts, struct model_settings settings, json_t **result,
                           struct error *error)
{
    json_t *document = make_document();
    json_t *counters = make_counters(counts);
    *result = NULL;
    enum status status = document_predict(&model_interconnect, document, counters, &settings, result, error);
    json_decref(document);
    json_decref(counters);
    return status;
}

static json_t *predict_well(struct counts counts, struct model_settings settings)
{
    json_t *result;
    struct error error;
    if (predict(counts, settings, &result, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    return result;
}

static const json_t *find(const json_t *result, const char *name, const char *unit)
{
    const json_t *part;
    size_t i;
    json_array_foreach(json_object_get(result, "parts"), i, part)
    {
        if (strcmp(json_string_or(part, "part", ""), name) == 0 &&
            strcmp(json_string_or(part, "unit", ""), unit) == 0)
            return part;
    }
    return NULL;
}

static void assert_part(const json_t *result, const char *name, const char *unit, double wanted,
                        double within)
{
    const json_t *part = find(result, name, unit);
    if (part == NULL)
        fail_msg("there is no %s in %s", name, unit);
    double value = json_number_or(part, "value", NAN);
    if (!(fabs(value - wanted) <= within))
        fail_msg("%s is %.6g %s instead of %.6g", name, value, unit, wanted);
    assert_true(json_number_or(part, "low", NAN) <= value && value <= json_number_or(part, "high", NAN));
}

static void bandwidth_is_of_the_papers_formulas(void **state)
{
    (void)state;
    json_t *result = predict_well(plain, (struct model_settings){.count = 0});
    double per_mm = (2 * 0.34 + 0.12) / (16 * 64 * CLOCK); /* W per mm and B/s */
    assert_part(result, "register-L1", "W", per_mm * 1e10 * 64 * 3.5, 1e-9);
    assert_part(result, "L1-L2", "W", per_mm * 5e9 * 64 * 10.5, 1e-9);
    assert_part(result, "L2-memory", "W", per_mm * 2e9 * 32 * 11.5, 1e-9);
    assert_null(find(result, "interconnect", "% of dynamic"));
    const json_t *part = find(result, "L1-L2", "W");
    assert_float_equal(json_number_or(part, "low", 0) / json_number_or(part, "value", 1), 0.9, 1e-9);
    json_decref(result);
}

static void settings_change_toggle_clock_and_voltage(void **state)
{
    (void)state;
    struct model_settings still = {.items = {{"toggle", 0}}, .count = 1};
    struct model_settings product = {.items = {{"toggle", 0}, {"product", 1}}, .count = 2};
    struct model_settings slow = {.items = {{"ghz", 0.465}, {"volts", 1.1687 / 2}, {"toggle", 0.34}},
                                  .count = 3};
    double moved = 5e9 * 64 / (16 * 64 * CLOCK) * 10.5;
    json_t *result = predict_well(plain, still);
    assert_part(result, "L1-L2", "W", 0.12 * moved, 1e-9);
    json_decref(result);
    result = predict_well(plain, product);
    assert_part(result, "L1-L2", "W", 0, 0);
    json_decref(result);
    /* The same bytes a second cost V^2 less, whatever the clock. */
    result = predict_well(plain, slow);
    assert_part(result, "L1-L2", "W", 0.8 * moved / 4, 1e-9);
    json_decref(result);
}

/* Figure 11's distances, in the figure's own units; shares of each segment's own peak, which the paper's
 * average needs: with bytes alone L2 to memory never carries more than half of L1 to L2, and every saving is
 * above 54 %. */
static void layouts_save_what_the_paper_says(void **state)
{
    (void)state;
    struct model_settings settings = {.items = {{"l1_l2", 17.0},
                                                {"l2_mc", 7.6},
                                                {"to_l1_l2", 3.5},
                                                {"to_l2_mc", 12.0},
                                                {"peak_l1_l2", 16 * 64 * CLOCK},
                                                {"peak_l2_mc", 16 * 32 * CLOCK}},
                                      .count = 6};
    /* eigen: hardly any of its references go to memory */
    json_t *result = predict_well((struct counts){2e10, 1e10, 0, -1, -1, -1, -1}, settings);
    assert_part(result, "change: L1-memory", "%", -79.4, 0.05);
    json_decref(result);
    /* the average application: two references of three to L2 go on */
    result = predict_well((struct counts){2e10, 0.3364e10, 0.6636e10, -1, -1, -1, -1}, settings);
    assert_part(result, "change: L1-memory", "%", -48, 0.05);
    assert_part(result, "change: L1-L2", "%", 100 * (3.5 / 17 - 1), 1e-9);
    assert_part(result, "change: L2-memory", "%", 100 * (12 / 7.6 - 1), 1e-9);
    json_decref(result);
    settings.count = 4;
    result = predict_well((struct counts){2e10, 0, 1e10, -1, -1, -1, -1}, settings);
    assert_part(result, "change: L1-memory", "%", 100 * ((3.5 + 6) / (17 + 3.8) - 1), 1e-9);
    json_decref(result);
}

/* Figures 13 and 14: power follows the counts that were taken with the other cache. */
static void other_caches_save_what_their_counters_say(void **state)
{
    (void)state;
    struct model_settings none = {.count = 0};
    /* L1 of 4 KB to 16 KB: 9 % on average, 37 % for swat */
    json_t *result = predict_well((struct counts){2e10, 6e9, 4e9, 2e10, 5.1e9, 4e9, -1}, none);
    assert_part(result, "change: L1-L2", "%", -9, 1e-9);
    assert_part(result, "change: L2-memory", "%", 0, 1e-9);
    json_decref(result);
    result = predict_well((struct counts){2e10, 6e9, 4e9, -1, 2.3e9, 4e9, -1}, none);
    assert_part(result, "change: L1-L2", "%", -37, 1e-9);
    json_decref(result);
    /* L2 of 256 KB to 1 MB: 9 % of what goes to memory, 25 % for comd */
    result = predict_well((struct counts){2e10, 6e9, 4e9, -1, 7e9, 3e9, -1}, none);
    assert_part(result, "change: L1-L2", "%", 0, 1e-9);
    assert_part(result, "change: L2-memory", "%", -25, 1e-9);
    json_decref(result);
}

static void caches_of_another_size_follow_a_power_law(void **state)
{
    (void)state;
    struct model_settings larger = {.items = {{"l1_size", 4}, {"to_l1_size", 16}}, .count = 2};
    json_t *result = predict_well((struct counts){2e10, 8e9, 2e9, -1, -1, -1, -1}, larger);
    assert_part(result, "change: L1-L2", "%", -50, 1e-9); /* four times the size, half the misses */
    assert_part(result, "change: L2-memory", "%", 0, 1e-9);
    assert_int_equal(json_array_size(json_object_get(result, "notes")), 1);
    json_decref(result);
    struct model_settings exponent = {.items = {{"l2_size", 1}, {"to_l2_size", 4}, {"miss_exponent", 0.3}},
                                      .count = 3};
    result = predict_well(plain, exponent);
    assert_part(result, "change: L2-memory", "%", 100 * (pow(4, -0.3) - 1), 1e-9);
    json_decref(result);
    /* A smaller L1 misses no more often than it is accessed. */
    struct model_settings tiny = {.items = {{"l1_size", 100}, {"to_l1_size", 1}}, .count = 2};
    result = predict_well((struct counts){2e10, 6e9, 4e9, -1, -1, -1, -1}, tiny);
    assert_part(result, "change: L1-L2", "%", 100, 1e-9);
    json_decref(result);
}

/* Section VII: 14.3 % of the dynamic power of "color" at 28 nm are 21.9 % at 7 nm when wires shrink 1.68
 * times less than transistors; the same factors make the average 5.6 % come to 9.1 %, where the mean over
 * applications, which a curve that bends down keeps below, is 8.9 %. */
static void technology_scales_wires_and_the_rest_apart(void **state)
{
    (void)state;
    struct model_settings shrink = {.items = {{"wire_factor", 0.2 * 1.6805}, {"transistor_factor", 0.2}},
                                    .count = 2};
    struct counts counts = plain;
    double moved = 0.8 / (16 * 64 * CLOCK) * (1e10 * 64 * 3.5 + 5e9 * 64 * 10.5 + 2e9 * 32 * 11.5);
    counts.dynamic_w = moved / 0.143;
    json_t *result = predict_well(counts, shrink);
    assert_part(result, "interconnect", "% of dynamic", 14.3, 1e-9);
    assert_part(result, "what if: interconnect", "% of dynamic", 21.9, 0.01);
    assert_part(result, "what if: interconnect", "W", 0.2 * 1.6805 * moved, 1e-9);
    assert_null(find(result, "change: interconnect", "%"));
    json_decref(result);
    counts.dynamic_w = moved / 0.056;
    result = predict_well(counts, shrink);
    assert_part(result, "what if: interconnect", "% of dynamic", 9.07, 0.01);
    json_decref(result);
}

static void another_toggle_rate_moves_the_rest_not(void **state)
{
    (void)state;
    struct model_settings random = {.items = {{"to_toggle", 0.5}}, .count = 1};
    struct counts counts = plain;
    counts.dynamic_w = 100;
    json_t *result = predict_well(counts, random);
    double base = json_number_or(find(result, "interconnect", "W"), "value", NAN);
    assert_part(result, "change: interconnect", "%", 40, 1e-9);
    assert_part(result, "what if: interconnect", "% of dynamic", 100 * 1.4 * base / (100 + 0.4 * base), 1e-9);
    json_decref(result);
}

static void assert_refused(struct counts counts, struct model_settings settings, const char *reason)
{
    json_t *result;
    struct error error = {0};
    assert_int_equal(predict(counts, settings, &result, &error), STATUS_USAGE);
    if (strstr(error.message, reason) == NULL)
        fail_msg("'%s' is not in: %s", reason, error.message);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    const struct model_settings none = {.count = 0};
    struct counts counts = {-1, -1, -1, -1, -1, -1, -1};
    assert_refused(counts, none, "has both a distance and traffic");
    counts = plain;
    counts.hits = 6e10;
    assert_refused(counts, none, "above its peak");
    counts = plain;
    counts.dynamic_w = 0.1;
    assert_refused(counts, none, "more than all dynamic power");
    assert_refused(plain, (struct model_settings){.items = {{"toggle", 2}}, .count = 1}, "0 to 1");
    assert_refused(plain, (struct model_settings){.items = {{"to_l1_size", 2}}, .count = 1},
                   "needs the present size");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bandwidth_is_of_the_papers_formulas),
        cmocka_unit_test(settings_change_toggle_clock_and_voltage),
        cmocka_unit_test(layouts_save_what_the_paper_says),
        cmocka_unit_test(other_caches_save_what_their_counters_say),
        cmocka_unit_test(caches_of_another_size_follow_a_power_law),
        cmocka_unit_test(technology_scales_wires_and_the_rest_apart),
        cmocka_unit_test(another_toggle_rate_moves_the_rest_not),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
