/* What copies of a program share: the regions, mapped behind the program's own data, and the registers that
 * accesses to them start from. Each region has a fixed place in the file that all copies map, so that
 * programs that differ, or use only some regions, agree about it. The file's first page is for the copies'
 * turns. */
#ifndef GENERATOR_PLAN_MEMORY_SHARED_LAYOUT_H
#define GENERATOR_PLAN_MEMORY_SHARED_LAYOUT_H

#include "generator/kernel/kernel.h"

#include <stdbool.h>
#include <stdint.h>

/* Words of state behind the data, private to each copy, each of 8 bytes. */
enum shared_state {
    SHARED_COPY,   /* the copy's number, from 0 */
    SHARED_COPIES, /* how many there are; 0 is 1 */
    SHARED_TURNS,  /* turns of all copies so far */
    SHARED_TIMED,  /* ticks of the timed parts so far */
    SHARED_BEGAN,  /* when the present one began */
    SHARED_WINDOW, /* address from which the lines count that are in the wanted state */
    SHARED_STATES
};

/* A mapping: these bytes of the data are those of the file. */
struct shared_mapping {
    uint64_t at, bytes, file_at;
};

/* The place in a region from which some accesses' offsets count. */
struct shared_base {
    unsigned region;
    uint64_t apart;       /* from one copy's to the next one's */
    uint64_t working_set; /* it moves through so many bytes, by `step` a pass; 0: it stays */
    uint64_t step;
    uint64_t window; /* of the working set, which other copies prepare at a time */
};

struct plan_shared {
    struct shared_mapping
        mappings[1 + MOST_REGIONS]; /* [mapping_count]: the page of turns, then the regions */
    unsigned mapping_count;         /* 0: nothing is shared */
    struct shared_base *bases;      /* [base_count] */
    unsigned base_count;
    uint64_t state; /* offset of the state in the data */
    bool chases;    /* some load's address comes from the load before it */
    bool turns;     /* some atomic waits for its copy's turn */

    /* With coherence: the lines that another copy prepares, at a time. */
    enum coherence coherence;
    unsigned coherent_base;
    uint64_t prepared_first; /* offset of the first from where the copy's walk stands */
    uint64_t prepared_lines, line;
    double pass_lines; /* that the loads of a pass touch */
};

/* The file's size: every region has its span there. It is sparse. */
#define SHARED_FILE_BYTES ((1 + MOST_REGIONS) * REGION_SPAN)

#endif
