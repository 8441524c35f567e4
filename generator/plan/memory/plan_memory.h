/* The part of a plan that states where its accesses go: the places of each access, the working sets that move
 * from pass to pass, and the size of the data. */
#ifndef GENERATOR_PLAN_MEMORY_PLAN_MEMORY_H
#define GENERATOR_PLAN_MEMORY_PLAN_MEMORY_H

#include "generator/machine/machine.h"
#include "generator/plan/memory/eviction_layout.h"
#include "generator/plan/memory/reach.h"
#include "generator/plan/memory/rotating_set.h"

#include <stdbool.h>
#include <stdint.h>

/* An access's place in some passes of a period. */
struct place {
    enum memory_level level; /* that serves it */
    unsigned until; /* used in the passes of a period before this one, from the previous place's `until` on */
    unsigned short base; /* 0: the data's address; else 1 + the index of the base in plan->memory.bases */
    unsigned short
        anchor;      /* 0: its base reaches it; else 1 + the index in plan->memory.anchors of what does */
    uint32_t offset; /* bytes from the base */
    uint32_t from;   /* of these, bytes to which what a chase read before leads (chase_windows.h) */
    unsigned line;   /* index within its group's or pass's lines, for readers of the program */
    unsigned group;  /* with eviction sets: the group that owns the line */
};

/* The position of a working set's lines in a pass. */
struct base {
    struct rotation at;
    enum memory_level level; /* that serves its accesses */
    uint64_t lines;          /* over all turns */
    bool by_capacity;        /* whether they miss or stay depends only on their number (capacity.h) */
    uint64_t bytes;          /* with by_capacity: from its start to the end of its last line */
};

/* A register that holds an address beyond the reach of displacements (anchors.h). */
struct anchor {
    unsigned base;   /* as in struct place */
    uint32_t offset; /* bytes from that base */
};

struct rotating_plan;

struct plan_memory {
    bool by_rotation; /* misses go to rotating working sets (rotating_layout.h), not to eviction sets */
    struct eviction_layout eviction; /* empty by rotation */
    struct rotating_plan *rotating;  /* by rotation: the working sets (plan_rotating.c); else NULL */
    struct base *bases;              /* [base_count] */
    unsigned base_count;
    struct windows windows; /* what displacements reach */
    struct anchor *anchors; /* [anchor_count] */
    unsigned anchor_count;
    uint64_t bytes, align; /* of the data */
    uint64_t state;        /* offset of 64 bytes of state kept between calls of the kernel */
    unsigned pages;        /* 4 KiB pages that a period touches */
    uint64_t huge_from;    /* huge pages are better from this byte on; equal to bytes: nowhere */
    uint64_t sweep_from;   /* set-up ends by writing these bytes, so that the last cache holds nothing */
    uint64_t sweep_bytes;  /* that memory must serve; sweep_bytes 0: not needed */
    uint64_t sweep_step;   /* from one word of these to the next */
    bool indexed;          /* chases add the loaded zero to a base, because the base moves between passes */
    bool linked;           /* chases have words of their own that lead from one to the next (chase_words.h) */
    bool relative;         /* words are offsets from the data's address, which set-up adds */
};

#endif
