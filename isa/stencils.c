#include "isa/stencils.h"

#include "isa/stencils_table.h"

#include <stdlib.h>

enum { FIRST_BUCKETS = 1024, FULL = 2 };

struct stencils *stencils_new(const struct isa *isa)
{
    struct stencils *stencils = calloc(1, sizeof *stencils);
    if (stencils == NULL)
        abort();
    stencils->isa = isa;
    stencils->bucket_count = FIRST_BUCKETS;
    stencils->buckets = calloc(stencils->bucket_count, sizeof *stencils->buckets);
    if (stencils->buckets == NULL)
        abort();
    return stencils;
}

void stencils_free(struct stencils *stencils)
{
    if (stencils == NULL)
        return;
    free(stencils->buckets);
    free(stencils->requests);
    arena_free(&stencils->arena);
    free(stencils);
}

const struct isa *stencils_isa(const struct stencils *stencils)
{
    return stencils->isa;
}

/* FNV-1a. */
static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static void grow(struct stencils *stencils)
{
    size_t count = 4 * stencils->bucket_count;
    struct shape_row **buckets = calloc(count, sizeof(struct shape_row *));
    if (buckets == NULL)
        abort();
    for (size_t i = 0; i < stencils->bucket_count; i++) {
        for (struct shape_row *shape = stencils->buckets[i], *next; shape != NULL; shape = next) {
            next = shape->next;
            shape->next = buckets[shape->hash & (count - 1)];
            buckets[shape->hash & (count - 1)] = shape;
        }
    }
    free(stencils->buckets);
    stencils->buckets = buckets;
    stencils->bucket_count = count;
}

struct shape *stencils_shape(struct stencils *stencils, const char *text, size_t length,
                             enum number_kind kind)
{
    uint64_t hash = hash_of(text, length);
    struct shape_row **bucket = &stencils->buckets[hash & (stencils->bucket_count - 1)];
    for (struct shape_row *row = *bucket; row != NULL; row = row->next)
        if (row->hash == hash && row->length == length && memcmp(row->text, text, length) == 0)
            return &row->shape;
    if (++stencils->shape_count > FULL * stencils->bucket_count) {
        grow(stencils);
        bucket = &stencils->buckets[hash & (stencils->bucket_count - 1)];
    }
    struct shape_row *row = arena_alloc(&stencils->arena, 1, sizeof *row);
    char *copy = arena_alloc(&stencils->arena, length + 1, 1);
    memcpy(copy, text, length);
    *row = (struct shape_row){.text = copy, .length = length, .hash = hash, .kind = kind, .next = *bucket};
    *bucket = row;
    return &row->shape;
}

static void ask(struct stencils *stencils, struct shape_row *shape, size_t class, struct exact *exact)
{
    if (stencils->request_count == stencils->request_room) {
        stencils->request_room = stencils->request_room == 0 ? 64 : 2 * stencils->request_room;
        stencils->requests = realloc(stencils->requests, stencils->request_room * sizeof *stencils->requests);
        if (stencils->requests == NULL)
            abort();
    }
    stencils->requests[stencils->request_count++] = (struct request){shape, class, exact};
}

static const struct encoding *exact_encoding(struct stencils *stencils, struct shape_row *shape,
                                             int64_t number)
{
    struct exact *exact = shape->exacts;
    while (exact != NULL && exact->number != number)
        exact = exact->next;
    if (exact == NULL) {
        exact = arena_alloc(&stencils->arena, 1, sizeof *exact);
        *exact = (struct exact){.next = shape->exacts, .number = number};
        shape->exacts = exact;
    }
    if (!exact->asked)
        ask(stencils, shape, 0, exact);
    exact->asked = true;
    return exact->known ? &exact->encoding : NULL;
}

void encoding_fill_pieces(const struct encoding *encoding, int64_t number, unsigned char *to)
{
    uint64_t value = (uint64_t)(number >> encoding->divide);
    for (const struct field_piece *piece = encoding->pieces; piece->bits != 0; piece++) {
        uint64_t word;
        uint64_t mask = (UINT64_C(1) << piece->bits) - 1;
        memcpy(&word, to + piece->at / 8, sizeof word);
        word |= (value >> piece->from & mask) << piece->at % 8;
        memcpy(to + piece->at / 8, &word, sizeof word);
    }
}

/* Any displacement is right in any shape that has one: all its classes are learnt at once. */
static void ask_class(struct stencils *stencils, struct shape_row *shape, size_t class)
{
    bool all = shape->kind == NUMBER_DISPLACEMENT;
    const struct number_classes *classes = &stencils->isa->numbers[shape->kind];
    for (size_t i = all ? 0 : class; i < (all ? classes->count : class + 1); i++) {
        if (classes->items[i].bits == 0)
            (void)exact_encoding(stencils, shape, classes->items[i].low);
        else if (shape->states[i] == CLASS_UNKNOWN)
            ask(stencils, shape, i, NULL);
        if (shape->states[i] == CLASS_UNKNOWN)
            shape->states[i] = CLASS_ASKED;
    }
}

static const struct encoding *class_encoding(struct stencils *stencils, struct shape_row *shape, size_t class,
                                             bool *known)
{
    *known = shape->states[class] == CLASS_OWN || shape->states[class] == CLASS_LACKS;
    if (shape->states[class] == CLASS_UNKNOWN)
        ask_class(stencils, shape, class);
    return shape->states[class] == CLASS_OWN ? &shape->encodings[class] : NULL;
}

/* The row that the shape is the first member of. */
static struct shape_row *row_of(struct shape *shape)
{
    return (struct shape_row *)shape;
}

const struct encoding *stencils_encoding(struct stencils *stencils, struct shape *given, int64_t number)
{
    struct shape_row *shape = row_of(given);
    const struct number_classes *classes = &stencils->isa->numbers[shape->kind];
    for (size_t i = 0; i < classes->count; i++) {
        const struct number_class *class = &classes->items[i];
        if (number < class->low || number > class->high || (number & (int64_t)(class->multiple - 1)) != 0)
            continue;
        bool known;
        if (class->bits == 0)
            break;
        const struct encoding *encoding = class_encoding(stencils, shape, i, &known);
        if (encoding != NULL || !known)
            return encoding;
    }
    return exact_encoding(stencils, shape, number);
}

const struct encoding *stencils_target(struct stencils *stencils, struct shape *shape, size_t class,
                                       bool *known)
{
    return class_encoding(stencils, row_of(shape), class, known);
}

/* What comes before a class takes no number from it: an exact number that is not learnt must not be taken for
 * one of a class. */
static bool add_quick(struct shape_row *row, const struct number_class *class,
                      const struct encoding *encoding)
{
    if (row->shape.quick_count == QUICK_ENCODINGS)
        return false;
    row->shape.quick[row->shape.quick_count++] =
        (struct quick_encoding){class->low, class->high, (int64_t)(class->multiple - 1), encoding};
    return true;
}

static const struct encoding *known_exact(const struct shape_row *row, int64_t number)
{
    for (const struct exact *exact = row->exacts; exact != NULL; exact = exact->next)
        if (exact->number == number && exact->known)
            return &exact->encoding;
    return NULL;
}

void stencils_settle(const struct stencils *stencils, struct shape_row *row)
{
    static const struct number_class only = {.low = INT64_MIN, .high = INT64_MAX, .multiple = 1};
    const struct number_classes *classes = &stencils->isa->numbers[row->kind];
    row->shape.quick_count = 0;
    bool good = row->kind != NUMBER_NONE ||
                (known_exact(row, 0) != NULL && add_quick(row, &only, known_exact(row, 0)));
    for (size_t i = 0; good && i < classes->count; i++) {
        const struct number_class *class = &classes->items[i];
        if (class->bits > 0 && row->states[i] == CLASS_LACKS)
            continue;
        const struct encoding *encoding =
            class->bits == 0 ? known_exact(row, class->low) : &row->encodings[i];
        /* Without an encoding the list ends before the class: those of a later one may belong to it. */
        good = (class->bits == 0 ? encoding != NULL : row->states[i] == CLASS_OWN) &&
               add_quick(row, class, encoding);
    }
}

bool stencils_has_target(const struct stencils *stencils, size_t class)
{
    return class < stencils->isa->numbers[NUMBER_TARGET].count;
}

bool stencils_target_fits(const struct stencils *stencils, size_t class, int64_t distance)
{
    const struct number_class *row = &stencils->isa->numbers[NUMBER_TARGET].items[class];
    return distance >= row->low && distance <= row->high && (distance & (int64_t)(row->multiple - 1)) == 0;
}

bool stencils_must_learn(const struct stencils *stencils)
{
    return stencils->request_count > 0;
}
