#include "sim/qemu/line_cache.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_BITS = 64 };

bool line_cache_parse(struct line_cache *cache, const char *text)
{
    static const char *const policies[] = {"lru", "tree_plru", "random", "fifo"};
    uint64_t size;
    char policy[16];
    int end = 0;
    if (sscanf(text, "%" SCNu64 ":%u:%u:%15[a-z_]%n", &size, &cache->ways, &cache->line, policy, &end) != 4 ||
        text[end] != '\0')
        return false;
    for (unsigned i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policy, policies[i]) == 0) {
            cache->policy = (enum line_policy)i;
            uint64_t way = (uint64_t)cache->ways * cache->line;
            cache->sets = way > 0 ? size / way : 0;
            return cache->ways <= LINE_CACHE_MOST_WAYS && cache->sets > 0 && cache->sets * way == size &&
                   (cache->line & (cache->line - 1)) == 0;
        }
    return false;
}

/* Bit n of the tree is node n's victim: the left half (0) or the right. Node 1 is the root. If the ways are
 * not a power of two, halves without a way are never the victim. */
static unsigned tree_leaves(unsigned ways)
{
    unsigned leaves = 1;
    while (leaves < ways)
        leaves *= 2;
    return leaves;
}

bool line_cache_start(struct line_cache *cache, uint64_t seed)
{
    cache->line_shift = (unsigned)__builtin_ctz(cache->line);
    cache->mask = cache->sets - 1;
    cache->masked = cache->policy == LINE_LRU && !cache->hashed && (cache->sets & cache->mask) == 0;
    cache->tags = calloc(cache->sets * cache->ways, sizeof *cache->tags);
    cache->tree_words = (tree_leaves(cache->ways) + WORD_BITS - 1) / WORD_BITS;
    cache->tree = calloc(cache->sets * cache->tree_words, sizeof *cache->tree);
    cache->random = 2 * seed + 0x9E3779B97F4A7C15U;
    return cache->tags != NULL && cache->tree != NULL;
}

/* xorshift64* (Vigna 2016). */
static uint64_t draw(struct line_cache *cache)
{
    cache->random ^= cache->random >> 12;
    cache->random ^= cache->random << 25;
    cache->random ^= cache->random >> 27;
    return cache->random * 0x2545F4914F6CDD1DU >> 32;
}

static uint64_t set_of(const struct line_cache *cache, uint64_t line)
{
    if (!cache->hashed)
        return (cache->sets & (cache->sets - 1)) == 0 ? line & (cache->sets - 1) : line % cache->sets;
    unsigned bits = cache->sets > 1 ? 63 - (unsigned)__builtin_clzll(cache->sets) : 1;
    uint64_t folded = 0;
    for (uint64_t rest = line; rest != 0; rest >>= bits)
        folded ^= rest;
    return folded % cache->sets;
}

/* Searches for the tag, moving each tag before it one place back. */
static bool access_lru(uint64_t *tags, unsigned ways, uint64_t tag)
{
    uint64_t carried = tags[0];
    tags[0] = tag;
    for (unsigned way = 1; way < ways && carried != tag; way++) {
        uint64_t next = tags[way];
        tags[way] = carried;
        carried = next;
    }
    return carried == tag;
}

static unsigned tree_victim(const uint64_t *tree, unsigned ways)
{
    unsigned node = 1;
    unsigned way = 0;
    for (unsigned half = tree_leaves(ways) / 2; half > 0; half /= 2) {
        unsigned right = (tree[node / WORD_BITS] >> node % WORD_BITS & 1) != 0 && way + half < ways;
        way += right * half;
        node = 2 * node + right;
    }
    return way;
}

static void tree_touch(uint64_t *tree, unsigned ways, unsigned way)
{
    unsigned node = 1;
    for (unsigned half = tree_leaves(ways) / 2; half > 0; half /= 2) {
        unsigned right = way / half % 2;
        uint64_t bit = UINT64_C(1) << node % WORD_BITS;
        uint64_t *word = &tree[node / WORD_BITS];
        *word = right ? *word & ~bit : *word | bit;
        node = 2 * node + right;
    }
}

static unsigned victim(struct line_cache *cache, uint64_t set)
{
    uint64_t *tree = &cache->tree[set * cache->tree_words];
    if (cache->policy == LINE_TREE_PLRU)
        return tree_victim(tree, cache->ways);
    if (cache->policy == LINE_RANDOM)
        return (unsigned)(draw(cache) % cache->ways);
    unsigned oldest = (unsigned)*tree;
    *tree = (oldest + 1) % cache->ways;
    return oldest;
}

bool line_cache_access(struct line_cache *cache, uint64_t address)
{
    uint64_t line = address >> cache->line_shift;
    uint64_t set = set_of(cache, line);
    uint64_t *tags = cache->tags + set * cache->ways;
    uint64_t tag = line + 1;
    if (cache->policy == LINE_LRU)
        return access_lru(tags, cache->ways, tag);
    unsigned way = 0;
    while (way < cache->ways && tags[way] != tag)
        way++;
    bool hit = way < cache->ways;
    unsigned empty = 0;
    while (!hit && empty < cache->ways && tags[empty] != 0)
        empty++;
    if (!hit)
        way = empty < cache->ways ? empty : victim(cache, set);
    tags[way] = tag;
    if (cache->policy == LINE_TREE_PLRU)
        tree_touch(&cache->tree[set * cache->tree_words], cache->ways, way);
    return hit;
}
