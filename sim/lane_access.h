/* One memory access of a warp or wave, which executors pass to a visitor for comparison with the manifest. */
#ifndef SIM_LANE_ACCESS_H
#define SIM_LANE_ACCESS_H

#include "base/error.h"
#include "sim/clock_read.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lane_kind { LANE_LOAD, LANE_STORE, LANE_ATOMIC };

/* A region of global or shared memory whose accesses are counted. Regions are ordered by address. */
struct lane_region {
    bool shared;
    uint64_t address, size;
    unsigned bus; /* bytes per word of the bus for which its data is planned; 0: bus words are not counted */
};

/* The pass of an access in a loop whose passes the executor does not count. */
#define LANE_SOME_PASS UINT64_MAX

/* An atomic operation, in the terms of manifests. */
struct lane_atomic {
    const char *op;       /* "add", "cas", "swap", "max"; others as in the text */
    const char *scope;    /* "cta", "cluster", "gpu", "sys"; NULL: the instruction has one form for all */
    bool names;           /* the instruction has a form for each scope */
    bool returns;         /* it returns the word's previous value */
    uint64_t operands[2]; /* the first lane's; of "cas" the first is the comparand */
    bool same;            /* all lanes have these operands */
};

/* Only active lanes are listed: lane `lanes[i]` accesses addresses[i]. */
struct lane_access {
    enum lane_kind kind;
    bool shared;
    bool of_cluster; /* shared memory of the cluster's block `owner`, by a cluster address */
    unsigned owner;
    const char *cache; /* the cache operator, as in a manifest's stream; for PTX with L1:: */
    int region;        /* index in the launch's regions, by the first address; -1: none */
    unsigned count;
    const uint64_t *addresses;
    const unsigned char *lanes;
    bool even; /* addresses grow by `stride` from lane to lane, and lanes are the first `count` */
    int64_t stride;
    unsigned bytes;                   /* per lane */
    const unsigned char *value;       /* stores: the first lane's bytes */
    bool same_value;                  /* all lanes store the same, and the same in each 4 bytes */
    const struct lane_atomic *atomic; /* of LANE_ATOMIC; NULL: unknown */
    const uint64_t *to;               /* asynchronous copies: destinations in shared memory; else NULL */
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
