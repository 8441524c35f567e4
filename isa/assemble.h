/* A whole program's text to its object, by stencils. */
#ifndef ISA_ASSEMBLE_H
#define ISA_ASSEMBLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/assembly.h"

/* A part of a text whose lines are known. */
struct known_part {
    size_t start, size; /* in the text */
    const struct known_lines *lines;
};

/* Puts the text's code together in the assembly, which it clears first. The assembly is finished then.
 * STATUS_FAILED with name, the line and what is wrong with it. */
enum status assemble_text(struct assembly *assembly, const struct buffer *text, const char *name,
                          struct error *error);

/* The same for a text of which a part is known, which is quicker. */
enum status assemble_known(struct assembly *assembly, const struct buffer *text,
                           const struct known_part *part, const char *name, struct error *error);

#endif
