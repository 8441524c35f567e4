/* The folders are read completely each time, as they hold about twenty small files. */
#include "runner/sources/events/event_folder.h"

#include "base/file.h"
#include "base/files/paths.h"
#include "runner/sources/events/event_file.h"

#include <stdio.h>
#include <string.h>

/* ---- the papers' counters ---- */

/* A line "paper NAME TITLE" begins a paper; every other line is one of its counters. */

static const char FILE_NAME[] = "events/papers.list";
static const char BLANKS[] = " \t\r";

struct papers_reader {
    struct papers *papers;
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
    struct papers *papers = reader->papers;
    papers->items = arena_next(&papers->arena, papers->items, papers->count, sizeof *papers->items);
    papers->items[papers->count++] = (struct paper){.paper = rest, .title = trim(title)};
    return true;
}

static struct paper_counter *add_counter(struct papers *papers, const char *counter)
{
    struct paper *paper = &papers->items[papers->count - 1];
    paper->counters =
        arena_next(&papers->arena, paper->counters, paper->counter_count, sizeof *paper->counters);
    paper->counters[paper->counter_count] = (struct paper_counter){.counter = counter};
    return &paper->counters[paper->counter_count++];
}

/* "NAME, NAME; REMARK": the remark is on the last name */
static bool add_names(const struct papers_reader *reader, const char *counter, char *text)
{
    struct arena *arena = &reader->papers->arena;
    struct paper_counter *added = add_counter(reader->papers, counter);
    char *remark = strchr(text, ';');
    if (remark != NULL) {
        *remark++ = '\0';
        added->remark = trim(remark);
    }
    char *rest = text;
    for (char *name = strtok_r(text, ",", &rest); name != NULL; name = strtok_r(NULL, ",", &rest)) {
        added->names = arena_next(arena, added->names, added->name_count, sizeof *added->names);
        added->names[added->name_count++] = trim(name);
    }
    return added->name_count > 0 || refuse(reader, "there is nothing after the =", "names there");
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
    if (reader->papers->count == 0 || *sign == '\0' || sign == line)
        return refuse(reader, "this is not a counter of a paper",
                      "\"paper NAME TITLE\", then \"COUNTER = NAME\" or \"COUNTER: why there is none\"");
    bool named = *sign == '=';
    *sign = '\0';
    const char *counter = trim(line);
    if (named)
        return add_names(reader, counter, sign + 1);
    add_counter(reader->papers, counter)->why = trim(sign + 1);
    return true;
}

enum status event_papers_read(struct papers *papers, struct error *error)
{
    struct papers_reader reader = {.papers = papers, .path = FILE_NAME, .error = error};
    struct buffer text = {0};
    *papers = (struct papers){.count = 0};
    enum status status = event_folder_read(FILE_NAME, &text, error);
    char *line = status == STATUS_OK ? arena_strdup(&papers->arena, text.size == 0 ? "" : text.data) : NULL;
    for (char *next; status == STATUS_OK && line != NULL; line = next) {
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        reader.line++;
        if (!read_line(&reader, line))
            status = STATUS_RECIPE;
    }
    buffer_free(&text);
    return status;
}

/* ---- the folder ---- */

static const char SUFFIX[] = ".txt";
enum { FOLDERS = 2 };

/* Which files of a folder are requested. */
struct wanted_files {
    const struct event_processor *processor;
    bool untried; /* without files of trials */
    const char *tool;
    bool general; /* those for every processor, in a second round */
};

/* Called for the files of all families, the user's own first. */
typedef enum status visitor(const char *path, void *context, struct error *error);

static void folder_of(size_t number, bool imports, const char *home, char path[FILE_PATH_BYTES])
{
    char own[FILE_PATH_BYTES];
    const char *last = imports ? "imports" : "events";
    path[0] = '\0';
    if (number == 0 && paths_own(own)[0] != '\0')
        file_join(path, own, last);
    else if (number == 1)
        file_join(path, file_join(own, home, "templates"), last);
}

static enum status visit(bool imports, visitor *visit_file, void *context, struct error *error)
{
    char home[FILE_PATH_BYTES];
    enum status status = paths_home(home, error);
    for (size_t i = 0; i < FOLDERS && status == STATUS_OK; i++) {
        char folder[FILE_PATH_BYTES];
        folder_of(i, imports, home, folder);
        char **names = folder[0] == '\0' ? NULL : file_list(folder, SUFFIX);
        for (size_t j = 0; names != NULL && names[j] != NULL && status == STATUS_OK; j++) {
            char path[FILE_PATH_BYTES];
            status = visit_file(file_join(path, folder, names[j]), context, error);
        }
        if (names != NULL)
            file_free_names(names);
    }
    return status;
}

static enum status read_file(const char *path, struct arena *arena, struct event_file *file,
                             struct error *error)
{
    struct buffer text = {0};
    enum status status = file_read(path, &text, error);
    if (status == STATUS_OK)
        status = event_file_parse(text.size == 0 ? "" : text.data, text.size, path, arena, file, error);
    buffer_free(&text);
    return status;
}

/* ---- tables ---- */

struct gathering {
    struct event_table *table;
    struct wanted_files wanted;
};

static bool fits(const struct event_file *file, const struct wanted_files *wanted)
{
    const struct event_processor *processor = wanted->processor;
    if (wanted->tool != NULL)
        return strcmp(file->family, wanted->tool) == 0;
    if (wanted->untried && strcmp(file->family, EVENT_TRIAL_FAMILY) == 0)
        return false;
    if (event_file_is_general(file))
        return wanted->general;
    if (wanted->general)
        return false;
    return processor->name != NULL ? event_file_is_named(file, processor->name)
                                   : event_file_fits(file, processor->vendor, processor->family,
                                                     processor->model, processor->pmu);
}

static enum status gather(const char *path, void *context, struct error *error)
{
    struct gathering *gathering = context;
    struct event_table *table = gathering->table;
    struct event_file file;
    enum status status = read_file(path, &table->arena, &file, error);
    if (status == STATUS_OK && gathering->wanted.tool == NULL && file.cpu_count == 0) {
        error_set(error, STATUS_RECIPE, "the events file covers no processor");
        error_at(error, path, 0);
        error_hint(error,
                   "expected a line \"cpu VENDOR FAMILY MODELS\", as in \"cpu AuthenticAMD 25 0x00-0x0f\"");
        return STATUS_RECIPE;
    }
    if (status != STATUS_OK || !fits(&file, &gathering->wanted))
        return status;
    if (table->file_count == EVENT_TABLE_FILES)
        return error_set(error, STATUS_RECIPE, "%s: more than %d events files cover this processor", path,
                         EVENT_TABLE_FILES);
    table->files[table->file_count++] = file;
    return STATUS_OK;
}

static enum status no_such(bool imports, const char *name, struct error *error)
{
    char names[512];
    enum status status = event_folder_names(imports, names, sizeof names, error);
    if (status != STATUS_OK)
        return status;
    error_set(error, STATUS_USAGE, "there is no events file for \"%s\"", name);
    error_hint(error, "there are %s%s", names,
               imports ? "" : "; a machine's name, such as fx-8320, selects its family's");
    return STATUS_USAGE;
}

static enum status read_table(const struct event_processor *processor, bool untried,
                              struct event_table *table, struct error *error)
{
    *table = (struct event_table){.counters = 0};
    struct gathering gathering = {table, {.processor = processor, .untried = untried}};
    enum status status = visit(false, gather, &gathering, error);
    if (status == STATUS_OK && processor->name != NULL && table->file_count == 0)
        return no_such(false, processor->name, error);
    gathering.wanted.general = true;
    if (status == STATUS_OK && !event_table_of_gpu(table)) /* the kernel's own events are for processors */
        status = visit(false, gather, &gathering, error);
    return status == STATUS_OK ? event_table_link(table, error) : status;
}

enum status event_folder_table(const struct event_processor *processor, struct event_table *table,
                               struct error *error)
{
    return read_table(processor, false, table, error);
}

enum status event_folder_untried(const struct event_processor *processor, struct event_table *table,
                                 struct error *error)
{
    return read_table(processor, true, table, error);
}

enum status event_folder_import(const char *tool, struct event_table *table, struct error *error)
{
    *table = (struct event_table){.counters = 0};
    struct gathering gathering = {table, {.tool = tool}};
    enum status status = visit(true, gather, &gathering, error);
    if (status == STATUS_OK && table->file_count == 0)
        return no_such(true, tool, error);
    return status == STATUS_OK ? event_table_link(table, error) : status;
}

/* ---- names ---- */

struct listing {
    char *text;
    size_t capacity, used;
};

static enum status add_name(const char *path, void *context, struct error *error)
{
    struct listing *listing = context;
    struct arena arena = {NULL};
    struct event_file file;
    enum status status = read_file(path, &arena, &file, error);
    if (status == STATUS_OK && listing->used < listing->capacity)
        listing->used += (size_t)snprintf(listing->text + listing->used, listing->capacity - listing->used,
                                          "%s%s", listing->used == 0 ? "" : ", ", file.family);
    arena_free(&arena);
    return status;
}

enum status event_folder_names(bool imports, char *text, size_t capacity, struct error *error)
{
    struct listing listing = {text, capacity, 0};
    text[0] = '\0';
    return visit(imports, add_name, &listing, error);
}

enum status event_folder_read(const char *name, struct buffer *text, struct error *error)
{
    char home[FILE_PATH_BYTES];
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    enum status status = paths_home(home, error);
    if (status != STATUS_OK)
        return status;
    file_join(path, file_join(folder, home, "templates"), name);
    return file_read(path, text, error);
}
