/* What the executor of PTX counts: single accesses, and the whole launch. */
#ifndef SIM_PTX_WARP_RESULT_H
#define SIM_PTX_WARP_RESULT_H

#include "base/error.h"
#include "sim/bus.h"
#include "sim/ptx/ptx_code.h"

enum warp_kind { WARP_LOAD, WARP_STORE, WARP_ATOMIC };
enum warp_level { WARP_SHARED, WARP_L1, WARP_L2, WARP_MEM, WARP_LEVELS };

/* One access of a warp. Lanes that do not take part are left out: lane `lanes[i]` accesses addresses[i]. */
struct warp_access {
    enum warp_kind kind;
    bool shared;
    const char *cache; /* the operator, as in the text */
    int region;        /* of the launch, by the first address; -1: none */
    unsigned count;
    const uint64_t *addresses;
    const unsigned char *lanes;
    bool even; /* addresses grow by `stride` from lane to lane, and lanes are the first `count` */
    int64_t stride;
    unsigned bytes;             /* of a lane */
    const unsigned char *value; /* stores: the first lane's bytes */
    bool same_value;            /* all lanes store the same, and the same in each 4 bytes */
    unsigned block, warp, sm;
    uint64_t pass; /* of the program's loop, from 1; 0: before it */
    bool timed;
    int line;                      /* of the text */
    unsigned sectors[WARP_LEVELS]; /* by the level that served them; shared memory: none */
    unsigned served[WARP_LEVELS];  /* lanes, likewise */
};

/* Returns false, with the error set, to end the launch. */
typedef bool warp_visitor(const struct warp_access *access, void *context, struct error *error);

/* All numbers cover the timed passes and accesses to regions. */
struct warp_result {
    uint64_t loads[WARP_LEVELS], stores, atomics; /* of lanes */
    uint64_t sectors[WARP_LEVELS], stored[WARP_LEVELS];
    uint64_t
        copied[WARP_LEVELS];   /* loads, if a side of L2 keeps what its multiprocessors read from the other */
    uint64_t near, far;        /* sectors past L1, by the home of their address */
    uint64_t branches, parted; /* warps' branches within the loop; those whose lanes part */
    uint64_t *sm_accesses;     /* [sms]: of lanes */
    struct bus_count bus;      /* data of regions that state a bus */
    uint64_t instructions;     /* of warps, in the timed passes */
    uint64_t executed;         /* of the whole launch */
    uint64_t working;          /* warps that began a pass */
    uint64_t least_passes, most_passes; /* of these warps */
};

void warp_result_free(struct warp_result *result);

#endif
