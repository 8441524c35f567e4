#include "isa/stamps.h"

#include "isa/stamps_table.h"

#include <stdlib.h>

enum { FIRST_BUCKETS = 1024, FULL = 2 };

struct stamps *stamps_new(const struct isa *isa)
{
    struct stamps *stamps = calloc(1, sizeof *stamps);
    if (stamps == NULL)
        abort();
    stamps->isa = isa;
    stamps->bucket_count = FIRST_BUCKETS;
    stamps->buckets = calloc(stamps->bucket_count, sizeof *stamps->buckets);
    if (stamps->buckets == NULL)
        abort();
    return stamps;
}

void stamps_free(struct stamps *stamps)
{
    if (stamps == NULL)
        return;
    free(stamps->buckets);
    free(stamps->requests);
    arena_free(&stamps->arena);
    free(stamps);
}

const struct isa *stamps_isa(const struct stamps *stamps)
{
    return stamps->isa;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static void grow(struct stamps *stamps)
{
    size_t count = 4 * stamps->bucket_count;
    struct shape **buckets = calloc(count, sizeof(struct shape *));
    if (buckets == NULL)
        abort();
    for (size_t i = 0; i < stamps->bucket_count; i++) {
        for (struct shape *shape = stamps->buckets[i], *next; shape != NULL; shape = next) {
            next = shape->next;
            shape->next = buckets[shape->hash & (count - 1)];
            buckets[shape->hash & (count - 1)] = shape;
        }
    }
    free(stamps->buckets);
    stamps->buckets = buckets;
    stamps->bucket_count = count;
}

struct shape *stamps_shape(struct stamps *stamps, const char *text, size_t length, enum number_kind kind)
{
    uint64_t hash = hash_of(text, length);
    struct shape **bucket = &stamps->buckets[hash & (stamps->bucket_count - 1)];
    for (struct shape *shape = *bucket; shape != NULL; shape = shape->next)
        if (shape->hash == hash && shape->length == length && memcmp(shape->text, text, length) == 0)
            return shape;
    if (++stamps->shape_count > FULL * stamps->bucket_count) {
        grow(stamps);
        bucket = &stamps->buckets[hash & (stamps->bucket_count - 1)];
    }
    struct shape *shape = arena_alloc(&stamps->arena, 1, sizeof *shape);
    char *copy = arena_alloc(&stamps->arena, length + 1, 1);
    memcpy(copy, text, length);
    *shape = (struct shape){.text = copy, .length = length, .hash = hash, .kind = kind, .next = *bucket};
    *bucket = shape;
    return shape;
}

static void ask(struct stamps *stamps, struct shape *shape, size_t class, struct exact *exact)
{
    if (stamps->request_count == stamps->request_room) {
        stamps->request_room = stamps->request_room == 0 ? 64 : 2 * stamps->request_room;
        stamps->requests = realloc(stamps->requests, stamps->request_room * sizeof *stamps->requests);
        if (stamps->requests == NULL)
            abort();
    }
    stamps->requests[stamps->request_count++] = (struct request){shape, class, exact};
}

static const struct encoding *exact_encoding(struct stamps *stamps, struct shape *shape, int64_t number)
{
    struct exact *exact = shape->exacts;
    while (exact != NULL && exact->number != number)
        exact = exact->next;
    if (exact == NULL) {
        exact = arena_alloc(&stamps->arena, 1, sizeof *exact);
        *exact = (struct exact){.next = shape->exacts, .number = number};
        shape->exacts = exact;
    }
    if (!exact->asked)
        ask(stamps, shape, 0, exact);
    exact->asked = true;
    return exact->known ? &exact->encoding : NULL;
}

static const struct encoding *class_encoding(struct stamps *stamps, struct shape *shape, size_t class,
                                             bool *known)
{
    *known = shape->states[class] == CLASS_OWN || shape->states[class] == CLASS_LACKS;
    if (shape->states[class] == CLASS_UNKNOWN) {
        shape->states[class] = CLASS_ASKED;
        ask(stamps, shape, class, NULL);
    }
    return shape->states[class] == CLASS_OWN ? &shape->encodings[class] : NULL;
}

const struct encoding *stamps_encoding(struct stamps *stamps, struct shape *shape, int64_t number)
{
    const struct number_classes *classes = &stamps->isa->numbers[shape->kind];
    for (size_t i = 0; i < classes->count; i++) {
        const struct number_class *class = &classes->items[i];
        if (number < class->low || number > class->high || (number & (int64_t)(class->multiple - 1)) != 0)
            continue;
        bool known;
        if (class->bits == 0)
            break;
        const struct encoding *encoding = class_encoding(stamps, shape, i, &known);
        if (encoding != NULL || !known)
            return encoding;
    }
    return exact_encoding(stamps, shape, number);
}

const struct encoding *stamps_target(struct stamps *stamps, struct shape *shape, size_t class, bool *known)
{
    return class_encoding(stamps, shape, class, known);
}

bool stamps_has_target(const struct stamps *stamps, size_t class)
{
    return class < stamps->isa->numbers[NUMBER_TARGET].count;
}

bool stamps_target_fits(const struct stamps *stamps, size_t class, int64_t distance)
{
    const struct number_class *row = &stamps->isa->numbers[NUMBER_TARGET].items[class];
    return distance >= row->low && distance <= row->high && (distance & (int64_t)(row->multiple - 1)) == 0;
}

bool stamps_must_learn(const struct stamps *stamps)
{
    return stamps->request_count > 0;
}
