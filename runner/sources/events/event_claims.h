/* What events are believed to count: quantities (generator/metric/quantity.h), by a file of the user's, by
 * the names that templates/events/ gives them, or by their own names. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_CLAIMS_H
#define RUNNER_SOURCES_EVENTS_EVENT_CLAIMS_H

#include "base/arena.h"
#include "base/error.h"
#include "runner/sources/events/event_table.h"

#include <stddef.h>

struct event_claim {
    const char *event, *quantity;
};

/* All zeros is none; texts are in the arena. */
struct event_claims {
    struct event_claim *items;
    size_t count;
};

/* Reads rows "EVENT = QUANTITY"; # begins a comment. STATUS_USAGE, with the line, for anything else and for a
 * quantity that is not among the names. */
enum status event_claims_read(const char *path, const char *const *names, size_t count, struct arena *arena,
                              struct event_claims *claims, struct error *error);

/* The quantity that the event is claimed to count: by the claims (NULL: none are given), else by the names of
 * table (NULL: none), else by its own; NULL: nothing is claimed. */
const char *event_claim_of(const struct event_claims *claims, const struct event_table *table,
                           const char *event);

/* The name under which templates/events/ counts the quantity, "l1d_misses"; text has room for 48. */
const char *event_claim_name(const char *quantity, char *text);

#endif
