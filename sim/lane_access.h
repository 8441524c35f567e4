/* One access of a GPU's warp or wave, as the executors show it to whoever compares it with a promise. */
#ifndef SIM_LANE_ACCESS_H
#define SIM_LANE_ACCESS_H

#include "base/error.h"
#include "sim/clock_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_kind { LANE_LOAD, LANE_STORE, LANE_ATOMIC };

/* Addresses whose accesses are counted, in the order of their addresses: of global or of shared memory. */
struct lane_region {
    bool shared;
    uint64_t address, size;
    unsigned bus; /* bytes of a word of the bus that its data is made for; 0: not counted */
};

/* The pass of an access within the loop whose passes the executor does not count. */
#define LANE_SOME_PASS UINT64_MAX

/* What an atomic does, in the words of manifests. */
struct lane_atomic {
    const char *op;       /* "add", "cas", "swap", "max"; others as in the text */
    const char *scope;    /* "cta", "cluster", "gpu", "sys"; NULL: the instruction has one form for all */
    bool names;           /* the instruction has a form for each scope */
    bool returns;         /* what the word held before */
    uint64_t operands[2]; /* the first lane's; of "cas" first what it compares with */
    bool same;            /* all lanes have these */
};

/* Lanes that do not take part are left out: lane `lanes[i]` accesses addresses[i]. */
struct lane_access {
    enum lane_kind kind;
    bool shared;
    bool of_cluster; /* of shared memory: by way of the cluster; of its block `owner` */
    unsigned owner;
    const char *cache; /* the operator, as a manifest's stream has it, for PTX with L1:: */
    int region;        /* of the launch, by the first address; -1: none */
    unsigned count;
    const uint64_t *addresses;
    const unsigned char *lanes;
    bool even; /* addresses grow by `stride` from lane to lane, and lanes are the first `count` */
    int64_t stride;
    unsigned bytes;                   /* of a lane */
    const unsigned char *value;       /* stores: the first lane's bytes */
    bool same_value;                  /* all lanes store the same, and the same in each 4 bytes */
    const struct lane_atomic *atomic; /* of LANE_ATOMIC; NULL: not told */
    const uint64_t *to;               /* asynchronous copies: where in shared memory; else NULL */
    unsigned block, warp;
    unsigned unit;                    /* the multiprocessor or CU */
    const struct clock_reads *clocks; /* of the warp so far */
    uint64_t pass;                    /* of the program's loop, from 1; 0: outside it; or LANE_SOME_PASS */
    bool timed;
    int line;        /* of PTX's text; 0: none */
    uint64_t offset; /* of GCN's code, in bytes */
};

/* Returns false, with the error set, to end the launch. */
typedef bool lane_visitor(const struct lane_access *access, void *context, struct error *error);

#endif
