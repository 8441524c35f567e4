#include "generator/plan/plan_data_rates.h"

#include "generator/plan/plan_rates.h"

#include <math.h>

/* Bits of one pass, of all streams. */
struct tally {
    double bits, flips, ones;
    double wanted;                /* flips that the recipe promises */
    bool promised, promises_ones; /* by every stream so far */
};

/* Adds a stream of words of one item's pattern. A share that toggles is promised to the last bit that the
 * loop allows: flips come in pairs, one there and one back. */
static void add_stream(struct tally *tally, const struct behaviour *item, double bits, double flips,
                       double ones)
{
    bool shares = item->changes && item->word_count == 0;
    bool reached = !shares || fabs(flips - item->toggle * bits) <= 2.0 * item->width / behaviour_lane(item);
    tally->bits += bits;
    tally->flips += flips;
    tally->ones += ones;
    tally->wanted += reached ? flips : item->toggle * bits;
    tally->promises_ones = tally->promises_ones && !shares;
}

/* Loads share a bus, as wide as the widest; of mixed patterns nothing is promised. */
static void add_loads(const struct plan *plan, struct tally *tally)
{
    const struct behaviour *data = kernel_data(plan->kernel);
    unsigned width = 0;
    for (size_t i = 0; data != NULL && i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (!item->is_load)
            continue;
        width = item->width > width ? item->width : width;
        tally->promised = tally->promised && behaviour_same_data(item, data);
    }
    double bits = 8.0 * width * plan->loads;
    if (data != NULL)
        add_stream(tally, data, bits, plan->toggle_rate * bits, plan->ones_rate * bits);
}

/* The operands of one behaviour's instances, in the order of the loop; every number of a vector is alike. */
static void add_operands(const struct plan *plan, size_t index, struct tally *tally)
{
    const struct behaviour *item = &plan->kernel->items[index];
    const struct operand_words *words = &plan->words[index];
    unsigned lane = behaviour_lane(item);
    uint64_t mask = lane == 8 ? UINT64_MAX : UINT32_MAX;
    double lanes = (double)item->width / lane;
    double flips = 0;
    double ones = 0;
    unsigned count = plan->sizing.units * item->count;
    for (unsigned i = 0; i < count; i++) {
        uint64_t word = words->words[operand_words_of(words, i)];
        uint64_t next = words->words[operand_words_of(words, (i + 1) % count)];
        flips += __builtin_popcountll((word ^ next) & mask);
        ones += __builtin_popcountll(word & mask);
    }
    add_stream(tally, item, 8.0 * item->width * count, flips * lanes, ones * lanes);
}

void plan_data_rates(struct plan *plan)
{
    struct tally tally = {.promised = true, .promises_ones = true};
    add_loads(plan, &tally);
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (operation_has_operands(&plan->kernel->items[i]) && plan->kernel->items[i].has_data)
            add_operands(plan, i, &tally);
    if (tally.bits == 0)
        return;
    rates_add(&plan->arena, &plan->expected, "data.toggle_rate", tally.flips / tally.bits);
    rates_add(&plan->arena, &plan->expected, "data.ones_rate", tally.ones / tally.bits);
    if (!tally.promised)
        return;
    rates_set(&plan->arena, &plan->targets, "data.toggle_rate", tally.wanted / tally.bits);
    if (tally.promises_ones)
        rates_set(&plan->arena, &plan->targets, "data.ones_rate", tally.ones / tally.bits);
}
