/* Assembles a whole program's text by stencils. */
#ifndef ISA_ASSEMBLE_H
#define ISA_ASSEMBLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/assembly.h"

/* A part of a text whose lines need no parsing. */
struct known_part {
    size_t start, size; /* in the text */
    const struct known_lines *lines;
};

/* Clears the assembly, assembles the text into it and finishes it. STATUS_FAILED with name and line for text
 * that it rejects. */
enum status assemble_text(struct assembly *assembly, const struct buffer *text, const char *name,
                          struct error *error);

/* The same for a text with a known part; faster. */
enum status assemble_known(struct assembly *assembly, const struct buffer *text,
                           const struct known_part *part, const char *name, struct error *error);

#endif
