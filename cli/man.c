/* trauma man: manual pages, made from the texts and the option table of --help. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"output", NULL};

enum { NAME_BYTES = 64, MOST_COMMANDS = 64 };

/* ---- text as roff ---- */

/* Appends the text, with the characters escaped that roff would interpret. */
static void add_plain(struct buffer *page, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool first = i == 0 && (page->size == 0 || page->data[page->size - 1] == '\n');
        if (first && (text[i] == '.' || text[i] == '\''))
            buffer_text(page, "\\&");
        if (text[i] == '\\')
            buffer_text(page, "\\e");
        else if (text[i] == '-')
            buffer_text(page, "\\-");
        else if (text[i] == '`' || text[i] == '\'')
            buffer_text(page, "\\(aq");
        else if (text[i] == '^')
            buffer_text(page, "\\(ha");
        else if (text[i] == '~')
            buffer_text(page, "\\(ti");
        else
            buffer_append(page, &text[i], 1);
    }
}

static void add_words(struct buffer *page, const char *text)
{
    add_plain(page, text, strlen(text));
}

/* True for lines that start with a blank or have columns: they are not filled. */
static bool is_table(const char *line, size_t length)
{
    return length > 0 && (line[0] == ' ' || memmem(line, length, "  ", 2) != NULL);
}

static void add_details(struct buffer *page, const char *text)
{
    bool table = false;
    while (*text != '\0') {
        size_t length = strcspn(text, "\n");
        bool is = is_table(text, length);
        if (is != table)
            buffer_text(page, is ? ".PP\n.EX\n" : ".EE\n.PP\n");
        table = is;
        if (length == 0 && !table)
            buffer_text(page, ".PP\n");
        else {
            add_plain(page, text, length);
            buffer_text(page, "\n");
        }
        text += length + (text[length] == '\n');
    }
    buffer_text(page, table ? ".EE\n" : "");
}

/* ---- pages ---- */

/* "trauma-measure-instruction" */
static char *page_name(const struct command *command, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "trauma-%s", command->name);
    for (char *at = name; *at != '\0'; at++)
        if (*at == ' ')
            *at = '-';
    return name;
}

static void begin_page(struct buffer *page, const char *name, const char *summary)
{
    char upper[NAME_BYTES];
    snprintf(upper, sizeof upper, "%s", name);
    for (char *at = upper; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    buffer_printf(page, ".TH %s 1 \"\" \"trauma %s\" \"TraumaGen\"\n.SH NAME\n%s \\- ", upper, TRAUMA_VERSION,
                  name);
    add_words(page, summary);
    buffer_text(page, "\n.SH SYNOPSIS\n");
}

static void add_options(struct buffer *page, const struct command *command)
{
    struct option_words option;
    buffer_text(page, ".SH OPTIONS\n");
    for (size_t i = 0; options_words(command->name, command->options, i, &option); i++) {
        buffer_text(page, ".TP\n");
        if (option.letter != 0)
            buffer_printf(page, "\\fB\\-%c\\fR, ", option.letter);
        buffer_text(page, "\\fB\\-\\-");
        add_words(page, option.name);
        buffer_text(page, "\\fR");
        if (option.argument != NULL) {
            buffer_text(page, " \\fI");
            add_words(page, option.argument);
            buffer_text(page, "\\fR");
        }
        buffer_text(page, "\n");
        add_words(page, option.help);
        buffer_text(page, "\n");
    }
}

static void add_command_page(struct buffer *page, const struct command *command)
{
    char name[NAME_BYTES];
    struct buffer details = {0};
    begin_page(page, page_name(command, name), command->summary);
    for (const char *at = command->arguments; *at != '\0';) {
        size_t length = strcspn(at, "\n");
        const char *bare = at + strspn(at, " ");
        buffer_text(page, at == command->arguments ? "" : ".br\n");
        if (at == command->arguments)
            buffer_printf(page, "\\fBtrauma %s\\fR ", command->name);
        add_plain(page, bare, length - (size_t)(bare - at));
        buffer_text(page, "\n");
        at += length + (at[length] == '\n');
    }
    commands_add_details(command, &details);
    buffer_text(page, ".SH DESCRIPTION\n");
    add_words(page, "The command ");
    add_words(page, command->summary);
    buffer_text(page, ".\n");
    if (details.size > 0)
        add_details(page, details.data);
    buffer_free(&details);
    add_options(page, command);
    if (command->examples != NULL) {
        buffer_text(page, ".SH EXAMPLES\n");
        add_details(page, command->examples);
    }
    buffer_text(page, ".SH SEE ALSO\n.BR trauma (1)\n");
}

static const char exit_codes[] =
    ".SH EXIT STATUS\n"
    ".TP\n0\nsuccess\n"
    ".TP\n1\nfailure while running\n"
    ".TP\n2\nwrong usage\n"
    ".TP\n3\na faulty recipe or machine file\n"
    ".TP\n4\nhardware, a permission or a program that is needed is missing here; or nothing was observed\n"
    ".TP\n5\na rate missed its target, or diff found a change above its threshold\n";

static const char environment[] =
    ".SH ENVIRONMENT\n"
    ".TP\n.B TRAUMA_ROOT\nthe folder of templates/ and recipes/, instead of those beside the program\n"
    ".TP\n.B TRAUMA_POWER\nthe default of --power\n"
    ".TP\n.B TRAUMA_ERRORS\njson: an error is an object on a line of standard error: {\"error\": {\"code\", "
    "\"file\", \"line\", \"message\", \"hint\"}}\n"
    ".TP\n.B NO_COLOR\nif not empty, tables have no styles\n"
    ".TP\n.B XDG_CONFIG_HOME\nthe folder of traumagen/, which holds the findings about this machine "
    "(~/.config)\n"
    ".TP\n.B TRAUMA_CUDA\\fR, \\fBTRAUMA_CUPTI\nother files than libcuda.so.1 and CUPTI's library\n";

static void add_overview_page(struct buffer *page)
{
    begin_page(page, "trauma", "generates microbenchmarks that behave as a recipe states, and proves it");
    buffer_text(page, "\\fBtrauma\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR]\n.SH COMMANDS\n");
    for (size_t i = 0; commands_all[i] != NULL; i++) {
        char name[NAME_BYTES];
        buffer_printf(page, ".TP\n.BR %s (1)\n", page_name(commands_all[i], name));
        add_words(page, commands_all[i]->summary);
        buffer_text(page, "\n");
    }
    buffer_text(page, exit_codes);
    buffer_text(page, environment);
}

/* ---- the command ---- */

static enum status write_page(const char *folder, const struct command *command, struct error *error)
{
    char name[NAME_BYTES], path[FILE_PATH_BYTES];
    struct buffer page = {0};
    if (command == NULL)
        add_overview_page(&page);
    else
        add_command_page(&page, command);
    snprintf(path, sizeof path, "%s/%s.1", folder, command == NULL ? "trauma" : page_name(command, name));
    enum status status = file_write(path, page.data, page.size, false, error);
    buffer_free(&page);
    return status;
}

static enum status write_all(const char *folder, const struct command *const *list, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && list[i] != NULL; i++) {
        status = write_page(folder, list[i], error);
        if (status == STATUS_OK && list[i]->parts != NULL)
            status = write_all(folder, list[i]->parts, error);
    }
    return status;
}

/* The command that the words name: "gen", or "measure instruction"; NULL if there is none. */
static const struct command *find(const struct options *options)
{
    const struct command *const *list = commands_all;
    const struct command *found = NULL;
    for (size_t i = 0; i < options->input_count; i++) {
        found = list == NULL ? NULL : commands_find(list, options->inputs[i]);
        list = found == NULL ? NULL : found->parts;
    }
    return found;
}

static int run(const struct options *options)
{
    struct error error;
    struct buffer page = {0};
    enum status status = STATUS_OK;
    const struct command *command = find(options);
    if (options->input_count > 0 && command == NULL) {
        error_set(&error, STATUS_USAGE, "there is no command '%s'",
                  options->inputs[options->input_count - 1]);
        error_hint(&error, "trauma --help lists the commands");
        return command_fail(&error);
    }
    if (options->output != NULL) {
        if (command != NULL)
            error_set(&error, STATUS_USAGE,
                      "trauma man -o writes the pages of all commands: it takes no name");
        status = command != NULL ? STATUS_USAGE : write_page(options->output, NULL, &error);
        if (status == STATUS_OK)
            status = write_all(options->output, commands_all, &error);
        return status == STATUS_OK ? STATUS_OK : command_fail(&error);
    }
    if (command == NULL)
        add_overview_page(&page);
    else
        add_command_page(&page, command);
    fwrite(page.data, 1, page.size, stdout);
    buffer_free(&page);
    return STATUS_OK;
}

const struct command command_man = {
    .name = "man",
    .arguments = "[COMMAND] | -o DIR",
    .summary = "prints the manual page of a command, or of trauma; -o writes all of them into a folder",
    .details = "  trauma man gen | man -l -  shows a page\n",
    .options = accepted,
    .run = run,
};
