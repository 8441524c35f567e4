/* Looks through one JSON object without making anything of it: whether it is whole and well-formed, and where
 * its own members stand. For files of many lines of which all are looked at before some are read. */
#ifndef BASE_JSON_SCAN_H
#define BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum { JSON_SCAN_MEMBERS = 48 };

/* A member of the outermost object. */
struct json_member {
    const char *key;
    size_t key_size;
    const char *value; /* of a string: without its quotes */
    size_t size;
    char kind;  /* '"', '{', '[', '0' for a whole number, '.' for another, 't', 'f', 'n' */
    bool plain; /* a string without an escape: value is what it says */
};

struct json_members {
    struct json_member items[JSON_SCAN_MEMBERS];
    size_t count;
};

/* True when json_parse surely reads the text, and as an object: then *members has its members, which point
 * into text. False for what is no object, and for what is too rare to be looked at here (deep nesting,
 * objects of many members, escapes in keys, long numbers): json_parse decides. */
bool json_scan(const char *text, size_t size, struct json_members *members);

#endif
