/* The executor's internal structures: warps, blocks, and what they share. */
#ifndef SIM_PTX_WARP_STATE_H
#define SIM_PTX_WARP_STATE_H

#include "sim/bus.h"
#include "sim/clock_read.h"
#include "sim/ptx/warp_launch.h"

#include <string.h>

/* How addresses map to the channels of L2 is not published: so many take its lines in turn. */
enum { WARP_DEPTH = 64, WARP_BUSES = 4, WARP_CHANNELS = 16 };

/* Lanes that run together: from pc on until they come to `meet`. */
struct warp_part {
    size_t pc, meet;
    uint32_t lanes;
};

struct warp_block {
    unsigned number, sm;
    unsigned live, waiting; /* unfinished warps, and those at a barrier */
    unsigned char *shared;
    struct shared_races *races; /* of its accesses (shared_races.h); NULL: there is no shared memory */
    uint64_t met;               /* its barriers so far */
    unsigned char *busy; /* [shared]: 1 where an asynchronous copy is under way; NULL: the program has none */
    struct warp_bulk
        *bulk; /* mbarriers and the copies that they count (warp_bulk.h); NULL: the program has none */
    struct warp *warps;
    struct warp_cluster *cluster;
    uint32_t *written;   /* [shared]: 1 + the arrivals at cluster barriers before who wrote it; 0: nobody did;
                            NULL: the program does not read other blocks' */
    size_t unwritten;    /* bytes of it where nobody did */
    uint32_t last_write; /* the greatest number in it */
    uint64_t
        read_until; /* the cluster barrier before which others of the cluster have read it; 0: none have */
};

struct warp_copies;
struct warp_cluster;
struct warp_bulk;
struct warp_group;
struct warp_products;
struct matrix_products;

struct warp {
    struct warp_block *block;
    unsigned number;
    unsigned char *registers;
    struct warp_part parts[WARP_DEPTH]; /* the last one runs */
    unsigned depth;
    uint32_t lanes; /* that have not ended */
    bool done, waiting, timed, started;
    bool arrived, at_cluster; /* between both halves of a cluster barrier; waiting for the second one */
    uint64_t arrivals, waits; /* of cluster barriers */
    unsigned polls;           /* of a phase that was not over, since the warp last did something else */
    size_t put,
        put_groups; /* bulk stores in no group yet, and groups of them that have not been waited for */
    uint64_t pass;
    struct bus_turns loaded[WARP_BUSES]; /* of the launch's different widths */
    struct warp_copies *copies;          /* under way; NULL: none so far (warp_copies.h) */
    struct warp_group *group;            /* its products with three other warps; NULL: none (warp_group.h) */
    size_t multiplies;                  /* groups of them that it has not waited for, also one that is open */
    uint32_t (*factors)[PTX_LANES];     /* [BUS_TURNS][PTX_MOST_SOURCES]: of the last matrix operations; NULL:
                                           there were none */
    uint64_t factor_serials[BUS_TURNS]; /* of their products */
    unsigned factor_count;
    uint64_t factors_sent; /* operations in sequence with so many factors */
    uint64_t outside; /* instructions since the program began or the loop ended, no branches and waits, */
    uint64_t odd_at;  /* and how many up to the last that accesses memory or sleeps: its line is */
    int odd;
    uint64_t met[CLOCK_OTHER]; /* the block's barriers when it last read that clock or came from the loop */
    struct clock_reads clocks;
};

struct warp_service;

struct warp_core {
    const struct warp_chip *chip;
    const struct warp_launch *launch;
    const struct ptx_program *program;
    struct device_memory memory;
    unsigned char *parameters;
    size_t parameter_bytes;
    unsigned bus_widths[WARP_BUSES];
    struct bus *units, *channels; /* [sms][WARP_BUSES], [WARP_CHANNELS][WARP_BUSES] */
    unsigned last_region;
    struct warp_service *service;            /* NULL: addresses only */
    struct matrix_products *matrix_products; /* of single warps (warp_matrix.c); NULL: none so far */
    struct warp_products *products; /* of groups of warps, of the latest factors; NULL: none so far */
    struct warp_result *result;
    struct error *error;
    uint64_t left; /* instructions until the limit */
    uint64_t clock;
};

/* Sets the error to the message with the warp and the line of the text; returns false. */
__attribute__((format(printf, 4, 5))) bool warp_fault(struct warp_core *core, const struct warp *warp,
                                                      const struct ptx_instruction *it, const char *format,
                                                      ...);

/* Executes a load, store or atomic of these lanes. */
bool warp_access_memory(struct warp_core *core, struct warp *warp, const struct ptx_instruction *it,
                        uint32_t lanes);

/* Converts all lanes of the source to the result. */
void warp_convert(const struct ptx_instruction *it, const void *source, void *result);

/* Copies the lanes' values of that size. */
void warp_blend(void *to, const void *from, unsigned bytes, uint32_t lanes);

static inline const void *warp_source(const struct warp_core *core, const struct warp *warp, ptx_place place)
{
    return place >= 0 ? warp->registers + place : core->program->constants + ~place;
}

/* Where the lane's address leads. */
static inline uint64_t warp_address(const struct warp *warp, const struct ptx_address *address, unsigned lane)
{
    uint64_t value = 0;
    if (address->has_base) /* little endian */
        memcpy(&value, warp->registers + address->base + (size_t)lane * address->bytes, address->bytes);
    return value + (uint64_t)address->offset;
}

#endif
