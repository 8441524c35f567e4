#include "generator/emit/emission.h"

#include "generator/plan/code/code_plan.h"
#include "generator/plan/data/plan_data.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD_BYTES = 8 };

bool emission_is_free(const struct emission *emission, const char *name)
{
    for (unsigned i = 0; i < emission->claim_count; i++)
        if (strcmp(emission->claimed[i], name) == 0)
            return false;
    return true;
}

const char *emission_claim_free(struct emission *emission, const char *role)
{
    const struct pool *pool = registers_pool(&emission->plan->registers, role);
    for (unsigned i = 0; pool != NULL && i < pool->count; i++)
        if (emission_is_free(emission, pool->registers[i]) && emission->claim_count < MOST_CLAIMS)
            return emission->claimed[emission->claim_count++] = pool->registers[i];
    return NULL;
}

const char *emission_claim_needed(struct emission *emission, const char *role)
{
    const char *free = emission_claim_free(emission, role);
    emission->lacks = emission->lacks || free == NULL;
    return free;
}

static const char *claim_and_bind(struct emission *emission, const char *role)
{
    const char *claimed = emission_claim_needed(emission, role);
    bindings_register(&emission->bindings, role, claimed);
    return claimed;
}

static bool leads(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_LOAD && item->leads;
}

enum status emission_refuse_registers(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    char sets[48];
    snprintf(sets, sizeof sets, "%u working sets", plan->memory.base_count);
    error_set(emission->error, STATUS_RECIPE, "%s has too few registers for %s%s%s%s in one loop",
              emission->templates->isa->name, plan->memory.base_count > 0 ? sets : "the operations",
              plan->stores > 0 ? ", stores" : "", plan->branches.total > 0 ? ", branches" : "",
              plan->memory.indexed || plan->memory.relative ? ", a chase"
              : kernel_any(plan->kernel, leads)             ? ", loads that lead"
                                                            : "");
    error_hint(emission->error,
               "fewer levels, the same stride in all loads and stores, or fewer asm.registers need fewer");
    return STATUS_RECIPE;
}

bool emission_stores_wide(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_STORE && kernel->items[i].width > WORD_BYTES &&
            !kernel->items[i].stores_loaded && !kernel->items[i].has_data)
            return true;
    return false;
}

/* True if some store has no data field: it writes zeros. */
static bool stores_nothing_said(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool shared =
            item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "store") == 0 && !item->shared.copies;
        if (shared || (item->kind == BEHAVIOUR_STORE && !item->has_data && !item->stores_loaded &&
                       item->width <= WORD_BYTES))
            return true;
    }
    return false;
}

enum status emission_claim(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bool changes = plan->sizing.schedule_count > 0;
    bool copies = plan->code != NULL && plan->code->manner.copies;
    bool computes = false;
    for (size_t i = 0; i < plan->slot_count; i++)
        computes = computes || plan->slots[i].computed;
    if (kernel_any(plan->kernel, operation_divides)) {
        claim_and_bind(emission, "quotient");
        claim_and_bind(emission, "remainder");
    }
    if (plan->shared.mapping_count > 0)
        emission_claim_shared(emission);
    emission->data = claim_and_bind(emission, "data");
    if (plan->memory.indexed || plan->memory.relative || kernel_any(plan->kernel, leads))
        emission->pointer = claim_and_bind(emission, "pointer");
    emission->value = claim_and_bind(emission, "value");
    emission->vector_value = emission_claim_free(emission, "vector_value");
    if (emission_stores_wide(plan->kernel))
        emission->vector_stored = emission_claim_free(emission, "vector_stored");
    if (plan->branches.total > 0) {
        claim_and_bind(emission, "random");
        claim_and_bind(emission, "multiplier");
    }
    bool goals = false;
    for (size_t i = 0; i < plan->kernel->count; i++)
        goals = goals || behaviour_has_goal(&plan->kernel->items[i]);
    if (goals) {
        bool backwards = registers_pool(&plan->registers, "back_goal") != NULL;
        claim_and_bind(emission, "goal");
        if (plan->branches.indirect_random > 0 || backwards)
            emission->other_goal = emission_claim_needed(emission, "goal");
        emission->back_goal = emission_claim_free(emission, "back_goal");
        bindings_register(&emission->bindings, "other_goal", emission->other_goal);
        bindings_register(&emission->bindings, "back_goal", emission->back_goal);
        bindings_register(&emission->bindings, "mask", emission_claim_free(emission, "mask"));
    }
    if (changes || plan->memory.base_count > 0 || copies || computes)
        claim_and_bind(emission, "place");
    if (changes) {
        claim_and_bind(emission, "turn");
        claim_and_bind(emission, "spare");
    }
    if (kernel_has(plan->kernel, BEHAVIOUR_THROTTLE))
        claim_and_bind(emission, "idle");
    if (registers_pool(&plan->registers, "address") != NULL && operations_widest_vector(plan->kernel) > 0)
        claim_and_bind(emission, "address");
    if (stores_nothing_said(plan->kernel))
        emission->stored = claim_and_bind(emission, "stored");
    for (unsigned i = 0; i < plan->memory.base_count; i++)
        emission->bases[i] = emission_claim_needed(emission, "rotating");
    for (unsigned i = 0; i < plan->memory.anchor_count; i++)
        emission->anchors[i] = emission_claim_needed(emission, "anchor");
    if (copies && plan->code->manner.kept) {
        claim_and_bind(emission, "kept_copy");
        claim_and_bind(emission, "kept_turn");
        claim_and_bind(emission, "kept_passes");
    } else if (copies) {
        claim_and_bind(emission, "copy");
        claim_and_bind(emission, "copy_turn");
    }
    return emission->lacks ? emission_refuse_registers(emission) : STATUS_OK;
}

static const char *base_of(const struct emission *emission, unsigned base)
{
    return base == 0 ? emission->data : emission->bases[base - 1];
}

void emission_bind_place(struct emission *emission, const struct place *place)
{
    bool far = place->anchor > 0;
    uint32_t from = far ? emission->plan->memory.anchors[place->anchor - 1].offset : place->from;
    bindings_set(&emission->bindings, "disp", "%" PRId64, (int64_t)place->offset - (int64_t)from);
    bindings_register(&emission->bindings, "base",
                      far ? emission->anchors[place->anchor - 1] : base_of(emission, place->base));
}

/* The register that a load writes or a store reads. */
static const char *content_of(const struct emission *emission, const struct slot *slot)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    bool wide = item->width > WORD_BYTES;
    if (item->stores_loaded)
        return wide ? emission->vector_value : emission->value;
    if (item->kind == BEHAVIOUR_STORE && item->has_data)
        return emission->workplaces[slot->item].operands[slot->operand];
    if (item->kind == BEHAVIOUR_STORE)
        return wide ? emission->vector_stored : emission->stored;
    if (behaviour_points(item))
        return emission->pointer;
    return wide ? emission->vector_value : emission->value;
}

void emission_access_registers(const struct emission *emission, const struct slot *slot, const char *names[2])
{
    names[0] = slot->place_count == 1 && !slot->computed ? base_of(emission, slot->places[0].base) : NULL;
    names[1] = content_of(emission, slot);
}

void emission_bind_access(struct emission *emission, const struct slot *slot)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    if (!slot_is_placed(slot))
        emission_bind_place(emission, &slot->places[0]);
    bindings_register(&emission->bindings, item->kind == BEHAVIOUR_STORE ? "stored" : "value",
                      content_of(emission, slot));
}

enum status emission_find_place(struct emission *emission, const struct slot *slot, struct buffer *output)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; slot_is_placed(slot) && status == STATUS_OK && i < slot->place_count; i++) {
        emission_bind_place(emission, &slot->places[i]);
        bindings_number(&emission->bindings, "until", i == 0 ? 0 : slot->places[i - 1].until);
        status = bindings_section(&emission->bindings, i == 0 ? "place.first" : "place.next", output);
    }
    return status;
}

/* Writes the level. A walk is sized as if memory served it, but no level is promised. */
static void comment_place(const struct plan *plan, const struct place *place, bool walk,
                          struct cursor *cursor)
{
    const char *level = walk ? "a walk" : level_name((int)place->level);
    while (*level != '\0')
        *cursor->at++ = *level++;
    if (place->level == LEVEL_L1) {
        if (plan->memory.eviction.hits_follow_misses)
            CURSOR_TEXT(cursor, ": the line just read");
        else if (plan->data.changes)
            CURSOR_TEXT(cursor, ": a line that stays");
        else
            CURSOR_TEXT(cursor, ": the line of all hits");
        return;
    }
    if (plan->memory.by_rotation) {
        CURSOR_TEXT(cursor, ": line ");
        cursor_number(cursor, place->line + 1);
        CURSOR_TEXT(cursor, " of its pass's");
    } else {
        const struct eviction_set *group = &plan->memory.eviction.sets[place->group];
        CURSOR_TEXT(cursor, ": L1D set ");
        cursor_number(cursor, group->l1d_set);
        CURSOR_TEXT(cursor, ", line ");
        cursor_number(cursor, place->line + 1);
        CURSOR_TEXT(cursor, " of ");
        cursor_number(cursor, group->lines);
    }
    if (place->base > 0)
        CURSOR_TEXT(cursor, ", the next in the next pass");
}

void emission_comment_access(const struct plan *plan, const struct slot *slot, struct cursor *cursor)
{
    unsigned from = 0;
    for (unsigned i = 0; i < slot->place_count; i++) {
        if (i > 0)
            CURSOR_TEXT(cursor, "; ");
        if (slot->place_count > 1) {
            CURSOR_TEXT(cursor, "in ");
            cursor_number(cursor, slot->places[i].until - from);
            CURSOR_TEXT(cursor, " of ");
            cursor_number(cursor, plan->sizing.period);
            CURSOR_TEXT(cursor, " passes ");
        }
        comment_place(plan, &slot->places[i], plan->kernel->items[slot->item].working_set > 0, cursor);
        from = slot->places[i].until;
    }
}

static enum status frame_base(struct emission *emission, unsigned index, struct buffer *start,
                              struct buffer *advance, struct buffer *finish)
{
    const struct plan *plan = emission->plan;
    const struct base *base = &plan->memory.bases[index];
    bindings_register(&emission->bindings, "rotating", emission->bases[index]);
    bindings_number(&emission->bindings, "state", plan->memory.state + (uint64_t)index * WORD_BYTES);
    const struct rotation *at = &base->at;
    uint64_t all = at->step * at->positions;
    bindings_number(&emission->bindings, "step", at->step * at->jump);
    bindings_number(&emission->bindings, "limit", at->start + all);
    bindings_number(&emission->bindings, "back", all);
    bindings_number(&emission->bindings, "from", at->from);
    bindings_number(&emission->bindings, "until", at->until);
    enum status status = bindings_section(&emission->bindings, "start.rotating", start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, at->until > 0 ? "advance.sometimes" : "advance.always",
                                  advance);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "advance.rotating", advance);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "finish.rotating", finish) : status;
}

/* The anchor of a moving base is recomputed from the base in every pass. */
static enum status frame_anchors(struct emission *emission, struct buffer *start, struct buffer *advance)
{
    const struct plan *plan = emission->plan;
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < plan->memory.anchor_count; i++) {
        const struct anchor *anchor = &plan->memory.anchors[i];
        bindings_register(&emission->bindings, "anchor", emission->anchors[i]);
        bindings_register(&emission->bindings, "base", base_of(emission, anchor->base));
        bindings_number(&emission->bindings, "anchor_offset", anchor->offset);
        status = bindings_section(&emission->bindings, "start.anchor", start);
        if (status == STATUS_OK && anchor->base > 0)
            status = bindings_section(&emission->bindings, "start.anchor", advance);
    }
    return status;
}

enum status emission_frame_bases(struct emission *emission, struct buffer *start, struct buffer *advance,
                                 struct buffer *finish)
{
    const struct plan *plan = emission->plan;
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < plan->memory.base_count; i++)
        status = frame_base(emission, i, start, advance, finish);
    if (status == STATUS_OK)
        status = frame_anchors(emission, start, advance);
    if (status != STATUS_OK || plan->sizing.schedule_count == 0)
        return status;
    bindings_number(&emission->bindings, "state",
                    plan->memory.state + (uint64_t)plan->memory.base_count * WORD_BYTES);
    status = bindings_section(&emission->bindings, "start.turn", start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, "advance.turn", advance);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "finish.turn", finish) : status;
}
