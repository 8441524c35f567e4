#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status error_set(struct error *error, enum status code, const char *format, ...)
{
    if (error == NULL)
        return code;
    memset(error, 0, sizeof *error);
    error->code = code;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return code;
}

void error_at(struct error *error, const char *file, int line)
{
    if (error == NULL)
        return;
    snprintf(error->file, sizeof error->file, "%s", file == NULL ? "" : file);
    error->line = line;
}

void error_hint(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->hint, sizeof error->hint, format, arguments);
    va_end(arguments);
}

void error_prefix(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    char prefixed[2 * sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(prefixed, sizeof error->message, format, arguments);
    va_end(arguments);
    if (used < 0 || (size_t)used >= sizeof error->message)
        return;
    snprintf(prefixed + used, sizeof prefixed - (size_t)used, ": %s", error->message);
    snprintf(error->message, sizeof error->message, "%.*s", (int)sizeof error->message - 1, prefixed);
}
