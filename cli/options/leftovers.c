/* Warns of the files and folders that killed commands left beside this one's output. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/files/draft.h"
#include "cli/command.h"
#include "generator/suite/suite_place.h"

#include <stdio.h>
#include <string.h>

/* The path as one word for a shell. */
static void quote(const char *path, struct buffer *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+,=";
    bool is_plain = path[strspn(path, plain)] == '\0' && path[0] != '-';
    text->size = 0;
    buffer_text(text, is_plain ? "" : path[0] == '-' ? "./'" : "'");
    for (const char *at = path; *at != '\0'; at++)
        buffer_append(text, *at == '\'' ? "'\\''" : at, *at == '\'' ? 4 : 1);
    buffer_text(text, is_plain ? "" : "'");
}

static void warn(const struct options *options, const char *folder, const char *name)
{
    char path[FILE_PATH_BYTES];
    char before[FILE_PATH_BYTES];
    struct buffer word = {0};
    file_join(path, strcmp(folder, ".") == 0 ? "" : folder, name);
    quote(path, &word);
    if (file_is_folder(file_join(before, path, SUITE_PLACE_BEFORE)))
        command_warn(options,
                     "a killed command left the former suite in %s: move it back if there is none in its "
                     "place; then `rm -r %s` removes the rest",
                     before, word.data);
    else
        command_warn(options, "a killed command left %s: `rm -r %s` removes it", path, word.data);
    buffer_free(&word);
}

void leftovers_warn(const struct options *options)
{
    char folder[FILE_PATH_BYTES];
    char output[FILE_PATH_BYTES];
    snprintf(output, sizeof output, "%s", options->output == NULL ? "" : options->output);
    for (size_t length = strlen(output); length > 1 && output[length - 1] == '/'; length--)
        output[length - 1] = '\0';
    char **names = draft_leftovers(file_folder_of(folder, output));
    for (size_t i = 0; names != NULL && names[i] != NULL; i++)
        warn(options, folder, names[i]);
    draft_free_list(names);
}
