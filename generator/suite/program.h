/* The emitted result of one point: source, object, standalone executable, manifest (DESIGN.md section 3). */
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

/* What all programs of a run share. Read once. */
struct code_generator {
    struct template templates;
    struct template beside; /* of the ISA beside, where the templates' has one */
    struct buffer start;    /* the assembled start code */
    const char *markers;    /* which region markers it has; NULL: none; static text */
};

struct program {
    struct buffer source;        /* program.s, program.ptx: program_parts.h has which file is what */
    struct buffer object;        /* program.o, program.co */
    struct buffer executable;    /* program */
    struct buffer opencl;        /* program.cl */
    struct buffer manifest_text; /* manifest.json; empty in a program that a suite was loaded from */
    json_t *manifest;            /* the same, read; NULL until somebody needs it */
    char hash[HASH_TEXT_BYTES];  /* of what is run; "" in one that a suite was loaded from */
};

/* Reads the templates of the ISA and assembles the start code. Free with code_generator_close also after an
 * error.
 */
enum status code_generator_open(const char *isa, struct code_generator *code_generator, struct error *error);
void code_generator_close(struct code_generator *code_generator);

/* The same with a simulator's region markers around the measured passes: "gem5" (its pseudo-instructions
 * work_begin and work_end, which no processor executes) or "cpuid" (Simics' magic instructions 1 and 2, which
 * processors take for cpuid). NULL: none. STATUS_USAGE for any other word. */
enum status code_generator_open_marked(const char *isa, const char *markers,
                                       struct code_generator *code_generator, struct error *error);

/* What recipes may use (operations_describe). New reference. */
json_t *code_generator_operations(const struct code_generator *code_generator);

/* Makes the program of a point (a struct point's document, see recipe.h) on the machine. Free it with
 * program_free also after an error. */
enum status program_make(const struct code_generator *code_generator, const json_t *point,
                         const struct machine *machine, uint64_t seed, struct program *program,
                         struct error *error);

/* The same without reading the manifest's text: program->manifest stays NULL. */
enum status program_write(const struct code_generator *code_generator, const json_t *point,
                          const struct machine *machine, uint64_t seed, struct program *program,
                          struct error *error);

/* Makes only source, object and executable of a kernel in JSON form: a reference program, for the ends of an
 * interval, say. No manifest but {"instructions", "period", "warmup",
 * "data": {"bases"}, "expected"}. */
enum status program_make_reference(const struct code_generator *code_generator, const json_t *kernel,
                                   const struct machine *machine, const struct plan_options *options,
                                   struct program *program, struct error *error);

void program_free(struct program *program);

#endif
