/* What a session reports to its caller while it works. The caller decides what is shown, and where. */
#ifndef SESSION_EVENTS_H
#define SESSION_EVENTS_H

#include "base/error.h"
#include "runner/results/warning.h"

#include <stddef.h>

enum session_level {
    SESSION_DETAIL, /* for users who want to know more */
    SESSION_NOTE,   /* what will happen, or has happened */
    SESSION_WARNING,
    SESSION_REFUSAL, /* why a point has no program */
};

/* Sentences about points that wait until all points are done. All zeros is empty. */
struct point_notes {
    struct point_note *items;
    size_t count;
};

/* Callbacks; each gets the context. */
struct session_events {
    void (*report)(void *context, enum session_level level, const char *text);

    /* `done` of `total` items ("points run") are done. NULL: this work has ended. */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
    struct point_notes *notes; /* NULL: sentences about points are reported at once */
};

__attribute__((format(printf, 2, 3))) void session_detail(const struct session_events *events,
                                                          const char *format, ...);
__attribute__((format(printf, 2, 3))) void session_note(const struct session_events *events,
                                                        const char *format, ...);
__attribute__((format(printf, 2, 3))) void session_warn(const struct session_events *events,
                                                        const char *format, ...);

/* A sentence about a point. session_report_points reports all of them together, each with its first point and
 * the number of its other points; sentences that differ only in their numbers count as one. */
__attribute__((format(printf, 5, 6))) void session_point(const struct session_events *events,
                                                         enum session_level level, const char *benchmark,
                                                         const char *point, const char *format, ...);

/* Passes on warnings about a point. */
void session_point_warnings(const struct session_events *events, const char *benchmark, const char *point,
                            const struct warnings *warnings);

/* Reports that the point is refused, with the error's place in its file. */
void session_refuse(const struct session_events *events, const char *benchmark, const char *point,
                    const struct error *error);

/* Reports the sentences that session_point, session_point_warnings and session_refuse have gathered. */
void session_report_points(const struct session_events *events);

void session_progress(const struct session_events *events, const char *what, size_t done, size_t total);
void session_progress_end(const struct session_events *events);

#endif
