/* Makes a recipe whose program behaves as an application does (DESIGN.md section 16). The application runs
 * once in qemu-user, which counts it for all machines. Units of a loop are fitted to the counts and tried by
 * planning them; their programs are counted in the same way and compared with the application. */
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
    char *const *command; /* the program and its arguments, NULL-terminated */
    const char *machines; /* names or files, separated by commas; NULL: the present machine */
    const char *path;     /* of the recipe */
    size_t phases;        /* most phases, up to CLONE_PHASES; 0: CLONE_PHASES; 1: only the whole */
    const char *root;     /* root folder of /sys and /proc; "": the machine's own */
    const struct session_events *events;
};

/* Where one machine's caches serve the unit's accesses: served[kind][level] of of[kind] accesses. */
struct clone_service {
    unsigned served[APP_KINDS][LEVEL_COUNT], of[APP_KINDS]; /* of 0: no accesses */
    unsigned tlb_misses, tlb_of;   /* tlb_misses of tlb_of accesses miss the data TLB, if tlb_stated */
    bool tlb_stated;               /* the recipe states the misses of the data TLB */
    double tlb_found;              /* misses of the data TLB per access in the plan; NAN: unknown */
    unsigned pieces;               /* pieces of code{} */
    unsigned code_misses, code_of; /* in code_of units, code_misses lines of code miss L1I */
};

/* Words that are read or written in turn, with the application's share of ones and of bits that flip. */
struct clone_words {
    uint64_t words[CLONE_WORDS];
    unsigned count; /* 0: the recipe states none */
};

/* Roles of loads. A load that leads has others that wait for it; a led load waits for a load that leads. */
enum clone_role { ROLE_LEADS, ROLE_LED_LEADS, ROLE_LED, ROLE_FREE, CLONE_ROLES };

struct clone_loads {
    unsigned wide, small; /* small: of 4 bytes */
};

/* The unit of a kernel: the number of each kind of instruction. */
struct clone_unit {
    unsigned size; /* instructions, without those that the generator adds */
    unsigned loads, small_loads, stores, small_stores; /* small: of 4 bytes */
    struct clone_loads updates; /* instructions that load and store one place; in loads, not in stores */
    unsigned copies; /* instructions that copy from place to place; each is in loads twice, not in stores */
    unsigned far;    /* loads that have the misses of all loads; the others (near) hit L1 */
    bool far_led;    /* far loads wait for the last load that leads */
    struct clone_loads near[CLONE_ROLES]; /* near loads by role */
    bool zeros_lead;               /* loads that lead read zeros, so that they need no logic operation */
    struct clone_loads with_logic; /* loads of near[ROLE_LEADS] that need one nevertheless */
    bool wide_logic;               /* that operation has 8 bytes, although it could have 4 */
    unsigned behind;               /* places from a load that leads to those that wait for it */
    unsigned branches, jumps;      /* jumps: indirect ones */
    unsigned loaded_jumps;         /* jumps that load their targets, and also count as loads */
    bool narrow_tests;             /* branches test 4 bytes */
    bool coded;                    /* the unit has code{} */
    unsigned random, random_jumps; /* branches and jumps of which half are mispredicted */
    unsigned taken;                /* twice the number of taken branches */
    unsigned operations[CLASS_MOST], fill; /* fill: nop{}, for instructions without an operation */
    struct clone_words near_words, far_words, stored_words;
    bool from_vectors; /* stored words come from vector registers */
    bool stored_apart; /* each width of stores has a word of its own */
    struct clone_service services[APP_MACHINES];
};

/* The application's instructions that load and store, per instruction: updates of one place, and copies from
 * one place to another. */
double clone_updates(const struct application_counts *counts);
double clone_copies(const struct application_counts *counts);

/* The rates that a unit is corrected by: those of struct application_waits, logic operations that loads may
 * add per instruction, and ones and flips per loaded or stored bit. */
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
    bool flips_more; /* four words are stored in turn, or one for each width, as two flip too few bits */
};

/* Intervals of one behaviour. */
struct clone_phase {
    double share; /* share of the application's instructions */
    struct application_counts counts;
    struct clone_unit unit;
    struct clone_correction correction;
    unsigned halvings;    /* how often the unit's size was halved */
    unsigned loaded_more; /* jumps that load their targets, as pieces of code jump */
    bool coded;           /* the unit states misses of L1I */
    struct application_counts clones[APP_MACHINES]; /* counts of a hundred passes of that machine's program */
};

struct clone_outcome {
    int exit_code; /* the command's */
    char name[64]; /* of the benchmark */
    const struct isa *isa;
    struct instruction_classes classes;
    bool narrow_logic;           /* the operation that makes a zero of a loaded word can have 4 bytes */
    bool narrow_tests;           /* the ISA's branches have tests of 4 bytes */
    bool loaded_jumps;           /* the ISA has jumps that load their targets */
    bool copies;                 /* the ISA has instructions that load from one place and store to another */
    bool updates;                /* the ISA has instructions that load and store */
    bool vector_stores;          /* the ISA stores words of 4 and 8 bytes from vector registers */
    size_t stand_in[CLASS_MOST]; /* the class that replaces each, where a machine lacks its operation */
    struct machine machines[APP_MACHINES];
    size_t machine_count;
    struct application_profile profile;
    struct clone_phase phases[1 + CLONE_PHASES]; /* the first is the whole */
    size_t phase_count;                          /* including the first; 1: there is only one behaviour */
    bool wrote;
};

/* Runs the command and writes the recipe. STATUS_UNAVAILABLE when it cannot run or be counted here,
 * STATUS_USAGE for machines with another ISA than the command. Free *outcome with clone_outcome_free in every
 * case. */
enum status clone_application(const struct clone_request *request, struct clone_outcome *outcome,
                              struct error *error);

/* Appends the recipe of these phases. command: the command's text, for a comment. */
void clone_recipe_write(const struct clone_outcome *outcome, size_t first, size_t count, const char *command,
                        struct buffer *text);

/* A rate of the phase on a machine, of the application or of its clone. */
struct clone_rate {
    const char *name;          /* "loads per instruction" */
    double application, clone; /* NAN: undefined */
};

/* The index-th rate; false after the last. Its text is in the arena. */
bool clone_rate(const struct clone_outcome *outcome, size_t phase, size_t machine, size_t index,
                struct arena *arena, struct clone_rate *rate);

void clone_outcome_free(struct clone_outcome *outcome);

#endif
