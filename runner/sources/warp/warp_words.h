/* Whose words the atomics of a launch change: threads of the grid that have a word in common, and blocks that
 * have a line of L2 in common. */
#ifndef RUNNER_SOURCES_WARP_WARP_WORDS_H
#define RUNNER_SOURCES_WARP_WARP_WORDS_H

#include "sim/lane_access.h"

struct warp_words;

/* line: bytes of a line of L2; of a launch of that many warps, with so many regions. Free with
 * warp_words_free.
 */
struct warp_words *warp_words_new(unsigned line, unsigned warps_per_block, size_t warps, size_t regions);
void warp_words_free(struct warp_words *words);

/* Notes an access of the loop that is an atomic. */
void warp_words_note(struct warp_words *words, const struct lane_access *access);

struct warp_words_seen {
    double threads, blocks; /* of a word, of a line: the mean over these, of regions by their atomics */
    uint64_t atomics;
};

/* False if no atomic was noted; words may be NULL. */
bool warp_words_count(struct warp_words *words, struct warp_words_seen *seen);

#endif
