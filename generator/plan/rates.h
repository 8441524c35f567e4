/* A program's target or expected rates: metrics and their values, for both CPU and GPU plans. */
#ifndef GENERATOR_PLAN_RATES_H
#define GENERATOR_PLAN_RATES_H

#include "base/arena.h"

#include <stddef.h>

/* A metric (DESIGN.md section 5) and its value. */
struct rate {
    const char *metric;
    double value;
};

/* A growable list; all zeros is empty. */
struct rates {
    struct rate *items;
    size_t count, room;
};

/* The two sides of every plan. */
struct plan_rates {
    struct rates targets;  /* what the recipe promises */
    struct rates expected; /* the plan's own rates; those of caches are predicted by the model with the
                              machine's policy */
};

/* Appends a metric, in the arena; `metric` must live as long as the arena. */
void rates_add(struct arena *arena, struct rates *rates, const char *metric, double value);

/* The same, but replaces the value of an existing metric. */
void rates_set(struct arena *arena, struct rates *rates, const char *metric, double value);

/* The value of the metric, or fallback. */
double rates_get(const struct rates *rates, const char *metric, double fallback);

#endif
