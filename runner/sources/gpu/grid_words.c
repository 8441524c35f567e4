#include "runner/sources/gpu/grid_words.h"

#include "base/memory.h"

#include <stdlib.h>

/* One thread's atomics to one word of a region. */
struct touch {
    int region;
    bool shared;
    unsigned owner; /* of shared memory: its block */
    uint64_t word;
    unsigned block, thread;
};

struct grid_words {
    unsigned line, warps; /* of a block */
    size_t regions;
    uint64_t *last;        /* [warps of the launch][regions]: a hash of its last words there; 0: none */
    uint64_t *atomics;     /* [regions] */
    struct touch *touches; /* without a warp's repetitions to the same words */
    size_t count;
};

enum { LANES = 64 }; /* at the most */

struct grid_words *grid_words_new(unsigned line, unsigned warps_per_block, size_t warps, size_t regions)
{
    struct grid_words *words = memory_zeroed(1, sizeof *words);
    *words = (struct grid_words){.line = line, .warps = warps_per_block, .regions = regions};
    words->last = memory_zeroed(warps * regions + 1, sizeof *words->last);
    words->atomics = memory_zeroed(regions + 1, sizeof *words->atomics);
    return words;
}

/* True if the warp's last atomics in the region were to other words. */
static bool is_new(struct grid_words *words, const struct lane_access *access)
{
    uint64_t hash = access->count;
    size_t warp = (size_t)access->block * words->warps + access->warp;
    uint64_t *last = &words->last[warp * words->regions + (size_t)access->region];
    for (unsigned i = 0; i < access->count; i++)
        hash =
            (hash ^ access->addresses[i] ^ (uint64_t)access->lanes[i] << 56) * UINT64_C(0x9e3779b97f4a7c15);
    bool other = hash != *last;
    *last = hash;
    return other;
}

void grid_words_free(struct grid_words *words)
{
    if (words != NULL) {
        free(words->touches);
        free(words->last);
        free(words->atomics);
    }
    free(words);
}

void grid_words_note(struct grid_words *words, const struct lane_access *access)
{
    if (access->kind != LANE_ATOMIC || !access->timed || access->region < 0)
        return;
    words->atomics[access->region] += access->count;
    for (unsigned i = 0, other = is_new(words, access); other && i < access->count; i++) {
        words->touches = memory_next(words->touches, words->count, sizeof *words->touches);
        words->touches[words->count++] = (struct touch){.region = access->region,
                                                        .shared = access->shared,
                                                        .owner = !access->shared      ? 0
                                                                 : access->of_cluster ? access->owner
                                                                                      : access->block,
                                                        .word = access->addresses[i],
                                                        .block = access->block,
                                                        .thread = access->warp * LANES + access->lanes[i]};
    }
}

static int order_of(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* Compares region, word and thread. */
static int compare_words(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    const int orders[] = {order_of((uint64_t)x->region, (uint64_t)y->region), order_of(x->owner, y->owner),
                          order_of(x->word, y->word), order_of(x->block, y->block),
                          order_of(x->thread, y->thread)};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

/* Compares region, line and block; the words have been replaced by lines. */
static int compare_lines(const void *a, const void *b)
{
    const struct touch *x = a, *y = b;
    int region = order_of((uint64_t)x->region, (uint64_t)y->region), word = order_of(x->word, y->word);
    return region != 0 ? region : word != 0 ? word : order_of(x->block, y->block);
}

/* The mean number of threads, or blocks if lines, that change a place, over a region's touches from first on;
 * *end: behind them. */
static double sharers(const struct grid_words *words, size_t first, bool lines, size_t *end)
{
    uint64_t places = 0, pairs = 0;
    const struct touch *all = words->touches;
    for (*end = first; *end < words->count && all[*end].region == all[first].region; ++*end) {
        const struct touch *own = &all[*end], *last = own - 1;
        bool again = *end > first && own->owner == last->owner && own->word == last->word;
        places += !again;
        pairs += !again || own->block != last->block || (!lines && own->thread != last->thread);
    }
    return (double)pairs / (double)places;
}

/* The mean over the regions, weighted by their atomics. */
static double mean_of(const struct grid_words *words, bool lines, uint64_t atomics)
{
    double sum = 0;
    for (size_t first = 0, end = 0; first < words->count; first = end) {
        double own = sharers(words, first, lines, &end);
        bool alone = lines && words->touches[first].shared;
        sum += (alone ? 1 : own) * (double)words->atomics[words->touches[first].region] / (double)atomics;
    }
    return sum;
}

void grid_words_count(struct grid_words *words, struct grid_words_seen *seen)
{
    *seen = (struct grid_words_seen){.atomics = 0};
    for (size_t i = 0; words != NULL && i < words->regions; i++)
        seen->atomics += words->atomics[i];
    if (seen->atomics == 0)
        return;
    qsort(words->touches, words->count, sizeof *words->touches, compare_words);
    seen->threads = mean_of(words, false, seen->atomics);
    for (size_t i = 0; i < words->count; i++)
        words->touches[i].word /= words->line;
    qsort(words->touches, words->count, sizeof *words->touches, compare_lines);
    seen->blocks = mean_of(words, true, seen->atomics);
}

void grid_words_observe(const struct counter_source *source, const struct grid_words_seen *seen,
                        struct observations *list)
{
    if (seen->atomics == 0)
        return;
    source_add(source, list, "atomic.threads_per_word", seen->threads, (double)seen->atomics);
    source_add(source, list, "atomic.blocks_per_line", seen->blocks, (double)seen->atomics);
}
