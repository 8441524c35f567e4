/* A fast reader for JSON that this program wrote itself. It scans an object without building it: checks that
 * it is well-formed, and locates its members, for files with many lines, where all are checked before parts
 * of some are read; or it builds a document. Everything else needs json_parse. */
#ifndef BASE_JSON_JSON_SCAN_H
#define BASE_JSON_JSON_SCAN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum { JSON_SCAN_MEMBERS = 48 };

/* A member of the outermost object. */
struct json_member {
    const char *key;
    size_t key_size;
    const char *value; /* for a string: without quotes */
    size_t size;
    char kind;  /* '"', '{', '[', '0' for a whole number, '.' for any other, 't', 'f', 'n' */
    bool plain; /* a string without escapes: value is its content */
};

struct json_members {
    struct json_member items[JSON_SCAN_MEMBERS];
    size_t count;
};

/* True if json_parse would certainly read the text as an object; *members then has its members, which point
 * into text. False for other text and for rare cases (deep nesting, many members, escapes in keys, long
 * numbers), where json_parse decides. */
bool json_scan(const char *text, size_t size, struct json_members *members);

/* The value, as json_parse reads it; NULL if the text is not JSON, or has an escape, an exponent, a number
 * with more digits than a double always holds, or a repeated name in one object. New reference. */
json_t *json_quick(const char *text, size_t size);

#endif
