#include "isa/assembly_parts.h"

#include <ctype.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 512, LOG2_MOST = 30 };

/* A stretch of a line. */
struct span {
    const char *start, *end;
};

static inline bool is_name(char c)
{
    unsigned letter = ((unsigned char)c | 0x20U) - 'a';
    unsigned digit = (unsigned char)c - '0';
    return letter < 26 || digit < 10 || c == '_' || c == '.' || c == '$';
}

static inline struct span trim(struct span span)
{
    while (span.start < span.end && (*span.start == ' ' || *span.start == '\t'))
        span.start++;
    while (span.start < span.end && (span.end[-1] == ' ' || span.end[-1] == '\t'))
        span.end--;
    return span;
}

/* Cuts off what stands before the first comma, and the comma. */
static struct span next_operand(struct span *rest)
{
    const char *comma = memchr(rest->start, ',', (size_t)(rest->end - rest->start));
    struct span operand = {rest->start, comma == NULL ? rest->end : comma};
    rest->start = comma == NULL ? rest->end : comma + 1;
    return trim(operand);
}

static struct span next_name(struct span *rest)
{
    struct span name = {rest->start, rest->start};
    while (name.end < rest->end && is_name(*name.end))
        name.end++;
    rest->start = name.end;
    *rest = trim(*rest);
    return name;
}

/* Reads a whole number, decimal or with 0x, and moves on behind it. False when there is none. */
static bool read_number(const char **at, const char *end, int64_t *number)
{
    const char *text = *at;
    bool negative = text < end && *text == '-';
    text += negative;
    bool hex = end - text > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    text += hex ? 2 : 0;
    const char *digits = text;
    uint64_t value = 0;
    for (; text < end && (hex ? isxdigit((unsigned char)*text) : isdigit((unsigned char)*text)); text++) {
        int digit = isdigit((unsigned char)*text) ? *text - '0' : tolower((unsigned char)*text) - 'a' + 10;
        if (__builtin_mul_overflow(value, hex ? 16U : 10U, &value) ||
            __builtin_add_overflow(value, (uint64_t)digit, &value))
            return false;
    }
    if (text == digits)
        return false;
    *number = (int64_t)(negative ? -value : value);
    *at = text;
    return true;
}

static bool whole_number(struct span span, int64_t *number)
{
    return read_number(&span.start, span.end, number) && span.start == span.end;
}

/* ---- directives ---- */

static bool enter_text(struct assembly *assembly, struct span rest)
{
    (void)rest;
    return assembly_enter(assembly, ".text", strlen(".text"), SHF_ALLOC | SHF_EXECINSTR);
}

static bool enter_section(struct assembly *assembly, struct span rest)
{
    struct span name = next_operand(&rest);
    bool constants = strncmp(name.start, ".rodata", strlen(".rodata")) == 0;
    return assembly_enter(assembly, name.start, (size_t)(name.end - name.start), constants ? SHF_ALLOC : 0);
}

static bool make_global(struct assembly *assembly, struct span rest)
{
    int label = assembly_find_label(assembly, rest.start, (size_t)(rest.end - rest.start));
    assembly->labels[label].global = true;
    return true;
}

static bool give_type(struct assembly *assembly, struct span rest)
{
    struct span name = next_operand(&rest);
    struct span type = next_operand(&rest);
    int label = assembly_find_label(assembly, name.start, (size_t)(name.end - name.start));
    bool function = strncmp(type.start, "@function", strlen("@function")) == 0;
    assembly->labels[label].type = function ? STT_FUNC : STT_OBJECT;
    return true;
}

/* .size NAME, . - NAME */
static bool give_size(struct assembly *assembly, struct span rest)
{
    struct span name = next_operand(&rest);
    int label = assembly_find_label(assembly, name.start, (size_t)(name.end - name.start));
    assembly->labels[label].sized = true;
    assembly->labels[label].end = assembly_here(assembly);
    return true;
}

static bool align(struct assembly *assembly, struct span rest)
{
    int64_t power;
    int64_t fill = 0;
    struct section_code *section = &assembly->sections[assembly->current];
    if (!whole_number(next_operand(&rest), &power) || power < 0 || power > LOG2_MOST)
        return false;
    if (rest.start < rest.end && !whole_number(next_operand(&rest), &fill))
        return false;
    struct event *event = assembly_event(assembly, EVENT_ALIGN);
    event->amount = power;
    event->fill = (unsigned char)fill;
    section->align = section->align < 1U << power ? 1U << power : section->align;
    return true;
}

static bool skip(struct assembly *assembly, struct span rest)
{
    int64_t count;
    int64_t fill = 0;
    if (!whole_number(next_operand(&rest), &count) || count < 0 || count > 1 << LOG2_MOST)
        return false;
    if (rest.start < rest.end && !whole_number(next_operand(&rest), &fill))
        return false;
    assembly_fill(assembly, (unsigned char)fill, (size_t)count);
    return true;
}

/* A label, and "+ N" or "- N" behind it. */
static bool read_label(struct assembly *assembly, struct span *rest, int *label, int64_t *amount)
{
    struct span name = next_name(rest);
    int64_t sign = 1;
    *amount = 0;
    if (name.start == name.end)
        return false;
    *label = assembly_find_label(assembly, name.start, (size_t)(name.end - name.start));
    if (rest->start == rest->end || (*rest->start != '+' && *rest->start != '-'))
        return true;
    sign = *rest->start == '-' ? -1 : 1;
    struct span number = trim((struct span){rest->start + 1, rest->end});
    if (number.start == number.end || !isdigit((unsigned char)*number.start) ||
        !read_number(&number.start, number.end, amount))
        return true; /* "- LABEL" */
    *amount *= sign;
    *rest = trim(number);
    return true;
}

static bool move_to(struct assembly *assembly, struct span rest)
{
    int label;
    int64_t amount;
    int64_t fill = 0;
    struct span goal = next_operand(&rest);
    if (!read_label(assembly, &goal, &label, &amount) || goal.start != goal.end ||
        (rest.start < rest.end && !whole_number(next_operand(&rest), &fill)))
        return false;
    struct event *event = assembly_event(assembly, EVENT_ORG);
    event->label = label;
    event->amount = amount;
    event->fill = (unsigned char)fill;
    return true;
}

/* A number, or LABEL - LABEL. */
static bool write_word(struct assembly *assembly, struct span word, unsigned bytes)
{
    int64_t number;
    int label;
    int64_t amount;
    if (whole_number(word, &number)) {
        assembly_bytes_append(assembly, &number, bytes);
        return true;
    }
    if (!read_label(assembly, &word, &label, &amount) || word.start == word.end || *word.start != '-')
        return false;
    word = trim((struct span){word.start + 1, word.end});
    struct span from = next_name(&word);
    if (from.start == from.end || word.start != word.end)
        return false;
    int other = assembly_find_label(assembly, from.start, (size_t)(from.end - from.start));
    struct event *event = assembly_event(assembly, EVENT_DIFFERENCE);
    event->label = label;
    event->from = other;
    event->bytes = (unsigned char)bytes;
    return true;
}

static bool write_words(struct assembly *assembly, struct span rest, unsigned bytes)
{
    bool good = rest.start < rest.end;
    while (good && rest.start < rest.end)
        good = write_word(assembly, next_operand(&rest), bytes);
    return good;
}

static bool write_long(struct assembly *assembly, struct span rest)
{
    return write_words(assembly, rest, 4);
}

static bool write_quad(struct assembly *assembly, struct span rest)
{
    return write_words(assembly, rest, 8);
}

static const struct directive {
    const char *name;
    bool (*take)(struct assembly *assembly, struct span rest);
} directives[] = {
    {".text", enter_text}, {".section", enter_section}, {".globl", make_global}, {".type", give_type},
    {".size", give_size},  {".p2align", align},         {".skip", skip},         {".org", move_to},
    {".long", write_long}, {".quad", write_quad},
};

static bool take_directive(struct assembly *assembly, struct span statement)
{
    struct span name = next_name(&statement);
    size_t length = (size_t)(name.end - name.start);
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (length > 1 && directives[i].name[1] == name.start[1] &&
            strncmp(directives[i].name, name.start, length) == 0 && directives[i].name[length] == '\0')
            return directives[i].take(assembly, statement);
    return false;
}

/* ---- instructions ---- */

/* What an instruction's text has in the place of the hole. */
struct hole {
    enum number_kind kind;
    const char *start, *end;
    int64_t number;
    struct span label; /* NUMBER_TARGET: and what is added to it */
};

static bool starts_label(const char *at, const char *end)
{
    static const char own[] = "trauma_";
    size_t left = (size_t)(end - at);
    if (left >= 2 && isdigit((unsigned char)at[0]) && (at[1] == 'f' || at[1] == 'b') &&
        (left == 2 || !is_name(at[2])))
        return true;
    return (left > 2 && at[0] == '.' && at[1] == 'L') ||
           (left > strlen(own) && strncmp(at, own, strlen(own)) == 0);
}

/* A label with what is added to it: up to the parenthesis, comma or blank behind it. */
static const char *take_label(const char *at, const char *end, struct hole *hole)
{
    const char *past = at;
    while (past < end && (is_name(*past) || *past == '+' || *past == '-'))
        past++;
    *hole = (struct hole){.kind = NUMBER_TARGET, .start = at, .end = past, .label = {at, past}};
    return past;
}

/* A number that is an operand or an address's displacement. What is more than a number stays part of the
 * shape. */
static const char *take_number(const char *at, const char *end, bool displacement, char behind,
                               struct hole *hole)
{
    const char *past = at;
    int64_t number;
    if (!read_number(&past, end, &number))
        return at + 1;
    bool alone = past == end || *past == ',' || *past == ' ' || *past == behind;
    bool better = hole->kind == NUMBER_NONE || (displacement && hole->kind == NUMBER_IMMEDIATE);
    if (alone && better)
        *hole = (struct hole){.kind = displacement ? NUMBER_DISPLACEMENT : NUMBER_IMMEDIATE,
                              .start = at,
                              .end = past,
                              .number = number};
    return past;
}

/* Skips what a closing bracket ends. */
static const char *past_bracket(const char *at, const char *end, char bracket)
{
    while (at < end && *at != bracket)
        at++;
    return at < end ? at + 1 : end;
}

/* The same for an address; a displacement inside it is taken. */
static const char *past_address(const struct syntax *syntax, const char *at, const char *end,
                                struct hole *hole)
{
    const char *past = past_bracket(at, end, syntax->close);
    for (; syntax->displacement_inside && hole->kind != NUMBER_TARGET && at < past; at++)
        if (*at == syntax->immediate && at + 1 < past)
            (void)take_number(at + 1, past, true, syntax->close, hole);
    return past;
}

/* An unmarked number: the displacement of the address behind it, an operand where these have no mark, and
 * part of the shape elsewhere. */
static const char *take_unmarked(const struct syntax *syntax, const char *at, const char *end,
                                 struct hole *hole)
{
    const char *past = at;
    int64_t number;
    if (!read_number(&past, end, &number))
        return at + 1;
    bool displacement = past < end && *past == syntax->open && !syntax->displacement_inside;
    if (displacement || syntax->immediate == '\0')
        return take_number(at, end, displacement, displacement ? syntax->open : ',', hole);
    return past;
}

static struct hole find_hole(const struct syntax *syntax, struct span text)
{
    struct hole hole = {.kind = NUMBER_NONE};
    const char *at = text.start;
    while (at < text.end) {
        bool fresh = at == text.start || !is_name(at[-1]);
        if (*at == syntax->open) {
            at = past_address(syntax, at, text.end, &hole);
        } else if (*at == '{') {
            at = past_bracket(at, text.end, '}');
        } else if (fresh && hole.kind != NUMBER_TARGET && starts_label(at, text.end)) {
            at = take_label(at, text.end, &hole);
        } else if (*at == syntax->immediate && at + 1 < text.end) {
            at = take_number(at + 1, text.end, false, ',', &hole);
        } else if (fresh && (isdigit((unsigned char)*at) || *at == '-') && hole.kind != NUMBER_TARGET) {
            at = take_unmarked(syntax, at, text.end, &hole);
        } else {
            at++;
        }
    }
    return hole;
}

/* Where an instruction of so many characters is kept once it was read: its beginning and end, which the
 * middle may still belie. */
static struct read_text *place_of_text(struct assembly *assembly, const char *text, size_t length)
{
    uint64_t first;
    uint64_t last;
    memcpy(&first, text, sizeof first);
    memcpy(&last, text + length - sizeof last, sizeof last);
    uint64_t hash = (first ^ last * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xff51afd7ed558ccd);
    return &assembly->read[(hash ^ hash >> 32) >> 16 & (READ_TEXTS - 1)];
}

static bool take_target(struct assembly *assembly, struct shape *shape, const struct hole *hole)
{
    struct span label = hole->label;
    int index;
    int64_t amount;
    if (!read_label(assembly, &label, &index, &amount) || label.start != label.end)
        return false;
    struct event *event = assembly_event(assembly, EVENT_TARGET);
    event->label = index;
    event->amount = amount;
    event->shape = shape;
    assembly->instructions++;
    return true;
}

/* The shape, whose hole is found; NULL when the text is longer than any instruction. */
static struct shape *shape_of(struct assembly *assembly, struct span text, const struct hole *hole)
{
    char key[LONGEST];
    size_t length = (size_t)(text.end - text.start);
    if (length >= sizeof key)
        return NULL;
    if (hole->kind == NUMBER_NONE)
        return stencils_shape(assembly->stencils, text.start, length, NUMBER_NONE);
    size_t before = (size_t)(hole->start - text.start);
    size_t after = (size_t)(text.end - hole->end);
    memcpy(key, text.start, before);
    key[before] = STENCIL_HOLE;
    memcpy(key + before + 1, hole->end, after);
    return stencils_shape(assembly->stencils, key, before + 1 + after, hole->kind);
}

/* Programs have most of their lines in common, outside the loop's body: these are read once. */
static struct shape *read_instruction(struct assembly *assembly, struct span text, struct hole *hole)
{
    size_t length = (size_t)(text.end - text.start);
    if (length < sizeof(uint64_t) || length > READ_BYTES) {
        *hole = find_hole(&stencils_isa(assembly->stencils)->syntax, text);
        return shape_of(assembly, text, hole);
    }
    struct read_text *read = place_of_text(assembly, text.start, length);
    if (read->length != length || memcmp(read->text, text.start, length) != 0) {
        *hole = find_hole(&stencils_isa(assembly->stencils)->syntax, text);
        size_t start = hole->kind == NUMBER_NONE ? 0 : (size_t)(hole->start - text.start);
        size_t end = hole->kind == NUMBER_NONE ? 0 : (size_t)(hole->end - text.start);
        *read = (struct read_text){.shape = shape_of(assembly, text, hole),
                                   .number = hole->number,
                                   .kind = hole->kind,
                                   .length = (unsigned char)length,
                                   .hole_start = (unsigned char)start,
                                   .hole_end = (unsigned char)end};
        memcpy(read->text, text.start, length);
        return read->shape;
    }
    const char *start = text.start + read->hole_start;
    const char *end = text.start + read->hole_end;
    *hole = (struct hole){
        .kind = read->kind, .start = start, .end = end, .number = read->number, .label = {start, end}};
    return read->shape;
}

static bool take_instruction(struct assembly *assembly, struct span text)
{
    struct hole hole;
    struct shape *shape = read_instruction(assembly, text, &hole);
    if (shape == NULL)
        return false;
    if (hole.kind == NUMBER_TARGET)
        return take_target(assembly, shape, &hole);
    assembly_instruction(assembly, shape, hole.number);
    return true;
}

struct shape *assembly_shape(struct assembly *assembly, const char *text, size_t size, enum number_kind *kind,
                             int64_t *number)
{
    struct hole hole;
    struct shape *shape = read_instruction(assembly, trim((struct span){text, text + size}), &hole);
    *number = hole.number;
    *kind = hole.kind;
    return hole.kind == NUMBER_TARGET ? NULL : shape;
}

/* ---- lines ---- */

static enum status take_line(struct assembly *assembly, struct span line, struct error *error)
{
    const char *name = line.start;
    while (name < line.end && is_name(*name))
        name++;
    if (name < line.end && *name == ':') {
        enum status status = assembly_label(assembly, line.start, (size_t)(name - line.start), error);
        if (status != STATUS_OK)
            return status;
        line = trim((struct span){name + 1, line.end});
    }
    if (line.start == line.end)
        return STATUS_OK;
    bool good = *line.start == '.' ? take_directive(assembly, line) : take_instruction(assembly, line);
    if (good)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "'%.*s' is nothing that programs are put together from",
                     (int)(line.end - line.start > 80 ? 80 : line.end - line.start), line.start);
}

/* Where the comment begins, or the line's end. */
static inline const char *find_comment(const char *comment, const char *line, const char *end)
{
    if (comment[1] == '\0') {
        const char *at = memchr(line, comment[0], (size_t)(end - line));
        return at == NULL ? end : at;
    }
    for (const char *at = line; at + 1 < end; at++)
        if (at[0] == comment[0] && at[1] == comment[1])
            return at;
    return end;
}

enum status assembly_text(struct assembly *assembly, const char *text, size_t size, const char *name,
                          struct error *error)
{
    const char *comment = stencils_isa(assembly->stencils)->syntax.comment;
    const char *end = text + size;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *line_end = newline == NULL ? end : newline;
        assembly->line++;
        struct span line = trim((struct span){text, find_comment(comment, text, line_end)});
        enum status status = take_line(assembly, line, error);
        if (status != STATUS_OK) {
            error_at(error, name, (int)assembly->line);
            return status;
        }
        text = line_end + 1;
    }
    return STATUS_OK;
}
