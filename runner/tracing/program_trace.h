/* Traces for simulators: QEMU executes a program, the plugin writes down what it does
 * (sim/qemu/trace_watch.c), and a format's file writes that, record by record, so that memory does not grow
 * with a trace's length. A trace begins with the warm-up's passes, whose end program.trace.json tells; set-up
 * is no part of it. A simulator that reads ahead of what it counts finds further passes behind the last. */
#ifndef RUNNER_TRACING_PROGRAM_TRACE_H
#define RUNNER_TRACING_PROGRAM_TRACE_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/tracing/trace_format.h"

#include <stdint.h>

/* The file beside a trace that says what it has: its name in a program's folder. */
extern const char program_trace_notes[];

/* The name of the trace, with what xz adds where that is installed and the format's readers unpack it. */
void program_trace_file(const struct trace_format *format, char name[64]);

/* At least, where none are said: every period divides them (DESIGN.md section 3). */
enum { TRACE_PASSES = 100 };

/* Writes both files into the folder, which exists. passes: after the warm-up, a multiple of the program's
 * period; 0: as many as the format's readers need for rates within 0.001. STATUS_USAGE for a program that no
 * format knows or whose period does not divide the passes, STATUS_UNAVAILABLE without qemu. */
enum status program_trace_write(const struct test_program *test_program, const struct trace_format *format,
                                uint64_t passes, const char *folder, struct error *error);

/* Takes each executed instruction instead; measured: of the passes, not of the warm-up. */
struct trace_visitor {
    void (*take)(void *context, const struct traced *instruction, bool measured);
    void *context;
};

enum status program_trace_follow(const struct test_program *test_program, uint64_t passes,
                                 const struct trace_visitor *visitor, struct error *error);

#endif
