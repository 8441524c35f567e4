/* The board: a file that the plugins of copies with shared regions, and the runner, map. It consists of
 * struct board, a hash table of accesses, and the states of the shared file's lines; only accessed pages take
 * memory. */
#ifndef SIM_QEMU_SHARE_BOARD_H
#define SIM_QEMU_SHARE_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* MESI states of lines, for caches of unlimited size: a line stays in a core's cache until another core takes
 * it. */

enum { LINE_STATES_CORES = 64 };

enum line_state { LINE_NOWHERE, LINE_SHARED, LINE_EXCLUSIVE, LINE_MODIFIED, LINE_STATES };

/* All zeros: no core holds it. */
struct line_holders {
    uint64_t cores; /* a bit per core that holds it */
    uint64_t used;  /* a bit per core that has used it since another core's last access */
    uint32_t state; /* enum line_state, of all holders */
    uint32_t unused;
};

/* The effect of an access. */
struct line_found {
    enum line_state elsewhere; /* the line's state in other cores; LINE_NOWHERE: none holds it */
    bool first;                /* it is the core's first use since another core's last access */
    bool taken;                /* it involves another core: a read of a line that only others hold, or a write
                                  to one that others hold */
};

/* An access of the core. is_use: by the observed code, not by code that only prepares lines. */
struct line_found line_states_access(struct line_holders *line, unsigned core, bool writes, bool is_use);

/* The line leaves all caches. */
void line_states_flush(struct line_holders *line);

/* Parts of the shared file, of BOARD_SPAN bytes each: the page of turns, then the regions. */
enum { BOARD_PARTS = 9 };
#define BOARD_SPAN (UINT64_C(1) << 31)

enum board_kind { BOARD_LOAD, BOARD_STORE, BOARD_ATOMIC, BOARD_WORD };

/* An entry of the table: one copy's accesses of a kind to one word, in the counted call of its loop; or, for
 * BOARD_WORD, the copies that stored it last and have read it since. */
struct board_access {
    uint64_t place;     /* byte of the shared file */
    uint32_t copy;      /* BOARD_WORD: 0 */
    uint16_t kind;      /* enum board_kind */
    uint16_t width;     /* bytes; BOARD_WORD: 0 */
    uint32_t count;     /* 0: the entry is empty */
    uint32_t in_turn;   /* stores to a word that the previous copy stored last and this copy has read since */
    uint32_t last_copy; /* BOARD_WORD: stored it last */
    uint64_t readers;   /* BOARD_WORD: a bit per copy */
    uint32_t is_stored; /* BOARD_WORD: 1 once a copy has stored it */
    uint32_t unused;
};

/* Counts of the loop's accesses in the counted call, by part of the file. */
struct board_part {
    uint64_t firsts[LINE_STATES]; /* loads that are the first use of a line since another copy's access, by
                                     the line's state in other copies */
    uint64_t accesses, taken;
};

struct board_copy {
    uint32_t go;     /* 1: it is this copy's turn to run; a futex */
    uint32_t ended;  /* 1: it has ended, as its plugin reports */
    uint64_t calls;  /* of the kernel */
    uint64_t passes; /* of the loop in the last call */
    struct board_part parts[BOARD_PARTS];
};

struct board {
    uint32_t copies;     /* at most LINE_STATES_CORES */
    uint32_t line;       /* bytes */
    uint32_t entry_bits; /* the table has 2^entry_bits entries */
    uint32_t skip;       /* calls of the kernel that are not counted */
    uint32_t interleave; /* 1: the turn passes after each shared access of the loop; 0: when a copy waits */
    uint32_t stop;       /* 1: a copy has failed, and the others must end */
    uint32_t full;       /* 1: the table is full */
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
