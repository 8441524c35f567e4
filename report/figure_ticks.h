/* Where a logarithmic axis has its marks, and what stands there: never none, and no more than can be read. */
#ifndef REPORT_FIGURE_TICKS_H
#define REPORT_FIGURE_TICKS_H

#include "report/figure.h"

#include <stdbool.h>
#include <stddef.h>

enum { FIGURE_TICKS = 24, FIGURE_TICK_BYTES = 24 };

struct figure_ticks {
    double places[FIGURE_TICKS]; /* rising */
    char labels[FIGURE_TICKS][FIGURE_TICK_BYTES];
    size_t count;
};

/* Decades; 1, 2 and 5 of each over fewer than three; round numbers over less than one. 0 < low < high. */
void figure_ticks_decimal(double low, double high, struct figure_ticks *ticks);

/* Powers of two, of sizes in bytes as "64KiB". count is 0 where the range has none. */
void figure_ticks_binary(double low, double high, bool bytes, struct figure_ticks *ticks);

/* True when the values on x are powers of two, perhaps with quarters of the way to the next between them. */
bool figure_ticks_are_binary(const struct figure_panel *panel);

/* A mark where all of the panel's values on x are, when that is one place; else none. */
void figure_ticks_only(const struct figure_panel *panel, struct figure_ticks *ticks);

#endif
