/* The generated files of one point: source, object, standalone executable, manifest (DESIGN.md section 3). */
#ifndef GENERATOR_SUITE_PROGRAM_H
#define GENERATOR_SUITE_PROGRAM_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "generator/machine/machine.h"
#include "generator/plan/plan.h"
#include "isa/template.h"

#include <jansson.h>
#include <stdint.h>

/* Shared by all programs of a run, and read once. */
struct code_generator {
    struct template templates;
    struct template beside; /* of the companion ISA, if the templates' ISA has one */
    struct buffer start;    /* the assembled start code */
    const char *markers;    /* its region markers; NULL: none; static text */
};

struct program {
    struct buffer source;        /* program.s, program.ptx: program_parts.h lists the files */
    struct buffer object;        /* program.o, program.co */
    struct buffer executable;    /* program */
    struct buffer opencl;        /* program.cl */
    struct buffer manifest_text; /* manifest.json; empty in a program loaded from a suite */
    json_t *manifest;            /* the same, parsed; NULL until needed */
    char hash[HASH_TEXT_BYTES];  /* of what is run; "" in one loaded from a suite */
};

/* Reads the ISA's templates and assembles the start code. Free with code_generator_close even after an error.
 */
enum status code_generator_open(const char *isa, struct code_generator *code_generator, struct error *error);
void code_generator_close(struct code_generator *code_generator);

/* The same with a simulator's region markers around the measured passes: "gem5" (its pseudo-instructions
 * work_begin and work_end, which no processor can execute) or "cpuid" (Simics' magic instructions 1 and 2,
 * which processors execute as cpuid). NULL: none. STATUS_USAGE for any other word. */
enum status code_generator_open_marked(const char *isa, const char *markers,
                                       struct code_generator *code_generator, struct error *error);

/* The operations that recipes may use (operations_describe). New reference. */
json_t *code_generator_operations(const struct code_generator *code_generator);

/* Makes the program for a point (a struct point's document, see recipe.h) on the machine. Free it with
 * program_free even after an error. */
enum status program_make(const struct code_generator *code_generator, const json_t *point,
                         const struct machine *machine, uint64_t seed, struct program *program,
                         struct error *error);

/* The same without parsing the manifest's text: program->manifest stays NULL. */
enum status program_write(const struct code_generator *code_generator, const json_t *point,
                          const struct machine *machine, uint64_t seed, struct program *program,
                          struct error *error);

/* Makes only source, object and executable of a kernel in JSON form: a reference program, for example for the
 * ends of an interval. Its manifest is just {"instructions", "period", "warmup", "data": {"bases"},
 * "expected"}. */
enum status program_make_reference(const struct code_generator *code_generator, const json_t *kernel,
                                   const struct machine *machine, const struct plan_options *options,
                                   struct program *program, struct error *error);

void program_free(struct program *program);

#endif
