/* A kernel: the result of the recipe's kernel function for one point, which is one unit of the loop as a list
 * of behaviours, checked and typed. Its JSON form passes from the recipe host to the generator, and the
 * manifest keeps it, so that a suite can be checked without its recipe. */
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

/* The threads of a GPU's grid that share an atomic's word: all, a block's, a warp's, or one. */
enum atomic_words { WORDS_ONE, WORDS_BLOCK, WORDS_WARP, WORDS_THREAD };

/* The scope in which a GPU's atomics are ordered: a block, its cluster, the device, the system. */
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
    uint64_t working_set; /* bytes through which it moves from pass to pass; 0: it does not move */
    uint64_t window;      /* bytes of the working set that are put into the state at a time */
    bool shuffled;        /* in a random order within a pass */
    bool copies;          /* a store of the value that the load before it read */
    enum coherence coherence;
};

/* One entry of the unit. What the union holds depends on the kind. */
struct behaviour {
    enum behaviour_kind kind;
    const char *op;
    unsigned count; /* its instructions per unit */
    unsigned phase; /* the phase whose unit it belongs to: 0 and up, ascending */

    /* loads, stores and operations */
    unsigned width; /* bytes read or written, or bytes of an operation's operand; every 8 bytes of a vector
                       hold the words below */
    unsigned bus;   /* bytes of a word of the data on the bus; 0: not stated */
    bool has_data;
    bool changes;          /* the data changes from access to access */
    uint64_t word;         /* if it does not: the value of every word, 32-bit values twice */
    double toggle;         /* if it does: the share of bits that change, unless it has words */
    bool program_order;    /* the share holds in program order alone */
    unsigned zeros;        /* every second group of so many bits stays zero; 0: none does */
    const uint64_t *words; /* [word_count]: the words that it cycles through */
    size_t word_count;

    union {
        struct {                /* loads and stores; of a tlb{} the first alone */
            double page_misses; /* share that L1 serves in pages that miss the data TLB, from a tlb{} */
            double served[GPU_LEVELS]; /* shares by memory_level, on GPUs by gpu_level; they sum to 1, or to
                                          0 with a working_set */
            enum order order;
            enum address address;
            bool leads;     /* loads: the loaded word is turned into a zero, which the loads with ADDRESS_LED
                               behind it add to their addresses */
            unsigned logic; /* leading loads: bytes of the conjunction that makes the zero; 0: as in the
                               templates */
            bool updates;   /* loads that hit L1: each instruction also writes back the word */
            bool copies;    /* likewise: each also stores it on the stack, from which another load reads it */
            unsigned behind; /* ADDRESS_LED: places behind the leading load (unit_order.h); 0: as listed */
            enum prefetch prefetch;
            bool non_temporal;    /* stores: bypass the caches */
            bool stores_loaded;   /* stores: write the value of the last load before them */
            bool from_vector;     /* stores of 4 or 8 bytes with data: its words are in vector registers */
            bool steers;          /* has a stride, a working set or a prefetch setting */
            bool random;          /* stride = "random" */
            uint64_t stride;      /* bytes from one access to the next; 0: in random order, or on GPUs the
                                     block's row */
            uint64_t working_set; /* bytes that it walks through, with predicted rates; 0: rates are stated */
            bool bound;           /* it states a node */
            unsigned node;        /* the NUMA node of the kernel's data */
            uint64_t lane;        /* GPUs: bytes from a thread's access to its neighbour's; 0: its width */
            const char *cache;    /* GPUs: the operator; NULL: the level's default */
            bool async;           /* GPUs: loads that copy to shared memory (gpu_async.h) */
            bool bulk;            /* asynchronous: one thread copies for its block, past L1 */
            unsigned stages;      /* asynchronous: units whose copies are under way; 0: as many as fit */
            const char *atomic;   /* GPUs: stores: an atomic's "add", "cas", "swap", "max"; else NULL */
            enum atomic_words spread; /* the threads that share its words, which are `lane` bytes apart */
            enum atomic_scope scope;  /* the scope in which it is ordered */
            bool returns;             /* it returns the word's old value */
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
            bool indirect;       /* to one of two targets; always taken */
            bool through_memory; /* indirect: loads its target from a word of the data, not from a register */
            bool narrow_test;    /* tests of predictable ones compare 4 bytes */
            bool shares_test;    /* predictable branches use the flags of the branch before them */
            double divergence;   /* GPUs: share that diverges within a warp */
        };
        struct { /* the user's own text */
            const char *text;
            unsigned registers;                /* how many registers it gets */
            const char *const *register_names; /* [registers]: which ones; NULL: any */
            bool consumes;                     /* it names {loaded}, a copy of the last load's value */
            uint64_t memory;                   /* bytes of its own data; 0: it has no memory operands */
            const char *file;                  /* the recipe file that calls asm{}; NULL: unknown */
            int line;
        };
        struct { /* code: for all code lines that the loop enters; the same for every code{} of a unit */
            double l1i_miss_rate; /* the share of lines that miss */
            bool l1i_counted;     /* instead of it, l1i_misses is stated */
            double l1i_misses;    /* lines that miss per unit */
        };
        struct {           /* throttles */
            double duty;   /* share of peak rate left to the unit's other behaviours: above 0, at most 1 */
            bool of_ports; /* peak = "ports": as if L1 served all accesses; such a duty promises nothing */
            bool beside_one_port; /* integer operations of its unit keep one port busy */
        };
    };
};

/* The units of a GPU that a recipe's place can name, by number. */
enum place_field { PLACE_XCC, PLACE_SE, PLACE_SH, PLACE_CU, PLACE_SM, PLACE_L2_CHANNELS, PLACE_FIELDS };

struct place_list {
    const long long *numbers;
    size_t count; /* 0: all */
};

struct gpu_place {
    const char *first; /* the first field that it names; NULL: none, blocks run anywhere */
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
    bool pages_together; /* a tlb{}: as few behaviours as possible have the accesses that miss, not a share of
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

/* True for stores that bypass the caches: neither hits nor misses, though a cache model treats them as
 * stores.
 */
static inline bool behaviour_passes_caches(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->non_temporal;
}

/* True for accesses that walk through a working set, whose rates are predicted. */
static inline bool behaviour_walks(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->working_set > 0;
}

/* True for branches that load their target, from a word that always hits L1. */
static inline bool behaviour_loads_target(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_BRANCH && item->through_memory;
}

/* True for behaviours that load from the data. */
static inline bool behaviour_loads(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD || behaviour_loads_target(item);
}

/* True for loads that each also store the loaded word on the stack. */
static inline bool behaviour_copies(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->copies;
}

/* True for loads that each also store the loaded word. */
static inline bool behaviour_writes_back(const struct behaviour *item)
{
    return behaviour_copies(item) || (item->kind == BEHAVIOUR_LOAD && item->updates);
}

/* Accesses to memory by each of the item's instructions; a copy's load from the stack counts. */
static inline unsigned behaviour_touches(const struct behaviour *item)
{
    if (!behaviour_accesses(item))
        return behaviour_loads_target(item);
    return behaviour_copies(item) ? 3 : behaviour_writes_back(item) ? 2 : 1;
}

/* True for loads that each load the next one's address. */
static inline bool behaviour_chases(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->address == ADDRESS_CHASE;
}

/* True for loads that wait for the last leading load. */
static inline bool behaviour_is_led(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->address == ADDRESS_LED;
}

/* True for loads on which the addresses of later loads depend: those of a chase, and leading loads. */
static inline bool behaviour_points(const struct behaviour *item)
{
    return behaviour_chases(item) || (item->kind == BEHAVIOUR_LOAD && item->leads);
}

/* True for accesses that do not all hit one line, so that a plan may have to lay out or move their lines. */
bool behaviour_moves(const struct behaviour *item);

/* True for an access to a shared region by an atomic of that name. */
bool behaviour_is_atomic(const struct behaviour *item, const char *how);

/* True if some behaviour waits for other copies: a turn, or a load with coherence. */
bool kernel_waits(const struct kernel *kernel);

/* The first load of a shared region in a given state, or NULL. */
const struct behaviour *kernel_coherent(const struct kernel *kernel);

/* "modified" */
const char *coherence_name(enum coherence coherence);

/* True if the access reaches `last` bytes from its region's register. If atomics take no displacement, it is
 * added first. */
bool shared_reaches(const struct behaviour *item, const struct isa *isa, uint64_t last);

/* Chooses the units of a loop of free length, so that a pass's strided accesses to shared regions are within
 * reach and divide their working sets. */
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

/* Bytes of {memory} of an asm{}; 0 for other behaviours. */
static inline uint64_t behaviour_memory(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_ASM ? item->memory : 0;
}

/* Sets the error's place to the recipe's asm{}, if known. Returns STATUS_RECIPE. */
enum status behaviour_at_recipe(const struct behaviour *text, struct error *error);

/* Bytes of one number in the behaviour's data; in a vector, of one element. */
unsigned behaviour_lane(const struct behaviour *item);

/* True if the data has a toggle rate; lists of words have none. */
static inline bool behaviour_toggles(const struct behaviour *item)
{
    return item->has_data && item->changes && item->word_count == 0;
}

/* Mask of the bits that may be one in its data's words of 64 bits; narrower words are at the lower end. */
uint64_t behaviour_own_bits(const struct behaviour *item);

/* Bytes that the access moves on the bus that carries its data: its width, or the recipe's bus. */
unsigned behaviour_bus(const struct behaviour *item);

/* Share of the accesses that miss L1D; 0 for other behaviours. */
double behaviour_miss_rate(const struct behaviour *item);

/* Checks {"unit": [...], "loop": {...}}, a kernel for that ISA, and fills *kernel from the arena.
 * STATUS_RECIPE with the field, what was found and what was expected. */
enum status kernel_from_json(const json_t *document, const struct isa *isa, struct arena *arena,
                             struct kernel *kernel, struct error *error);

/* The same for a point's kernel and, on GPUs, its grid and place. */
enum status kernel_from_point(const json_t *point, const struct isa *isa, struct arena *arena,
                              struct kernel *kernel, struct error *error);

const char *gpu_level_name(int level);

/* "gpu" */
const char *atomic_scope_name(enum atomic_scope scope);

/* True for the levels whose regions are in blocks' shared memory. */
static inline bool gpu_level_in_shared(enum gpu_level level)
{
    return level == GPU_SHARED || level == GPU_DSMEM;
}

/* The first behaviour of the kind, or NULL. */
const struct behaviour *kernel_first(const struct kernel *kernel, enum behaviour_kind kind);

static inline bool kernel_has(const struct kernel *kernel, enum behaviour_kind kind)
{
    return kernel_first(kernel, kind) != NULL;
}

/* True if some behaviour passes the test. */
bool kernel_any(const struct kernel *kernel, bool (*test)(const struct behaviour *item));

/* True if both have data of the same pattern and width, so that they read one stream of words. */
bool behaviour_same_data(const struct behaviour *a, const struct behaviour *b);

/* The first load that has data, or NULL. */
const struct behaviour *kernel_data(const struct kernel *kernel);

/* Bytes of the data that each load with data uses alone: 8, or the widest bus of these loads. */
unsigned kernel_data_block(const struct kernel *kernel);

/* The first code{}, or NULL. */
static inline const struct behaviour *kernel_code(const struct kernel *kernel)
{
    return kernel_first(kernel, BEHAVIOUR_CODE);
}

/* True if the kernel has a code{} with lines that miss L1I. */
bool kernel_code_misses(const struct kernel *kernel);

/* Sets page_misses so that the share of all loads and stores hits L1 in pages that miss the data TLB: an
 * equal share of each behaviour, limited by what L1 serves of it and compensated by the others; with
 * pages_together, all of the behaviours of which L1 serves most. False if L1 serves less in total. */
bool kernel_share_pages(struct kernel *kernel, double share);

/* The JSON form of a processor's kernel. New reference. */
json_t *kernel_to_json(const struct kernel *kernel);

#endif
