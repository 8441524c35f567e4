/* Emission: turns a plan into readable assembly, from the rows and skeletons of templates/. */
#ifndef GENERATOR_EMIT_EMIT_H
#define GENERATOR_EMIT_EMIT_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/plan.h"
#include "isa/assemble.h"
#include "isa/template.h"

/* Appends the program's whole source. The options' label goes into its first comment (no line breaks) and
 * into the names that it exports (symbol_names.h). known receives the instructions of the loop body's lines,
 * and *part their position, so that they need not be parsed again; NULL: not needed. STATUS_FAILED if a
 * template lacks a part. */
enum status emit_program(const struct plan *plan, const struct template *templates,
                         const struct plan_options *options, struct buffer *source, struct known_lines *known,
                         struct known_part *part, struct error *error);

#endif
