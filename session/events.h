/* What a session tells its caller while it works. The caller decides what is shown, and where. */
#ifndef SESSION_EVENTS_H
#define SESSION_EVENTS_H

#include <stddef.h>

enum session_level {
    SESSION_DETAIL, /* for users who want to know more */
    SESSION_NOTE,   /* what will happen, or has happened */
    SESSION_WARNING,
};

/* Callbacks; each gets the context. */
struct session_events {
    void (*tell)(void *context, enum session_level level, const char *text);

    /* `done` of `total` items ("points run") are done. NULL: this work has ended. */
    void (*progress)(void *context, const char *what, size_t done, size_t total);
    void *context;
};

__attribute__((format(printf, 2, 3))) void session_detail(const struct session_events *events,
                                                          const char *format, ...);
__attribute__((format(printf, 2, 3))) void session_note(const struct session_events *events,
                                                        const char *format, ...);
__attribute__((format(printf, 2, 3))) void session_warn(const struct session_events *events,
                                                        const char *format, ...);

void session_progress(const struct session_events *events, const char *what, size_t done, size_t total);
void session_progress_end(const struct session_events *events);

#endif
