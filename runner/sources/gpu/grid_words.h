/* Whose words the atomics of a launch change: threads of the grid that have a word in common, and blocks that
 * have a line of L2 in common. */
#ifndef RUNNER_SOURCES_GPU_GRID_WORDS_H
#define RUNNER_SOURCES_GPU_GRID_WORDS_H

#include "runner/sources/source.h"
#include "sim/lane_access.h"

struct grid_words;

/* line: bytes of a line of L2; of a launch of that many warps, with so many regions. Free with
 * grid_words_free.
 */
struct grid_words *grid_words_new(unsigned line, unsigned warps_per_block, size_t warps, size_t regions);
void grid_words_free(struct grid_words *words);

/* Notes an access of the loop that is an atomic. */
void grid_words_note(struct grid_words *words, const struct lane_access *access);

struct grid_words_seen {
    double threads, blocks; /* of a word, of a line: the mean over these, of regions by their atomics */
    uint64_t atomics;
};

/* Counts what was noted; words may be NULL. */
void grid_words_count(struct grid_words *words, struct grid_words_seen *seen);

/* Adds what the source has seen, if there was an atomic. */
void grid_words_observe(const struct counter_source *source, const struct grid_words_seen *seen,
                        struct observations *list);

#endif
