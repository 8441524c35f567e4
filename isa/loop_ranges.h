/* Where the instructions of one pass of the loop lie in the object's code: in one piece, or, where the object
 * has a table trauma_chunks, in pieces that jump to each other. What lies between pieces is never run. */
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
    struct loop_range *items; /* [count], in the order in which a pass runs through them */
    size_t count;
};

/* Reads them from the object. STATUS_FAILED when it has no loop, or a table that leads out of its code. Free
 * with loop_ranges_free also after an error. */
enum status loop_ranges_read(const void *object, size_t size, struct loop_ranges *ranges,
                             struct error *error);

/* Cache lines of that many bytes that a pass enters: each time that execution goes on in another line. The
 * code begins at a multiple of the line. */
unsigned loop_ranges_lines(const struct loop_ranges *ranges, unsigned line);

void loop_ranges_free(struct loop_ranges *ranges);

#endif
