/* The chip that warps run on: multiprocessors, caches, the sides of L2. */
#ifndef SIM_PTX_WARP_CHIP_H
#define SIM_PTX_WARP_CHIP_H

#include "base/error.h"
#include "generator/machine/machine.h"

enum { WARP_MOST_SIDES = 2 };

struct warp_chip {
    unsigned sms;
    unsigned sides;      /* of L2: 1 or 2 */
    uint64_t side_bytes; /* consecutive addresses of one side */
    struct cache l1, l2; /* L1 with shared memory: of one multiprocessor; L2: both sides together */
};

/* Fills *chip from the description. STATUS_UNAVAILABLE, naming what is missing or unsupported. */
enum status warp_chip_from(const struct machine *machine, struct warp_chip *chip, struct error *error);

/* The side of L2 near the multiprocessor, and the home side of the address: a hash assigns half of the
 * addresses to each side. */
unsigned warp_chip_near(const struct warp_chip *chip, unsigned sm);
unsigned warp_chip_home(const struct warp_chip *chip, uint64_t address);

#endif
