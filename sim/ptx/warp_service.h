/* What serves a warp's accesses: L1 of its multiprocessor, L2 of one or two sides, memory. */
#ifndef SIM_PTX_WARP_SERVICE_H
#define SIM_PTX_WARP_SERVICE_H

#include "sim/ptx/warp_chip.h"

struct warp_service;

/* Sectors of one line (a bit each), by what served them. */
struct warp_line {
    uint64_t number;
    unsigned wanted, in_l1, in_l2; /* the rest: memory */
    unsigned in_copies;            /* in_l2 if each side of L2 keeps what its multiprocessors read */
    bool far;                      /* what L1 lacked has its home on the other side */
};

/* Empty caches; shared_bytes: what shared memory takes of each multiprocessor's L1; copies: in_copies is
 * followed too. */
enum status warp_service_new(const struct warp_chip *chip, uint64_t shared_bytes, bool copies,
                             struct warp_service **service, struct error *error);
void warp_service_free(struct warp_service *service);

/* The line may come to L2 soon: its sets are brought near to this processor. Changes nothing. */
void warp_service_soon(const struct warp_service *service, unsigned sm, uint64_t line);

/* Serves the wanted sectors of the line to the multiprocessor, and fills in the rest. */
void warp_service_line(struct warp_service *service, unsigned sm, bool past_l1, struct warp_line *line);

#endif
