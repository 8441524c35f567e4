/* NVIDIA's offline tools, found at run time: ptxas, which compiles PTX to machine code without a GPU, and a
 * disassembler. Searched on PATH, then in /usr/local/cuda*, by name in descending order. */
#ifndef RUNNER_SOURCES_BYTES_PTXAS_H
#define RUNNER_SOURCES_BYTES_PTXAS_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum { PTXAS_VERSION_BYTES = 32, PTXAS_TOOL_BYTES = 512 };

/* The resources of the entry as ptxas -v reports them: bytes per thread, shared memory per block. */
struct ptxas_resources {
    unsigned registers, stack, spill_stores, spill_loads, shared;
};

struct ptxas_result {
    struct buffer cubin; /* an ELF file with the PTX line numbers */
    struct ptxas_resources resources;
    char tool[PTXAS_TOOL_BYTES]; /* the ptxas used */
};

/* A program's part of a disassembly of several. */
struct ptxas_listing {
    struct ptxas_result made; /* without its cubin */
    char kernel[32];          /* its name in the text */
    size_t size;
    char text[];
};

/* One of several programs that are disassembled together. */
struct ptxas_one {
    struct ptxas_result made; /* without a cubin: not to be disassembled */
    const char *kernel;
    struct ptxas_listing *listing; /* for free(); NULL: not yet */
};

/* The path of the n-th such tool, counted from 0. False when there are no more. */
bool ptxas_find_tool(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES]);

/* Assembles the text for the architecture ("sm_90"), with the first ptxas that supports it.
 * STATUS_UNAVAILABLE, with the reason and the remedy, when none is found, or none supports the architecture
 * or the text's PTX version. STATUS_FAILED, with the line of program.ptx, for a faulty text. Free with
 * ptxas_free even after an error. */
enum status ptxas_assemble(const char *text, size_t size, const char *arch, struct ptxas_result *result,
                           struct error *error);
void ptxas_free(struct ptxas_result *result);

/* Determines the version of the ptxas that was used, "13.0.88", by running it once per process. */
void ptxas_version(const struct ptxas_result *result, char version[PTXAS_VERSION_BYTES]);

/* True if a disassembler is installed; it may still fail. */
bool ptxas_can_disassemble(void);

/* Appends the disassembly of the cubin by nvdisasm, with PTX lines, or else by cuobjdump, without.
 * STATUS_UNAVAILABLE when neither is found, or neither supports the architecture. */
enum status ptxas_disassemble(const struct buffer *cubin, struct buffer *text, struct error *error);

/* Disassembles all programs with one call of nvdisasm per architecture, as its start takes a quarter of a
 * second. Programs without a listing afterwards: ptxas_disassemble reports why. */
void ptxas_disassemble_all(struct ptxas_one *ones, size_t count);

/* Fills *error from ptxas's output: its first message, and the line of program.ptx. Returns the status of
 * ptxas_assemble. */
enum status ptxas_blame(const char *output, const char *arch, struct error *error);

#endif
