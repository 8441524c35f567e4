/* A line "paper NAME TITLE" begins a paper; every other line is one of its counters. */
#include "runner/sources/events/event_papers.h"

#include "base/memory.h"
#include "runner/sources/events/event_folder.h"

#include <stdlib.h>
#include <string.h>

static const char FILE_NAME[] = "events/papers.list";
static const char BLANKS[] = " \t\r";

struct papers_reader {
    json_t *papers;
    json_t *counters; /* of the current paper; NULL before the first */
    const char *path;
    int line;
    struct error *error;
};

static bool refuse(const struct papers_reader *reader, const char *found, const char *expected)
{
    error_set(reader->error, STATUS_RECIPE, "%s", found);
    error_at(reader->error, reader->path, reader->line);
    error_hint(reader->error, "expected %s", expected);
    return false;
}

/* The text without blanks at its ends; the trailing ones are cut off in place. */
static char *trim(char *text)
{
    text += strspn(text, BLANKS);
    size_t length = strlen(text);
    while (length > 0 && strchr(BLANKS, text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static bool begin_paper(struct papers_reader *reader, char *rest)
{
    rest = trim(rest);
    char *title = rest + strcspn(rest, BLANKS);
    if (*title == '\0')
        return refuse(reader, "the paper has no title", "\"paper NAME TITLE\"");
    *title++ = '\0';
    reader->counters = json_array();
    json_array_append_new(reader->papers, json_pack("{s:s, s:s, s:o}", "paper", rest, "title", trim(title),
                                                    "counters", reader->counters));
    return true;
}

/* "NAME, NAME; REMARK": the remark is on the last name */
static bool add_names(const struct papers_reader *reader, const char *counter, char *text)
{
    json_t *names = json_array();
    char *remark = strchr(text, ';');
    if (remark != NULL)
        *remark++ = '\0';
    char *rest = text;
    for (char *name = strtok_r(text, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest))
        json_array_append_new(names, json_string(trim(name)));
    json_array_append_new(reader->counters,
                          json_pack("{s:s, s:o, s:s?, s:n}", "counter", counter, "names", names, "remark",
                                    remark == NULL ? NULL : trim(remark), "why"));
    return json_array_size(names) > 0 || refuse(reader, "there is nothing after the =", "names there");
}

static bool read_line(struct papers_reader *reader, char *line)
{
    static const char PAPER[] = "paper ";
    line = trim(line);
    if (line[0] == '\0' || line[0] == '#')
        return true;
    if (strncmp(line, PAPER, strlen(PAPER)) == 0)
        return begin_paper(reader, line + strlen(PAPER));
    char *sign = line + strcspn(line, "=:");
    if (reader->counters == NULL || *sign == '\0' || sign == line)
        return refuse(reader, "this is not a counter of a paper",
                      "\"paper NAME TITLE\", then \"COUNTER = NAME\" or \"COUNTER: why there is none\"");
    bool named = *sign == '=';
    *sign = '\0';
    const char *counter = trim(line);
    if (named)
        return add_names(reader, counter, sign + 1);
    json_array_append_new(reader->counters, json_pack("{s:s, s:[], s:n, s:s}", "counter", counter, "names",
                                                      "remark", "why", trim(sign + 1)));
    return true;
}

/* [{"paper", "title", "counters": [{"counter", "names": [...], "remark" or null, "why" or null}]}] from the
 * text; "why" says why a counter has no substitute. New reference; NULL with file and line, STATUS_RECIPE,
 * when the text is wrong. */
static json_t *event_papers_parse(const char *text, size_t size, const char *path, struct error *error)
{
    struct papers_reader reader = {.papers = json_array(), .path = path, .error = error};
    char *copy = memory_zeroed(size + 1, 1);
    memcpy(copy, text, size);
    bool good = true;
    for (char *line = copy, *next; good && line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        reader.line++;
        good = read_line(&reader, line);
    }
    free(copy);
    if (good)
        return reader.papers;
    json_decref(reader.papers);
    return NULL;
}

json_t *event_papers_read(struct error *error)
{
    struct buffer text = {0};
    json_t *papers = NULL;
    if (event_folder_read(FILE_NAME, &text, error) == STATUS_OK)
        papers = event_papers_parse(text.size == 0 ? "" : text.data, text.size, FILE_NAME, error);
    buffer_free(&text);
    return papers;
}
