/* The model "access-energy" on a machine with the energies of Delestrac et al. 2024, table II: they are
 * found, lie in their intervals under the noise of NVML, and what the data cannot determine is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "synthetic.h"
#include "tests/model/document.h"
#include "tests/model/points.h"
#include "tests/trials.h"

#include <string.h>

static const struct {
    const char *level;
    double pj;
    double busy_w; /* dynamic, with all threads */
} truth[] = {{"SHARED", 82.1, 95}, {"L1", 107, 110}, {"L2", 368, 120}, {"MEM", 2090, 160}};
enum { LEVELS = 4, THREADS = 5, LENGTHS = 5, REPS = 3 };

/* Few threads leave the chip waiting at its own expense: 15 times as much at one thread (section V). */
static const double threads[THREADS] = {1, 32, 256, 512, 1024};
static const double factors[THREADS] = {15, 2, 1.02, 1, 1};
static const double lengths_s[LENGTHS] = {2, 4, 6, 8, 10};

static const double IDLE_W = 62;
static const double DELTA_J = 0.5;

static json_t *measure(const struct synthetic_meter *meter, size_t level, size_t of, double seconds,
                       struct random *random)
{
    double joules = 1e-12 * truth[level].pj * factors[of];
    double rate = truth[level].busy_w / (1e-12 * truth[level].pj) * fmin(1, threads[of] / 256);
    double loads = round(rate * seconds);
    double watts = (IDLE_W + (loads * joules + DELTA_J) / seconds) * synthetic_shift(meter, random);
    char metric[32];
    struct synthetic_mean idle = synthetic_idle(meter, IDLE_W, IDLE_W, 10, random);
    json_t *reps = json_array();
    for (size_t i = 0; i < REPS; i++) {
        struct synthetic_mean mean = synthetic_watch(meter, watts, watts, seconds, random);
        json_array_append_new(reps, json_pack("{s:i, s:f, s:{s:f}}", "iterations", 1, "seconds", seconds,
                                              "energy_j", "nvml", mean.value * seconds));
    }
    snprintf(metric, sizeof metric, "served.%s", truth[level].level);
    return json_pack("{s:s, s:{s:f}, s:{s:f, s:f, s:i}, s:o, s:{s:[s], s:o}, s:{s:o}}", "recipe", "accesses",
                     "point", "threads", threads[of], "per_pass", "instructions", loads, "loads", loads,
                     "stores", 0, "reps", reps, "power", "from", "nvml", "power.static_w",
                     synthetic_interval(idle.value, idle.error), "rates", metric, synthetic_rate(1));
}

static json_t *measure_all(const struct synthetic_meter *meter, uint64_t seed)
{
    struct random random = random_start(seed, "nvml");
    json_t *points = json_array();
    for (size_t i = 0; i < LEVELS; i++)
        for (size_t j = 0; j < THREADS; j++)
            for (size_t k = 0; k < LENGTHS; k++)
                json_array_append_new(points, measure(meter, i, j, lengths_s[k], &random));
    return points;
}

/* Takes points. */
static enum status fit(json_t *points, json_t *document, struct error *error)
{
    static const struct model_settings none;
    struct dataset dataset = {0};
    points_add(&dataset, points);
    enum status status = document_fit(&model_access_energy, &dataset, &none, document, error);
    dataset_free(&dataset);
    json_decref(points);
    return status;
}

static json_t *fit_well(const struct synthetic_meter *meter, uint64_t seed)
{
    struct error error;
    json_t *document = json_object();
    if (fit(measure_all(meter, seed), document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    return document;
}

static struct interval epsilon_pj(const json_t *document, size_t level)
{
    struct interval seen = {0};
    char name[32];
    snprintf(name, sizeof name, "epsilon.%s", truth[level].level);
    assert_true(document_coefficient(document, name, &seen));
    return (struct interval){1e12 * seen.value, 1e12 * seen.low, 1e12 * seen.high, seen.n};
}

/* A GPU's points tell the sectors of a pass instead of loads. */
static void energies_of_a_gpus_sectors_are_the_same(void **state)
{
    (void)state;
    struct error error;
    json_t *points = measure_all(&(struct synthetic_meter){.period_s = 0.1}, 1), *document = json_object();
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point)
    {
        json_t *pass = json_object_get(point, "per_pass");
        double loads = json_number_or(pass, "loads", 0);
        const char *served = json_object_iter_key(json_object_iter(json_object_get(point, "rates")));
        json_object_clear(pass);
        json_object_set_new(pass, "instructions", json_integer(64));
        for (size_t level = 0; level < LEVELS; level++) {
            char key[32];
            bool here = strcmp(served + strlen("served."), truth[level].level) == 0;
            snprintf(key, sizeof key, "transfers.%s", truth[level].level);
            json_object_set_new(pass, key, json_real(here ? loads : 0));
        }
    }
    if (fit(points, document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t level = 0; level < LEVELS; level++)
        assert_float_equal(epsilon_pj(document, level).value / truth[level].pj, 1, 1e-6);
    json_decref(document);
}

/* Sectors of loads with so many divisions beside each, four threads to a sector, and so many blocks. */
static void append_gpu(json_t *points, double divisions, double blocks, double pj)
{
    static const double of[] = {32, 1024};
    for (size_t i = 0; i < 2; i++)
        for (double seconds = 2; seconds < 8; seconds += 2) {
            double sectors = 1e12 * seconds / 100;
            double joules = sectors * pj * 1e-12 + seconds * IDLE_W;
            json_t *point = json_pack(
                "{s:s, s:{s:f, s:f, s:f}, s:[{s:i, s:f, s:{s:f}}], s:{s:[s], s:o}, s:{s:o}}", "recipe", "div",
                "point", "threads", of[i], "div", divisions, "per_sm", blocks, "reps", "iterations", 1,
                "seconds", seconds, "energy_j", "nvml", joules, "power", "from", "nvml", "power.static_w",
                synthetic_interval(IDLE_W, 0), "rates", "served.L1", synthetic_rate(1));
            json_object_set_new(point, "per_pass",
                                json_pack("{s:f, s:f, s:f, s:f, s:f}", "accesses.L1", 4 * sectors,
                                          "transfers.SHARED", 0.0, "transfers.L1", sectors, "transfers.L2",
                                          0.0, "transfers.MEM", 0.0));
            json_array_append_new(points, point);
        }
}

/* Points with an operation, or with other blocks, are lines of their own: loads are not told to cost more,
 * and the operation's energy is the difference (the paper's figure 8). */
static void an_operation_beside_loads_costs_the_difference(void **state)
{
    (void)state;
    struct error error;
    struct interval found;
    json_t *points = json_array(), *document = json_object();
    append_gpu(points, 0, 1, 110);
    append_gpu(points, 2, 1, 110 + 4 * 2 * 2000);
    append_gpu(points, 0, 2, 107);
    if (fit(points, document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_float_equal(epsilon_pj(document, 1).value, 107, 1e-3);
    assert_true(document_coefficient(document, "div.L1", &found));
    assert_float_equal(1e12 * found.value, 2000, 1e-2);
    assert_int_equal(json_array_size(json_object_get(document, "lines")), 6);
    assert_int_equal(json_array_size(json_object_get(document, "operations")), 2);
    json_decref(document);
}

static double part_of(const json_t *result, const char *name)
{
    size_t i;
    json_t *part;
    json_array_foreach(json_object_get(result, "parts"), i,
                       part) if (strcmp(json_string_value(json_object_get(part, "part")), name) ==
                                 0) return json_number_or(part, "value", -1);
    return -1;
}

/* What Nsight Compute counts is taken as accesses of 32 bytes of the level that had them. */
static void a_profilers_sectors_are_broken_down(void **state)
{
    (void)state;
    static const struct model_settings none;
    struct error error;
    json_t *result = NULL, *document = fit_well(&(struct synthetic_meter){.period_s = 0.1}, 1);
    json_t *counters =
        json_pack("{s:f, s:f, s:f, s:f, s:f}", "gpu_l1_hits", 1e9, "gpu_l2_hits", 2e9, "gpu_l2_writes", 1e9,
                  "gpu_memory_read_bytes", 32e9, "gpu_shared_wavefronts", 1e9);
    assert_int_equal(document_predict(&model_access_energy, document, counters, &none, &result, &error),
                     STATUS_OK);
    assert_float_equal(part_of(result, "L1"), 0.107, 1e-6);
    assert_float_equal(part_of(result, "L2"), 3 * 0.368, 1e-6);
    assert_float_equal(part_of(result, "MEM"), 2.090, 1e-6);
    assert_float_equal(part_of(result, "SHARED"), 4 * 0.0821, 1e-6);
    json_decref(result);
    json_decref(counters);
    json_decref(document);
}

static void energies_without_noise_are_the_papers(void **state)
{
    (void)state;
    struct interval delta;
    json_t *document = fit_well(&(struct synthetic_meter){.period_s = 0.1}, 1);
    for (size_t i = 0; i < LEVELS; i++)
        assert_float_equal(epsilon_pj(document, i).value / truth[i].pj, 1, 1e-6);
    assert_true(document_coefficient(document, "delta.L2", &delta));
    assert_float_equal(delta.value, DELTA_J, 1e-4);
    /* One thread tells 15 times as much, and every line stays in the document. */
    const json_t *line = json_array_get(json_object_get(document, "lines"), 0);
    assert_int_equal(json_array_size(json_object_get(document, "lines")), LEVELS * THREADS);
    assert_float_equal(1e12 * json_number_or(json_object_get(line, "epsilon_j"), "value", 0) / (15 * 82.1), 1,
                       1e-6);
    json_decref(document);
}

/* What seeds make of each level's energies under that meter, of so many of the numbers of threads, the most.
 */
static bool judge(const char *trial, const struct synthetic_meter *meter, size_t of)
{
    enum { SEEDS = TRIALS_MACHINES(1000) };
    struct synthetic_tally epsilons[LEVELS] = {{0}}, deltas[LEVELS] = {{0}};
    bool good = true;
    double wide = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct random random = random_start(seed, "nvml");
        json_t *points = json_array(), *document = json_object();
        struct error error;
        for (size_t i = 0; i < LEVELS; i++)
            for (size_t j = THREADS - of; j < THREADS; j++)
                for (size_t k = 0; k < LENGTHS; k++)
                    json_array_append_new(points, measure(meter, i, j, lengths_s[k], &random));
        if (fit(points, document, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        for (size_t i = 0; i < LEVELS; i++) {
            struct interval epsilon = epsilon_pj(document, i), delta;
            char name[32];
            snprintf(name, sizeof name, "delta.%s", truth[i].level);
            assert_true(document_coefficient(document, name, &delta));
            synthetic_count(&epsilons[i], truth[i].pj, epsilon.value, epsilon.low, epsilon.high);
            synthetic_count(&deltas[i], DELTA_J, delta.value, delta.low, delta.high);
        }
        json_decref(document);
    }
    for (size_t i = 0; i < LEVELS; i++) {
        good = synthetic_good(&epsilons[i], trial, truth[i].level, 1.3) && good;
        good = synthetic_good(&deltas[i], trial, "delta", 1.3) && good;
        wide += synthetic_width(&epsilons[i]) / LEVELS;
        double width = epsilons[i].width / (double)epsilons[i].trials;
        good = good && fabs(epsilons[i].sum / (double)epsilons[i].trials) < 0.15 * width;
    }
    printf("   %s, %zu numbers of threads: %.2f times as wide as forced\n", trial, of, wide);
    return !TRIALS_JUDGED || (good && wide <= 1.3);
}

/* Readings every 100 ms, of a chip whose power moves by some watts, or by many; points that are off as a
 * whole, which a quiet meter shows in no repetition. */
static void intervals_hold_the_truth_and_are_no_wider_than_noise_forces(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        struct synthetic_meter meter;
    } trials[] = {{"3 W", {.noise_w = 3, .step_w = 1, .period_s = 0.1}},
                  {"3 W, shifted", {.noise_w = 3, .step_w = 1, .period_s = 0.1, .shift = 5e-4}},
                  {"20 W", {.noise_w = 20, .step_w = 1, .period_s = 0.1}},
                  {"0.3 W", {.noise_w = 0.3, .period_s = 0.1}},
                  {"0.3 W, shifted", {.noise_w = 0.3, .period_s = 0.1, .shift = 5e-4}}};
    bool good = true;
    for (size_t i = 0; i < sizeof trials / sizeof trials[0]; i++)
        for (size_t of = 1; of <= THREADS; of += THREADS - 1)
            good = judge(trials[i].name, &trials[i].meter, of) && good;
    assert_true(good);
}

/* Takes points; as trauma fit does. */
static enum status fit_all(json_t *points, json_t *document, struct error *error)
{
    static const struct model_settings none;
    struct dataset dataset = {0};
    points_add(&dataset, points);
    enum status status = document_fit(&model_access_energy, &dataset, &none, document, error);
    dataset_free(&dataset);
    json_decref(points);
    return status;
}

static void set_parameter(json_t *points, const char *name, json_t *value)
{
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point) json_object_set(json_object_get(point, "point"), name, value);
    json_decref(value);
}

/* The least over threads would be that of the data, or of the clock, that takes least. */
static void conditions_that_are_not_named_are_not_pooled(void **state)
{
    (void)state;
    const struct synthetic_meter meter = {.noise_w = 0.1, .period_s = 0.1};
    static const char *const names[] = {"data", "ghz", "size"};
    for (size_t i = 0; i < 3; i++) {
        struct error error = {0};
        json_t *document = json_object();
        json_t *points = measure_all(&meter, 1);
        json_t *others = measure_all(&meter, 2);
        set_parameter(points, names[i], i == 0 ? json_string("zeros") : json_real(1));
        set_parameter(others, names[i], i == 0 ? json_string("random") : json_real(2));
        json_array_extend(points, others);
        json_decref(others);
        assert_int_equal(fit_all(points, document, &error), STATUS_USAGE);
        if (strstr(error.message, names[i]) == NULL)
            fail_msg("'%s' does not name %s", error.message, names[i]);
        json_decref(document);
    }
    /* The length of a loop is what is swept. */
    struct error error = {0};
    json_t *document = json_object();
    json_t *points = measure_all(&meter, 1);
    for (size_t i = 0; i < json_array_size(points); i++)
        json_object_set_new(json_object_get(json_array_get(points, i), "point"), "seconds",
                            json_real(lengths_s[i % LENGTHS]));
    if (fit_all(points, document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    json_decref(document);
}

/* A bad point would win: of several estimates the least is taken. */
static void a_point_that_is_not_to_be_trusted_does_not_win(void **state)
{
    (void)state;
    struct error error = {0};
    json_t *document = json_object();
    json_t *points = measure_all(&(struct synthetic_meter){.period_s = 0.1}, 1);
    size_t i;
    json_t *point;
    json_array_foreach(points, i, point)
    {
        if (json_number_or(json_object_get(point, "point"), "threads", 0) != 512)
            continue;
        json_object_set_new(json_object_get(point, "power"), "verdict", json_string("untrustworthy"));
        for (size_t j = 0; j < REPS; j++) {
            json_t *rep = json_array_get(json_object_get(point, "reps"), j);
            double seconds = json_number_or(rep, "seconds", 0);
            json_object_set_new(json_object_get(rep, "energy_j"), "nvml", json_real((IDLE_W + 40) * seconds));
        }
    }
    if (fit_all(points, document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t level = 0; level < LEVELS; level++)
        assert_float_equal(epsilon_pj(document, level).value / truth[level].pj, 1, 1e-6);
    assert_int_equal(json_number_or(json_object_get(document, "left_out"), "untrustworthy", 0),
                     LEVELS * LENGTHS);
    json_decref(document);
}

/* Memory alone reaches the meter's end, at many threads: at few, which do not, it would cost 15 times as
 * much.
 */
static void a_level_at_a_meters_end_is_left_out(void **state)
{
    (void)state;
    struct error error = {0};
    struct interval none;
    json_t *document = json_object();
    const struct synthetic_meter ends = {.noise_w = 0.5, .period_s = 0.1, .limit_w = IDLE_W + 140};
    if (fit_all(measure_all(&ends, 1), document, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (size_t level = 0; level + 1 < LEVELS; level++)
        assert_float_equal(epsilon_pj(document, level).value / truth[level].pj, 1, 1e-2);
    assert_false(document_coefficient(document, "epsilon.MEM", &none));
    assert_int_equal(json_number_or(json_object_get(document, "left_out"), "saturated", 0),
                     THREADS * LENGTHS);
    json_decref(document);
}

/* The point on a share of the chip, of whose power so much is taken whenever a loop runs. */
static json_t *on_a_share(const json_t *point, double share, double awake_w)
{
    json_t *made = json_deep_copy(point), *pass = json_object_get(made, "per_pass"), *rep;
    size_t i;
    json_object_set_new(json_object_get(made, "point"), "share", json_real(share));
    json_object_set_new(pass, "loads", json_real(json_number_or(pass, "loads", 0) * share));
    json_array_foreach(json_object_get(made, "reps"), i, rep)
    {
        json_t *joules = json_object_get(json_object_get(rep, "energy_j"), "nvml");
        double seconds = json_number_or(rep, "seconds", 1);
        double loops = json_number_value(joules) - (IDLE_W + awake_w) * seconds - DELTA_J;
        json_real_set(joules, json_number_value(joules) - (1 - share) * loops);
    }
    return made;
}

/* Loops on a share of the chip belong to the line of the whole: power whenever one runs shows by them, and
 * without them the first line says that nothing does. */
static void shares_of_the_chip_test_the_form(void **state)
{
    (void)state;
    const struct synthetic_meter meter = {.noise_w = 3, .step_w = 1, .period_s = 0.1};
    for (int kind = 0; kind < 3; kind++) {
        struct error error = {0};
        size_t i;
        json_t *point, *document = json_object(), *points = measure_all(&meter, 1), *shared = json_array();
        json_array_foreach(points, i, point)
        {
            /* The last points of the first two levels, of the most threads, also on half and a quarter of the
             * chip. */
            if (kind > 0 && i < 2 * THREADS * LENGTHS && (i + 1) % (THREADS * LENGTHS) == 0)
                for (double share = 0.5; share > 0.2; share /= 2)
                    json_array_append_new(shared, on_a_share(point, share, kind == 2 ? 10 : 0));
        }
        json_array_extend(points, shared);
        json_decref(shared);
        if (fit_all(points, document, &error) != STATUS_OK)
            fail_msg("%s", error.message);
        const char *first = json_string_value(json_array_get(json_object_get(document, "disbelief"), 0));
        static const char *const said[] = {"which is not tested", NULL, "a power whenever the loop runs"};
        if ((first == NULL) != (said[kind] == NULL) || (first != NULL && strstr(first, said[kind]) == NULL))
            fail_msg("kind %d: '%s'", kind, first == NULL ? "nothing" : first);
        json_decref(document);
    }
}

/* ---- refusals ---- */

static void expect_refusal(json_t *points, const char *words)
{
    struct error error = {0};
    json_t *document = json_object();
    assert_int_equal(fit(points, document, &error), STATUS_USAGE);
    if (strstr(error.message, words) == NULL)
        fail_msg("'%s' says nothing of '%s'", error.message, words);
    json_decref(document);
}

static void what_the_data_cannot_tell_is_refused(void **state)
{
    (void)state;
    const struct synthetic_meter exact = {.period_s = 0.1};
    struct random random = random_start(1, "refusals");
    json_t *point;
    size_t i;
    json_t *points = json_array();
    for (size_t k = 0; k < 2; k++)
        json_array_append_new(points, measure(&exact, 1, 4, lengths_s[k], &random));
    expect_refusal(points, "2 loop lengths cannot determine a slope");

    points = measure_all(&exact, 1);
    json_array_foreach(points, i, point) json_object_del(json_object_get(point, "power"), "power.static_w");
    expect_refusal(points, "no dynamic energy");

    points = measure_all(&exact, 1);
    json_array_foreach(points, i, point) json_object_del(point, "rates");
    expect_refusal(points, "a single level");

    /* All levels at the meter's end, which is said with what is missing. */
    struct error error = {0};
    json_t *document = json_object();
    points = measure_all(&(struct synthetic_meter){.period_s = 0.1, .limit_w = IDLE_W + 40}, 1);
    assert_int_equal(fit_all(points, document, &error), STATUS_USAGE);
    assert_non_null(strstr(error.message, "the meter is saturated"));
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energies_without_noise_are_the_papers),
        cmocka_unit_test(energies_of_a_gpus_sectors_are_the_same),
        cmocka_unit_test(an_operation_beside_loads_costs_the_difference),
        cmocka_unit_test(a_profilers_sectors_are_broken_down),
        cmocka_unit_test(intervals_hold_the_truth_and_are_no_wider_than_noise_forces),
        cmocka_unit_test(conditions_that_are_not_named_are_not_pooled),
        cmocka_unit_test(a_point_that_is_not_to_be_trusted_does_not_win),
        cmocka_unit_test(a_level_at_a_meters_end_is_left_out),
        cmocka_unit_test(shares_of_the_chip_test_the_form),
        cmocka_unit_test(what_the_data_cannot_tell_is_refused),
    };
    return cmocka_run_group_tests_name("model/access-energy", tests, NULL, NULL);
}
