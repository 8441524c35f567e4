/* NVIDIA's offline tools as they are found at run time: ptxas, which makes machine code of PTX with no GPU
 * present, and a disassembler. They are looked for on PATH, then in /usr/local/cuda*, by name, the last one
 * first. */
#ifndef RUNNER_SOURCES_PTXAS_H
#define RUNNER_SOURCES_PTXAS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { PTXAS_VERSION_BYTES = 32, PTXAS_TOOL_BYTES = 512 };

/* What ptxas -v says of the entry. Bytes are a thread's, shared memory a block's. */
struct ptxas_resources {
    unsigned registers, stack, spill_stores, spill_loads, shared;
};

struct ptxas_result {
    struct buffer cubin; /* an ELF file, with the lines of the PTX in it */
    struct ptxas_resources resources;
    char version[PTXAS_VERSION_BYTES]; /* of the ptxas that made it: "13.0.88" */
};

/* The n-th such tool, counted from 0: its path. False when there are no more. */
bool ptxas_find_tool(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES]);

/* Assembles the text for the architecture ("sm_90"), with the first ptxas that knows it. STATUS_UNAVAILABLE,
 * with the reason and what mends it, when there is none, or none that knows the architecture or the text's
 * PTX version. STATUS_FAILED, with the line of program.ptx, for a text that is wrong. Free with ptxas_free
 * also after an error. */
enum status ptxas_assemble(const char *text, size_t size, const char *arch, struct ptxas_result *result,
                           struct error *error);
void ptxas_free(struct ptxas_result *result);

/* Appends what nvdisasm, with the lines of the PTX, or else cuobjdump, without, writes of the cubin.
 * STATUS_UNAVAILABLE when there is neither, or none that knows the architecture. */
enum status ptxas_disassemble(const struct buffer *cubin, struct buffer *text, struct error *error);

/* Fills *error from what ptxas wrote: its first complaint, at its line of program.ptx. Returns the status:
 * see ptxas_assemble. */
enum status ptxas_blame(const char *output, const char *arch, struct error *error);

#endif
