#include "runner/sources/events/counted_runs.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json/json_scan.h"
#include "base/memory.h"
#include "base/units.h"
#include "runner/sources/import/import_formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN_PROGRAM, COLUMN_EVENT, COLUMN_PASSES, COLUMN_COUNT, COLUMNS };
enum { FIELDS_MOST = 64 };
static const char *const columns[COLUMNS] = {"program", "event", "passes", "count"};
static const double PERCENT_ALWAYS = 99.995; /* perf writes two digits */

/* A file that is being read. */
struct count_file {
    struct counted_runs *runs;
    const char *path;
    int line;
    struct error *error;
};

static enum status refuse(const struct count_file *file, const char *found, const char *expected)
{
    error_set(file->error, STATUS_USAGE, "%s", found);
    error_at(file->error, file->path, file->line);
    error_hint(file->error, "expected %s", expected);
    return STATUS_USAGE;
}

static struct counted_run *add_run(struct counted_runs *runs)
{
    runs->items = memory_next(runs->items, runs->count, sizeof *runs->items);
    runs->items[runs->count] = (struct counted_run){0};
    return &runs->items[runs->count++];
}

/* A count, or perf's word for none. */
static enum status read_count(const struct count_file *file, const char *text, struct counted_run *run)
{
    if (text[0] == '<' || text[0] == '\0')
        run->why = text[0] == '\0' ? "no count" : arena_strdup(&file->runs->arena, text);
    else if (!units_parse_number(text, &run->count) || !(run->count >= 0))
        return refuse(file, "the count is not a number", "0 or more, or <not counted>");
    return STATUS_OK;
}

/* ---- the table ---- */

static enum status read_heading(const struct count_file *file, char *line, int place[COLUMNS], size_t *width)
{
    char *fields[FIELDS_MOST];
    *width = import_split(line, ',', fields, FIELDS_MOST);
    for (size_t i = 0; i < COLUMNS; i++) {
        place[i] = -1;
        for (size_t j = 0; j < *width; j++)
            if (strcmp(fields[j], columns[i]) == 0)
                place[i] = (int)j;
        if (place[i] < 0)
            return refuse(file, "the heading lacks a column", "program,event,passes,count");
    }
    return STATUS_OK;
}

/* A point's name has commas: without quotes it is in several fields. */
static enum status read_row(const struct count_file *file, char *line, const int place[COLUMNS], size_t width)
{
    char *fields[FIELDS_MOST];
    size_t found = import_split(line, ',', fields, FIELDS_MOST);
    size_t more = found - width;
    if (found < width || (more > 0 && place[COLUMN_PROGRAM] != 0))
        return refuse(file, "the row has another number of fields than the heading",
                      "a name in quotes where it has a comma");
    struct counted_run run = {0};
    struct buffer program = {0};
    for (size_t i = 0; i <= more; i++)
        buffer_printf(&program, "%s%s", i == 0 ? "" : ",", fields[(size_t)place[COLUMN_PROGRAM] + i]);
    run.program = arena_strdup(&file->runs->arena, program.data);
    buffer_free(&program);
    run.event = arena_strdup(&file->runs->arena, fields[(size_t)place[COLUMN_EVENT] + more]);
    if (!units_parse_number(fields[(size_t)place[COLUMN_PASSES] + more], &run.passes) || !(run.passes >= 1))
        return refuse(file, "the number of passes is not a number", "1 or more");
    enum status status = read_count(file, fields[(size_t)place[COLUMN_COUNT] + more], &run);
    if (status == STATUS_OK)
        *add_run(file->runs) = run;
    return status;
}

static enum status read_table(const char *path, struct counted_runs *runs, struct error *error)
{
    struct buffer text = {0};
    int place[COLUMNS];
    size_t width = 0;
    struct count_file file = {runs, path, 0, error};
    enum status status = file_read(path, &text, error);
    buffer_text(&text, "");
    char *next = text.data;
    while (status == STATUS_OK && next != NULL && *next != '\0') {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        file.line++;
        if (line[strspn(line, " \r")] == '\0' || line[0] == '#')
            continue;
        status = width == 0 ? read_heading(&file, line, place, &width) : read_row(&file, line, place, width);
    }
    if (status == STATUS_OK && width == 0)
        status = refuse(&file, "the file of counts is empty", "program,event,passes,count and a row per run");
    buffer_free(&text);
    return status;
}

/* ---- what perf stat wrote ---- */

/* The member's text; "" if there is none. */
static const char *member(const struct json_members *members, const char *key, struct arena *arena)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->items[i].key_size == strlen(key) &&
            strncmp(members->items[i].key, key, strlen(key)) == 0) {
            char *text = arena_alloc(arena, members->items[i].size + 1, 1);
            memcpy(text, members->items[i].value, members->items[i].size);
            return text;
        }
    return "";
}

static enum status read_perf_line(const struct count_file *file, char *line, const struct counted_run *from)
{
    struct arena *arena = &file->runs->arena;
    struct json_members members;
    struct counted_run run = *from;
    char none[] = "";
    char *fields[FIELDS_MOST] = {none, none, none, none, none};
    if (line[0] != '{') {
        (void)import_split(line, ',', fields, FIELDS_MOST); /* value, unit, event, time, percent */
    } else if (json_scan(line, strlen(line), &members)) {
        fields[0] = (char *)(size_t)member(&members, "counter-value", arena);
        fields[2] = (char *)(size_t)member(&members, "event", arena);
        fields[4] = (char *)(size_t)member(&members, "pcnt-running", arena);
    }
    if (fields[2][0] == '\0')
        return refuse(file, "the line is not perf's", "what `perf stat -x,` or `perf stat -j` writes");
    double percent;
    run.event = import_event_name(arena, fields[2]);
    enum status status = read_count(file, fields[0], &run);
    if (units_parse_number(fields[4], &percent) && percent < PERCENT_ALWAYS && run.why == NULL)
        run.why = "it took turns with other events: count one at a time";
    if (status == STATUS_OK)
        *add_run(file->runs) = run;
    return status;
}

static enum status read_perf(const char *path, const struct counted_run *run, struct counted_runs *runs,
                             struct error *error)
{
    struct buffer text = {0};
    struct count_file file = {runs, path, 0, error};
    enum status status = file_read(path, &text, error);
    buffer_text(&text, "");
    char *next = text.data;
    while (status == STATUS_OK && next != NULL && *next != '\0') {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        file.line++;
        if (line[strspn(line, " \r")] != '\0' && line[0] != '#')
            status = read_perf_line(&file, line, run);
    }
    buffer_free(&text);
    return status;
}

/* depth: 0: of benchmarks, 1: of points, 2: of files. */
static enum status read_folder(const char *folder, int depth, const char *name, struct counted_runs *runs,
                               struct error *error)
{
    char **names = file_list(folder, "");
    enum status status = STATUS_OK;
    for (size_t i = 0; names != NULL && names[i] != NULL && status == STATUS_OK; i++) {
        char path[FILE_PATH_BYTES], inner[FILE_PATH_BYTES];
        snprintf(inner, sizeof inner, "%s%s%s", name, depth == 1 ? "/" : "", names[i]);
        file_join(path, folder, names[i]);
        struct counted_run run = {.program = name, .passes = strtod(names[i], NULL)};
        if (depth < 2)
            status = read_folder(path, depth + 1, arena_strdup(&runs->arena, inner), runs, error);
        else if (run.passes >= 1)
            status = read_perf(path, &run, runs, error);
    }
    if (names != NULL)
        file_free_names(names);
    return status;
}

enum status counted_runs_read(const char *path, struct counted_runs *runs, struct error *error)
{
    if (file_is_regular(path) || !file_is_folder(path))
        return read_table(path, runs, error);
    enum status status = read_folder(path, 0, "", runs, error);
    if (status == STATUS_OK && runs->count == 0) {
        error_set(error, STATUS_USAGE, "%s has no counts", path);
        error_hint(error, "expected BENCHMARK/POINT/PASSES.csv in it, as `perf stat -x, -o` writes them");
        return STATUS_USAGE;
    }
    return status;
}

void counted_runs_free(struct counted_runs *runs)
{
    free(runs->items);
    arena_free(&runs->arena);
    *runs = (struct counted_runs){.count = 0};
}
