#include "generator/plan/code/branches.h"

#include <math.h>

unsigned branches_in_unit(const struct kernel *kernel)
{
    unsigned count = 0;
    for (size_t i = 0; i < kernel->count; i++)
        count += kernel->items[i].kind == BEHAVIOUR_BRANCH ? kernel->items[i].count : 0;
    return count;
}

double branches_wanted(const struct kernel *kernel)
{
    double missed = 0;
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_BRANCH)
            missed += kernel->items[i].count * (1 - kernel->items[i].accuracy);
    return missed == 0 ? 0 : missed / branches_in_unit(kernel);
}

double branches_wanted_taken(const struct kernel *kernel)
{
    double taken = 0;
    unsigned indirect = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_BRANCH)
            continue;
        if (!item->indirect && item->taken < 0)
            return -1;
        taken += item->count * (item->indirect ? 1 : item->taken);
        indirect += item->indirect ? item->count : 0;
    }
    unsigned branches = branches_in_unit(kernel);
    return indirect < branches ? taken / branches : -1;
}

/* The behaviour that the back edge belongs to: the first with conditional branches, else the first with any.
 */
static size_t back_item(const struct kernel *kernel)
{
    size_t first = kernel->count;
    for (size_t i = 0; i < kernel->count; i++) {
        if (kernel->items[i].kind != BEHAVIOUR_BRANCH)
            continue;
        if (!behaviour_is_indirect(&kernel->items[i]))
            return i;
        first = i < first ? i : first;
    }
    return first;
}

struct branch_counts branches_of(const struct kernel *kernel, size_t item, unsigned units)
{
    const struct behaviour *branch = &kernel->items[item];
    unsigned total = units * branch->count;
    unsigned back = back_item(kernel) == item;
    unsigned random = (unsigned)lround(2 * (1 - branch->accuracy) * total);
    if (random > total - back)
        random = total - back;
    unsigned predictable = total - random;
    double taken = branch->taken < 0 ? predictable / 2.0 : branch->taken * total - random / 2.0;
    taken = branch->indirect ? predictable : fmin(fmax(round(taken), back), predictable);
    return (struct branch_counts){.total = total,
                                  .random = random,
                                  .taken = (unsigned)taken,
                                  .fallthrough = predictable - (unsigned)taken,
                                  .indirect = branch->indirect ? total - back : 0,
                                  .indirect_random = branch->indirect ? random : 0};
}

struct branch_counts branches_all(const struct kernel *kernel, unsigned units)
{
    struct branch_counts all = {0};
    for (size_t i = 0; i < kernel->count; i++) {
        if (kernel->items[i].kind != BEHAVIOUR_BRANCH)
            continue;
        struct branch_counts counts = branches_of(kernel, i, units);
        all.total += counts.total;
        all.random += counts.random;
        all.taken += counts.taken;
        all.fallthrough += counts.fallthrough;
        all.indirect += counts.indirect;
        all.indirect_random += counts.indirect_random;
    }
    return all;
}

double branches_miss_rate(const struct branch_counts *counts)
{
    return counts->total == 0 ? 0 : counts->random / (2.0 * counts->total);
}

double branches_taken_rate(const struct branch_counts *counts)
{
    double random = (counts->random + counts->indirect_random) / 2.0;
    return counts->total == 0 ? 0 : (random + counts->taken) / counts->total;
}

enum status branches_check(const struct kernel *kernel, struct error *error)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *branch = &kernel->items[i];
        if (behaviour_loads_target(branch) && back_item(kernel) == i)
            return error_set(error, STATUS_RECIPE,
                             "branch.through is \"memory\": expected a conditional branch beside it, which "
                             "closes the loop");
        if (branch->kind != BEHAVIOUR_BRANCH || branch->taken < 0)
            continue;
        double missed = 1 - branch->accuracy; /* half of the random branches are taken */
        if (branch->taken >= missed && branch->taken <= 1 - missed)
            continue;
        error_set(error, STATUS_RECIPE,
                  "branch.taken is %.6g: random branches are taken half the time, so an accuracy of %.6g "
                  "leaves %.6g "
                  "to %.6g",
                  branch->taken, branch->accuracy, missed, 1 - missed);
        error_hint(error, "the nearest reachable share is %.6g",
                   branch->taken < missed ? missed : 1 - missed);
        return STATUS_RECIPE;
    }
    return STATUS_OK;
}
