#include "generator/emission.h"

#include "generator/code_plan.h"
#include "generator/plan_data.h"

#include <inttypes.h>
#include <string.h>

enum { WORD_BYTES = 8 };

static bool is_claimed(const struct emission *emission, const char *name)
{
    for (unsigned i = 0; i < emission->claim_count; i++)
        if (strcmp(emission->claimed[i], name) == 0)
            return true;
    return false;
}

/* The first register of the pool that has no role yet; NULL when all have, of a pool that has some. */
static const char *claim(struct emission *emission, const char *role)
{
    const struct pool *pool = registers_pool(&emission->plan->registers, role);
    unsigned i = 0;
    while (pool != NULL && i < pool->count && is_claimed(emission, pool->registers[i]))
        i++;
    if (pool == NULL || i == pool->count || emission->claim_count == MOST_CLAIMS) {
        emission->lacks = true;
        return NULL;
    }
    return emission->claimed[emission->claim_count++] = pool->registers[i];
}

static const char *claim_and_bind(struct emission *emission, const char *role)
{
    const char *claimed = claim(emission, role);
    emission_bind_name(emission, role, claimed);
    return claimed;
}

/* Operations take turns with accumulators, in two groups where some wait for loads and some do not. */
static enum status claim_accumulators(struct emission *emission)
{
    const struct pool *pool = registers_pool(&emission->plan->registers, "accumulator");
    for (unsigned i = 0; pool != NULL && i < pool->count; i++)
        if (!is_claimed(emission, pool->registers[i]) && emission->accumulator_count < MOST_CLAIMS)
            emission->accumulators[emission->accumulator_count++] = pool->registers[i];
    const struct kernel *kernel = emission->plan->kernel;
    if (!emission->lacks && emission->accumulator_count >= registers_operations_need(kernel))
        return STATUS_OK;
    error_set(emission->error, STATUS_RECIPE, "the unit needs more registers than %s has",
              emission->templates->isa->name);
    error_hint(emission->error, "fewer in asm.registers, or fewer levels for loads and stores, leave enough");
    return STATUS_RECIPE;
}

enum status emission_claim(struct emission *emission)
{
    const struct plan *plan = emission->plan;
    bool changes = plan->sizing.schedule_count > 0;
    bool copies = plan->code != NULL && plan->code->copies;
    claim_and_bind(emission, "data");
    if (plan->indexed || plan->relative)
        emission->pointer = claim_and_bind(emission, "pointer");
    emission->value = claim_and_bind(emission, "value");
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
    if (plan->stores > 0)
        claim_and_bind(emission, "stored");
    for (unsigned i = 0; i < plan->base_count; i++)
        emission->bases[i] = claim(emission, "rotating");
    if (copies) {
        claim_and_bind(emission, "copy");
        claim_and_bind(emission, "copy_turn");
    }
    return claim_accumulators(emission);
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
    if (slot->place_count == 1)
        bind_place(emission, &slot->places[0]);
    if (item->is_store)
        return;
    emission_bind_name(emission, "value",
                       item->address == ADDRESS_CHASE ? emission->pointer : emission->value);
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
