/* A program's machine code, assembled from its text by stencils (stencils.h): labels, shortest possible
 * jumps, alignment and the few of the GNU assembler's directives that programs use. */
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

/* The stencils must outlive it. */
struct assembly *assembly_new(struct stencils *stencils);
void assembly_free(struct assembly *assembly);

/* The stencils that it was made with. */
struct stencils *assembly_stencils(const struct assembly *assembly);

/* Empties it for the next program. */
void assembly_clear(struct assembly *assembly);

/* Appends lines of source. Errors show name and the line number, which continues across calls. STATUS_FAILED
 * for a line that is neither a supported directive nor an instruction. Omits instructions whose stencils are
 * unknown; assembly_finish reports that some are missing. */
enum status assembly_text(struct assembly *assembly, const char *text, size_t size, const char *name,
                          struct error *error);

/* Appends one instruction, like its line, but without counting a line. */
void assembly_instruction(struct assembly *assembly, struct shape *shape, int64_t number);

/* The shape, number and kind of number with which assembly_text would append one instruction's text. NULL if
 * the text is longer than any instruction, or names a label. */
struct shape *assembly_shape(struct assembly *assembly, const char *text, size_t size, enum number_kind *kind,
                             int64_t *number);

/* A line of a text whose writer supplies its shape, so that it is not parsed; without a shape, some lines of
 * the text that are parsed. */
struct known_line {
    struct shape *shape;
    int64_t number;
    uint32_t start, size; /* without a shape: the lines in the text */
};

struct known_lines {
    struct known_line *items; /* [count], from malloc */
    size_t count, room;
};

/* Append an instruction, or lines of the text, to the known lines; known_lines_grow makes room. */
void known_lines_grow(struct known_lines *known);
static inline void known_lines_add(struct known_lines *known, struct shape *shape, int64_t number)
{
    if (known->count == known->room)
        known_lines_grow(known);
    known->items[known->count++] = (struct known_line){.shape = shape, .number = number};
}
void known_lines_add_text(struct known_lines *known, size_t start, size_t size);
void known_lines_free(struct known_lines *known);

/* assembly_text for a text that consists of these lines. */
enum status assembly_known(struct assembly *assembly, const char *text, const struct known_lines *known,
                           const char *name, struct error *error);

/* Lays out the code. *complete is false if instructions are missing: then call stencils_learn, clear the
 * assembly and append the same text again, which completes it or requests more stencils. STATUS_FAILED if a
 * label is missing. */
enum status assembly_finish(struct assembly *assembly, bool *complete, struct error *error);

/* The rest applies to a finished assembly. */

struct assembly_symbol {
    const char *section; /* ".text" */
    uint64_t offset;     /* within its section */
    size_t instructions; /* before it in the text */
};

/* False if the program does not define it. */
bool assembly_symbol(const struct assembly *assembly, const char *name, struct assembly_symbol *symbol);

/* A section's bytes, owned by the assembly; size 0 if there is none. */
struct assembly_bytes {
    const unsigned char *bytes;
    size_t size;
};

struct assembly_bytes assembly_section(const struct assembly *assembly, const char *name);

/* Appends the ELF object: the sections, and a symbol for each label that is not local (.L or a number). */
void assembly_object(const struct assembly *assembly, const struct isa *isa, struct buffer *object);

#endif
