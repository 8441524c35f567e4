/* "Did you mean": the known word nearest to an unknown one. */
#ifndef BASE_TEXT_SUGGEST_H
#define BASE_TEXT_SUGGEST_H

#include "base/error.h"

#include <stddef.h>

/* The edit distance between two texts; 63 if one is longer than that. */
unsigned suggest_distance(const char *a, const char *b);

/* The word with the least edit distance (insertion, deletion, change, swap of neighbours) to text, preferably
 * one that begins with it; or else the only word that contains it; NULL if no word is near. The result points
 * into words. */
const char *suggest(const char *text, const char *const *words, size_t count);

/* Adds a hint to an error already set: "did you mean 'WORD'?", or `otherwise` if no word is near. */
void suggest_hint(struct error *error, const char *text, const char *const *words, size_t count,
                  const char *otherwise);

#endif
