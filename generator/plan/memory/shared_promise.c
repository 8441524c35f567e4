#include "generator/plan/memory/shared_promise.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>

enum { WORD_BYTES = 4, MOST_TOUCHES = 1 << 22 };

/* A part of a region that a copy's accesses touch; some touch two words. */
struct shared_touch {
    uint64_t part;
    unsigned region, copy;
    size_t access;
};

static int compare_touches(const void *a, const void *b)
{
    const struct shared_touch *left = a, *right = b;
    if (left->region != right->region)
        return left->region < right->region ? -1 : 1;
    if (left->part != right->part)
        return left->part < right->part ? -1 : 1;
    return (left->copy > right->copy) - (left->copy < right->copy);
}

/* Places of the behaviour in a pass: one for all, or one for each access. */
static unsigned places_of(const struct plan *plan, const struct behaviour *item)
{
    return item->shared.stride == 0 ? 1 : plan->sizing.units * item->count;
}

/* The places of all copies; 0 if the lines of some access depend on the pass: a walk meets accesses that stay
 * apart. */
static double count_places(const struct plan *plan, unsigned copies)
{
    const struct kernel *kernel = plan->kernel;
    bool walks[MOST_REGIONS] = {false}, apart[MOST_REGIONS] = {false};
    double places = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_SHARED)
            continue;
        walks[item->shared.region] = walks[item->shared.region] || item->shared.working_set > 0;
        apart[item->shared.region] = apart[item->shared.region] || item->shared.apart > 0;
        places += (double)copies * places_of(plan, item);
    }
    for (unsigned region = 0; region < MOST_REGIONS; region++)
        if (walks[region] && apart[region])
            return 0;
    return places;
}

/* A pass of a walk stands for all: the copies walk through the same lines. */
static size_t find_touches(const struct plan *plan, unsigned copies, unsigned bytes,
                           struct shared_touch *touches, double *accesses)
{
    size_t count = 0, access = 0;
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const struct behaviour *item = &plan->kernel->items[i];
        if (item->kind != BEHAVIOUR_SHARED)
            continue;
        unsigned places = places_of(plan, item);
        for (unsigned place = 0; place < places * copies; place++, access++) {
            uint64_t at = item->shared.offset + place % places * item->shared.stride +
                          place / places * item->shared.apart;
            accesses[access] = (double)plan->sizing.units * item->count / places;
            for (uint64_t part = at / bytes; part <= (at + item->width - 1) / bytes; part++)
                touches[count++] = (struct shared_touch){part, item->shared.region, place / places, access};
        }
    }
    return count;
}

/* The share of all copies' accesses to parts of so many bytes that another copy accesses, too. */
static double share_common(const struct plan *plan, unsigned copies, size_t places, unsigned bytes)
{
    struct shared_touch *touches = memory_zeroed(2 * places, sizeof *touches);
    double *accesses = memory_zeroed(places, sizeof *accesses);
    bool *common = memory_zeroed(places, sizeof *common);
    size_t count = find_touches(plan, copies, bytes, touches, accesses);
    double part = 0, whole = 0;
    qsort(touches, count, sizeof *touches, compare_touches);
    for (size_t first = 0, end = 0; first < count; first = end) {
        while (end < count && touches[end].part == touches[first].part &&
               touches[end].region == touches[first].region)
            end++;
        for (size_t i = first; touches[first].copy != touches[end - 1].copy && i < end; i++)
            common[touches[i].access] = true;
    }
    for (size_t i = 0; i < places; i++) {
        part += common[i] ? accesses[i] : 0;
        whole += accesses[i];
    }
    free(touches);
    free(accesses);
    free(common);
    return part / whole;
}

static void promise(struct plan *plan, const char *metric, double value)
{
    rates_add(&plan->arena, &plan->rates.targets, metric, value);
    rates_add(&plan->arena, &plan->rates.expected, metric, value);
}

void plan_promise_shared(struct plan *plan, unsigned copies)
{
    static const char *const left[] = {[COHERENCE_MODIFIED] = "coherence.left_modified",
                                       [COHERENCE_EXCLUSIVE] = "coherence.left_exclusive",
                                       [COHERENCE_SHARED] = "coherence.left_shared"};
    if (plan->shared.mapping_count == 0)
        return;
    double places = copies > 1 ? count_places(plan, copies) : 0;
    if (plan->shared.coherence != COHERENCE_NONE)
        promise(plan, left[plan->shared.coherence], 1);
    if (places > 0 && 2 * places <= MOST_TOUCHES) {
        promise(plan, "coherence.common_lines",
                share_common(plan, copies, (size_t)places, plan->machine->l1d.line));
        promise(plan, "coherence.common_words", share_common(plan, copies, (size_t)places, WORD_BYTES));
    }
    promise(plan, "coherence.placed", 1);
}
