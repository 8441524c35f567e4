#include "report/figure_axes.h"

#include "report/figure_text.h"
#include "report/figure_ticks.h"

#include <math.h>

struct range {
    double low, high;
};

/* Of the lines of one axis, intervals and all. */
static struct range range_of(const struct figure_panel *panel, bool right)
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < panel->line_count; i++) {
        if (panel->lines[i].right != right)
            continue;
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            const struct figure_sample *sample = &panel->lines[i].samples[j];
            range.low = fmin(range.low, fmin(sample->y, sample->low));
            range.high = fmax(range.high, fmax(sample->y, sample->high));
        }
    }
    return range;
}

/* A little room beside the outermost values, on a logarithmic axis as a factor. An axis begins at 0, or below
 * where a value does, so that heights compare as they look, unless the panel says otherwise. */
static struct range axis_range(const struct figure_panel *panel, bool right)
{
    struct range range = range_of(panel, right);
    if (!(range.low <= range.high))
        return (struct range){0, 1};
    if (panel->y_is_log)
        return (struct range){range.low / 1.5, range.high * 1.5};
    if (panel->from_zero || right) {
        range.low = fmin(range.low, 0);
        range.high = fmax(range.high, 0);
        if (range.low == range.high)
            range.high = 1;
        return (struct range){range.low * 1.08, range.high * 1.08};
    }
    double beside = (range.high - range.low) * 0.08;
    if (beside == 0)
        beside = range.low == 0 ? 1 : fabs(range.low) / 2;
    return (struct range){range.low - beside, range.high + beside};
}

double figure_bar_base(const struct figure_panel *panel, const struct figure_sample *sample)
{
    return panel->y_is_log ? axis_range(panel, false).low : sample->base;
}

static void write_tick_list(struct buffer *script, const char **labels, const double *places, size_t count,
                            int longest)
{
    buffer_text(script, " noenhanced (");
    for (size_t i = 0; i < count; i++) {
        buffer_text(script, i == 0 ? "" : ", ");
        figure_quote_part(script, labels[i], longest, true);
        buffer_printf(script, " %.10g", places == NULL ? (double)i : places[i]);
    }
    buffer_text(script, ")\n");
}

static void write_ticks(struct buffer *script, const struct figure_ticks *ticks)
{
    const char *labels[FIGURE_TICKS];
    for (size_t i = 0; i < ticks->count; i++)
        labels[i] = ticks->labels[i];
    write_tick_list(script, labels, ticks->places, ticks->count, LONGEST_TICK);
}

/* gnuplot's own marks of a logarithmic axis are decades, of which a short one has none. */
static void write_log_x(struct buffer *script, const struct figure_panel *panel, double from, double to)
{
    struct figure_ticks ticks = {.count = 0};
    if (figure_ticks_are_binary(panel))
        figure_ticks_binary(from, to, panel->x_is_bytes, &ticks);
    else
        figure_ticks_only(panel, &ticks);
    if (ticks.count == 0)
        figure_ticks_decimal(from, to, &ticks);
    buffer_text(script, "set xtics norotate");
    write_ticks(script, &ticks);
}

static void write_x(struct buffer *script, const struct figure_panel *panel,
                    const struct figure_layout *layout)
{
    double from = panel->x_is_log ? pow(10, layout->x_from) : layout->x_from;
    double to = panel->x_is_log ? pow(10, layout->x_to) : layout->x_to;
    buffer_text(script, "set xlabel ");
    figure_quote_part(script, panel->x_label, LONGEST_LABEL, false);
    buffer_printf(script, " noenhanced offset 0,0.3\nset xrange [%.10g:%.10g]\n", from, to);
    if (panel->ticks != NULL) {
        buffer_text(script, "set xtics norotate");
        write_tick_list(script, panel->tick_labels, panel->ticks, panel->tick_count, LONGEST_TICK);
    } else if (panel->categories != NULL) {
        buffer_text(script, layout->turned ? "set xtics rotate by 30 right" : "set xtics norotate");
        write_tick_list(script, panel->categories, NULL, panel->category_count,
                        layout->turned ? LONGEST_TURNED : LONGEST_TICK);
    } else if (panel->x_is_log) {
        write_log_x(script, panel, from, to);
    } else {
        buffer_text(script, "set xtics autofreq norotate\n");
    }
}

/* The label is cut where it is longer than the plot is high. */
static void write_y(struct buffer *script, const struct figure_panel *panel, bool right)
{
    struct range range = axis_range(panel, right);
    const char *name = right ? "y2" : "y";
    buffer_printf(script, "set %slabel ", name);
    figure_quote_part(script, right ? panel->right_label : panel->y_label, LONGEST_LABEL * 2 / 3, false);
    buffer_printf(script, " noenhanced\nset %srange [%.10g:%.10g]\n", name, range.low, range.high);
    buffer_printf(script, "set %stics", name);
    if (!panel->y_is_log) {
        buffer_text(script, " autofreq\n");
        return;
    }
    struct figure_ticks ticks;
    figure_ticks_decimal(range.low, range.high, &ticks);
    write_ticks(script, &ticks);
}

void figure_write_axes(struct buffer *script, const struct figure_panel *panel,
                       const struct figure_layout *layout)
{
    bool right = panel->right_label != NULL;
    write_x(script, panel, layout);
    write_y(script, panel, false);
    if (right)
        write_y(script, panel, true);
    else
        buffer_text(script, "unset y2tics\nset y2label\n");
    buffer_printf(script, "set border %d linecolor rgb '#707070' linewidth 1\n", right ? 11 : 3);
    if (panel->x_is_log)
        buffer_text(script, "set logscale x\n");
    if (panel->y_is_log)
        buffer_text(script, right ? "set logscale yy2\n" : "set logscale y\n");
}
