/* A fast reader for JSON that this program wrote. It can scan an object without building it: it checks that
 * the object is well-formed, and locates its members, for files with many lines of which all are checked and
 * parts of some are read. It can also build a document. Other JSON needs json_parse. */
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

/* True if json_parse would certainly read the text as an object; *members then holds its members, which point
 * into text. False for other text, and for rare cases (deep nesting, many members, escapes in keys, long
 * numbers) in which json_parse must decide. */
bool json_scan(const char *text, size_t size, struct json_members *members);

/* The value, as json_parse reads it; NULL if the text is not JSON, or if it has an escape, an exponent, a
 * number with more digits than a double always holds, or a repeated name in one object. New reference. */
json_t *json_quick(const char *text, size_t size);

#endif
