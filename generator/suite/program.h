/* Makes the program of one point: plan, source, object, executable and manifest. */
#ifndef GENERATOR_SUITE_PROGRAM_H
#define GENERATOR_SUITE_PROGRAM_H

#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/plan/plan.h"
#include "generator/suite/code_generator.h"
#include "generator/suite/program_parts.h"

#include <jansson.h>
#include <stdint.h>

/* Makes the program for a point (manifest_read.h) on the machine. Free it with program_free even after an
 * error. */
enum status program_make(const struct code_generator *code_generator, const struct manifest *point,
                         const struct machine *machine, uint64_t seed, struct program *program,
                         struct error *error);

/* Makes only source, object and executable of a kernel in JSON form: a reference program, for example for the
 * ends of an interval. Its manifest has only instructions, period, warmup, bases and expected rates. */
enum status program_make_reference(const struct code_generator *code_generator, const json_t *kernel,
                                   const struct machine *machine, const struct plan_options *options,
                                   struct program *program, struct error *error);

/* Assembles every asm{} of the point's kernel with the registers that it would get, without making its
 * program, so that errors in them are found before anything runs. STATUS_RECIPE, with the recipe's file and
 * line if known, as in program_make. */
enum status program_check_texts(const struct template *templates, const struct manifest *point,
                                const struct machine *machine, struct error *error);

#endif
