/* What was measured of an instruction, and its JSON: the lines of `trauma measure instruction --json`, and
 * results.
 *
 * Document: {"instruction": the text, "assembled": as it is measured, "latency": [{"from", "to", "cycles":
 * interval with "doubt"?, "values"?, "remark"?}], "per_cycle": [{"per_cycle": interval, "values"?,
 * "remark"?}], "reads" and "writes": operands by name, "changes_nothing": true if there is none written,
 * "headline": the index of the longest latency that is in no doubt, if any, "ports": [{"port": "" for all,
 * "per_instruction": interval}] or "no_ports": why not, "energy": {"per_instruction_j": interval above the
 * idle level, "per_instruction_total_j", "from": channels, "verdict", "reason"}, if a sensor of power is
 * there, and of a list "model": {"latency", "per_copy", "micro_operations": of LLVM's scheduling model,
 * "beside": "equal", "differs" or "untold"}}, or {"instruction", "error", "code"}. */
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

/* Energy of one instruction, if a sensor of power is there. */
struct instruction_energy {
    bool given;
    struct interval dynamic_j, total_j; /* above the idle level, and in all; n is 0: unknown */
    struct manifest_words from;         /* channels */
    const char *verdict, *reason;       /* of the power (runner/power/measurement_quality.h); "": none */
};

/* One instruction, measured or not. */
struct instruction_measured {
    const char *text;                  /* as the user wrote it */
    char assembled[INSTRUCTION_BYTES]; /* as it is measured */
    const struct insn_times *times;    /* NULL: it could not be measured. insn.texts and its features were
                                          the measuring process's own: not to be read */
    int headline;                      /* the longest latency that is in no doubt; -1: none */
    struct insn_model model;           /* of LLVM, for lists */
    struct instruction_energy energy;
    struct error error; /* why it could not be */
};

/* The measured latency beside the model's. */
enum instruction_beside {
    BESIDE_UNKNOWN, /* the model does not have it */
    BESIDE_UNTOLD,  /* it was not measured to a cycle */
    BESIDE_EQUAL,   /* rounded to cycles, or within what depends on the operands' values */
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
