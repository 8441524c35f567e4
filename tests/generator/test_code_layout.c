/* Code layout: for random geometries, chunks and rates, this test's own LRU simulator observes the rate, and
 * every miss hits in L2. TRAUMA_SEED varies the cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generator/plan/code/code_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 150, MOST_CHUNKS = 300, PASSES = 100 };

/* ---- the simulator: a line's age is the time of its last use ---- */

struct lru {
    uint64_t sets, ways, line;
    uint64_t *lines, *used; /* [sets][ways]; a line is stored as its number + 1 */
    uint64_t time;
};

static struct lru lru_new(const struct cache *cache)
{
    struct lru lru = {.sets = cache_sets(cache), .ways = cache->ways, .line = cache->line};
    lru.lines = calloc(lru.sets * lru.ways, sizeof *lru.lines);
    lru.used = calloc(lru.sets * lru.ways, sizeof *lru.used);
    assert_true(lru.lines != NULL && lru.used != NULL);
    return lru;
}

static bool lru_access(struct lru *lru, uint64_t address)
{
    uint64_t wanted = address / lru->line + 1;
    uint64_t first = (wanted - 1) % lru->sets * lru->ways;
    uint64_t oldest = first;
    lru->time++;
    for (uint64_t i = first; i < first + lru->ways; i++) {
        if (lru->lines[i] == wanted) {
            lru->used[i] = lru->time;
            return true;
        }
        oldest = lru->used[i] < lru->used[oldest] ? i : oldest;
    }
    lru->lines[oldest] = wanted;
    lru->used[oldest] = lru->time;
    return false;
}

static void lru_free(struct lru *lru)
{
    free(lru->lines);
    free(lru->used);
}

/* ---- random cases ---- */

struct setting {
    struct cache l1i, l2;
    unsigned lines[MOST_CHUNKS];
    bool stays[MOST_CHUNKS];
    struct code_request request;
};

static uint64_t power(struct random *random, unsigned low, unsigned high)
{
    return UINT64_C(1) << (low + random_below(random, high - low + 1));
}

static void make_setting(struct random *random, struct setting *setting)
{
    static const unsigned denominators[] = {1, 2, 3, 7, 10, 20, 100, 1000};
    memset(setting, 0, sizeof *setting);
    setting->l1i =
        (struct cache){.ways = 1 + random_below(random, 16), .line = (unsigned)power(random, 5, 7)};
    setting->l1i.size = power(random, 0, 8) * setting->l1i.ways * setting->l1i.line;
    setting->l2 =
        (struct cache){.ways = (unsigned)power(random, 1, 4), .line = (unsigned)power(random, 5, 7)};
    setting->l2.size = power(random, 16, 21);
    while (setting->l2.size < 2 * setting->l1i.size)
        setting->l2.size *= 2;
    unsigned longest = 1 + random_below(random, 3);
    size_t count = 1 + random_below(random, MOST_CHUNKS);
    for (size_t i = 0; i < count; i++)
        setting->lines[i] = 1 + random_below(random, longest);
    unsigned twins = 0;
    for (size_t i = 0; i < count && random_below(random, 2) == 0; i++) { /* of some lines half are twins' */
        setting->stays[i] = random_below(random, 4) == 0;
        setting->lines[i] *= setting->stays[i] ? 2 : 1;
        twins += setting->stays[i] ? setting->lines[i] / 2 : 0;
    }
    unsigned denominator = denominators[random_below(random, 8)];
    setting->request =
        (struct code_request){.l1i = &setting->l1i,
                              .l2 = &setting->l2,
                              .lines = setting->lines,
                              .count = count,
                              .miss_rate = random_below(random, denominator + 1) / (double)denominator,
                              .within = 1e-3,
                              .stays = setting->stays,
                              .unentered = twins,
                              .depth = 2 * setting->l1i.ways,
                              .random = *random};
}

struct seen {
    double entered, misses, beyond_l2;
};

static struct seen run_passes(const struct setting *setting, const struct code_layout *layout)
{
    struct lru l1i = lru_new(&setting->l1i);
    struct lru l2 = lru_new(&setting->l2);
    struct seen seen = {0};
    unsigned cycle = code_layout_cycle(layout);
    for (unsigned pass = 0; pass < 2 * cycle + PASSES; pass++) {
        for (size_t i = 0; i < layout->count; i++) {
            for (unsigned j = 0; j < setting->lines[i]; j++) {
                uint64_t address = code_layout_offset(layout, i, pass) + (uint64_t)j * setting->l1i.line;
                assert_true(address < layout->bytes);
                bool miss = !lru_access(&l1i, address);
                bool beyond = miss && !lru_access(&l2, address);
                bool twin = setting->stays[i] && j >= setting->lines[i] / 2;
                assert_false(miss && setting->stays[i] && pass >= 2 * cycle);
                seen.entered += !twin && pass >= 2 * cycle;
                seen.misses += miss && pass >= 2 * cycle;
                seen.beyond_l2 += beyond && pass >= 2 * cycle;
            }
        }
    }
    lru_free(&l1i);
    lru_free(&l2);
    return seen;
}

/* No line belongs to two chunks, or to two copies. */
static void expect_apart(const struct setting *setting, const struct code_layout *layout)
{
    unsigned char *taken = calloc(layout->bytes / setting->l1i.line + 1, 1);
    assert_non_null(taken);
    for (size_t i = 0; i < layout->count; i++) {
        unsigned copies = layout->services[i] == CODE_ROTATES ? layout->copies : 1;
        for (unsigned copy = 0; copy < copies; copy++) {
            uint64_t first = (layout->offsets[i] + copy * layout->step) / setting->l1i.line;
            for (unsigned j = 0; j < setting->lines[i]; j++)
                assert_int_equal(taken[first + j]++, 0);
        }
    }
    free(taken);
}

static void expect_promise(const struct setting *setting, const struct code_layout *layout)
{
    struct seen seen = run_passes(setting, layout);
    double rate = seen.misses / seen.entered;
    if (fabs(rate - setting->request.miss_rate) > 1e-3 + 1e-9 || seen.beyond_l2 > 0)
        fail_msg("rate %g instead of %g, %g misses of L2: L1I %u sets, %u ways; %zu chunks, %u lines", rate,
                 setting->request.miss_rate, seen.beyond_l2, cache_sets(&setting->l1i), setting->l1i.ways,
                 layout->count, layout->lines);
    assert_true(fabs(code_layout_simulate(&setting->request, layout) - rate) < 1e-9);
    assert_int_equal(100 % layout->share.period, 0);
    expect_apart(setting, layout);
}

static void layouts_keep_their_promise(void **state)
{
    (void)state;
    const char *seed = getenv("TRAUMA_SEED");
    struct random random = random_start(seed == NULL ? 1 : strtoull(seed, NULL, 10), "code layout");
    unsigned made[2] = {0, 0};
    for (unsigned i = 0; i < CASES; i++) {
        struct setting setting;
        make_setting(&random, &setting);
        for (int copies = 0; copies < 2; copies++) {
            struct arena arena = {0};
            struct code_layout layout;
            struct error error = {0};
            setting.request.copies = copies == 1;
            if (code_layout_place(&setting.request, &arena, &layout, &error) == STATUS_OK) {
                made[copies]++;
                assert_int_equal(layout.copies > 0, copies);
                expect_promise(&setting, &layout);
            } else {
                assert_int_equal(error.code, STATUS_RECIPE);
                assert_true(error.message[0] != '\0' && error.hint[0] != '\0');
            }
            arena_free(&arena);
        }
    }
    print_message("%u without and %u with copies, of %u\n", made[0], made[1], CASES);
    assert_true(made[0] >= CASES / 10 && made[1] >= CASES / 4);
}

/* 8 KiB, 4-way, lines of 32 bytes, as the Pentium Pro's. */
static const struct cache small = {.size = 8192, .ways = 4, .line = 32};
static const struct cache large = {.size = 262144, .ways = 4, .line = 32};

static enum status place(double rate, size_t chunks, double within, bool copies, struct arena *arena,
                         struct code_layout *layout, struct error *error)
{
    unsigned *lines = arena_alloc(arena, chunks, sizeof *lines);
    for (size_t i = 0; i < chunks; i++)
        lines[i] = 1;
    const struct code_request request = {.l1i = &small,
                                         .l2 = &large,
                                         .lines = lines,
                                         .count = chunks,
                                         .miss_rate = rate,
                                         .within = within,
                                         .copies = copies,
                                         .depth = 8};
    return code_layout_place(&request, arena, layout, error);
}

/* Rates with a few digits are met to the last line. */
static void rates_are_exact(void **state)
{
    (void)state;
    for (int percent = 0; percent <= 100; percent++) {
        struct arena arena = {0};
        struct code_layout layout;
        struct error error;
        bool copies = percent > 0 && percent < 3; /* fewer lines than overflow a set */
        if (place(percent / 100.0, 200, 1e-9, copies, &arena, &layout, &error) != STATUS_OK)
            fail_msg("%d %%: %s", percent, error.message);
        const struct code_share *share = &layout.share;
        assert_int_equal(100 * (share->misses * share->period + share->run_lines * share->moves),
                         (unsigned)percent * layout.lines * share->period);
        arena_free(&arena);
    }
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    struct arena arena = {0};
    struct code_layout layout;
    struct error error;
    assert_int_equal(place(0.1, 1000, 1e-3, false, &arena, &layout, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.message, "do not fit in L1I (8KiB, 4-way)"));
    assert_int_equal(place(0.5, 3, 1e-3, false, &arena, &layout, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.message, "0.5 cannot be reached with the 3 code lines"));
    assert_non_null(strstr(error.hint, "nearest reachable L1I miss rate is 0"));
    assert_int_equal(place(0.5, 10, 1e-9, false, &arena, &layout, &error), STATUS_OK);
    arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layouts_keep_their_promise),
        cmocka_unit_test(rates_are_exact),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests_name("generator/code_layout", tests, NULL, NULL);
}
