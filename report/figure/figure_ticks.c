#include "report/figure/figure_ticks.h"

#include "base/units.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

enum { MOST_SHOWN = 12, LEAST_LINEAR = 4, MOST_LINEAR = 8 };

static void add(struct figure_ticks *ticks, double place)
{
    if (ticks->count == FIGURE_TICKS)
        return;
    ticks->places[ticks->count] = place;
    snprintf(ticks->labels[ticks->count++], FIGURE_TICK_BYTES, "%.6g", place);
}

/* The last tick's label as a size, unless it is more than any memory has. */
static void show_size(struct figure_ticks *ticks)
{
    size_t last = ticks->count - 1;
    if (ticks->places[last] < 0x1p63)
        units_show_size((uint64_t)ticks->places[last], ticks->labels[last], FIGURE_TICK_BYTES);
}

/* The largest of 1, 2, 5, 10, ... that is at most `step`. */
static double round_step(double step)
{
    double decade = pow(10, floor(log10(step)));
    return step >= 5 * decade ? 5 * decade : step >= 2 * decade ? 2 * decade : decade;
}

static void add_round_numbers(double low, double high, struct figure_ticks *ticks)
{
    double step = round_step((high - low) / LEAST_LINEAR);
    for (double k = ceil(low / step); k * step <= high && ticks->count < FIGURE_TICKS; k++)
        add(ticks, k * step);
}

/* Whether a logarithmic axis can have this range: results files may contain any numbers. */
static bool has_logarithms(double low, double high)
{
    return low > 0 && high >= low && isfinite(high);
}

void figure_ticks_decimal(double low, double high, struct figure_ticks *ticks)
{
    static const double parts[] = {1, 2, 5};
    ticks->count = 0;
    if (!has_logarithms(low, high))
        return;
    double decades = log10(high) - log10(low); /* the quotient of the ends may be more than a double holds */
    int every = 1 + (int)(decades / MOST_SHOWN);
    if (decades < 1) {
        add_round_numbers(low, high, ticks);
        return;
    }
    for (int k = (int)floor(log10(low)); k <= (int)ceil(log10(high)); k++)
        for (int i = 0; i < (decades < 3 ? 3 : 1); i++) {
            double place = parts[i] * pow(10, k);
            if (k % every == 0 && place >= low && place <= high)
                add(ticks, place);
        }
}

void figure_ticks_binary(double low, double high, bool bytes, struct figure_ticks *ticks)
{
    ticks->count = 0;
    if (!has_logarithms(low, high))
        return;
    int every = 1 + (int)((log2(high) - log2(low)) / MOST_SHOWN);
    for (int k = (int)ceil(log2(low)); k <= (int)floor(log2(high)) && k < 63; k++) {
        if (k % every != 0 || k < 0)
            continue;
        add(ticks, ldexp(1, k));
        if (bytes)
            show_size(ticks);
    }
}

void figure_ticks_sizes(double low, double high, struct figure_ticks *ticks)
{
    double step = exp2(ceil(log2(fmax((high - low) / MOST_LINEAR, 1))));
    ticks->count = 0;
    for (double k = ceil(fmax(low, 0) / step); k * step <= high && ticks->count < FIGURE_TICKS; k++) {
        add(ticks, k * step);
        show_size(ticks);
    }
}

/* Whether the value is a whole number and 1, 1.25, 1.5 or 1.75 times a power of two; *power: 1 times. */
static bool is_quarter(double value, bool *power)
{
    int exponent;
    double eighths = 8 * frexp(value, &exponent);
    *power = eighths == 4;
    return value >= 1 && value == floor(value) && eighths == floor(eighths);
}

bool figure_ticks_are_binary(const struct figure_panel *panel)
{
    double first = 0;
    bool several = false;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; !panel->lines[i].reference && j < panel->lines[i].count; j++) {
            double x = panel->lines[i].samples[j].x;
            bool power;
            if (!is_quarter(x, &power))
                return false;
            several = several || (power && first != 0 && x != first);
            first = power && first == 0 ? x : first;
        }
    return several;
}

void figure_ticks_only(const struct figure_panel *panel, struct figure_ticks *ticks)
{
    ticks->count = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++)
            if (panel->lines[i].samples[j].x != panel->lines[0].samples[0].x)
                return;
    if (panel->line_count > 0 && panel->lines[0].count > 0)
        add(ticks, panel->lines[0].samples[0].x);
}
