/* The kernel function's result for one point: one unit of the loop, a list of behaviours, checked and typed.
 * Its JSON form passes from the recipe host to the generator and is kept in the manifest, so that a suite can
 * be checked without its recipe. */
#ifndef GENERATOR_KERNEL_KERNEL_H
#define GENERATOR_KERNEL_KERNEL_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "isa/template.h"

#include <assert.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum order { ORDER_SHUFFLED, ORDER_EVEN, ORDER_BURST };
enum address { ADDRESS_INDEPENDENT, ADDRESS_CHASE, ADDRESS_LED };
enum prefetch { PREFETCH_DEFEAT, PREFETCH_INVITE };

/* Which threads of a GPU's grid an atomic's word belongs to: all, or those of a block, or of a warp, or one.
 */
enum atomic_words { WORDS_ONE, WORDS_BLOCK, WORDS_WARP, WORDS_THREAD };

/* How far the order of a GPU's atomics reaches: a block, its cluster, the device, the system. */
enum atomic_scope { SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS };

/* The levels that serve a GPU's accesses. DSMEM is the shared memory of another block of the cluster. */
enum gpu_level { GPU_SHARED, GPU_DSMEM, GPU_L1, GPU_L2, GPU_L3, GPU_MEM, GPU_LEVELS };
static_assert((int)GPU_LEVELS >= (int)LEVEL_COUNT, "the shares of served are by either");

/* An op that has no kind of its own is an operation: a row group of templates/<isa>/ops ("add", "nop"). */
enum behaviour_kind {
    BEHAVIOUR_OPERATION,
    BEHAVIOUR_LOAD,
    BEHAVIOUR_STORE,
    BEHAVIOUR_BRANCH,
    BEHAVIOUR_ASM,     /* the user's own text */
    BEHAVIOUR_CODE,    /* jumps to another code line */
    BEHAVIOUR_SHARED,  /* an access to a region that all copies map: a load, a store or an atomic */
    BEHAVIOUR_TLB,     /* sets page_misses of all loads and stores; no instruction, and its count is 0 */
    BEHAVIOUR_THROTTLE /* idle instructions; on processors, throttle_fill sets their count */
};

/* How another core leaves the lines of a shared region before each pass. */
enum coherence { COHERENCE_NONE, COHERENCE_MODIFIED, COHERENCE_EXCLUSIVE, COHERENCE_SHARED };

/* Regions that copies share, and the span that each has in the file that they map. */
enum { MOST_REGIONS = 8 };
#define REGION_SPAN (UINT64_C(1) << 31)

/* An access to a shared region: the pass's i-th is at offset + i * stride, and the k-th copy's k * apart
 * after it. */
struct shared_access {
    unsigned region; /* index of its name in the kernel */
    const char
        *how; /* the row's variant: "shared", "shared_chase", or an atomic's "add", "cas", "swap", "turn" */
    uint64_t offset, stride, apart;
    uint64_t working_set; /* it moves on from pass to pass, through so many bytes; 0: it does not */
    uint64_t window; /* of the working set, put into the state at a time; the whole if there is no less */
    bool shuffled;   /* in random order within a pass */
    bool copies;     /* a store of what the load before it read */
    enum coherence coherence;
};

/* One entry of the unit. What the union holds depends on the kind. */
struct behaviour {
    enum behaviour_kind kind;
    const char *op;
    unsigned count; /* its instructions per unit */
    unsigned phase; /* the phase whose unit it belongs to: 0 and up, ascending */

    /* loads, stores and operations */
    unsigned width; /* bytes read or written, or of an operation's operand; a vector holds the words below in
                       each 8 bytes */
    unsigned bus;   /* bytes of a word of the data, on the bus that carries it; 0: not given */
    bool has_data;
    bool changes;          /* the data changes from access to access: */
    uint64_t word;         /* if it does not: the value of every word that it reads, 32-bit values twice */
    double toggle;         /* if it does: by this share of the bits, or, */
    bool program_order;    /*   in program order alone; else also as hardware deals accesses out, */
    unsigned zeros;        /*   beside groups of so many bits that stay zero; 0: without, */
    const uint64_t *words; /* with word_count, cycling through these */
    size_t word_count;

    union {
        struct {                       /* loads and stores; of a tlb{} the first alone */
            double page_misses;        /* share served by L1 in pages that miss the data TLB, from a tlb{} */
            double served[GPU_LEVELS]; /* shares by memory_level, on GPUs by gpu_level; they sum to 1, or to
                                          0 with a working_set */
            enum order order;
            enum address address;
            bool leads; /* loads: of what it reads a zero is made, which those at ADDRESS_LED behind it add */
            unsigned logic;  /* of those that lead: bytes of the conjunction that makes the zero; 0: the
                                templates' */
            bool updates;    /* loads that hit L1: each also writes back what it read, in one instruction */
            bool copies;     /* likewise: each also stores it on the stack, from where another loads it */
            unsigned behind; /* at ADDRESS_LED: places behind it (unit_order.h); 0: as listed */
            enum prefetch prefetch;
            bool non_temporal;    /* stores: bypass the caches */
            bool stores_loaded;   /* stores: write the value of the last load before them */
            bool from_vector;     /* stores of 4 or 8 bytes with data: its words are in vector registers */
            bool steers;          /* has a stride, a working set or a prefetch setting */
            bool random;          /* stride = "random" */
            uint64_t stride;      /* bytes from one access to the next; 0: in random order, or on GPUs the
                                     block's row */
            uint64_t working_set; /* bytes that it walks through, with predicted rates; 0: rates are given */
            bool bound;           /* has a node: */
            unsigned node;        /* the NUMA node of the kernel's data */
            uint64_t lane;        /* GPUs: bytes from a thread's access to its neighbour's; 0: its width */
            const char *cache;    /* GPUs: the operator; NULL: the level's default */
            bool async;           /* GPUs: loads that copy to shared memory (gpu_async.h) */
            bool bulk;            /* of these: one thread copies for its block, past L1 */
            unsigned stages;      /* of these: units whose copies are under way; 0: as fits */
            const char *atomic;   /* GPUs: "add", "cas", "swap", "max", of a store that is one; else NULL: */
            enum atomic_words spread; /* its words, `lane` bytes from one to the next, */
            enum atomic_scope scope;  /* in whose order it stands, */
            bool returns;             /* and whether what the word held before comes back */
        };
        struct shared_access shared;
        struct {                    /* operations */
            const struct form *row; /* the plain row on the machine, once operations_resolve has found it */
            unsigned dependents;    /* how many of count consume the last load's value */
            unsigned chain;         /* length of each dependency chain; 0: as parallel as registers allow */
        };
        struct {                 /* branches */
            double accuracy;     /* share that a good predictor predicts correctly: 0.5 to 1 */
            double taken;        /* share taken; below 0: not given, so half of the predictable ones */
            bool indirect;       /* to one of two places; always taken */
            bool through_memory; /* of these: loads its target from a word of the data; else a register has it
                                  */
            bool narrow_test;    /* tests of predictable ones compare 4 bytes */
            bool shares_test;    /* predictable ones behind another of them go by its flags */
            double divergence;   /* GPUs: share that diverges within a warp */
        };
        struct { /* the user's own text */
            const char *text;
            unsigned registers;                /* how many registers it gets */
            const char *const *register_names; /* [registers]: which ones; NULL: any */
            bool consumes;                     /* it names {loaded}, a copy of what the last load brought */
            uint64_t memory;                   /* bytes of its own data; 0: it has no memory operands */
            const char *file;                  /* the recipe file that calls asm{}; NULL: unknown */
            int line;
        };
        struct { /* code: of all code lines that the loop enters; the same for all in a unit: */
            double l1i_miss_rate; /*   their misses' share, or, */
            bool l1i_counted;     /*   so many of them per unit: */
            double l1i_misses;
        };
        struct {           /* throttles */
            double duty;   /* share of peak rate left to the unit's other behaviours: above 0, at most 1 */
            bool of_ports; /* as if L1 served all accesses; such a duty promises nothing */
            bool beside_one_port; /* in its unit are integer operations that keep one port busy */
        };
    };
};

/* What a recipe's place names of a GPU, by number. */
enum place_field { PLACE_XCC, PLACE_SE, PLACE_SH, PLACE_CU, PLACE_SM, PLACE_L2_CHANNELS, PLACE_FIELDS };

struct place_list {
    const long long *numbers;
    size_t count; /* 0: all */
};

struct gpu_place {
    const char *first; /* the first thing that it names; NULL: anywhere */
    const char *side;  /* of L2; NULL: either */
    struct place_list of[PLACE_FIELDS];
};

/* "xcc", ..., "l2_channels". */
extern const char *const place_fields[PLACE_FIELDS];

struct kernel {
    struct behaviour *items;
    size_t count;
    unsigned phase_count; /* at least 1: a pass runs all units of the first phase, then all of the next */
    unsigned loop_units;  /* the recipe's loop = { units = }; 0: free */
    unsigned loop_instructions; /* the recipe's loop = { instructions = }; 0: free */
    bool loop_fill;             /* loop = { fill = "L1I" }: as long as fits in L1I */
    bool pages_together; /* a tlb{}: accesses that miss are of as few behaviours as can be, not a share of
                            each */
    unsigned blocks, threads, cluster; /* GPUs: the recipe's grid; 0: free */
    const char *regions[MOST_REGIONS]; /* [region_count]: names of what copies share, in order */
    unsigned region_count;
    struct gpu_place place; /* GPUs; texts are the point's */
};

/* True for loads and stores. */
static inline bool behaviour_accesses(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD || item->kind == BEHAVIOUR_STORE;
}

/* The NUMA node that the kernel's data is to be on, in *node; false if it names none. */
bool kernel_node(const struct kernel *kernel, unsigned *node);

/* True for accesses that walk through a working set, whose rates are predicted. */
static inline bool behaviour_walks(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->working_set > 0;
}

/* True for branches that load the place to which they lead, from a word that always hits L1. */
static inline bool behaviour_loads_target(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_BRANCH && item->through_memory;
}

/* True for what loads from the data. */
static inline bool behaviour_loads(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD || behaviour_loads_target(item);
}

/* True for loads of which each stores what it read on the stack. */
static inline bool behaviour_copies(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->copies;
}

/* True for loads of which each also stores what it read. */
static inline bool behaviour_writes_back(const struct behaviour *item)
{
    return behaviour_copies(item) || (item->kind == BEHAVIOUR_LOAD && item->updates);
}

/* Accesses to memory by each of the item's instructions, of copies with what loads from the stack. */
static inline unsigned behaviour_touches(const struct behaviour *item)
{
    if (!behaviour_accesses(item))
        return behaviour_loads_target(item);
    return behaviour_copies(item) ? 3 : behaviour_writes_back(item) ? 2 : 1;
}

/* True for loads of which each gives the next one's address. */
static inline bool behaviour_chases(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->address == ADDRESS_CHASE;
}

/* True for loads that wait for the last one that leads. */
static inline bool behaviour_is_led(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->address == ADDRESS_LED;
}

/* True for loads whose register later loads find their addresses by: of a chase, and those that lead. */
static inline bool behaviour_points(const struct behaviour *item)
{
    return behaviour_chases(item) || (item->kind == BEHAVIOUR_LOAD && item->leads);
}

/* True for accesses whose lines a plan may have to lay out or to move: not all hit one line. */
bool behaviour_moves(const struct behaviour *item);

/* True for an access to a shared region by an atomic of that name. */
bool behaviour_is_atomic(const struct behaviour *item, const char *how);

/* True if some behaviour waits for other copies: a turn, or a load with coherence. */
bool kernel_waits(const struct kernel *kernel);

/* The first load of a shared region in a given state, or NULL. */
const struct behaviour *kernel_coherent(const struct kernel *kernel);

/* "modified" */
const char *coherence_name(enum coherence coherence);

/* True if an access may be so far from its region's register; where atomics take no displacement, one is
 * added first. */
bool shared_reaches(const struct behaviour *item, const struct isa *isa, uint64_t last);

/* Chooses the units of a loop whose length is free, so that a pass's strided accesses to shared regions are
 * within reach and divide their working sets. */
void kernel_size_shared(struct kernel *kernel, const struct isa *isa);

/* True for branches through a register or memory. */
static inline bool behaviour_is_indirect(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_BRANCH && item->indirect;
}

/* True for branches through a register. */
static inline bool behaviour_has_goal(const struct behaviour *item)
{
    return behaviour_is_indirect(item) && !item->through_memory;
}

/* True for an operation whose row has one of the traits. */
static inline bool behaviour_can(const struct behaviour *item, unsigned traits)
{
    return item->kind == BEHAVIOUR_OPERATION && form_has(item->row, traits);
}

/* Bytes of data that a user's text has; 0 for what is no text. */
static inline uint64_t behaviour_memory(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_ASM ? item->memory : 0;
}

/* Sets the error's place to the recipe's asm{}, where it is known. Returns STATUS_RECIPE. */
enum status behaviour_at_recipe(const struct behaviour *text, struct error *error);

/* Bytes of one number in the behaviour's data; in a vector, of one element. */
unsigned behaviour_lane(const struct behaviour *item);

/* True if the data changes by a stated share of its bits; lists of words change as they do. */
static inline bool behaviour_toggles(const struct behaviour *item)
{
    return item->has_data && item->changes && item->word_count == 0;
}

/* Bits that may be one in the 64 of its data's words, of which narrower ones have the lower. */
uint64_t behaviour_own_bits(const struct behaviour *item);

/* Bytes that the access moves on the bus that carries its data: its width, or the recipe's bus. */
unsigned behaviour_bus(const struct behaviour *item);

/* Share of the accesses that miss L1D; 0 for what is no access. */
double behaviour_miss_rate(const struct behaviour *item);

/* Checks {"unit": [...], "loop": {...}}, a kernel for that ISA, and fills *kernel from the arena.
 * STATUS_RECIPE with the field, what was found and what was expected. */
enum status kernel_from_json(const json_t *document, const struct isa *isa, struct arena *arena,
                             struct kernel *kernel, struct error *error);

/* Reads a point's kernel, and on GPUs its grid and place; otherwise the same. */
enum status kernel_from_point(const json_t *point, const struct isa *isa, struct arena *arena,
                              struct kernel *kernel, struct error *error);

const char *gpu_level_name(int level);

/* "gpu" */
const char *atomic_scope_name(enum atomic_scope scope);

/* True for the levels whose regions blocks hold in their shared memory. */
static inline bool gpu_level_in_shared(enum gpu_level level)
{
    return level == GPU_SHARED || level == GPU_DSMEM;
}

/* True if some behaviour is of the kind. */
bool kernel_has(const struct kernel *kernel, enum behaviour_kind kind);

/* True if both have data of the same pattern and width, and so read one stream of words. */
bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b);

/* The first load that has data, or NULL. */
const struct behaviour *kernel_data(const struct kernel *kernel);

/* Bytes that each load with data has to itself: a word of 8, or the widest bus of these loads. */
unsigned kernel_data_block(const struct kernel *kernel);

/* The first code{}, or NULL. */
const struct behaviour *kernel_code(const struct kernel *kernel);

/* True with a code{} of which lines miss L1I. */
bool kernel_code_misses(const struct kernel *kernel);

/* Gives that share of all loads and stores together to L1 in pages that miss the data TLB: the same share of
 * each, or all that L1 serves of one and more of the others; with pages_together all of those of which L1
 * serves most. False if L1 serves less. */
bool kernel_share_pages(struct kernel *kernel, double share);

/* A processor's kernel as such a document. New reference. */
json_t *kernel_to_json(const struct kernel *kernel);

#endif
