/* The order in which a unit's instances stand. As a rule one behaviour follows the other, as they are listed.
 * In a unit with loads that stand `behind` one that leads, loads that lead divide its accesses and operations
 * into equal parts. In each, the led loads stand together, in the middle `behind` places from the part's
 * start or as near to that as it has places, and of all other behaviours equally many are in all parts. What
 * has a place of its own, such as branches that share a test, stands first, as listed. */
#ifndef GENERATOR_KERNEL_UNIT_ORDER_H
#define GENERATOR_KERNEL_UNIT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

enum unit_role { UNIT_FIXED, UNIT_MIXED, UNIT_LEADS, UNIT_LED };

/* One behaviour. */
struct unit_part {
    unsigned count;
    enum unit_role role; /* UNIT_LED: only if it is `behind` and does not itself lead */
    unsigned behind;     /* of UNIT_LED: the same of all */
};

/* One instance of a behaviour. */
struct unit_place {
    unsigned part, instance; /* 0 and up */
};

/* Fills places[], as many as all counts together. */
void unit_order(const struct unit_part *parts, size_t count, struct unit_place *places);

#endif
