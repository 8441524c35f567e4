/* The plan: the ISA-independent program for one point on one machine. It states what every slot of the loop
 * does, which line a load reads in which pass, and the resulting rates. plan_make.h describes how it is made;
 * emission turns it into text. */
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
    unsigned until;        /* it is used before this pass of a period, from the previous place's `until` on */
    unsigned short base;   /* 0: the data's address; else 1 + the index of the base in plan->memory.bases */
    unsigned short anchor; /* 0: displacements from its base reach it; else 1 + the index in
                              plan->memory.anchors of the register that does */
    uint32_t offset;       /* bytes from the base */
    uint32_t from; /* in a chase: bytes from the base to which the word read before leads (chase_windows.h) */
    unsigned line; /* index among its group's or pass's lines, for the program's comments */
    unsigned group; /* with eviction sets: the group that owns the line */
};

/* The position of a working set's lines in a pass. */
struct base {
    struct rotation at;
    enum memory_level level; /* that serves its accesses */
    uint64_t lines;          /* distinct lines in all positions */
    bool by_capacity;        /* they miss or stay by their number alone (capacity.h) */
    uint64_t bytes;          /* if by_capacity: from its start to the end of its last line */
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
    struct windows windows; /* the reach of displacements */
    bool pages_fit;         /* with a tlb{}: as few lines as a rate allows miss each cache */
    bool pages_near;        /* and few passes move to another huge page */
    bool beyond_reach;      /* some accesses lie beyond the reach of the available registers */
    bool computes;          /* such accesses compute their addresses */
    struct anchor *anchors; /* [anchor_count] */
    unsigned anchor_count;
    uint64_t bytes, align; /* of the data */
    uint64_t state;        /* offset of 64 bytes of state kept between calls of the kernel */
    unsigned pages;        /* 4 KiB pages that a period touches */
    uint64_t huge_from;    /* huge pages are wanted from this byte on; equal to bytes: nowhere */
    uint64_t sweep_from;   /* set-up ends by writing sweep_bytes from here on, so that the last cache */
    uint64_t sweep_bytes;  /* holds no line that memory must serve; 0: not needed */
    uint64_t sweep_step;   /* from one written word to the next */
    bool indexed;          /* chases add the loaded zero to a base, because the base moves between passes */
    bool linked;   /* each load of a chase reads a word of its own, which leads to the next (chase_words.h) */
    bool relative; /* a chase's words are offsets, to which set-up adds the data's address */
};

/* ---- the initial words of the data, and the operands of operations ---- */

/* Initial words of the data: value at offset, offset + step, ..., count times. Later entries overwrite
 * earlier ones. */
struct data_run {
    uint64_t offset, step, count;
    uint64_t value;
};

struct plan_data {
    struct data_run *runs; /* [run_count] */
    size_t run_count;
    bool changes;        /* words change from access to access */
    uint64_t *links;     /* [slots]: the word that each load of a linked chase reads; NULL: there is none */
    uint64_t first_link; /* the word that leads to the first of these loads in a pass */
    struct word_tally loads;        /* the words that loads read in a period */
    struct operand_words *operands; /* [kernel->count]: contents of each operation's operands */
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

/* Random branches that may share one random number, each testing another bit. */
enum { BRANCH_BITS = 4 };

/* One operation of the loop body. */
struct slot {
    unsigned unit; /* 0 and up */
    unsigned item; /* index into the kernel's behaviours */
    enum branch branch;
    bool dependent;         /* operations: consumes the last load's value */
    bool starts;            /* operations: begins a dependency chain */
    unsigned char tested;   /* branches: 0: a test of its own; predictable: 1: the flags of the branch before;
                               random: this bit of the last random number, up to BRANCH_BITS - 1 */
    unsigned gap;           /* indirect branches: bytes after it that never execute */
    unsigned operand;       /* operations: index of the operand's word */
    unsigned schedule;      /* accesses: 1 + index of the sizing's schedule that it follows; 0: none */
    uint32_t shared_offset; /* accesses to a shared region: bytes from the access's base there */
    unsigned place_count;   /* 0: no access; more than 1: the place changes from pass to pass */
    bool computed;          /* accesses with one place: its address is computed at the access (anchors.h) */
    struct place *places;
};

/* Users' own instructions; each [kernel->count]. */
struct plan_texts {
    struct user_asm *items;
    uint64_t *memory; /* bytes from the data's start to each text's memory */
    uint64_t base;    /* bytes from the data's start to the address in the register for {memory} */
    bool has_memory;
};

/* The run of the cache model that filled plan->rates.expected. */
struct plan_simulation {
    uint64_t accesses; /* that it simulated, in all attempts */
    const char *worst; /* the cache target with the largest distance from its expected rate */
    double pages_off; /* largest distance of the data TLB's miss rate, over any 100 passes, from its target */
    bool counted;     /* the numbers below are known */
    double loads[LEVEL_COUNT], all[LEVEL_COUNT]; /* accesses of a pass that each level serves */
};

struct code_plan;
struct known_form;

struct plan {
    const struct kernel *kernel;
    const struct kernel *requested; /* by the recipe; `kernel` differs if calibration changed the aims */
    const struct machine *machine;
    struct sizing sizing;
    struct slot *slots;
    size_t slot_count; /* units * unit_slots */
    unsigned unit_slots;
    unsigned loads, stores;        /* in one pass */
    unsigned written;              /* loads that also write what they read */
    unsigned popped;               /* of these, copies to the stack, which are loaded from there again */
    unsigned warmup;               /* passes before anything is measured; a multiple of the period */
    bool unchecked;                /* as in plan_options */
    bool as_shuffled;              /* the slots are still in plan_make's order */
    struct branch_counts branches; /* of one pass */
    struct registers registers;
    struct plan_texts texts;
    struct plan_memory memory;
    struct plan_shared shared;
    struct plan_data data;
    double code_room; /* number of units whose lines of code that hit fill L1I; INFINITY: no registers for
                         code{}; 0: unknown */
    struct code_plan *code;   /* with code{}, after emission (code_plan.h); else NULL */
    const char *entry;        /* the row of code{}'s jump to its copies; NULL: no copies */
    bool *cuts;               /* [slot_count]: with code{}, a new piece begins at the slot; NULL: nowhere */
    struct known_form *forms; /* the templates' rows found so far (plan_forms.h) */
    struct plan_rates rates;
    struct plan_simulation simulation;
    struct arena arena; /* owns all of the above except kernels and machine */
};

/* How the rate of code{} is met. */
enum code_effort {
    CODE_USUALLY,
    CODE_SIMPLY,    /* exactly and without copies, or the plan is refused */
    CODE_THOROUGHLY /* more shares of lines and more places are tried */
};

struct plan_options {
    uint64_t seed;
    const char *label;  /* "benchmark/point": selects the point's own random numbers */
    const char *prefix; /* of the names that its object exports (symbol_names.h); NULL: the usual one */
    unsigned copies;    /* copies of the program that run simultaneously; 0: one */
    unsigned sharers;   /* copies that may share regions; 0: one */
    bool force_indexed; /* chases use the instructions of a rotating program, for comparison with one */
    bool unchecked;     /* cache rates are not needed and not predicted */
    bool compact;       /* the lines of a pass lie in few pages, so that few base registers reach them */
    bool computes;      /* accesses beyond the reach of base registers compute their addresses */
    enum code_effort code_effort;
    const struct plan_tuning *tuning; /* NULL: none; its depth is used unchanged */
};

/* Accesses of a pass. */
static inline unsigned plan_accesses(const struct plan *plan)
{
    return plan->loads + plan->stores + plan->written + plan->popped;
}

/* True if the access's address is computed in a register: its place changes, or lies beyond reach. */
static inline bool slot_is_placed(const struct slot *slot)
{
    return slot->place_count > 1 || slot->computed;
}

/* The access's place in the pass (counted from the start of a period). */
const struct place *plan_place(const struct plan *plan, const struct slot *slot, unsigned pass);

/* The access's offset in the pass, in bytes from the start of the data. */
uint64_t plan_offset(const struct plan *plan, const struct slot *slot, unsigned pass);

/* True if the base belongs to a walk, whose rates are not promised. */
bool plan_base_is_walk(const struct plan *plan, unsigned base);

/* Passes after which every working set that a cache must hold has been loaded. */
unsigned plan_turns(const struct plan *plan);

/* True if a piece of code{} begins at the slot with no code{} before it. */
static inline bool plan_cuts(const struct plan *plan, size_t slot)
{
    return plan->cuts != NULL && plan->cuts[slot];
}

void plan_free(struct plan *plan);

#endif
