/* The order of a unit's instances: the behaviours as listed, unless some led loads state how far they are
 * `behind` their leading load. Then the leading loads divide the unit's accesses and operations into equal
 * parts. In each part the led loads are together, centred `behind` places from the part's start or as near to
 * that as possible, and the instances of all other behaviours are divided equally. Behaviours with a fixed
 * place, such as branches that share a test, come first, as listed. */
#ifndef GENERATOR_KERNEL_UNIT_ORDER_H
#define GENERATOR_KERNEL_UNIT_ORDER_H

#include <stdbool.h>
#include <stddef.h>

enum unit_role { UNIT_FIXED, UNIT_MIXED, UNIT_LEADS, UNIT_LED };

/* One behaviour. */
struct unit_part {
    unsigned count;
    enum unit_role role; /* UNIT_LED: only with `behind`, and if it does not lead itself */
    unsigned behind;     /* of UNIT_LED: equal for all */
};

/* One instance of a behaviour. */
struct unit_place {
    unsigned part, instance; /* 0 and up */
};

/* Fills places[] with one entry for each instance. */
void unit_order(const struct unit_part *parts, size_t count, struct unit_place *places);

#endif
