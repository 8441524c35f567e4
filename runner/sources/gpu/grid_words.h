/* Counts who shares the words of a launch's atomics: threads of the grid per word, and blocks per line of
 * L2. */
#ifndef RUNNER_SOURCES_GPU_GRID_WORDS_H
#define RUNNER_SOURCES_GPU_GRID_WORDS_H

#include "runner/sources/source.h"
#include "sim/lane_access.h"

struct grid_words;

/* For a launch of that many warps with that many regions; line: bytes of a line of L2. Free with
 * grid_words_free. */
struct grid_words *grid_words_new(unsigned line, unsigned warps_per_block, size_t warps, size_t regions);
void grid_words_free(struct grid_words *words);

/* Notes an access of the loop that is an atomic. */
void grid_words_note(struct grid_words *words, const struct lane_access *access);

struct grid_words_seen {
    double threads, blocks; /* threads per word and blocks per line: the mean over these, and over regions
                               weighted by their atomics */
    uint64_t atomics;
};

/* Evaluates the noted atomics; words may be NULL. */
void grid_words_count(struct grid_words *words, struct grid_words_seen *seen);

/* Adds both means as the source's observations, if there was an atomic. */
void grid_words_observe(const struct counter_source *source, const struct grid_words_seen *seen,
                        struct observations *list);

#endif
