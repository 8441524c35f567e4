/* Traces for simulators: QEMU executes a program, its plugin records the instructions and accesses
 * (sim/qemu/trace_watch.c), and a format's file writes them, record by record, so that memory use does not
 * grow with the trace. A trace begins with the passes of the warm-up, whose length is in program.trace.json;
 * set-up is not in it. Further passes follow the last one, for simulators that read ahead of what they count.
 */
#ifndef RUNNER_TRACING_PROGRAM_TRACE_H
#define RUNNER_TRACING_PROGRAM_TRACE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/tracing/trace_format.h"

#include <stdint.h>

/* The name of the file beside a trace that describes it. */
extern const char program_trace_notes[];

/* The name of the trace; with ".xz" if xz is installed and the format's readers unpack it. */
void program_trace_file(const struct trace_format *format, char name[64]);

/* The least number of passes by default: every period divides it (DESIGN.md section 3). */
enum { TRACE_PASSES = 100 };

/* Writes both files into the folder, which exists. passes: after the warm-up, a multiple of the program's
 * period; 0: as many as the format's readers need for rates within 0.001. STATUS_USAGE for a program that no
 * format supports or whose period does not divide the passes, STATUS_UNAVAILABLE without qemu. */
enum status program_trace_write(const struct test_program *test_program, const struct trace_format *format,
                                uint64_t passes, const char *folder, struct error *error);

/* Receives each executed instruction instead of a file; measured: of the passes, not of the warm-up. */
struct trace_visitor {
    void (*take)(void *context, const struct traced *instruction, bool measured);
    void *context;
};

enum status program_trace_follow(const struct test_program *test_program, uint64_t passes,
                                 const struct trace_visitor *visitor, struct error *error);

#endif
