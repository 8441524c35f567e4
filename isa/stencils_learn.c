#include "isa/mc.h"
#include "isa/object.h"
#include "isa/stencils_table.h"

#include <inttypes.h>
#include <stdio.h>

enum { SAMPLES = 2, SLOT_ALIGN = 4 };

/* The sample's instruction between two labels, where it is in a section of its own. */
static void write_sample(struct buffer *source, const struct shape_row *shape, int64_t number)
{
    bool target = shape->kind == NUMBER_TARGET;
    const char *hole = memchr(shape->text, STENCIL_HOLE, shape->length);
    size_t before = hole == NULL ? shape->length : (size_t)(hole - shape->text);
    if (target && number < 0)
        buffer_printf(source, "3: .skip %" PRId64 "\n", -number);
    buffer_printf(source, "1: %.*s", (int)before, shape->text);
    if (hole != NULL && target)
        buffer_text(source, number < 0 ? "3b" : "3f");
    else if (hole != NULL)
        buffer_printf(source, "%" PRId64, number);
    if (hole != NULL)
        buffer_text(source, hole + 1);
    buffer_text(source, "\n2:\n");
    if (target && number >= 0)
        buffer_printf(source, ".skip %" PRId64 "\n3:\n", number);
    buffer_text(source, ".pushsection .trauma.samples, \"\", @progbits\n.quad 1b - .Lsamples, 2b - 1b\n"
                        ".popsection\n");
}

static void write_request(const struct stencils *stencils, const struct request *request,
                          struct buffer *source)
{
    const struct number_class *classes = stencils->isa->numbers[request->shape->kind].items; /* NULL: none */
    if (request->exact != NULL)
        write_sample(source, request->shape, request->exact->number);
    for (int i = 0; request->exact == NULL && i < SAMPLES; i++)
        write_sample(source, request->shape, classes[request->class].probes[i]);
}

/* Samples in an object. */
struct samples {
    struct object_part code, places;
    size_t next;
};

struct sample {
    const unsigned char *bytes;
    uint64_t size;
};

static bool next_sample(struct samples *samples, struct sample *sample)
{
    uint64_t place[2];
    if ((samples->next + 1) * sizeof place > samples->places.size)
        return false;
    memcpy(place, samples->places.bytes + samples->next++ * sizeof place, sizeof place);
    *sample = (struct sample){samples->code.bytes + place[0], place[1]};
    return place[1] > 0 && place[1] <= ENCODING_BYTES && place[0] + place[1] <= samples->code.size;
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

/* What the field of a sample must hold: a target behind is farther from the instruction's end by its length.
 */
static uint64_t held(const struct shape_row *shape, int64_t probe, uint64_t size, unsigned divide)
{
    int64_t number = shape->kind == NUMBER_TARGET && probe < 0 ? probe - (int64_t)size : probe;
    return (uint64_t)(number >> divide);
}

/* Finds the field at which two encodings of one length hold the class's two probes, and differ nowhere else.
 */
static bool find_field(const struct shape_row *shape, const struct number_class *class,
                       const struct sample samples[SAMPLES], struct encoding *encoding)
{
    unsigned char padded[SAMPLES][ENCODING_ROOM] = {{0}};
    uint64_t mask = mask_of(class->bits);
    unsigned divide = (unsigned)__builtin_ctz(class->multiple);
    if (samples[0].size != samples[1].size)
        return false;
    for (int i = 0; i < SAMPLES; i++)
        memcpy(padded[i], samples[i].bytes, samples[i].size);
    for (unsigned bit = 0; bit + class->bits <= 8 * samples[0].size; bit++) {
        if (bit % 8 + class->bits > 64)
            continue;
        bool here = true;
        struct encoding found[SAMPLES];
        for (int i = 0; i < SAMPLES; i++) {
            uint64_t wanted = held(shape, class->probes[i], samples[i].size, divide) & mask;
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
    bool own = find_field(shape, &stencils->isa->numbers[shape->kind].items[request->class], sample,
                          &shape->encodings[request->class]);
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
    buffer_text(&source, ".text\n.Lsamples:\n");
    for (size_t i = 0; i < count; i++)
        write_request(stencils, &requests[i], &source);
    enum status status = mc_assemble(stencils->isa, source.data, "samples", &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &samples.code, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".trauma.samples", &samples.places, error);
    for (size_t i = 0; status == STATUS_OK && i < count; i++)
        if (!take(stencils, &requests[i], &samples))
            status = error_set(error, STATUS_FAILED, "LLVM MC makes no instruction of '%s'",
                               requests[i].shape->text);
    buffer_free(&source);
    buffer_free(&object);
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
