/* "Did you mean": the known word nearest to an unknown one. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include "base/error.h"

#include <stddef.h>

/* Insertions, deletions, changes and swaps of neighbours that make one text of the other; 63 where one is
 * longer than that. */
unsigned suggest_distance(const char *a, const char *b);

/* The word among count words with the least edit distance (insertion, deletion, change, swap of neighbours)
 * to text, or NULL when none is near enough to be meant. The result points into words. */
const char *suggest(const char *text, const char *const *words, size_t count);

/* Adds the advice to an error already set: "did you mean 'WORD'?", or otherwise where no word is near. */
void suggest_hint(struct error *error, const char *text, const char *const *words, size_t count,
                  const char *otherwise);

#endif
