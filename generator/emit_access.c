#include "generator/emission.h"

#include "generator/code_plan.h"
#include "generator/plan_data.h"
#include "generator/throttle.h"

#include <inttypes.h>
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

/* The same for a role that the plan cannot do without. */
static const char *claim(struct emission *emission, const char *role)
{
    const char *free = emission_claim_free(emission, role);
    emission->lacks = emission->lacks || free == NULL;
    return free;
}

static const char *claim_and_bind(struct emission *emission, const char *role)
{
    const char *claimed = claim(emission, role);
    emission_bind_name(emission, role, claimed);
    return claimed;
}

enum status emission_refuse_registers(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    error_set(
        emission->error, STATUS_RECIPE, "%s has too few registers for %u working sets%s%s%s in one loop",
        emission->templates->isa->name, plan->base_count, plan->stores > 0 ? ", stores" : "",
        plan->branches.total > 0 ? ", branches" : "", plan->indexed || plan->relative ? ", a chase" : "");
    error_hint(emission->error,
               "fewer levels, the same stride in all loads and stores, or fewer asm.registers need fewer");
    return STATUS_RECIPE;
}

bool emission_stores_wide(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_store && kernel->items[i].width > WORD_BYTES &&
            !kernel->items[i].stores_loaded)
            return true;
    return false;
}

/* True with stores that say no data: they write zeros. */
static bool stores_nothing_said(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_store && !kernel->items[i].has_data && !kernel->items[i].stores_loaded &&
            kernel->items[i].width <= WORD_BYTES)
            return true;
    return false;
}

enum status emission_claim(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bool changes = plan->sizing.schedule_count > 0;
    bool copies = plan->code != NULL && plan->code->copies;
    if (operations_divide(plan->kernel, plan->machine, emission->templates)) {
        claim_and_bind(emission, "quotient");
        claim_and_bind(emission, "remainder");
    }
    claim_and_bind(emission, "data");
    if (plan->indexed || plan->relative)
        emission->pointer = claim_and_bind(emission, "pointer");
    emission->value = claim_and_bind(emission, "value");
    emission->vector_value = emission_claim_free(emission, "vector_value");
    if (emission_stores_wide(plan->kernel))
        emission->vector_stored = emission_claim_free(emission, "vector_stored");
    if (plan->branches.total > 0) {
        claim_and_bind(emission, "random");
        claim_and_bind(emission, "multiplier");
    }
    if (plan->branches.indirect > 0) {
        claim_and_bind(emission, "goal");
        emission_bind_name(emission, "other_goal", claim(emission, "goal"));
    }
    if (changes || plan->base_count > 0 || copies)
        claim_and_bind(emission, "place");
    if (changes) {
        claim_and_bind(emission, "turn");
        claim_and_bind(emission, "spare");
    }
    if (throttle_has(plan->kernel))
        claim_and_bind(emission, "idle");
    if (stores_nothing_said(plan->kernel))
        emission->stored = claim_and_bind(emission, "stored");
    for (unsigned i = 0; i < plan->base_count; i++)
        emission->bases[i] = claim(emission, "rotating");
    if (copies) {
        claim_and_bind(emission, "copy");
        claim_and_bind(emission, "copy_turn");
    }
    return emission->lacks ? emission_refuse_registers(emission) : STATUS_OK;
}

static void bind_place(struct emission *emission, const struct place *place)
{
    emission_bind(emission, "disp", "%" PRIu32, place->offset);
    if (place->base == 0)
        emission_bind_register(emission, "base", "data", 0);
    else
        emission_bind_name(emission, "base", emission->bases[place->base - 1]);
}

void emission_bind_access(struct emission *emission, const struct slot *slot)
{
    const struct behaviour *item = &emission->plan->kernel->items[slot->item];
    const char *value = item->width > WORD_BYTES ? emission->vector_value : emission->value;
    if (slot->place_count == 1)
        bind_place(emission, &slot->places[0]);
    if (item->stores_loaded) {
        emission_bind_name(emission, "stored", value);
    } else if (item->is_store) {
        const char *word = emission->workplaces[slot->item].operands[slot->operand];
        const char *zeros = item->width > WORD_BYTES ? emission->vector_stored : emission->stored;
        emission_bind_name(emission, "stored", item->has_data ? word : zeros);
    } else {
        emission_bind_name(emission, "value", item->address == ADDRESS_CHASE ? emission->pointer : value);
    }
}

enum status emission_find_place(struct emission *emission, const struct slot *slot, struct buffer *output)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; slot->place_count > 1 && status == STATUS_OK && i < slot->place_count; i++) {
        bind_place(emission, &slot->places[i]);
        emission_bind(emission, "until", "%u", i == 0 ? 0 : slot->places[i - 1].until);
        status = emission_expand_section(emission, i == 0 ? "place.first" : "place.next", output);
    }
    return status;
}

static void comment_place(const struct plan *plan, const struct place *place, struct buffer *line)
{
    buffer_printf(line, "%s: ", level_name((int)place->level));
    if (place->level == LEVEL_L1) {
        buffer_text(line, plan->layout.hits_follow_misses ? "the line just read"
                          : plan->changes                 ? "a line that stays"
                                                          : "the line of all hits");
        return;
    }
    if (plan->rings) {
        buffer_printf(line, "line %u of its pass's", place->line + 1);
    } else {
        const struct group *group = &plan->layout.groups[place->group];
        buffer_printf(line, "L1D set %u, line %u of %u", group->set, place->line + 1, group->lines);
    }
    if (place->base > 0)
        buffer_text(line, ", the next in the next pass");
}

void emission_comment_access(const struct plan *plan, const struct slot *slot, struct buffer *line)
{
    unsigned from = 0;
    for (unsigned i = 0; i < slot->place_count; i++) {
        if (i > 0)
            buffer_text(line, "; ");
        if (slot->place_count > 1)
            buffer_printf(line, "in %u of %u passes ", slot->places[i].until - from, plan->sizing.period);
        comment_place(plan, &slot->places[i], line);
        from = slot->places[i].until;
    }
}

static enum status frame_base(struct emission *emission, unsigned index, struct buffer *start,
                              struct buffer *advance, struct buffer *finish)
{
    const struct plan *plan = emission->plan;
    const struct base *base = &plan->bases[index];
    emission_bind_name(emission, "rotating", emission->bases[index]);
    emission_bind(emission, "state", "%" PRIu64, plan->state + (uint64_t)index * WORD_BYTES);
    emission_bind(emission, "step", "%" PRIu64, base->step);
    emission_bind(emission, "begin", "%" PRIu64, base->start);
    emission_bind(emission, "limit", "%" PRIu64, base->start + base->step * base->turns);
    enum status status = emission_expand_section(emission, "start.rotating", start);
    if (status == STATUS_OK)
        status = emission_expand_section(emission, "advance.rotating", advance);
    return status == STATUS_OK ? emission_expand_section(emission, "finish.rotating", finish) : status;
}

enum status emission_frame_bases(struct emission *emission, struct buffer *start, struct buffer *advance,
                                 struct buffer *finish)
{
    const struct plan *plan = emission->plan;
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < plan->base_count; i++)
        status = frame_base(emission, i, start, advance, finish);
    if (status != STATUS_OK || plan->sizing.schedule_count == 0)
        return status;
    emission_bind(emission, "state", "%" PRIu64, plan->state + (uint64_t)plan->base_count * WORD_BYTES);
    status = emission_expand_section(emission, "start.turn", start);
    if (status == STATUS_OK)
        status = emission_expand_section(emission, "advance.turn", advance);
    return status == STATUS_OK ? emission_expand_section(emission, "finish.turn", finish) : status;
}
