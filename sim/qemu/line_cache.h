/* The plugin's model of a set-associative cache or TLB. It shares no code with the plan's model, so that an
 * error in one does not affect the other. */
#ifndef SIM_QEMU_LINE_CACHE_H
#define SIM_QEMU_LINE_CACHE_H

#include <stdbool.h>
#include <stdint.h>

/* More than any first-level TLB or cache has, and few enough for a linear search. */
enum { LINE_CACHE_MOST_WAYS = 4096 };

enum line_policy { LINE_LRU, LINE_TREE_PLRU, LINE_RANDOM, LINE_FIFO };

struct line_cache {
    uint64_t sets; /* any number */
    unsigned ways; /* at most LINE_CACHE_MOST_WAYS; 0: the machine lacks it */
    unsigned line; /* bytes, a power of two; of a TLB, the page */
    enum line_policy policy;
    bool hashed; /* the index includes upper address bits, as in large shared caches */

    /* Private. */
    unsigned line_shift;
    bool masked;    /* LRU without hashing, and a power of two of sets: `mask` selects the set */
    uint64_t mask;  /* sets - 1 */
    uint64_t *tags; /* [sets][ways], 0: empty; under LRU the most recently used first */
    uint64_t *tree; /* [sets][tree_words]: tree-PLRU's bits, or FIFO's next way */
    unsigned tree_words;
    uint64_t random;
};

/* Reads "SIZE:WAYS:LINE:POLICY", with sizes in bytes and one of lru, tree_plru, random, fifo. False if it is
 * malformed, or SIZE is not a multiple of WAYS lines. */
bool line_cache_parse(struct line_cache *cache, const char *text);

/* Allocates an empty cache. False if there is no memory. */
bool line_cache_start(struct line_cache *cache, uint64_t seed);

/* Accesses the line of the address: true on a hit; a miss fills it. */
bool line_cache_access(struct line_cache *cache, uint64_t address);

/* The same; faster for the most recently used line of a set. */
static inline bool line_cache_again(struct line_cache *cache, uint64_t address)
{
    uint64_t line = address >> cache->line_shift;
    return (cache->masked && cache->tags[(line & cache->mask) * cache->ways] == line + 1) ||
           line_cache_access(cache, address);
}

#endif
