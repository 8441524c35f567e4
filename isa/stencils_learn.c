#include "isa/mc.h"
#include "isa/object.h"
#include "isa/stencils_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { SAMPLES = 2, SLOT_ALIGN = 4 };

/* The index-th sample's instruction between two symbols. Not all assemblers can tell their difference: with
 * RISC-V a linker may change it. */
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

/* Where a sample begins and ends in the code. */
struct bounds {
    uint64_t begin, end;
};

/* Samples in an object. */
struct samples {
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
    const struct samples *samples = context;
    if (strncmp(name, own, strlen(own)) != 0)
        return;
    name += strlen(own);
    size_t index = strtoull(name + 1, NULL, 10);
    if (index < samples->count)
        *(*name == 'b' ? &samples->bounds[index].begin : &samples->bounds[index].end) = value;
}

static bool next_sample(struct samples *samples, struct sample *sample)
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

/* What the field of a sample must hold. The label of a target lies `probe` bytes after the instruction's end,
 * or before its start: the instruction itself comes on top where it lies between the label and the origin. */
static uint64_t held(const struct isa *isa, const struct shape_row *shape, int64_t probe, uint64_t size,
                     unsigned divide)
{
    int64_t number = probe;
    if (shape->kind == NUMBER_TARGET && probe < 0 && isa->branch_origin == ORIGIN_END)
        number -= (int64_t)size;
    if (shape->kind == NUMBER_TARGET && probe >= 0 && isa->branch_origin == ORIGIN_START)
        number += (int64_t)size;
    return (uint64_t)(number >> divide);
}

/* Clears the bits of the pieces, whose contents *value receives. */
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
        if (value != (held(isa, shape, class->probes[i], samples[i].size, divide) & all))
            return false;
    }
    if (memcmp(padded[0], padded[1], ENCODING_BYTES) != 0)
        return false;
    *encoding = (struct encoding){
        .size = (unsigned char)samples[0].size, .divide = (unsigned char)divide, .pieces = class->pieces};
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
            uint64_t wanted = held(isa, shape, class->probes[i], samples[i].size, divide) & mask;
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

static bool take(const struct stencils *stencils, const struct request *request, struct samples *samples)
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

/* Assembles the samples of some requests at once and takes what comes out. */
static enum status learn(const struct stencils *stencils, const struct request *requests, size_t count,
                         struct error *error)
{
    struct buffer source = {0};
    struct buffer object = {0};
    struct samples samples = {0};
    buffer_text(&source, ".text\n");
    for (size_t i = 0; i < count; i++)
        write_request(stencils, &requests[i], &samples.count, &source);
    samples.bounds = calloc(samples.count + 1, sizeof *samples.bounds);
    if (samples.bounds == NULL)
        abort();
    enum status status = mc_assemble(stencils->isa, source.data, "samples", &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &samples.code, error);
    if (status == STATUS_OK)
        status = object_symbols(object.data, object.size, take_symbol, &samples, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!take(stencils, &requests[i], &samples))
            status = error_set(error, STATUS_FAILED, "LLVM MC makes no instruction of '%s'",
                               requests[i].shape->text);
    buffer_free(&source);
    buffer_free(&object);
    free(samples.bounds);
    return status;
}

/* One request alone. A probe that the assembler refuses says that the shape has no such field; a number of
 * the program's own must not be refused. */
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

/* What was not learnt can be asked for again. */
static void forget(const struct request *request)
{
    if (request->exact != NULL)
        request->exact->asked = request->exact->known;
    else if (request->shape->states[request->class] == CLASS_ASKED)
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
        stencils_settle(stencils, stencils->requests[i].shape);
    stencils->request_count = 0;
    return status;
}
