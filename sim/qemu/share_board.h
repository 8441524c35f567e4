/* What the plugins of copies that share regions write for one another and for the runner: a file that all of
 * them map. It holds, one after another, the board itself, a table of accesses and the states of the shared
 * file's lines; only touched pages take memory. */
#ifndef SIM_QEMU_SHARE_BOARD_H
#define SIM_QEMU_SHARE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The states of lines that several cores hold (MESI), for the plugin: caches without limits, so that a line
 * stays where a core left it until another core takes it. */

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

/* Parts of the shared file, of BOARD_SPAN bytes each: the page of turns, then the regions. */
enum { BOARD_PARTS = 9 };
#define BOARD_SPAN (UINT64_C(1) << 31)

enum board_kind { BOARD_LOAD, BOARD_STORE, BOARD_ATOMIC, BOARD_WORD };

/* Accesses of one copy to one word, in the counted call of its loop; of a BOARD_WORD, who stored last, and
 * who has read it since. */
struct board_access {
    uint64_t place;     /* byte of the shared file */
    uint32_t copy;      /* of a BOARD_WORD 0 */
    uint16_t kind;      /* enum board_kind */
    uint16_t width;     /* bytes; of a BOARD_WORD 0 */
    uint32_t count;     /* 0: the entry is empty */
    uint32_t in_turn;   /* of stores: those to a word that the copy before stored last, and that this copy has
                           read since */
    uint32_t last_copy; /* of a BOARD_WORD */
    uint64_t readers;   /* of a BOARD_WORD: a bit for each copy */
    uint32_t is_stored; /* of a BOARD_WORD: 1 when some copy has stored it */
    uint32_t unused;
};

/* Of the loop's accesses in the counted call, by part of the file. */
struct board_part {
    uint64_t firsts[LINE_STATES]; /* loads that first use a line since another copy's access, by its state
                                     elsewhere */
    uint64_t accesses, taken;
};

struct board_copy {
    uint32_t go;     /* 1: it is this copy's turn to run; a futex */
    uint32_t ended;  /* 1: its plugin saw it end */
    uint64_t calls;  /* of the kernel */
    uint64_t passes; /* of the loop in the last call */
    struct board_part parts[BOARD_PARTS];
};

struct board {
    uint32_t copies;     /* at most LINE_STATES_CORES */
    uint32_t line;       /* bytes */
    uint32_t entry_bits; /* the table has 2^entry_bits entries */
    uint32_t skip;       /* calls of the kernel that are not counted */
    uint32_t interleave; /* 1: copies run one shared access of the loop each in turn; 0: until they wait */
    uint32_t stop;       /* 1: some copy failed, and the others end */
    uint32_t full;       /* 1: the table had no room */
    uint32_t unused;
    struct board_copy of[LINE_STATES_CORES];
};

enum { BOARD_PAGE = 65536 };

static inline size_t board_table_at(void)
{
    return (sizeof(struct board) + BOARD_PAGE - 1) / BOARD_PAGE * BOARD_PAGE;
}

static inline size_t board_lines_at(uint32_t entry_bits)
{
    size_t bytes = sizeof(struct board_access) << entry_bits;
    return board_table_at() + (bytes + BOARD_PAGE - 1) / BOARD_PAGE * BOARD_PAGE;
}

static inline size_t board_bytes(uint32_t entry_bits, uint32_t line)
{
    return board_lines_at(entry_bits) + BOARD_PARTS * BOARD_SPAN / line * sizeof(struct line_holders);
}

#endif
