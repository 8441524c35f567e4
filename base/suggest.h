/* "Did you mean": the known word nearest to an unknown one. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <stddef.h>

/* The word among count words with the least edit distance (insertion, deletion, change, swap of neighbours)
 * to text, or NULL when none is near enough to be meant. The result points into words. */
const char *suggest(const char *text, const char *const *words, size_t count);

#endif
