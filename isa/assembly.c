#include "isa/assembly.h"

#include "isa/assembly_parts.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 256, BUCKETS = 512 };

static void *more(void *items, size_t count, size_t size)
{
    void *larger = realloc(items, count * size);
    if (larger == NULL)
        abort();
    return larger;
}

struct assembly *assembly_new(struct stencils *stencils)
{
    struct assembly *assembly = calloc(1, sizeof *assembly);
    if (assembly == NULL)
        abort();
    assembly->stencils = stencils;
    assembly->bucket_count = BUCKETS;
    assembly->buckets = more(NULL, BUCKETS, sizeof *assembly->buckets);
    assembly_clear(assembly);
    return assembly;
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
    (void)assembly_enter(assembly, ".text", strlen(".text"), SHF_ALLOC | SHF_EXECINSTR);
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

bool assembly_enter(struct assembly *assembly, const char *name, size_t length, uint64_t flags)
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

struct position assembly_here(const struct assembly *assembly)
{
    const struct section_code *section = &assembly->sections[assembly->current];
    return (struct position){assembly->current, section->size, section->event_count};
}

/* Room for `size` bytes more, and for a stencil behind them. */
static unsigned char *reserve(struct section_code *section, size_t size)
{
    if (section->size + size + ENCODING_ROOM > section->room) {
        section->room = 2 * (section->size + size + FIRST_ROOM);
        section->bytes = more(section->bytes, section->room, 1);
    }
    return section->bytes + section->size;
}

void assembly_bytes_append(struct assembly *assembly, const void *bytes, size_t size)
{
    struct section_code *section = &assembly->sections[assembly->current];
    memcpy(reserve(section, size), bytes, size);
    section->size += size;
}

void assembly_fill(struct assembly *assembly, unsigned char byte, size_t count)
{
    struct section_code *section = &assembly->sections[assembly->current];
    memset(reserve(section, count), byte, count);
    section->size += count;
}

struct event *assembly_event(struct assembly *assembly, enum event_kind kind)
{
    struct section_code *section = &assembly->sections[assembly->current];
    if (section->event_count == section->event_room) {
        section->event_room = section->event_room == 0 ? FIRST_ROOM : 2 * section->event_room;
        section->events = more(section->events, section->event_room, sizeof *section->events);
    }
    struct event *event = &section->events[section->event_count++];
    *event = (struct event){.kind = kind, .at = section->size, .label = NO_LABEL, .from = NO_LABEL};
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
    known->items = more(known->items, known->room, sizeof *known->items);
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

/* Stamps the instructions from the index on that can be told at once; returns the index after them. */
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

static uint64_t hash_of(const char *name, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)name[i]) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 32;
}

static int add_label(struct assembly *assembly)
{
    if (assembly->label_count == assembly->label_room) {
        assembly->label_room = assembly->label_room == 0 ? FIRST_ROOM : 2 * assembly->label_room;
        assembly->labels = more(assembly->labels, assembly->label_room, sizeof *assembly->labels);
        assembly->chain = more(assembly->chain, assembly->label_room, sizeof *assembly->chain);
    }
    assembly->labels[assembly->label_count] = (struct label){.name = ""};
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

int assembly_find_label(struct assembly *assembly, const char *name, size_t length)
{
    if (length == 2 && name[0] >= '0' && name[0] <= '9' && (name[1] == 'f' || name[1] == 'b'))
        return find_number(assembly, name[0] - '0', name[1] == 'f');
    uint64_t hash = hash_of(name, length);
    int *bucket = &assembly->buckets[hash % assembly->bucket_count];
    for (int i = *bucket; i != NO_LABEL; i = assembly->chain[i]) {
        const struct label *label = &assembly->labels[i];
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

enum status assembly_label(struct assembly *assembly, const char *name, size_t length, struct error *error)
{
    int index;
    if (length == 1 && name[0] >= '0' && name[0] <= '9') {
        index = find_number(assembly, name[0] - '0', true);
        assembly->last[name[0] - '0'] = index;
        assembly->coming[name[0] - '0'] = NO_LABEL;
    } else {
        index = assembly_find_label(assembly, name, length);
    }
    struct label *label = &assembly->labels[index];
    if (label->defined)
        return error_set(error, STATUS_FAILED, "the label %.*s is there twice", (int)length, name);
    label->defined = true;
    label->place = assembly_here(assembly);
    label->instructions = assembly->instructions;
    return STATUS_OK;
}

/* ---- of a finished assembly ---- */

uint64_t assembly_offset(const struct assembly *assembly, const struct position *place)
{
    return place->at + assembly->sections[place->section].grown[place->events];
}

bool assembly_symbol(const struct assembly *assembly, const char *name, struct assembly_symbol *symbol)
{
    size_t length = strlen(name);
    uint64_t hash = hash_of(name, length);
    for (int i = assembly->buckets[hash % assembly->bucket_count]; i != NO_LABEL; i = assembly->chain[i]) {
        const struct label *label = &assembly->labels[i];
        if (!label->defined || label->hash != hash || strcmp(label->name, name) != 0)
            continue;
        *symbol = (struct assembly_symbol){assembly->sections[label->place.section].name,
                                           assembly_offset(assembly, &label->place), label->instructions};
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
