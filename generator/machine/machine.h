/* A machine's description: what a plan must know of caches, TLB and issue width (DESIGN.md section 4, machine
 * files). It comes from a Lua file, from detection of the present machine, or from a suite's own JSON. */
#ifndef GENERATOR_MACHINE_MACHINE_H
#define GENERATOR_MACHINE_MACHINE_H

#include "base/error.h"
#include "generator/machine/machine_gpu.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum cache_policy { POLICY_UNKNOWN, POLICY_LRU, POLICY_TREE_PLRU, POLICY_RANDOM };

/* One level. size 0: the machine has no such level. */
struct cache {
    uint64_t size; /* bytes */
    unsigned ways;
    unsigned line;   /* bytes */
    unsigned sector; /* bytes that a GPU fills it by; 0: whole lines */
    enum cache_policy policy;
    uint64_t
        effective; /* bytes that one core really has of it, where other users take a part; 0: not known */
    unsigned shared_by; /* logical processors that share it; 0: not known */
};

/* Where an access is served from. */
enum memory_level { LEVEL_L1, LEVEL_L2, LEVEL_L3, LEVEL_MEM, LEVEL_COUNT };

/* What a plan tells apart: the levels, and L1 in a page that the data TLB has lost. */
enum { LEVEL_PAGE = LEVEL_COUNT, SERVICE_COUNT };

struct tlb {
    unsigned entries; /* 0: not known */
    unsigned ways;
    uint64_t page; /* bytes */
};

struct machine {
    char name[64];
    char isa[16];
    char vendor[64];
    double clock_ghz;                 /* 0: not known */
    unsigned issue_width;             /* instructions a cycle; 0: not known */
    unsigned load_ports, store_ports; /* loads and stores a cycle; 0: not known */
    unsigned sockets, cu, cores;      /* how many a recipe's place can name; 0: not known */
    struct cache l1i, l1d, l2, l3;
    struct tlb data_tlb;
    struct gpu gpu;
    double idle_w; /* watts that the processor's maker publishes for its idling; 0: not known */
    double latency_l1d, latency_l2, latency_l3, latency_mem; /* cycles; 0: not known */
    bool present;                                            /* it is the machine that this program runs on */
    bool index_known; /* its caches are indexed by the addresses of programs, as in a simulator */
    bool is_virtual;  /* a hypervisor stands between it and the hardware: others may share its caches */
    json_t *document; /* the whole description, sizes in bytes; owned by the machine */
};

/* Checks a description (as a machine file's table gives it: sizes as "48KiB" or bytes) and fills *machine,
 * which then owns its own copy of the document with every size in bytes. STATUS_RECIPE, with the field, what
 * was found and what was expected, when it is wrong. file is named in errors. */
enum status machine_from_json(const json_t *document, const char *file, struct machine *machine,
                              struct error *error);

/* "L1", "L2", "L3" or "MEM"; for LEVEL_PAGE "L1, past the TLB". */
const char *level_name(int level);

/* The data cache of a level; NULL for LEVEL_MEM and for a level that the machine lacks. */
const struct cache *machine_cache(const struct machine *machine, int level);

/* Sets in the cache: size / (ways * line). 0 for a level that is missing. */
unsigned cache_sets(const struct cache *cache);

/* True for the description of a GPU. */
bool machine_is_gpu(const struct machine *machine);

/* True when generated code may use the feature. A description without features has those that every processor
 * of its ISA has. */
bool machine_has(const struct machine *machine, const char *feature);

const char *cache_policy_name(enum cache_policy policy);

/* Lets its caches be indexed as the word says: "virtual", by the addresses of programs, as in a simulator, or
 * "unknown". STATUS_USAGE for any other. */
enum status machine_set_index(struct machine *machine, const char *word, struct error *error);

/* Frees what the machine owns and clears it. */
void machine_free(struct machine *machine);

/* The description as a machine file (Lua) that reads back to the same machine. */
struct buffer;
void machine_write_lua(const struct machine *machine, struct buffer *buffer);

#endif
