/* Chains of jumps: code that jumps from place to place and returns. */
#ifndef RUNNER_PROBE_JUMPS_H
#define RUNNER_PROBE_JUMPS_H

#include "isa/assemble.h"
#include "runner/probe/code.h"

#include <stddef.h>
#include <stdint.h>

/* The pieces of code of a chain. Owns the caller. */
struct jump_links {
    const struct isa *isa;
    const struct encoding *jump;
    unsigned char back[ENCODING_BYTES];
    size_t back_bytes;
    struct probe_code caller; /* a loop that calls the chain whose entry is its first word */
};

/* Reads them from the ISA's probe texts, with jumps that reach at least `reach` bytes both ways. Free with
 * jump_links_free even after an error. STATUS_FAILED when a section is missing or no jump reaches so far. */
enum status jump_links_learn(const struct template *texts, int64_t reach, struct jump_links *links,
                             struct error *error);

/* Makes code of `size` bytes that visits the places, which are offsets in it, in this order, and returns at
 * the last one. Errors as probe_code_place. */
enum status jump_links_lay(const struct jump_links *links, const size_t *places, size_t count, size_t size,
                           struct probe_code *code, struct error *error);

void jump_links_free(struct jump_links *links);

#endif
