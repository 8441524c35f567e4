#include "isa/stencils.h"

#include "base/arena.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "base/memory.h"
#include "isa/mc.h"
#include "isa/object.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MOST_CLASSES = 12 };

enum class_state {
    CLASS_UNKNOWN,
    CLASS_REQUESTED,
    CLASS_OWN,   /* the shape has the field */
    CLASS_LACKS, /* the shape uses a wider field */
};

/* A number with its own encoding in the shape, for example a shift by one. */
struct exact {
    struct exact *next;
    int64_t number;
    bool requested, known;
    struct encoding encoding;
};

struct shape_row {
    struct shape shape; /* first, so that a shape's address is its row's */
    const char *text;
    size_t length;
    uint64_t hash;
    enum number_kind kind;
    struct shape_row *next; /* in its bucket */
    unsigned char states[MOST_CLASSES];
    struct encoding encodings[MOST_CLASSES];
    struct exact *exacts;
};

/* A request to learn about a shape: whether it has a class's field, or how it encodes one number. */
struct request {
    struct shape_row *shape;
    size_t class;
    struct exact *exact; /* NULL: the request is for the class */
};

struct stencils {
    const struct isa *isa;
    struct arena arena;
    struct shape_row **buckets;
    size_t bucket_count; /* a power of two */
    size_t shape_count;
    struct request *requests;
    size_t request_count, request_room;
};

enum { FIRST_BUCKETS = 1024, FULL = 2 };

struct stencils *stencils_new(const struct isa *isa)
{
    struct stencils *stencils = memory_zeroed(1, sizeof *stencils);
    stencils->isa = isa;
    stencils->bucket_count = FIRST_BUCKETS;
    stencils->buckets = memory_zeroed(stencils->bucket_count, sizeof *stencils->buckets);
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

static void grow(struct stencils *stencils)
{
    size_t count = 4 * stencils->bucket_count;
    struct shape_row **buckets = memory_zeroed(count, sizeof(struct shape_row *));
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
    uint64_t hash = hash_name(text, length);
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

static void add_request(struct stencils *stencils, struct shape_row *shape, size_t class, struct exact *exact)
{
    if (stencils->request_count == stencils->request_room) {
        stencils->request_room = stencils->request_room == 0 ? 64 : 2 * stencils->request_room;
        stencils->requests =
            memory_resized(stencils->requests, stencils->request_room, sizeof *stencils->requests);
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
    if (!exact->requested)
        add_request(stencils, shape, 0, exact);
    exact->requested = true;
    return exact->known ? &exact->encoding : NULL;
}

void encoding_fill_pieces(const struct encoding *encoding, int64_t number, unsigned char *to)
{
    uint64_t value = (uint64_t)((number - encoding->origin) >> encoding->divide);
    for (const struct field_piece *piece = encoding->pieces; piece->bits != 0; piece++) {
        uint64_t word;
        uint64_t mask = (UINT64_C(1) << piece->bits) - 1;
        memcpy(&word, to + piece->at / 8, sizeof word);
        word |= (value >> piece->from & mask) << piece->at % 8;
        memcpy(to + piece->at / 8, &word, sizeof word);
    }
}

/* Any displacement is valid in any shape that has one, so all its classes are learned at once. */
static void request_class(struct stencils *stencils, struct shape_row *shape, size_t class)
{
    bool all = shape->kind == NUMBER_DISPLACEMENT;
    const struct number_classes *classes = &stencils->isa->numbers[shape->kind];
    for (size_t i = all ? 0 : class; i < (all ? classes->count : class + 1); i++) {
        if (classes->items[i].bits == 0)
            (void)exact_encoding(stencils, shape, classes->items[i].low);
        else if (shape->states[i] == CLASS_UNKNOWN)
            add_request(stencils, shape, i, NULL);
        if (shape->states[i] == CLASS_UNKNOWN)
            shape->states[i] = CLASS_REQUESTED;
    }
}

static const struct encoding *class_encoding(struct stencils *stencils, struct shape_row *shape, size_t class,
                                             bool *known)
{
    *known = shape->states[class] == CLASS_OWN || shape->states[class] == CLASS_LACKS;
    if (shape->states[class] == CLASS_UNKNOWN)
        request_class(stencils, shape, class);
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

/* Earlier entries must not shadow a class: an exact number that is not yet learned must not be encoded as one
 * of a class. */
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

/* Fills in the shape's quick encodings once all its classes are known. */
static void fill_quick(const struct stencils *stencils, struct shape_row *row)
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
        /* Without an encoding the list ends before the class, because numbers of later classes may belong to
         * it. */
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

/* ---- learning ---- */

enum { SAMPLES = 2 };

/* Writes the index-th sample's instruction between two symbols. An assembler cannot always compute their
 * difference, which a linker may change on RISC-V. */
static void write_sample(struct buffer *source, const struct shape_row *shape, int64_t number, size_t index)
{
    bool target = shape->kind == NUMBER_TARGET;
    const char *hole = memchr(shape->text, STENCIL_HOLE, shape->length);
    size_t before = hole == NULL ? shape->length : (size_t)(hole - shape->text);
    if (target && number < 0)
        buffer_printf(source, "3: .skip %" PRId64 "\n", -number);
    buffer_printf(source, "trauma_b%zu: %.*s", index, (int)before, shape->text);
    if (hole != NULL && target)
        buffer_text(source, number < 0 ? "3b" : "3f");
    else if (hole != NULL)
        buffer_printf(source, "%" PRId64, number);
    if (hole != NULL)
        buffer_text(source, hole + 1);
    buffer_printf(source, "\ntrauma_e%zu:\n", index);
    if (target && number >= 0)
        buffer_printf(source, ".skip %" PRId64 "\n3:\n", number);
}

static void write_request(const struct stencils *stencils, const struct request *request, size_t *samples,
                          struct buffer *source)
{
    const struct number_class *classes = stencils->isa->numbers[request->shape->kind].items; /* NULL: none */
    if (request->exact != NULL)
        write_sample(source, request->shape, request->exact->number, (*samples)++);
    for (int i = 0; request->exact == NULL && i < SAMPLES; i++)
        write_sample(source, request->shape, classes[request->class].probes[i], (*samples)++);
}

/* Start and end of a sample in the code. */
struct bounds {
    uint64_t begin, end;
};

/* Samples in an object. */
struct stencil_samples {
    struct object_part code;
    struct bounds *bounds; /* [count] */
    size_t count, next;
};

struct sample {
    const unsigned char *bytes;
    uint64_t size;
};

static void take_symbol(const char *name, uint64_t value, void *context)
{
    static const char own[] = "trauma_";
    const struct stencil_samples *samples = context;
    if (strncmp(name, own, strlen(own)) != 0)
        return;
    name += strlen(own);
    size_t index = strtoull(name + 1, NULL, 10);
    if (index < samples->count)
        *(*name == 'b' ? &samples->bounds[index].begin : &samples->bounds[index].end) = value;
}

static bool next_sample(struct stencil_samples *samples, struct sample *sample)
{
    if (samples->next == samples->count)
        return false;
    struct bounds bounds = samples->bounds[samples->next++];
    *sample = (struct sample){samples->code.bytes + bounds.begin, bounds.end - bounds.begin};
    return bounds.end > bounds.begin && sample->size <= ENCODING_BYTES && bounds.end <= samples->code.size;
}

static uint64_t mask_of(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

static uint64_t field_at(const unsigned char padded[ENCODING_ROOM], unsigned bit)
{
    uint64_t word;
    memcpy(&word, padded + bit / 8, sizeof word);
    return word >> bit % 8;
}

/* The value that a sample's field must hold. A target's label is `probe` bytes after the instruction's end or
 * before its start; if the instruction lies between the label and the origin, its length is added. */
static uint64_t expected_value(const struct isa *isa, const struct shape_row *shape, int64_t probe,
                               uint64_t size, unsigned divide)
{
    int64_t number = probe;
    if (shape->kind == NUMBER_TARGET && probe < 0 && isa->branch_origin == ORIGIN_END)
        number -= (int64_t)size;
    if (shape->kind == NUMBER_TARGET && probe >= 0 && isa->branch_origin == ORIGIN_START)
        number += (int64_t)size;
    return (uint64_t)(number >> divide);
}

/* Clears the pieces' bits; *value receives the number that they held. */
static void take_pieces(const struct field_piece *pieces, unsigned char padded[ENCODING_ROOM],
                        uint64_t *value)
{
    *value = 0;
    for (const struct field_piece *piece = pieces; piece->bits != 0; piece++) {
        uint64_t mask = mask_of(piece->bits) << piece->at % 8;
        uint64_t word;
        memcpy(&word, padded + piece->at / 8, sizeof word);
        *value |= (word & mask) >> piece->at % 8 << piece->from;
        word &= ~mask;
        memcpy(padded + piece->at / 8, &word, sizeof word);
    }
}

/* True if the pieces hold the class's two probes, and the encodings differ nowhere else. */
static bool find_pieces(const struct isa *isa, const struct shape_row *shape,
                        const struct number_class *class, const struct sample samples[SAMPLES],
                        struct encoding *encoding)
{
    unsigned char padded[SAMPLES][ENCODING_ROOM] = {{0}};
    unsigned divide = (unsigned)__builtin_ctz(class->multiple);
    uint64_t all = 0; /* the number's bits that some piece has */
    for (const struct field_piece *piece = class->pieces; piece->bits != 0; piece++)
        all |= mask_of(piece->bits) << piece->from;
    for (int i = 0; i < SAMPLES; i++) {
        uint64_t value;
        memcpy(padded[i], samples[i].bytes, samples[i].size);
        take_pieces(class->pieces, padded[i], &value);
        int64_t probe = class->probes[i] - (int64_t) class->origin;
        if (value != (expected_value(isa, shape, probe, samples[i].size, divide) & all))
            return false;
    }
    if (memcmp(padded[0], padded[1], ENCODING_BYTES) != 0)
        return false;
    *encoding = (struct encoding){.size = (unsigned char)samples[0].size,
                                  .divide = (unsigned char)divide,
                                  .pieces = class->pieces,
                                  .origin = (unsigned char)class->origin};
    memcpy(encoding->bytes, padded[0], ENCODING_BYTES);
    return true;
}

/* Finds the field at which two encodings of one length hold the class's two probes, and differ nowhere else.
 */
static bool find_field(const struct isa *isa, const struct shape_row *shape, const struct number_class *class,
                       const struct sample samples[SAMPLES], struct encoding *encoding)
{
    unsigned char padded[SAMPLES][ENCODING_ROOM] = {{0}};
    uint64_t mask = mask_of(class->bits);
    unsigned divide = (unsigned)__builtin_ctz(class->multiple);
    if (samples[0].size != samples[1].size)
        return false;
    if (class->pieces[0].bits != 0)
        return find_pieces(isa, shape, class, samples, encoding);
    for (int i = 0; i < SAMPLES; i++)
        memcpy(padded[i], samples[i].bytes, samples[i].size);
    for (unsigned bit = 0; bit + class->bits <= 8 * samples[0].size; bit++) {
        if (bit % 8 + class->bits > 64)
            continue;
        bool here = true;
        struct encoding found[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            uint64_t wanted = expected_value(isa, shape, class->probes[i], samples[i].size, divide) & mask;
            here = here && (field_at(padded[i], bit) & mask) == wanted;
            found[i] = (struct encoding){.size = (unsigned char)samples[i].size,
                                         .byte = (unsigned char)(bit / 8),
                                         .shift = (unsigned char)(bit % 8),
                                         .divide = (unsigned char)divide,
                                         .mask = mask};
            uint64_t word;
            memcpy(&word, padded[i] + bit / 8, sizeof word);
            word &= ~(mask << bit % 8);
            unsigned char cleared[ENCODING_ROOM];
            memcpy(cleared, padded[i], sizeof cleared);
            memcpy(cleared + bit / 8, &word, sizeof word);
            memcpy(found[i].bytes, cleared, ENCODING_BYTES);
        }
        if (here && memcmp(found[0].bytes, found[1].bytes, ENCODING_BYTES) == 0) {
            *encoding = found[0];
            return true;
        }
    }
    return false;
}

static bool take(const struct stencils *stencils, const struct request *request,
                 struct stencil_samples *samples)
{
    struct sample sample[SAMPLES];
    struct shape_row *shape = request->shape;
    if (!next_sample(samples, &sample[0]))
        return false;
    if (request->exact != NULL) {
        request->exact->encoding = (struct encoding){.size = (unsigned char)sample[0].size};
        memcpy(request->exact->encoding.bytes, sample[0].bytes, sample[0].size);
        request->exact->known = true;
        return true;
    }
    if (!next_sample(samples, &sample[1]))
        return false;
    bool own = find_field(stencils->isa, shape, &stencils->isa->numbers[shape->kind].items[request->class],
                          sample, &shape->encodings[request->class]);
    shape->states[request->class] = own ? CLASS_OWN : CLASS_LACKS;
    return true;
}

/* Assembles the samples of some requests together and stores the results. */
static enum status learn(const struct stencils *stencils, const struct request *requests, size_t count,
                         struct error *error)
{
    struct buffer source = {0};
    struct buffer object = {0};
    struct stencil_samples samples = {0};
    buffer_text(&source, ".text\n");
    for (size_t i = 0; i < count; i++)
        write_request(stencils, &requests[i], &samples.count, &source);
    samples.bounds = memory_zeroed(samples.count + 1, sizeof *samples.bounds);
    enum status status = mc_assemble(stencils->isa, source.data, "samples", &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &samples.code, error);
    if (status == STATUS_OK)
        status = object_symbols(object.data, object.size, take_symbol, &samples, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!take(stencils, &requests[i], &samples))
            status = error_set(error, STATUS_FAILED, "LLVM MC cannot assemble '%s'", requests[i].shape->text);
    buffer_free(&source);
    buffer_free(&object);
    free(samples.bounds);
    return status;
}

/* Learns one request. If the assembler rejects a probe, the shape lacks the field; if it rejects a number of
 * the program itself, that is an error. */
static enum status learn_alone(const struct stencils *stencils, const struct request *request,
                               struct error *error)
{
    struct error complaint = {0};
    enum status status = learn(stencils, request, 1, &complaint);
    if (status == STATUS_FAILED && request->exact == NULL) {
        request->shape->states[request->class] = CLASS_LACKS;
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        error_set(error, status, "'%s': %s", request->shape->text, complaint.message);
    return status;
}

/* Allows requests that failed to be made again. */
static void forget(const struct request *request)
{
    if (request->exact != NULL)
        request->exact->requested = request->exact->known;
    else if (request->shape->states[request->class] == CLASS_REQUESTED)
        request->shape->states[request->class] = CLASS_UNKNOWN;
}

enum status stencils_learn(struct stencils *stencils, struct error *error)
{
    enum status status = STATUS_OK;
    if (learn(stencils, stencils->requests, stencils->request_count, NULL) != STATUS_OK)
        for (size_t i = 0; status == STATUS_OK && i < stencils->request_count; i++)
            status = learn_alone(stencils, &stencils->requests[i], error);
    for (size_t i = 0; status != STATUS_OK && i < stencils->request_count; i++)
        forget(&stencils->requests[i]);
    for (size_t i = 0; i < stencils->request_count; i++)
        fill_quick(stencils, stencils->requests[i].shape);
    stencils->request_count = 0;
    return status;
}
