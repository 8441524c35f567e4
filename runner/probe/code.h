/* The probe's own loops: assembled once from the ISA's probe texts, placed in executable memory, run and
 * timed in this process. No part of a measured loop is C, so no compiler affects it. */
#ifndef RUNNER_PROBE_CODE_H
#define RUNNER_PROBE_CODE_H

#include "base/buffer.h"
#include "base/error.h"
#include "isa/template.h"
#include "runner/probe/analysis.h"

#include <stddef.h>
#include <stdint.h>

/* What a loop works on: each word is in a register while it runs. The loop stores their final values, so that
 * a chase continues where it stopped. */
struct probe_words {
    uint64_t first, second, third, fourth;
};

/* Executable memory. All zeros has none. */
struct probe_code {
    void *bytes;
    size_t size;
};

/* A loop: `repeat` copies of its body. The names are those of sections of templates/<isa>/probe.s, where
 * {offset} is step * (number of the copy), and {step} what the copies come to. */
struct probe_loop {
    const char *body;
    const char *text; /* the body itself; NULL: the section */
    unsigned repeat;
    unsigned step;
    const char *before, *after; /* once per iteration, around the copies; NULL: none */
};

/* Reads the loops' texts for the processor that this runs on. STATUS_UNAVAILABLE if templates/ has none for
 * it. Free with template_free even after an error. */
enum status probe_texts_open(struct template *texts, struct error *error);

/* Appends a loop's whole text. STATUS_FAILED when a section is missing or wrong. */
enum status probe_code_write(const struct template *texts, const struct probe_loop *loop, struct buffer *text,
                             struct error *error);

/* Makes a loop runnable. STATUS_FAILED when a text is wrong or missing, STATUS_UNAVAILABLE when the system
 * denies executable memory. */
enum status probe_code_make(const struct template *texts, const struct probe_loop *loop,
                            struct probe_code *code, struct error *error);

/* Assembles the text of a function; name: of its file, for messages. Same errors. */
enum status probe_code_assemble(const struct isa *isa, const char *text, const char *name,
                                struct probe_code *code, struct error *error);

/* Places ready-made code. Same errors. */
enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error);

/* Runs the loop for that many iterations; returns the clock's ticks from before the first to after the last.
 */
uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations, struct probe_words *words);

/* A loop to time, and how it runs: in this process, or elsewhere, as under an emulator. */
struct probe_timed {
    const struct probe_code *code;
    uint64_t iterations;
    double things; /* of each iteration: what is counted */
    uint64_t (*run)(void *context, const struct probe_code *code,
                    uint64_t iterations); /* the clock's ticks */
    void *context;
};

/* Ticks per thing: one reading. */
double probe_ticks_per_thing(const struct probe_timed *timed);

/* Samples of the loop, each with a reading of the clock, a chain of one cycle each, before and after it: the
 * frequency may change from sample to sample, and another thread may take part of the core. */
void probe_take_samples(const struct probe_timed *loop, const struct probe_timed *clock,
                        struct probe_sample *samples, size_t count);

void probe_code_free(struct probe_code *code);

#endif
