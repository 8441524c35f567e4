/* Reads a file of events line by line: a table maps the first word to the function that reads the rest. */
#include "runner/sources/events/event_file.h"

#include "base/text/suggest.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 1024, CPUS_MOST = 64, COUNTERS_MOST = 64 };

struct event_reader {
    struct event_file *file;
    struct arena *arena;
    struct error *error;
    int line;
    const char *fixed; /* the names of the line "fixed" */
};

static const char BLANKS[] = " \t\r";

static enum status refuse(const struct event_reader *reader, const char *found, const char *expected)
{
    error_set(reader->error, STATUS_RECIPE, "%s", found);
    error_at(reader->error, reader->file->path, reader->line);
    error_hint(reader->error, "expected %s", expected);
    return STATUS_RECIPE;
}

/* Cuts off the text's first word, and moves the text behind it; "" at the end. */
static char *next_word(char **text)
{
    char *word = *text + strspn(*text, BLANKS);
    char *end = word + strcspn(word, BLANKS);
    *text = end + strspn(end, BLANKS);
    *end = '\0';
    return word;
}

static struct event_row *new_row(struct event_reader *reader, enum event_kind kind, const char *name)
{
    if (reader->file->row_count == ROWS_MOST)
        return NULL;
    struct event_row *row = &reader->file->rows[reader->file->row_count++];
    *row = (struct event_row){.kind = kind, .name = name, .text = "", .rest = "", .line = reader->line};
    return row;
}

static enum status too_many(const struct event_reader *reader)
{
    return refuse(reader, "the file has too many lines", "at most a few hundred");
}

/* ---- the lines ---- */

typedef enum status line_reader(struct event_reader *reader, char *rest, size_t offset);

/* "title TEXT": sets the field at the offset. */
static enum status read_text(struct event_reader *reader, char *rest, size_t offset)
{
    if (rest[0] == '\0')
        return refuse(reader, "the line has nothing after its first word", "a name or a text there");
    const char **field = (const char **)(void *)((char *)reader->file + offset);
    *field = rest;
    return STATUS_OK;
}

static enum status read_cpu(struct event_reader *reader, char *rest, size_t offset)
{
    (void)offset;
    const char *vendor = next_word(&rest);
    const char *family = next_word(&rest);
    char *end = NULL;
    long number = strcmp(family, "*") == 0 ? -1 : strtol(family, &end, 0);
    bool wrong = family[0] == '\0' || (end != NULL && *end != '\0') || number < -1 || number > 4095;
    if (wrong || rest[0] == '\0')
        return refuse(reader, "the line describes no processor",
                      "\"cpu VENDOR FAMILY MODELS\", as in \"cpu AuthenticAMD 25 0x00-0x0f 0x20\"");
    if (strspn(rest, "0123456789abcdefxABCDEFX- \t*") != strlen(rest))
        return refuse(reader, "the models are not numbers", "numbers and ranges such as 0x00-0x0f, or *");
    if (reader->file->cpu_count == CPUS_MOST)
        return too_many(reader);
    reader->file->cpus[reader->file->cpu_count++] =
        (struct event_cpu){.vendor = strcmp(vendor, "*") == 0 ? NULL : vendor,
                           .family = number,
                           .models = strchr(rest, '*') != NULL ? "" : rest};
    return STATUS_OK;
}

static enum status read_counters(struct event_reader *reader, char *rest, size_t offset)
{
    (void)offset;
    char *end;
    long number = strtol(rest, &end, 10);
    if (end == rest || *end != '\0' || number < 1 || number > COUNTERS_MOST)
        return refuse(reader, "the number of counters is invalid", "a whole number from 1 to 64");
    reader->file->counters = (unsigned)number;
    return STATUS_OK;
}

static enum status read_fixed(struct event_reader *reader, char *rest, size_t offset)
{
    (void)offset;
    reader->fixed = rest;
    return STATUS_OK;
}

/* "event NAME CODE REST"; offset is the kind. */
static enum status read_code(struct event_reader *reader, char *rest, size_t offset)
{
    const char *name = next_word(&rest);
    const char *code = next_word(&rest);
    if (code[0] == '\0')
        return refuse(reader, "the event has no code",
                      "\"event NAME CODE\", the code a libpfm4 name, or r and hexadecimal digits");
    struct event_row *row = new_row(reader, (enum event_kind)offset, name);
    if (row == NULL)
        return too_many(reader);
    row->text = code;
    row->rest = rest;
    return STATUS_OK;
}

/* "metric NAME [loads-only] = EXPRESSION"; offset is the kind. */
static enum status read_sum(struct event_reader *reader, char *rest, size_t offset)
{
    const char *name = next_word(&rest);
    const char *word = next_word(&rest);
    bool loads_only = offset == EVENT_METRIC && strcmp(word, "loads-only") == 0;
    if (loads_only)
        word = next_word(&rest);
    if (strcmp(word, "=") != 0 || rest[0] == '\0')
        return refuse(reader, "the line has no value",
                      offset == EVENT_METRIC ? "\"metric NAME = SUM / SUM\", with blanks around the signs"
                                             : "\"count NAME = SUM\", with blanks around the signs");
    struct event_row *row = new_row(reader, (enum event_kind)offset, name);
    if (row == NULL)
        return too_many(reader);
    row->text = rest;
    row->loads_only = loads_only;
    return STATUS_OK;
}

/* "none NAME: SENTENCE" */
static enum status read_none(struct event_reader *reader, char *rest, size_t offset)
{
    (void)offset;
    char *colon = strchr(rest, ':');
    if (colon == NULL || colon == rest || colon[1 + strspn(colon + 1, BLANKS)] == '\0')
        return refuse(reader, "the line has no reason", "\"none NAME: why there is no such count\"");
    *colon = '\0';
    struct event_row *row = new_row(reader, EVENT_NONE, rest);
    if (row == NULL)
        return too_many(reader);
    row->text = colon + 1 + strspn(colon + 1, BLANKS);
    return STATUS_OK;
}

static const struct {
    const char *word;
    line_reader *read;
    size_t offset; /* of a field of struct event_file, or the kind of row */
} words[] = {
    {"family", read_text, offsetof(struct event_file, family)},
    {"title", read_text, offsetof(struct event_file, title)},
    {"source", read_text, offsetof(struct event_file, source)},
    {"pmu", read_text, offsetof(struct event_file, pmu)},
    {"machines", read_text, offsetof(struct event_file, machines)},
    {"cpu", read_cpu, 0},
    {"counters", read_counters, 0},
    {"fixed", read_fixed, 0},
    {"event", read_code, EVENT_CODE},
    {"percent", read_code, EVENT_PERCENT},
    {"count", read_sum, EVENT_COUNT},
    {"metric", read_sum, EVENT_METRIC},
    {"none", read_none, 0},
};
enum { WORD_COUNT = sizeof words / sizeof words[0] };

static enum status unknown_word(const struct event_reader *reader, const char *word)
{
    const char *known[WORD_COUNT];
    for (size_t i = 0; i < WORD_COUNT; i++)
        known[i] = words[i].word;
    error_set(reader->error, STATUS_RECIPE, "no line of events begins with \"%.40s\"", word);
    error_at(reader->error, reader->file->path, reader->line);
    suggest_hint(reader->error, word, known, WORD_COUNT,
                 "expected family, title, source, pmu, machines, cpu, counters, fixed, event, percent, "
                 "count, metric or none");
    return STATUS_RECIPE;
}

static enum status read_line(struct event_reader *reader, char *line)
{
    size_t length = strlen(line);
    while (length > 0 && strchr(BLANKS, line[length - 1]) != NULL)
        line[--length] = '\0';
    const char *word = next_word(&line);
    if (word[0] == '\0' || word[0] == '#')
        return STATUS_OK;
    for (size_t i = 0; i < WORD_COUNT; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].read(reader, line, words[i].offset);
    return unknown_word(reader, word);
}

/* ---- the file ---- */

static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && strchr(" \t", at[length]) != NULL)
            return true;
    return false;
}

static enum status finish(struct event_reader *reader)
{
    struct event_file *file = reader->file;
    for (size_t i = 0; i < file->row_count; i++)
        if (file->rows[i].kind == EVENT_CODE && has_word(reader->fixed, file->rows[i].name))
            file->rows[i].fixed = true;
    if (file->title == NULL)
        file->title = file->family;
    if (file->family != NULL)
        return STATUS_OK;
    reader->line = 0;
    return refuse(reader, "the events file has no name", "a line \"family NAME\"");
}

enum status event_file_parse(const char *text, size_t size, const char *path, struct arena *arena,
                             struct event_file *file, struct error *error)
{
    *file = (struct event_file){.path = arena_strdup(arena, path)};
    file->rows = arena_alloc(arena, ROWS_MOST, sizeof *file->rows);
    file->cpus = arena_alloc(arena, CPUS_MOST, sizeof *file->cpus);
    struct event_reader reader = {.file = file, .arena = arena, .error = error};
    char *copy = arena_alloc(arena, size + 1, 1);
    memcpy(copy, text, size);
    if (memchr(copy, '\0', size) != NULL)
        return refuse(&reader, "the events file contains zero bytes", "a text");
    char *next = copy;
    enum status status = STATUS_OK;
    while (status == STATUS_OK && next != NULL) {
        char *line = next;
        next = strchr(line, '\n');
        if (next != NULL)
            *next++ = '\0';
        reader.line++;
        status = read_line(&reader, line);
    }
    return status == STATUS_OK ? finish(&reader) : status;
}

/* ---- queries ---- */

static bool model_fits(const char *models, unsigned model)
{
    if (models[0] == '\0')
        return true;
    for (const char *at = models; *at != '\0';) {
        char *end;
        unsigned long first = strtoul(at, &end, 0);
        unsigned long last = first;
        if (end == at)
            return false;
        if (*end == '-')
            last = strtoul(end + 1, &end, 0);
        if (model >= first && model <= last)
            return true;
        at = end + strspn(end, BLANKS);
    }
    return false;
}

bool event_file_fits(const struct event_file *file, const char *vendor, unsigned family, unsigned model,
                     const char *pmu)
{
    if (file->pmu != NULL && strcmp(file->pmu, pmu) != 0)
        return false;
    for (size_t i = 0; i < file->cpu_count; i++) {
        const struct event_cpu *cpu = &file->cpus[i];
        if ((cpu->vendor == NULL || strcmp(cpu->vendor, vendor) == 0) &&
            (cpu->family < 0 || cpu->family == (long)family) && model_fits(cpu->models, model))
            return true;
    }
    return false;
}

bool event_file_is_named(const struct event_file *file, const char *name)
{
    bool one = name[0] != '\0' && strpbrk(name, BLANKS) == NULL;
    return strcmp(file->family, name) == 0 || (one && has_word(file->machines, name));
}

bool event_file_is_general(const struct event_file *file)
{
    return file->cpu_count > 0 && file->cpus[0].vendor == NULL;
}

const struct event_row *event_file_find(const struct event_file *file, unsigned kinds, const char *name)
{
    for (size_t i = 0; i < file->row_count; i++)
        if ((kinds & 1U << file->rows[i].kind) != 0 && strcmp(file->rows[i].name, name) == 0)
            return &file->rows[i];
    return NULL;
}
