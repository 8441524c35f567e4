/* The plan: the ISA-independent program for one point on one machine. It says for every slot of the loop what
 * it does and which line a load reads in which pass, and what rates follow. Emission turns it into text. */
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

/* Where an access goes in some passes of a period. */
struct place {
    enum memory_level level; /* that serves it */
    unsigned until;          /* the passes of a period before this one, from the place before on */
    unsigned base;           /* 0: the data's address; else 1 + the index of the base in plan->bases */
    uint32_t offset;         /* bytes from there */
    unsigned line;           /* which of its group's or its pass's lines: for who reads the program */
    unsigned group;          /* with conflict groups: whose line */
};

/* Where the lines of a working set are in a pass. */
struct base {
    struct rotation at;
    enum memory_level level; /* that serves what it leads to */
    uint64_t lines;          /* that come by in all turns */
    bool by_capacity;        /* they miss and stay by their number alone (capacity.h) */
    uint64_t bytes;          /* with by_capacity: from its start to behind its last line */
};

/* Words of the data before anything runs: value at offset, offset + step, ..., count times. A later run
 * overwrites an earlier one. */
struct data_run {
    uint64_t offset, step, count;
    uint64_t value;
};

/* What a branch does. */
enum branch {
    BRANCH_NONE,        /* not a branch */
    BRANCH_TAKEN,       /* always */
    BRANCH_FALLTHROUGH, /* never taken */
    BRANCH_RANDOM,      /* taken half the time, as a random number says */
    BRANCH_BACK,        /* the loop's own: the last slot */
};

/* One operation of the loop body. */
struct slot {
    unsigned unit; /* 0 and up */
    unsigned item; /* index into the kernel's behaviours */
    enum branch branch;
    bool dependent;       /* operations: consumes the last load's value */
    bool starts;          /* operations: begins a dependency chain */
    unsigned gap;         /* indirect branches: bytes after it that are never run */
    unsigned operand;     /* operations: which of its words it takes */
    unsigned schedule;    /* accesses: 1 + the index of the sizing's schedule that they follow; 0: none */
    unsigned place_count; /* 0: no access; more than 1: it changes from pass to pass */
    struct place *places;
};

struct code_plan;

struct plan {
    const struct kernel *kernel;
    const struct kernel *asked; /* what the recipe says where calibration aims elsewhere; else the kernel */
    const struct machine *machine;
    struct sizing sizing;
    bool rings;           /* misses go to working sets (rings.h), not to conflict groups */
    struct layout layout; /* of conflict groups; without groups where misses go to rings */
    struct slot *slots;
    size_t slot_count; /* units * unit_slots */
    bool unchecked;    /* as plan_options has it */
    bool as_shuffled;  /* in the first order, and nothing changed since */
    unsigned unit_slots;
    const struct form **forms;     /* found so far: plan_forms.c's own */
    struct operand_words *words;   /* [kernel->count]: of operations, what their operands hold */
    struct branch_counts branches; /* of one pass */
    struct registers registers;
    struct user_asm *texts;    /* [kernel->count]: users' own instructions */
    uint64_t *text_memory;     /* [kernel->count]: bytes from the data's start to what each text has of it */
    unsigned loads, stores;    /* in one pass */
    struct ring_set *ring_set; /* with rings: plan_rings.c's own */
    struct base *bases;        /* [base_count] */
    unsigned base_count;
    uint64_t bytes, align; /* of the data; what its address must be a multiple of */
    uint64_t state;        /* offset of 64 bytes that hold what outlives a call of the kernel */
    unsigned pages;        /* 4 KiB pages that a period touches */
    uint64_t huge_from;    /* from this byte on better in huge pages; bytes: none is */
    uint64_t
        sweep_from; /* set-up ends with writing the lines from this byte on, so that the last cache holds */
    uint64_t sweep_bytes;  /* nothing of what memory is to serve; 0: there is no such thing */
    bool indexed;          /* chases add the loaded zero to a base, as the base moves between passes */
    bool relative;         /* words are bytes from the data's address, and set-up adds this */
    struct data_run *runs; /* [run_count] */
    size_t run_count;
    bool changes;                  /* words change from access to access: */
    double toggle_rate, ones_rate; /* of them, in the order of access */
    unsigned warmup;               /* passes before anything is measured; a multiple of the period */
    struct code_plan *code;        /* with code{}, once it is emitted (code_plan.h); else NULL */
    struct rates targets;          /* what the recipe promises */
    struct rates expected;         /* what the cache model says, with the machine's policy */
    uint64_t simulated;            /* accesses that were run through the cache model to find it */
    const char *worst;             /* the target of the caches that the expected rates are farthest from */
    struct arena arena;            /* owns all of the above but the kernel and the machine */
};

struct plan_options {
    uint64_t seed;
    const char *label;                /* "benchmark/point": gives the point random numbers of its own */
    unsigned copies;                  /* of the program that run at once; 0: one */
    bool force_indexed;               /* chases as in a rotating program, to be compared with one */
    bool unchecked;                   /* nobody asks for the rates of its caches: they are not predicted */
    bool code_simply;                 /* meets the rate of code{} exactly and without copies, or not at all */
    const struct plan_tuning *tuning; /* its depth is taken as it is; NULL: the plan chooses */
};

/* Accesses that the cache model follows at most: MOST_SIMULATED of one loop, some seconds, and
 * SEARCH_SIMULATED before a search for another loop is given up. They are numbers of accesses and not
 * seconds, so that what is planned on one machine is planned on every other. */
#define PLAN_MOST_SIMULATED (UINT64_C(1) << 28)
#define PLAN_SEARCH_SIMULATED (UINT64_C(1) << 26)

/* Makes the plan. kernel and machine must outlive it. STATUS_RECIPE with the reason when a rate cannot be
 * reached. Free it with plan_free also after an error. */
enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error);

/* The template row of a slot; NULL when there is none. A back edge has none: the skeleton has it. */
const struct form *plan_form(const struct template *templates, const struct plan *plan,
                             const struct slot *slot);

/* True for a branch through a register: each one of such a behaviour but the back edge. */
bool plan_is_indirect(const struct plan *plan, const struct slot *slot);

/* Instructions of one pass that belong to units, as the rows have them; with an op, only those that mix.<op>
 * counts. The back edge counts as a taken branch. */
unsigned plan_instructions(const struct template *templates, const struct plan *plan, const char *op);

/* Puts the loop's slots in another random order, the attempt-th (0 is the one that plan_make chose); sizes,
 * places and counts stay. The options are those of plan_make. */
enum status plan_shuffle(struct plan *plan, const struct plan_options *options, unsigned attempt,
                         struct error *error);

/* Where the access goes in the pass (counted from the start of a period). */
const struct place *plan_place(const struct plan *plan, const struct slot *slot, unsigned pass);

/* The same in bytes from the start of the data. */
uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass);

/* True for a base that a walk goes by, whose rates nobody promises. */
bool plan_base_is_walk(const struct plan *plan, unsigned base);

/* Passes after which every working set that a cache is to hold has been there. */
unsigned plan_turns(const struct plan *plan);

/* True when loads wait for each other. */
bool plan_has_chase(const struct plan *plan);

void plan_free(struct plan *plan);

#endif
