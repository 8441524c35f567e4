/* The order of a unit, for random units: every instance once and in turn, what is fixed first, loads that
 * lead equally far apart, and loads that are led in one group behind each, as far as its part has places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/kernel/unit_order.h"

#include <stdlib.h>

enum { CASES = 2000, PARTS = 8, MOST = 60 };

static size_t make(struct random *random, struct unit_part *parts, size_t sums[4])
{
    size_t count = 1 + random_below(random, PARTS);
    unsigned behind = random_below(random, 12);
    for (size_t i = 0; i < 4; i++)
        sums[i] = 0;
    for (size_t i = 0; i < count; i++) {
        enum unit_role role = (enum unit_role)random_below(random, 4);
        role = role == UNIT_LED && behind == 0 ? UNIT_MIXED : role;
        parts[i] = (struct unit_part){random_below(random, MOST), role, role == UNIT_LED ? behind : 0};
        sums[role] += parts[i].count;
    }
    return count;
}

/* Instances of the role in a part of the unit. */
static size_t in_part(size_t all, size_t parts, size_t part)
{
    return all * (part + 1) / parts - all * part / parts;
}

/* Of one part: it begins with the load that leads, and its led loads are one group. */
static size_t check_part(const struct unit_part *parts, const struct unit_place *place, size_t led,
                         size_t others, unsigned behind)
{
    size_t first = 0, last = 0;
    assert_int_equal(parts[place[0].part].role, UNIT_LEADS);
    for (size_t i = 1; i <= led + others; i++) {
        assert_true(parts[place[i].part].role == UNIT_LED || parts[place[i].part].role == UNIT_MIXED);
        if (parts[place[i].part].role != UNIT_LED)
            continue;
        first = first == 0 ? i : first;
        last = i;
    }
    assert_int_equal(led == 0 ? 0 : last - first + 1, led);
    size_t wanted = behind > led / 2 + 1 ? behind - led / 2 : 1;
    if (led > 0)
        assert_int_equal(first, wanted < others + 1 ? wanted : others + 1);
    return 1 + led + others;
}

static void test_random_units(void **state)
{
    (void)state;
    struct random random = random_start(1, "unit_order");
    unsigned mixed = 0;
    for (int i = 0; i < CASES; i++) {
        struct unit_part parts[PARTS];
        size_t sums[4], count = make(&random, parts, sums), total = sums[0] + sums[1] + sums[2] + sums[3];
        unsigned next[PARTS] = {0}, behind = 0;
        struct unit_place *places = calloc(total + 1, sizeof *places);
        assert_non_null(places);
        for (size_t k = 0; k < count; k++)
            behind = parts[k].role == UNIT_LED ? parts[k].behind : behind;
        if (behind > 0 && sums[UNIT_LEADS] == 0) { /* which no kernel has */
            free(places);
            continue;
        }
        unit_order(parts, count, places);
        for (size_t k = 0; k < total; k++)
            assert_int_equal(places[k].instance, next[places[k].part]++);
        for (size_t k = 0; k < count; k++)
            assert_int_equal(next[k], parts[k].count);
        if (behind == 0)
            for (size_t k = 1; k < total; k++)
                assert_true(places[k].part >= places[k - 1].part);
        size_t at = sums[UNIT_FIXED];
        for (size_t k = 0; behind > 0 && k < at; k++)
            assert_int_equal(parts[places[k].part].role, UNIT_FIXED);
        for (size_t k = 0; behind > 0 && k < sums[UNIT_LEADS]; k++, mixed++)
            at += check_part(parts, places + at, in_part(sums[UNIT_LED], sums[UNIT_LEADS], k),
                             in_part(sums[UNIT_MIXED], sums[UNIT_LEADS], k), behind);
        free(places);
    }
    assert_true(mixed > CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_units)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
