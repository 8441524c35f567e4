/* The plan: the ISA-independent program for one point on one machine. It states what every slot of the loop
 * does, which line a load reads in which pass, and the resulting rates. Emission turns it into text. */
#ifndef GENERATOR_PLAN_PLAN_H
#define GENERATOR_PLAN_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/kernel/operations.h"
#include "generator/kernel/user_asm.h"
#include "generator/machine/machine.h"
#include "generator/plan/code/branches.h"
#include "generator/plan/data/operand_words.h"
#include "generator/plan/data/word_tally.h"
#include "generator/plan/memory/eviction_layout.h"
#include "generator/plan/memory/reach.h"
#include "generator/plan/memory/rotating_set.h"
#include "generator/plan/memory/shared_layout.h"
#include "generator/plan/rates.h"
#include "generator/plan/registers.h"
#include "generator/plan/sizing.h"
#include "generator/plan/tuning.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- where accesses go: the places of each access, and the working sets that move from pass to pass ---- */

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
    bool pages_fit;         /* with a tlb{}: what misses a cache is as little as its rate allows */
    bool pages_near;        /* and few passes go from one huge page to another */
    bool beyond_reach;      /* some accesses lie beyond what the registers for them reach */
    bool computes;          /* these compute their addresses */
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

/* ---- the words of the data before anything runs, and those of operations ---- */

/* Initial words of the data: value at offset, offset + step, ..., count times. Later entries overwrite
 * earlier ones. */
struct data_run {
    uint64_t offset, step, count;
    uint64_t value;
};

struct plan_data {
    struct data_run *runs; /* [run_count] */
    size_t run_count;
    bool changes;                   /* words change from access to access: */
    uint64_t *links;                /* [slots]: words of a linked chase; NULL: there is none */
    uint64_t first_link;            /* what leads to the first of these in a pass */
    struct word_tally loads;        /* the words that loads read in a period */
    struct operand_words *operands; /* [kernel->count]: of operations: contents of their operands */
};

/* ---- the plan ---- */

/* What a branch does. */
enum branch {
    BRANCH_NONE,        /* not a branch */
    BRANCH_TAKEN,       /* always */
    BRANCH_FALLTHROUGH, /* never taken */
    BRANCH_RANDOM,      /* taken half the time, by a random number */
    BRANCH_BACK,        /* the loop's back edge: the last slot */
};

/* Random branches that share a number, where they share. */
enum { BRANCH_BITS = 4 };

/* One operation of the loop body. */
struct slot {
    unsigned unit; /* 0 and up */
    unsigned item; /* index into the kernel's behaviours */
    enum branch branch;
    bool dependent;         /* operations: consumes the last load's value */
    bool starts;            /* operations: begins a dependency chain */
    unsigned char tested;   /* branches: 1: by the flags of the branch before; random ones: by which other bit
                               of   the last number drawn, up to BRANCH_BITS - 1; 0: they have their own test */
    unsigned gap;           /* indirect branches: bytes after it that never execute */
    unsigned operand;       /* operations: index of its word */
    unsigned schedule;      /* accesses: 1 + index of the sizing's schedule that they follow; 0: none */
    uint32_t shared_offset; /* accesses to a shared region: bytes from their base there */
    unsigned place_count;   /* 0: no access; more than 1: the place changes from pass to pass */
    bool computed;          /* accesses with one place: its address is computed at the access (anchors.h) */
    struct place *places;
};

/* Users' own instructions; each [kernel->count]. */
struct plan_texts {
    struct user_asm *items;
    uint64_t *memory; /* bytes from the data's start to each text's memory */
    uint64_t base;    /* bytes from there to what the register of its addresses holds */
    bool has_memory;
};

/* What the cache model did for plan->rates.expected. */
struct plan_simulation {
    uint64_t accesses; /* run through the model */
    const char *worst; /* the cache target with the largest distance from its expected rate */
    double pages_off;  /* largest distance of the data TLB's rate over 100 passes from its target */
    bool counted;      /* what follows is known: */
    double loads[LEVEL_COUNT], all[LEVEL_COUNT]; /* accesses of a pass that each level serves */
};

struct code_plan;
struct known_form;

struct plan {
    const struct kernel *kernel;
    const struct kernel *asked; /* the recipe's kernel, where calibration changed the aims; else the kernel */
    const struct machine *machine;
    struct sizing sizing;
    struct slot *slots;
    size_t slot_count; /* units * unit_slots */
    unsigned unit_slots;
    unsigned loads, stores; /* in one pass */
    unsigned written;       /* of the loads, those that also write what they read */
    unsigned popped;        /* of these, those that write it on the stack, which is loaded from there */
    unsigned warmup;        /* passes before anything is measured; a multiple of the period */
    bool unchecked;         /* as in plan_options */
    bool as_shuffled;       /* still in the first shuffled order */
    struct branch_counts branches; /* of one pass */
    struct registers registers;
    struct plan_texts texts;
    struct plan_memory memory;
    struct plan_shared shared;
    struct plan_data data;
    double code_room;       /* units whose lines of code that hit fill L1I; INFINITY: no registers for code{};
                               0: not known */
    struct code_plan *code; /* with code{}, after emission (code_plan.h); else NULL */
    const char *entry;      /* the row of code{}'s jump to its copies; NULL: it has none */
    bool *cuts;             /* [slot_count]: with code{}, another piece begins there; NULL: none does */
    struct known_form *forms; /* the templates' rows found so far (plan_forms.h) */
    struct plan_rates rates;
    struct plan_simulation simulation;
    struct arena arena; /* owns all of the above except the kernel and the machine */
};

/* How the rate of code{} is met. */
enum code_effort {
    CODE_USUALLY,
    CODE_SIMPLY,    /* exactly and without copies, or not at all */
    CODE_THOROUGHLY /* more shares of lines and more places are tried */
};

struct plan_options {
    uint64_t seed;
    const char *label;  /* "benchmark/point": selects the point's own random numbers */
    const char *prefix; /* of the names that its object exports (symbol_names.h); NULL: the usual one */
    unsigned copies;    /* of the program that run simultaneously; 0: one */
    unsigned sharers;   /* copies that may share its regions; 0: one */
    bool force_indexed; /* chases as in a rotating program, for comparison with one */
    bool unchecked;     /* cache rates are not needed and not predicted */
    bool compact;       /* the lines of a pass are in few pages, which few base registers reach */
    bool computes;      /* accesses beyond the reach of base registers compute their addresses */
    enum code_effort code_effort;
    const struct plan_tuning *tuning; /* its depth is used as it is; NULL: the plan chooses */
};

/* Accesses of a pass. */
static inline unsigned plan_accesses(const struct plan *plan)
{
    return plan->loads + plan->stores + plan->written + plan->popped;
}

/* True if the access takes its address from the register of computed ones: its place changes, or lies beyond
 * reach. */
static inline bool slot_is_placed(const struct slot *slot)
{
    return slot->place_count > 1 || slot->computed;
}

/* The access's place in the pass (counted from the start of a period). */
const struct place *plan_place(const struct plan *plan, const struct slot *slot, unsigned pass);

/* The access's offset in the pass, in bytes from the start of the data. */
uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass);

/* True for the base of a walk, whose rates are not promised. */
bool plan_base_is_walk(const struct plan *plan, unsigned base);

/* Passes after which every working set that a cache must hold has been loaded. */
unsigned plan_turns(const struct plan *plan);

/* True if a piece of code{} begins at the slot with no code{} before it. */
static inline bool plan_cuts(const struct plan *plan, size_t slot)
{
    return plan->cuts != NULL && plan->cuts[slot];
}

/* True if loads wait for each other. */
bool plan_has_chase(const struct plan *plan);

void plan_free(struct plan *plan);

#endif
