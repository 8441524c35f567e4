#include "generator/kernel/unit_order.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

/* An instance of one of several mixed behaviours; sorted by its relative place among the behaviour's
 * instances, then as listed. */
struct mixed {
    struct unit_place place;
    uint64_t half, count; /* its place is half / (2 * count) of the whole */
};

static int by_place(const void *a, const void *b)
{
    const struct mixed *x = a, *y = b;
    uint64_t left = x->half * y->count, right = y->half * x->count;
    if (left != right)
        return left < right ? -1 : 1;
    return x->place.part < y->place.part ? -1 : x->place.part > y->place.part;
}

/* The instances of all behaviours with the role, evenly mixed. Returns their number. */
static size_t mix(const struct unit_part *parts, size_t count, enum unit_role role, struct mixed *mixed)
{
    size_t made = 0;
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; parts[i].role == role && k < parts[i].count; k++)
            mixed[made++] = (struct mixed){{i, k}, 2 * (uint64_t)k + 1, parts[i].count};
    qsort(mixed, made, sizeof *mixed, by_place);
    return made;
}

static struct unit_place *put(const struct mixed *mixed, size_t from, size_t to, struct unit_place *place)
{
    for (size_t i = from; i < to; i++)
        *place++ = mixed[i].place;
    return place;
}

static struct unit_place *list(const struct unit_part *parts, size_t count, bool all,
                               struct unit_place *place)
{
    for (unsigned i = 0; i < count; i++)
        for (unsigned k = 0; (all || parts[i].role == UNIT_FIXED) && k < parts[i].count; k++)
            *place++ = (struct unit_place){i, k};
    return place;
}

void unit_order(const struct unit_part *parts, size_t count, struct unit_place *places)
{
    size_t total = 0, behind = 0;
    for (size_t i = 0; i < count; i++) {
        total += parts[i].count;
        behind = parts[i].role == UNIT_LED ? parts[i].behind : behind;
    }
    struct unit_place *place = list(parts, count, behind == 0, places);
    if (behind == 0)
        return;
    struct mixed *mixed = memory_zeroed(total + 1, sizeof *mixed);
    size_t leads = mix(parts, count, UNIT_LEADS, mixed);
    struct mixed *led = mixed + leads;
    size_t waits = mix(parts, count, UNIT_LED, led);
    struct mixed *others = led + waits;
    size_t rest = mix(parts, count, UNIT_MIXED, others);
    for (size_t i = 0; i < leads; i++) {
        size_t from = waits * i / leads, to = waits * (i + 1) / leads;
        size_t first = rest * i / leads, last = rest * (i + 1) / leads, half = (to - from) / 2;
        size_t between = behind > half + 1 ? first + behind - half - 1 : first;
        between = between < last ? between : last;
        place = put(mixed, i, i + 1, place);
        place = put(others, first, between, place);
        place = put(led, from, to, place);
        place = put(others, between, last, place);
    }
    free(mixed);
}
