#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>

int command_fail(const struct error *error)
{
    fflush(stdout);
    fprintf(stderr, "trauma: ");
    if (error->file[0] != '\0' && error->line > 0)
        fprintf(stderr, "%s:%d: ", error->file, error->line);
    else if (error->file[0] != '\0')
        fprintf(stderr, "%s: ", error->file);
    fprintf(stderr, "%s%s%s\n", error->message, error->hint[0] == '\0' ? "" : "; ", error->hint);
    return error->code;
}

void command_warn(const struct options *options, const char *format, ...)
{
    if (options->quiet)
        return;
    fflush(stdout);
    fprintf(stderr, "trauma: warning: ");
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
}
