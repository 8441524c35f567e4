#include "isa/sass/ptx_lines.h"

#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* The reader's position. */
struct ptx_line_reader {
    const char *at, *end;
    int line;
    struct ptx_lines *lines;
};

static bool begins(const struct ptx_line_reader *reader, const char *word)
{
    size_t length = strlen(word);
    return (size_t)(reader->end - reader->at) >= length && memcmp(reader->at, word, length) == 0;
}

static void step(struct ptx_line_reader *reader, size_t count)
{
    while (count-- > 0 && reader->at < reader->end) {
        reader->line += *reader->at == '\n';
        reader->at++;
    }
}

/* Skips blanks, braces and comments. */
static void skip_blanks(struct ptx_line_reader *reader)
{
    while (reader->at < reader->end) {
        if (isspace((unsigned char)*reader->at) || *reader->at == '{' || *reader->at == '}') {
            step(reader, 1);
        } else if (begins(reader, "//")) {
            while (reader->at < reader->end && *reader->at != '\n')
                step(reader, 1);
        } else if (begins(reader, "/*")) {
            while (reader->at < reader->end && !begins(reader, "*/"))
                step(reader, 1);
            step(reader, 2);
        } else {
            return;
        }
    }
}

static bool is_name(char letter)
{
    return isalnum((unsigned char)letter) || strchr("_$%.@!:", letter) != NULL;
}

static size_t word_length(const struct ptx_line_reader *reader)
{
    const char *at = reader->at;
    while (at < reader->end && *at != '\0' && is_name(*at) &&
           (*at != ':' || (at + 1 < reader->end && at[1] == ':')))
        at += *at == ':' ? 2 : 1;
    return (size_t)(at - reader->at);
}

/* A label's line is that of the following statement. */
static void note_label(struct ptx_line_reader *reader, const char *name, size_t length)
{
    static const char *const names[] = {PTX_LABEL_LOOP, PTX_LABEL_ADVANCE, PTX_LABEL_CLOSE};
    const size_t places[] = {offsetof(struct ptx_lines, loop), offsetof(struct ptx_lines, units_end),
                             offsetof(struct ptx_lines, units_end)};
    while (length > 0 && (*name == '$' || *name == '.'))
        name++, length--;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int *place = (int *)(void *)((char *)reader->lines + places[i]);
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0 && *place == 0)
            *place = reader->line;
    }
}

/* Skips past the semicolon of the statement or directive. */
static void skip_statement(struct ptx_line_reader *reader)
{
    while (reader->at < reader->end && *reader->at != ';')
        step(reader, 1);
    step(reader, 1);
}

static bool mentions(const char *text, const char *end, const char *name)
{
    size_t length = strlen(name);
    for (; text + length <= end; text++)
        if (memcmp(text, name, length) == 0 && (text + length == end || !is_name(text[length])))
            return true;
    return false;
}

static void read_statement(struct ptx_line_reader *reader, size_t length)
{
    struct ptx_line *line = &reader->lines->lines[reader->line];
    const char *opcode = reader->at;
    int at_line = reader->line;
    step(reader, length);
    const char *operands = reader->at;
    skip_statement(reader);
    if (line->statements++ == 0) {
        line->opcode = memcpy(arena_alloc(&reader->lines->arena, length + 1, 1), opcode, length);
        line->operands = operands;
    }
    while (operands < reader->at && isspace((unsigned char)*operands))
        operands++;
    size_t left = (size_t)(reader->at - operands), waits = strlen(PTX_LABEL_WAIT);
    line->waits = line->waits || (length >= 3 && memcmp(opcode, "bra", 3) == 0 && left >= waits &&
                                  memcmp(operands, PTX_LABEL_WAIT, waits) == 0);
    if (length >= 3 && memcmp(opcode, "bra", 3) == 0 && mentions(operands, reader->at, PTX_LABEL_LOOP)) {
        line->loops = true;
        reader->lines->loop_end = at_line;
    }
}

/* Directives end with their line or a semicolon, except those before a body in braces. */
static void skip_directive(struct ptx_line_reader *reader)
{
    bool whole_line = begins(reader, ".version") || begins(reader, ".target") ||
                      begins(reader, ".address_size") || begins(reader, ".loc") || begins(reader, ".file");
    bool has_body = begins(reader, ".visible") || begins(reader, ".entry") || begins(reader, ".maxn") ||
                    begins(reader, ".reqn") || begins(reader, ".minn");
    const char *stop = whole_line ? "\n" : has_body ? "{" : ";";
    while (reader->at < reader->end && *reader->at != *stop && !(has_body && begins(reader, ";")))
        step(reader, 1);
    step(reader, 1);
}

static void read_next(struct ptx_line_reader *reader)
{
    if (*reader->at == '.') {
        skip_directive(reader);
        return;
    }
    if (*reader->at == '@') { /* the statement follows its predicate */
        step(reader, word_length(reader));
        skip_blanks(reader);
    }
    size_t length = word_length(reader);
    if (length > 0 && reader->at + length < reader->end && reader->at[length] == ':') {
        const char *name = reader->at;
        step(reader, length + 1);
        skip_blanks(reader);
        note_label(reader, name, length);
    } else if (length > 0) {
        read_statement(reader, length);
    } else {
        step(reader, 1);
    }
}

static enum status check(const struct ptx_lines *lines, struct error *error)
{
    if (lines->loop == 0 || lines->loop_end < lines->loop)
        return error_set(error, STATUS_FAILED, "program.ptx has no loop from the label %s to a branch back",
                         PTX_LABEL_LOOP);
    if (lines->units_end <= lines->loop)
        return error_set(error, STATUS_FAILED,
                         "program.ptx has no label %s or %s after its units: their end is unknown",
                         PTX_LABEL_ADVANCE, PTX_LABEL_CLOSE);
    for (int i = lines->loop; i <= lines->loop_end; i++)
        if (lines->lines[i].statements > 1)
            return error_set(error, STATUS_FAILED,
                             "line %d of program.ptx holds %u statements; expected one, as a disassembler "
                             "reports only lines",
                             i, lines->lines[i].statements);
    return STATUS_OK;
}

enum status ptx_lines_read(const char *text, size_t size, struct ptx_lines *lines, struct error *error)
{
    int count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    *lines = (struct ptx_lines){.lines = memory_zeroed((size_t)count + 1, sizeof(struct ptx_line)),
                                .count = count};
    struct ptx_line_reader reader = {text, text + size, 1, lines};
    for (skip_blanks(&reader); reader.at < reader.end; skip_blanks(&reader))
        read_next(&reader);
    return check(lines, error);
}

void ptx_lines_free(struct ptx_lines *lines)
{
    free(lines->lines);
    arena_free(&lines->arena);
    *lines = (struct ptx_lines){.count = 0};
}
