/* Writes a machine's document as a machine file. The document's keys are already in the order of a machine
 * file (machine_from_json), so this is only layout: plain fields first, then one table per line. */
#include "generator/machine/machine.h"

#include "base/buffer.h"
#include "base/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 100, ITEM_BYTES = 64 };

/* ---- values ---- */

static void write_string(struct buffer *buffer, const char *text)
{
    buffer_text(buffer, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            buffer_printf(buffer, "\\%c", *c);
        else if (iscntrl((unsigned char)*c))
            buffer_printf(buffer, "\\%03u", (unsigned)(unsigned char)*c);
        else
            buffer_append(buffer, c, 1);
    }
    buffer_text(buffer, "\"");
}

/* The fewest digits that read back to the same number: 0.2, not 0.20000000000000001. */
static void write_real(struct buffer *buffer, double value)
{
    char text[ITEM_BYTES];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    buffer_text(buffer, text);
}

static const char *const reserved[] = {
    "and", "break", "do",  "else", "elseif", "end",    "false",  "for",  "function", "goto",  "if",
    "in",  "local", "nil", "not",  "or",     "repeat", "return", "then", "true",     "until", "while",
};

static bool is_lua_name(const char *key)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++)
        if (strcmp(key, reserved[i]) == 0)
            return false;
    return key[0] != '\0' && !isdigit((unsigned char)key[0]) && strspn(key, letters) == strlen(key);
}

/* The key as written before "=": a metric's name contains a dot and needs quotes. */
static void write_key(struct buffer *buffer, const char *key)
{
    if (is_lua_name(key)) {
        buffer_text(buffer, key);
        return;
    }
    buffer_text(buffer, "[");
    write_string(buffer, key);
    buffer_text(buffer, "]");
}

static void write_scalar(struct buffer *buffer, const json_t *value)
{
    if (json_is_string(value))
        write_string(buffer, json_string_value(value));
    else if (json_is_boolean(value))
        buffer_text(buffer, json_is_true(value) ? "true" : "false");
    else if (json_is_integer(value))
        buffer_printf(buffer, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else
        write_real(buffer, json_real_value(value));
}

static void write_size(struct buffer *buffer, const json_t *bytes)
{
    char text[ITEM_BYTES];
    write_string(buffer, units_format_size((uint64_t)json_integer_value(bytes), text, sizeof text));
}

/* ---- tables ---- */

static size_t column(const struct buffer *buffer)
{
    size_t start = buffer->size;
    while (start > 0 && buffer->data[start - 1] != '\n')
        start--;
    return buffer->size - start;
}

/* Appends the item, on a new line when it would pass the margin, and empties it for the next. */
static void write_item(struct buffer *buffer, struct buffer *item, bool first, int indent)
{
    bool fits = column(buffer) + item->size + strlen(", ,") <= COLUMNS;
    if (!first && fits)
        buffer_text(buffer, ", ");
    else if (!first)
        buffer_printf(buffer, ",\n%*s", indent, "");
    buffer_append(buffer, item->data, item->size);
    item->size = 0;
}

static void write_table(struct buffer *buffer, json_t *table, int indent);

static void write_list(struct buffer *buffer, const json_t *list, int indent);

static void write_value(struct buffer *buffer, const char *key, json_t *value, int indent)
{
    static const char *const sizes[] = {"page", "interleave", "shared", "memory", "effective"};
    bool size = false;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        size = size || strcmp(key, sizes[i]) == 0;
    if (json_is_object(value))
        write_table(buffer, value, indent);
    else if (json_is_array(value))
        write_list(buffer, value, indent);
    else if (size)
        write_size(buffer, value);
    else
        write_scalar(buffer, value);
}

/* { "a", "b" }, over as many lines as it needs. */
static void write_list(struct buffer *buffer, const json_t *list, int indent)
{
    struct buffer item = {0};
    if (json_array_size(list) == 0) {
        buffer_text(buffer, "{}");
        return;
    }
    buffer_text(buffer, "{ ");
    for (size_t i = 0; i < json_array_size(list); i++) {
        write_value(&item, "", json_array_get(list, i), indent);
        write_item(buffer, &item, i == 0, indent);
    }
    buffer_text(buffer, " }");
    buffer_free(&item);
}

/* { a = 1, b = { ... } } on one line, except lists in it. */
static void write_table(struct buffer *buffer, json_t *table, int indent)
{
    const char *key, *separator = "{ ";
    json_t *value;
    json_object_foreach(table, key, value)
    {
        buffer_text(buffer, separator);
        separator = ", ";
        write_key(buffer, key);
        buffer_text(buffer, " = ");
        write_value(buffer, key, value, indent);
    }
    buffer_text(buffer, json_object_size(table) == 0 ? "{}" : " }");
}

/* The same with its fields over as many lines as they need. */
static void write_long_table(struct buffer *buffer, json_t *table)
{
    const char *key;
    json_t *value;
    struct buffer item = {0};
    bool first = true;
    buffer_text(buffer, "{\n    ");
    json_object_foreach(table, key, value)
    {
        write_key(&item, key);
        buffer_text(&item, " = ");
        write_value(&item, key, value, 4);
        write_item(buffer, &item, first, 4);
        first = false;
    }
    buffer_text(buffer, ",\n  }");
    buffer_free(&item);
}

/* A cache's fields other than its size. */
static void write_rest(struct buffer *buffer, json_t *cache)
{
    const char *key, *separator = " ";
    json_t *value;
    json_object_foreach(cache, key, value)
    {
        if (strcmp(key, "size") == 0)
            continue;
        buffer_printf(buffer, "%s%s = ", separator, key);
        write_value(buffer, key, value, 0);
        separator = ", ";
    }
}

/* One level per line, sizes padded to the widest. */
static void write_caches(struct buffer *buffer, json_t *caches)
{
    const char *name;
    json_t *cache;
    int widest = 0;
    char size[ITEM_BYTES];
    json_object_foreach(caches, name, cache)
    {
        uint64_t bytes = (uint64_t)json_integer_value(json_object_get(cache, "size"));
        int width = (int)strlen(units_format_size(bytes, size, sizeof size));
        widest = width > widest ? width : widest;
    }
    buffer_text(buffer, "  caches = {\n");
    json_object_foreach(caches, name, cache)
    {
        uint64_t bytes = (uint64_t)json_integer_value(json_object_get(cache, "size"));
        bool more = json_object_size(cache) > 1;
        units_format_size(bytes, size, sizeof size);
        buffer_printf(buffer, "    %-3s = { size = \"%s\"%s", name, size, more ? "," : "");
        if (more)
            buffer_printf(buffer, "%*s", widest - (int)strlen(size), "");
        write_rest(buffer, cache);
        buffer_text(buffer, " },\n");
    }
    buffer_text(buffer, "  },\n");
}

/* ---- the file ---- */

static bool is_scalar(const json_t *value)
{
    return !json_is_object(value) && !json_is_array(value);
}

/* name, isa and the other plain fields, together. */
static void write_plain_fields(struct buffer *buffer, json_t *document)
{
    const char *key;
    json_t *value;
    struct buffer item = {0};
    bool first = true;
    buffer_text(buffer, "  ");
    json_object_foreach(document, key, value)
    {
        if (!is_scalar(value))
            continue;
        write_key(&item, key);
        buffer_text(&item, " = ");
        write_scalar(&item, value);
        write_item(buffer, &item, first, 2);
        first = false;
    }
    buffer_text(buffer, ",\n");
    buffer_free(&item);
}

static void write_tables(struct buffer *buffer, json_t *document)
{
    const char *key;
    json_t *value;
    int widest = 0;
    json_object_foreach(document, key, value)
    {
        bool aligned = !is_scalar(value) && strcmp(key, "caches") != 0;
        if (aligned && (int)strlen(key) > widest)
            widest = (int)strlen(key);
    }
    json_object_foreach(document, key, value)
    {
        if (is_scalar(value) || strcmp(key, "caches") == 0)
            continue;
        buffer_printf(buffer, "  %-*s = ", widest, key);
        if (json_is_array(value))
            write_list(buffer, value, (int)column(buffer) + 2);
        else if (strcmp(key, "gpu") == 0)
            write_long_table(buffer, value);
        else
            write_table(buffer, value, 4);
        buffer_text(buffer, ",\n");
    }
}

void machine_write_lua(const struct machine *machine, struct buffer *buffer)
{
    buffer_text(buffer, "machine {\n");
    write_plain_fields(buffer, machine->document);
    write_caches(buffer, json_object_get(machine->document, "caches"));
    write_tables(buffer, machine->document);
    buffer_text(buffer, "}\n");
}
