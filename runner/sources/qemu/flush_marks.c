#include "runner/sources/qemu/flush_marks.h"

#include "isa/mc.h"
#include "isa/object.h"
#include "sim/qemu/access_code.h"

#include <stdint.h>
#include <string.h>

enum { MOST_BYTES = 16 };

/* The instruction with the mark, as long; false if it is no flush. */
typedef bool marker(const unsigned char *bytes, size_t size, unsigned char marked[MOST_BYTES]);

/* clflush, or clflushopt with its prefix: 0F AE /7, and the operand. Test is F6 /0, the operand, and a byte.
 */
static bool mark_x86(const unsigned char *bytes, size_t size, unsigned char marked[MOST_BYTES])
{
    size_t at = 0;
    while (at < size && (bytes[at] == 0x66 || (bytes[at] & 0xF0) == 0x40))
        at++;
    if (at + 3 > size || size > MOST_BYTES || bytes[at] != 0x0F || bytes[at + 1] != 0xAE ||
        (bytes[at + 2] >> 3 & 7) != 7 || bytes[at + 2] >> 6 == 3)
        return false;
    memcpy(marked, bytes, at);
    marked[at] = 0xF6;
    marked[at + 1] = bytes[at + 2] & 0xC7;
    memcpy(marked + at + 2, bytes + at + 3, size - at - 3);
    marked[size - 1] = ACCESS_MARK;
    return true;
}

/* dc civac, xN becomes ldurb wzr, [xN]. */
static bool mark_aarch64(const unsigned char *bytes, size_t size, unsigned char marked[MOST_BYTES])
{
    uint32_t word = 0;
    if (size != sizeof word)
        return false;
    memcpy(&word, bytes, sizeof word);
    if ((word & 0xFFFFFFE0) != 0xD50B7E20)
        return false;
    word = 0x3840001F | (word & 31) << 5;
    memcpy(marked, &word, sizeof word);
    return true;
}

static const struct {
    const char *isa;
    marker *mark;
} markers[] = {{"x86_64", mark_x86}, {"aarch64", mark_aarch64}};

struct marking {
    marker *mark;
    const struct object_part *from; /* the object's code */
    unsigned char *to;              /* the same place of the executable */
    size_t room;                    /* bytes from there */
};

static void visit(uint64_t offset, size_t length, const char *text, void *context)
{
    const struct marking *marking = context;
    const unsigned char *bytes = marking->from->bytes + offset;
    unsigned char marked[MOST_BYTES];
    (void)text;
    if (offset + length <= marking->room && marking->mark(bytes, length, marked) &&
        memcmp(marking->to + offset, bytes, length) == 0)
        memcpy(marking->to + offset, marked, length);
}

enum status flush_marks_set(const struct isa *isa, const void *object, size_t object_size,
                            struct buffer *executable, struct error *error)
{
    struct object_part from, to;
    uint64_t from_kernel = 0, to_kernel = 0;
    struct marking marking = {.from = &from};
    for (size_t i = 0; i < sizeof markers / sizeof markers[0]; i++)
        if (strcmp(markers[i].isa, isa->name) == 0)
            marking.mark = markers[i].mark;
    if (marking.mark == NULL)
        return STATUS_OK;
    enum status status = object_section(object, object_size, ".text", &from, error);
    if (status == STATUS_OK)
        status = object_symbol(object, object_size, "trauma_kernel", &from_kernel, error);
    if (status == STATUS_OK)
        status = object_section(executable->data, executable->size, ".text", &to, error);
    if (status == STATUS_OK)
        status = object_symbol(executable->data, executable->size, "trauma_kernel", &to_kernel, error);
    if (status != STATUS_OK)
        return status;
    uint64_t at = to_kernel - to.address - from_kernel;
    if (at > to.size)
        return error_set(error, STATUS_FAILED, "the executable's kernel lies outside its code");
    marking.to = (unsigned char *)executable->data + (to.bytes - (unsigned char *)executable->data) + at;
    marking.room = to.size - at;
    return mc_disassemble(isa, from.bytes, from.size, visit, &marking, error);
}
