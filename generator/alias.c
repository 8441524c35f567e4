#include "generator/alias.h"

#include "isa/mc.h"
#include "isa/object.h"

#include <string.h>

/* Seven bits: the index of Cachegrind's predictor beside its history, and less than any real one's. */
enum { CLASSES = 128 };

/* Addresses of the loop's branches, in the order of their slots. */
struct addresses {
    const struct template *templates;
    uint64_t *items;
    size_t count;
    size_t room;
    uint64_t start;
};

static void visit(uint64_t offset, size_t length, const char *text, void *context)
{
    struct addresses *addresses = context;
    (void)length;
    char mnemonic[16];
    size_t word = strcspn(text, " \t");
    if (word >= sizeof mnemonic || addresses->count == addresses->room)
        return;
    memcpy(mnemonic, text, word);
    mnemonic[word] = '\0';
    if (template_counts(addresses->templates, mnemonic, "branch"))
        addresses->items[addresses->count++] = addresses->start + offset;
}

static enum status find_addresses(const struct buffer *object, struct addresses *addresses,
                                  struct error *error)
{
    struct object_part text;
    uint64_t end = 0;
    enum status status = object_section(object->data, object->size, ".text", &text, error);
    if (status == STATUS_OK)
        status = object_symbol(object->data, object->size, "trauma_loop", &addresses->start, error);
    if (status == STATUS_OK)
        status = object_symbol(object->data, object->size, "trauma_loop_end", &end, error);
    if (status == STATUS_OK)
        status = mc_disassemble(addresses->templates->isa, text.bytes + addresses->start,
                                end - addresses->start, visit, addresses, error);
    return status;
}

static bool is_predictable(const struct slot *slot)
{
    return slot->branch == BRANCH_TAKEN || slot->branch == BRANCH_FALLTHROUGH;
}

/* Directions for each class: the back edge's class is taken; then the largest first, each to the direction
 * that has more left to give. */
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

/* Sets the slots' directions; slots that a direction has no more room for keep the count and take the other.
 */
static bool set_directions(struct plan *plan, const uint64_t *addresses,
                           const enum branch directions[CLASSES])
{
    unsigned left[] = {
        [BRANCH_TAKEN] = plan->branches.taken - 1, [BRANCH_FALLTHROUGH] = plan->branches.fallthrough};
    bool changed = false;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        struct slot *slot = &plan->slots[i];
        if (slot->branch == BRANCH_NONE)
            continue;
        enum branch direction = directions[addresses[branch++] % CLASSES];
        if (!is_predictable(slot))
            continue;
        if (left[direction] == 0)
            direction = direction == BRANCH_TAKEN ? BRANCH_FALLTHROUGH : BRANCH_TAKEN;
        left[direction]--;
        changed = changed || slot->branch != direction;
        slot->branch = direction;
    }
    return changed;
}

/* Predictable branches in classes that hold something else too. */
static unsigned count_spoilt(const struct plan *plan, const uint64_t *addresses)
{
    unsigned kinds[CLASSES][BRANCH_BACK + 1] = {{0}};
    unsigned spoilt = 0;
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        enum branch kind = plan->slots[i].branch == BRANCH_BACK ? BRANCH_TAKEN : plan->slots[i].branch;
        if (kind != BRANCH_NONE)
            kinds[addresses[branch++] % CLASSES][kind]++;
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
    struct addresses addresses = {.templates = templates, .room = plan->branches.total};
    addresses.items = arena_alloc(&plan->arena, addresses.room, sizeof *addresses.items);
    enum status status = find_addresses(object, &addresses, error);
    if (status != STATUS_OK)
        return status;
    if (addresses.count != plan->branches.total)
        return error_set(error, STATUS_FAILED, "the loop has %zu branches where the plan has %u",
                         addresses.count, plan->branches.total);
    unsigned sizes[CLASSES] = {0};
    size_t branch = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].branch == BRANCH_NONE)
            continue;
        sizes[addresses.items[branch] % CLASSES] += is_predictable(&plan->slots[i]);
        branch++;
    }
    enum branch directions[CLASSES];
    unsigned back = addresses.items[addresses.count - 1] % CLASSES;
    choose_directions(sizes, back, plan->branches.taken - 1, plan->branches.fallthrough, directions);
    *changed = set_directions(plan, addresses.items, directions);
    *spoilt = count_spoilt(plan, addresses.items);
    return STATUS_OK;
}
