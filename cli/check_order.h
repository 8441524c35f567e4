/* In which order a check looks at its points: what it says is in the order of its inputs all the same. */
#ifndef CLI_CHECK_ORDER_H
#define CLI_CHECK_ORDER_H

#include "cli/work.h"

#include <stddef.h>

/* The work's items, by their indices, in the order in which to look at them; in the work's arena. Points of
 * recipes for the present machine whose data lies in memory come one after the other, at the first one's
 * turn: a virtual machine may give pages that nobody uses back to its host within seconds, and to have a GiB
 * again takes it seconds, too. */
const size_t *check_order(struct work *work);

#endif
