#include "isa/sass/sass.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* A name in the code, and the instruction after it. */
struct sass_label {
    const char *name;
    uint64_t offset;
};

/* Branches to names are resolved at the end. */
struct sass_reader {
    struct sass *sass;
    struct arena names;
    size_t capacity;
    struct sass_label *labels;
    size_t label_count, label_room;
    const char **targets; /* [capacity], of instructions: the name that they branch to; NULL: none */
    const char *kernel;
    bool inside;
    int line;
};

enum { FIRST_ROOM = 1024 };

static void grow(struct sass_reader *reader)
{
    struct sass *sass = reader->sass;
    if (sass->count < reader->capacity)
        return;
    reader->capacity = reader->capacity == 0 ? FIRST_ROOM : 2 * reader->capacity;
    sass->code = memory_resized(sass->code, reader->capacity, sizeof *sass->code);
    reader->targets = memory_resized(reader->targets, reader->capacity, sizeof *reader->targets);
}

/* The first length characters, in the arena. */
static const char *copy(struct arena *arena, const char *text, size_t length)
{
    return memcpy(arena_alloc(arena, length + 1, 1), text, length);
}

/* The next instruction's offset, which is also that of a label before it. */
static uint64_t next_offset(const struct sass *sass)
{
    return sass->count == 0 ? 0 : sass->code[sass->count - 1].offset + 16;
}

/* "BRA `(.L_x_1)" of nvdisasm, "BRA 0x140" of cuobjdump, perhaps with a predicate or UR before it. */
static void read_target(struct sass_reader *reader, const char *operands)
{
    struct sass_instruction *last = &reader->sass->code[reader->sass->count];
    const char **name = &reader->targets[reader->sass->count];
    const char *at = strstr(operands, "`(");
    const char *number = strstr(operands, "0x");
    *name = NULL;
    last->target = -1;
    if (strncmp(last->mnemonic, "BRA", 3) != 0)
        return;
    if (at != NULL)
        *name = copy(&reader->names, at + 2, strcspn(at + 2, ")"));
    else if (number != NULL)
        last->target = (int64_t)strtoull(number, NULL, 16);
}

/* Reads "/ *01c0* /   @P0 LDG.E R14, [R10] ;". Ignores lines without an instruction, such as encodings. */
static void read_instruction(struct sass_reader *reader, const char *line)
{
    char *end;
    const char *at = line + strspn(line, " \t");
    if (strncmp(at, "/*", 2) != 0)
        return;
    unsigned long long offset = strtoull(at + 2, &end, 16);
    if (end == at + 2 || strncmp(end, "*/", 2) != 0)
        return;
    at = end + 2 + strspn(end + 2, " \t{");
    bool never = strncmp(at, "@!PT ", 5) == 0;
    if (*at == '@')
        at += strcspn(at, " \t"), at += strspn(at, " \t");
    size_t length = strcspn(at, " \t;");
    if (length == 0 || *at < 'A' || *at > 'Z')
        return;
    grow(reader);
    reader->sass->code[reader->sass->count] =
        (struct sass_instruction){.offset = offset,
                                  .line = reader->line,
                                  .mnemonic = copy(&reader->sass->arena, at, length),
                                  .never = never,
                                  .reads_clock = strstr(at, "SR_CLOCK") != NULL};
    read_target(reader, at + length);
    reader->sass->count++;
}

static void read_label(struct sass_reader *reader, const char *line, size_t length)
{
    if (reader->label_count == reader->label_room) {
        reader->label_room = reader->label_room == 0 ? FIRST_ROOM : 2 * reader->label_room;
        reader->labels = memory_resized(reader->labels, reader->label_room, sizeof *reader->labels);
    }
    reader->labels[reader->label_count++] =
        (struct sass_label){copy(&reader->names, line, length), next_offset(reader->sass)};
}

/* Both tools name a function before its code; functions that the kernel calls follow it under their own
 * names. */
static void read_line(struct sass_reader *reader, const char *line)
{
    size_t length = strcspn(line, ":");
    size_t name = strlen(reader->kernel);
    const char *function = strstr(line, "Function : ");
    const char *position = strstr(line, "//## File");
    if (function != NULL) {
        reader->inside = strcmp(function + strlen("Function : "), reader->kernel) == 0;
    } else if (position != NULL && reader->inside) {
        const char *number = strstr(position, "line ");
        reader->line = number == NULL ? 0 : atoi(number + strlen("line "));
        reader->sass->has_lines = reader->line > 0;
    } else if (line[length] == ':' && line[length + 1] == '\0' && strchr(" \t/", line[0]) == NULL) {
        if (strncmp(line, ".L", 2) == 0 && reader->inside)
            read_label(reader, line, length);
        else if (line[0] != '.')
            reader->inside = length == name && strncmp(line, reader->kernel, name) == 0;
    } else if (reader->inside) {
        read_instruction(reader, line);
    }
}

static int compare_labels(const void *a, const void *b)
{
    return strcmp(((const struct sass_label *)a)->name, ((const struct sass_label *)b)->name);
}

static void resolve(const struct sass_reader *reader)
{
    if (reader->label_count > 0)
        qsort(reader->labels, reader->label_count, sizeof *reader->labels, compare_labels);
    for (size_t i = 0; i < reader->sass->count; i++) {
        const struct sass_label wanted = {.name = reader->targets[i]};
        const struct sass_label *found =
            wanted.name == NULL || reader->label_count == 0
                ? NULL
                : bsearch(&wanted, reader->labels, reader->label_count, sizeof wanted, compare_labels);
        if (found != NULL)
            reader->sass->code[i].target = (int64_t)found->offset;
    }
}

enum status sass_read(const char *text, size_t size, const char *kernel, struct sass *sass,
                      struct error *error)
{
    *sass = (struct sass){.count = 0};
    struct sass_reader reader = {.sass = sass, .kernel = kernel};
    struct buffer line = {0};
    for (const char *at = text; at < text + size;) {
        const char *end = memchr(at, '\n', (size_t)(text + size - at));
        size_t length = (size_t)((end == NULL ? text + size : end) - at);
        line.size = 0;
        buffer_append(&line, at, length);
        read_line(&reader, line.data);
        at += length + 1;
    }
    resolve(&reader);
    buffer_free(&line);
    free(reader.labels);
    free(reader.targets);
    arena_free(&reader.names);
    if (sass->count == 0)
        return error_set(error, STATUS_FAILED, "the disassembler reports no instruction of %s", kernel);
    return STATUS_OK;
}

void sass_free(struct sass *sass)
{
    free(sass->code);
    arena_free(&sass->arena);
    *sass = (struct sass){.count = 0};
}
