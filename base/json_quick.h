/* Reads JSON text that this program wrote itself and put aside: plain strings, numbers of few digits. What is
 * not so plain is json_parse's. */
#ifndef BASE_JSON_QUICK_H
#define BASE_JSON_QUICK_H

#include <jansson.h>

/* The document, as json_parse reads it; NULL where the text is none, or has an escape, a character beyond
 * ASCII, a number of more digits than a double surely holds, or a name twice in one object. */
json_t *json_quick(const char *text, size_t size);

#endif
