/* The code ranges of one pass of the loop in the object: one piece or, if the object has a table
 * trauma_chunks, pieces that jump to each other. Code between pieces never executes. */
#ifndef ISA_LOOP_RANGES_H
#define ISA_LOOP_RANGES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/* A piece: offsets in .text. */
struct loop_range {
    uint64_t start, bytes;
};

struct loop_ranges {
    struct loop_range *items; /* [count], in execution order */
    size_t count;
};

/* Reads them from the object. STATUS_FAILED if it has no loop, or a table that points outside its code. Free
 * with loop_ranges_free even after an error. */
enum status loop_ranges_read(const void *object, size_t size, struct loop_ranges *ranges,
                             struct error *error);

/* How many times a pass enters another cache line of `line` bytes. The code begins at a multiple of the
 * line. */
unsigned loop_ranges_lines(const struct loop_ranges *ranges, unsigned line);

void loop_ranges_free(struct loop_ranges *ranges);

#endif
