/* The memory hierarchy that serves warps: an L1 per multiprocessor, an L2 with one or two sides, memory. */
#ifndef SIM_PTX_WARP_SERVICE_H
#define SIM_PTX_WARP_SERVICE_H

#include "sim/ptx/warp_chip.h"

struct warp_service;

/* Sectors of one line (a bit each), by the level that served them. */
struct warp_line {
    uint64_t number;
    unsigned wanted, in_l1, in_l2; /* the rest: memory */
    unsigned in_copies;            /* in_l2 if each side of L2 caches the other side's lines */
    bool far;                      /* L1 missed, and the line's home is the other side */
};

/* Creates empty caches. shared_bytes: the part of each L1 that shared memory occupies; copies: in_copies is
 * determined too. */
enum status warp_service_new(const struct warp_chip *chip, uint64_t shared_bytes, bool copies,
                             struct warp_service **service, struct error *error);
void warp_service_free(struct warp_service *service);

/* Prefetches the data of the line's L2 sets into the host's cache, for an access that may follow soon. */
void warp_service_soon(const struct warp_service *service, unsigned sm, uint64_t line);

/* Serves the wanted sectors of the line to the multiprocessor, and fills in the other members. */
void warp_service_line(struct warp_service *service, unsigned sm, bool past_l1, struct warp_line *line);

#endif
