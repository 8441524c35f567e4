/* Calibration's loop against simulated machines: some answer shallow conflicts with hits, distort a plan's
 * aims, add noise, or cannot show a rate at all. */
#include "base/random.h"
#include "runner/evidence/calibration_loop.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* A machine: what it shows of a rate is offset + gain * aim^power of the misses that its depth lets happen.
 */
struct toy {
    double target[TUNING_RATES]; /* 0: the recipe does not ask for it */
    double none_below;           /* depth up to which everything hits */
    double full_from;            /* depth from which all conflicts miss */
    double spills_from;          /* depth from which lines fall out of the next cache; 0: never */
    double refuses_from;         /* depth from which there is no plan; 0: never */
    double refuses_aim;          /* aim above which there is no plan; 0: none */
    double offset, gain, power, most;
    double noise, width, tolerance;
    unsigned bad_looks; /* so many looks at first are off by 0.05 */
    bool blind, broken;
    struct random random;
    double known_depth; /* that the loop is told */
    unsigned looks;
};

static struct toy plain(double target)
{
    return (struct toy){.target = {target}, .gain = 1, .power = 1, .most = 1, .tolerance = 0.01};
}

/* 0 to 1: the share of the conflicts that miss. */
static double share(const struct toy *toy, double depth)
{
    if (depth >= toy->full_from)
        return 1;
    return depth <= toy->none_below ? 0 : (depth - toy->none_below) / (toy->full_from - toy->none_below);
}

static double shown(struct toy *toy, const struct plan_tuning *tuning, size_t rate)
{
    double aim = tuning->aimed[rate] ? tuning->aim[rate] : toy->target[rate];
    double depth = tuning->depth > 0 ? tuning->depth : 2;
    double value = toy->offset + toy->gain * pow(aim, toy->power) * share(toy, depth);
    if (toy->spills_from > 0 && depth >= toy->spills_from)
        value += 0.02 * depth;
    if (toy->looks <= toy->bad_looks)
        value -= 0.05;
    value += toy->noise * (2 * (double)random_below(&toy->random, 1001) / 1000 - 1);
    return fmin(fmax(value, 0), toy->most);
}

static enum verdict judge(const struct toy *toy, const struct calibrate_rate *rate)
{
    double least = rate->target - toy->tolerance;
    double most = rate->target + toy->tolerance;
    if (rate->low >= least && rate->high <= most)
        return VERDICT_PASS;
    return rate->high < least || rate->low > most ? VERDICT_FAIL : VERDICT_INCONCLUSIVE;
}

static enum status look(void *context, const struct plan_tuning *tuning, struct calibrate_seen *seen,
                        struct error *error)
{
    struct toy *toy = context;
    toy->looks++;
    if (toy->broken)
        return error_set(error, STATUS_FAILED, "the program hangs");
    if (toy->refuses_from > 0 && tuning->depth >= toy->refuses_from)
        return error_set(error, STATUS_RECIPE, "too deep");
    if (toy->refuses_aim > 0 && tuning->aimed[0] && tuning->aim[0] > toy->refuses_aim)
        return error_set(error, STATUS_RECIPE, "no such rate");
    for (size_t i = 0; i < TUNING_RATES && !toy->blind; i++) {
        if (toy->target[i] == 0)
            continue;
        struct calibrate_rate *rate = &seen->rates[seen->count++];
        *rate = (struct calibrate_rate){.rate = (enum tuning_rate)i, .target = toy->target[i]};
        rate->value = shown(toy, tuning, i);
        rate->low = rate->value - toy->width / 2;
        rate->high = rate->value + toy->width / 2;
        rate->verdict = judge(toy, rate);
    }
    return STATUS_OK;
}

static struct calibrate_result run_from(struct toy *toy, struct plan_tuning tuning)
{
    struct calibrate_result result;
    struct calibrate_start start = {.tuning = tuning, .known_depth = toy->known_depth};
    struct error error = {0};
    assert_int_equal(calibrate(&start, look, toy, &result, &error), STATUS_OK);
    assert_in_range(result.count, 1, CALIBRATE_ROUNDS);
    assert_int_equal(result.count, toy->looks);
    return result;
}

static struct calibrate_result run(struct toy toy)
{
    return run_from(&toy, (struct plan_tuning){0});
}

static const struct plan_tuning *best(const struct calibrate_result *result)
{
    return &result->rounds[result->best].tuning;
}

static void what_passes_is_left_alone(void **state)
{
    (void)state;
    struct calibrate_result result = run(plain(0.37));
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_int_equal(result.count, 1);
    assert_false(tuning_is_set(best(&result)));
}

static void shallow_conflicts_become_deeper(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.full_from = 4;
    struct calibrate_result result = run_from(&toy, (struct plan_tuning){.depth = 1});
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 4, 0);
    assert_false(best(&result)->aimed[0]); /* the depth was at fault, not the aim */
}

static void it_goes_deeper_while_everything_hits(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.none_below = 6;
    toy.full_from = 8;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 8, 0);
}

static void a_depth_that_is_known_is_tried_first(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.none_below = 6;
    toy.full_from = 8;
    toy.known_depth = 8;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_int_equal(result.count, 2);
    toy.known_depth = 4; /* and is no more than a guess */
    result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 8, 0);
    toy = plain(0.37); /* where the plan's own serves, it stays */
    toy.known_depth = 8;
    result = run(toy);
    assert_false(tuning_is_set(best(&result)));
}

static void what_just_passes_gets_a_margin(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.full_from = 4;
    toy.width = 0.002;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 6, 0);
    toy.spills_from = 6; /* where there is room for one */
    result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 4, 0);
    toy.known_depth = 4; /* and once only */
    result = run(toy);
    assert_float_equal(best(&result)->depth, 4, 0);
}

static void conflicts_too_deep_become_shallower(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.spills_from = 4;
    struct calibrate_result result = run_from(&toy, (struct plan_tuning){.depth = 16});
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_int_equal(result.count, 2);
    assert_float_equal(best(&result)->depth, 2, 0);
    assert_false(best(&result)->aimed[0]);
    toy = plain(0.37); /* up too far is mended again */
    toy.full_from = 6;
    toy.spills_from = 8;
    result = run_from(&toy, (struct plan_tuning){.depth = 12});
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 6, 0);
    assert_false(best(&result)->aimed[0]);
}

static void a_bent_rate_gets_another_aim(void **state)
{
    (void)state;
    static const struct {
        double offset, gain, power;
    } curves[] = {{0.05, 0.9, 1}, {-0.1, 1, 1}, {0, 0.6, 1}, {0, 1, 2}, {0, 1, 0.5}, {0.1, 0.8, 3}};
    static const double targets[] = {0.11, 0.3, 0.37, 0.55};
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++) {
        for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++) {
            struct toy toy = plain(targets[k]);
            toy.offset = curves[i].offset;
            toy.gain = curves[i].gain;
            toy.power = curves[i].power;
            struct calibrate_result result = run(toy);
            assert_int_equal(result.end, CALIBRATE_REACHED);
            assert_true(result.count == 1 || best(&result)->aimed[0]);
        }
    }
}

static void a_spoilt_aim_comes_back(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    struct plan_tuning start = {.aimed = {true}, .aim = {0.05}};
    struct calibrate_result result = run_from(&toy, start);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_int_equal(result.count, 2);
    assert_float_equal(best(&result)->aim[0], 0.37, 1e-9);
    assert_float_equal(best(&result)->depth, 0, 0); /* what was aimed at was shown: the depth is well */
}

static void depth_and_aim_are_mended_together(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.full_from = 3;
    toy.offset = 0.04;
    toy.gain = 0.8;
    struct plan_tuning start = {.depth = 1, .aimed = {true}, .aim = {0.6}};
    assert_int_equal(run_from(&toy, start).end, CALIBRATE_REACHED);
}

static void what_cannot_be_reached_is_said_with_the_nearest(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.most = 0.21;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_UNREACHABLE);
    assert_int_equal(result.worst.rate, TUNING_L1D);
    assert_float_equal(result.worst.value, 0.21, 1e-9);
    assert_float_equal(result.worst.target, 0.37, 0);

    toy = plain(0.05); /* a machine that always misses more */
    toy.offset = 0.2;
    result = run(toy);
    assert_int_equal(result.end, CALIBRATE_UNREACHABLE);
    assert_float_equal(result.worst.value, 0.2, 1e-9);

    toy = plain(1); /* no aim is above 1 */
    toy.gain = 0.9;
    result = run(toy);
    assert_int_equal(result.end, CALIBRATE_UNREACHABLE);
    assert_float_equal(result.worst.value, 0.9, 1e-9);
}

static void noise_does_not_lead_astray(void **state)
{
    (void)state;
    unsigned reached = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct toy toy = plain(0.37);
        toy.random = random_start(seed, "noise");
        toy.tolerance = 0.03;
        toy.noise = 0.015;
        toy.width = 0.02;
        toy.gain = 0.7;
        toy.offset = seed % 2 == 0 ? 0 : 0.2;
        toy.full_from = seed % 3 == 0 ? 4 : 1;
        reached += run(toy).end != CALIBRATE_UNREACHABLE;
    }
    assert_in_range(reached, 196, 200);
}

static void a_bad_moment_bends_no_plan(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.bad_looks = 1;
    toy.width = 0.001;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_int_equal(result.count, 2);
    assert_false(tuning_is_set(best(&result)));
}

static void what_noise_hides_is_no_miss(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.width = 0.1;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_WITHIN_NOISE);
    assert_in_range(result.count, 2, 5);
    assert_false(tuning_is_set(best(&result)));
}

static void several_rates_are_moved_at_once(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.target[TUNING_L2] = 0.2;
    toy.target[TUNING_BRANCH] = 0.15;
    toy.offset = 0.06;
    toy.gain = 0.8;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_true(best(&result)->aimed[TUNING_L2] && best(&result)->aimed[TUNING_BRANCH]);
    assert_true(best(&result)->aim[TUNING_BRANCH] <= 0.5);
}

static void branches_have_no_depth(void **state)
{
    (void)state;
    struct toy toy = plain(0);
    toy.target[TUNING_BRANCH] = 0.2;
    toy.gain = 0.8;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_float_equal(best(&result)->depth, 0, 0);
    for (size_t i = 0; i < result.count; i++)
        assert_float_equal(result.rounds[i].tuning.depth, 0, 0);
}

static void plans_that_are_refused_are_gone_round(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    toy.full_from = 8;
    toy.refuses_from = 4;
    struct calibrate_result result = run(toy);
    assert_int_equal(result.end, CALIBRATE_REACHED); /* by aiming higher with what depth there is */
    assert_true(best(&result)->depth < 4);

    toy = plain(0.37);
    toy.gain = 0.8;
    toy.refuses_aim = 0.465;
    toy.power = 1.2;
    result = run(toy);
    assert_int_equal(result.end, CALIBRATE_UNREACHABLE);
    assert_true(result.worst.value > 0.8 * pow(0.42, 1.2)); /* halfway to what is refused is tried */

    toy = plain(0.37);
    toy.refuses_from = 5;
    result = run_from(&toy, (struct plan_tuning){.depth = 6});
    assert_int_equal(result.end, CALIBRATE_REACHED);
    assert_false(tuning_is_set(best(&result)));
}

static void what_nobody_sees_is_not_calibrated(void **state)
{
    (void)state;
    struct toy toy = plain(0.37);
    struct calibrate_start none = {.known_depth = 0};
    struct calibrate_result result;
    struct error error = {0};
    toy.blind = true;
    assert_int_equal(run(toy).end, CALIBRATE_UNSEEN);
    toy.broken = true;
    assert_int_equal(calibrate(&none, look, &toy, &result, &error), STATUS_FAILED);
    assert_string_equal(error.message, "the program hangs");
}

static void judged_rates_are_read(void **state)
{
    (void)state;
    static const char text[] = "{\"l1d.miss_rate\":{\"target\":0.37,\"verdict\":\"fail\",\"observations\":["
                               "{\"source\":\"plan\",\"value\":0.37,\"low\":0.37,\"high\":0.37},"
                               "{\"source\":\"perf\",\"value\":0.3,\"low\":0.29,\"high\":0.31}]},"
                               "\"l2.miss_rate\":{\"target\":null,\"verdict\":\"observed\",\"observations\":["
                               "{\"source\":\"perf\",\"value\":0.3,\"low\":0.29,\"high\":0.31}]},"
                               "\"branch.miss_rate\":{\"target\":0.1,\"verdict\":\"pass\",\"observations\":["
                               "{\"source\":\"timing\",\"value\":0.1,\"low\":0.1,\"high\":0.1}]}}";
    json_t *document = json_loads(text, 0, NULL);
    const struct result_rates none = {0};
    struct result_rates judged;
    struct calibrate_seen seen = {.count = 3};
    assert_non_null(document);
    result_rates_read(document, &judged);
    calibrate_rates(&judged, "perf", &seen);
    assert_int_equal(seen.count, 1);
    assert_int_equal(seen.rates[0].rate, TUNING_L1D);
    assert_int_equal(seen.rates[0].verdict, VERDICT_FAIL);
    assert_float_equal(seen.rates[0].low, 0.29, 0);
    calibrate_rates(&judged, "cachegrind", &seen);
    assert_int_equal(seen.count, 0);
    calibrate_rates(&none, "perf", &seen);
    assert_int_equal(seen.count, 0);
    result_rates_free(&judged);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_passes_is_left_alone),
        cmocka_unit_test(shallow_conflicts_become_deeper),
        cmocka_unit_test(it_goes_deeper_while_everything_hits),
        cmocka_unit_test(a_depth_that_is_known_is_tried_first),
        cmocka_unit_test(what_just_passes_gets_a_margin),
        cmocka_unit_test(conflicts_too_deep_become_shallower),
        cmocka_unit_test(a_bent_rate_gets_another_aim),
        cmocka_unit_test(a_spoilt_aim_comes_back),
        cmocka_unit_test(depth_and_aim_are_mended_together),
        cmocka_unit_test(what_cannot_be_reached_is_said_with_the_nearest),
        cmocka_unit_test(noise_does_not_lead_astray),
        cmocka_unit_test(a_bad_moment_bends_no_plan),
        cmocka_unit_test(what_noise_hides_is_no_miss),
        cmocka_unit_test(several_rates_are_moved_at_once),
        cmocka_unit_test(branches_have_no_depth),
        cmocka_unit_test(plans_that_are_refused_are_gone_round),
        cmocka_unit_test(what_nobody_sees_is_not_calibrated),
        cmocka_unit_test(judged_rates_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
