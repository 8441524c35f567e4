#include "runner/results/warning.h"

#include "base/json.h"

#include <stdarg.h>
#include <stdio.h>

/* Copies a text. Text from the system may be in any encoding; results are UTF-8. */
static const char *keep(struct arena *arena, const char *text)
{
    char *kept = arena_strdup(arena, text);
    for (char *at = kept; !json_is_text(text) && *at != '\0'; at++)
        if ((unsigned char)*at > 127)
            *at = '?';
    return kept;
}

static void add(struct warnings *warnings, const char *mend, const char *what)
{
    warnings->items = arena_next(&warnings->arena, warnings->items, warnings->count, sizeof *warnings->items);
    warnings->items[warnings->count++] =
        (struct result_warning){keep(&warnings->arena, what), keep(&warnings->arena, mend)};
}

void warning_add(struct warnings *warnings, const char *mend, const char *what, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, what);
    vsnprintf(text, sizeof text, what, arguments);
    va_end(arguments);
    add(warnings, mend == NULL ? "" : mend, text);
}

void warnings_extend(struct warnings *warnings, const struct warnings *more)
{
    for (size_t i = 0; i < more->count; i++)
        add(warnings, more->items[i].mend, more->items[i].what);
}

void warnings_free(struct warnings *warnings)
{
    arena_free(&warnings->arena);
    *warnings = (struct warnings){0};
}
