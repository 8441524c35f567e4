/* Emission: a plan as readable assembly of its ISA, from the rows and skeletons of templates/. */
#ifndef GENERATOR_EMIT_EMIT_H
#define GENERATOR_EMIT_EMIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/assemble.h"
#include "isa/template.h"

/* Appends the program's whole source. title is put into its first comment (no line breaks). known: takes what
 * the lines of the loop's body are, and *part where these stand, so that they need not be read again; NULL:
 * not asked for. STATUS_FAILED when a template lacks a piece. */
enum status emit_program(const struct plan *plan, const struct template *templates, const char *title,
                         struct buffer *source, struct known_lines *known, struct known_part *part,
                         struct error *error);

#endif
