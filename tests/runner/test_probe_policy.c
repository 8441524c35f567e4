/* Replacement policies of simulated caches whose loads take noisy times: each is named, or is none of these.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/random.h"
#include "generator/plan/memory/cache_model.h"
#include "runner/probe/structures/policy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SETS = 8 };

/* A cache behind the probe: a policy, or one that none of the candidates is. */
struct hidden {
    const char *wanted; /* the name; NULL: none of these */
    unsigned ways;
    struct replacement policy;
    bool odd;     /* not a policy of the list: a hit moves a block half way only */
    double noise; /* of a time, as a share */
};

struct hidden_cache {
    const struct hidden *hidden;
    struct random random;
    struct policy_set sets[SETS];
    unsigned order[POLICY_WAYS_MOST]; /* of the odd one: blocks, the next to leave last */
    unsigned count;
    unsigned apart; /* blocks are in so many sets, one after the other; 0: in one */
};

/* LRU insertion in the middle, and a hit that moves a block by two places. */
static bool access_odd(struct hidden_cache *cache, unsigned block)
{
    unsigned at = 0;
    while (at < cache->count && cache->order[at] != block)
        at++;
    bool hit = at < cache->count;
    if (!hit && cache->count < cache->hidden->ways)
        cache->count++;
    at = hit ? at : cache->count - 1;
    unsigned to = hit ? (at < 2 ? 0 : at - 2) : cache->count / 3;
    if (to > at)
        to = at;
    memmove(&cache->order[to + 1], &cache->order[to], (at - to) * sizeof cache->order[0]);
    cache->order[to] = block;
    return hit;
}

static double measure(void *context, const unsigned char *sequence, size_t length, unsigned probe)
{
    struct hidden_cache *cache = context;
    double sum = 0;
    cache->count = 0;
    for (size_t s = 0; s < SETS; s++) {
        policy_set_flush(&cache->sets[s]);
        cache->count = 0;
        for (size_t i = 0; i < length; i++)
            if (cache->apart > 0 && (sequence[i] ^ probe) % cache->apart != 0)
                continue;
            else
                cache->hidden->odd ? access_odd(cache, sequence[i])
                                   : policy_set_access(&cache->sets[s], sequence[i]);
        bool hit = cache->hidden->odd ? access_odd(cache, probe) : policy_set_access(&cache->sets[s], probe);
        double off =
            random_next(&cache->random) / 4294967296.0 + random_next(&cache->random) / 4294967296.0 - 1;
        sum += (hit ? 6 : 16) * (1 + cache->hidden->noise * off);
    }
    if (random_below(&cache->random, 50) == 0)
        return NAN; /* a neighbour, seen */
    if (random_below(&cache->random, 30) == 0)
        sum *= 2; /* one, not seen */
    return sum / SETS;
}

static void policies_are_named(void **state)
{
    (void)state;
    static const struct hidden hidden[] = {
        {"lru", 8, {.kind = KIND_LRU}, false, 0.1},
        {"lru", 12, {.kind = KIND_LRU}, false, 0.1},
        {"lru", 16, {.kind = KIND_LRU}, false, 0.1},
        {"fifo", 8, {.kind = KIND_FIFO}, false, 0.1},
        {"fifo", 12, {.kind = KIND_FIFO}, false, 0.1},
        {"fifo", 4, {.kind = KIND_FIFO}, false, 0.1},
        {"tree-plru", 4, {.kind = KIND_TREE_PLRU}, false, 0.1},
        {"tree-plru", 8, {.kind = KIND_TREE_PLRU}, false, 0.1},
        {"tree-plru", 16, {.kind = KIND_TREE_PLRU}, false, 0.1},
        {"lru-of-trees", 12, {.kind = KIND_LRU_TREES}, false, 0.1},
        {"lru-of-trees", 16, {.kind = KIND_LRU_TREES}, false, 0.1},
        {"bit-plru", 8, {.kind = KIND_BIT_PLRU}, false, 0.1},
        {"bit-plru", 16, {.kind = KIND_BIT_PLRU}, false, 0.1},
        {"random", 8, {.kind = KIND_RANDOM}, false, 0.1},
        {"random", 16, {.kind = KIND_RANDOM}, false, 0.1},
        {"QLRU_H11_M1_R0_U0", 16, {KIND_QLRU, 1, 1, 1, 0, 0, false}, false, 0.1},
        {"QLRU_H00_M1_R0_U1", 8, {KIND_QLRU, 0, 0, 1, 0, 1, false}, false, 0.1},
        {"QLRU_H00_M1_R2_U1", 16, {KIND_QLRU, 0, 0, 1, 2, 1, false}, false, 0.1},
        {"QLRU_H21_M2_R0_U0_UMO", 12, {KIND_QLRU, 2, 1, 2, 0, 0, true}, false, 0.1},
        {"QLRU_H11_M1_R1_U2", 12, {KIND_QLRU, 1, 1, 1, 1, 2, false}, false, 0.1},
        {"QLRU_H20_M1_R1_U3", 8, {KIND_QLRU, 2, 0, 1, 1, 3, false}, false, 0.1},
        {"QLRU_H10_M2_R2_U1", 8, {KIND_QLRU, 1, 0, 2, 2, 1, false}, false, 0.1},
        {"QLRU_H00_M2_R0_U0_UMO", 16, {KIND_QLRU, 0, 0, 2, 0, 0, true}, false, 0.1},
        {"QLRU_H11_M2_R1_U1", 16, {KIND_QLRU, 1, 1, 2, 1, 1, false}, false, 0.3},
        {"lru", 8, {.kind = KIND_LRU}, false, 0.6},
        {NULL, 8, {.kind = KIND_LRU}, true, 0.1},
        {NULL, 12, {.kind = KIND_LRU}, true, 0.1},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        struct hidden_cache cache = {.hidden = &hidden[i], .random = random_start(i, "hidden")};
        struct policy_cache probed = {measure, &cache, hidden[i].ways};
        struct policy_finding finding;
        char name[POLICY_NAME_BYTES] = "";
        for (size_t s = 0; s < SETS; s++)
            policy_set_start(&cache.sets[s], &hidden[i].policy, hidden[i].ways, i * SETS + s + 1);
        policy_find(&probed, &finding);
        if (finding.verdict == POLICY_FOUND)
            policy_name(&finding.policy, name);
        bool is_wanted = strcmp(name, hidden[i].wanted == NULL ? "" : hidden[i].wanted) == 0;
        bool right =
            hidden[i].wanted == NULL
                ? finding.verdict == POLICY_NONE
                : finding.verdict == POLICY_FOUND &&
                      (is_wanted || policy_alike(&finding.policy, &hidden[i].policy, hidden[i].ways));
        if (!right) {
            print_message(
                "%s of %u ways: verdict %d, %s (%zu alike) after %zu sequences, %zu contradict it\n",
                hidden[i].wanted == NULL ? "another" : hidden[i].wanted, hidden[i].ways, (int)finding.verdict,
                name, finding.alike, finding.sequences, finding.contradicting);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* As in a virtual machine whose pages are anywhere: more blocks stay than a set has ways. */
static void blocks_of_several_sets_tell_nothing(void **state)
{
    (void)state;
    static const struct hidden hidden = {NULL, 16, {.kind = KIND_LRU}, false, 0.1};
    struct hidden_cache cache = {.hidden = &hidden, .random = random_start(1, "hidden"), .apart = 2};
    const struct policy_cache probed = {measure, &cache, hidden.ways};
    struct policy_finding finding;
    for (size_t s = 0; s < SETS; s++)
        policy_set_start(&cache.sets[s], &hidden.policy, hidden.ways, s + 1);
    policy_find(&probed, &finding);
    assert_int_equal(finding.verdict, POLICY_UNDETERMINED);
    assert_true(finding.miss > 2 * finding.hit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_are_named),
        cmocka_unit_test(blocks_of_several_sets_tell_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
