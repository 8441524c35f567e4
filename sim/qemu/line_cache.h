/* A set-associative cache, or a TLB, that counts hits and misses for the plugin. It shares no code with the
 * plan's own model, so that they share no mistake. */
#ifndef SIM_QEMU_LINE_CACHE_H
#define SIM_QEMU_LINE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* More than any first-level TLB or cache has, and few enough to search one by one. */
enum { LINE_CACHE_MOST_WAYS = 4096 };

enum line_policy { LINE_LRU, LINE_TREE_PLRU, LINE_RANDOM, LINE_FIFO };

struct line_cache {
    uint64_t sets; /* any number */
    unsigned ways; /* at most LINE_CACHE_MOST_WAYS; 0: the machine lacks it */
    unsigned line; /* bytes, a power of two; of a TLB, the page */
    enum line_policy policy;
    bool hashed; /* the upper bits of the address are part of the index, as in large shared caches */

    /* Private. */
    unsigned line_shift;
    uint64_t mask; /* sets - 1 where that is an index's bits, and the first tag of a set is the last used */
    bool masked;
    uint64_t *tags; /* [sets][ways], 0: empty; under LRU the most recent first */
    uint64_t *tree; /* [sets][tree_words]: tree-PLRU's bits, or FIFO's next way */
    unsigned tree_words;
    uint64_t random;
};

/* Reads "SIZE:WAYS:LINE:POLICY" with bytes and one of lru, tree_plru, random, fifo; size = sets ways line.
 * False if it is malformed, or its size is not a multiple of a way. */
bool line_cache_parse(struct line_cache *cache, const char *text);

/* Allocates and empties it. False without memory. */
bool line_cache_start(struct line_cache *cache, uint64_t seed);

/* Accesses the line of the address: true on a hit; a miss fills it. */
bool line_cache_access(struct line_cache *cache, uint64_t address);

/* The same, in less time for the line of its set that was used last. */
static inline bool line_cache_again(struct line_cache *cache, uint64_t address)
{
    uint64_t line = address >> cache->line_shift;
    return (cache->masked && cache->tags[(line & cache->mask) * cache->ways] == line + 1) ||
           line_cache_access(cache, address);
}

#endif
