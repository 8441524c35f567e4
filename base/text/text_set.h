/* A set of texts, numbered in order of addition, with look-up in constant time. For tables and figures of
 * many points. */
#ifndef BASE_TEXT_TEXT_SET_H
#define BASE_TEXT_TEXT_SET_H

#include <stdbool.h>
#include <stddef.h>

/* All zeros is empty. Owns its texts. */
struct text_set {
    char **texts; /* [count] */
    size_t count;
    size_t *places; /* [place_count], a power of two: the text's number plus one; 0: free */
    size_t place_count;
};

/* The text's number, from 0. A new text is added, and its number is the previous count. */
size_t text_set_add(struct text_set *set, const char *text);

/* The text's number; the count if the set does not have it. */
size_t text_set_find(const struct text_set *set, const char *text);

void text_set_free(struct text_set *set);

#endif
