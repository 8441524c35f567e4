#include "generator/emit/emit.h"

#include "base/arena.h"
#include "base/json.h"
#include "base/text/cursor.h"
#include "generator/emit/code_emit.h"
#include "generator/emit/emission.h"
#include "generator/emit/emit_operations.h"
#include "generator/emit/symbol_names.h"
#include "generator/plan/code/gaps.h"
#include "generator/plan/memory/chase_windows.h"
#include "generator/plan/plan_forms.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loop lines that differ only in one number ---- */

/* COMMENT_ROOM: upper bound for the comment of a slot without places, and for what each place adds. */
enum {
    CACHED = 256,
    LANE = 16,
    MOST_LINES = 6,
    COMMENT_COLUMN = 44,
    COMMENT_ROOM = 256,
    LINE_ROOM = 32 + 2 * CURSOR_PADDED
};

/* A placeholder for the place's offset in the text, and a number with which the shape is found. */
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

/* An empty cache from the arena. */
static struct known_line_cache *line_cache_new(const struct plan *plan, struct arena *arena)
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
    if (behaviour_accesses(&plan->kernel->items[slot->item])) {
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

/* Makes and caches the slot's lines, which are new or belong to one of several operands. */
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
    if (!workplace->plain || slot_is_placed(slot) || slot->gap > 0)
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
        const struct cached *cached = plan_cuts(plan, index) ? NULL : lines_of(emission, slot);
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

/* Log2 of the instructions after which loop and twin align: the low seven bits of a branch's address are the
 * same in both. */
enum { LOOP_ALIGN_LOG2 = 7 };

/* Estimated text bytes of a slot and of the code around the slots; high estimates. */
enum { LIKELY_LINE = 64, LIKELY_FRAME = 8192 };

/* The two copies of a loop with branches: each taken branch leads into the other copy. The code is the same
 * in both, so both arms of every branch are equal. */
enum emission_way { WAY_LOOP, WAY_TWIN };

static const char *const way_letters[] = {[WAY_LOOP] = "a", [WAY_TWIN] = "b"};

/* The first of the numbered labels after a chunk's branches. Names would not be unique, because pieces have
 * copies. The templates use labels 1 and 2. */
static const unsigned chunk_labels[] = {
    [WAY_LOOP] = CODE_TWIN_LABEL - CODE_TWIN_BRANCHES, [WAY_TWIN] = CODE_TWIN_LABEL};

/* The register that holds the distance from one copy to the other, where a row adds one. */
static void bind_way(struct emission *emission, const char *name, enum emission_way from,
                     enum emission_way to)
{
    const struct pool *zero = registers_pool(&emission->plan->registers, "zero");
    if (from == to)
        bindings_register(&emission->bindings, name,
                          zero == NULL || zero->count == 0 ? NULL : zero->registers[0]);
    else
        bindings_register(&emission->bindings, name,
                          to == WAY_TWIN ? emission->other_goal : emission->back_goal);
}

/* A conditional branch goes to the other copy when taken; an indirect one goes to the same place from both.
 */
static void bind_branch(struct emission *emission, size_t index, enum emission_way way)
{
    const struct slot *slot = &emission->plan->slots[index];
    enum emission_way to = !plan_is_indirect(emission->plan, slot) ? !way
                           : slot->branch == BRANCH_TAKEN          ? WAY_TWIN
                                                                   : WAY_LOOP;
    const bool code = emission->plan->code != NULL;
    enum code_twin twin = code ? code_plan_twin(emission->plan, emission->chunk) : CODE_TWIN_APART;
    if (twin == CODE_TWIN_BESIDE)
        bindings_set(&emission->bindings, "target", "%u%c", chunk_labels[!way] + emission->chunk_branches,
                     way == WAY_LOOP ? 'f' : 'b');
    else if (twin == CODE_NO_TWIN) /* both arms are the code after it */
        bindings_set(&emission->bindings, "target", "1f");
    else
        bindings_set(&emission->bindings, "target", ".L%s%zu", way_letters[to], index);
    bindings_set(&emission->bindings, "loop_target", ".L%s%zu", way_letters[WAY_LOOP], index);
    bindings_set(&emission->bindings, "twin_target", ".L%s%zu", way_letters[WAY_TWIN], index);
    bindings_number(&emission->bindings, "gap", slot->gap);
    bind_way(emission, "way", way, twin == CODE_TWIN_APART ? to : way);
    bind_way(emission, "loop_way", way, twin == CODE_TWIN_APART ? WAY_LOOP : way);
    if (slot->place_count > 0)
        emission_bind_place(emission, &slot->places[0]);
    const struct form *row = template_form(emission->templates, "branch.indirect");
    bindings_number(&emission->bindings, "past", slot->gap + (row == NULL ? 0 : row->bytes));
}

/* The words from which branches load their targets. */
static enum status emit_targets(struct emission *emission, struct buffer *output)
{
    const struct plan *plan = emission->plan;
    enum status status = STATUS_OK;
    bindings_register(&emission->bindings, "value", emission->value);
    for (size_t i = 0; status == STATUS_OK && i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        if (!behaviour_loads_target(&plan->kernel->items[slot->item]))
            continue;
        emission_bind_place(emission, &slot->places[0]);
        bindings_set(&emission->bindings, "target", ".L%s%zu",
                     way_letters[slot->branch == BRANCH_TAKEN ? WAY_TWIN : WAY_LOOP], i);
        status = bindings_section(&emission->bindings, "start.target", output);
    }
    return status;
}

static void bind_given(struct emission *emission, const struct register_use *use)
{
    const struct isa *isa = emission->templates->isa;
    char name[8];
    (void)isa->text_rules->write_register(use, name);
    bindings_set(&emission->bindings, "given", "%s%s", isa->register_prefix, name);
}

/* The last load's value, in the register that the text calls {loaded}. */
static enum status emit_copy(struct emission *emission, const struct slot *slot, struct buffer *source)
{
    const struct plan *plan = emission->plan;
    bind_given(emission, &plan->registers.given[slot->item][plan->kernel->items[slot->item].registers]);
    enum status status =
        bindings_row(&emission->bindings, template_form(emission->templates, USER_ASM_COPY), NULL, source);
    buffer_text(source, "\n");
    return status;
}

/* Appends the recipe's own text, each line unchanged except for registers and memory. In the loop, labels
 * mark it, so that its bytes can be counted. */
static enum status emit_text(struct emission *emission, size_t index, enum emission_way way,
                             struct buffer *source)
{
    enum status status = STATUS_OK;
    const struct plan *plan = emission->plan;
    const struct slot *slot = &plan->slots[index];
    const struct user_asm *text = &plan->texts.items[slot->item];
    if (way == WAY_LOOP)
        buffer_printf(source, ".Ltext%zu:\n", index);
    if (plan->kernel->items[slot->item].consumes)
        status = emit_copy(emission, slot, source);
    for (unsigned i = 0; i < text->line_count; i++) {
        size_t start = source->size;
        buffer_text(source, "    ");
        user_asm_write(text->lines[i], plan->texts.memory[slot->item] - plan->texts.base,
                       emission->templates->isa, source);
        if (i == 0)
            emission_end_line(emission, slot, start, source);
        else
            buffer_text(source, "\n");
    }
    if (way == WAY_LOOP)
        buffer_printf(source, ".Ltext_end%zu:\n", index);
    return status;
}

/* Appends the label after a branch. */
static void emit_branch_label(struct emission *emission, size_t index, enum emission_way way,
                              struct buffer *source)
{
    const struct plan *plan = emission->plan;
    enum code_twin twin = plan->code == NULL ? CODE_TWIN_APART : code_plan_twin(plan, emission->chunk);
    if (twin == CODE_TWIN_APART)
        buffer_printf(source, ".L%s%zu:\n", way_letters[way], index);
    else
        buffer_printf(source, "%u:\n",
                      twin == CODE_TWIN_BESIDE ? chunk_labels[way] + emission->chunk_branches++ : 1);
}

static void begin_chunk(struct emission *emission, struct buffer *source)
{
    buffer_append(source, &(const char){CODE_CUT}, 1);
    emission->chunk++;
    emission->chunk_branches = 0;
}

/* Binds the names in the row of an access to a shared region, with a label in front of it if it may repeat.
 */
static void bind_shared(struct emission *emission, size_t index, enum emission_way way,
                        const struct form *form, struct buffer *source)
{
    emission_bind_shared(emission, &emission->plan->slots[index]);
    if (form == NULL || strstr(form->text, "{again}") == NULL)
        return;
    bindings_set(&emission->bindings, "again", ".Lagain_%s%zu", way_letters[way], index);
    buffer_printf(source, ".Lagain_%s%zu:\n", way_letters[way], index);
}

static enum status emit_slot(struct emission *emission, size_t index, enum emission_way way,
                             struct buffer *source)
{
    const struct plan *plan = emission->plan;
    const struct slot *slot = &plan->slots[index];
    const struct behaviour *item = &plan->kernel->items[slot->item];
    if (slot->branch == BRANCH_BACK)
        return STATUS_OK;
    if (item->kind == BEHAVIOUR_CODE || plan_cuts(plan, index))
        begin_chunk(emission, source);
    if (item->kind == BEHAVIOUR_CODE)
        return STATUS_OK;
    if (item->kind == BEHAVIOUR_ASM)
        return emit_text(emission, index, way, source);
    const struct form *form = plan_form(emission->templates, plan, slot);
    size_t line = 0;
    enum status status = emission_find_place(emission, slot, source);
    if (item->kind == BEHAVIOUR_SHARED)
        bind_shared(emission, index, way, form, source);
    else if (behaviour_accesses(item))
        emission_bind_access(emission, slot);
    else if (item->kind == BEHAVIOUR_BRANCH)
        bind_branch(emission, index, way);
    else if (operation_is(item))
        emission_bind_operation(emission, slot);
    if (status == STATUS_OK)
        status = bindings_row(&emission->bindings, form, &line, source);
    if (status == STATUS_OK)
        emission_end_line(emission, slot, line, source);
    if (status == STATUS_OK && slot->gap > 0)
        status = bindings_section(&emission->bindings, "gap", source);
    if (item->kind == BEHAVIOUR_BRANCH)
        emit_branch_label(emission, index, way, source);
    return status;
}

/* The same, and records the slot's lines as known, at least as lines to parse. origin: start of the body. */
static enum status emit_known_slot(struct emission *emission, size_t index, enum emission_way way,
                                   size_t origin, struct buffer *source)
{
    size_t start = source->size;
    size_t known = emission->known == NULL ? 0 : emission->known->count;
    enum status status = emit_slot(emission, index, way, source);
    if (emission->known != NULL && emission->known->count == known)
        known_lines_add_text(emission->known, start - origin, source->size - start);
    return status;
}

/* Sets the register that operations consume before the loop's first load: the one of the last load of the
 * previous pass, which may be a chase's link or a leading load's zero. */
static void bind_carried(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    for (size_t i = plan->slot_count; i-- > 0;) {
        const struct behaviour *item = &plan->kernel->items[plan->slots[i].item];
        if (plan->slots[i].place_count == 0 || item->kind != BEHAVIOUR_LOAD)
            continue;
        if (behaviour_points(item))
            bindings_register(&emission->bindings, "value", emission->pointer);
        return;
    }
}

/* Appends all slots of one copy. Only branches enter the twin, so the code before its first entry never runs;
 * it keeps later branches at the same distances as in the loop. */
static enum status emit_body(struct emission *emission, enum emission_way way, struct buffer *body)
{
    size_t count = emission->plan->slot_count;
    size_t origin = body->size;
    enum status status = STATUS_OK;
    emission_restart_operations(emission);
    bind_carried(emission);
    emission->chunk = emission->chunk_branches = 0;
    buffer_reserve(body, count * LIKELY_LINE);
    for (size_t i = 0; status == STATUS_OK; i++) {
        i = emission_quick_slots(emission, i, body);
        if (i >= count)
            break;
        status = emit_known_slot(emission, i, way, origin, body);
    }
    return status;
}

/* Registers start at zero, so that no run depends on what the caller left in them. */
static enum status emit_zeros(struct emission *emission, struct buffer *output)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < emission->accumulator_count; i++) {
        bindings_register(&emission->bindings, "accumulator", emission->accumulators[i]);
        status = bindings_section(&emission->bindings, "start.accumulator", output);
    }
    bindings_register(&emission->bindings, "value", emission->value);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "start.value", output) : status;
}

/* Registers of the recipe's own texts start at zero, too. */
static enum status emit_given(struct emission *emission, struct buffer *output)
{
    const struct kernel *kernel = emission->plan->kernel;
    const struct isa *isa = emission->templates->isa;
    enum status status = STATUS_OK;
    for (size_t i = 0; i < kernel->count; i++) {
        for (unsigned j = 0;
             status == STATUS_OK && kernel->items[i].kind == BEHAVIOUR_ASM && j < kernel->items[i].registers;
             j++) {
            struct register_use use = emission->plan->registers.given[i][j];
            const char *section = isa->text_rules->clear(&use);
            bind_given(emission, &use);
            status = bindings_section(&emission->bindings, section, output);
        }
    }
    return status;
}

/* Sets the register that wide stores write. */
static enum status emit_wide_zeros(struct emission *emission, struct buffer *output)
{
    const struct plan *plan = emission->plan;
    if (!emission_stores_wide(plan->kernel))
        return STATUS_OK;
    const struct form *form = operation_row(emission->templates, plan->machine, "clear.stored.16");
    bindings_register(&emission->bindings, "register", emission->vector_stored);
    enum status status = bindings_row(&emission->bindings, form, NULL, output);
    buffer_text(output, "\n");
    return status;
}

/* Sets the separate register of the texts' memory, if there is one. It is set again at the end of a pass if
 * that code changes it (advance.texts). */
static enum status emit_text_memory(struct emission *emission, struct buffer *start, struct buffer *advance)
{
    const struct plan *plan = emission->plan;
    if (!plan->texts.has_memory || !emission->templates->isa->text_rules->own_address)
        return STATUS_OK;
    bindings_number(&emission->bindings, "text_memory", plan->texts.base);
    enum status status = bindings_section(&emission->bindings, "start.texts", start);
    bool again = template_section(emission->templates, "advance.texts") != NULL;
    return status == STATUS_OK && again ? bindings_section(&emission->bindings, "advance.texts", advance)
                                        : status;
}

/* The code before the loop, at the end of a pass and after the loop. */
static enum status emit_frame(struct emission *emission, struct buffer *start, struct buffer *advance,
                              struct buffer *finish, struct buffer *area)
{
    const struct plan *plan = emission->plan;
    enum status status = emission_start_vectors(emission, start);
    if (status == STATUS_OK)
        status = emit_targets(emission, start);
    if (status == STATUS_OK)
        status = emit_zeros(emission, start);
    if (status == STATUS_OK && kernel_has(plan->kernel, BEHAVIOUR_THROTTLE))
        status = bindings_section(&emission->bindings, "start.idle", start);
    if (status == STATUS_OK)
        status = emission_start_operations(emission, start);
    bindings_number(&emission->bindings, "link",
                    plan->memory.relative ? chase_windows_start(plan) : plan->data.first_link);
    bool chases = plan->memory.relative || plan->memory.indexed || plan->shared.chases;
    if (status == STATUS_OK && emission->pointer != NULL)
        status = bindings_section(&emission->bindings,
                                  !chases                 ? "start.led"
                                  : plan->memory.relative ? "start.pointer"
                                                          : "start.pointer_indexed",
                                  start);
    if (status == STATUS_OK && emission->stored != NULL)
        status = bindings_section(&emission->bindings, "start.stored", start);
    if (status == STATUS_OK)
        status = emit_wide_zeros(emission, start);
    if (status == STATUS_OK && plan->branches.total > 0)
        status = bindings_section(&emission->bindings, "start.random", start);
    if (status == STATUS_OK)
        status = emit_given(emission, start);
    if (status == STATUS_OK)
        status = emission_frame_bases(emission, start, advance, finish);
    if (status == STATUS_OK)
        status = emission_finish_operations(emission, finish);
    if (status == STATUS_OK)
        status = emission_frame_apart(emission, start);
    if (status == STATUS_OK)
        status = emission_frame_copies(emission, start, advance);
    if (status == STATUS_OK)
        status = emit_text_memory(emission, start, advance);
    return status == STATUS_OK ? emission_frame_shared(emission, start, advance, finish, area) : status;
}

static void bind_fixed(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bindings_number(&emission->bindings, "bytes", plan->memory.bytes);
    bindings_number(&emission->bindings, "align", plan->memory.align);
    bindings_set(&emission->bindings, "relative", "%d", plan->memory.relative);
    bindings_number(&emission->bindings, "huge", plan->memory.huge_from);
    bindings_number(&emission->bindings, "warmup", code_plan_warmup(plan));
    bindings_number(&emission->bindings, "period", plan->sizing.period);
    bindings_number(&emission->bindings, "holds", code_plan_period(plan));
    bindings_number(&emission->bindings, "runs", plan->data.run_count);
    int align = LOOP_ALIGN_LOG2 + __builtin_ctz(emission->templates->isa->code_align);
    bindings_set(&emission->bindings, "loop_align", "%d",
                 plan->branches.indirect > 0 && align < GAPS_ENTRIES_LOG2 ? GAPS_ENTRIES_LOG2 : align);
}

/* The section for a loop with indirect branches, if the templates have one. */
static const char *section_of(const struct emission *emission, const char *plain, const char *indirect)
{
    bool own =
        emission->plan->branches.indirect > 0 && template_section(emission->templates, indirect) != NULL;
    return own ? indirect : plain;
}

/* The twin of a loop that has branches. */
static enum status emit_twin(struct emission *emission, const char *advance, struct buffer *twin)
{
    const struct plan *plan = emission->plan;
    if (plan->branches.total == 0 || plan->code != NULL)
        return STATUS_OK;
    struct buffer body = {0};
    emission->known = NULL;
    enum status status = emit_body(emission, WAY_TWIN, &body);
    bindings_text(&emission->bindings, "body", body.data);
    bindings_text(&emission->bindings, "advance", advance);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, section_of(emission, "twin", "twin.indirect"), twin);
    bindings_text(&emission->bindings, "body", NULL);
    buffer_free(&body);
    return status;
}

static const char *text_of(const struct buffer *buffer)
{
    return buffer->data == NULL ? "" : buffer->data;
}

/* The table of the initial data. */
static void emit_runs(const struct plan *plan, struct buffer *table)
{
    for (size_t i = 0; i < plan->data.run_count; i++) {
        const struct data_run *run = &plan->data.runs[i];
        buffer_printf(table, "    .quad %" PRIu64 ", %" PRIu64 ", %" PRIu64 ", 0x%016" PRIx64 "\n",
                      run->offset, run->step, run->count, run->value);
    }
}

/* The positions of the recipe's own texts in the loop. */
static enum status emit_text_places(struct emission *emission, struct buffer *texts)
{
    const struct plan *plan = emission->plan;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < plan->slot_count; i++) {
        if (plan->kernel->items[plan->slots[i].item].kind != BEHAVIOUR_ASM)
            continue;
        if (texts->size == 0)
            status = bindings_section(&emission->bindings, "texts", texts);
        buffer_printf(texts, "    .long .Ltext%zu - trauma_loop, .Ltext_end%zu - trauma_loop\n", i, i);
    }
    return status;
}

/* Appends the names that all objects of a suite have, so that readers of objects always find trauma_kernel
 * and the like. */
static enum status emit_aliases(struct emission *emission, const char *prefix, struct buffer *output)
{
    bool own = prefix == NULL || strcmp(prefix, symbol_prefix) == 0;
    bindings_text(&emission->bindings, "prefix", own ? symbol_prefix : prefix);
    return bindings_section_if(&emission->bindings, own ? "aliases" : "aliases.prefix", output);
}

/* Appends the directives that enable the features that the program needs. */
static void emit_extensions(const struct emission *emission, struct arena *arena, struct buffer *output)
{
    const struct extension *known = emission->templates->isa->extensions;
    struct form_tally tally;
    size_t count;
    if (known == NULL)
        return;
    plan_tally(emission->templates, emission->plan, arena, &tally);
    const char **features =
        emit_operations_features(emission->plan, emission->templates, &tally, arena, &count);
    for (; known->feature != NULL; known++) {
        size_t i = 0;
        while (i < count && strcmp(features[i], known->feature) != 0)
            i++;
        if (i == count)
            continue;
        const char *same = output->data == NULL ? NULL : strstr(output->data, known->directive);
        if (same == NULL || same[strlen(known->directive)] != '\n')
            buffer_printf(output, "    %s\n", known->directive);
    }
}

/* The pieces of a program, which are longer than a binding's value. */
enum piece {
    PIECE_START,
    PIECE_BODY,
    PIECE_ADVANCE,
    PIECE_TWIN,
    PIECE_FINISH,
    PIECE_TABLE,
    PIECE_TEXTS,
    PIECE_AREA,
    PIECE_CHUNKS,
    PIECE_ALIASES,
    PIECE_EXTENSIONS,
    PIECES
};

static const char *const piece_names[PIECES] = {"start", "body", "advance", "twin",    "finish",    "table",
                                                "texts", "area", "chunks",  "aliases", "extensions"};

static enum status emit_pieces(struct emission *emission, struct arena *arena, struct buffer pieces[PIECES])
{
    enum status status = emit_frame(emission, &pieces[PIECE_START], &pieces[PIECE_ADVANCE],
                                    &pieces[PIECE_FINISH], &pieces[PIECE_AREA]);
    emit_extensions(emission, arena, &pieces[PIECE_EXTENSIONS]);
    emit_runs(emission->plan, &pieces[PIECE_TABLE]);
    if (status == STATUS_OK)
        status = emit_text_places(emission, &pieces[PIECE_TEXTS]);
    if (status == STATUS_OK && emission->plan->code != NULL)
        status = emit_body(emission, WAY_LOOP, &pieces[PIECE_BODY]);
    if (status != STATUS_OK || emission->plan->code == NULL)
        return status;
    struct buffer twin = {0};
    if (emission->plan->branches.total > 0)
        status = emit_body(emission, WAY_TWIN, &twin);
    const struct code_text text = {text_of(&pieces[PIECE_BODY]), twin.data, text_of(&pieces[PIECE_ADVANCE]),
                                   &emission->bindings};
    if (status == STATUS_OK)
        status = code_emit(emission->plan, &text, &pieces[PIECE_AREA], &pieces[PIECE_CHUNKS]);
    buffer_free(&twin);
    return status;
}

/* Expands the text with all names, the pieces among them. */
static enum status expand_large(struct emission *emission, const struct buffer pieces[PIECES],
                                const char *text, size_t size, struct buffer *output)
{
    for (int i = 0; i < PIECES; i++)
        bindings_text(&emission->bindings, piece_names[i], text_of(&pieces[i]));
    return bindings_expand_part(&emission->bindings, text, size, output);
}

/* Expands the section up to the name in braces; *rest: the text after them. */
static enum status expand_up_to(struct emission *emission, const struct buffer pieces[PIECES],
                                const char *section, const char *name, const char **rest,
                                struct buffer *output)
{
    const char *text = template_section(emission->templates, section);
    const char *place = text == NULL ? NULL : strstr(text, name);
    if (place == NULL)
        return error_set(emission->error, STATUS_FAILED, "section %s of the templates of %s has no %s",
                         section, emission->templates->isa->name, name);
    *rest = place + strlen(name);
    return expand_large(emission, pieces, text, (size_t)(place - text), output);
}

/* The loop with its body: most of a program's text, so it is written in place. */
static enum status emit_loop(struct emission *emission, struct buffer pieces[PIECES], struct buffer *source,
                             struct known_part *part)
{
    bool apart = emission->plan->code != NULL; /* the pieces include the body's */
    const char *rest = NULL;
    const char *section = apart ? "loop.code" : section_of(emission, "loop", "loop.indirect");
    enum status status = expand_up_to(emission, pieces, section, apart ? "\n" : "{body}", &rest, source);
    if (apart && status == STATUS_OK)
        buffer_text(source, "\n");
    size_t start = source->size;
    if (!apart && status == STATUS_OK)
        status = emit_body(emission, WAY_LOOP, source);
    *part = (struct known_part){start, source->size - start, emission->known};
    if (!apart && status == STATUS_OK)
        status = emit_twin(emission, text_of(&pieces[PIECE_ADVANCE]), &pieces[PIECE_TWIN]);
    return status == STATUS_OK ? expand_large(emission, pieces, rest, strlen(rest), source) : status;
}

enum status emission_open(struct emission *emission, const struct plan *plan,
                          const struct template *templates, struct arena *arena, struct error *error)
{
    *emission = (struct emission){.plan = plan,
                                  .templates = templates,
                                  .comment = templates->isa->syntax.comment,
                                  .bindings = {.templates = templates, .error = error},
                                  .error = error};
    emission->chains = arena_alloc(arena, plan->kernel->count, sizeof *emission->chains);
    emission->workplaces = arena_alloc(arena, plan->kernel->count, sizeof *emission->workplaces);
    emission->turn_count = emission_turns(plan);
    emission->turns = arena_alloc(arena, emission->turn_count, sizeof *emission->turns);
    emission->lines = line_cache_new(plan, arena);
    enum status status = emission_claim(emission);
    return status == STATUS_OK ? emission_claim_operations(emission) : status;
}

enum status emit_program(const struct plan *plan, const struct template *templates,
                         const struct plan_options *options, struct buffer *source, struct known_lines *known,
                         struct known_part *part, struct error *error)
{
    struct emission emission;
    struct buffer pieces[PIECES] = {{0}};
    struct known_part body = {0};
    struct arena arena = {0};
    const char *rest = NULL;
    char symbols[SYMBOL_NAME_BYTES];
    symbol_name(options->prefix, options->label, symbols);
    enum status status = emission_open(&emission, plan, templates, &arena, error);
    emission.known = plan->code == NULL ? known : NULL;
    bind_fixed(&emission);
    bindings_text(&emission.bindings, "symbols", symbols);
    if (status == STATUS_OK)
        status = emit_pieces(&emission, &arena, pieces);
    if (status == STATUS_OK)
        status = emit_aliases(&emission, options->prefix, &pieces[PIECE_ALIASES]);
    if (status == STATUS_OK) {
        buffer_reserve(source, LIKELY_FRAME + plan->slot_count * LIKELY_LINE);
        emission_header(&emission, options->label, source);
        status = expand_up_to(&emission, pieces, "kernel", "{loop}", &rest, source);
    }
    if (status == STATUS_OK)
        status = emit_loop(&emission, pieces, source, &body);
    if (status == STATUS_OK)
        status = expand_large(&emission, pieces, rest, strlen(rest), source);
    if (part != NULL)
        *part = body;
    for (int i = 0; i < PIECES; i++)
        buffer_free(&pieces[i]);
    arena_free(&arena);
    return status;
}
