#include "report/figure/figure_script.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "report/figure/figure.h"
#include "report/figure/figure_layout.h"
#include "report/figure/figure_text.h"
#include "report/figure/figure_ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- figure axes ---- */

/* The axes of a panel: ranges, marks and names. */

#define TEXT_COLOUR "#222222"

#define QUIET_COLOUR "#5f5f5f"

#define MARK_COLOUR "#9a9a9a"

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

/* A small margin around the outermost values, a factor on a logarithmic axis. Unless the panel says
 * otherwise, an axis begins at 0, or below if a value is negative, so that heights are comparable. */
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

/* The lower end of a bar: on the bar below, at 0, or at the start of a logarithmic axis. */
static double figure_bar_base(const struct figure_panel *panel, const struct figure_sample *sample)
{
    return panel->y_is_log ? axis_range(panel, false).low : sample->base;
}

/* Of a map's colours: from the least value to the greatest. */
static struct range range_of_values(const struct figure_panel *panel)
{
    struct range range = {INFINITY, -INFINITY};
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            range.low = fmin(range.low, panel->lines[i].samples[j].y);
            range.high = fmax(range.high, panel->lines[i].samples[j].y);
        }
    if (range.low < range.high)
        return range;
    double beside = range.low == 0 ? 1 : fabs(range.low) / 10;
    return (struct range){range.low - beside, range.low + beside};
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

/* gnuplot marks only decades on a logarithmic axis, and a short axis may contain none. */
static void write_log_x(struct buffer *script, const struct figure_panel *panel, double from, double to)
{
    struct figure_ticks ticks = {.count = 0};
    if (panel->x_is_bytes || figure_ticks_are_binary(panel))
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
    } else if (panel->x_is_bytes) {
        struct figure_ticks ticks;
        figure_ticks_sizes(from, to, &ticks);
        buffer_text(script, "set xtics norotate");
        write_ticks(script, &ticks);
    } else {
        buffer_text(script, "set xtics autofreq norotate\n");
    }
}

/* Cuts a label that is longer than the plot's height. */
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

/* Every n-th name beside the cells, so that names have room. */
static void write_cell_names(struct buffer *script, const char *axis, const char **names, size_t count,
                             int room, int needed)
{
    size_t each = 1;
    while (room * (int)each < needed * (int)count)
        each++;
    buffer_printf(script, "set %stics norotate scale 0 noenhanced (", axis);
    for (size_t i = 0; i < count; i += each) {
        buffer_text(script, i == 0 ? "" : ", ");
        figure_quote_part(script, names[i], LONGEST_TICK, true);
        buffer_printf(script, " %zu", i);
    }
    buffer_text(script, ")\n");
}

/* Rows from top to bottom in the order of the lines; the scale of colours on the right. */
static void write_map_axes(struct buffer *script, const struct figure_panel *panel,
                           const struct figure_layout *layout)
{
    struct range range = range_of_values(panel);
    const char **rows = memory_zeroed(panel->line_count + 1, sizeof *rows);
    int widest = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        rows[i] = panel->lines[i].label;
    for (size_t i = 0; i < panel->category_count; i++) {
        int width = figure_width(panel->categories[i], LONGEST_TICK);
        widest = width > widest ? width : widest;
    }
    buffer_text(script, "set xlabel ");
    figure_quote_part(script, panel->x_label, LONGEST_LABEL, false);
    buffer_printf(script, " noenhanced offset 0,0.3\nset xrange [-0.5:%.10g]\nset ylabel ",
                  (double)panel->category_count - 0.5);
    figure_quote_part(script, panel->y_label, LONGEST_LABEL * 2 / 3, false);
    buffer_printf(script, " noenhanced\nset yrange [%.10g:-0.5]\nset cblabel ",
                  (double)panel->line_count - 0.5);
    figure_quote_part(script, panel->colour_label, LONGEST_LABEL * 2 / 3, false);
    buffer_printf(
        script,
        " noenhanced offset 2,0\nset object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind "
        "fillstyle solid 1 noborder fillcolor rgb '#dcdcdc'\nset cbrange [%.10g:%.10g]\nset cbtics autofreq\n"
        "set palette defined (0 '#fdf6e3', 1 '#f2b661', 2 '#e2703a')\n"
        "set colorbox user origin screen %.6f, graph 0 size screen %.6f, graph 1\n",
        range.low, range.high, (double)(layout->plot_right + RIGHT / 2) / WIDTH, 14.0 / WIDTH);
    write_cell_names(script, "x", panel->categories, panel->category_count, layout->plot_right - LEFT,
                     widest + 6);
    write_cell_names(script, "y", rows, panel->line_count, layout->plot_bottom - layout->plot_top, MARK_ROW);
    buffer_text(script, "unset y2tics\nset y2label\nunset border\nunset grid\n");
    if (panel->y_is_log)
        buffer_text(script, "set logscale cb\n");
    free(rows);
}

static void figure_write_axes(struct buffer *script, const struct figure_panel *panel,
                              const struct figure_layout *layout)
{
    bool right = panel->right_label != NULL;
    if (panel->kind == FIGURE_MAP) {
        write_map_axes(script, panel, layout);
        return;
    }
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

/* ---- figure script ---- */

enum { BAR_COLOUR_BYTES = 10 };

struct style {
    const char *colour;
    int shape; /* gnuplot's point type */
    int dash;  /* gnuplot's dash type; 1 is solid */
};

/* Okabe and Ito's colours, which colour-blind readers can distinguish, and shapes for print without colour.
 */
static const struct style styles[] = {
    {"#0072B2", 7, 1},  {"#D55E00", 5, 1},  {"#009E73", 9, 1}, {"#CC79A7", 13, 1},
    {"#E69F00", 11, 1}, {"#56B4E9", 15, 1}, {"#000000", 4, 1},
};

static bool is_bars(const struct figure_panel *panel)
{
    return panel->kind == FIGURE_BARS || panel->kind == FIGURE_STACKED;
}

/* Curves and lines of the right axis are dashed. */
static struct style style_of(const struct figure_line *line)
{
    enum { STYLES = sizeof styles / sizeof *styles, DASHES = 5 };
    if (line->colour == FIGURE_GREY)
        return (struct style){.colour = "#8a8a8a", .dash = 2};
    struct style style = styles[line->colour % STYLES];
    style.dash = line->reference ? 2 : line->right ? 4 : 1 + (int)(line->colour / STYLES % DASHES);
    return style;
}

/* Bars have no shapes: the colours repeat, paler each time. */
static void bar_colour(const struct figure_line *line, char colour[BAR_COLOUR_BYTES])
{
    enum { STYLES = sizeof styles / sizeof *styles, SHADES = 3 };
    static const double strength[SHADES] = {0.85, 0.45, 0.2};
    double part = strength[line->colour / STYLES % SHADES];
    unsigned long full = strtoul(style_of(line).colour + 1, NULL, 16);
    unsigned long pale = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        pale |= (unsigned long)(255 - part * (double)(255 - (full >> shift & 255))) << shift;
    snprintf(colour, BAR_COLOUR_BYTES, "#%06lx", pale & 0xffffff);
}

/* ---- data ---- */

/* A reader's system supplies the fonts of an SVG, so it names only a generic one. A point in a PNG is 4/3
 * pixel, which the font scale compensates. */
static void write_terminal(struct buffer *script, enum figure_format format, const char *output, int height)
{
    buffer_text(script, "set encoding utf8\n");
    if (format == FIGURE_SVG) {
        buffer_printf(script,
                      "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,12' "
                      "background '#ffffff'\n",
                      WIDTH, height);
    } else { /* a gnuplot without cairo draws coarser letters */
        buffer_text(script, "pngs = strstrt(GPVAL_TERMINALS, 'pngcairo') > 0 ? 'pngcairo' : 'png'\n");
        buffer_printf(script,
                      "set terminal @pngs noenhanced size %d,%d font 'DejaVu Sans,12' fontscale %.2f "
                      "linewidth %d pointscale %d dashlength 0.6 background '#ffffff'\n",
                      WIDTH * PNG_SCALE, height * PNG_SCALE, PNG_SCALE * 0.75, PNG_SCALE, PNG_SCALE);
    }
    buffer_text(script, "set output ");
    figure_quote(script, output);
    buffer_text(script, "\n");
}

static bool has_interval(const struct figure_sample *sample)
{
    return sample->low < sample->high;
}

static bool has_x_interval(const struct figure_sample *sample)
{
    return sample->x_low < sample->x_high;
}

static bool is_doubtful(const struct figure_sample *sample)
{
    return sample->doubt != NULL;
}

typedef bool sample_test(const struct figure_sample *sample);

static bool any(const struct figure_line *line, sample_test *test)
{
    for (size_t i = 0; i < line->count; i++)
        if (test(&line->samples[i]))
            return true;
    return false;
}

/* The bars at each x, which is a category: how many there are, and how many belong to the lines before. */
struct bars {
    size_t group;   /* the most at one x: all are as wide as if each x had so many */
    size_t *total;  /* [categories + 1]; the last: of what is in none */
    size_t *before; /* [samples]: at the sample's x in earlier lines, line after line */
    size_t *first;  /* [lines]: index in `before` of the line's first sample */
};

static size_t category_of(const struct figure_panel *panel, double x)
{
    return x >= 0 && x < (double)panel->category_count ? (size_t)x : panel->category_count;
}

static struct bars bars_count(const struct figure_panel *panel)
{
    size_t samples = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        samples += panel->lines[i].count;
    struct bars bars = {1, memory_zeroed(panel->category_count + 1, sizeof *bars.total),
                        memory_zeroed(samples, sizeof *bars.before),
                        memory_zeroed(panel->line_count, sizeof *bars.first)};
    samples = 0;
    for (size_t i = 0; i < panel->line_count; i++) {
        bars.first[i] = samples;
        for (size_t j = 0; j < panel->lines[i].count; j++, samples++) {
            size_t at = category_of(panel, panel->lines[i].samples[j].x);
            if (panel->lines[i].reference)
                continue;
            bars.before[samples] = bars.total[at]++;
            bars.group =
                panel->kind == FIGURE_BARS && bars.total[at] > bars.group ? bars.total[at] : bars.group;
        }
    }
    return bars;
}

static void bars_free(struct bars *bars)
{
    free(bars->total);
    free(bars->before);
    free(bars->first);
}

static double bar_width(const struct bars *bars)
{
    return (bars->group > 1 ? 0.8 : 0.6) / (double)bars->group;
}

/* The left end of a bar. Bars at one x are stacked, or adjacent; then the group's middle is at x, even if
 * some lines have no bar there. */
static double bar_left(const struct figure_panel *panel, const struct bars *bars, size_t line, size_t sample)
{
    double x = panel->lines[line].samples[sample].x, width = bar_width(bars);
    if (panel->kind == FIGURE_STACKED)
        return x - width / 2;
    return x + width * ((double)bars->before[bars->first[line] + sample] -
                        (double)bars->total[category_of(panel, x)] / 2);
}

static void write_bar(struct buffer *script, const struct figure_panel *panel, const struct bars *bars,
                      size_t line, size_t index)
{
    const struct figure_sample *sample = &panel->lines[line].samples[index];
    double width = bar_width(bars);
    double left = bar_left(panel, bars, line, index);
    buffer_printf(script, "%.10g %.10g %.10g %.10g %.10g %.10g\n", left + width / 2, sample->y, left,
                  left + width, figure_bar_base(panel, sample), sample->y);
}

/* ---- lines that look alike ---- */

/* Beyond the lines that a legend can name, styles repeat: lines of one style are one part of the plot, as
 * gnuplot takes long for thousands of parts. */
static bool looks_like(const struct figure_panel *panel, size_t index, size_t other)
{
    const struct figure_line *a = &panel->lines[index], *b = &panel->lines[other];
    return a->right == b->right && a->reference == b->reference && a->colour != FIGURE_GREY &&
           b->colour != FIGURE_GREY && a->colour % FIGURE_LEGEND == b->colour % FIGURE_LEGEND;
}

/* True if the line begins a part. */
static bool begins_part(const struct figure_panel *panel, size_t index)
{
    return index < FIGURE_LEGEND || !looks_like(panel, index, index - FIGURE_LEGEND);
}

/* The next line of the same part; the count of lines after the last. */
static size_t next_in_part(const struct figure_panel *panel, size_t index)
{
    size_t next = index + FIGURE_LEGEND;
    return next < panel->line_count && looks_like(panel, index, next) ? next : panel->line_count;
}

static bool any_in_part(const struct figure_panel *panel, size_t index, sample_test *test)
{
    for (size_t i = index; i < panel->line_count; i = next_in_part(panel, i))
        if (any(&panel->lines[i], test))
            return true;
    return false;
}

/* A blank line ends a line. */
static void write_line_data(struct buffer *script, const struct figure_panel *panel, const struct bars *bars,
                            size_t index)
{
    buffer_printf(script, "$line%zu << END\n", index);
    for (size_t k = index; k < panel->line_count; k = next_in_part(panel, k)) {
        const struct figure_line *line = &panel->lines[k];
        buffer_text(script, k == index ? "" : "\n");
        for (size_t i = 0; i < line->count; i++) {
            if (is_bars(panel) && !line->reference)
                write_bar(script, panel, bars, k, i);
            else
                buffer_printf(script, "%.10g %.10g\n", line->samples[i].x, line->samples[i].y);
        }
    }
    buffer_text(script, "END\n");
}

static void write_interval_data(struct buffer *script, const struct figure_panel *panel,
                                const struct bars *bars, size_t index)
{
    buffer_printf(script, "$bars%zu << END\n", index);
    for (size_t k = index; k < panel->line_count; k = next_in_part(panel, k)) {
        const struct figure_line *line = &panel->lines[k];
        for (size_t i = 0; i < line->count; i++) {
            const struct figure_sample *sample = &line->samples[i];
            double x = sample->x;
            if (is_bars(panel) && !line->reference)
                x = bar_left(panel, bars, k, i) + bar_width(bars) / 2;
            if (has_interval(sample))
                buffer_printf(script, "%.10g %.10g 0 %.10g\n", x, sample->low, sample->high - sample->low);
            if (has_x_interval(sample))
                buffer_printf(script, "%.10g %.10g %.10g 0\n", sample->x_low, sample->y,
                              sample->x_high - sample->x_low);
        }
    }
    buffer_text(script, "END\n");
}

static void write_doubtful_data(struct buffer *script, const struct figure_panel *panel,
                                const struct bars *bars, size_t index)
{
    buffer_printf(script, "$doubt%zu << END\n", index);
    for (size_t k = index; k < panel->line_count; k = next_in_part(panel, k)) {
        const struct figure_line *line = &panel->lines[k];
        for (size_t i = 0; i < line->count; i++) {
            const struct figure_sample *sample = &line->samples[i];
            if (sample->doubt != NULL && is_bars(panel))
                write_bar(script, panel, bars, k, i);
            else if (sample->doubt != NULL)
                buffer_printf(script, "%.10g %.10g\n", sample->x, sample->y);
        }
    }
    buffer_text(script, "END\n");
}

static void write_cells(struct buffer *script, const struct figure_panel *panel)
{
    buffer_text(script, "$cells << END\n");
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++)
            buffer_printf(script, "%.10g %zu %.10g %d\n", panel->lines[i].samples[j].x, i,
                          panel->lines[i].samples[j].y, panel->lines[i].samples[j].doubt != NULL);
    buffer_text(script, "END\n");
}

static void write_data(struct buffer *script, const struct figure_panel *panel)
{
    if (panel->kind == FIGURE_MAP) {
        write_cells(script, panel);
        return;
    }
    struct bars bars = is_bars(panel) ? bars_count(panel) : (struct bars){0};
    for (size_t i = 0; i < panel->line_count; i++) {
        if (!begins_part(panel, i))
            continue;
        write_line_data(script, panel, &bars, i);
        if (any_in_part(panel, i, has_interval) || any_in_part(panel, i, has_x_interval))
            write_interval_data(script, panel, &bars, i);
        if (any_in_part(panel, i, is_doubtful))
            write_doubtful_data(script, panel, &bars, i);
    }
    bars_free(&bars);
}

/* ---- texts around the plot ---- */

/* A position in gnuplot's screen coordinates: shares of the picture from its lower left corner. */
static void write_place(struct buffer *script, double x, double y, int height)
{
    buffer_printf(script, "screen %.6f, screen %.6f", x / WIDTH, 1 - y / height);
}

static void write_headings(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                           const struct figure_layout *layout, int height)
{
    if (panel->title != NULL) {
        int length = figure_length(panel->title, 2 * LONGEST_TITLE);
        int size = length <= LONGEST_TITLE ? 15 : 15 * LONGEST_TITLE / length;
        buffer_text(script, "set label 1 ");
        figure_quote_part(script, panel->title, 2 * LONGEST_TITLE, false);
        buffer_text(script, " at ");
        write_place(script, LEFT, layout->legend_top - 3 * HEADING_ROW / 2, height);
        /* gnuplot's SVG has bold only in enhanced text, which recipes' texts must never be */
        buffer_printf(script, " left noenhanced font '%s,%d' textcolor rgb '" TEXT_COLOUR "'\n",
                      format == FIGURE_SVG ? "sans-serif" : "DejaVu Sans:Bold",
                      format == FIGURE_SVG ? size + 2 : size);
    }
    buffer_text(script, "set label 2 ");
    figure_quote_part(script, panel->subtitle, LONGEST_TITLE + 28, false);
    buffer_text(script, " at ");
    write_place(script, LEFT, layout->legend_top - HEADING_ROW / 2, height);
    buffer_text(script, " left noenhanced textcolor rgb '" QUIET_COLOUR "'\n");
}

/* The key's sample of the line or bar. */
static void write_key(struct buffer *script, const struct figure_panel *panel, size_t index,
                      struct legend_place place, int y, int height)
{
    const struct figure_line *line = &panel->lines[index];
    struct style style = style_of(line);
    bool bars = is_bars(panel) && !line->reference;
    char fill[BAR_COLOUR_BYTES];
    bar_colour(line, fill);
    if (bars || panel->kind != FIGURE_POINTS || line->reference) {
        buffer_printf(script, "set arrow %zu from ", index + 1);
        write_place(script, place.x, y, height);
        buffer_text(script, " to ");
        write_place(script, place.x + LEGEND_KEY - (bars ? 16 : 8), y, height);
        buffer_printf(script, " nohead linecolor rgb '%s' linewidth %.1f dashtype %d\n",
                      bars ? fill : style.colour, bars ? 10.0 : 1.8, bars ? 1 : style.dash);
    }
    if (bars || line->reference || panel->plain)
        return;
    buffer_printf(script, "set label %zu '' at ", 2 * index + 4);
    write_place(script, place.x + (LEGEND_KEY - 8) / 2.0, y, height);
    buffer_printf(script, " point linecolor rgb '%s' pointtype %d pointsize 0.75\n", style.colour,
                  style.shape);
}

/* gnuplot's key has columns as wide as the widest entry; this key flows, and its height is known beforehand.
 */
static void write_legend(struct buffer *script, const struct figure_panel *panel,
                         const struct figure_layout *layout, int height)
{
    struct legend_place cursor = {.x = LEFT};
    size_t named = panel->line_count < FIGURE_LEGEND ? panel->line_count : FIGURE_LEGEND;
    for (size_t i = 0; panel->kind != FIGURE_MAP && i < named; i++) {
        const char *label = panel->lines[i].label;
        if (label[0] == '\0')
            continue;
        struct legend_place place = figure_advance(panel, &cursor, label);
        int y = layout->legend_top + place.row * HEADING_ROW + HEADING_ROW / 2;
        write_key(script, panel, i, place, y, height);
        buffer_printf(script, "set label %zu ", 2 * i + 3);
        figure_quote_part(script, label, LONGEST_LABEL, false);
        buffer_text(script, " at ");
        write_place(script, place.x + LEGEND_KEY, y, height);
        buffer_text(script, " left noenhanced textcolor rgb '" TEXT_COLOUR "'\n");
    }
}

/* What "?" beside samples means. */
static void write_doubts(struct buffer *script, const struct figure_panel *panel,
                         const struct figure_layout *layout, int height)
{
    for (size_t i = 0; i < panel->doubt_count; i++) {
        buffer_text(script, "set label ");
        figure_quote_part(script, panel->doubts[i], LONGEST_TITLE + 28, false);
        buffer_text(script, " at ");
        write_place(script, LEFT, layout->doubts_top + (int)i * HEADING_ROW + HEADING_ROW / 2, height);
        buffer_text(script, " left noenhanced textcolor rgb '" TEXT_COLOUR "'\n");
    }
}

/* A line at the start of each phase, with its name above the plot if there is room. */
static void write_marks(struct buffer *script, const struct figure_panel *panel,
                        const struct figure_layout *layout, int height)
{
    int *rows = memory_zeroed(panel->mark_count + 1, sizeof *rows);
    figure_place_marks(panel, layout, rows);
    for (size_t i = 0; i < panel->mark_count; i++) {
        double x = figure_pixel(layout, panel, panel->marks[i].x);
        double top = layout->plot_top - (rows[i] < 0 ? 0 : (rows[i] + 1) * MARK_ROW - 4);
        if (x < LEFT - 1 || x > layout->plot_right + 1)
            continue;
        buffer_text(script, "set arrow from ");
        write_place(script, x, layout->plot_bottom, height);
        buffer_text(script, " to ");
        write_place(script, x, top, height);
        buffer_text(script, " nohead back linecolor rgb '" MARK_COLOUR "' linewidth 1 dashtype 2\n");
        if (rows[i] < 0)
            continue;
        buffer_text(script, "set label ");
        figure_quote_part(script, panel->marks[i].label, LONGEST_MARK, false);
        buffer_text(script, " at ");
        write_place(script, x + 4, layout->plot_top - rows[i] * MARK_ROW - MARK_ROW / 2.0, height);
        buffer_text(script, " left noenhanced textcolor rgb '" QUIET_COLOUR "'\n");
    }
    free(rows);
}

/* ---- the plot ---- */

/* After the first "plot" there is a comma before each part. */
static void next_part(struct buffer *script, bool *first)
{
    buffer_text(script, *first ? "plot " : ", \\\n     ");
    *first = false;
}

static const char *axes_of(const struct figure_line *line)
{
    return line->right ? " axes x1y2" : "";
}

static void write_question_marks(struct buffer *script, const struct figure_line *line, size_t index,
                                 bool *first)
{
    next_part(script, first);
    buffer_printf(
        script,
        "$doubt%zu using 1:2:('?')%s with labels noenhanced offset 0.9,0.5 textcolor rgb '" TEXT_COLOUR "'",
        index, axes_of(line));
}

static void write_bars(struct buffer *script, const struct figure_panel *panel, bool *first)
{
    for (size_t i = 0; i < panel->line_count; i++) {
        if (panel->lines[i].reference || !begins_part(panel, i))
            continue;
        char fill[BAR_COLOUR_BYTES];
        bar_colour(&panel->lines[i], fill);
        next_part(script, first);
        buffer_printf(script,
                      "$line%zu using 1:2:3:4:5:6%s with boxxyerror fillstyle solid 1 border linecolor rgb "
                      "'#333333' fillcolor rgb '%s' linewidth 0.8",
                      i, axes_of(&panel->lines[i]), fill);
        if (!any_in_part(panel, i, is_doubtful))
            continue;
        next_part(script, first);
        buffer_printf(
            script,
            "$doubt%zu using 1:2:3:4:5:6%s with boxxyerror fillstyle solid 1 border linecolor rgb '%s' "
            "fillcolor rgb '#ffffff' linewidth 1.8",
            i, axes_of(&panel->lines[i]), style_of(&panel->lines[i]).colour);
        write_question_marks(script, &panel->lines[i], i, first);
    }
}

/* Vectors with flat heads, because gnuplot's error bars leave a gap around the marker that hides short ones.
 * On bars, intervals need another colour. */
static void write_intervals(struct buffer *script, const struct figure_panel *panel, bool *first)
{
    for (size_t i = 0; i < panel->line_count; i++) {
        const struct figure_line *line = &panel->lines[i];
        if (!begins_part(panel, i) ||
            (!any_in_part(panel, i, has_interval) && !any_in_part(panel, i, has_x_interval)))
            continue;
        next_part(script, first);
        buffer_printf(script,
                      "$bars%zu using 1:2:3:4%s with vectors heads size screen 0.004,90 linecolor rgb '%s' "
                      "linewidth 1.2",
                      i, axes_of(line), is_bars(panel) ? TEXT_COLOUR : style_of(line).colour);
    }
}

static void write_line(struct buffer *script, const struct figure_panel *panel, size_t index, bool *first)
{
    const struct figure_line *line = &panel->lines[index];
    struct style style = style_of(line);
    bool bare = line->reference || panel->plain;
    next_part(script, first);
    buffer_printf(script, "$line%zu using 1:2%s with %s linecolor rgb '%s' linewidth %.1f", index,
                  axes_of(line),
                  bare                           ? "lines"
                  : panel->kind == FIGURE_POINTS ? "points"
                                                 : "linespoints",
                  style.colour, panel->plain ? 1.3 : 1.8);
    if (bare || panel->kind != FIGURE_POINTS)
        buffer_printf(script, " dashtype %d", style.dash);
    if (!bare)
        buffer_printf(script, " pointtype %d pointsize 0.75", style.shape);
    if (!any_in_part(panel, index, is_doubtful))
        return;
    next_part(script, first);
    buffer_printf(script,
                  "$doubt%zu using 1:2%s with points linecolor rgb '#ffffff' pointtype %d pointsize 0.4",
                  index, axes_of(line), style.shape);
    write_question_marks(script, line, index, first);
}

/* Cells with their numbers where these have room; power that is not trusted has a frame. */
static void write_map(struct buffer *script, const struct figure_panel *panel,
                      const struct figure_layout *layout)
{
    int width = (layout->plot_right - LEFT) / (int)panel->category_count;
    int height = (layout->plot_bottom - layout->plot_top) / (int)panel->line_count;
    buffer_text(script, "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid 1 noborder "
                        "fillcolor palette");
    bool doubtful = false;
    for (size_t k = 0; k < panel->line_count; k++)
        doubtful = doubtful || any(&panel->lines[k], is_doubtful);
    if (doubtful)
        buffer_text(script,
                    ", \\\n     $cells using ($4 == 1 ? $1 : NaN):2:(0.46):(0.46) with boxxyerror fillstyle "
                    "empty border linecolor rgb '" TEXT_COLOUR "' linewidth 1");
    if (width >= MAP_CELL && height >= MARK_ROW)
        buffer_text(script, ", \\\n     $cells using 1:2:(sprintf($4 == 1 ? '%.3g ?' : '%.3g', $3)) with "
                            "labels noenhanced textcolor "
                            "rgb '" TEXT_COLOUR "'");
    buffer_text(script,
                "\nset grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
                "set xtics scale 0.6\nset ytics scale 0.6\nunset object 1\nunset colorbox\nunset cblabel\n");
    if (panel->y_is_log)
        buffer_text(script, "unset logscale cb\n");
}

/* Error bars come before markers, which cover their middle, but after bars. */
static void write_plot(struct buffer *script, const struct figure_panel *panel,
                       const struct figure_layout *layout)
{
    bool first = true;
    if (panel->kind == FIGURE_MAP) {
        write_map(script, panel, layout);
        return;
    }
    if (is_bars(panel))
        write_bars(script, panel, &first);
    write_intervals(script, panel, &first);
    for (size_t i = 0; i < panel->line_count; i++)
        if (begins_part(panel, i) && (!is_bars(panel) || panel->lines[i].reference))
            write_line(script, panel, i, &first);
    buffer_text(script, "\n");
}

static void write_panel(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                        const struct figure_layout *layout, int height)
{
    write_data(script, panel);
    buffer_printf(script,
                  "unset label\nunset arrow\nset lmargin at screen %.6f\nset rmargin at screen %.6f\n"
                  "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                  (double)LEFT / WIDTH, (double)layout->plot_right / WIDTH,
                  1 - (double)layout->plot_top / height, 1 - (double)layout->plot_bottom / height);
    write_headings(script, panel, format, layout, height);
    write_legend(script, panel, layout, height);
    write_doubts(script, panel, layout, height);
    write_marks(script, panel, layout, height);
    figure_write_axes(script, panel, layout);
    write_plot(script, panel, layout);
    if (panel->x_is_log || panel->y_is_log)
        buffer_text(script, "unset logscale\n");
}

void figure_script(const struct figure *figure, enum figure_format format, const char *output,
                   struct buffer *script)
{
    int height = 0;
    for (size_t i = 0; i < figure->panel_count; i++)
        height += figure_lay_out(&figure->panels[i], height).height;
    write_terminal(script, format, output, height);
    buffer_text(script, "set multiplot\n"
                        "unset key\n"
                        "set format '%h'\n"
                        "set tics out nomirror scale 0.6 textcolor rgb '" TEXT_COLOUR "'\n"
                        "set grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
                        "set xlabel textcolor rgb '" TEXT_COLOUR "'\n"
                        "set ylabel textcolor rgb '" TEXT_COLOUR "'\n"
                        "set y2label textcolor rgb '" TEXT_COLOUR "'\n");
    int top = 0;
    for (size_t i = 0; i < figure->panel_count; i++) {
        struct figure_layout layout = figure_lay_out(&figure->panels[i], top);
        write_panel(script, &figure->panels[i], format, &layout, height);
        top += layout.height;
    }
    buffer_text(script, "unset multiplot\nset output\n");
}
