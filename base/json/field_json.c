#include "base/json/field_json.h"

#include "base/buffer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FOUND_BYTES = 64, NAME_BYTES = 128 };

/* ---- refusals ---- */

static void write_place(const struct field_place *place, const char *name, struct buffer *text)
{
    if (place != NULL && place->name != NULL)
        write_place(place->outer, place->name, text);
    else if (place != NULL) {
        write_place(place->outer, NULL, text);
        buffer_printf(text, "[%zu]", place->index);
    }
    if (name != NULL)
        buffer_printf(text, "%s%.60s", text->size > 0 ? "." : "", name);
}

static const char *describe(const json_t *value, char text[FOUND_BYTES])
{
    if (json_is_string(value))
        snprintf(text, FOUND_BYTES, "\"%.40s\"", json_string_value(value));
    else if (json_is_number(value))
        snprintf(text, FOUND_BYTES, "%.10g", json_number_value(value));
    else
        snprintf(text, FOUND_BYTES, "%s",
                 value == NULL            ? "nothing"
                 : json_is_object(value)  ? "an object"
                 : json_is_array(value)   ? "a list"
                 : json_is_boolean(value) ? "true or false"
                                          : "null");
    return text;
}

void fields_refuse(struct fields_reader *reader, const struct field_place *place, const char *name,
                   const json_t *found, const char *expected)
{
    char shown[FOUND_BYTES];
    struct buffer path = {0};
    if (reader->status != STATUS_OK)
        return;
    write_place(place, name, &path);
    reader->status = error_set(
        reader->error, STATUS_FAILED, "%s is not %s: expected %s as \"%.*s\", found %s", reader->what,
        reader->kind, expected, NAME_BYTES, path.data == NULL ? "" : path.data, describe(found, shown));
    buffer_free(&path);
}

/* ---- reading ---- */

static const struct {
    const char *expected;
    bool is_list;
} types[] = {
    [FIELD_TEXT] = {"text", false},
    [FIELD_NOTHING] = {"text", false},
    [FIELD_NUMBER] = {"a number", false},
    [FIELD_REAL] = {"a number", false},
    [FIELD_UNKNOWN] = {"a number", false},
    [FIELD_LOOSE] = {"a number", false},
    [FIELD_WHOLE] = {"a whole number", false},
    [FIELD_FLAG] = {"true or false", false},
    [FIELD_DOCUMENT] = {"an object", false},
    [FIELD_ANY] = {"", false},
    [FIELD_WORDS] = {"text", true},
    [FIELD_NUMBERS] = {"a number", true},
    [FIELD_REALS] = {"a number", true},
    [FIELD_OFFSETS] = {"a whole number", true},
    [FIELD_OBJECT] = {"an object", false},
    [FIELD_LIST] = {"an object", true},
    [FIELD_OWN] = {"another form", false},
};

static size_t size_of_item(const struct field_row *row)
{
    return row->type == FIELD_LIST      ? row->size
           : row->type == FIELD_WORDS   ? sizeof(const char *)
           : row->type == FIELD_OFFSETS ? sizeof(uint64_t)
                                        : sizeof(double);
}

/* The value, NULL if it is missing or null. */
static json_t *member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return json_is_null(value) ? NULL : value;
}

/* Reads one value, or an element of a list, to `at`; false if it is of another type. */
static bool read_value(struct fields_reader *reader, const struct field_row *row,
                       const struct field_place *place, json_t *value, void *at)
{
    switch (row->type) {
    case FIELD_TEXT:
    case FIELD_NOTHING:
    case FIELD_WORDS:
        if (json_is_string(value))
            *(const char **)at = json_string_value(value);
        return json_is_string(value);
    case FIELD_LOOSE:
        if (json_is_string(value))
            return true;
        /* fall through */
    case FIELD_NUMBER:
    case FIELD_NUMBERS:
    case FIELD_REAL:
    case FIELD_REALS:
    case FIELD_UNKNOWN:
        if (json_is_number(value))
            *(double *)at = json_number_value(value);
        return json_is_number(value);
    case FIELD_WHOLE:
    case FIELD_OFFSETS:
        *(uint64_t *)at = (uint64_t)json_integer_value(value);
        return json_is_integer(value);
    case FIELD_FLAG:
        *(bool *)at = json_is_true(value);
        return json_is_boolean(value);
    case FIELD_DOCUMENT:
    case FIELD_ANY:
        *(const json_t **)at = value;
        return row->type == FIELD_ANY || json_is_object(value);
    case FIELD_OBJECT:
    case FIELD_LIST:
        if (json_is_object(value))
            fields_read(reader, value, place, row->rows, at);
        return json_is_object(value);
    case FIELD_OWN:
        return row->read == NULL || row->read(reader, value, at);
    }
    return false;
}

static void read_list(struct fields_reader *reader, const struct field_row *row,
                      const struct field_place *place, const json_t *list, void *target)
{
    size_t count = json_array_size(list), size = size_of_item(row);
    char *items = arena_alloc(reader->arena, count, size);
    *(void **)(void *)((char *)target + row->offset) = items;
    *(size_t *)(void *)((char *)target + row->count) = count;
    for (size_t i = 0; i < count; i++) {
        const struct field_place element = {place, NULL, i};
        json_t *value = json_array_get(list, i);
        if (row->none != NULL)
            memcpy(items + i * size, row->none, size);
        if (!read_value(reader, row, &element, value, items + i * size))
            fields_refuse(reader, &element, NULL, value, types[row->type].expected);
    }
}

void fields_read(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                 const struct field_row *rows, void *target)
{
    for (const struct field_row *row = rows; row->name != NULL; row++) {
        const struct field_place own = {place, row->name, 0};
        json_t *value = member(object, row->name);
        if (value == NULL)
            continue;
        if (row->given > 0)
            *((bool *)target + row->given - 1) = true;
        if (!types[row->type].is_list) {
            if (!read_value(reader, row, &own, value, (char *)target + row->offset))
                fields_refuse(reader, place, row->name, value, types[row->type].expected);
        } else if (json_is_array(value)) {
            read_list(reader, row, &own, value, target);
        } else {
            fields_refuse(reader, place, row->name, value, "a list");
        }
    }
}

static json_t *typed(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                     const char *name, json_type type)
{
    json_t *value = member(object, name);
    if (value == NULL || json_typeof(value) == type)
        return value;
    fields_refuse(reader, place, name, value, type == JSON_OBJECT ? "an object" : "a list");
    return NULL;
}

json_t *fields_object(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                      const char *name)
{
    return typed(reader, object, place, name, JSON_OBJECT);
}

json_t *fields_list(struct fields_reader *reader, const json_t *object, const struct field_place *place,
                    const char *name)
{
    return typed(reader, object, place, name, JSON_ARRAY);
}

/* ---- writing ---- */

const struct field_row interval_fields[] = {FIELD_ROW(interval, "value", FIELD_UNKNOWN, value),
                                            FIELD_ROW(interval, "low", FIELD_UNKNOWN, low),
                                            FIELD_ROW(interval, "high", FIELD_UNKNOWN, high),
                                            FIELD_ROW(interval, "n", FIELD_WHOLE, n),
                                            {NULL}};

static void write_value(struct json_text *text, const struct field_row *row, const char *name,
                        const void *at);

static void write_list(struct json_text *text, const struct field_row *row, const void *source)
{
    const char *items = *(char *const *)(const void *)((const char *)source + row->offset);
    size_t count = *(const size_t *)(const void *)((const char *)source + row->count);
    if (row->type == FIELD_OFFSETS) {
        json_text_integers(text, row->name, (const uint64_t *)(const void *)items, count);
        return;
    }
    json_text_open(text, row->name, '[');
    for (size_t i = 0; i < count; i++)
        write_value(text, row, NULL, items + i * size_of_item(row));
    json_text_close(text, ']');
}

static void write_value(struct json_text *text, const struct field_row *row, const char *name, const void *at)
{
    const char *word;
    switch (row->type) {
    case FIELD_TEXT:
    case FIELD_NOTHING:
    case FIELD_WORDS:
        word = *(const char *const *)at;
        if (word != NULL)
            json_text_string(text, name, word);
        else if (row->type == FIELD_NOTHING)
            json_text_value(text, name, json_null());
        break;
    case FIELD_NUMBER:
    case FIELD_LOOSE:
    case FIELD_NUMBERS:
        if (isfinite(*(const double *)at))
            json_text_number(text, name, *(const double *)at);
        break;
    case FIELD_REAL:
    case FIELD_REALS:
    case FIELD_UNKNOWN:
        if (isfinite(*(const double *)at))
            json_text_real(text, name, *(const double *)at);
        else if (row->type != FIELD_REAL)
            json_text_value(text, name, json_null());
        break;
    case FIELD_WHOLE:
    case FIELD_OFFSETS:
        json_text_integer(text, name, (long long)*(const uint64_t *)at);
        break;
    case FIELD_FLAG:
        json_text_bool(text, name, *(const bool *)at);
        break;
    case FIELD_DOCUMENT:
    case FIELD_ANY:
        json_text_value(text, name, *(const json_t *const *)at);
        break;
    case FIELD_OBJECT:
    case FIELD_LIST:
        json_text_open(text, name, '{');
        fields_write(text, row->rows, NULL, at);
        json_text_close(text, '}');
        break;
    case FIELD_OWN:
        if (row->write != NULL)
            row->write(text, name, at);
        break;
    }
}

bool field_is_chosen(const struct field_choice *choice, const char *name)
{
    if (choice == NULL || choice->names == NULL)
        return true;
    const char *const *listed = choice->names;
    while (*listed != NULL && strcmp(*listed, name) != 0)
        listed++;
    return (*listed == NULL) == choice->others;
}

void fields_write(struct json_text *text, const struct field_row *rows, const struct field_choice *choice,
                  const void *source)
{
    for (const struct field_row *row = rows; row->name != NULL; row++) {
        bool given = row->given == 0 || *((const bool *)source + row->given - 1);
        if (row->former || !given || !field_is_chosen(choice, row->name))
            continue;
        if (types[row->type].is_list)
            write_list(text, row, source);
        else
            write_value(text, row, row->name, (const char *)source + row->offset);
    }
}
