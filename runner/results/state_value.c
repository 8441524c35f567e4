#include "runner/results/state_value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const struct state_value unknown = {.number = NAN};

struct state_value state_switch(bool on)
{
    return (struct state_value){.kind = STATE_SWITCH, .on = on, .number = NAN};
}

struct state_value state_number(double number)
{
    return (struct state_value){.kind = STATE_NUMBER, .number = number};
}

struct state_value state_word(const char *word, struct arena *arena)
{
    return (struct state_value){.kind = STATE_WORD, .number = NAN, .word = arena_strdup(arena, word)};
}

void state_set(struct state_value *value, const char *name, struct state_value part, struct arena *arena)
{
    const size_t count = value->count;
    for (size_t i = 0; name != NULL && i < count; i++)
        if (strcmp(value->parts[i].name, name) == 0) {
            value->parts[i].value = part;
            return;
        }
    if ((count & (count - 1)) == 0) { /* a power of two is all its room */
        struct state_part *wider = arena_alloc(arena, 2 * count + 1, sizeof *wider);
        for (size_t i = 0; i < count; i++)
            wider[i] = value->parts[i];
        value->parts = wider;
    }
    value->kind = name == NULL ? STATE_LIST : STATE_PARTS;
    value->number = NAN;
    value->parts[value->count++] = (struct state_part){name == NULL ? NULL : arena_strdup(arena, name), part};
}

const struct state_value *state_get(const struct state_value *value, const char *name)
{
    for (size_t i = 0; value->kind == STATE_PARTS && i < value->count; i++)
        if (strcmp(value->parts[i].name, name) == 0)
            return &value->parts[i].value;
    return &unknown;
}

bool state_same(const struct state_value *one, const struct state_value *other)
{
    bool same = one->kind == other->kind && one->count == other->count && one->on == other->on &&
                (one->kind != STATE_NUMBER || one->number == other->number) &&
                (one->kind != STATE_WORD || strcmp(one->word, other->word) == 0);
    for (size_t i = 0; same && i < one->count; i++)
        same =
            state_same(&one->parts[i].value, one->kind == STATE_LIST ? &other->parts[i].value
                                                                     : state_get(other, one->parts[i].name));
    return same;
}

json_t *state_to_json(const struct state_value *value)
{
    json_t *document = value->kind == STATE_LIST ? json_array() : json_object();
    for (size_t i = 0; i < value->count; i++)
        if (value->kind == STATE_LIST)
            json_array_append_new(document, state_to_json(&value->parts[i].value));
        else
            json_object_set_new(document, value->parts[i].name, state_to_json(&value->parts[i].value));
    if (value->kind == STATE_LIST || value->kind == STATE_PARTS)
        return document;
    json_decref(document);
    return value->kind == STATE_SWITCH   ? json_boolean(value->on)
           : value->kind == STATE_WORD   ? json_string(value->word)
           : value->kind != STATE_NUMBER ? json_null()
           : value->whole                ? json_integer((json_int_t)value->number)
                                         : json_real(value->number);
}

struct state_value state_from_json(const json_t *document, struct arena *arena)
{
    struct state_value value = unknown;
    const char *name;
    json_t *part;
    size_t i;
    if (json_is_boolean(document))
        return state_switch(json_is_true(document));
    if (json_is_string(document))
        return state_word(json_string_value(document), arena);
    if (json_is_number(document)) {
        value = state_number(json_number_value(document));
        value.whole = json_is_integer(document);
    } else if (json_is_object(document)) {
        value.kind = STATE_PARTS;
        json_object_foreach((json_t *)(uintptr_t)document, name, part)
            state_set(&value, name, state_from_json(part, arena), arena);
    } else if (json_is_array(document)) {
        value.kind = STATE_LIST;
        json_array_foreach(document, i, part) state_set(&value, NULL, state_from_json(part, arena), arena);
    }
    return value;
}

char *state_text(const struct state_value *value, struct arena *arena)
{
    json_t *document = state_to_json(value);
    char *text = json_dumps(document, JSON_ENCODE_ANY | JSON_REAL_PRECISION(6));
    char *kept = arena_strdup(arena, text == NULL ? "?" : text);
    free(text);
    json_decref(document);
    return kept;
}

void state_record_free(struct state_record *record)
{
    warnings_free(&record->unmet);
    arena_free(&record->arena);
}
