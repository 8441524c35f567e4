#include "cli/command.h"

#include "base/json.h"
#include "base/limits.h"

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
    fprintf(stderr, "%s%s%s", error->message, error->hint[0] == '\0' ? "" : "; ", error->hint);
    if (limits_unsaid(error->message)) {
        char limit[LIMITS_BYTES];
        fprintf(stderr, "; %s", limits_say_files(limit));
    }
    fputc('\n', stderr);
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

void command_print_json(const json_t *document, int indent)
{
    struct buffer text = {0};
    json_write(&text, document, indent);
    fputs(text.data, stdout);
    fflush(stdout);
    buffer_free(&text);
}

json_t *command_json_text(const char *text)
{
    json_t *string = json_string(text);
    if (string != NULL)
        return string;
    struct buffer plain = {0};
    for (; *text != '\0'; text++)
        buffer_append(&plain, (unsigned char)*text > 127 ? "?" : text, 1);
    string = json_stringn(plain.data, plain.size);
    buffer_free(&plain);
    return string;
}

const char *command_plural(size_t count)
{
    return count == 1 ? "" : "s";
}
