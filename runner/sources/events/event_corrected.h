/* A file of events that corrects the shipped ones by what a trial found: names that do not count what they
 * say are denied ("none"), or counted by what does, and the counts and metrics made of them are made of that.
 * In the user's folder of events it takes precedence, so that the source "perf" judges nothing by an event
 * that failed. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_CORRECTED_H
#define RUNNER_SOURCES_EVENTS_EVENT_CORRECTED_H

#include "base/buffer.h"
#include "runner/sources/events/event_table.h"
#include "runner/state/perf_host.h"

#include <stddef.h>

/* A name that failed. */
struct event_correction {
    const char *name;
    const char *why;  /* one line */
    const char *code; /* of the event that counts it; NULL: none is known */
    double per;       /* how often */
};

/* Appends the file. host: for which processor it is; NULL: for those of the table's first file, STATUS_USAGE
 * if it has none. */
enum status event_corrected_write(const struct event_table *table, const struct perf_host *host,
                                  const struct event_correction *corrections, size_t count,
                                  struct buffer *text, struct error *error);

#endif
