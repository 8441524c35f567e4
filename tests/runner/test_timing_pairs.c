/* The matrix of turns between cores, of machines that there are not: a timer and a clock that are computed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "runner/sources/timing/timing_pairs.h"
#include "tests/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 128 };

/* Two sockets of 64 cores, clusters of eight. */
static const double CLUSTER_NS = 40, SOCKET_NS = 110, FAR_NS = 230;

struct fake {
    double now_s;
    struct random random;
    unsigned seen[MOST][MOST];
    size_t calls, largest;
    double company;         /* factor on pairs that have company */
    int contrary[2], times; /* this pair's halves contradict, so many times */
    int disturbed[2];       /* others always interrupt this one */
    int missing;            /* copies cannot start here */
};

static double time_of(int a, int b)
{
    return a / 64 != b / 64 ? FAR_NS : a / 8 != b / 8 ? SOCKET_NS : CLUSTER_NS;
}

static bool is_pair(const int cpus[2], const struct core_pair *pair)
{
    return cpus[0] == pair->cpus[0] && cpus[1] == pair->cpus[1];
}

static void time_fake(void *context, const struct core_pair *pairs, size_t count, struct turn_rounds *found)
{
    struct fake *fake = context;
    bool used[MOST] = {false};
    fake->calls++;
    fake->largest = count > fake->largest ? count : fake->largest;
    for (size_t i = 0; i < count; i++) {
        const int *cpus = pairs[i].cpus;
        assert_false(used[cpus[0]] || used[cpus[1]]); /* pairs are disjoint */
        used[cpus[0]] = used[cpus[1]] = true;
        fake->seen[cpus[0]][cpus[1]]++;
        found[i] = (struct turn_rounds){.count = TURN_ROUNDS};
        bool contrary = is_pair(fake->contrary, &pairs[i]) && fake->times != 0;
        fake->times -= contrary;
        for (size_t j = 0; j < TURN_ROUNDS; j++) {
            double ns = time_of(cpus[0], cpus[1]) * (1 + random_below(&fake->random, 1000) / 50e3);
            ns *= count > 1 && fake->company > 0 ? fake->company : 1;
            ns *= contrary && j >= TURN_ROUNDS / 2 ? 1.5 : 1;
            ns *= is_pair(fake->disturbed, &pairs[i]) ? 1 + random_below(&fake->random, 1000) / 100.0 : 1;
            found[i].ns[j] = ns;
        }
        if (cpus[0] == fake->missing || cpus[1] == fake->missing)
            error_set(&found[i].error, STATUS_UNAVAILABLE, "no processor %d", fake->missing);
    }
    fake->now_s += 0.05 + 0.004 * (double)count;
}

static double fake_now(void *context)
{
    return ((struct fake *)context)->now_s;
}

static void no_progress(void *context, size_t done, size_t all)
{
    (void)context;
    assert_true(done <= all);
}

struct matrix {
    struct core_pair *pairs;
    size_t count;
    struct pair_timer timer;
    struct timed_pairs timed;
    double took_s;
};

static struct fake fake_of(void)
{
    return (struct fake){.random = random_start(7, "turns"), .missing = -1};
}

/* All pairs of the processors. */
static struct matrix measure(struct fake *fake, const int *cpus, size_t count)
{
    struct matrix matrix = {.pairs = calloc(count * count, sizeof(struct core_pair)),
                            .timer = {time_fake, fake_now, no_progress, fake}};
    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++)
            matrix.pairs[matrix.count++] = (struct core_pair){{cpus[i], cpus[j]}};
    timed_pairs_open(matrix.pairs, matrix.count, 1, &matrix.timer, &matrix.timed);
    memset(fake->seen, 0, sizeof fake->seen);
    double begin_s = fake->now_s;
    timed_pairs_measure(&matrix.timed);
    matrix.took_s = fake->now_s - begin_s;
    return matrix;
}

static void close_matrix(struct matrix *matrix)
{
    timed_pairs_close(&matrix->timed);
    free(matrix->pairs);
}

static const int *first(size_t count)
{
    static int cpus[MOST];
    for (size_t i = 0; i < count; i++)
        cpus[i] = (int)i;
    return cpus;
}

static const struct turn_time *time_in(const struct matrix *matrix, int a, int b)
{
    for (size_t i = 0; i < matrix->count; i++)
        if (matrix->pairs[i].cpus[0] == a && matrix->pairs[i].cpus[1] == b)
            return &matrix->timed.times[i];
    fail();
    return NULL;
}

static void check_clean(const struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->count; i++) {
        const struct turn_time *time = &matrix->timed.times[i];
        double wanted = time_of(matrix->pairs[i].cpus[0], matrix->pairs[i].cpus[1]);
        assert_int_equal(time->withheld.code, STATUS_OK);
        assert_string_equal(time->doubt, "");
        assert_true(fabs(time->ns.value / wanted - 1) < 0.02);
        assert_true(time->ns.low <= time->ns.value && time->ns.value <= time->ns.high);
    }
}

static void many_cores_take_minutes_as_estimated(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 3, 5, 16, 33, TRIALS_JUDGED ? 128 : 72};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct fake fake = fake_of();
        struct matrix matrix = measure(&fake, first(counts[i]), counts[i]);
        size_t rounds = counts[i] % 2 == 0 ? counts[i] - 1 : counts[i];
        assert_int_equal(matrix.timed.rounds, rounds);
        assert_int_equal(fake.largest, counts[i] / 2);
        assert_true(matrix.took_s < 300);
        assert_true(fabs(matrix.timed.estimated_s / matrix.took_s - 1) < 0.2);
        for (size_t a = 0; a < counts[i]; a++)
            for (size_t b = a + 1; b < counts[i]; b++)
                assert_true(fake.seen[a][b] == 1 || fake.seen[a][b] == 2); /* twice: in the sample, too */
        assert_int_equal(matrix.timed.again, 0);
        assert_int_equal(matrix.timed.alone, counts[i] < 4 ? 0 : counts[i] == 5 ? 10 : 16);
        assert_int_equal(matrix.timed.apart, 0);
        check_clean(&matrix);
        close_matrix(&matrix);
    }
}

/* Processors of a cpuset, in which some are missing, and those of one core's row alone. */
static void holes_and_rows_of_one_core_are_arranged(void **state)
{
    (void)state;
    static const int cpus[] = {1, 4, 5, 9, 66, 127};
    struct fake fake = fake_of();
    struct matrix matrix = measure(&fake, cpus, 6);
    assert_int_equal(matrix.timed.rounds, 5);
    check_clean(&matrix);
    close_matrix(&matrix);
    struct core_pair row[9];
    struct pair_timer timer = {time_fake, fake_now, no_progress, &fake};
    struct timed_pairs timed;
    for (int i = 0; i < 9; i++)
        row[i] = (struct core_pair){{0, i + 1}};
    timed_pairs_open(row, 9, 1, &timer, &timed);
    timed_pairs_measure(&timed);
    assert_int_equal(timed.rounds, 9);
    assert_int_equal(timed.alone, 0);
    timed_pairs_close(&timed);
}

static void rounds_come_in_the_seeds_order(void **state)
{
    (void)state;
    struct fake fake = fake_of();
    struct matrix matrix = measure(&fake, first(16), 16);
    struct timed_pairs same, other;
    timed_pairs_open(matrix.pairs, matrix.count, 1, &matrix.timer, &same);
    timed_pairs_open(matrix.pairs, matrix.count, 2, &matrix.timer, &other);
    assert_memory_equal(same.order, matrix.timed.order, matrix.count * sizeof *same.order);
    assert_memory_not_equal(other.order, matrix.timed.order, matrix.count * sizeof *same.order);
    timed_pairs_close(&same);
    timed_pairs_close(&other);
    close_matrix(&matrix);
}

static void a_contradiction_is_timed_again_then_withheld(void **state)
{
    (void)state;
    struct fake fake = fake_of();
    memcpy(fake.contrary, (const int[]){3, 9}, sizeof fake.contrary);
    fake.times = 2; /* in the round for the estimate, perhaps, and once in the first pass at least */
    struct matrix matrix = measure(&fake, first(16), 16);
    check_clean(&matrix);
    assert_int_equal(matrix.timed.again, 1);
    close_matrix(&matrix);
    fake.times = -1;
    matrix = measure(&fake, first(16), 16);
    const struct turn_time *time = time_in(&matrix, 3, 9);
    assert_int_equal(time->withheld.code, STATUS_UNAVAILABLE);
    assert_non_null(strstr(time->withheld.message, "withheld: in one half of its rounds"));
    assert_int_equal(matrix.timed.again, 1);
    assert_int_equal(time_in(&matrix, 3, 10)->withheld.code, STATUS_OK);
    close_matrix(&matrix);
}

static void what_others_always_disturb_is_in_doubt(void **state)
{
    (void)state;
    struct fake fake = fake_of();
    memcpy(fake.disturbed, (const int[]){1, 2}, sizeof fake.disturbed);
    fake.missing = 5;
    struct matrix matrix = measure(&fake, first(8), 8);
    const struct turn_time *time = time_in(&matrix, 1, 2);
    assert_string_equal(time->doubt, TURNS_DISTURBED);
    assert_true(isnan(time->ns.low) && time->ns.value > 0);
    assert_string_equal(time_in(&matrix, 1, 5)->withheld.message, "no processor 5");
    assert_int_equal(time_in(&matrix, 5, 6)->withheld.code, STATUS_UNAVAILABLE);
    assert_string_equal(time_in(&matrix, 1, 3)->doubt, "");
    close_matrix(&matrix);
}

static void neighbours_that_disturb_are_seen(void **state)
{
    (void)state;
    static const double factors[] = {1.04, 1.3, 0.7};
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++) {
        struct fake fake = fake_of();
        fake.company = factors[i];
        struct matrix matrix = measure(&fake, first(32), 32);
        bool disturb = fabs(factors[i] - 1) > 0.1;
        assert_int_equal(matrix.timed.alone, 16);
        assert_int_equal(matrix.timed.apart, disturb ? 16 : 0);
        for (size_t j = 0; j < matrix.count; j++)
            assert_int_equal(matrix.timed.times[j].doubt[0] != '\0', disturb);
        close_matrix(&matrix);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_cores_take_minutes_as_estimated),
        cmocka_unit_test(holes_and_rows_of_one_core_are_arranged),
        cmocka_unit_test(rounds_come_in_the_seeds_order),
        cmocka_unit_test(a_contradiction_is_timed_again_then_withheld),
        cmocka_unit_test(what_others_always_disturb_is_in_doubt),
        cmocka_unit_test(neighbours_that_disturb_are_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
