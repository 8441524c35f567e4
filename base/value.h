/* Data whose members users name, such as parameters of a sweep and states of machines: a switch, a number, a
 * word, or several of these by name or in a list. Data with fixed members is a struct
 * (base/json/field_json.h). Lists, names and words are in an arena. */
#ifndef BASE_VALUE_H
#define BASE_VALUE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum value_kind { VALUE_NONE, VALUE_FLAG, VALUE_NUMBER, VALUE_WORD, VALUE_PARTS, VALUE_LIST };

struct value {
    enum value_kind kind;
    bool on;                  /* of a switch */
    bool whole;               /* of a number: it is whole, and exact in `integer` */
    long long integer;        /* 0 unless it is whole */
    double number;            /* NAN for other kinds */
    const char *word;         /* NULL for other kinds */
    struct value_part *parts; /* of a list, without names */
    size_t count;
};

struct value_part {
    const char *name;
    struct value value;
};

extern const struct value value_none;

struct value value_flag(bool on);
struct value value_number(double number);
struct value value_plain(double number); /* whole if the number is */
struct value value_word(const char *word, struct arena *arena);

/* Adds a part, or replaces the part of that name; name NULL: adds to a list. */
void value_set(struct value *value, const char *name, struct value part, struct arena *arena);

/* The part of that name; value_none without one. */
const struct value *value_get(const struct value *value, const char *name);

/* A copy in the other arena. */
struct value value_copy(const struct value *value, struct arena *arena);

/* True if there is a part of that name. */
bool value_has(const struct value *value, const char *name);

/* Numbers are compared by value: 1 is 1.0. */
bool value_same(const struct value *one, const struct value *other);

/* The value's index in the list; the list's count if it is not there. */
size_t value_place(const struct value *list, const struct value *value);

/* As JSON; numbers with so many digits. */
char *value_text(const struct value *value, int digits, struct arena *arena);

/* Appends a text that is equal for two values if, and only if, they are the same. */
void value_key(const struct value *value, struct buffer *key);

/* Conversion from JSON, which is copied (NULL: VALUE_NONE), and to JSON (a new reference). */
struct value value_read(const json_t *document, struct arena *arena);
bool value_parse(const char *text, size_t size, struct arena *arena,
                 struct value *value); /* false: no JSON */
json_t *json_from_value(const struct value *value);

#endif
