#include "cli/command.h"

#include "base/json.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/text/visible.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line on stderr. Text in it can neither end the line nor control the terminal. */
static void print_line(const char *prefix, const char *text)
{
    struct buffer line = {0};
    buffer_text(&line, prefix);
    visible_append(&line, text);
    fflush(stdout);
    fprintf(stderr, "%s\n", line.data);
    buffer_free(&line);
}

/* TRAUMA_ERRORS=json, for programs that call this one: prints the error as an object on its own line. */
static bool fail_in_json(const struct error *error)
{
    const char *form = getenv("TRAUMA_ERRORS");
    if (form == NULL || strcmp(form, "json") != 0)
        return false;
    struct buffer text = {0};
    json_t *document = json_pack("{s:{s:i, s:o, s:i, s:o, s:o}}", "error", "code", error->code, "file",
                                 json_from_text(error->file), "line", error->line, "message",
                                 json_from_text(error->message), "hint", json_from_text(error->hint));
    json_write(&text, document, 0);
    json_decref(document);
    fflush(stdout);
    fprintf(stderr, "%s", text.data);
    buffer_free(&text);
    return true;
}

int command_fail(const struct error *error)
{
    struct buffer text = {0};
    if (fail_in_json(error))
        return error->code;
    if (error->file[0] != '\0' && error->line > 0)
        buffer_printf(&text, "%s:%d: ", error->file, error->line);
    else if (error->file[0] != '\0')
        buffer_printf(&text, "%s: ", error->file);
    buffer_printf(&text, "%s%s%s", error->message, error->hint[0] == '\0' ? "" : "; ", error->hint);
    if (limits_are_unnamed(error->message)) {
        char limit[LIMITS_BYTES];
        buffer_printf(&text, "; %s", limits_describe_files(limit));
    }
    print_line("trauma: ", text.data);
    buffer_free(&text);
    return error->code;
}

void command_warn(const struct options *options, const char *format, ...)
{
    if (options->quiet)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    print_line("trauma: warning: ", text);
    free(text);
}

void command_warn_cut(const struct options *options, const char *path, bool cut)
{
    if (cut)
        command_warn(options, "%s: the last line is incomplete and left out", path);
}

void command_warn_simulated(const struct options *options, const char *path,
                            const struct simulated *simulated)
{
    if (simulated->given)
        command_warn(options, "%s: %s: %s", path, simulated_label(simulated), simulated->how);
}

void command_warn_lines(const struct options *options, const char *text)
{
    while (text != NULL && *text != '\0') {
        size_t length = strcspn(text, "\n");
        command_warn(options, "%.*s", (int)length, text);
        text += length + (text[length] == '\n');
    }
}

void command_note(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_printed(format, arguments);
    va_end(arguments);
    print_line("", text);
    free(text);
}

void command_print(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    visible_print(stdout, format, arguments);
    va_end(arguments);
}

void command_print_json_text(const char *text)
{
    struct buffer shown = {0};
    visible_append_json(&shown, text);
    fputs(shown.data, stdout);
    fflush(stdout);
    buffer_free(&shown);
}

void command_print_json_lines(struct buffer *lines)
{
    if (lines->size > 0)
        command_print_json_text(lines->data);
    buffer_free(lines);
}

void command_print_json(const json_t *document, int indent)
{
    struct buffer text = {0};
    json_write(&text, document, indent);
    command_print_json_text(text.data);
    buffer_free(&text);
}

void command_print_tree(const struct json_text *text, int indent)
{
    command_print_json(text->tree[0], indent);
    json_decref(text->tree[0]);
}
