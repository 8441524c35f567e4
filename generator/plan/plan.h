/* The plan: the ISA-independent program for one point on one machine. It states what every slot of the loop
 * does, which line a load reads in which pass, and the resulting rates. Emission turns it into text. */
#ifndef GENERATOR_PLAN_PLAN_H
#define GENERATOR_PLAN_PLAN_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/emit/user_asm.h"
#include "generator/kernel/kernel.h"
#include "generator/kernel/operations.h"
#include "generator/machine/machine.h"
#include "generator/plan/branches.h"
#include "generator/plan/layout.h"
#include "generator/plan/rates.h"
#include "generator/plan/registers.h"
#include "generator/plan/rotation.h"
#include "generator/plan/sizing.h"
#include "generator/plan/tuning.h"
#include "isa/template.h"

#include <stdbool.h>
#include <stdint.h>

/* An access's place in some passes of a period. */
struct place {
    enum memory_level level; /* that serves it */
    unsigned until; /* used in the passes of a period before this one, from the previous place's `until` on */
    unsigned short base;   /* 0: the data's address; else 1 + the index of the base in plan->bases */
    unsigned short anchor; /* 0: its base reaches it; else 1 + the index in plan->anchors of what does */
    uint32_t offset;       /* bytes from the base */
    unsigned line;         /* index within its group's or pass's lines, for readers of the program */
    unsigned group;        /* with eviction sets: the group that owns the line */
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

/* Initial words of the data: value at offset, offset + step, ..., count times. Later entries overwrite
 * earlier ones. */
struct data_run {
    uint64_t offset, step, count;
    uint64_t value;
};

/* What a branch does. */
enum branch {
    BRANCH_NONE,        /* not a branch */
    BRANCH_TAKEN,       /* always */
    BRANCH_FALLTHROUGH, /* never taken */
    BRANCH_RANDOM,      /* taken half the time, by a random number */
    BRANCH_BACK,        /* the loop's back edge: the last slot */
};

/* One operation of the loop body. */
struct slot {
    unsigned unit; /* 0 and up */
    unsigned item; /* index into the kernel's behaviours */
    enum branch branch;
    bool dependent;       /* operations: consumes the last load's value */
    bool starts;          /* operations: begins a dependency chain */
    unsigned gap;         /* indirect branches: bytes after it that never execute */
    unsigned operand;     /* operations: index of its word */
    unsigned schedule;    /* accesses: 1 + index of the sizing's schedule that they follow; 0: none */
    unsigned place_count; /* 0: no access; more than 1: the place changes from pass to pass */
    struct place *places;
};

struct code_plan;

struct plan {
    const struct kernel *kernel;
    const struct kernel *asked; /* the recipe's kernel, where calibration changed the aims; else the kernel */
    const struct machine *machine;
    struct sizing sizing;
    bool rings;           /* misses go to rotating working sets (rings.h), not to eviction sets */
    struct layout layout; /* of eviction sets; empty with rings */
    struct slot *slots;
    size_t slot_count; /* units * unit_slots */
    bool unchecked;    /* as in plan_options */
    bool as_shuffled;  /* still in the first shuffled order */
    unsigned unit_slots;
    const struct form **forms;     /* found so far; private to plan_forms.c */
    struct operand_words *words;   /* [kernel->count]: of operations: contents of their operands */
    struct branch_counts branches; /* of one pass */
    struct registers registers;
    struct user_asm *texts;    /* [kernel->count]: users' own instructions */
    uint64_t *text_memory;     /* [kernel->count]: bytes from the data's start to each text's memory */
    unsigned loads, stores;    /* in one pass */
    struct ring_set *ring_set; /* with rings; private to plan_rings.c */
    struct base *bases;        /* [base_count] */
    unsigned base_count;
    struct anchor *anchors; /* [anchor_count] */
    unsigned anchor_count;
    uint64_t bytes, align; /* of the data */
    uint64_t state;        /* offset of 64 bytes of state kept between calls of the kernel */
    unsigned pages;        /* 4 KiB pages that a period touches */
    uint64_t huge_from;    /* huge pages are better from this byte on; equal to bytes: nowhere */
    uint64_t sweep_from;   /* set-up ends by writing these bytes, so that the last cache holds nothing */
    uint64_t sweep_bytes;  /* that memory must serve; sweep_bytes 0: not needed */
    bool indexed;          /* chases add the loaded zero to a base, because the base moves between passes */
    bool relative;         /* words are offsets from the data's address, which set-up adds */
    struct data_run *runs; /* [run_count] */
    size_t run_count;
    bool changes;                  /* words change from access to access: */
    double toggle_rate, ones_rate; /* of these words, in order of access */
    unsigned warmup;               /* passes before anything is measured; a multiple of the period */
    struct code_plan *code;        /* with code{}, after emission (code_plan.h); else NULL */
    struct rates targets;          /* what the recipe promises */
    struct rates expected;         /* what the cache model predicts, with the machine's policy */
    uint64_t simulated;            /* accesses run through the cache model for this */
    const char *worst;             /* the cache target with the largest distance from its expected rate */
    struct arena arena;            /* owns all of the above except the kernel and the machine */
};

struct plan_options {
    uint64_t seed;
    const char *label;                /* "benchmark/point": selects the point's own random numbers */
    unsigned copies;                  /* of the program that run simultaneously; 0: one */
    bool force_indexed;               /* chases as in a rotating program, for comparison with one */
    bool unchecked;                   /* cache rates are not needed and not predicted */
    bool code_simply;                 /* meet the rate of code{} exactly and without copies, or fail */
    const struct plan_tuning *tuning; /* its depth is used as it is; NULL: the plan chooses */
};

/* Limits on accesses in the cache model: MOST_SIMULATED per loop (some seconds), and SEARCH_SIMULATED before
 * a search for another loop stops. They count accesses, not seconds, so that plans are the same on every
 * host. */
#define PLAN_MOST_SIMULATED (UINT64_C(1) << 28)
#define PLAN_SEARCH_SIMULATED (UINT64_C(1) << 26)

/* Makes the plan. kernel and machine must outlive it. STATUS_RECIPE with the reason if a rate cannot be
 * reached. Free it with plan_free even after an error. */
enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error);

/* A slot's template row, or NULL. A back edge has none: it is in the skeleton. */
const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot);

/* True for a branch through a register: every branch of an indirect behaviour except the back edge. */
bool plan_is_indirect(const struct plan *plan, const struct slot *slot);

/* Instructions of one pass that belong to units, according to the rows; with an op, only those that mix.<op>
 * counts. The back edge counts as a taken branch. */
unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op);

/* Puts the loop's slots in the attempt-th random order (0 is plan_make's); sizes, places and counts stay.
 * Takes plan_make's options. */
enum status plan_shuffle(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                         unsigned attempt, struct error *error);

/* The access's place in the pass (counted from the start of a period). */
const struct place *plan_place(const struct plan *plan, const struct slot *slot, unsigned pass);

/* The access's offset in the pass, in bytes from the start of the data. */
uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass);

/* True for the base of a walk, whose rates are not promised. */
bool plan_base_is_walk(const struct plan *plan, unsigned base);

/* Passes after which every working set that a cache must hold has been loaded. */
unsigned plan_turns(const struct plan *plan);

/* True if loads wait for each other. */
bool plan_has_chase(const struct plan *plan);

void plan_free(struct plan *plan);

#endif
