#include "base/json/json_text.h"

#include "base/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, DIGITS = 15 };

static void append_string(struct buffer *buffer, const char *value)
{
    static const char marks[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    buffer_append(buffer, "\"", 1);
    for (const char *plain = value;; value++) {
        if (*value != '\0' && *value != '"' && *value != '\\' && (unsigned char)*value >= ' ')
            continue;
        buffer_append(buffer, plain, (size_t)(value - plain));
        if (*value == '\0')
            break;
        const char *mark = strchr(marks, *value);
        if (mark != NULL)
            buffer_printf(buffer, "\\%c", letters[mark - marks]);
        else
            buffer_printf(buffer, "\\u%04X", (unsigned)(unsigned char)*value);
        plain = value + 1;
    }
    buffer_append(buffer, "\"", 1);
}

/* Adds the value, of which it takes the reference, to the innermost object or array of a tree. */
static void add(const struct json_text *text, const char *key, json_t *value)
{
    json_t *innermost = text->tree[text->depth - 1];
    if (key == NULL ? json_array_append_new(innermost, value) : json_object_set_new(innermost, key, value))
        abort(); /* out of memory */
}

/* Begins a line, except for the outermost value, and writes the key. */
static void begin(struct json_text *text, const char *key)
{
    if (text->depth > 0 && text->compact) {
        buffer_text(text->buffer, text->first ? "" : ",");
    } else if (text->depth > 0) {
        buffer_text(text->buffer, text->first ? "\n" : ",\n");
        buffer_fill(text->buffer, ' ', INDENT * (size_t)text->depth);
    }
    text->first = false;
    if (key == NULL)
        return;
    append_string(text->buffer, key);
    buffer_append(text->buffer, ": ", text->compact ? 1 : 2);
}

void json_text_open(struct json_text *text, const char *key, char mark)
{
    if (text->buffer == NULL) {
        json_t *inner = mark == '{' ? json_object() : json_array();
        if (text->depth == JSON_TEXT_DEPTH || inner == NULL)
            abort(); /* out of memory */
        if (text->depth > 0)
            add(text, key, inner);
        text->tree[text->depth++] = inner;
        return;
    }
    begin(text, key);
    buffer_append(text->buffer, &mark, 1);
    text->depth++;
    text->first = true;
}

void json_text_close(struct json_text *text, char mark)
{
    text->depth--;
    if (text->buffer == NULL)
        return;
    if (!text->first && !text->compact) {
        buffer_append(text->buffer, "\n", 1);
        buffer_fill(text->buffer, ' ', INDENT * (size_t)text->depth);
    }
    text->first = false;
    buffer_append(text->buffer, &mark, 1);
    if (text->depth == 0)
        buffer_append(text->buffer, "\n", 1);
}

void json_text_integer(struct json_text *text, const char *key, long long value)
{
    if (text->buffer == NULL) {
        add(text, key, json_integer(value));
        return;
    }
    begin(text, key);
    if (value < 0)
        buffer_append(text->buffer, "-", 1);
    buffer_number(text->buffer, value < 0 ? 0 - (unsigned long long)value : (unsigned long long)value);
}

void json_text_integers(struct json_text *text, const char *key, const uint64_t *values, size_t count)
{
    json_text_open(text, key, '[');
    for (size_t i = 0; i < count; i++)
        json_text_integer(text, NULL, (long long)values[i]);
    json_text_close(text, ']');
}

/* As jansson prints it: with a point or an exponent, which has neither a plus nor leading zeros. */
static void append_real(struct buffer *buffer, double value)
{
    char number[40];
    if (value != floor(value) && buffer_decimal(buffer, value))
        return;
    snprintf(number, sizeof number, "%.*g", DIGITS, value);
    const char *exponent = strchr(number, 'e');
    if (exponent == NULL) {
        buffer_text(buffer, number);
        buffer_text(buffer, strchr(number, '.') == NULL ? ".0" : "");
        return;
    }
    buffer_append(buffer, number, (size_t)(exponent - number) + 1);
    exponent++;
    if (*exponent == '-')
        buffer_append(buffer, "-", 1);
    exponent += *exponent == '-' || *exponent == '+';
    exponent += strspn(exponent, "0");
    buffer_text(buffer, exponent);
}

void json_text_real(struct json_text *text, const char *key, double value)
{
    if (text->buffer == NULL) {
        add(text, key, isfinite(value) ? json_real(value) : json_null());
        return;
    }
    begin(text, key);
    append_real(text->buffer, value);
}

void json_text_number(struct json_text *text, const char *key, double value)
{
    if (value == floor(value) && fabs(value) < 9e15)
        json_text_integer(text, key, (long long)value);
    else
        json_text_real(text, key, value);
}

void json_text_string(struct json_text *text, const char *key, const char *value)
{
    if (text->buffer == NULL) {
        add(text, key, json_from_text(value)); /* it may come from another program */
        return;
    }
    begin(text, key);
    append_string(text->buffer, value);
}

void json_text_bool(struct json_text *text, const char *key, bool value)
{
    if (text->buffer == NULL) {
        add(text, key, json_boolean(value));
        return;
    }
    begin(text, key);
    buffer_text(text->buffer, value ? "true" : "false");
}

void json_text_null(struct json_text *text, const char *key)
{
    if (text->buffer == NULL) {
        add(text, key, json_null());
        return;
    }
    begin(text, key);
    buffer_text(text->buffer, "null");
}

void json_text_any(struct json_text *text, const char *key, const struct value *value)
{
    bool list = value->kind == VALUE_LIST;
    if (value->kind == VALUE_FLAG)
        json_text_bool(text, key, value->on);
    else if (value->kind == VALUE_WORD)
        json_text_string(text, key, value->word);
    else if (value->kind == VALUE_NUMBER && value->whole)
        json_text_integer(text, key, value->integer);
    else if (value->kind == VALUE_NUMBER)
        json_text_real(text, key, value->number);
    if (value->kind == VALUE_NONE)
        json_text_null(text, key);
    if (!list && value->kind != VALUE_PARTS)
        return;
    json_text_open(text, key, list ? '[' : '{');
    for (size_t i = 0; i < value->count; i++)
        json_text_any(text, value->parts[i].name, &value->parts[i].value);
    json_text_close(text, list ? ']' : '}');
}

void json_text_word(struct json_text *text, const char *key, const char *value)
{
    if (value == NULL || value[0] == '\0')
        json_text_value(text, key, json_null());
    else
        json_text_string(text, key, value);
}

void json_text_pack(struct json_text *text, const char *format, ...)
{
    va_list arguments;
    const char *name;
    json_t *member;
    va_start(arguments, format);
    json_t *object = json_vpack_ex(NULL, 0, format, arguments);
    va_end(arguments);
    if (object == NULL)
        abort(); /* out of memory, or an invalid format or text */
    json_object_foreach(object, name, member) json_text_value(text, name, member);
    json_decref(object);
}

static void write_members(struct json_text *text, const char *key, const json_t *value)
{
    void *members = (json_t *)(uintptr_t)
        value; /* jansson's macro takes a pointer to a mutable value but does not change it */
    const char *name;
    json_t *member;
    json_text_open(text, key, '{');
    json_object_foreach((json_t *)members, name, member) json_text_value(text, name, member);
    json_text_close(text, '}');
}

static void write_elements(struct json_text *text, const char *key, const json_t *value)
{
    json_text_open(text, key, '[');
    for (size_t i = 0; i < json_array_size(value); i++)
        json_text_value(text, NULL, json_array_get(value, i));
    json_text_close(text, ']');
}

void json_text_value(struct json_text *text, const char *key, const json_t *value)
{
    if (value == NULL)
        return;
    if (text->buffer == NULL) {
        add(text, key, json_incref((json_t *)(uintptr_t)value));
        return;
    }
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        write_members(text, key, value);
        break;
    case JSON_ARRAY:
        write_elements(text, key, value);
        break;
    case JSON_STRING:
        json_text_string(text, key, json_string_value(value));
        break;
    case JSON_INTEGER:
        json_text_integer(text, key, json_integer_value(value));
        break;
    case JSON_REAL:
        json_text_real(text, key, json_real_value(value));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        json_text_bool(text, key, json_is_true(value));
        break;
    default:
        json_text_null(text, key);
    }
}
