/* The regions that copies of a program share: their mappings behind the program's own data, and the bases of
 * the accesses to them. Each region has a fixed place in the file that all copies map, so that different
 * programs, which may use only some regions, agree on it. The copies take turns by the file's first page. */
#ifndef GENERATOR_PLAN_MEMORY_SHARED_LAYOUT_H
#define GENERATOR_PLAN_MEMORY_SHARED_LAYOUT_H

#include "generator/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of state behind the data, private to each copy, each of 8 bytes. */
enum shared_state {
    SHARED_COPY,   /* the copy's number, from 0 */
    SHARED_COPIES, /* the number of copies; 0 means 1 */
    SHARED_TURNS,  /* turns of all copies so far */
    SHARED_TIMED,  /* ticks of the timed parts so far */
    SHARED_BEGAN,  /* start of the current timed part, in ticks */
    SHARED_WINDOW, /* address of the first line of the window that is in the wanted state */
    SHARED_STATES
};

/* A mapping: `bytes` of the data from `at` on are those of the file from `file_at` on. */
struct shared_mapping {
    uint64_t at, bytes, file_at;
};

/* A base in a region, from which the offsets of some accesses count. */
struct shared_base {
    unsigned region;
    uint64_t apart;       /* bytes from one copy's base to the next copy's */
    uint64_t working_set; /* bytes through which it moves, by `step` per pass; 0: it does not move */
    uint64_t step;
    uint64_t window; /* bytes of the working set that another copy prepares at a time */
};

struct plan_shared {
    struct shared_mapping
        mappings[1 + MOST_REGIONS]; /* [mapping_count]: the page of turns, then the regions */
    unsigned mapping_count;         /* 0: nothing is shared */
    struct shared_base *bases;      /* [base_count] */
    unsigned base_count;
    uint64_t state; /* offset of the state in the data */
    bool chases;    /* some load gets its address from the load before it */
    bool turns;     /* some atomic waits for its copy's turn */

    /* With coherence: the lines that another copy prepares at a time. */
    enum coherence coherence;
    unsigned coherent_base;
    uint64_t prepared_first; /* bytes from the copy's current base to the first */
    uint64_t prepared_lines, line;
    double pass_lines; /* that the loads of a pass touch */
};

/* The size of the sparse file, in which every region has its span. */
#define SHARED_FILE_BYTES ((1 + MOST_REGIONS) * REGION_SPAN)

#endif
