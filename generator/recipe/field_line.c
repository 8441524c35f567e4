#include "generator/recipe/field_line.h"

#include "base/buffer.h"
#include "base/file.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

enum { MOST_PARTS = 8 };

/* "benchmark", "measure", "rep": slices of the message. */
struct path_part {
    const char *start;
    size_t length;
};

struct field_path {
    struct path_part parts[MOST_PARTS];
    size_t count;
};

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static void add(struct field_path *path, const char *start, size_t length)
{
    if (path->count < MOST_PARTS && length > 0)
        path->parts[path->count++] = (struct path_part){start, length};
}

/* The start of the path in the message: one of the words, alone. */
static const char *find_root(const char *message)
{
    static const char *const roots[] = {"benchmark", "machine", "sweep", "plot"};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
        for (const char *at = strstr(message, roots[i]); at != NULL; at = strstr(at + 1, roots[i])) {
            bool alone = (at == message || at[-1] == ' ') && strchr(". ,:[", at[strlen(roots[i])]) != NULL;
            if (alone && (found == NULL || at < found))
                found = at;
        }
    return found;
}

/* Adds the first word in quotes: an unknown field or a key. */
static void add_quoted(struct field_path *path, const char *message)
{
    size_t first = strcspn(message, "'\"");
    if (message[first] == '\0')
        return;
    const char *start = message + first + 1;
    add(path, start, strcspn(start, "'\""));
}

static void read_path(const char *message, struct field_path *path)
{
    const char *at = find_root(message);
    if (at == NULL)
        return;
    if (strncmp(at, "sweep", 5) == 0 || strncmp(at, "plot", 4) == 0) /* reported without their benchmark */
        add(path, "benchmark", strlen("benchmark"));
    for (;;) {
        size_t length = 0;
        while (is_word(at[length]))
            length++;
        add(path, at, length);
        at += length;
        if (*at != '.' || !is_word(at[1]))
            break;
        at++;
    }
    bool unknown = strncmp(message, "unknown field ", strlen("unknown field ")) == 0;
    if (unknown)
        add_quoted(path, message);
    else if (strncmp(at, " has no field", strlen(" has no field")) == 0 ||
             strncmp(at, " names ", strlen(" names ")) == 0)
        add_quoted(path, at);
}

/* A Lua text from some position on. */
struct source_reader {
    const char *at;
    int line;
};

static void step(struct source_reader *reader, size_t count)
{
    for (; count > 0 && *reader->at != '\0'; count--, reader->at++)
        reader->line += *reader->at == '\n';
}

/* The length of "[[" or "[==["; 0 for another bracket. */
static size_t long_bracket(const char *at)
{
    size_t length = 1;
    if (*at != '[')
        return 0;
    while (at[length] == '=')
        length++;
    return at[length] == '[' ? length + 1 : 0;
}

static void skip_long(struct source_reader *reader, size_t opening)
{
    step(reader, opening);
    while (*reader->at != '\0') {
        size_t equals = 1;
        while (*reader->at == ']' && reader->at[equals] == '=')
            equals++;
        if (*reader->at == ']' && reader->at[equals] == ']' && equals + 1 == opening) {
            step(reader, opening);
            return;
        }
        step(reader, 1);
    }
}

/* Skips a comment or a string; false if there is none. */
static bool skip(struct source_reader *reader)
{
    bool comment = reader->at[0] == '-' && reader->at[1] == '-';
    size_t opening = long_bracket(reader->at + (comment ? 2 : 0));
    if (comment)
        step(reader, 2);
    if (opening > 0) {
        skip_long(reader, opening);
        return true;
    }
    if (comment) {
        step(reader, strcspn(reader->at, "\n"));
        return true;
    }
    char quote = *reader->at;
    if (quote != '"' && quote != '\'')
        return false;
    step(reader, 1);
    while (*reader->at != '\0' && *reader->at != quote && *reader->at != '\n')
        step(reader, *reader->at == '\\' ? 2 : 1);
    step(reader, 1);
    return true;
}

/* True if `rest` continues like a field: "= value". */
static bool is_set(const char *rest)
{
    rest += strspn(rest, " \t\r\n");
    return rest[0] == '=' && rest[1] != '=';
}

/* True at the start of the field: NAME = or ["NAME"] =. */
static bool begins(const struct source_reader *reader, const struct path_part *part)
{
    const char *at = reader->at;
    bool quoted = at[0] == '[' && (at[1] == '"' || at[1] == '\'');
    at += quoted ? 2 : 0;
    if (strncmp(at, part->start, part->length) != 0)
        return false;
    at += part->length;
    if (quoted)
        return at[0] == reader->at[1] && at[1] == ']' && is_set(at + 2);
    return !is_word(*at) && is_set(at);
}

/* The line of the path's last part found, each within the previous part's table; line if none is. */
static int find(struct source_reader *reader, const struct field_path *path, int line)
{
    size_t next = 1;
    int depth = 0, wanted = 1;
    bool inside = false; /* a word */
    while (*reader->at != '\0' && next < path->count) {
        if (!inside && depth == wanted && begins(reader, &path->parts[next])) {
            line = reader->line;
            wanted++;
            next++;
            step(reader, strcspn(reader->at, "="));
            inside = false;
            continue;
        }
        inside = is_word(*reader->at);
        if (!inside && skip(reader))
            continue;
        depth += (*reader->at == '{') - (*reader->at == '}');
        if (depth < wanted - 1 || (depth < wanted && *reader->at == '}'))
            break; /* the table ended without it */
        step(reader, 1);
    }
    return line;
}

int field_line_in(const char *text, int line, const char *message)
{
    struct source_reader reader = {text, 1};
    struct field_path path = {.count = 0};
    read_path(message, &path);
    if (path.count < 2 || line < 1)
        return line;
    while (reader.line < line && *reader.at != '\0')
        step(&reader, 1);
    const char *end = reader.at + strcspn(reader.at, "\n");
    const char *call = strstr(reader.at, path.parts[0].start[0] == 'b' ? "benchmark" : "machine");
    if (call == NULL || call > end)
        return line;
    step(&reader, (size_t)(call - reader.at));
    return find(&reader, &path, line);
}

void field_line_find(struct error *error)
{
    struct buffer text = {0};
    bool read = error->line > 0 && file_read(error->file, &text, NULL) == STATUS_OK;
    buffer_text(&text, ""); /* a text to its end */
    if (read)
        error->line = field_line_in(text.data, error->line, error->message);
    buffer_free(&text);
}
