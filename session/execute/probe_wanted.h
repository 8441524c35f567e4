/* Detects points that depend on caches of which a core's share is unknown. */
#ifndef SESSION_EXECUTE_PROBE_WANTED_H
#define SESSION_EXECUTE_PROBE_WANTED_H

#include "session/work.h"

/* Warns once if points are made for the present machine, load from L3 or memory, and share its L3 with others
 * or see it through a hypervisor, and no probe has measured a core's share of it. */
void probe_wanted_tell(const struct work *work);

#endif
