#include "generator/plan/code/alias.h"

#include "generator/plan/code/branch_addresses.h"
#include "generator/plan/plan_forms.h"

/* Seven bits of the instruction's number: the address part of Cachegrind's predictor index, and fewer than in
 * any real one. */
enum { CLASSES = 128 };

static bool is_conditional(const struct plan *plan, const struct slot *slot)
{
    return slot->branch != BRANCH_NONE && !plan_is_indirect(plan, slot);
}

static bool is_predictable(const struct slot *slot)
{
    return slot->branch == BRANCH_TAKEN || slot->branch == BRANCH_FALLTHROUGH;
}

/* Directions for each class: the back edge's class is taken; then, largest first, each class gets the
 * direction with more branches left. */
static void choose_directions(const unsigned sizes[CLASSES], unsigned back, unsigned taken,
                              unsigned fallthrough, enum branch directions[CLASSES])
{
    bool done[CLASSES] = {false};
    for (unsigned round = 0; round < CLASSES; round++) {
        unsigned chosen = CLASSES;
        for (unsigned i = 0; i < CLASSES; i++)
            if (!done[i] && (i == back || chosen == CLASSES || (chosen != back && sizes[i] > sizes[chosen])))
                chosen = i;
        bool take = chosen == back || taken >= fallthrough;
        unsigned *left = take ? &taken : &fallthrough;
        *left -= *left < sizes[chosen] ? *left : sizes[chosen];
        directions[chosen] = take ? BRANCH_TAKEN : BRANCH_FALLTHROUGH;
        done[chosen] = true;
    }
}

/* Predictable conditional branches of the direction, the back edge left out. */
static unsigned count_direction(const struct plan *plan, enum branch direction)
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->slot_count; i++)
        count += is_conditional(plan, &plan->slots[i]) && plan->slots[i].branch == direction;
    return count;
}

/* Sets the slots' directions; when a direction is used up, slots keep the count and take the other. */
static bool set_directions(struct plan *plan, const uint64_t *addresses,
                           const enum branch directions[CLASSES])
{
    unsigned left[] = {[BRANCH_TAKEN] = count_direction(plan, BRANCH_TAKEN),
                       [BRANCH_FALLTHROUGH] = count_direction(plan, BRANCH_FALLTHROUGH)};
    bool changed = false;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        enum branch direction = directions[addresses[branch++] % CLASSES];
        if (!is_conditional(plan, slot) || !is_predictable(slot))
            continue;
        if (left[direction] == 0)
            direction = direction == BRANCH_TAKEN ? BRANCH_FALLTHROUGH : BRANCH_TAKEN;
        left[direction]--;
        changed = changed || slot->branch != direction;
        slot->branch = direction;
    }
    return changed;
}

/* Predictable branches in classes with other kinds of branches. */
static unsigned count_spoilt(const struct plan *plan, const uint64_t *addresses)
{
    unsigned kinds[CLASSES][BRANCH_BACK + 1] = {{0}};
    unsigned spoilt = 0;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        enum branch kind = plan->slots[i].branch == BRANCH_BACK ? BRANCH_TAKEN : plan->slots[i].branch;
        if (kind == BRANCH_NONE)
            continue;
        kinds[addresses[branch++] % CLASSES][kind] += is_conditional(plan, &plan->slots[i]);
    }
    for (unsigned i = 0; i < CLASSES; i++) {
        unsigned taken = kinds[i][BRANCH_TAKEN];
        unsigned fallthrough = kinds[i][BRANCH_FALLTHROUGH];
        if (kinds[i][BRANCH_RANDOM] > 0)
            spoilt += taken + fallthrough;
        else
            spoilt += taken < fallthrough ? taken : fallthrough;
    }
    return spoilt;
}

enum status alias_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                         bool *changed, unsigned *spoilt, struct error *error)
{
    *changed = false;
    *spoilt = 0;
    if (plan->branches.total < 2)
        return STATUS_OK;
    uint64_t *addresses;
    enum status status = branch_addresses(plan, templates, object, &addresses, error);
    if (status != STATUS_OK)
        return status;
    for (unsigned i = 0; i < plan->branches.total; i++)
        addresses[i] /= templates->isa->code_align;
    unsigned sizes[CLASSES] = {0};
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        const struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        sizes[addresses[branch] % CLASSES] += is_conditional(plan, slot) && is_predictable(slot);
        branch++;
    }
    enum branch directions[CLASSES];
    unsigned back = addresses[plan->branches.total - 1] % CLASSES;
    choose_directions(sizes, back, count_direction(plan, BRANCH_TAKEN),
                      count_direction(plan, BRANCH_FALLTHROUGH), directions);
    *changed = set_directions(plan, addresses, directions);
    *spoilt = count_spoilt(plan, addresses);
    return STATUS_OK;
}
