/* Today's substitutes for the counters that each paper used: templates/events/papers.list, which describes
 * its format. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_PAPERS_H
#define RUNNER_SOURCES_EVENTS_EVENT_PAPERS_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* The same for the shipped file. */
json_t *event_papers_read(struct error *error);

#endif
