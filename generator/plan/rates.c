#include "generator/plan/rates.h"

#include <string.h>

enum { FIRST_ROOM = 16 };

void rates_add(struct arena *arena, struct rates *rates, const char *metric, double value)
{
    if (rates->count == rates->room) {
        size_t room = rates->room == 0 ? FIRST_ROOM : 2 * rates->room;
        struct rate *items = arena_alloc(arena, room, sizeof *items);
        if (rates->count > 0)
            memcpy(items, rates->items, rates->count * sizeof *items);
        rates->items = items;
        rates->room = room;
    }
    rates->items[rates->count++] = (struct rate){metric, value};
}

static struct rate *find(const struct rates *rates, const char *metric)
{
    for (size_t i = 0; i < rates->count; i++)
        if (strcmp(rates->items[i].metric, metric) == 0)
            return &rates->items[i];
    return NULL;
}

void rates_set(struct arena *arena, struct rates *rates, const char *metric, double value)
{
    struct rate *there = find(rates, metric);
    if (there == NULL)
        rates_add(arena, rates, metric, value);
    else
        there->value = value;
}

double rates_get(const struct rates *rates, const char *metric, double fallback)
{
    const struct rate *there = find(rates, metric);
    return there == NULL ? fallback : there->value;
}
