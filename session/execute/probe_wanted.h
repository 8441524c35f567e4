/* Warns of points that use a shared cache of which a core's share is unknown. */
#ifndef SESSION_EXECUTE_PROBE_WANTED_H
#define SESSION_EXECUTE_PROBE_WANTED_H

#include "session/work.h"

/* Warns once if a point is made for the present machine and loads from L3 or memory, the L3 is shared with
 * other cores or guests, and a core's share of it is unknown. */
void probe_wanted_warn(const struct work *work);

#endif
