/* The executor's internal structures: warps, blocks, and what they share. */
#ifndef SIM_PTX_WARP_STATE_H
#define SIM_PTX_WARP_STATE_H

#include "sim/bus.h"
#include "sim/clock_read.h"
#include "sim/ptx/warp_launch.h"

#include <string.h>

/* The mapping of addresses to L2's channels is not published: lines are distributed over WARP_CHANNELS in
 * turn. */
enum { WARP_DEPTH = 64, WARP_BUSES = 4, WARP_CHANNELS = 16 };

/* An entry of the reconvergence stack: lanes that run together from pc until they reach `join`. */
struct warp_part {
    size_t pc, join;
    uint32_t lanes;
};

struct warp_block {
    unsigned number, sm;
    unsigned live, waiting; /* unfinished warps, and those at a barrier */
    unsigned char *shared;
    struct shared_races *races; /* of its accesses (shared_races.h); NULL: there is no shared memory */
    uint64_t barriers;          /* passed so far */
    unsigned char *busy; /* [shared]: 1 while an asynchronous copy is under way; NULL: the program has none */
    struct warp_bulk *bulk; /* mbarriers and their copies (warp_bulk.h); NULL: the program has none */
    struct warp *warps;
    struct warp_cluster *cluster;
    uint32_t *written;   /* [shared]: 1 + the writer's arrivals at cluster barriers at the last write; 0: not
                            written; NULL: the program does not access other blocks' memory */
    size_t unwritten;    /* bytes that were not written */
    uint32_t last_write; /* the greatest number in `written` */
    uint64_t read_until; /* the cluster barrier before which other blocks have read it; 0: none have */
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
    bool arrived, at_cluster; /* has arrived at a cluster barrier; waits at it */
    uint64_t arrivals, waits; /* at cluster barriers */
    unsigned polls;           /* failed tests of a phase since the warp last did something else */
    size_t put, put_groups;   /* bulk stores in no group yet; groups for which the warp has not waited */
    uint64_t pass;
    struct bus_turns loaded[WARP_BUSES]; /* by the launch's bus widths */
    struct warp_copies *copies;          /* under way; NULL: none so far (warp_copies.h) */
    struct warp_group *group;            /* its products with three other warps; NULL: none (warp_group.h) */
    size_t multiplies; /* groups of products for which it has not waited, the open one included */
    uint32_t (*factors)[PTX_LANES]; /* [BUS_TURNS][PTX_MOST_SOURCES]: of the latest matrix operations; NULL:
                                       none so far */
    uint64_t factor_serials[BUS_TURNS]; /* of their products */
    unsigned factor_count;
    uint64_t factors_sent; /* consecutive operations with factor_count registers of factors */
    uint64_t outside; /* instructions since the program began or the loop ended, without branches and waits */
    uint64_t slow_at; /* `outside` at the last of these that accesses memory or sleeps */
    int slow;         /* the line of that instruction */
    uint64_t barriers[CLOCK_OTHER]; /* the block's when the warp last read that clock or left the loop */
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

/* Sets the error to the message with the warp and the line of the text, with STATUS_FAILED for the program's
 * fault or STATUS_UNAVAILABLE for what the executor does not support; return false. */
__attribute__((format(printf, 4, 5))) bool warp_fault(struct warp_core *core, const struct warp *warp,
                                                      const struct ptx_instruction *it, const char *format,
                                                      ...);
bool warp_unsupported(struct warp_core *core, const struct warp *warp, const struct ptx_instruction *it,
                      const char *message);

/* Executes a load, store, atomic or copy of these lanes. */
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

/* The value of the lane's address. */
static inline uint64_t warp_address(const struct warp *warp, const struct ptx_address *address, unsigned lane)
{
    uint64_t value = 0;
    if (address->has_base) /* little endian */
        memcpy(&value, warp->registers + address->base + (size_t)lane * address->bytes, address->bytes);
    return value + (uint64_t)address->offset;
}

#endif
