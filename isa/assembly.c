#include "isa/assembly.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/memory.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SECTIONS = 8, DIGITS = 10, NO_LABEL = -1, READ_TEXTS = 256, READ_BYTES = 60 };

/* Cached result of parsing an instruction's text; length 0: empty. */
struct read_text {
    struct shape *shape; /* NULL: not an instruction */
    int64_t number;
    enum number_kind kind;
    unsigned char length, hole_start, hole_end;
    char text[READ_BYTES];
};

/* A position in a section: after this many of its fixed bytes and events. */
struct position {
    unsigned section;
    size_t at;
    size_t events;
};

struct text_label {
    const char *name; /* "" for a numeric label */
    struct text_label *next;
    uint64_t hash;
    struct position place;
    struct position end; /* .size: where its extent ends */
    bool defined, sized, global, weak;
    unsigned char type; /* STT_... */
    size_t instructions;
};

/* Items whose length depends on the layout. */
enum line_event_kind {
    EVENT_ALIGN,      /* to a multiple of 2^amount */
    EVENT_ORG,        /* to the label's position plus amount bytes */
    EVENT_TARGET,     /* an instruction that holds the distance to a label, plus amount */
    EVENT_DIFFERENCE, /* `bytes` bytes: the distance from the label `from` to the label */
};

struct line_event {
    enum line_event_kind kind;
    unsigned char fill, bytes;
    size_t at; /* fixed bytes of the section before it */
    int label; /* index */
    int from;
    int64_t amount;
    struct shape *shape;
    size_t class;                    /* the narrowest class that fits the target's number */
    const struct encoding *encoding; /* for that class */
    uint64_t size;                   /* resulting size */
};

struct section_code {
    char name[32];
    unsigned char *bytes; /* the fixed ones */
    size_t size, room;
    struct line_event *events;
    size_t event_count, event_room;
    uint64_t *grown; /* [event_count + 1]: total bytes of the events before each */
    size_t grown_room;
    unsigned align;
    uint64_t flags; /* SHF_... */
    struct buffer output;
};

struct assembly {
    struct stencils *stencils;
    struct section_code sections[MOST_SECTIONS];
    unsigned section_count, current;
    struct text_label *labels; /* [label_count], in order of first mention */
    size_t label_count, label_room;
    int *buckets; /* [bucket_count]: first label's index, or NO_LABEL */
    int *chain;   /* [label_room]: the next label's index in the bucket */
    size_t bucket_count;
    int last[DIGITS], coming[DIGITS]; /* of numeric labels */
    size_t instructions;
    unsigned line;
    bool incomplete;
    struct arena arena;                /* names */
    struct read_text read[READ_TEXTS]; /* kept between programs, like the shapes */
};

enum { FIRST_ROOM = 256, BUCKETS = 512 };

/* Continues in the section of that name. False if there are too many. */
static bool enter_named(struct assembly *assembly, const char *name, size_t length, uint64_t flags)
{
    unsigned i = 0;
    while (i < assembly->section_count && (strncmp(assembly->sections[i].name, name, length) != 0 ||
                                           assembly->sections[i].name[length] != '\0'))
        i++;
    if (i == MOST_SECTIONS || length >= sizeof assembly->sections[i].name)
        return false;
    struct section_code *section = &assembly->sections[i];
    if (i == assembly->section_count) {
        memcpy(section->name, name, length);
        section->name[length] = '\0';
        section->flags = flags;
        section->align = 1;
        section->size = section->event_count = section->output.size = 0;
        assembly->section_count++;
    }
    assembly->current = i;
    return true;
}

struct assembly *assembly_new(struct stencils *stencils)
{
    struct assembly *assembly = memory_zeroed(1, sizeof *assembly);
    assembly->stencils = stencils;
    assembly->bucket_count = BUCKETS;
    assembly->buckets = memory_resized(NULL, BUCKETS, sizeof *assembly->buckets);
    assembly_clear(assembly);
    return assembly;
}

struct stencils *assembly_stencils(const struct assembly *assembly)
{
    return assembly->stencils;
}

void assembly_clear(struct assembly *assembly)
{
    for (unsigned i = 0; i < assembly->section_count; i++) {
        struct section_code *section = &assembly->sections[i];
        section->size = section->event_count = section->output.size = 0;
        section->align = 1;
    }
    for (size_t i = 0; i < assembly->bucket_count; i++)
        assembly->buckets[i] = NO_LABEL;
    for (int i = 0; i < DIGITS; i++)
        assembly->last[i] = assembly->coming[i] = NO_LABEL;
    assembly->label_count = 0;
    assembly->instructions = 0;
    assembly->line = 0;
    assembly->incomplete = false;
    assembly->section_count = 0; /* their memory stays for the next program's */
    arena_free(&assembly->arena);
    (void)enter_named(assembly, ".text", strlen(".text"), SHF_ALLOC | SHF_EXECINSTR);
}

void assembly_free(struct assembly *assembly)
{
    if (assembly == NULL)
        return;
    for (unsigned i = 0; i < MOST_SECTIONS; i++) {
        free(assembly->sections[i].bytes);
        free(assembly->sections[i].events);
        free(assembly->sections[i].grown);
        buffer_free(&assembly->sections[i].output);
    }
    free(assembly->labels);
    free(assembly->buckets);
    free(assembly->chain);
    arena_free(&assembly->arena);
    free(assembly);
}

static struct position here(const struct assembly *assembly)
{
    const struct section_code *section = &assembly->sections[assembly->current];
    return (struct position){assembly->current, section->size, section->event_count};
}

/* Makes room for `size` more bytes, and for a stencil after them. */
static unsigned char *reserve(struct section_code *section, size_t size)
{
    if (section->size + size + ENCODING_ROOM > section->room) {
        section->room = 2 * (section->size + size + FIRST_ROOM);
        section->bytes = memory_resized(section->bytes, section->room, 1);
    }
    return section->bytes + section->size;
}

/* Appends fixed bytes. */
static void append_bytes(struct assembly *assembly, const void *bytes, size_t size)
{
    struct section_code *section = &assembly->sections[assembly->current];
    memcpy(reserve(section, size), bytes, size);
    section->size += size;
}

static void fill_bytes(struct assembly *assembly, unsigned char byte, size_t count)
{
    struct section_code *section = &assembly->sections[assembly->current];
    memset(reserve(section, count), byte, count);
    section->size += count;
}

/* Appends an event, zeroed except its kind and position; valid until the next one. */
static struct line_event *add_event(struct assembly *assembly, enum line_event_kind kind)
{
    struct section_code *section = &assembly->sections[assembly->current];
    if (section->event_count == section->event_room) {
        section->event_room = section->event_room == 0 ? FIRST_ROOM : 2 * section->event_room;
        section->events = memory_resized(section->events, section->event_room, sizeof *section->events);
    }
    struct line_event *event = &section->events[section->event_count++];
    *event = (struct line_event){.kind = kind, .at = section->size, .label = NO_LABEL, .from = NO_LABEL};
    return event;
}

void assembly_instruction(struct assembly *assembly, struct shape *shape, int64_t number)
{
    const struct encoding *encoding = shape_quick(shape, number);
    if (encoding == NULL)
        encoding = stencils_encoding(assembly->stencils, shape, number);
    assembly->instructions++;
    if (encoding == NULL) {
        assembly->incomplete = true;
        return;
    }
    struct section_code *section = &assembly->sections[assembly->current];
    encoding_stencil(encoding, number, reserve(section, ENCODING_ROOM));
    section->size += encoding->size;
}

void known_lines_grow(struct known_lines *known)
{
    known->room = known->room == 0 ? 4 * FIRST_ROOM : 2 * known->room;
    known->items = memory_resized(known->items, known->room, sizeof *known->items);
}

void known_lines_add_text(struct known_lines *known, size_t start, size_t size)
{
    if (size == 0)
        return;
    known_lines_add(known, NULL, 0);
    known->items[known->count - 1].start = (uint32_t)start;
    known->items[known->count - 1].size = (uint32_t)size;
}

void known_lines_free(struct known_lines *known)
{
    free(known->items);
    *known = (struct known_lines){0};
}

/* Writes the instructions from the index on whose encodings are known; returns the index after them. */
static size_t stencil_quick(struct assembly *assembly, const struct known_lines *known, size_t index)
{
    struct section_code *section = &assembly->sections[assembly->current];
    unsigned char *start = reserve(section, (known->count - index) * ENCODING_BYTES);
    unsigned char *at = start;
    size_t i = index;
    for (; i < known->count && known->items[i].shape != NULL; i++) {
        const struct known_line *line = &known->items[i];
        const struct encoding *encoding = shape_quick(line->shape, line->number);
        if (encoding == NULL)
            break;
        encoding_stencil(encoding, line->number, at);
        at += encoding->size;
    }
    section->size += (size_t)(at - start);
    assembly->instructions += i - index;
    assembly->line += (unsigned)(i - index);
    return i;
}

enum status assembly_known(struct assembly *assembly, const char *text, const struct known_lines *known,
                           const char *name, struct error *error)
{
    enum status status = STATUS_OK;
    size_t i = stencil_quick(assembly, known, 0);
    while (status == STATUS_OK && i < known->count) {
        const struct known_line *line = &known->items[i++];
        if (line->shape == NULL) {
            status = assembly_text(assembly, text + line->start, line->size, name, error);
        } else {
            assembly_instruction(assembly, line->shape, line->number);
            assembly->line++;
        }
        i = stencil_quick(assembly, known, i);
    }
    return status;
}

/* ---- labels ---- */

static int add_label(struct assembly *assembly)
{
    if (assembly->label_count == assembly->label_room) {
        assembly->label_room = assembly->label_room == 0 ? FIRST_ROOM : 2 * assembly->label_room;
        assembly->labels = memory_resized(assembly->labels, assembly->label_room, sizeof *assembly->labels);
        assembly->chain = memory_resized(assembly->chain, assembly->label_room, sizeof *assembly->chain);
    }
    assembly->labels[assembly->label_count] = (struct text_label){.name = ""};
    return (int)assembly->label_count++;
}

/* "1f", "1b": the next and the last label of that number. */
static int find_number(struct assembly *assembly, int digit, bool forward)
{
    if (!forward)
        return assembly->last[digit];
    if (assembly->coming[digit] == NO_LABEL)
        assembly->coming[digit] = add_label(assembly);
    return assembly->coming[digit];
}

/* Finds or adds the label and returns its index; it need not be defined yet. */
static int find_label(struct assembly *assembly, const char *name, size_t length)
{
    if (length == 2 && name[0] >= '0' && name[0] <= '9' && (name[1] == 'f' || name[1] == 'b'))
        return find_number(assembly, name[0] - '0', name[1] == 'f');
    uint64_t hash = hash_name(name, length);
    int *bucket = &assembly->buckets[hash % assembly->bucket_count];
    for (int i = *bucket; i != NO_LABEL; i = assembly->chain[i]) {
        const struct text_label *label = &assembly->labels[i];
        if (label->hash == hash && strncmp(label->name, name, length) == 0 && label->name[length] == '\0')
            return i;
    }
    int added = add_label(assembly);
    char *copy = arena_alloc(&assembly->arena, length + 1, 1);
    memcpy(copy, name, length);
    assembly->labels[added].name = copy;
    assembly->labels[added].hash = hash;
    assembly->chain[added] = *bucket;
    *bucket = added;
    return added;
}

/* Defines a label here. STATUS_FAILED if it is already defined. */
static enum status define_label(struct assembly *assembly, const char *name, size_t length,
                                struct error *error)
{
    int index;
    if (length == 1 && name[0] >= '0' && name[0] <= '9') {
        index = find_number(assembly, name[0] - '0', true);
        assembly->last[name[0] - '0'] = index;
        assembly->coming[name[0] - '0'] = NO_LABEL;
    } else {
        index = find_label(assembly, name, length);
    }
    struct text_label *label = &assembly->labels[index];
    if (label->defined)
        return error_set(error, STATUS_FAILED, "the label %.*s is defined twice", (int)length, name);
    label->defined = true;
    label->place = here(assembly);
    label->instructions = assembly->instructions;
    return STATUS_OK;
}

/* ---- a finished assembly ---- */

/* A position's offset in its section, after layout. */
static uint64_t offset_of(const struct assembly *assembly, const struct position *place)
{
    return place->at + assembly->sections[place->section].grown[place->events];
}

/* Branches before the place that became two instructions: the opposite branch over a jump. */
static size_t count_inverted(const struct assembly *assembly, const struct position *place)
{
    const struct section_code *section = &assembly->sections[place->section];
    size_t inverted = 0;
    for (size_t i = 0; i < place->events; i++)
        inverted += section->events[i].encoding != NULL && section->events[i].encoding->origin > 0;
    return inverted;
}

bool assembly_symbol(const struct assembly *assembly, const char *name, struct assembly_symbol *symbol)
{
    size_t length = strlen(name);
    uint64_t hash = hash_name(name, length);
    for (int i = assembly->buckets[hash % assembly->bucket_count]; i != NO_LABEL; i = assembly->chain[i]) {
        const struct text_label *label = &assembly->labels[i];
        if (!label->defined || label->hash != hash || strcmp(label->name, name) != 0)
            continue;
        *symbol = (struct assembly_symbol){assembly->sections[label->place.section].name,
                                           offset_of(assembly, &label->place),
                                           label->instructions + count_inverted(assembly, &label->place)};
        return true;
    }
    return false;
}

struct assembly_bytes assembly_section(const struct assembly *assembly, const char *name)
{
    for (unsigned i = 0; i < assembly->section_count; i++)
        if (strcmp(assembly->sections[i].name, name) == 0)
            return (struct assembly_bytes){(const unsigned char *)assembly->sections[i].output.data,
                                           assembly->sections[i].output.size};
    return (struct assembly_bytes){NULL, 0};
}

/* ---- text ---- */

enum { LONGEST = 512, LOG2_MOST = 30 };

/* A stretch of a line. */
struct text_span {
    const char *start, *end;
};

static inline bool is_name(char c)
{
    unsigned letter = ((unsigned char)c | 0x20U) - 'a';
    unsigned digit = (unsigned char)c - '0';
    return letter < 26 || digit < 10 || c == '_' || c == '.' || c == '$';
}

static inline struct text_span trim(struct text_span span)
{
    while (span.start < span.end && (*span.start == ' ' || *span.start == '\t'))
        span.start++;
    while (span.start < span.end && (span.end[-1] == ' ' || span.end[-1] == '\t'))
        span.end--;
    return span;
}

/* Cuts off the text before the first comma, and the comma. */
static struct text_span next_operand(struct text_span *rest)
{
    const char *comma = memchr(rest->start, ',', (size_t)(rest->end - rest->start));
    struct text_span operand = {rest->start, comma == NULL ? rest->end : comma};
    rest->start = comma == NULL ? rest->end : comma + 1;
    return trim(operand);
}

static struct text_span next_name(struct text_span *rest)
{
    struct text_span name = {rest->start, rest->start};
    while (name.end < rest->end && is_name(*name.end))
        name.end++;
    rest->start = name.end;
    *rest = trim(*rest);
    return name;
}

/* Reads a whole number, decimal or with 0x, and moves past it. False if there is none. */
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

static bool whole_number(struct text_span span, int64_t *number)
{
    return read_number(&span.start, span.end, number) && span.start == span.end;
}

/* ---- directives ---- */

static bool enter_text(struct assembly *assembly, struct text_span rest)
{
    (void)rest;
    return enter_named(assembly, ".text", strlen(".text"), SHF_ALLOC | SHF_EXECINSTR);
}

static bool enter_section(struct assembly *assembly, struct text_span rest)
{
    struct text_span name = next_operand(&rest);
    bool constants = strncmp(name.start, ".rodata", strlen(".rodata")) == 0;
    return enter_named(assembly, name.start, (size_t)(name.end - name.start), constants ? SHF_ALLOC : 0);
}

static bool make_global(struct assembly *assembly, struct text_span rest)
{
    int label = find_label(assembly, rest.start, (size_t)(rest.end - rest.start));
    assembly->labels[label].global = true;
    return true;
}

static bool make_weak(struct assembly *assembly, struct text_span rest)
{
    int label = find_label(assembly, rest.start, (size_t)(rest.end - rest.start));
    assembly->labels[label].global = assembly->labels[label].weak = true;
    return true;
}

/* .set NAME, LABEL: another name for an earlier label. */
static bool set_name(struct assembly *assembly, struct text_span rest)
{
    struct text_span name = next_operand(&rest);
    struct text_span known = next_operand(&rest);
    int alias = find_label(assembly, name.start, (size_t)(name.end - name.start));
    int target = find_label(assembly, known.start, (size_t)(known.end - known.start));
    struct text_label *label = &assembly->labels[alias];
    const struct text_label own = *label;
    if (own.defined || !assembly->labels[target].defined)
        return false;
    *label = assembly->labels[target];
    label->name = own.name;
    label->hash = own.hash;
    label->global = own.global;
    label->weak = own.weak;
    return true;
}

static bool set_type(struct assembly *assembly, struct text_span rest)
{
    struct text_span name = next_operand(&rest);
    struct text_span type = next_operand(&rest);
    int label = find_label(assembly, name.start, (size_t)(name.end - name.start));
    bool function = strncmp(type.start, "@function", strlen("@function")) == 0;
    assembly->labels[label].type = function ? STT_FUNC : STT_OBJECT;
    return true;
}

/* .size NAME, . - NAME */
static bool set_size(struct assembly *assembly, struct text_span rest)
{
    struct text_span name = next_operand(&rest);
    int label = find_label(assembly, name.start, (size_t)(name.end - name.start));
    assembly->labels[label].sized = true;
    assembly->labels[label].end = here(assembly);
    return true;
}

static bool align(struct assembly *assembly, struct text_span rest)
{
    int64_t power;
    int64_t fill = 0;
    struct section_code *section = &assembly->sections[assembly->current];
    if (!whole_number(next_operand(&rest), &power) || power < 0 || power > LOG2_MOST)
        return false;
    if (rest.start < rest.end && !whole_number(next_operand(&rest), &fill))
        return false;
    struct line_event *event = add_event(assembly, EVENT_ALIGN);
    event->amount = power;
    event->fill = (unsigned char)fill;
    section->align = section->align < 1U << power ? 1U << power : section->align;
    return true;
}

/* .p2alignl POWER, 0: zeros even in code, where assemblers fill .p2align POWER, 0 with no-operations. */
static bool align_zeros(struct assembly *assembly, struct text_span rest)
{
    struct text_span power = next_operand(&rest);
    int64_t fill;
    return whole_number(next_operand(&rest), &fill) && fill == 0 && align(assembly, power);
}

static bool skip(struct assembly *assembly, struct text_span rest)
{
    int64_t count;
    int64_t fill = 0;
    if (!whole_number(next_operand(&rest), &count) || count < 0 || count > 1 << LOG2_MOST)
        return false;
    if (rest.start < rest.end && !whole_number(next_operand(&rest), &fill))
        return false;
    fill_bytes(assembly, (unsigned char)fill, (size_t)count);
    return true;
}

/* Reads a label, and "+ N" or "- N" after it. */
static bool read_label(struct assembly *assembly, struct text_span *rest, int *label, int64_t *amount)
{
    struct text_span name = next_name(rest);
    int64_t sign = 1;
    *amount = 0;
    if (name.start == name.end)
        return false;
    *label = find_label(assembly, name.start, (size_t)(name.end - name.start));
    if (rest->start == rest->end || (*rest->start != '+' && *rest->start != '-'))
        return true;
    sign = *rest->start == '-' ? -1 : 1;
    struct text_span number = trim((struct text_span){rest->start + 1, rest->end});
    if (number.start == number.end || !isdigit((unsigned char)*number.start) ||
        !read_number(&number.start, number.end, amount))
        return true; /* "- LABEL" */
    *amount *= sign;
    *rest = trim(number);
    return true;
}

static bool move_to(struct assembly *assembly, struct text_span rest)
{
    int label;
    int64_t amount;
    int64_t fill = 0;
    struct text_span goal = next_operand(&rest);
    if (!read_label(assembly, &goal, &label, &amount) || goal.start != goal.end ||
        (rest.start < rest.end && !whole_number(next_operand(&rest), &fill)))
        return false;
    struct line_event *event = add_event(assembly, EVENT_ORG);
    event->label = label;
    event->amount = amount;
    event->fill = (unsigned char)fill;
    return true;
}

/* A number, or LABEL - LABEL. */
static bool write_word(struct assembly *assembly, struct text_span word, unsigned bytes)
{
    int64_t number;
    int label;
    int64_t amount;
    if (whole_number(word, &number)) {
        append_bytes(assembly, &number, bytes);
        return true;
    }
    if (!read_label(assembly, &word, &label, &amount) || word.start == word.end || *word.start != '-')
        return false;
    word = trim((struct text_span){word.start + 1, word.end});
    struct text_span from = next_name(&word);
    if (from.start == from.end || word.start != word.end)
        return false;
    int other = find_label(assembly, from.start, (size_t)(from.end - from.start));
    struct line_event *event = add_event(assembly, EVENT_DIFFERENCE);
    event->label = label;
    event->from = other;
    event->bytes = (unsigned char)bytes;
    return true;
}

static bool write_words(struct assembly *assembly, struct text_span rest, unsigned bytes)
{
    bool good = rest.start < rest.end;
    while (good && rest.start < rest.end)
        good = write_word(assembly, next_operand(&rest), bytes);
    return good;
}

static bool write_long(struct assembly *assembly, struct text_span rest)
{
    return write_words(assembly, rest, 4);
}

static bool write_quad(struct assembly *assembly, struct text_span rest)
{
    return write_words(assembly, rest, 8);
}

/* Options that forbid compressed encodings or enable extensions, which need nothing here. */
static bool ignore_option(struct assembly *assembly, struct text_span rest)
{
    (void)assembly;
    return rest.start < rest.end;
}

static const struct directive {
    const char *name;
    bool (*take)(struct assembly *assembly, struct text_span rest);
} directives[] = {
    {".text", enter_text}, {".section", enter_section}, {".globl", make_global},
    {".weak", make_weak},  {".set", set_name},          {".type", set_type},
    {".size", set_size},   {".p2align", align},         {".p2alignl", align_zeros},
    {".skip", skip},       {".org", move_to},           {".long", write_long},
    {".quad", write_quad}, {".option", ignore_option},  {".arch_extension", ignore_option},
};

static bool take_directive(struct assembly *assembly, struct text_span statement)
{
    struct text_span name = next_name(&statement);
    size_t length = (size_t)(name.end - name.start);
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (length > 1 && directives[i].name[1] == name.start[1] &&
            strncmp(directives[i].name, name.start, length) == 0 && directives[i].name[length] == '\0')
            return directives[i].take(assembly, statement);
    return false;
}

/* ---- instructions ---- */

/* The content of the hole in an instruction's text. */
struct hole {
    enum number_kind kind;
    const char *start, *end;
    int64_t number;
    struct text_span label; /* NUMBER_TARGET: number is added to it */
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

/* Takes a label with its addend: up to the next parenthesis, comma or blank. */
static const char *take_label(const char *at, const char *end, struct hole *hole)
{
    const char *past = at;
    while (past < end && (is_name(*past) || *past == '+' || *past == '-'))
        past++;
    *hole = (struct hole){.kind = NUMBER_TARGET, .start = at, .end = past, .label = {at, past}};
    return past;
}

/* Takes a number that is an operand or an address's displacement. Anything more complex stays part of the
 * shape. */
static const char *take_number(const char *at, const char *end, bool displacement, char delimiter,
                               struct hole *hole)
{
    const char *past = at;
    int64_t number;
    if (!read_number(&past, end, &number))
        return at + 1;
    bool alone = past == end || *past == ',' || *past == ' ' || *past == delimiter;
    bool better = hole->kind == NUMBER_NONE || (displacement && hole->kind == NUMBER_IMMEDIATE);
    if (alone && better)
        *hole = (struct hole){.kind = displacement ? NUMBER_DISPLACEMENT : NUMBER_IMMEDIATE,
                              .start = at,
                              .end = past,
                              .number = number};
    return past;
}

/* Skips to after the closing bracket. */
static const char *past_bracket(const char *at, const char *end, char bracket)
{
    while (at < end && *at != bracket)
        at++;
    return at < end ? at + 1 : end;
}

/* The same for an address; takes a displacement inside it. */
static const char *past_address(const struct syntax *syntax, const char *at, const char *end,
                                struct hole *hole)
{
    const char *past = past_bracket(at, end, syntax->close);
    for (; syntax->displacement_inside && hole->kind != NUMBER_TARGET && at < past; at++)
        if (*at == syntax->immediate && at + 1 < past)
            (void)take_number(at + 1, past, true, syntax->close, hole);
    return past;
}

/* Takes an unmarked number: the displacement of the address after it, or an operand if operands have no mark;
 * otherwise it is part of the shape. */
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

static struct hole find_hole(const struct syntax *syntax, struct text_span text)
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

/* The cache entry for an instruction of that many characters, chosen by its start and end; its middle may
 * still differ. */
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
    struct text_span label = hole->label;
    int index;
    int64_t amount;
    if (!read_label(assembly, &label, &index, &amount) || label.start != label.end)
        return false;
    struct line_event *event = add_event(assembly, EVENT_TARGET);
    event->label = index;
    event->amount = amount;
    event->shape = shape;
    assembly->instructions++;
    return true;
}

/* The shape, with its hole; NULL if the text is longer than any instruction. */
static struct shape *shape_of(struct assembly *assembly, struct text_span text, const struct hole *hole)
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

/* Programs share most lines outside the loop's body: these are parsed once. */
static struct shape *read_instruction(struct assembly *assembly, struct text_span text, struct hole *hole)
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

static bool take_instruction(struct assembly *assembly, struct text_span text)
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
    struct shape *shape = read_instruction(assembly, trim((struct text_span){text, text + size}), &hole);
    *number = hole.number;
    *kind = hole.kind;
    return hole.kind == NUMBER_TARGET ? NULL : shape;
}

/* ---- lines ---- */

static enum status take_line(struct assembly *assembly, struct text_span line, struct error *error)
{
    const char *name = line.start;
    while (name < line.end && is_name(*name))
        name++;
    if (name < line.end && *name == ':') {
        enum status status = define_label(assembly, line.start, (size_t)(name - line.start), error);
        if (status != STATUS_OK)
            return status;
        line = trim((struct text_span){name + 1, line.end});
    }
    if (line.start == line.end)
        return STATUS_OK;
    bool good = *line.start == '.' ? take_directive(assembly, line) : take_instruction(assembly, line);
    if (good)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED, "'%.*s' is neither an instruction nor a supported directive",
                     (int)(line.end - line.start > 80 ? 80 : line.end - line.start), line.start);
}

/* The start of the comment, or the line's end. */
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
        struct text_span line = trim((struct text_span){text, find_comment(comment, text, line_end)});
        enum status status = take_line(assembly, line, error);
        if (status != STATUS_OK) {
            error_at(error, name, (int)assembly->line);
            return status;
        }
        text = line_end + 1;
    }
    return STATUS_OK;
}

/* ---- layout ---- */

/* Limit on layout rounds; each but the last widens at least one jump, and a jump has only a few widths. */
enum { MOST_ROUNDS = 100000 };

static uint64_t label_offset(const struct assembly *assembly, int label)
{
    return offset_of(assembly, &assembly->labels[label].place);
}

/* Chooses the shape's narrowest encoding for a label from that class on. False if it has none, or *known is
 * false. */
static bool widen(struct assembly *assembly, struct line_event *event, size_t class, bool *known)
{
    size_t count = 0;
    const struct encoding *found = NULL;
    *known = true;
    for (; found == NULL && *known; class ++) {
        if (!stencils_has_target(assembly->stencils, class))
            return false;
        found = stencils_target(assembly->stencils, event->shape, class, known);
        count = class;
    }
    if (found == NULL)
        return false;
    event->class = count;
    event->encoding = found;
    event->size = found->size;
    return true;
}

static enum status check_labels(const struct assembly *assembly, const struct line_event *event,
                                struct error *error)
{
    const int labels[] = {event->label, event->from};
    for (size_t i = 0; i < 2; i++)
        if (labels[i] != NO_LABEL && !assembly->labels[labels[i]].defined)
            return error_set(error, STATUS_FAILED, "the program has no label %s",
                             assembly->labels[labels[i]].name);
    return STATUS_OK;
}

static enum status begin(struct assembly *assembly, bool *complete, struct error *error)
{
    for (unsigned s = 0; s < assembly->section_count; s++) {
        struct section_code *section = &assembly->sections[s];
        if (section->grown_room < section->event_count + 1) {
            section->grown_room = 2 * section->event_count + 1;
            section->grown = memory_resized(section->grown, section->grown_room, sizeof *section->grown);
        }
        section->grown[0] = 0;
        for (size_t i = 0; i < section->event_count; i++) {
            struct line_event *event = &section->events[i];
            enum status status = check_labels(assembly, event, error);
            bool known = true;
            if (status != STATUS_OK)
                return status;
            if (event->kind == EVENT_DIFFERENCE)
                event->size = event->bytes;
            if (event->kind == EVENT_TARGET && !widen(assembly, event, 0, &known) && known)
                return error_set(error, STATUS_FAILED, "no known field holds the label %s",
                                 assembly->labels[event->label].name);
            *complete = *complete && known;
        }
    }
    return STATUS_OK;
}

/* Computes all positions for the current events. False if an .org would move backwards. */
static bool place(struct assembly *assembly, struct section_code *section)
{
    uint64_t total = 0;
    for (size_t i = 0; i < section->event_count; i++) {
        struct line_event *event = &section->events[i];
        uint64_t here = event->at + total;
        section->grown[i] = total;
        if (event->kind == EVENT_ALIGN) {
            uint64_t align = UINT64_C(1) << event->amount;
            event->size = (align - here % align) % align;
        } else if (event->kind == EVENT_ORG) {
            uint64_t goal = label_offset(assembly, event->label) + (uint64_t)event->amount;
            if (goal < here)
                return false;
            event->size = goal - here;
        }
        total += event->size;
    }
    section->grown[section->event_count] = total;
    return true;
}

/* Bytes from the branch origin to the instruction's target. */
static int64_t distance(const struct assembly *assembly, const struct section_code *section, size_t index)
{
    const struct line_event *event = &section->events[index];
    uint64_t origin = event->at + section->grown[index];
    if (stencils_isa(assembly->stencils)->branch_origin == ORIGIN_END)
        origin += event->size;
    return (int64_t)(label_offset(assembly, event->label) - origin) + event->amount;
}

static enum status grow(struct assembly *assembly, struct section_code *section, bool *grown,
                        struct error *error)
{
    for (size_t i = 0; i < section->event_count; i++) {
        struct line_event *event = &section->events[i];
        bool known = true;
        if (event->kind != EVENT_TARGET || event->encoding == NULL)
            continue;
        if (stencils_target_fits(assembly->stencils, event->class, distance(assembly, section, i)))
            continue;
        *grown = true;
        if (!widen(assembly, event, event->class + 1, &known) && known)
            return error_set(error, STATUS_FAILED, "the label %s is too far from a use of it",
                             assembly->labels[event->label].name);
        if (!known) {
            event->encoding = NULL;
            assembly->incomplete = true;
        }
    }
    return STATUS_OK;
}

static void write_event(const struct assembly *assembly, const struct section_code *section, size_t index,
                        struct buffer *output)
{
    const struct line_event *event = &section->events[index];
    unsigned char bytes[ENCODING_ROOM] = {0};
    if (event->kind == EVENT_TARGET && event->encoding != NULL)
        encoding_stencil(event->encoding, distance(assembly, section, index), bytes);
    if (event->kind == EVENT_DIFFERENCE) {
        uint64_t value = label_offset(assembly, event->label) - label_offset(assembly, event->from);
        memcpy(bytes, &value, sizeof value);
    }
    if (event->kind == EVENT_TARGET || event->kind == EVENT_DIFFERENCE) {
        buffer_append(output, bytes, event->size);
        return;
    }
    memset(bytes, event->fill, sizeof bytes);
    for (uint64_t left = event->size; left > 0;) {
        uint64_t part = left < sizeof bytes ? left : sizeof bytes;
        buffer_append(output, bytes, part);
        left -= part;
    }
}

static void write_section(const struct assembly *assembly, struct section_code *section)
{
    size_t done = 0;
    section->output.size = 0;
    for (size_t i = 0; i < section->event_count; i++) {
        buffer_append(&section->output, section->bytes + done, section->events[i].at - done);
        done = section->events[i].at;
        write_event(assembly, section, i, &section->output);
    }
    if (section->size > done)
        buffer_append(&section->output, section->bytes + done, section->size - done);
}

enum status assembly_finish(struct assembly *assembly, bool *complete, struct error *error)
{
    *complete = true;
    enum status status = begin(assembly, complete, error);
    bool grown = true;
    for (unsigned round = 0; status == STATUS_OK && grown && round < MOST_ROUNDS; round++) {
        grown = false;
        for (unsigned i = 0; i < assembly->section_count; i++)
            if (!place(assembly, &assembly->sections[i]) && *complete && !assembly->incomplete)
                return error_set(error, STATUS_FAILED, "an .org moves backwards in section %s",
                                 assembly->sections[i].name);
        for (unsigned i = 0; status == STATUS_OK && i < assembly->section_count; i++)
            status = grow(assembly, &assembly->sections[i], &grown, error);
    }
    *complete = *complete && !assembly->incomplete;
    for (unsigned i = 0; status == STATUS_OK && *complete && i < assembly->section_count; i++)
        write_section(assembly, &assembly->sections[i]);
    return status;
}

/* ---- the object ---- */

/* Sections of the file in addition to the assembly's: the null section, symbols and names. */
enum { SYMBOLS_AFTER = 1, NAMES_AFTER = 2, MOST_HEADERS = MOST_SECTIONS + 4 };

/* An object being written. */
struct writer {
    const struct assembly *assembly;
    struct buffer *file;
    size_t start; /* of the object in the buffer */
    struct buffer symbols, names;
    Elf64_Shdr headers[MOST_HEADERS];
    unsigned header_count;
    unsigned locals; /* symbols before the first global one */
};

static Elf64_Word add_name(struct writer *writer, const char *name)
{
    Elf64_Word offset = (Elf64_Word)writer->names.size;
    buffer_append(&writer->names, name, strlen(name) + 1);
    return offset;
}

static void add_symbol(struct writer *writer, const struct text_label *label)
{
    const struct assembly *assembly = writer->assembly;
    uint64_t value = offset_of(assembly, &label->place);
    Elf64_Sym symbol = {.st_name = add_name(writer, label->name),
                        .st_info = ELF64_ST_INFO(label->weak     ? STB_WEAK
                                                 : label->global ? STB_GLOBAL
                                                                 : STB_LOCAL,
                                                 label->type),
                        .st_shndx = (Elf64_Half)(label->place.section + 1),
                        .st_value = value,
                        .st_size = label->sized ? offset_of(assembly, &label->end) - value : 0};
    buffer_append(&writer->symbols, &symbol, sizeof symbol);
}

static void add_symbols(struct writer *writer)
{
    static const Elf64_Sym none;
    buffer_append(&writer->symbols, &none, sizeof none);
    for (int global = 0; global < 2; global++) {
        for (size_t i = 0; i < writer->assembly->label_count; i++) {
            const struct text_label *label = &writer->assembly->labels[i];
            if (label->defined && label->global == (global != 0) && label->name[0] != '\0' &&
                strncmp(label->name, ".L", 2) != 0)
                add_symbol(writer, label);
        }
        if (!global)
            writer->locals = (unsigned)(writer->symbols.size / sizeof none);
    }
}

/* Appends a section's bytes, aligned, and its header. */
static void add_section(struct writer *writer, const Elf64_Shdr *section, const void *bytes)
{
    Elf64_Shdr *header = &writer->headers[writer->header_count++];
    static const char zeros[64];
    uint64_t align = section->sh_addralign < sizeof zeros ? section->sh_addralign : sizeof zeros;
    size_t off = (writer->file->size - writer->start) % align;
    if (off != 0)
        buffer_append(writer->file, zeros, align - off);
    *header = *section;
    header->sh_offset = writer->file->size - writer->start;
    buffer_append(writer->file, bytes, section->sh_size);
}

static void add_code(struct writer *writer)
{
    for (unsigned i = 0; i < writer->assembly->section_count; i++) {
        const struct section_code *section = &writer->assembly->sections[i];
        const Elf64_Shdr header = {.sh_name = add_name(writer, section->name),
                                   .sh_type = SHT_PROGBITS,
                                   .sh_flags = section->flags,
                                   .sh_size = section->output.size,
                                   .sh_addralign = section->align};
        add_section(writer, &header, section->output.data);
    }
}

static void add_tables(struct writer *writer)
{
    unsigned names = writer->header_count + 1;
    const Elf64_Shdr symbols = {.sh_name = add_name(writer, ".symtab"),
                                .sh_type = SHT_SYMTAB,
                                .sh_size = writer->symbols.size,
                                .sh_addralign = 8,
                                .sh_entsize = sizeof(Elf64_Sym),
                                .sh_link = names,
                                .sh_info = writer->locals};
    const Elf64_Word own = add_name(writer, ".strtab");
    const Elf64_Shdr strings = {
        .sh_name = own, .sh_type = SHT_STRTAB, .sh_size = writer->names.size, .sh_addralign = 1};
    add_section(writer, &symbols, writer->symbols.data);
    add_section(writer, &strings, writer->names.data);
}

void assembly_object(const struct assembly *assembly, const struct isa *isa, struct buffer *object)
{
    struct writer writer = {.assembly = assembly, .file = object, .start = object->size, .header_count = 1};
    Elf64_Ehdr file = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_REL,
                       .e_machine = (Elf64_Half)isa->elf_machine,
                       .e_version = EV_CURRENT,
                       .e_flags = isa->elf_flags,
                       .e_ehsize = sizeof file,
                       .e_shentsize = sizeof(Elf64_Shdr)};
    buffer_append(object, &file, sizeof file);
    buffer_append(&writer.names, "", 1);
    add_symbols(&writer);
    add_code(&writer);
    add_tables(&writer);
    buffer_align(object, 8);
    file.e_shoff = object->size - writer.start;
    file.e_shnum = (Elf64_Half)writer.header_count;
    file.e_shstrndx = (Elf64_Half)(writer.header_count - 1);
    buffer_append(object, writer.headers, writer.header_count * sizeof writer.headers[0]);
    memcpy(object->data + writer.start, &file, sizeof file);
    buffer_free(&writer.symbols);
    buffer_free(&writer.names);
}
