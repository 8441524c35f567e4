/* The formats of traces that simulators read: a row and a file each. */
#ifndef RUNNER_TRACING_TRACE_FORMAT_H
#define RUNNER_TRACING_TRACE_FORMAT_H

#include "base/buffer.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* An instruction's properties in traces: its kind of branch, and the registers that it reads and writes, from
 * its bytes and its disassembled text (instruction_role.c). */
enum branch_role { ROLE_NONE, ROLE_JUMP, ROLE_CONDITIONAL, ROLE_INDIRECT, ROLE_CALL, ROLE_RETURN };

enum { ROLE_REGISTERS = 4, ROLE_NO_REGISTER = -1 };

/* Registers are indices in the ISA's table; ROLE_NO_REGISTER ends a list that is not full. */
struct instruction_role {
    enum branch_role branch;
    int reads[ROLE_REGISTERS], writes[ROLE_REGISTERS];
    bool reads_flags, writes_flags;
};

struct instruction_role instruction_role_of(const struct isa *isa, const uint8_t *bytes, size_t size,
                                            const char *text);

enum { TRACE_MOST_ACCESSES = 256 };

struct trace_access {
    uint64_t address;
    uint32_t bytes;
    bool store;
};

/* An executed instruction. */
struct traced {
    uint64_t address, next; /* next: of the one that was executed after it */
    uint32_t bytes;
    const struct isa *isa;
    struct instruction_role role;
    struct trace_access accesses[TRACE_MOST_ACCESSES];
    unsigned access_count;
    bool first; /* of the trace */
};

/* The counts of a part of a trace. */
struct trace_counts {
    uint64_t passes, instructions, loads, stores, branches, taken;
    uint64_t entries; /* of the format: lines, or records */
};

struct trace_format {
    const char *name;
    const char *title;
    const char *file; /* in a program's folder, without ".xz" */
    bool packed;      /* its readers unpack .xz */

    unsigned ahead;  /* instructions that its readers read ahead: further passes follow the last one */
    unsigned least;  /* instructions of the trace without --passes, so that reading ahead changes no rate; 0:
                        any */
    unsigned settle; /* further passes of warm-up, so that the branch at the end of the program's own warm-up
                        leaves the history of its readers' predictors: as many as the history has bits */

    /* Writes the instruction and returns its entries. Errors are those of the file (ferror). */
    unsigned (*write)(FILE *file, const struct traced *instruction);

    /* Writes the end of the trace; NULL: it has none. */
    void (*finish)(FILE *file);

    /* The simulator's options that make it warm up first and then count the passes. */
    void (*options)(const struct trace_counts *warmup, const struct trace_counts *passes,
                    struct buffer *text);
};

/* Ends with NULL. */
extern const struct trace_format *const trace_formats[];

/* NULL if there is none of that name. */
const struct trace_format *trace_format_find(const char *name);

/* The names of all, as in "champsim, drmemtrace, dinero". */
void trace_format_names(struct buffer *text);

#endif
