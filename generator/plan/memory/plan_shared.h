/* What copies of a program share: the regions, mapped behind the program's own data, and the registers that
 * accesses to them start from. Each region has a fixed place in the file that all copies map, so that
 * programs that differ, or use only some regions, agree about it. The file's first page is for the copies'
 * turns. */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_SHARED_H
#define GENERATOR_PLAN_MEMORY_PLAN_SHARED_H

#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

struct plan;

/* Words of state behind the data, private to each copy, each of 8 bytes. */
enum shared_state {
    SHARED_COPY,   /* the copy's number, from 0 */
    SHARED_COPIES, /* how many there are; 0 is 1 */
    SHARED_TURNS,  /* turns of all copies so far */
    SHARED_TIMED,  /* ticks of the timed parts so far */
    SHARED_BEGAN,  /* when the present one began */
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

    /* With coherence: the lines that another copy prepares. */
    enum coherence coherence;
    unsigned coherent_base;
    uint64_t prepared_at, prepared_lines, line;
};

/* The file's size: every region has its span there. It is sparse. */
#define SHARED_FILE_BYTES ((1 + MOST_REGIONS) * REGION_SPAN)

/* Places the regions behind all other data, and each slot's offset. copies: how many may run together.
 * STATUS_RECIPE if an access is out of reach. */
enum status plan_place_shared(struct plan *plan, const struct isa *isa, unsigned copies, uint64_t seed,
                              const char *label, struct error *error);

/* The index of the base of a behaviour's accesses. */
unsigned plan_shared_base(const struct plan *plan, const struct behaviour *item);

/* Turns that each copy takes in one pass. */
unsigned plan_shared_turns(const struct plan *plan);

/* Accesses of one pass to shared regions by behaviours of that op. */
unsigned plan_shared_accesses(const struct plan *plan, const char *op);

#endif
