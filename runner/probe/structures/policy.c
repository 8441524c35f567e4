#include "runner/probe/structures/policy.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/stats.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OLDEST = 3, TREE_WAYS = 4, POLICIES_MOST = 700 };

/* ---- names ---- */

void policy_name(const struct replacement *policy, char name[POLICY_NAME_BYTES])
{
    static const char *const names[] = {[KIND_LRU] = "lru",
                                        [KIND_FIFO] = "fifo",
                                        [KIND_TREE_PLRU] = "tree-plru",
                                        [KIND_LRU_TREES] = "lru-of-trees",
                                        [KIND_BIT_PLRU] = "bit-plru",
                                        [KIND_RANDOM] = "random"};
    if (policy->kind == KIND_QLRU)
        snprintf(name, POLICY_NAME_BYTES, "QLRU_H%u%u_M%u_R%u_U%u%s", policy->hit3, policy->hit2,
                 policy->insert, policy->replace, policy->update, policy->on_miss ? "_UMO" : "");
    else
        snprintf(name, POLICY_NAME_BYTES, "%s", names[policy->kind]);
}

/* ---- a set ---- */

void policy_set_start(struct policy_set *set, const struct replacement *policy, unsigned ways,
                      unsigned long long seed)
{
    memset(set, 0, sizeof *set);
    set->policy = *policy;
    set->ways = ways;
    set->random = seed * 2 + 1;
    for (unsigned i = 0; i < ways; i++) {
        set->blocks[i] = -1;
        set->ages[i] = policy->kind == KIND_QLRU ? OLDEST : 0;
    }
}

void policy_set_flush(struct policy_set *set)
{
    for (unsigned i = 0; i < set->ways; i++)
        set->blocks[i] = -1;
}

/* Updates a tree of `ways` leaves, whose nodes are tree[1...]: each bit points away from the way used. */
static void touch_tree(unsigned *tree, unsigned ways, unsigned way)
{
    unsigned node = 1;
    for (unsigned half = ways / 2; half > 0; half /= 2) {
        unsigned right = way / half % 2;
        tree[node] = !right;
        node = 2 * node + right;
    }
}

static unsigned tree_victim(const unsigned *tree, unsigned ways)
{
    unsigned node = 1, way = 0;
    for (unsigned half = ways / 2; half > 0; half /= 2) {
        way += tree[node] * half;
        node = 2 * node + tree[node];
    }
    return way;
}

static unsigned oldest_way(const struct policy_set *set)
{
    unsigned way = 0;
    for (unsigned i = 1; i < set->ways; i++)
        if (set->ages[i] < set->ages[way])
            way = i;
    return way;
}

/* Of the trees of four ways, the one whose ways were all used longest ago. */
static unsigned oldest_tree(const struct policy_set *set)
{
    unsigned least = 0, found = 0;
    for (unsigned tree = 0; tree < set->ways / TREE_WAYS; tree++) {
        unsigned last = 0;
        for (unsigned i = 0; i < TREE_WAYS; i++)
            last = set->ages[tree * TREE_WAYS + i] > last ? set->ages[tree * TREE_WAYS + i] : last;
        if (tree == 0 || last < least) {
            least = last;
            found = tree;
        }
    }
    return found;
}

static bool has_oldest(const struct policy_set *set)
{
    for (unsigned i = 0; i < set->ways; i++)
        if (set->blocks[i] >= 0 && set->ages[i] == OLDEST)
            return true;
    return false;
}

/* Raises ages if none is the oldest, by the policy's `update`. accessed: the way; the number of ways: none.
 */
static void raise_ages(struct policy_set *set, unsigned accessed)
{
    const struct replacement *policy = &set->policy;
    bool spare = policy->update == 1 || policy->update == 3;
    unsigned step = 1, most = 0;
    if (has_oldest(set))
        return;
    for (unsigned i = 0; i < set->ways; i++)
        if (set->blocks[i] >= 0 && !(spare && i == accessed) && set->ages[i] > most)
            most = set->ages[i];
    if (policy->update < 2)
        step = OLDEST - most;
    for (unsigned i = 0; i < set->ways; i++)
        if (set->blocks[i] >= 0 && !(spare && i == accessed))
            set->ages[i] = set->ages[i] + step > OLDEST ? OLDEST : set->ages[i] + step;
}

static unsigned qlru_victim(struct policy_set *set)
{
    if (set->policy.on_miss)
        raise_ages(set, set->ways);
    for (unsigned i = 0; i < set->ways; i++)
        if (set->ages[i] == OLDEST)
            return i;
    return 0;
}

static unsigned victim(struct policy_set *set)
{
    const struct replacement *policy = &set->policy;
    for (unsigned i = 0; i < set->ways; i++) {
        unsigned way = policy->kind == KIND_QLRU && policy->replace == 2 ? set->ways - 1 - i : i;
        if (set->blocks[way] < 0)
            return way;
    }
    switch (policy->kind) {
    case KIND_TREE_PLRU:
        return tree_victim(set->tree, set->ways);
    case KIND_LRU_TREES: {
        unsigned tree = oldest_tree(set);
        return tree * TREE_WAYS + tree_victim(set->tree + tree * TREE_WAYS, TREE_WAYS);
    }
    case KIND_BIT_PLRU:
        for (unsigned i = 0; i < set->ways; i++)
            if (set->ages[i] == 0)
                return i;
        return 0;
    case KIND_QLRU:
        return qlru_victim(set);
    case KIND_RANDOM:
        set->random = set->random * 6364136223846793005ULL + 1442695040888963407ULL;
        return (unsigned)(set->random >> 33) % set->ways;
    default:
        return oldest_way(set);
    }
}

static void note(struct policy_set *set, unsigned way, bool hit)
{
    const struct replacement *policy = &set->policy;
    bool others = false;
    set->time++;
    switch (policy->kind) {
    case KIND_LRU:
        set->ages[way] = (unsigned)set->time;
        break;
    case KIND_FIFO:
        if (!hit)
            set->ages[way] = (unsigned)set->time;
        break;
    case KIND_TREE_PLRU:
        touch_tree(set->tree, set->ways, way);
        break;
    case KIND_LRU_TREES:
        set->ages[way] = (unsigned)set->time;
        touch_tree(set->tree + way / TREE_WAYS * TREE_WAYS, TREE_WAYS, way % TREE_WAYS);
        break;
    case KIND_BIT_PLRU:
        set->ages[way] = 1;
        for (unsigned i = 0; i < set->ways; i++)
            others = others || set->ages[i] == 0;
        for (unsigned i = 0; !others && i < set->ways; i++)
            set->ages[i] = i == way;
        break;
    case KIND_QLRU:
        set->ages[way] = !hit                       ? policy->insert
                         : set->ages[way] == OLDEST ? policy->hit3
                         : set->ages[way] == 2      ? policy->hit2
                                                    : 0;
        if (!policy->on_miss)
            raise_ages(set, way);
        break;
    case KIND_RANDOM:
        break;
    }
}

bool policy_set_access(struct policy_set *set, unsigned block)
{
    for (unsigned i = 0; i < set->ways; i++)
        if (set->blocks[i] == (int)block) {
            note(set, i, true);
            return true;
        }
    unsigned way = victim(set);
    set->blocks[way] = (int)block;
    note(set, way, false);
    return false;
}

/* ---- candidates ---- */

struct policy_candidates {
    struct replacement policies[POLICIES_MOST];
    unsigned char wrong[POLICIES_MOST]; /* sequences that contradict it */
    size_t count;
    unsigned ways;
};

static void add(struct policy_candidates *all, struct replacement policy)
{
    all->policies[all->count++] = policy;
}

static void add_all(struct policy_candidates *all)
{
    static const unsigned hits[][2] = {{1, 1}, {2, 1}, {2, 0}, {1, 0}, {0, 0}};
    add(all, (struct replacement){.kind = KIND_LRU});
    add(all, (struct replacement){.kind = KIND_FIFO});
    if ((all->ways & (all->ways - 1)) == 0)
        add(all, (struct replacement){.kind = KIND_TREE_PLRU});
    if (all->ways % TREE_WAYS == 0 && all->ways > 2 * TREE_WAYS)
        add(all, (struct replacement){.kind = KIND_LRU_TREES});
    add(all, (struct replacement){.kind = KIND_BIT_PLRU});
    for (unsigned hit = 0; hit < sizeof hits / sizeof hits[0]; hit++)
        for (unsigned insert = 0; insert <= OLDEST; insert++)
            for (unsigned replace = 0; replace < 3; replace++)
                for (unsigned update = 0; update < 4; update++)
                    for (int on_miss = 0; on_miss < 2; on_miss++)
                        if (replace > 0 || update < 2) /* R0 needs a way of the oldest age */
                            add(all, (struct replacement){KIND_QLRU, hits[hit][0], hits[hit][1], insert,
                                                          replace, update, on_miss == 1});
}

/* ---- sequences ---- */

struct policy_trial {
    unsigned char sequence[POLICY_SEQUENCE_MOST];
    size_t length;
    unsigned probe;
};

/* Fills the set in order, then accesses blocks of it and a few others, with hits and misses in turn. */
static void make_trial(unsigned ways, struct random *random, struct policy_trial *trial)
{
    unsigned blocks = ways + 1 + random_below(random, ways / 2 + 1);
    size_t tail = 1 + random_below(random, 3 * ways);
    trial->length = 0;
    for (unsigned i = 0; i < ways; i++)
        trial->sequence[trial->length++] = (unsigned char)i;
    for (size_t i = 0; i < tail && trial->length < POLICY_SEQUENCE_MOST; i++)
        trial->sequence[trial->length++] = (unsigned char)random_below(random, blocks);
    trial->probe = random_below(random, blocks);
}

static bool predict(const struct replacement *policy, unsigned ways, const struct policy_trial *trial)
{
    struct policy_set set;
    policy_set_start(&set, policy, ways, 1);
    for (size_t i = 0; i < trial->length; i++)
        policy_set_access(&set, trial->sequence[i]);
    return policy_set_access(&set, trial->probe);
}

bool policy_alike(const struct replacement *a, const struct replacement *b, unsigned ways)
{
    enum { TRIALS_ALIKE = 300 };
    struct random random = random_start(2, "alike");
    for (int i = 0; i < TRIALS_ALIKE; i++) {
        struct policy_trial trial;
        make_trial(ways, &random, &trial);
        if (predict(a, ways, &trial) != predict(b, ways, &trial))
            return false;
    }
    return true;
}

/* The candidate that the fewest sequences contradict, the first of several. */
static size_t best_of(const struct policy_candidates *all)
{
    size_t best = 0;
    for (size_t i = 1; i < all->count; i++)
        best = all->wrong[i] < all->wrong[best] ? i : best;
    return best;
}

/* Of some trials, the one that splits the remaining candidates best; returns the size of the smaller side. A
 * candidate remains until BEHIND more sequences contradict it than the best one, because some readings are
 * wrong. */
static size_t choose_trial(const struct policy_candidates *all, struct random *random,
                           struct policy_trial *best)
{
    enum { TRIES = 20, FEWER = 8, MANY = 64, BEHIND = 3 };
    size_t best_split = 0;
    size_t living[POLICIES_MOST], count = 0;
    unsigned least = all->wrong[best_of(all)];
    for (size_t i = 0; i < all->count; i++)
        if (all->wrong[i] < least + BEHIND)
            living[count++] = i;
    for (int i = 0; i < (count > MANY ? FEWER : TRIES); i++) {
        struct policy_trial trial;
        size_t hits = 0, misses = 0;
        make_trial(all->ways, random, &trial);
        for (size_t j = 0; j < count; j++)
            *(predict(&all->policies[living[j]], all->ways, &trial) ? &hits : &misses) += 1;
        size_t split = hits < misses ? hits : misses;
        if (i == 0 || split > best_split) {
            best_split = split;
            *best = trial;
        }
    }
    return best_split;
}

/* ---- measuring ---- */

enum { READINGS = 5, AGAIN = 4 };

/* The median of some undisturbed readings; NAN: there are too few. */
static double read_cycles(const struct policy_cache *cache, const struct policy_trial *trial)
{
    double cycles[READINGS];
    size_t count = 0;
    for (int i = 0; i < READINGS * AGAIN && count < READINGS; i++) {
        double found = cache->measure(cache->context, trial->sequence, trial->length, trial->probe);
        if (isfinite(found))
            cycles[count++] = found;
    }
    return count < READINGS ? NAN : stats_median(cycles, count);
}

/* The share of misses, 0 to 1; NAN: disturbed. */
static double miss_share(const struct policy_cache *cache, const struct policy_finding *finding,
                         const struct policy_trial *trial)
{
    double share = (read_cycles(cache, trial) - finding->hit) / (finding->miss - finding->hit);
    return isfinite(share) ? fmin(1, fmax(0, share)) : NAN;
}

/* Sets the cycles of a block that is surely in the set, and of one that was evicted: the slowest of some
 * early blocks, after twice as many others as there are ways. False: no difference, or disturbed. */
static bool calibrate(const struct policy_cache *cache, struct policy_finding *finding)
{
    enum { EARLY = 4 };
    static const double DIFFER = 1.25;
    struct policy_trial trial = {.sequence = {1, 0}, .length = 2};
    finding->hit = read_cycles(cache, &trial);
    for (trial.length = 0; trial.length < 3 * (size_t)cache->ways; trial.length++)
        trial.sequence[trial.length] = (unsigned char)trial.length;
    for (unsigned early = 0; early < EARLY; early++) {
        trial.probe = early * cache->ways / EARLY;
        finding->miss = fmax(finding->miss, read_cycles(cache, &trial));
    }
    return isfinite(finding->hit) && finding->miss > DIFFER * finding->hit;
}

/* The mean share of misses after a set was filled. */
static double losses(const struct policy_cache *cache, const struct policy_finding *finding)
{
    struct policy_trial trial = {.length = cache->ways};
    double sum = 0;
    for (unsigned i = 0; i < cache->ways; i++)
        trial.sequence[i] = (unsigned char)i;
    for (trial.probe = 0; trial.probe < cache->ways; trial.probe++)
        sum += miss_share(cache, finding, &trial);
    return sum / cache->ways;
}

double policy_losses(const struct policy_cache *cache)
{
    struct policy_finding finding = {.verdict = POLICY_UNDETERMINED};
    return calibrate(cache, &finding) ? losses(cache, &finding) : NAN;
}

/* Whether as many blocks as there are ways stay in the set. */
static bool holds_its_ways(const struct policy_cache *cache, const struct policy_finding *finding)
{
    static const double MOST_LOST = 0.25;
    return losses(cache, finding) < MOST_LOST;
}

/* Whether most of three times as many blocks as there are ways are lost, as two thirds are under any policy.
 * Otherwise the blocks are in several sets: a virtual machine's pages need not be adjacent. */
static bool loses_others(const struct policy_cache *cache, const struct policy_finding *finding)
{
    enum { PROBED = 12 };
    static const double LEAST_LOST = 0.5;
    struct policy_trial trial = {.length = 0};
    double sum = 0;
    for (; trial.length < 3 * (size_t)cache->ways; trial.length++)
        trial.sequence[trial.length] = (unsigned char)trial.length;
    for (size_t i = 0; i < PROBED; i++) {
        trial.probe = (unsigned)(i * trial.length / PROBED);
        sum += miss_share(cache, finding, &trial);
    }
    return sum > LEAST_LOST * PROBED;
}

/* Whether replacement is random: every block then survives a miss of another one with probability 1 - 1/ways.
 */
static bool is_random(const struct policy_cache *cache, const struct policy_finding *finding)
{
    static const double NEAR = 0.15;
    for (unsigned more = cache->ways / 2; more <= cache->ways; more += cache->ways / 2) {
        struct policy_trial trial = {.length = 0};
        double sum = 0, shares[POLICY_WAYS_MOST];
        for (unsigned i = 0; i < cache->ways + more; i++)
            trial.sequence[trial.length++] = (unsigned char)i;
        for (trial.probe = 0; trial.probe < cache->ways; trial.probe++) {
            shares[trial.probe] = miss_share(cache, finding, &trial);
            sum += shares[trial.probe];
        }
        double expected = 1 - pow(1 - 1.0 / cache->ways, more);
        if (!(fabs(sum / cache->ways - expected) < NEAR))
            return false;
        if (fabs(stats_median(shares, cache->ways) - expected) > 2 * NEAR) /* always or never is not random */
            return false;
    }
    return true;
}

/* ---- finding ---- */

enum { TRIALS = 140, CONFIRM = 24 };

/* Measures sequences until the remaining candidates agree on all, or there are enough. *unclear: sequences
 * with neither a hit nor a miss. False if too many were disturbed. */
static bool measure_trials(const struct policy_cache *cache, struct policy_candidates *all,
                           struct policy_finding *finding, size_t *unclear)
{
    static const double CLEAR = 0.3;
    struct random random = random_start(1, "policy");
    size_t confirmed = 0, disturbed = 0;
    while (finding->sequences < TRIALS && confirmed < CONFIRM && disturbed < TRIALS / 3) {
        struct policy_trial trial;
        size_t split = choose_trial(all, &random, &trial);
        double share = miss_share(cache, finding, &trial);
        if (!isfinite(share)) {
            disturbed++;
            continue;
        }
        finding->sequences++;
        confirmed = split == 0 ? confirmed + 1 : 0;
        if (share > CLEAR && share < 1 - CLEAR) {
            ++*unclear;
            continue;
        }
        for (size_t i = 0; i < all->count; i++)
            if (all->wrong[i] < UCHAR_MAX && predict(&all->policies[i], all->ways, &trial) != (share < 0.5))
                all->wrong[i]++;
    }
    return disturbed < TRIALS / 3;
}

void policy_find(const struct policy_cache *cache, struct policy_finding *finding)
{
    struct policy_candidates *all = memory_zeroed(1, sizeof *all);
    size_t unclear = 0;
    *finding = (struct policy_finding){.verdict = POLICY_UNDETERMINED};
    all->ways = cache->ways;
    add_all(all);
    if (calibrate(cache, finding) && holds_its_ways(cache, finding) && loses_others(cache, finding) &&
        measure_trials(cache, all, finding, &unclear)) {
        size_t best = best_of(all);
        bool fits = 10 * (size_t)all->wrong[best] <= finding->sequences && 5 * unclear <= finding->sequences;
        finding->policy = fits ? all->policies[best] : (struct replacement){.kind = KIND_RANDOM};
        finding->contradicting = fits ? all->wrong[best] : 0;
        finding->verdict = fits || is_random(cache, finding) ? POLICY_FOUND : POLICY_NONE;
        for (size_t i = 0; fits && i < all->count; i++)
            finding->alike += i != best && policy_alike(&all->policies[i], &finding->policy, all->ways);
    }
    free(all);
}
