#include "generator/emit/emit_lines.h"

#include "base/text/cursor.h"
#include "generator/plan/plan_forms.h"

#include <inttypes.h>
#include <string.h>

/* COMMENT_ROOM: upper bound for the comment of a slot without places, and for what each place adds. */
enum {
    CACHED = 256,
    LANE = 16,
    MOST_LINES = 6,
    COMMENT_COLUMN = 44,
    COMMENT_ROOM = 256,
    LINE_ROOM = 32 + 2 * CURSOR_PADDED
};

/* A placeholder for the place's offset in the text, and a number to find the shape with. */
static const char OFFSET[] = "\1";
static const char SAMPLE[] = "64";
static const char INDENT[] = "    ";

/* One instruction's text, indented, cut at the offset. */
struct line_text {
    const char *before, *after; /* after: NULL without an offset */
    size_t before_size, after_size;
    struct shape *shape;
    int64_t number; /* without an offset */
};

/* The comment after a slot's lines. */
enum remark { REMARK_NONE, REMARK_DEPENDENT, REMARK_CHAIN, REMARK_OWN };

/* The lines of a row with these registers. */
struct cached {
    const struct form *form;
    const char *names[2];
    enum remark remark;
    unsigned count;    /* 0: this method does not apply */
    size_t room;       /* upper bound for the length of their text */
    const char *whole; /* the whole text if it is the same for every slot; else NULL */
    size_t whole_size;
    struct line_text lines[MOST_LINES];
};

/* Lines of slots with one key (plan_form_key), by the index of their accumulator or base. */
struct register_lane {
    const struct cached *items[LANE];
};

struct known_line_cache {
    struct cached *items[CACHED];
    struct register_lane *lanes; /* [behaviours * FORM_KEYS] */
    struct arena *arena;
};

struct known_line_cache *line_cache_new(const struct plan *plan, struct arena *arena)
{
    struct known_line_cache *cache = arena_alloc(arena, 1, sizeof *cache);
    cache->lanes = arena_alloc(arena, plan->kernel->count * FORM_KEYS, sizeof *cache->lanes);
    cache->arena = arena;
    return cache;
}

/* Padded, because the cursor writes in blocks. */
static char *copy(struct arena *arena, const char *text, size_t size)
{
    char *result = arena_alloc(arena, size + CURSOR_PADDED, 1);
    memcpy(result, text, size);
    return result;
}

/* Stores one instruction of an expanded row, and finds its shape. False if it contains a label, or an offset
 * outside an address. */
static bool keep_line(struct emission *emission, const char *text, size_t size, struct line_text *line)
{
    struct arena *arena = emission->lines->arena;
    const char *offset = memchr(text, OFFSET[0], size);
    struct buffer sample = {0};
    size_t before = offset == NULL ? size : (size_t)(offset - text);
    buffer_text(&sample, INDENT);
    buffer_append(&sample, text, before);
    *line = (struct line_text){.before = copy(arena, sample.data, sample.size), .before_size = sample.size};
    if (offset != NULL) {
        line->after_size = size - before - 1;
        line->after = copy(arena, offset + 1, line->after_size);
        buffer_text(&sample, SAMPLE);
        buffer_append(&sample, offset + 1, line->after_size);
    }
    enum number_kind kind;
    line->shape =
        assembly_shape(emission->templates->assembly, sample.data, sample.size, &kind, &line->number);
    buffer_free(&sample);
    return line->shape != NULL && (offset == NULL || kind == NUMBER_DISPLACEMENT);
}

static void fill(struct emission *emission, const struct slot *slot, struct cached *cached)
{
    bool access = slot->place_count > 0;
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    struct buffer text = {0};
    if (access) {
        bindings_register(&emission->bindings, "base", cached->names[0]);
        bindings_register(&emission->bindings, item->kind == BEHAVIOUR_STORE ? "stored" : "value",
                          cached->names[1]);
        bindings_set(&emission->bindings, "disp", "%s", OFFSET);
    } else if (cached->names[0] != NULL) {
        bindings_register(&emission->bindings, "accumulator", cached->names[0]);
        bindings_register(&emission->bindings, "operand", cached->names[1]);
    }
    bool good = bindings_expand(&emission->bindings, cached->form->text, &text) == STATUS_OK;
    const char *line = text.data;
    while (good && line != NULL && cached->count < MOST_LINES) {
        const char *more = strstr(line, "; ");
        size_t size = more == NULL ? strlen(line) : (size_t)(more - line);
        good = keep_line(emission, line, size, &cached->lines[cached->count++]);
        cached->room += size + LINE_ROOM;
        line = more == NULL ? NULL : more + 2;
    }
    if (!good || line != NULL)
        cached->count = 0;
    buffer_free(&text);
}

static const char *const branch_words[2][BRANCH_BACK + 1] = {
    {[BRANCH_RANDOM] = "random", [BRANCH_TAKEN] = "taken", [BRANCH_FALLTHROUGH] = "not taken"},
    {[BRANCH_RANDOM] = "random, indirect",
     [BRANCH_TAKEN] = "indirect, always to the twin",
     [BRANCH_FALLTHROUGH] = "indirect, always to the loop"}};

static void write_comment(const struct plan *plan, const struct slot *slot, enum remark remark,
                          struct cursor *cursor)
{
    if (remark == REMARK_DEPENDENT) {
        CURSOR_TEXT(cursor, "dependent");
        return;
    }
    if (remark == REMARK_CHAIN) {
        CURSOR_TEXT(cursor, "a chain begins");
        return;
    }
    CURSOR_TEXT(cursor, "unit ");
    cursor_number(cursor, slot->unit);
    CURSOR_TEXT(cursor, ", behaviour ");
    cursor_number(cursor, slot->item + 1);
    CURSOR_TEXT(cursor, ": ");
    if (slot->place_count > 0) {
        emission_comment_access(plan, slot, cursor);
    } else if (plan->kernel->items[slot->item].kind == BEHAVIOUR_SHARED) {
        emission_comment_shared(plan, slot, cursor);
    } else if (plan->kernel->items[slot->item].kind == BEHAVIOUR_ASM) {
        CURSOR_TEXT(cursor, "the recipe's own text");
    } else {
        const char *word = branch_words[plan_is_indirect(plan, slot)][slot->branch];
        cursor_bytes(cursor, word, strlen(word));
    }
}

static enum remark remark_of(const struct plan *plan, const struct slot *slot)
{
    if (slot->dependent)
        return REMARK_DEPENDENT;
    if (slot->starts)
        return REMARK_CHAIN;
    bool own = slot->place_count > 0 || slot->branch != BRANCH_NONE ||
               plan->kernel->items[slot->item].kind == BEHAVIOUR_ASM ||
               plan->kernel->items[slot->item].kind == BEHAVIOUR_SHARED;
    return own ? REMARK_OWN : REMARK_NONE;
}

/* Writes one or two characters, and a blank. */
static inline void write_lead(const char *comment, struct cursor *cursor)
{
    *cursor->at++ = comment[0];
    if (comment[1] != '\0')
        *cursor->at++ = comment[1];
    *cursor->at++ = ' ';
}

static inline void write_end(const struct emission *emission, const struct slot *slot, enum remark remark,
                             const char *line, struct cursor *cursor)
{
    if (remark != REMARK_NONE) {
        static const char blanks[CURSOR_PADDED + 1] =
            "                                                                ";
        size_t length = (size_t)(cursor->at - line);
        cursor_padded(cursor, blanks, length < COMMENT_COLUMN ? COMMENT_COLUMN - length : 1);
        write_lead(emission->comment, cursor);
        write_comment(emission->plan, slot, remark, cursor);
    }
    CURSOR_TEXT(cursor, "\n");
}

void emission_end_line(const struct emission *emission, const struct slot *slot, size_t line_start,
                       struct buffer *source)
{
    struct cursor cursor = cursor_begin(source, COMMENT_ROOM * (1 + (size_t)slot->place_count));
    write_end(emission, slot, remark_of(emission->plan, slot), source->data + line_start, &cursor);
    cursor_end(cursor, source);
}

static void write_padded(struct cursor *cursor, const char *text, size_t size)
{
    if (size <= CURSOR_PADDED)
        cursor_padded(cursor, text, size);
    else
        cursor_bytes(cursor, text, size);
}

static void write_lines(const struct emission *emission, const struct slot *slot, const struct cached *cached,
                        uint32_t offset, struct cursor *cursor)
{
    for (unsigned i = 0; i < cached->count; i++) {
        const struct line_text *line = &cached->lines[i];
        const char *start = cursor->at;
        write_padded(cursor, line->before, line->before_size);
        if (line->after != NULL) {
            cursor_number(cursor, offset);
            write_padded(cursor, line->after, line->after_size);
        }
        if (i + 1 == cached->count)
            write_end(emission, slot, cached->remark, start, cursor);
        else
            CURSOR_TEXT(cursor, "\n");
    }
}

/* Stores the text of lines without an offset or a remark of their own. */
static void keep_whole(struct emission *emission, const struct slot *slot, struct cached *cached)
{
    struct buffer text = {0};
    struct cursor cursor = cursor_begin(&text, cached->room + COMMENT_ROOM);
    write_lines(emission, slot, cached, 0, &cursor);
    cursor_end(cursor, &text);
    cached->whole = copy(emission->lines->arena, text.data, text.size);
    cached->whole_size = text.size;
    buffer_free(&text);
}

static struct cached *find(struct emission *emission, const struct slot *slot, const struct form *form,
                           const char *const names[2], enum remark remark)
{
    struct known_line_cache *cache = emission->lines;
    uintptr_t hash =
        (uintptr_t)form / sizeof *form * 31 + (uintptr_t)names[0] * 7 + (uintptr_t)names[1] * 13 + remark;
    struct cached **place = &cache->items[(hash ^ hash >> 8) % CACHED];
    struct cached *cached = *place;
    if (cached != NULL && cached->form == form && cached->names[0] == names[0] &&
        cached->names[1] == names[1] && cached->remark == remark)
        return cached;
    *place = cached = arena_alloc(cache->arena, 1, sizeof *cached);
    *cached = (struct cached){.form = form, .names = {names[0], names[1]}, .remark = remark};
    fill(emission, slot, cached);
    if (cached->count > 0 && remark != REMARK_OWN && slot->place_count == 0)
        keep_whole(emission, slot, cached);
    return cached;
}

/* Makes the slot's lines for that accumulator or base. NULL if the quick method does not apply. */
static const struct cached *make_lines(struct emission *emission, const struct slot *slot, unsigned index)
{
    const char *names[2] = {NULL, NULL};
    const struct form *form = plan_form(emission->templates, emission->plan, slot);
    if (form == NULL)
        return NULL;
    if (slot->place_count > 0)
        emission_access_registers(emission, slot, names);
    else if (emission->workplaces[slot->item].operates)
        emission_operation_registers(emission, slot, index, names);
    const struct cached *cached = find(emission, slot, form, names, remark_of(emission->plan, slot));
    return cached->count > 0 ? cached : NULL;
}

/* The slot's lines if they are not known yet, or belong to one of several operands. */
static const struct cached *find_lines(struct emission *emission, const struct slot *slot, unsigned index)
{
    const struct cached *cached = make_lines(emission, slot, index);
    if (cached != NULL && index < LANE && slot->operand == 0)
        emission->lines->lanes[plan_form_key(slot)].items[index] = cached;
    return cached;
}

static inline const struct cached *known_lines_of(const struct emission *emission, const struct slot *slot,
                                                  unsigned index)
{
    if (index >= LANE || slot->operand != 0)
        return NULL;
    return emission->lines->lanes[plan_form_key(slot)].items[index];
}

/* The lines of an operation for its next accumulator; takes no turn if the quick method does not apply. */
static inline const struct cached *operation_lines(struct emission *emission, const struct slot *slot,
                                                   const struct workplace *workplace)
{
    unsigned *next = &emission->turns[workplace->turns[slot->dependent]];
    unsigned before = *next;
    unsigned chain = emission->chains[slot->item];
    unsigned index = workplace->operates ? emission_take_accumulator(emission, slot) : 0;
    const struct cached *cached = known_lines_of(emission, slot, index);
    if (cached == NULL)
        cached = find_lines(emission, slot, index);
    if (cached == NULL) {
        *next = before;
        emission->chains[slot->item] = chain;
    }
    return cached;
}

static inline const struct cached *access_lines(struct emission *emission, const struct slot *slot)
{
    const struct cached *cached = known_lines_of(emission, slot, slot->places[0].base);
    return cached != NULL ? cached : find_lines(emission, slot, slot->places[0].base);
}

static inline const struct cached *lines_of(struct emission *emission, const struct slot *slot)
{
    const struct workplace *workplace = &emission->workplaces[slot->item];
    if (!workplace->plain || slot->place_count > 1 || slot->gap > 0)
        return NULL;
    if (slot->place_count == 0)
        return operation_lines(emission, slot, workplace);
    return slot->places[0].anchor == 0 && slot->places[0].from == 0 ? access_lines(emission, slot) : NULL;
}

/* Records the lines for the assembly. */
static void tell_lines(const struct cached *cached, uint32_t offset, struct known_lines *known)
{
    for (unsigned i = 0; i < cached->count; i++) {
        const struct line_text *line = &cached->lines[i];
        known_lines_add(known, line->shape, line->after != NULL ? (int64_t)offset : line->number);
    }
}

size_t emission_quick_slots(struct emission *emission, size_t index, struct buffer *source)
{
    const struct plan *plan = emission->plan;
    for (; index < plan->slot_count; index++) {
        const struct slot *slot = &plan->slots[index];
        const struct cached *cached = lines_of(emission, slot);
        if (cached == NULL)
            break;
        uint32_t offset = slot->place_count > 0 ? slot->places[0].offset - slot->places[0].from : 0;
        struct cursor cursor = cursor_begin(source, cached->room + 2 * COMMENT_ROOM);
        if (cached->whole != NULL)
            write_padded(&cursor, cached->whole, cached->whole_size);
        else
            write_lines(emission, slot, cached, offset, &cursor);
        cursor_end(cursor, source);
        if (emission->known != NULL)
            tell_lines(cached, offset, emission->known);
    }
    return index;
}
