/* The probe's own loops: assembled once from text, placed in executable memory, run and timed in this
 * process. No part of a measured loop is C, so no compiler affects it. */
#ifndef RUNNER_PROBE_CODE_H
#define RUNNER_PROBE_CODE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* The values of rax, rbx, rcx and rdx when a loop starts; the loop stores its final ones, so that a chase
 * continues where it stopped. */
struct probe_registers {
    uint64_t rax, rbx, rcx, rdx;
};

/* Executable memory. All zeros has none. */
struct probe_code {
    void *bytes;
    size_t size;
};

/* A loop in assembler text: `repeat` copies of its body between a label and a counted branch back. %u in the
 * body becomes step * (number of the copy), and %% becomes %. It may use r8 to r14 and vector registers
 * besides the four above, and labels from 2; rdi counts the iterations. */
struct probe_loop {
    const char *body;
    unsigned repeat;
    unsigned step;
    const char *before, *after; /* verbatim, once per iteration, around the copies; NULL: none */
};

/* Makes a loop runnable. STATUS_FAILED when the text is wrong, STATUS_UNAVAILABLE when the system denies
 * executable memory. */
enum status probe_code_make(const struct probe_loop *loop, struct probe_code *code, struct error *error);

/* Places hand-made code. Same errors. */
enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error);

/* Runs the loop for that many iterations; returns TSC ticks from before the first to after the last. */
uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations,
                        struct probe_registers *registers);

void probe_code_free(struct probe_code *code);

#endif
