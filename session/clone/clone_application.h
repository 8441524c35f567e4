/* Makes a recipe whose program behaves as an application does (DESIGN.md section 16). The application runs in
 * qemu-user and is counted for all the machines at once; units of a loop are fitted to the counts, each tried
 * by planning it, and the programs are counted by the same means, which is what the comparison shows. */
#ifndef SESSION_CLONE_CLONE_APPLICATION_H
#define SESSION_CLONE_CLONE_APPLICATION_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "runner/sources/qemu/qemu_application.h"
#include "session/events.h"

#include <stdbool.h>
#include <stddef.h>

enum { CLONE_PHASES = 4, CLONE_WORDS = 8 };

struct clone_request {
    char *const *command; /* and its arguments, NULL-terminated */
    const char *machines; /* names or files, separated by commas; NULL: the present machine */
    const char *path;     /* of the recipe */
    size_t phases;        /* at most so many, up to CLONE_PHASES; 0: these; 1: the whole alone */
    const char *root;     /* "" for the machine itself */
    const struct session_events *events;
};

/* Where one machine's caches serve the unit's accesses: of `of` each, how many by each level. */
struct clone_service {
    unsigned served[APP_KINDS][LEVEL_COUNT], of[APP_KINDS]; /* of: 0: none */
    unsigned tlb_misses, tlb_of; /* of so many accesses, those that miss the data TLB, if it is stated */
    bool tlb_stated;
    double tlb_found;              /* that the plan expects, of all accesses; NAN: not known */
    unsigned pieces;               /* of code{} */
    unsigned code_misses, code_of; /* lines of code of so many units that miss L1I */
};

/* Words in turn with the share of ones and of flips from one to the next. */
struct clone_words {
    uint64_t words[CLONE_WORDS];
    unsigned count; /* 0: none are stated */
};

/* Which loads wait for a load, and which lead: others wait for them. */
enum clone_role { ROLE_LEADS, ROLE_LED_LEADS, ROLE_LED, ROLE_FREE, CLONE_ROLES };

struct clone_loads {
    unsigned wide, small; /* small: of 4 bytes */
};

/* The unit of a kernel: how many of each. */
struct clone_unit {
    unsigned size; /* instructions, before what cannot be had without others */
    unsigned loads, small_loads, stores, small_stores; /* small: of 4 bytes */
    struct clone_loads updates; /* of the loads, and beside the stores: instructions that do both */
    unsigned copies;            /* beside them: as many instructions that do both, and as many loads */
    unsigned far; /* loads that have the misses of all; the others are served by L1, and read words */
    bool far_led; /* those wait for the last load that leads; others do as near[] says */
    struct clone_loads near[CLONE_ROLES]; /* of the others */
    bool zeros_lead;               /* those that lead read zeros, which takes no logic operation, but for */
    struct clone_loads with_logic; /* these of near[ROLE_LEADS] */
    bool wide_logic;               /* that has 8 bytes, where it could have 4 */
    unsigned behind;               /* that load, in places: where those stand that do not lead */
    unsigned branches, jumps;      /* jumps: indirect ones */
    unsigned loaded_jumps;         /* of these: they load their targets, and are loads, too */
    bool narrow_tests;             /* of branches */
    bool coded;                    /* has code{} */
    unsigned random, random_jumps; /* of them: half of these are mispredicted */
    unsigned taken;                /* branches, in halves */
    unsigned operations[CLASS_MOST], fill; /* fill: nop{}, for what no operation stands for */
    struct clone_words near_words, far_words, stored_words;
    bool from_vectors, stored_apart; /* the words that are stored; apart: one for each width */
    struct clone_service services[APP_MACHINES];
};

/* Instructions of the application that load and store, per instruction: from and to one place, or from one
 * and to another. */
double clone_updates(const struct application_counts *counts);
double clone_copies(const struct application_counts *counts);

/* What a unit aims at beside the application's rates: as in struct application_waits, logic operations that
 * loads may bring, per instruction, and ones and flips per bit that is loaded or stored. */
enum {
    CORRECT_WAITING,
    CORRECT_CHAINED,
    CORRECT_DISTANCE,
    CORRECT_LOGIC,
    CORRECT_ONES,
    CORRECT_FLIPS,
    CORRECT_STORED_ONES,
    CORRECT_STORED_FLIPS,
    CORRECTED
};

struct clone_correction {
    double by[CORRECTED];
    bool
        flips_more; /* four words are stored in turn, or one for each width, as two in turn flip too little */
};

/* Intervals of one behaviour. */
struct clone_phase {
    double share; /* of the application's instructions */
    struct application_counts counts;
    struct clone_unit unit;
    struct clone_correction correction;
    unsigned halvings;    /* of the unit's size */
    unsigned loaded_more; /* jumps that load their targets, as pieces of code jump */
    bool coded;           /* its unit states misses of L1I */
    struct application_counts clones[APP_MACHINES]; /* of a hundred passes of that machine's program */
};

struct clone_outcome {
    int exit_code; /* the command's */
    char name[64]; /* of the benchmark */
    const struct isa *isa;
    struct instruction_classes classes;
    bool narrow_logic;           /* what makes a zero of what a load that leads has read can have 4 bytes */
    bool narrow_tests;           /* the ISA's branches have tests of 4 bytes, too */
    bool loaded_jumps;           /* the ISA has jumps that load their targets */
    bool copies;                 /* the ISA has instructions that load from one place and store to another */
    bool updates;                /* the ISA has instructions that load and store */
    bool vector_stores;          /* the ISA stores words of 4 and 8 bytes from vector registers */
    size_t stand_in[CLASS_MOST]; /* the class that stands for each, where a machine lacks its operation */
    struct machine machines[APP_MACHINES];
    size_t machine_count;
    struct application_profile profile;
    struct clone_phase phases[1 + CLONE_PHASES]; /* the first is the whole */
    size_t phase_count;                          /* with the first; 1: all of it behaves alike */
    bool wrote;
};

/* Runs the command and writes the recipe. STATUS_UNAVAILABLE when it cannot run or be counted here,
 * STATUS_USAGE for machines that do not fit it. Free *outcome with clone_outcome_free in every case. */
enum status clone_application(const struct clone_request *request, struct clone_outcome *outcome,
                              struct error *error);

/* Appends the recipe of these phases; command: in words. */
void clone_recipe_write(const struct clone_outcome *outcome, size_t first, size_t count, const char *command,
                        struct buffer *text);

/* A rate of the phase on a machine, of the application or of its clone. */
struct clone_rate {
    const char *name;          /* "loads per instruction" */
    double application, clone; /* NAN: there is nothing to divide by */
};

/* The index-th; false after the last. In the arena. */
bool clone_rate(const struct clone_outcome *outcome, size_t phase, size_t machine, size_t index,
                struct arena *arena, struct clone_rate *rate);

void clone_outcome_free(struct clone_outcome *outcome);

#endif
