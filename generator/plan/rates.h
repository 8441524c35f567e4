/* What a program promises, or is expected to do: metrics and their values. Processors' and GPUs' plans have
 * them alike.
 */
#ifndef GENERATOR_PLAN_RATES_H
#define GENERATOR_PLAN_RATES_H

#include "base/arena.h"

#include <stddef.h>

/* A metric (DESIGN.md section 5) and its value. */
struct rate {
    const char *metric;
    double value;
};

/* As many as are added. All zeros: there are none. */
struct rates {
    struct rate *items;
    size_t count, room;
};

/* Appends a metric, in the arena; metric must live as long as it. */
void rates_add(struct arena *arena, struct rates *rates, const char *metric, double value);

/* The same, or gives a metric that is there another value. */
void rates_set(struct arena *arena, struct rates *rates, const char *metric, double value);

/* The value of the metric, or fallback. */
double rates_get(const struct rates *rates, const char *metric, double fallback);

#endif
