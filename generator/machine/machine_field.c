#include "generator/machine/machine_field.h"

#include "base/json.h"
#include "base/text/suggest.h"
#include "base/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FOUND_BYTES = 64, ROWS_MOST = 32 };

static const double LARGEST_WHOLE = 9007199254740992.0; /* 2^53: above it Lua floats are not exact */

/* ---- what a user is told ---- */

static const char *describe(const json_t *value, char text[FOUND_BYTES])
{
    const char *kind = json_is_object(value)  ? "a table"
                       : json_is_array(value) ? "a list"
                       : json_is_true(value)  ? "true"
                       : json_is_false(value) ? "false"
                                              : "nothing";
    if (json_is_string(value))
        snprintf(text, FOUND_BYTES, "\"%.40s\"", json_string_value(value));
    else if (json_is_number(value))
        snprintf(text, FOUND_BYTES, "%.10g", json_number_value(value));
    else
        snprintf(text, FOUND_BYTES, "%s", kind);
    return text;
}

json_t *field_refuse(struct field_reader *reader, const struct field *field, const json_t *value)
{
    char found[FOUND_BYTES];
    error_set(reader->error, STATUS_RECIPE, "%s is %s: expected %s", reader->path, describe(value, found),
              field->expected);
    return NULL;
}

static json_t *refuse_missing(struct field_reader *reader, const struct field *field)
{
    error_set(reader->error, STATUS_RECIPE, "%s is missing: expected %s", reader->path, field->expected);
    return NULL;
}

enum { KNOWN_BYTES = 512 }; /* all names of a table in one sentence */

static json_t *refuse_unknown(struct field_reader *reader, const struct field *rows, const char *key)
{
    const char *words[ROWS_MOST] = {NULL};
    size_t count = 0;
    for (const struct field *row = rows; count < ROWS_MOST && row->name != NULL; row++)
        if (row->read != field_elsewhere)
            words[count++] = row->name;
    const char *meant = suggest(key, words, count);
    if (meant != NULL) {
        error_set(reader->error, STATUS_RECIPE, "unknown field '%.40s' in %s, did you mean '%s'?", key,
                  reader->path, meant);
        return NULL;
    }
    char known[KNOWN_BYTES] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ", words[i]);
    error_set(reader->error, STATUS_RECIPE, "unknown field '%.40s' in %s: expected one of %s", key,
              reader->path, known);
    return NULL;
}

/* ---- small parts ---- */

/* Appends ".name" to the path; returns the previous length. */
static size_t enter(struct field_reader *reader, const char *name)
{
    size_t length = strlen(reader->path);
    snprintf(reader->path + length, sizeof reader->path - length, ".%.60s", name);
    return length;
}

static void leave(struct field_reader *reader, size_t length)
{
    reader->path[length] = '\0';
}

static void put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        abort(); /* out of memory */
}

/* Lua has only one kind of empty table, which may have become an empty object or an empty array. */
static bool is_empty_table(const json_t *value)
{
    return (json_is_object(value) && json_object_size(value) == 0) ||
           (json_is_array(value) && json_array_size(value) == 0);
}

/* The smallest key after the given one (NULL: the first), so that the order of a Lua table never shows. */
static const char *next_key(const json_t *value, const char *after)
{
    json_t *object = (json_t *)value; /* jansson's iterators change nothing, but lack const */
    const char *least = NULL;
    for (void *i = json_object_iter(object); i != NULL; i = json_object_iter_next(object, i)) {
        const char *key = json_object_iter_key(i);
        if ((after == NULL || strcmp(key, after) > 0) && (least == NULL || strcmp(key, least) < 0))
            least = key;
    }
    return least;
}

static bool is_field(const struct field *rows, const char *name)
{
    for (; rows->name != NULL; rows++)
        if (strcmp(rows->name, name) == 0)
            return true;
    return false;
}

static bool number_within(const json_t *value, const struct field *field, double *number)
{
    *number = json_number_value(value);
    return json_is_number(value) && *number >= field->low && *number <= field->high;
}

/* ---- the readers ---- */

json_t *field_elsewhere(struct field_reader *reader, const struct field *field, const json_t *value,
                        void *target)
{
    (void)target;
    return field_refuse(reader, field, value);
}

json_t *field_whole(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    double number;
    if (!number_within(value, field, &number) || number != floor(number))
        return field_refuse(reader, field, value);
    *(unsigned *)target = (unsigned)number;
    return json_from_number(number);
}

json_t *field_line(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    json_t *copy = field_whole(reader, field, value, target);
    if (copy == NULL || units_is_power_of_two(*(unsigned *)target))
        return copy;
    json_decref(copy);
    return field_refuse(reader, field, value);
}

json_t *field_number(struct field_reader *reader, const struct field *field, const json_t *value,
                     void *target)
{
    double number;
    if (!number_within(value, field, &number) || !(number > 0))
        return field_refuse(reader, field, value);
    *(double *)target = number;
    return json_from_number(number);
}

json_t *field_size(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    uint64_t bytes = 0;
    double number = json_number_value(value);
    bool whole = json_is_number(value) && number >= 0 && number <= LARGEST_WHOLE && number == floor(number);
    if (whole)
        bytes = (uint64_t)number;
    else if (!json_is_string(value) || !units_parse_size(json_string_value(value), &bytes))
        return field_refuse(reader, field, value);
    if ((double)bytes < field->low || (double)bytes > field->high)
        return field_refuse(reader, field, value);
    *(uint64_t *)target = bytes;
    return json_integer((json_int_t)bytes);
}

json_t *field_boolean(struct field_reader *reader, const struct field *field, const json_t *value,
                      void *target)
{
    if (!json_is_boolean(value))
        return field_refuse(reader, field, value);
    *(bool *)target = json_is_true(value);
    return json_boolean(json_is_true(value));
}

json_t *field_text(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    const char *text = json_string_value(value);
    if (text == NULL || text[0] == '\0' || strlen(text) > (size_t)field->high)
        return field_refuse(reader, field, value);
    memcpy(target, text, strlen(text) + 1);
    return json_string(text);
}

json_t *field_words(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    (void)target;
    if (!json_is_array(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *word = json_array_get(value, i);
        if (!json_is_string(word) || json_string_length(word) == 0) {
            char found[FOUND_BYTES];
            error_set(reader->error, STATUS_RECIPE, "%s[%zu] is %s: expected a text, as in %s", reader->path,
                      i + 1, describe(word, found), field->expected);
            json_decref(copy);
            return NULL;
        }
        if (json_array_append_new(copy, json_string(json_string_value(word))) != 0)
            abort(); /* out of memory */
    }
    return copy;
}

json_t *field_numbers(struct field_reader *reader, const struct field *field, const json_t *value,
                      void *target)
{
    (void)target;
    double number;
    if (!json_is_array(value) || json_array_size(value) == 0)
        return field_refuse(reader, field, value);
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++) {
        const json_t *item = json_array_get(value, i);
        if (!number_within(item, field, &number) || !(number > 0)) {
            char found[FOUND_BYTES];
            error_set(reader->error, STATUS_RECIPE, "%s[%zu] is %s: expected %s", reader->path, i + 1,
                      describe(item, found), field->expected);
            json_decref(copy);
            return NULL;
        }
        if (json_array_append_new(copy, json_from_number(number)) != 0)
            abort(); /* out of memory */
    }
    return copy;
}

json_t *field_map(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    if (!json_is_object(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    json_t *copy = json_object();
    for (const char *key = next_key(value, NULL); key != NULL; key = next_key(value, key)) {
        size_t length = enter(reader, key);
        json_t *item = field->rows->read(reader, field->rows, json_object_get(value, key), target);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        put(copy, key, item);
    }
    return copy;
}

json_t *field_table(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    if (!json_is_object(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    for (const char *key = next_key(value, NULL); key != NULL; key = next_key(value, key))
        if (!is_field(field->rows, key))
            return refuse_unknown(reader, field->rows, key);
    json_t *copy = json_object();
    for (const struct field *row = field->rows; row->name != NULL; row++) {
        const json_t *given = json_object_get(value, row->name);
        if (given == NULL && !row->required)
            continue;
        size_t length = enter(reader, row->name);
        json_t *item = given == NULL ? refuse_missing(reader, row)
                                     : row->read(reader, row, given, (char *)target + row->offset);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        put(copy, row->name, item);
    }
    return copy;
}

json_t *field_list(struct field_reader *reader, const struct field *field, const json_t *value, void *target)
{
    if (!json_is_array(value) && !is_empty_table(value))
        return field_refuse(reader, field, value);
    json_t *copy = json_array();
    for (size_t i = 0; i < json_array_size(value); i++) {
        size_t length = strlen(reader->path);
        snprintf(reader->path + length, sizeof reader->path - length, "[%zu]", i + 1);
        json_t *item = field_table(reader, field, json_array_get(value, i), target);
        leave(reader, length);
        if (item == NULL) {
            json_decref(copy);
            return NULL;
        }
        if (json_array_append_new(copy, item) != 0)
            abort(); /* out of memory */
    }
    return copy;
}
