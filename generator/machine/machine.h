/* A machine description: caches, TLBs, issue width and other numbers that plans use (DESIGN.md section 4,
 * machine files). It comes from a Lua file, from detection of this machine, or from a suite's JSON. */
#ifndef GENERATOR_MACHINE_MACHINE_H
#define GENERATOR_MACHINE_MACHINE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cache_policy { POLICY_UNKNOWN, POLICY_LRU, POLICY_TREE_PLRU, POLICY_RANDOM, POLICY_FIFO, POLICY_COUNT };

/* One cache level. size 0: the machine lacks it. */
struct cache {
    uint64_t size; /* bytes */
    unsigned ways;
    unsigned line;   /* bytes */
    unsigned sector; /* bytes that a GPU fills at a time; 0: whole lines */
    enum cache_policy policy;
    uint64_t effective; /* bytes available to one core, if others use a part; 0: unknown */
    unsigned shared_by; /* logical processors that share it; 0: unknown */
};

/* The level that serves an access. */
enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEM, LEVEL_COUNT };

/* The services that a plan distinguishes: the levels, and L1 in a page that misses the data TLB. */
enum { LEVEL_PAGE = LEVEL_COUNT, SERVICE_COUNT };

struct tlb {
    unsigned entries; /* 0: unknown */
    unsigned ways;
    uint64_t page; /* bytes */
    enum cache_policy policy;
};

enum { MACHINE_NAME_BYTES = 64, GPU_ARCH_BYTES = 16 };

/* The description of a GPU apart from its caches (DESIGN.md section 4): the number of its units, and how
 * addresses map to its L2. 0 means unknown. */
struct gpu {
    char arch[GPU_ARCH_BYTES]; /* "sm_90", "gfx701"; "" in the description of a CPU */
    unsigned sm;               /* multiprocessors; on AMD, all compute units: xcc cu_per_xcc */
    unsigned xcc;              /* dies of compute units, each with an L2, on which a program runs: AMD only */
    unsigned cu_per_xcc;       /* active compute units of a die; at most se sh_per_se cu_per_sh */
    unsigned se, sh_per_se,
        cu_per_sh; /* of a die: shader engines, arrays per engine, compute units per array: AMD only */
    unsigned wave; /* threads that run in lockstep */
    unsigned block_threads; /* most per block */
    unsigned l2_channels;
    unsigned sides;      /* parts of L2, each near some of the multiprocessors: 1 or more */
    uint64_t side_bytes; /* bytes of consecutive addresses on one side; 0: a page */
    uint64_t interleave; /* consecutive bytes in one channel */
    uint64_t shared;     /* bytes of shared memory per block by default */
    uint64_t memory;     /* bytes */
};

struct machine {
    char name[MACHINE_NAME_BYTES];
    char isa[16];
    char vendor[64];
    char processors[64];  /* logical processors that it describes, as Linux writes lists; "": all */
    double clock_ghz;     /* 0: unknown */
    unsigned issue_width; /* instructions per cycle; 0: unknown */
    unsigned load_ports, store_ports; /* loads and stores per cycle; 0: unknown */
    unsigned sockets, cu, cores;      /* numbers of units that a recipe's place can name; 0: unknown */
    struct cache l1i, l1d, l2, l3;
    struct tlb data_tlb;
    struct tlb huge_tlb; /* for pages of 2 MiB; entries 0: they take entries of the data TLB */
    struct gpu gpu;
    double idle_w; /* idle power in watts published by the manufacturer; 0: unknown */
    double latency_l1d, latency_l2, latency_l3, latency_mem; /* cycles; 0: unknown */
    bool present;                                            /* the machine that this program runs on */
    bool index_known; /* virtual addresses index its caches, as in a simulator */
    bool is_virtual;  /* runs under a hypervisor: others may share its caches */
    json_t *document; /* the whole description with sizes in bytes; owned by the machine */
};

/* Checks a description (a machine file's table, with sizes as "48KiB" or bytes) and fills *machine, which
 * owns a copy of the document with every size in bytes. STATUS_RECIPE names file and field, what was found
 * and what was expected. */
enum status machine_from_json(const json_t *document, const char *file, struct machine *machine,
                              struct error *error);

/* Derives missing fields from those that were read, and checks all together (for machine_from_json). */
enum status machine_complete(struct machine *machine, struct error *error);

/* "L1", "L2", "L3" or "MEM"; for LEVEL_PAGE "L1, past the TLB". */
const char *level_name(int level);

/* The data cache of a level; NULL for LEVEL_MEM and missing levels. */
const struct cache *machine_cache(const struct machine *machine, int level);

/* Sets in the cache: size / (ways line). 0 for a missing level. */
unsigned cache_sets(const struct cache *cache);

/* Lines accessed cyclically that all stay in a set, whatever it held before: the ways; under tree-PLRU, which
 * may keep replacing them instead of an older line, only log2 of the ways plus one. */
unsigned cache_keeps(const struct cache *cache);

/* True for a GPU's description, or a GPU's ISA; NULL is none. */
bool machine_isa_is_gpu(const char *isa);
bool machine_is_gpu(const struct machine *machine);

/* True if generated code may use the feature; "" is none. A description without features has those common to
 * all processors of its ISA. A GPU has its own architecture's name and those that it includes: "sm_70" or
 * later, "gfx9" or later, "wave32", "xcc"; "=sm_90a" is true on sm_90, too, because programs name the
 * architecture that they need. */
bool machine_has(const struct machine *machine, const char *feature);

/* The same for features that a GPU has by its architecture alone. */
bool machine_gpu_has(const struct machine *machine, const char *feature);

bool machine_lists_features(const struct machine *machine);

/* Writes the numbers of its NUMA nodes, "0,2"; "0" if the description lists none. Returns text. */
const char *machine_node_list(const struct machine *machine, char *text, size_t size);

/* The architecture that a program with the feature names: "sm_90a" for "=sm_90a", where the GPU's is sm_90;
 * else the GPU's own. */
const char *machine_arch_of(const struct machine *machine, const char *feature);

const char *cache_policy_name(enum cache_policy policy);

/* Makes a machine's name from a product's: "NVIDIA H200" becomes "nvidia-h200". of_brand omits text in
 * parentheses and the clock: "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz" becomes "intel-xeon-gold-6148-cpu".
 * The fallback names a product without a name. */
void machine_make_name(const char *product, bool of_brand, const char *fallback,
                       char name[MACHINE_NAME_BYTES]);

/* Peak bytes per cycle of a GPU's level ("L2"), and operations of that name per cycle; 0: unknown. */
double machine_bandwidth(const struct machine *machine, const char *level);
double machine_operations(const struct machine *machine, const char *operation);

/* A metric that the description defines as the ratio of two events; these are NULL if it is malformed. */
struct machine_ratio {
    const char *metric, *over, *under;
};

/* The description's ratio with that number, from 0; false after the last. */
bool machine_event(const struct machine *machine, size_t number, struct machine_ratio *ratio);

/* The description's note with that number, from 0; NULL after the last. */
const char *machine_note(const struct machine *machine, size_t number);

/* The processor's family, model and stepping; the fallback if the description has none. */
const char *machine_cpu(const struct machine *machine, const char *fallback);

/* The number of a GPU's quadrants, each near one shader engine (0: unknown), and whether a quadrant has the
 * channel. */
size_t machine_quadrants(const struct machine *machine);
bool machine_quadrant_has(const struct machine *machine, size_t quadrant, unsigned channel);

/* Sets the index of its caches: "virtual", by virtual addresses as in a simulator, or "unknown". STATUS_USAGE
 * for any other word. */
enum status machine_set_index(struct machine *machine, const char *word, struct error *error);

/* Frees what the machine owns and clears it. */
void machine_free(struct machine *machine);

/* Writes the description as a machine file (Lua) that reads back to the same machine. */
struct buffer;
void machine_write_lua(const struct machine *machine, struct buffer *buffer);

#endif
