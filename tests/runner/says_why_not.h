/* Whether the event files say why a processor has no such metric or count. */
#ifndef TESTS_RUNNER_SAYS_WHY_NOT_H
#define TESTS_RUNNER_SAYS_WHY_NOT_H

#include "runner/sources/events/event_table.h"

static inline bool says_why_not(const struct event_table *table, const char *name)
{
    for (size_t i = 0; i < table->file_count; i++)
        if (event_file_find(&table->files[i], 1U << EVENT_NONE, name) != NULL)
            return true;
    return false;
}

#endif
