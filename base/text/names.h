/* Comma-separated lists of names, as in options: "plan,bytes,perf". */
#ifndef BASE_TEXT_NAMES_H
#define BASE_TEXT_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* True when the list holds the name; a NULL list holds every name. */
bool names_contain(const char *list, const char *name);

/* Copies the list's first name that is not among the known ones into text, cut if necessary; false if there
 * is none. */
bool names_find_unknown(const char *list, const char *const *known, size_t count, char *text,
                        size_t capacity);

#endif
