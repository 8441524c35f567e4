/* Ticks of an axis with their labels: at least one, and no more than are readable. */
#ifndef REPORT_FIGURE_FIGURE_TICKS_H
#define REPORT_FIGURE_FIGURE_TICKS_H

#include "report/figure/figure.h"

#include <stdbool.h>
#include <stddef.h>

enum { FIGURE_TICKS = 24, FIGURE_TICK_BYTES = 24 };

struct figure_ticks {
    double places[FIGURE_TICKS]; /* ascending */
    char labels[FIGURE_TICKS][FIGURE_TICK_BYTES];
    size_t count;
};

/* Decades; 1, 2 and 5 of each if there are fewer than three decades; round numbers within one. 0 < low <
 * high. */
void figure_ticks_decimal(double low, double high, struct figure_ticks *ticks);

/* Powers of two; sizes in bytes as "64 KiB". count is 0 if the range contains none. */
void figure_ticks_binary(double low, double high, bool bytes, struct figure_ticks *ticks);

/* For a linear axis of sizes: multiples of a power of two, as "64 KiB". */
void figure_ticks_sizes(double low, double high, struct figure_ticks *ticks);

/* Whether the values on x are powers of two, possibly with quarter steps between them. */
bool figure_ticks_are_binary(const struct figure_panel *panel);

/* A single tick if all of the panel's values on x are equal; else none. */
void figure_ticks_only(const struct figure_panel *panel, struct figure_ticks *ticks);

#endif
