/* The states of lines that several cores hold (MESI), for the plugin: caches without limits, so that a line
 * stays where a core left it until another core takes it. */
#ifndef SIM_QEMU_LINE_STATES_H
#define SIM_QEMU_LINE_STATES_H

#include <stdbool.h>
#include <stdint.h>

enum { LINE_STATES_CORES = 64 };

enum line_state { LINE_NOWHERE, LINE_SHARED, LINE_EXCLUSIVE, LINE_MODIFIED, LINE_STATES };

/* All zeros: no core holds it. */
struct line_holders {
    uint64_t cores; /* a bit for each that holds it */
    uint64_t used;  /* a bit for each that has used it since another core's last access */
    uint32_t state; /* enum line_state, of all holders */
    uint32_t unused;
};

/* What an access finds. */
struct line_found {
    enum line_state elsewhere; /* how other cores hold the line; LINE_NOWHERE: none does */
    bool first;                /* it is the core's first use since another core's last access */
    bool taken;                /* it needs another core: to read what only others hold, or to write what one
                                  other holds */
};

/* An access of the core. is_use: of the code that is watched; what prepares lines for it is none. */
struct line_found line_states_access(struct line_holders *line, unsigned core, bool writes, bool is_use);

/* The line leaves all caches. */
void line_states_flush(struct line_holders *line);

#endif
