/* A program's machine code, put together from its text by stencils (stencils.h): labels, jumps as short as
 * they can be, alignment and the few directives that programs have. */
#ifndef ISA_ASSEMBLY_H
#define ISA_ASSEMBLY_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/isa.h"
#include "isa/stencils.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct assembly;

/* Stamps must outlive it. */
struct assembly *assembly_new(struct stencils *stencils);
void assembly_free(struct assembly *assembly);

/* Takes everything out of it, for the next program. */
void assembly_clear(struct assembly *assembly);

/* Appends lines of source. name stands for the text in errors, with the line's number, which goes on over the
 * calls. STATUS_FAILED when a line is none that programs have. Instructions whose stencils are not known are
 * left out: assembly_finish says so. */
enum status assembly_text(struct assembly *assembly, const char *text, size_t size, const char *name,
                          struct error *error);

/* Appends one instruction: what its line would. Counts no line. */
void assembly_instruction(struct assembly *assembly, struct shape *shape, int64_t number);

/* The shape of one instruction's text, and its number: what assembly_text would append. NULL when it is
 * longer than any instruction, or names a label. */
struct shape *assembly_shape(struct assembly *assembly, const char *text, size_t size, int64_t *number);

/* Lines of a text that need no reading, as whoever wrote them knows what they are: one instruction, or,
 * without a shape, lines to be read. */
struct known_line {
    struct shape *shape;
    int64_t number;
    uint32_t start, size; /* without a shape: the lines in the text */
};

struct known_lines {
    struct known_line *items; /* [count], from malloc */
    size_t count, room;
};

/* Appends an instruction, or lines of the text, to the known lines; known_lines_grow makes room for them. */
void known_lines_grow(struct known_lines *known);
static inline void known_lines_add(struct known_lines *known, struct shape *shape, int64_t number)
{
    if (known->count == known->room)
        known_lines_grow(known);
    known->items[known->count++] = (struct known_line){.shape = shape, .number = number};
}
void known_lines_add_text(struct known_lines *known, size_t start, size_t size);
void known_lines_free(struct known_lines *known);

/* assembly_text for a text of which all lines are known. */
enum status assembly_known(struct assembly *assembly, const char *text, const struct known_lines *known,
                           const char *name, struct error *error);

/* Lays the code out. *complete is false when instructions are missing: after stencils_learn the same text,
 * appended to a cleared assembly, is whole or asks for more. STATUS_FAILED when a label is missing. */
enum status assembly_finish(struct assembly *assembly, bool *complete, struct error *error);

/* Of a finished assembly. */

struct assembly_symbol {
    const char *section; /* ".text" */
    uint64_t offset;     /* in its section */
    size_t instructions; /* that stand before it in the text */
};

/* False when there is none. */
bool assembly_symbol(const struct assembly *assembly, const char *name, struct assembly_symbol *symbol);

/* A section's bytes, which belong to the assembly; size 0 when there is none. */
struct assembly_bytes {
    const unsigned char *bytes;
    size_t size;
};

struct assembly_bytes assembly_section(const struct assembly *assembly, const char *name);

/* Appends the ELF object: the sections, and a symbol for each label that is not local (.L, or a number). */
void assembly_object(const struct assembly *assembly, const struct isa *isa, struct buffer *object);

#endif
