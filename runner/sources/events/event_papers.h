/* Today's substitutes for the counters that each paper used: templates/events/papers.list, which describes
 * its format. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_PAPERS_H
#define RUNNER_SOURCES_EVENTS_EVENT_PAPERS_H

#include "base/error.h"

#include <jansson.h>
#include <stddef.h>

/* [{"paper", "title", "counters": [{"counter", "names": [...], "remark" or null, "why" or null}]}] from the
 * text; "why" says why a counter has no substitute. New reference; NULL with file and line, STATUS_RECIPE,
 * when the text is wrong. */
json_t *event_papers_parse(const char *text, size_t size, const char *path, struct error *error);

/* The same for the shipped file. */
json_t *event_papers_read(struct error *error);

#endif
