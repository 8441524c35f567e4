/* The cache model: basic properties of each replacement policy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/memory/cache_model.h"

#include <string.h>

enum { LINE = 64 };

static struct cache_model *new_model(unsigned sets, unsigned ways, enum cache_policy policy)
{
    const struct cache cache = {
        .size = (uint64_t)sets * ways * LINE, .ways = ways, .line = LINE, .policy = policy};
    return cache_model_new(&cache);
}

/* Misses of `rounds` walks over the set's first `lines` lines, after two that warm up. */
static unsigned walk(unsigned ways, enum cache_policy policy, unsigned lines, unsigned rounds)
{
    enum { SETS = 4, SET = 3 };
    struct cache_model *model = new_model(SETS, ways, policy);
    unsigned misses = 0;
    for (unsigned round = 0; round < rounds + 2; round++)
        for (unsigned i = 0; i < lines; i++)
            misses += !cache_model_access(model, (uint64_t)(i * SETS + SET) * LINE) && round >= 2;
    cache_model_free(model);
    return misses;
}

static const enum cache_policy policies[] = {POLICY_UNKNOWN, POLICY_LRU, POLICY_TREE_PLRU, POLICY_RANDOM,
                                             POLICY_FIFO};

static void what_fits_stays(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICY_COUNT; i++)
        for (unsigned ways = 1; ways <= 17; ways++)
            assert_int_equal(walk(ways, policies[i], ways, 10), 0);
}

static void one_line_too_many_misses_always_under_lru(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 17; ways++) {
        assert_int_equal(walk(ways, POLICY_LRU, ways + 1, 10), 10 * (ways + 1));
        assert_int_equal(walk(ways, POLICY_UNKNOWN, ways + 1, 10), 10 * (ways + 1));
        assert_int_equal(walk(ways, POLICY_FIFO, ways + 1, 10), 10 * (ways + 1));
    }
}

/* Twice the ways in turn always miss under tree-PLRU too; that is why plans ask for so many. */
static void twice_the_ways_always_miss_under_tree_plru(void **state)
{
    (void)state;
    for (unsigned ways = 1; ways <= 16; ways *= 2)
        assert_int_equal(walk(ways, POLICY_TREE_PLRU, 2 * ways, 10), 20 * ways);
}

static void random_replacement_keeps_some(void **state)
{
    (void)state;
    unsigned misses = walk(8, POLICY_RANDOM, 9, 1000);
    assert_true(misses > 0 && misses < 9000);
    assert_int_equal(walk(8, POLICY_RANDOM, 9, 1000), misses);
}

static void addresses_of_a_line_are_one(void **state)
{
    (void)state;
    struct cache_model *model = new_model(16, 2, POLICY_LRU);
    assert_false(cache_model_access(model, 128));
    assert_true(cache_model_access(model, 128));
    assert_true(cache_model_access(model, 191));
    assert_false(cache_model_access(model, 192));
    assert_false(cache_model_access(model, 127));
    cache_model_free(model);
    cache_model_free(NULL);
}

static void the_line_used_last_goes_last(void **state)
{
    (void)state;
    struct cache_model *model = new_model(1, 2, POLICY_LRU);
    assert_false(cache_model_access(model, 0 * LINE));
    assert_false(cache_model_access(model, 1 * LINE));
    assert_true(cache_model_access(model, 0 * LINE));
    assert_false(cache_model_access(model, 2 * LINE)); /* puts line 1 out */
    assert_true(cache_model_access(model, 0 * LINE));
    assert_false(cache_model_access(model, 1 * LINE));
    cache_model_free(model);
}

/* Unlike under LRU, a hit gives no line a longer life. Sectors are replaced by the same rule. */
static void the_first_line_in_is_the_first_out_under_fifo(void **state)
{
    (void)state;
    static const struct {
        unsigned line;
        bool hit;
    } steps[] = {{0, false}, {1, false}, {0, true}, {2, false}, {1, true}, {0, false}, {2, true}, {1, false}};
    struct cache_model *model = new_model(1, 2, POLICY_FIFO);
    struct cache_model *sectors = new_model(1, 2, POLICY_FIFO);
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        assert_int_equal(cache_model_access(model, (uint64_t)steps[i].line * LINE), steps[i].hit);
        assert_int_equal(cache_model_sectors(sectors, steps[i].line, 1), steps[i].hit);
    }
    cache_model_free(model);
    cache_model_free(sectors);
}

static void any_number_of_sets_serves(void **state)
{
    (void)state;
    enum { SETS = 96, WAYS = 3 };
    struct cache_model *model = new_model(SETS, WAYS, POLICY_LRU);
    unsigned misses = 0;
    for (unsigned round = 0; round < 3; round++)
        for (uint64_t line = 0; line < SETS * WAYS; line++)
            misses += !cache_model_access(model, line * LINE);
    assert_int_equal(misses, SETS * WAYS);
    cache_model_free(model);
}

/* Many at once are one after the other, under every policy. */
static void a_run_is_its_accesses(void **state)
{
    (void)state;
    enum { COUNT = 3000, LINES = 200 };
    static const enum cache_policy all[] = {POLICY_LRU, POLICY_TREE_PLRU, POLICY_RANDOM, POLICY_UNKNOWN,
                                            POLICY_FIFO};
    static uint64_t addresses[COUNT];
    static uint32_t missed[COUNT];
    struct random random = random_start(1, "run");
    for (size_t i = 0; i < COUNT; i++)
        addresses[i] = (uint64_t)random_below(&random, LINES) * LINE;
    for (size_t p = 0; p < sizeof all / sizeof all[0]; p++) {
        struct cache_model *whole = new_model(24, 4, all[p]);
        struct cache_model *each = new_model(24, 4, all[p]);
        size_t count = cache_model_run(whole, addresses, COUNT, missed);
        size_t next = 0;
        for (uint32_t i = 0; i < COUNT; i++) {
            bool hit = cache_model_access(each, addresses[i]);
            assert_int_equal(!hit, next < count && missed[next] == i);
            next += !hit;
        }
        assert_int_equal(next, count);
        assert_in_range(count, LINES, COUNT - 1);
        cache_model_free(whole);
        cache_model_free(each);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_stays),
        cmocka_unit_test(one_line_too_many_misses_always_under_lru),
        cmocka_unit_test(twice_the_ways_always_miss_under_tree_plru),
        cmocka_unit_test(random_replacement_keeps_some),
        cmocka_unit_test(addresses_of_a_line_are_one),
        cmocka_unit_test(the_line_used_last_goes_last),
        cmocka_unit_test(the_first_line_in_is_the_first_out_under_fifo),
        cmocka_unit_test(any_number_of_sets_serves),
        cmocka_unit_test(a_run_is_its_accesses),
    };
    return cmocka_run_group_tests_name("generator/cache_model", tests, NULL, NULL);
}
