/* Checks a point's asm{} texts without making its program, so that errors in them are found before anything
 * runs. */
#ifndef GENERATOR_EMIT_CHECK_TEXTS_H
#define GENERATOR_EMIT_CHECK_TEXTS_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

#include <jansson.h>

/* Assembles every asm{} of the point's kernel with the registers that it would get. STATUS_RECIPE, with the
 * recipe's file and line if known, as in program_write. */
enum status check_texts(const struct template *templates, const json_t *point, const struct machine *machine,
                        struct error *error);

#endif
