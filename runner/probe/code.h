/* The probe's own loops: assembled once from text, placed in executable memory, run and timed in this
 * process. Nothing of a measured loop is C, so no compiler has a say in it. */
#ifndef RUNNER_PROBE_CODE_H
#define RUNNER_PROBE_CODE_H

#include "base/buffer.h"
#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* What a loop finds in rax, rbx, rcx and rdx when it begins; it leaves there what it had at its end, so that
 * a chase goes on where it stopped. */
struct probe_registers {
    uint64_t rax, rbx, rcx, rdx;
};

/* Executable memory. All zeros has none. */
struct probe_code {
    void *bytes;
    size_t size;
};

/* A loop: its body stands `repeat` times between a label and a counted branch back, in assembler text. %u in
 * the body is replaced by step * (number of the copy), and %% by %. It may use r8 to r14 and vector registers
 * beside the four above, and labels from 2 on; rdi counts the iterations. */
struct probe_loop {
    const char *body;
    unsigned repeat;
    unsigned step;
    const char *before, *after; /* once an iteration, around the copies, as they stand; NULL: nothing */
};

/* Makes a loop runnable. STATUS_FAILED when the text is wrong, STATUS_UNAVAILABLE when the system gives no
 * executable memory. */
enum status probe_code_make(const struct probe_loop *loop, struct probe_code *code, struct error *error);

/* Places code that was laid out by hand. Same errors. */
enum status probe_code_place(const void *bytes, size_t size, struct probe_code *code, struct error *error);

/* Runs the loop that often; TSC ticks from before the first to after the last iteration. */
uint64_t probe_code_run(const struct probe_code *code, uint64_t iterations,
                        struct probe_registers *registers);

void probe_code_free(struct probe_code *code);

#endif
