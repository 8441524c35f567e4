/* The inputs for generating programs of one ISA: its templates and its assembled start code, read once for
 * all programs of a run. */
#ifndef GENERATOR_SUITE_CODE_GENERATOR_H
#define GENERATOR_SUITE_CODE_GENERATOR_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"

/* Shared by all programs of a run. */
struct code_generator {
    struct template templates;
    struct template beside;     /* of the companion ISA, if the templates' ISA has one */
    struct buffer start;        /* the assembled start code */
    struct buffer shared_start; /* for programs whose copies share regions */
    struct buffer bound_start;  /* for programs whose data is on a NUMA node */
    const char *markers;        /* its region markers; NULL: none; static text */
    const char *prefix;         /* of the names that objects export; NULL: the usual one */
};

/* Reads the ISA's templates and assembles the start code. Free with code_generator_close even after an error.
 */
enum status code_generator_open(const char *isa, struct code_generator *code_generator, struct error *error);
void code_generator_close(struct code_generator *code_generator);

/* Options of programs that do not come from the recipe. */
struct code_marks {
    const char *markers; /* a simulator's region markers around the measured passes: "gem5" (its
                            pseudo-instructions work_begin and work_end, which no processor can execute) or
                            "cpuid" (Simics' magic instructions 1 and 2, which processors execute as cpuid).
                            NULL: none */
    const char
        *prefix; /* of the names that objects export; must outlive the generator; NULL: the usual one */
};

/* The same with such options. STATUS_USAGE for markers and prefixes that the ISA's programs cannot have. */
enum status code_generator_open_marked(const char *isa, const struct code_marks *marks,
                                       struct code_generator *code_generator, struct error *error);

#endif
