/* The probe's loops: assembled from the ISA's probe texts, placed in executable memory, run and timed in this
 * process. No part of a measured loop is C, so no compiler affects it. */
#ifndef RUNNER_PROBE_CODE_H
#define RUNNER_PROBE_CODE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"
#include "runner/probe/analysis.h"

#include <stddef.h>
#include <stdint.h>

/* A loop's operands: each word is in a register while the loop runs. The loop stores their final values, so
 * that a chase continues where it stopped. */
struct probe_words {
    uint64_t first, second, third, fourth;
};

/* Executable memory. All zeros has none. */
struct probe_code {
    void *bytes;
    size_t size;
};

/* A loop: `repeat` copies of its body. The names are those of sections of templates/<isa>/probe.s, where
 * {offset} is step * (number of the copy), and {step} is step * repeat. */
struct probe_loop {
    const char *body;
    const char *text; /* the body itself; NULL: the section */
    unsigned repeat;
    unsigned step;
    const char *before, *after; /* once per iteration, around the copies; NULL: none */
};

/* Reads the loops' texts for this processor. STATUS_UNAVAILABLE if templates/ has none for it. Free with
 * template_free even after an error. */
enum status probe_texts_open(struct template *texts, struct error *error);

/* The text of the section; NULL, with STATUS_FAILED in *error, if there is none. */
const char *probe_section(const struct template *texts, const char *name, struct error *error);

/* The line after this one; the text's end after the last one. */
const char *probe_next_line(const char *line);

/* Appends a loop's whole text. STATUS_FAILED when a section is missing or wrong. */
enum status probe_code_write(const struct template *texts, const struct probe_loop *loop, struct buffer *text,
                             struct error *error);

/* Makes a loop runnable. STATUS_FAILED when a text is wrong or missing, STATUS_UNAVAILABLE when the system
 * denies executable memory. */
enum status probe_code_make(const struct template *texts, const struct probe_loop *loop,
                            struct probe_code *code, struct error *error);

/* Assembles the text of a function; name: of its file, for messages. Errors as probe_code_make. */
enum status probe_code_assemble(const struct isa *isa, const char *text, const char *name,
                                struct probe_code *code, struct error *error);

/* Places machine code in executable memory. Errors as probe_code_make. */
enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error);

/* Runs the loop for that many iterations; returns the clock's ticks from before the first to after the last.
 */
uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations, struct probe_words *words);

/* A loop to time, and the function that runs it: in this process, or for instance under an emulator. */
struct probe_timed {
    const struct probe_code *code;
    uint64_t iterations;
    double things; /* operations to count in each iteration */

    /* Returns the clock's ticks. */
    uint64_t (*run)(void *context, const struct probe_code *code, uint64_t iterations);
    void *context;
};

/* Ticks per thing: one reading. */
double probe_ticks_per_thing(const struct probe_timed *timed);

/* Takes samples of the loop, each with a reading of the clock before and after it, because the frequency may
 * change from sample to sample, and another thread may take part of the core. clock: a chain of one cycle
 * each. */
void probe_take_samples(const struct probe_timed *loop, const struct probe_timed *clock,
                        struct probe_sample *samples, size_t count);

void probe_code_free(struct probe_code *code);

#endif
