/* A point's own instruction texts, asm{}, looked at without making its program: what a text gets wrong is
 * found before anything runs. */
#ifndef GENERATOR_EMIT_CHECK_TEXTS_H
#define GENERATOR_EMIT_CHECK_TEXTS_H

#include "base/error.h"
#include "generator/suite/program.h"

#include <jansson.h>

/* Assembles every asm{} of the point's kernel with the registers that it would be given. STATUS_RECIPE, with
 * the recipe's file and line where they are known, as program_write has it. */
enum status check_texts(const struct code_generator *code_generator, const json_t *point,
                        const struct machine *machine, struct error *error);

#endif
