#include "generator/plan/code/gaps.h"

#include "generator/plan/code/branch_addresses.h"
#include "generator/plan/plan_forms.h"

static unsigned count_clashes(const struct plan *plan, const uint64_t *addresses)
{
    bool used[GAPS_ENTRIES] = {false};
    unsigned clashes = 0;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].branch == BRANCH_NONE)
            continue;
        bool *entry = &used[addresses[branch++] % GAPS_ENTRIES];
        if (!plan_is_indirect(plan, &plan->slots[i]))
            continue;
        clashes += *entry;
        *entry = true;
    }
    return clashes;
}

/* Moves each of the loop's branches to the next free entry by the gap after the previous indirect branch.
 * Returns true if a gap changed. */
static bool choose_gaps(struct plan *plan, const uint64_t *addresses, unsigned align)
{
    bool used[GAPS_ENTRIES] = {false};
    bool changed = false;
    unsigned chosen = 0;  /* after the previous branch */
    uint64_t earlier = 0; /* bytes of gaps that the addresses include */
    uint64_t moved = 0;   /* bytes of the new gaps */
    struct slot *before = NULL;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        uint64_t address = addresses[branch++] - earlier + moved;
        if (!plan_is_indirect(plan, slot))
            continue;
        for (chosen = 0; before != NULL && chosen < GAPS_ENTRIES && used[(address + chosen) % GAPS_ENTRIES];)
            chosen += align;
        chosen %= GAPS_ENTRIES; /* all are taken: its current place is as good as any */
        used[(address + chosen) % GAPS_ENTRIES] = true;
        if (before != NULL) {
            changed = changed || before->gap != chosen;
            before->gap = chosen;
            moved += chosen;
        }
        earlier += slot->gap;
        before = slot;
    }
    return changed;
}

enum status gaps_settle(struct plan *plan, const struct template *templates, const struct buffer *object,
                        bool *changed, unsigned *clashes, struct error *error)
{
    *changed = false;
    *clashes = 0;
    if (plan->branches.indirect == 0)
        return STATUS_OK;
    uint64_t *addresses;
    enum status status = branch_addresses(plan, templates, object, &addresses, error);
    if (status != STATUS_OK)
        return status;
    *clashes = count_clashes(plan, addresses);
    if (*clashes > 0)
        *changed = choose_gaps(plan, addresses, templates->isa->code_align);
    return STATUS_OK;
}
