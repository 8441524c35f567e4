/* The measurement of an instruction, and its JSON: the lines of `trauma measure instruction --json`, and
 * results.
 *
 * Document: {"instruction": the text, "assembled": the instruction as measured, "latency": [{"from", "to",
 * "cycles": interval with "doubt"?, "values"?, "remark"?}], "per_cycle": [{"per_cycle": interval, "values"?,
 * "remark"?}], "reads" and "writes": operands by name, "changes_nothing": true if it writes none,
 * "headline": the index of the longest latency that is not in doubt, if any, "ports": [{"port": "" for all,
 * "per_instruction": interval}] or "no_ports": the reason, "energy": {"per_instruction_j": interval above the
 * idle level, "per_instruction_total_j", "from": channels, "verdict", "reason"} if there is a power sensor,
 * and for lists "model": {"latency", "per_copy", "micro_operations": of LLVM's scheduling model, "beside":
 * "equal", "differs" or "untold"}}, or {"instruction", "error", "code"}. */
#ifndef SESSION_INSTRUCTION_RESULTS_H
#define SESSION_INSTRUCTION_RESULTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/suite/manifest_read.h"
#include "runner/instruction/instruction_time.h"
#include "runner/instruction/scheduling_model.h"
#include "runner/results/results.h"

#include <stdbool.h>

enum { INSTRUCTION_BYTES = 2 * INSN_TEXT_BYTES };

/* Energy of one instruction; only with a power sensor. */
struct instruction_energy {
    bool given;
    struct interval dynamic_j, total_j; /* above the idle level, and total; n is 0: unknown */
    struct manifest_words from;         /* channels */
    const char *verdict, *reason;       /* of the power (runner/power/measurement_quality.h); "": none */
};

/* One instruction, measured or not. */
struct instruction_measured {
    const char *text;                  /* as requested */
    char assembled[INSTRUCTION_BYTES]; /* as measured */
    const struct insn_times *times;    /* NULL: it was not measured. insn.texts and its features point into
                                          the measuring process: do not read them */
    int headline;                      /* the longest latency that is not in doubt; -1: none */
    struct insn_model model;           /* LLVM's, for lists */
    struct instruction_energy energy;
    struct error error; /* why it was not measured */
};

/* The measured latency compared with the model's. */
enum instruction_beside {
    BESIDE_UNKNOWN,   /* the model lacks the instruction */
    BESIDE_UNCERTAIN, /* the measurement is not exact to a cycle */
    BESIDE_EQUAL,     /* when rounded to cycles, or within the range that operands' values cause */
    BESIDE_DIFFERS,
};
enum instruction_beside instruction_beside_model(const struct instruction_measured *measured);

/* Appends the document as one line without its end. */
void instruction_write(const struct instruction_measured *measured, struct buffer *text);

/* A results file with its context. Errors as results_create. */
enum status instruction_results_create(struct results_file *file, const char *path,
                                       const struct machine *machine, int cpu, struct error *error);

/* Appends one point for each set of values, each with the document. Errors as results_append. */
enum status instruction_results_append(struct results_file *file, const struct instruction_measured *measured,
                                       const struct machine *machine, struct error *error);

#endif
