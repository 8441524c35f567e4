/* Claims about working sets that miss or stay by size hold in this test's own caches: random sets under four
 * policies, and whole plans with pages anywhere, indexes plain and hashed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/files/paths.h"
#include "generator/plan/memory/capacity.h"
#include "generator/plan/memory/rotating_layout.h"
#include "generator/plan/plan_make.h"
#include "tests/trials.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, MOST_WAYS = 64, MOST_PAGES = 1 << 16 };

enum replacement { LRU, TREE_PLRU, NOT_RECENT, RANDOM, REPLACEMENTS };

static const char *const names[] = {"LRU", "tree-PLRU", "not recently used", "random"};

/* ---- caches ---- */

struct set {
    uint64_t tags[MOST_WAYS];
    unsigned used; /* ways that hold something */
    bool right[MOST_WAYS], recent[MOST_WAYS];
};

static unsigned tree_victim(const struct set *set, unsigned ways)
{
    unsigned node = 1;
    while (node < ways)
        node = 2 * node + set->right[node];
    return node - ways;
}

static void tree_point_away(struct set *set, unsigned ways, unsigned way)
{
    for (unsigned node = way + ways; node > 1; node /= 2)
        set->right[node / 2] = node % 2 == 0;
}

static unsigned choose_victim(struct set *set, unsigned ways, enum replacement policy, struct random *random)
{
    if (set->used < ways)
        return set->used++;
    if (policy == LRU)
        return ways - 1;
    if (policy == TREE_PLRU)
        return tree_victim(set, ways);
    if (policy == RANDOM)
        return random_below(random, ways);
    unsigned way = 0;
    while (way + 1 < ways && set->recent[way])
        way++;
    return way;
}

static bool touch(struct set *set, unsigned ways, enum replacement policy, uint64_t tag,
                  struct random *random)
{
    unsigned way = 0;
    while (way < set->used && set->tags[way] != tag)
        way++;
    bool hit = way < set->used;
    if (!hit)
        way = choose_victim(set, ways, policy, random);
    if (policy == LRU) {
        memmove(set->tags + 1, set->tags, way * sizeof *set->tags);
        way = 0;
    }
    set->tags[way] = tag;
    tree_point_away(set, ways, way);
    set->recent[way] = true;
    bool all = true;
    for (unsigned i = 0; i < ways; i++)
        all = all && set->recent[i];
    for (unsigned i = 0; all && i < ways; i++)
        set->recent[i] = i == way;
    return hit;
}

/* ---- sets drawn by lot ---- */

static unsigned draw_poisson(double expected, struct random *random)
{
    double chance = random_next(random) / 4294967296.0;
    double term = exp(-expected);
    unsigned drawn = 0;
    for (double below = term; below < chance && drawn < 1000; below += term)
        term *= expected / ++drawn;
    return drawn;
}

/* The share of lines that are still there when they come round, so many times the cache's lines in all. */
static double staying(unsigned ways, double depth, enum replacement policy)
{
    enum { SETS = 1500, ROUNDS = 12, FIRST = 6 };
    struct random random = random_start(1, names[policy]);
    double seen = 0;
    double hits = 0;
    for (unsigned i = 0; i < SETS; i++) {
        struct set set = {.used = 0};
        unsigned lines = draw_poisson(depth * ways, &random);
        for (unsigned round = 0; round < ROUNDS; round++)
            for (unsigned line = 0; line < lines; line++) {
                bool hit = touch(&set, ways, policy, line, &random);
                seen += round >= FIRST;
                hits += round >= FIRST && hit;
            }
    }
    return hits / seen;
}

static void few_lines_stay_under_any_policy(void **state)
{
    (void)state;
    static const unsigned ways[] = {2, 4, 8, 16, 32};
    static const double LOT = 0.004; /* what so many sets vary by */
    for (size_t i = 0; i < (TRIALS_JUDGED ? sizeof ways / sizeof ways[0] : 2); i++)
        for (double depth = 2; depth < 5; depth += 0.5) {
            struct cache cache = {.ways = ways[i]};
            double said = capacity_stays(&cache, depth);
            for (int policy = LRU; policy < RANDOM && said < 0.02; policy++)
                if (staying(ways[i], depth, (enum replacement)policy) > said + LOT)
                    fail_msg("%u ways, %g times: %g stay under %s, and %g were said", ways[i], depth,
                             staying(ways[i], depth, (enum replacement)policy), names[policy], said);
            cache.policy = POLICY_RANDOM;
            if (fabs(staying(ways[i], depth, RANDOM) - capacity_stays(&cache, depth)) > 0.05)
                fail_msg("%u ways, %g times: %g stay under random replacement", ways[i], depth,
                         staying(ways[i], depth, RANDOM));
        }
    const struct cache maybe = {.policy = POLICY_UNKNOWN}, random = {.policy = POLICY_RANDOM};
    assert_true(staying(8, capacity_random_depth(&maybe), RANDOM) < 0.01);
    assert_true(staying(8, capacity_random_depth(&random), RANDOM) < 0.002);
}

/* ---- plans ---- */

enum index { PLAIN, HASHED };

struct level {
    struct set *sets;
    unsigned count, ways, line;
    enum replacement policy;
    enum index index;
};

static bool access_level(struct level *level, uint64_t address, struct random *random)
{
    uint64_t line = address / level->line;
    uint64_t at = line;
    for (uint64_t more = line / level->count; level->index == HASHED && more > 0; more /= level->count)
        at ^= more;
    return touch(&level->sets[at % level->count], level->ways, level->policy, line, random);
}

/* Where a program's pages lie: anywhere, each 4 KiB or each 2 MiB by itself. */
struct pages {
    unsigned *frames; /* [MOST_PAGES], a permutation */
    uint64_t bytes;
};

static uint64_t physical(const struct pages *pages, uint64_t address)
{
    uint64_t page = address / pages->bytes;
    return (uint64_t)pages->frames[page % MOST_PAGES] * pages->bytes + address % pages->bytes;
}

static struct level make_level(const struct cache *cache, enum replacement policy, enum index index)
{
    struct level level = {.count = cache_sets(cache),
                          .ways = cache->ways,
                          .line = cache->line,
                          .policy = policy,
                          .index = index};
    level.sets = calloc(level.count, sizeof *level.sets);
    assert_non_null(level.sets);
    return level;
}

struct outcome {
    double served[LEVEL_COUNT];
};

/* Shares of all accesses that each level serves, after set-up's sweep and the warm-up. */
static struct outcome run(const struct plan *plan, const struct pages *pages, enum replacement policy,
                          enum index index)
{
    enum { PASSES = 300 };
    struct random random = random_start(7, "simulation");
    struct level levels[] = {make_level(&plan->machine->l1d, LRU, PLAIN),
                             make_level(&plan->machine->l2, policy, index),
                             make_level(&plan->machine->l3, policy, index)};
    struct outcome outcome = {{0}};
    double all = 0;
    for (uint64_t at = 0; at < plan->memory.sweep_bytes; at += plan->machine->l1d.line)
        access_level(&levels[2], physical(pages, plan->memory.sweep_from + at), &random);
    for (unsigned pass = 0; pass < plan->warmup + PASSES; pass++)
        for (size_t i = 0; i < plan->slot_count; i++) {
            if (plan->slots[i].place_count == 0)
                continue;
            uint64_t address = physical(pages, plan_offset(plan, &plan->slots[i], pass));
            int level = LEVEL_L1;
            while (level < LEVEL_MEM && !access_level(&levels[level], address, &random))
                level++;
            outcome.served[level] += pass >= plan->warmup;
            all += pass >= plan->warmup;
        }
    for (int level = LEVEL_L1; level < LEVEL_COUNT; level++)
        outcome.served[level] /= all;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        free(levels[i].sets);
    return outcome;
}

static void shuffle_pages(struct pages *pages, uint64_t bytes, uint64_t seed)
{
    struct random random = random_start(seed, "pages");
    pages->bytes = bytes;
    for (unsigned i = 0; i < MOST_PAGES; i++)
        pages->frames[i] = i;
    for (unsigned i = MOST_PAGES; i > 1; i--) {
        unsigned other = random_below(&random, i);
        unsigned frame = pages->frames[i - 1];
        pages->frames[i - 1] = pages->frames[other];
        pages->frames[other] = frame;
    }
}

static const char MACHINE[] =
    "{\"name\":\"hashed\",\"isa\":\"x86_64\",\"caches\":{"
    "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64},\"L1D\":{\"size\":16384,\"ways\":4,\"line\":64},"
    "\"L2\":{\"size\":131072,\"ways\":8,\"line\":64},\"L3\":{\"size\":4194304,\"ways\":16,\"line\":64}}}";

static void expect_shares(const double served[LEVEL_COUNT], int cores)
{
    static const double TOLERANCE = 0.01;
    struct arena arena = {0};
    struct machine machine = {0};
    struct template templates = {0};
    struct kernel kernel;
    struct plan plan = {0};
    struct error error = {0};
    struct pages pages = {.frames = calloc(MOST_PAGES, sizeof *pages.frames)};
    char home[FILE_PATH_BYTES];
    const struct plan_options options = {.seed = 1, .label = "capacity"};
    json_t *description = json_loads(MACHINE, 0, NULL);
    json_object_set_new(json_object_get(json_object_get(description, "caches"), "L3"), "shared_by",
                        json_integer(cores));
    json_t *document = json_pack("{s:[{s:s, s:{s:f, s:f, s:f, s:f}}]}", "unit", "op", "load", "served", "L1",
                                 served[0], "L2", served[1], "L3", served[2], "MEM", served[3]);
    assert_non_null(pages.frames);
    assert_int_equal(machine_from_json(description, "capacity", &machine, &error), STATUS_OK);
    assert_int_equal(paths_home(home, &error), STATUS_OK);
    assert_int_equal(template_load(home, isa_find("x86_64"), &templates, &error), STATUS_OK);
    assert_int_equal(kernel_from_json(document, templates.isa, &arena, &kernel, &error), STATUS_OK);
    if (plan_make(&kernel, &machine, &templates, &options, &plan, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    for (int policy = LRU; policy < (TRIALS_JUDGED ? RANDOM : LRU + 1); policy++)
        for (int index = PLAIN; index <= HASHED; index++)
            for (unsigned seed = 1; seed <= 2; seed++) {
                shuffle_pages(&pages, seed == 1 ? PAGE_BYTES : ROTATING_HUGE_BYTES, seed);
                struct outcome seen = run(&plan, &pages, (enum replacement)policy, (enum index)index);
                for (int level = LEVEL_L1; level < LEVEL_COUNT; level++)
                    if (fabs(seen.served[level] - served[level]) > TOLERANCE)
                        fail_msg("%g %g %g %g under %s, %s, pages of %llu: %s serves %g", served[0],
                                 served[1], served[2], served[3], names[policy],
                                 index == PLAIN ? "plain" : "hashed", (unsigned long long)pages.bytes,
                                 level_name(level), seen.served[level]);
            }
    free(pages.frames);
    plan_free(&plan);
    machine_free(&machine);
    template_free(&templates);
    arena_free(&arena);
    json_decref(description);
    json_decref(document);
}

static void shares_hold_wherever_lines_lie(void **state)
{
    (void)state;
    expect_shares((const double[]){0.5, 0, 0.5, 0}, 1);
    expect_shares((const double[]){0, 0.25, 0.75, 0}, 1);
    expect_shares((const double[]){0.9, 0, 0, 0.1}, 1);
    expect_shares((const double[]){0.4, 0.3, 0.2, 0.1}, 1);
}

/* A level that others share gets no more lines than the rate needs, and no fewer. */
static void shares_hold_with_as_few_lines_as_they_need(void **state)
{
    (void)state;
    expect_shares((const double[]){0, 0, 1, 0}, 8);
    expect_shares((const double[]){0, 0.9, 0.1, 0}, 8);
    expect_shares((const double[]){0, 0.5, 0, 0.5}, 8);
    expect_shares((const double[]){0.4, 0.3, 0.2, 0.1}, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_lines_stay_under_any_policy),
        cmocka_unit_test(shares_hold_wherever_lines_lie),
        cmocka_unit_test(shares_hold_with_as_few_lines_as_they_need),
    };
    return cmocka_run_group_tests_name("generator/capacity", tests, NULL, NULL);
}
