#include "base/value.h"

#include "base/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

const struct value value_none = {.number = NAN};

struct value value_flag(bool on)
{
    return (struct value){.kind = VALUE_FLAG, .on = on, .number = NAN};
}

struct value value_number(double number)
{
    return (struct value){.kind = VALUE_NUMBER, .number = number};
}

struct value value_plain(double number)
{
    struct value value = value_number(number);
    value.whole = number == floor(number) && fabs(number) < 9e15;
    value.integer = value.whole ? (long long)number : 0;
    return value;
}

struct value value_word(const char *word, struct arena *arena)
{
    return (struct value){.kind = VALUE_WORD, .number = NAN, .word = arena_strdup(arena, word)};
}

static void add(struct value *value, const char *name, struct value part, struct arena *arena)
{
    value->parts = arena_next(arena, value->parts, value->count, sizeof *value->parts);
    value->parts[value->count++] = (struct value_part){name == NULL ? NULL : arena_strdup(arena, name), part};
}

void value_set(struct value *value, const char *name, struct value part, struct arena *arena)
{
    for (size_t i = 0; name != NULL && i < value->count; i++)
        if (strcmp(value->parts[i].name, name) == 0) {
            value->parts[i].value = part;
            return;
        }
    value->kind = name == NULL ? VALUE_LIST : VALUE_PARTS;
    value->number = NAN;
    add(value, name, part, arena);
}

static const struct value *find(const struct value *value, const char *name)
{
    for (size_t i = 0; value->kind == VALUE_PARTS && name != NULL && i < value->count; i++)
        if (strcmp(value->parts[i].name, name) == 0)
            return &value->parts[i].value;
    return NULL;
}

const struct value *value_get(const struct value *value, const char *name)
{
    const struct value *found = find(value, name);
    return found == NULL ? &value_none : found;
}

struct value value_copy(const struct value *value, struct arena *arena)
{
    struct value copy = *value;
    copy.word = value->word == NULL ? NULL : arena_strdup(arena, value->word);
    copy.parts = NULL;
    copy.count = 0;
    for (size_t i = 0; i < value->count; i++)
        add(&copy, value->parts[i].name, value_copy(&value->parts[i].value, arena), arena);
    return copy;
}

bool value_has(const struct value *value, const char *name)
{
    return find(value, name) != NULL;
}

static bool same_number(const struct value *one, const struct value *other)
{
    return one->whole && other->whole ? one->integer == other->integer : one->number == other->number;
}

bool value_same(const struct value *one, const struct value *other)
{
    bool same = one->kind == other->kind && one->count == other->count && one->on == other->on &&
                (one->kind != VALUE_NUMBER || same_number(one, other)) &&
                (one->kind != VALUE_WORD || strcmp(one->word, other->word) == 0);
    for (size_t i = 0; same && i < one->count; i++)
        same =
            value_same(&one->parts[i].value, one->kind == VALUE_LIST ? &other->parts[i].value
                                                                     : value_get(other, one->parts[i].name));
    return same;
}

size_t value_place(const struct value *list, const struct value *value)
{
    size_t place = 0;
    while (place < list->count && !value_same(&list->parts[place].value, value))
        place++;
    return place;
}

char *value_text(const struct value *value, int digits, struct arena *arena)
{
    json_t *document = json_from_value(value);
    char *text = json_dumps(document, JSON_ENCODE_ANY | JSON_REAL_PRECISION((size_t)digits));
    char *kept = arena_strdup(arena, text == NULL ? "?" : text);
    free(text);
    json_decref(document);
    return kept;
}

static int by_name(const void *a, const void *b)
{
    const struct value_part *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

void value_key(const struct value *value, struct buffer *key)
{
    const struct value_part **parts = memory_zeroed(value->count + 1, sizeof *parts);
    for (size_t i = 0; i < value->count; i++)
        parts[i] = &value->parts[i];
    if (value->kind == VALUE_PARTS)
        qsort(parts, value->count, sizeof *parts, by_name);
    if (value->kind == VALUE_NUMBER)
        buffer_printf(key, "%.17g", value->number + 0.0);
    else if (value->kind == VALUE_WORD)
        buffer_printf(key, "%zu:%s", strlen(value->word), value->word);
    else
        buffer_text(key, value->kind == VALUE_NONE ? "-" : value->on ? "true" : "false");
    for (size_t i = 0; i < value->count; i++) {
        const char *name = parts[i]->name == NULL ? "" : parts[i]->name;
        buffer_printf(key, "|%zu:%s=", strlen(name), name);
        value_key(&parts[i]->value, key);
    }
    if (value->kind == VALUE_PARTS || value->kind == VALUE_LIST)
        buffer_printf(key, "|%d", (int)value->kind);
    free(parts);
}

struct value value_read(const json_t *document, struct arena *arena)
{
    struct value value = value_none;
    const char *name;
    json_t *part;
    size_t i;
    if (json_is_boolean(document))
        return value_flag(json_is_true(document));
    if (json_is_string(document))
        return value_word(json_string_value(document), arena);
    if (json_is_number(document)) {
        value = value_number(json_number_value(document));
        value.whole = json_is_integer(document);
        value.integer = json_integer_value(document);
    } else if (json_is_object(document)) {
        value.kind = VALUE_PARTS;
        json_object_foreach((json_t *)(uintptr_t)document, name, part)
            add(&value, name, value_read(part, arena), arena);
    } else if (json_is_array(document)) {
        value.kind = VALUE_LIST;
        json_array_foreach(document, i, part) add(&value, NULL, value_read(part, arena), arena);
    }
    return value;
}

bool value_parse(const char *text, size_t size, struct arena *arena, struct value *value)
{
    json_t *document = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    *value = value_read(document, arena);
    json_decref(document);
    return document != NULL;
}

json_t *json_from_value(const struct value *value)
{
    json_t *document = value->kind == VALUE_LIST ? json_array() : json_object();
    for (size_t i = 0; i < value->count; i++)
        if (value->kind == VALUE_LIST)
            json_array_append_new(document, json_from_value(&value->parts[i].value));
        else
            json_object_set_new(document, value->parts[i].name, json_from_value(&value->parts[i].value));
    if (value->kind == VALUE_LIST || value->kind == VALUE_PARTS)
        return document;
    json_decref(document);
    return value->kind == VALUE_FLAG     ? json_boolean(value->on)
           : value->kind == VALUE_WORD   ? json_string(value->word)
           : value->kind != VALUE_NUMBER ? json_null()
           : value->whole                ? json_integer((json_int_t)value->integer)
                                         : json_real(value->number);
}
