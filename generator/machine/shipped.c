#include "generator/machine/shipped.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/files/paths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files are read as text, because running each in a sandbox would delay the message. */

enum { MOST_NAMED = 3, WORD_BYTES = 64 };

static void blank_comments(char *text)
{
    for (char *at = text; (at = strstr(at, "--")) != NULL;)
        for (; *at != '\0' && *at != '\n'; at++)
            *at = ' ';
}

/* The text after "NAME =", or NULL. */
static const char *value_of(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)) != NULL; at++) {
        const char *value = at + strlen(name);
        bool whole = at == text || strchr(" \t\n{,", at[-1]) != NULL;
        value += strspn(value, " \t");
        if (whole && *value == '=')
            return value + 1 + strspn(value + 1, " \t");
    }
    return NULL;
}

/* True if the text's first `size` bytes have the word in quotes. */
static bool has_quoted(const char *text, size_t size, const char *word, size_t length)
{
    for (const char *at = text; (at = memchr(at, '"', size - (size_t)(at - text))) != NULL; at++)
        if (size - (size_t)(at - text) >= length + 2 && strncmp(at + 1, word, length) == 0 &&
            at[length + 1] == '"')
            return true;
    return false;
}

/* The number of an architecture such as sm_90, which later ones include; 0 for other texts. */
static unsigned long architecture_of(const char *word)
{
    return strncmp(word, "sm_", 3) == 0 ? strtoul(word + 3, NULL, 10) : 0;
}

/* True if the processor in quotes, such as "gfx906", is the word, or if the word is a generation, such as
 * gfx9, no later than the processor's. */
static bool is_processor(const char *quoted, const char *word, size_t length)
{
    size_t own = quoted != NULL && *quoted == '"' ? strcspn(quoted + 1, "\"") : 0;
    if (own < 6 || length < 4 || strncmp(quoted + 1, "gfx", 3) != 0 || strncmp(word, "gfx", 3) != 0)
        return false;
    unsigned long generation = 0; /* before the last two digits, which are hexadecimal */
    for (size_t i = 4; i < own - 1; i++)
        generation = 10 * generation + (unsigned long)(quoted[i] - '0');
    return length < 6 ? generation >= strtoul(word + 3, NULL, 10)
                      : own == length && strncmp(quoted + 1, word, length) == 0;
}

static bool is_with(const char *path, const char *isa, const char *features)
{
    struct buffer file = {0};
    bool with = false;
    if (file_read(path, &file, NULL) == STATUS_OK && file.data != NULL) {
        blank_comments(file.data);
        const char *named = value_of(file.data, "isa");
        const char *list = value_of(file.data, "features"), *arch = value_of(file.data, "arch");
        unsigned long own = arch != NULL && *arch == '"' ? architecture_of(arch + 1) : 0;
        bool runs = named != NULL && has_quoted(named, strcspn(named, ",\n"), isa, strlen(isa));
        for (const char *word = features; runs && *word != '\0';) {
            size_t length = strcspn(word, " ");
            bool alone = *word == '='; /* not later ones */
            unsigned long least = architecture_of(word + alone);
            with = with || (least > 0 && (alone ? own == least : own >= least)) ||
                   is_processor(arch, word, length) ||
                   (list != NULL && has_quoted(list, strcspn(list, "}"), word, length));
            word += length + strspn(word + length, " ");
        }
    }
    buffer_free(&file);
    return with;
}

/* Names at most MOST_NAMED machines that have the feature; returns the number of all. */
static size_t find_with(const char *isa, const char *features, char names[MOST_NAMED][WORD_BYTES])
{
    static const char suffix[] = ".lua";
    char home[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    size_t count = 0;
    char **files = paths_home(home, NULL) == STATUS_OK
                       ? file_list(file_join(folder, home, "recipes/machines"), suffix)
                       : NULL;
    for (size_t i = 0; files != NULL && files[i] != NULL; i++) {
        if (!is_with(file_join(path, folder, files[i]), isa, features))
            continue;
        if (count < MOST_NAMED)
            snprintf(names[count], WORD_BYTES, "%.*s", (int)(strlen(files[i]) - strlen(suffix)), files[i]);
        count++;
    }
    if (files != NULL)
        file_free_names(files);
    return count;
}

char *shipped_with(const char *isa, const char *features, char text[SHIPPED_TEXT_BYTES])
{
    char names[MOST_NAMED][WORD_BYTES];
    size_t count = find_with(isa, features, names);
    size_t named = count < MOST_NAMED ? count : MOST_NAMED;
    size_t used = 0;
    if (count == 0) {
        snprintf(text, SHIPPED_TEXT_BYTES,
                 strncmp(features, "gfx", 3) == 0
                     ? "no machine here has it: one whose file has gpu.arch = \"%.*s\" does"
                     : "no machine here has it: one whose file lists features = { \"%.*s\" } does",
                 (int)strcspn(features, " "), features);
        return text;
    }
    for (size_t i = 0; i < named && used < SHIPPED_TEXT_BYTES; i++)
        used += (size_t)snprintf(text + used, SHIPPED_TEXT_BYTES - used, "%s%s",
                                 i == 0 ? (count > 1 ? "machines " : "machine ")
                                 : i + 1 == named && count <= MOST_NAMED ? " and "
                                                                         : ", ",
                                 names[i]);
    if (used < SHIPPED_TEXT_BYTES && count > named)
        used += (size_t)snprintf(text + used, SHIPPED_TEXT_BYTES - used, " and %zu more", count - named);
    if (used < SHIPPED_TEXT_BYTES)
        snprintf(text + used, SHIPPED_TEXT_BYTES - used, count > 1 ? " have it" : " has it");
    return text;
}
