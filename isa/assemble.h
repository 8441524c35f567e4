/* A whole program's text to its object, by stamps. */
#ifndef ISA_ASSEMBLE_H
#define ISA_ASSEMBLE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/assembly.h"

/* Puts the text's code together in the assembly, which it clears first. The assembly is finished then.
 * STATUS_FAILED with name, the line and what is wrong with it. */
enum status assemble_text(struct assembly *assembly, const struct buffer *text, const char *name,
                          struct error *error);

#endif
