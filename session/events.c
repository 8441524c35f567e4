#include "session/events.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((format(printf, 3, 0))) static void
tell(const struct session_events *events, enum session_level level, const char *format, va_list arguments)
{
    char *text;
    if (vasprintf(&text, format, arguments) < 0)
        abort(); /* out of memory */
    events->tell(events->context, level, text);
    free(text);
}

void session_detail(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(events, SESSION_DETAIL, format, arguments);
    va_end(arguments);
}

void session_note(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(events, SESSION_NOTE, format, arguments);
    va_end(arguments);
}

void session_warn(const struct session_events *events, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell(events, SESSION_WARNING, format, arguments);
    va_end(arguments);
}

void session_progress(const struct session_events *events, const char *what, size_t done, size_t total)
{
    events->progress(events->context, what, done, total);
}

void session_progress_end(const struct session_events *events)
{
    events->progress(events->context, NULL, 0, 0);
}
