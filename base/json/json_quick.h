/* A fast reader for JSON that this program wrote itself: plain strings and short numbers. Everything else
 * needs json_parse. */
#ifndef BASE_JSON_JSON_QUICK_H
#define BASE_JSON_JSON_QUICK_H

#include <jansson.h>

/* The document, as json_parse reads it; NULL if the text is not JSON, or has an escape, a non-ASCII
 * character, a number with more digits than a double always holds, or a repeated name in one object. */
json_t *json_quick(const char *text, size_t size);

#endif
