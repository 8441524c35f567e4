/* Writes JSON directly into a buffer, indented by two, with the same text as json_write (base/json.h), for
 * documents with many numbers such as manifests: through jansson's tree, making suites takes half as many
 * instructions again. Can also build that tree, for a part of another document. */
#ifndef BASE_JSON_JSON_TEXT_H
#define BASE_JSON_JSON_TEXT_H

#include "base/buffer.h"
#include "base/value.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { JSON_TEXT_DEPTH = 16 }; /* of a tree */

struct json_text {
    struct buffer *buffer; /* NULL: builds a tree in tree[0], which the caller owns */
    unsigned depth;
    bool first;   /* the innermost object or array is empty */
    bool compact; /* on one line without spaces */
    json_t *tree[JSON_TEXT_DEPTH];
};

/* Each function writes one member of the innermost object or, with key NULL, one element of the innermost
 * array or the document itself. */

/* mark: '{' or '['. */
void json_text_open(struct json_text *text, const char *key, char mark);

/* mark: '}' or ']'. */
void json_text_close(struct json_text *text, char mark);

void json_text_integer(struct json_text *text, const char *key, long long value);

/* As json_from_number: whole numbers without a point. */
void json_text_number(struct json_text *text, const char *key, double value);

/* A list of numbers. */
void json_text_integers(struct json_text *text, const char *key, const uint64_t *values, size_t count);
void json_text_real(struct json_text *text, const char *key, double value);
void json_text_string(struct json_text *text, const char *key, const char *value);
void json_text_bool(struct json_text *text, const char *key, bool value);
void json_text_null(struct json_text *text, const char *key);

/* Null for NULL and "". */
void json_text_word(struct json_text *text, const char *key, const char *value);

/* Several members, by a format of json_pack for an object: "{s:s, s:I}". */
void json_text_pack(struct json_text *text, const char *format, ...);

/* An existing document; writes nothing if NULL. */
void json_text_value(struct json_text *text, const char *key, const json_t *value);

/* Data without fixed members; null for none. */
void json_text_any(struct json_text *text, const char *key, const struct value *value);

#endif
