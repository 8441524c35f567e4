/* Compares what copies did to the regions that they share with what their recipe states. It knows the kernel
 * and the board, not the plan, whose mistakes it so finds. */
#ifndef RUNNER_SOURCES_QEMU_SHARE_TALLY_H
#define RUNNER_SOURCES_QEMU_SHARE_TALLY_H

#include "generator/kernel/kernel.h"
#include "sim/qemu/share_board.h"

#include <stddef.h>

/* What was run. */
struct share_request {
    const struct kernel *kernel;
    unsigned units;          /* of the loop */
    unsigned passes;         /* of each copy */
    unsigned copies;         /* that there are */
    unsigned first, counted; /* of these the ones that ran: counted from the first */
    unsigned line;           /* bytes */
};

/* Numbers of accesses; those of the reading that belongs to an atomic count only in the first two. */
struct share_tally {
    double as_stated; /* made, of those that are stated */
    double all;       /* stated or made */
    double made;
    double on_common_lines, on_common_words; /* of them, to lines and words that another copy accesses too */
};

struct share_tally share_tally_of(const struct share_request *request, const struct board_access *table,
                                  size_t entries);

#endif
