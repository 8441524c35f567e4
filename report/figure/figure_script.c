#include "report/figure/figure_draw.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/text/visible.h"
#include "report/figure/figure.h"
#include "report/figure/figure_ticks.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_COLOUR "#222222"
#define QUIET_COLOUR "#5f5f5f"
#define MARK_COLOUR "#9a9a9a"

/* Pixels of an SVG; a PNG has PNG_SCALE times as many. gnuplot places everything within a panel; the height
 * of a panel follows from its heading, legend and turned names. */
enum {
    WIDTH = 900,
    NARROW = 600,
    LEFT = 84,  /* margin of all plots, so that the axes of plots below one another are aligned */
    RIGHT = 36, /* margin; LEFT if there is an axis on the right */
    PLOT_HEIGHT = 440,
    ROW = 20,        /* height of a row of text */
    KEY_ROW = 18,    /* the same in the legend */
    KEY_SAMPLE = 60, /* the line before a name in the legend, and the gap behind the name */
    LETTER = 7,      /* mean width of a character, rounded up */
    MAP_ROW = 40,
    MAP_LEAST = 130, /* height of all rows */
    MAP_MOST = 720,
    MAP_SPACE = 120, /* above and below the cells */
    MAP_WIDTH = 700, /* the least width of all cells */
    MAP_CELL = 40,   /* the width that a cell's number needs */
    PNG_SCALE = 2,
};

enum { LONGEST_TITLE = 84, LONGEST_LABEL = 72, LONGEST_TICK = 24, LONGEST_TURNED = 18, LONGEST_MARK = 24 };

/* ---- texts ---- */

/* gnuplot misreads a doubled quote beside another one or at the start. Therefore a text with a quote is in
 * double quotes, where special characters are written in octal. */
static void write_byte(struct buffer *script, char byte, bool doubled, bool is_format)
{
    if (doubled && strchr("\\\"`'", byte) != NULL)
        buffer_printf(script, "\\%03o", (unsigned)byte);
    else
        buffer_append(script, &byte, 1);
    if (byte == '%' && is_format)
        buffer_append(script, &byte, 1);
}

/* Appends at most `longest` characters of UTF-8 text as one quoted string; longer text is cut with an
 * ellipsis. gnuplot treats tick labels as printf formats, so % is doubled there. */
static void write_text(struct buffer *script, const char *text, int longest, bool is_format)
{
    const char *end = text + strlen(text);
    bool doubled = strchr(text, '\'') != NULL;
    buffer_text(script, doubled ? "\"" : "'");
    for (int characters = 0; text < end; characters++) {
        char escape[VISIBLE_ESCAPE_BYTES];
        size_t length = visible_next(text, (size_t)(end - text), escape);
        const char *shown = escape[0] == '\0' ? text : escape;
        size_t size = escape[0] == '\0' ? length : strlen(escape);
        if (characters == longest) {
            buffer_text(script, "…");
            break;
        }
        for (size_t i = 0; i < size; i++)
            write_byte(script, shown[i], doubled, is_format);
        text += length;
        if (strncmp(text - length, "]]>", 3) == 0) { /* gnuplot keeps it, but it is not allowed in XML */
            buffer_text(script, "] ");
            text++;
        }
    }
    buffer_text(script, doubled ? "\"" : "'");
}

static int length_of(const char *text, int longest)
{
    int characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters < longest ? characters : longest;
}

/* The number of characters of the longest name. */
static int longest_of(const char *const *names, size_t count, int longest)
{
    int most = 0;
    for (size_t i = 0; i < count; i++) {
        int length = length_of(names[i], longest);
        most = length > most ? length : most;
    }
    return most;
}

/* ---- axes ---- */

static int width_of(const struct figure_panel *panel)
{
    return panel->narrow ? NARROW : WIDTH;
}

struct range {
    double low, high;
};

static const struct range nothing = {INFINITY, -INFINITY};

static void widen(struct range *range, double low, double high)
{
    range->low = fmin(range->low, low);
    range->high = fmax(range->high, high);
}

/* The range of the x axis: that of samples and marks, with a small margin. */
static struct range x_range(const struct figure_panel *panel)
{
    if (panel->categories != NULL)
        return (struct range){-0.5, (double)panel->category_count - 0.5};
    struct range range = nothing;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            const struct figure_sample *sample = &panel->lines[i].samples[j];
            bool wide = sample->x_low < sample->x_high && !(panel->x_is_log && sample->x_low <= 0);
            widen(&range, wide ? sample->x_low : sample->x, wide ? sample->x_high : sample->x);
        }
    if (panel->mark_count > 0)
        widen(&range, panel->marks[0].x, panel->marks[panel->mark_count - 1].x);
    if (panel->x_is_log)
        return (struct range){range.low / 1.2, range.high * 1.2};
    double beside = (range.high - range.low) * (panel->plain ? 0 : 0.03);
    if (range.high == range.low)
        beside = range.low == 0 ? 1 : fabs(range.low) / 2;
    return (struct range){range.low - beside, range.high + beside};
}

/* The range of y on one axis, with intervals. */
static struct range range_of(const struct figure_panel *panel, bool right)
{
    struct range range = nothing;
    for (size_t i = 0; i < panel->line_count; i++) {
        if (panel->lines[i].right != right)
            continue;
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            const struct figure_sample *sample = &panel->lines[i].samples[j];
            widen(&range, fmin(sample->y, sample->low), fmax(sample->y, sample->high));
        }
    }
    return range;
}

/* The range of a y axis: that of its values with a small margin, which is a factor on a logarithmic axis.
 * With from_zero, and on the right, it includes 0, so that heights are comparable. */
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

/* The range of a map's colours: that of its values. */
static struct range range_of_values(const struct figure_panel *panel)
{
    struct range range = nothing;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++)
            widen(&range, panel->lines[i].samples[j].y, panel->lines[i].samples[j].y);
    if (range.low < range.high)
        return range;
    double beside = range.low == 0 ? 1 : fabs(range.low) / 10;
    return (struct range){range.low - beside, range.low + beside};
}

static void write_label(struct buffer *script, const char *axis, const char *label)
{
    buffer_printf(script, "set %slabel ", axis);
    write_text(script, label, axis[0] == 'x' ? LONGEST_LABEL : LONGEST_LABEL * 2 / 3, false);
    buffer_text(script, " noenhanced\n");
}

/* Writes every each-th label at its place, or at its index if places is NULL. */
static void write_tick_list(struct buffer *script, const char *const *labels, const double *places,
                            size_t count, size_t each, int longest)
{
    buffer_text(script, " noenhanced (");
    for (size_t i = 0; i < count; i += each) {
        buffer_text(script, i == 0 ? "" : ", ");
        write_text(script, labels[i], longest, true);
        buffer_printf(script, " %.10g", places == NULL ? (double)i : places[i]);
    }
    buffer_text(script, ")\n");
}

static void write_ticks(struct buffer *script, const struct figure_ticks *ticks)
{
    const char *labels[FIGURE_TICKS];
    for (size_t i = 0; i < ticks->count; i++)
        labels[i] = ticks->labels[i];
    write_tick_list(script, labels, ticks->places, ticks->count, 1, LONGEST_TICK);
}

/* Whether the names of categories are turned, because they exceed the width of the axis. A map omits names
 * instead, unless every_name is set. */
static bool is_turned(const struct figure_panel *panel)
{
    int widest = LETTER * longest_of(panel->categories, panel->category_count, LONGEST_TICK);
    return (panel->kind != FIGURE_MAP || panel->every_name) &&
           (size_t)widest * panel->category_count > WIDTH - 2 * LEFT;
}

/* Writes the ticks of a numeric axis. gnuplot's own mark only decades on a logarithmic axis, of which a short
 * axis may have none, and do not show sizes in KiB. */
static void write_numbers_on_x(struct buffer *script, const struct figure_panel *panel, struct range range)
{
    struct figure_ticks ticks = {.count = 0};
    if (!panel->x_is_log && !panel->x_is_bytes) {
        buffer_text(script, " autofreq\n");
        return;
    }
    if (!panel->x_is_log)
        figure_ticks_sizes(range.low, range.high, &ticks);
    else if (panel->x_is_bytes || figure_ticks_are_binary(panel))
        figure_ticks_binary(range.low, range.high, panel->x_is_bytes, &ticks);
    else
        figure_ticks_only(panel, &ticks);
    if (panel->x_is_log && ticks.count == 0)
        figure_ticks_decimal(range.low, range.high, &ticks);
    write_ticks(script, &ticks);
}

static void write_x(struct buffer *script, const struct figure_panel *panel, struct range range)
{
    bool turned = panel->ticks == NULL && is_turned(panel);
    buffer_printf(script, "set xrange [%.10g:%.10g]\nset xtics %s", range.low, range.high,
                  turned ? "rotate by 30 right" : "norotate");
    if (panel->ticks != NULL)
        write_tick_list(script, panel->tick_labels, panel->ticks, panel->tick_count, 1, LONGEST_TICK);
    else if (panel->categories != NULL)
        write_tick_list(script, panel->categories, NULL, panel->category_count, 1,
                        turned ? LONGEST_TURNED : LONGEST_TICK);
    else
        write_numbers_on_x(script, panel, range);
}

static void write_y(struct buffer *script, const struct figure_panel *panel, bool right)
{
    struct range range = axis_range(panel, right);
    const char *name = right ? "y2" : "y";
    write_label(script, name, right ? panel->right_label : panel->y_label);
    buffer_printf(script,
                  "set %srange [%.10g:%.10g]\nset %stics out scale 0.6 textcolor rgb '" TEXT_COLOUR "'", name,
                  range.low, range.high, name);
    if (!panel->y_is_log) {
        buffer_text(script, " autofreq\n");
        return;
    }
    struct figure_ticks ticks;
    figure_ticks_decimal(range.low, range.high, &ticks);
    write_ticks(script, &ticks);
    buffer_printf(script, "set logscale %s\n", name);
}

static int map_height(const struct figure_panel *panel)
{
    int rows = MAP_ROW * (int)(panel->line_count < MAP_MOST ? panel->line_count : MAP_MOST);
    return rows < MAP_LEAST ? MAP_LEAST : rows > MAP_MOST ? MAP_MOST : rows;
}

/* The step between shown names, if `needed` pixels are needed for each and there is `room` for all. */
static size_t names_to_each(size_t count, int needed, int room)
{
    return 1 + (count * (size_t)needed - 1) / (size_t)room;
}

/* Draws a line across the map and one down it, before that row and column. */
static void write_border(struct buffer *script, size_t at, double width)
{
    buffer_printf(script,
                  "set arrow from %.1f, graph 0 to %.1f, graph 1 nohead front linecolor rgb '" TEXT_COLOUR
                  "' linewidth %.1f\nset arrow from graph 0, first %.1f to graph 1, first %.1f nohead front "
                  "linecolor rgb '" TEXT_COLOUR "' linewidth %.1f\n",
                  (double)at - 0.5, (double)at - 0.5, width, (double)at - 0.5, (double)at - 0.5, width);
}

/* Draws borders of sockets and clusters, and frames around the threads of a core; the label of x explains
 * them. */
static void write_units(struct buffer *script, const struct figure_panel *panel)
{
    const struct figure_unit *units = panel->units;
    bool sockets = false, clusters = false, threads = false;
    struct buffer label = {0};
    for (size_t i = 1; i < panel->category_count; i++) {
        bool other = units[i].socket != units[i - 1].socket, apart = units[i].cluster != units[i - 1].cluster;
        bool twin = !other && units[i].core >= 0 && units[i].core == units[i - 1].core;
        if (other || apart)
            write_border(script, i, other ? 2 : 0.7);
        if (twin)
            buffer_printf(script,
                          "set object rectangle from %.1f, %.1f to %.1f, %.1f front fillstyle empty border "
                          "linecolor rgb '" TEXT_COLOUR "' linewidth 0.7\n",
                          (double)i - 1.5, (double)i - 1.5, (double)i + 0.5, (double)i + 0.5);
        sockets = sockets || other;
        clusters = clusters || (apart && !other);
        threads = threads || twin;
    }
    if (!sockets && !clusters && !threads)
        return;
    buffer_printf(&label, "%s (%s%s%s%s%s)", panel->x_label, sockets ? "thick: sockets" : "",
                  sockets && clusters ? ", " : "", clusters ? "thin: shared caches" : "",
                  (sockets || clusters) && threads ? ", " : "", threads ? "frames: threads of a core" : "");
    write_label(script, "x", label.data);
    buffer_free(&label);
}

/* Writes the axes of a map: rows from top to bottom in the order of the lines, the scale of colours on the
 * right. */
static void write_map_axes(struct buffer *script, const struct figure_panel *panel)
{
    struct range range = range_of_values(panel);
    const char **rows = memory_zeroed(panel->line_count + 1, sizeof *rows);
    int widest = LETTER * (longest_of(panel->categories, panel->category_count, LONGEST_TICK) + 1);
    for (size_t i = 0; i < panel->line_count; i++)
        rows[i] = panel->lines[i].label;
    write_label(script, "y", panel->y_label);
    write_label(script, "cb", panel->colour_label);
    buffer_printf(script, "set xrange [-0.5:%.10g]\nset yrange [%.10g:-0.5]\nset cbrange [%.10g:%.10g]\n",
                  (double)panel->category_count - 0.5, (double)panel->line_count - 0.5, range.low,
                  range.high);
    buffer_text(script,
                "set object 1 rectangle from graph 0, graph 0 to graph 1, graph 1 behind fillstyle solid 1 "
                "noborder fillcolor rgb '#dcdcdc'\n"
                "set palette defined (0 '#fdf6e3', 1 '#f2b661', 2 '#e2703a')\nset colorbox\nunset rmargin\n"
                "unset border\nunset grid\n");
    buffer_printf(script, "set xtics %s scale 0", is_turned(panel) ? "rotate by 30 right" : "norotate");
    write_tick_list(script, panel->categories, NULL, panel->category_count,
                    is_turned(panel) ? 1 : names_to_each(panel->category_count, widest, MAP_WIDTH),
                    LONGEST_TICK);
    int names = LETTER * longest_of(rows, panel->line_count, LONGEST_TICK);
    buffer_printf(script, "set lmargin at screen %.6f\nset ytics norotate scale 0",
                  (double)(LEFT + (names > LEFT / 2 ? names - LEFT / 2 : 0)) / WIDTH);
    write_tick_list(script, rows, NULL, panel->line_count,
                    names_to_each(panel->line_count, KEY_ROW, map_height(panel)), LONGEST_TICK);
    if (panel->y_is_log)
        buffer_text(script, "set logscale cb\n");
    if (panel->units != NULL)
        write_units(script, panel);
    free(rows);
}

/* Writes the axes, and first resets what the panel before has set. */
static void write_axes(struct buffer *script, const struct figure_panel *panel, struct range range)
{
    bool right = panel->right_label != NULL;
    buffer_printf(script,
                  "unset logscale\nunset object\nunset colorbox\nset cblabel\nset y2label\nunset y2tics\n"
                  "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset border %d linecolor rgb "
                  "'#707070' linewidth 1\n"
                  "set grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
                  "set xtics scale 0.6\nset ytics scale 0.6\n",
                  (double)LEFT / width_of(panel), 1 - (double)(right ? LEFT : RIGHT) / width_of(panel),
                  right ? 11 : 3);
    write_label(script, "x", panel->x_label);
    if (panel->kind == FIGURE_MAP) {
        write_map_axes(script, panel);
        return;
    }
    write_x(script, panel, range);
    write_y(script, panel, false);
    if (right)
        write_y(script, panel, true);
    if (panel->x_is_log)
        buffer_text(script, "set logscale x\n");
}

/* ---- styles ---- */

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

/* The style of a line. Curves and lines of the right axis are dashed. */
static struct style style_of(const struct figure_line *line)
{
    enum { STYLES = sizeof styles / sizeof *styles, DASHES = 5 };
    if (line->colour == FIGURE_GREY)
        return (struct style){.colour = "#8a8a8a", .dash = 2};
    struct style style = styles[line->colour % STYLES];
    style.shape = styles[(line->colour + line->colour / STYLES) % STYLES].shape; /* others in each round */
    style.dash = line->reference ? 2 : line->right ? 4 : 1 + (int)(line->colour / STYLES % DASHES);
    return style;
}

/* The colour of a bar. Bars have no shapes: when colours repeat, they are paler. */
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

/* An SVG names only a generic font, as the reader's system supplies it. A point in a PNG is 4/3 pixel, which
 * the font scale compensates. */
static void write_terminal(struct buffer *script, enum figure_format format, const char *output, int width,
                           int height)
{
    buffer_text(script, "set encoding utf8\n");
    if (format == FIGURE_SVG) {
        buffer_printf(script,
                      "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,12' "
                      "background '#ffffff'\n",
                      width, height);
    } else { /* a gnuplot without cairo draws coarser letters */
        buffer_text(script, "pngs = strstrt(GPVAL_TERMINALS, 'pngcairo') > 0 ? 'pngcairo' : 'png'\n");
        buffer_printf(script,
                      "set terminal @pngs noenhanced size %d,%d font 'DejaVu Sans,12' fontscale %.2f "
                      "linewidth %d pointscale %d dashlength 0.6 background '#ffffff'\n",
                      width * PNG_SCALE, height * PNG_SCALE, PNG_SCALE * 0.75, PNG_SCALE, PNG_SCALE);
    }
    buffer_text(script, "set output ");
    write_text(script, output, 1 << 20, false);
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

/* The numbers of bars at each x, which is a category. */
struct bars {
    size_t group;   /* the largest number at one x, which determines the width of all */
    size_t *total;  /* [categories + 1]: at each category; the last: outside all */
    size_t *before; /* [samples of all lines]: at the sample's x in earlier lines */
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

/* The left end of a bar. Bars at one x are stacked, or adjacent with their common middle at x, even if some
 * lines have no bar there. */
static double bar_left(const struct figure_panel *panel, const struct bars *bars, size_t line, size_t sample)
{
    double x = panel->lines[line].samples[sample].x, width = bar_width(bars);
    if (panel->kind == FIGURE_STACKED)
        return x - width / 2;
    return x + width * ((double)bars->before[bars->first[line] + sample] -
                        (double)bars->total[category_of(panel, x)] / 2);
}

/* ---- lines that look alike ---- */

/* Whether both lines have the same style. Beyond the lines that a legend names, styles repeat: lines of one
 * style are one part of the plot, as gnuplot is slow with thousands of parts. */
static bool looks_like(const struct figure_panel *panel, size_t index, size_t other)
{
    const struct figure_line *a = &panel->lines[index], *b = &panel->lines[other];
    return a->right == b->right && a->reference == b->reference && a->colour != FIGURE_GREY &&
           b->colour != FIGURE_GREY && a->colour % FIGURE_LEGEND == b->colour % FIGURE_LEGEND;
}

/* Whether the line begins a part. */
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

/* ---- data ---- */

static void write_interval(struct buffer *script, bool present, double low, double high)
{
    if (present)
        buffer_printf(script, " %.10g %.10g", low, high);
    else
        buffer_text(script, " NaN NaN");
}

/* Writes the columns: x, y, the intervals of y and x, 1 if the sample is marked; of a bar also its left,
 * right and lower end. */
static void write_sample(struct buffer *script, const struct figure_panel *panel, const struct bars *bars,
                         size_t line, size_t index)
{
    const struct figure_sample *sample = &panel->lines[line].samples[index];
    bool bar = is_bars(panel) && !panel->lines[line].reference;
    double left = bar ? bar_left(panel, bars, line, index) : 0;
    buffer_printf(script, "%.10g %.10g", bar ? left + bar_width(bars) / 2 : sample->x, sample->y);
    write_interval(script, has_interval(sample), sample->low, sample->high);
    write_interval(script, has_x_interval(sample), sample->x_low, sample->x_high);
    buffer_text(script, is_doubtful(sample) ? " 1" : " 0");
    if (bar)
        buffer_printf(script, " %.10g %.10g %.10g", left, left + bar_width(bars),
                      panel->y_is_log ? axis_range(panel, false).low : sample->base);
    buffer_text(script, "\n");
}

/* Writes the data of a part, with a blank line between its lines. */
static void write_line_data(struct buffer *script, const struct figure_panel *panel, const struct bars *bars,
                            size_t index)
{
    buffer_printf(script, "$line%zu << END\n", index);
    for (size_t k = index; k < panel->line_count; k = next_in_part(panel, k)) {
        buffer_text(script, k == index ? "" : "\n");
        for (size_t i = 0; i < panel->lines[k].count; i++)
            write_sample(script, panel, bars, k, i);
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
    for (size_t i = 0; i < panel->line_count; i++)
        if (begins_part(panel, i))
            write_line_data(script, panel, &bars, i);
    bars_free(&bars);
}

/* ---- texts around the plot ---- */

/* Writes the line's name in the legend, or none. */
static void write_name(struct buffer *script, const struct figure_panel *panel, size_t index)
{
    const char *label = index < FIGURE_LEGEND ? panel->lines[index].label : "";
    if (label[0] == '\0') {
        buffer_text(script, " notitle");
        return;
    }
    buffer_text(script, " title ");
    write_text(script, label, LONGEST_LABEL, false);
}

/* The height of the legend, in which gnuplot makes columns as wide as the longest name. */
static int key_height(const struct figure_panel *panel)
{
    size_t names = 0;
    int longest = 0;
    for (size_t i = 0; panel->kind != FIGURE_MAP && i < panel->line_count && i < FIGURE_LEGEND; i++) {
        int length = length_of(panel->lines[i].label, LONGEST_LABEL);
        names += length > 0;
        longest = length > longest ? length : longest;
    }
    int columns = (width_of(panel) - 2 * LEFT) / (KEY_SAMPLE + LETTER * longest);
    return KEY_ROW * (int)(columns > 1 ? (names + (size_t)columns - 1) / (size_t)columns : names);
}

static double share_of_x(const struct figure_panel *panel, struct range range, double x)
{
    if (panel->x_is_log)
        return log(x / range.low) / log(range.high / range.low);
    return (x - range.low) / (range.high - range.low);
}

enum { MARK_ROWS = 3 };

/* Sets the row of each mark's name above the plot: 0 is the lowest, -1: no room. From last to first, a name
 * that extends over later marks is placed above their names, so that no mark's line crosses a name. Returns
 * the number of rows. */
static int place_marks(const struct figure_panel *panel, struct range range, int *rows)
{
    int used = 0;
    for (size_t i = panel->mark_count; i-- > 0;) {
        double x = share_of_x(panel, range, panel->marks[i].x);
        double end = x + LETTER * (length_of(panel->marks[i].label, LONGEST_MARK) + 1) / (WIDTH - 1.5 * LEFT);
        rows[i] = 0;
        for (size_t j = i + 1; j < panel->mark_count; j++) {
            if (share_of_x(panel, range, panel->marks[j].x) >= end)
                break;
            rows[i] = rows[j] + 1 > rows[i] ? rows[j] + 1 : rows[i];
        }
        if (rows[i] >= MARK_ROWS || end > 1 + 0.5 * LEFT / WIDTH)
            rows[i] = -1;
        used = rows[i] + 1 > used ? rows[i] + 1 : used;
    }
    return used;
}

/* Draws a line at each mark, with its name above the plot if there is room. Returns the number of rows of
 * names. */
static int write_marks(struct buffer *script, const struct figure_panel *panel, struct range range)
{
    static const char line[] = "nohead back linecolor rgb '" MARK_COLOUR "' linewidth 1 dashtype 2";
    int *rows = memory_zeroed(panel->mark_count + 1, sizeof *rows);
    int used = place_marks(panel, range, rows);
    for (size_t i = 0; i < panel->mark_count; i++) {
        double x = panel->marks[i].x;
        buffer_printf(script, "set arrow from first %.10g, graph 0 to first %.10g, graph 1 %s\n", x, x, line);
        if (rows[i] < 0)
            continue;
        buffer_printf(script,
                      "set arrow from first %.10g, graph 1 rto graph 0, character %.1f %s\nset label ", x,
                      rows[i] + 1.0, line);
        write_text(script, panel->marks[i].label, LONGEST_MARK, false);
        buffer_printf(script,
                      " at first %.10g, graph 1 left offset character 0.4,%.1f noenhanced textcolor rgb "
                      "'" QUIET_COLOUR "'\n",
                      x, rows[i] + 0.6);
    }
    free(rows);
    return used;
}

/* Writes the next row of text below a panel's top. */
static void write_heading(struct buffer *script, const char *text, int longest, double top, int *row,
                          const char *style)
{
    buffer_text(script, "set label ");
    write_text(script, text, longest, false);
    buffer_printf(script, " at screen %.6f, screen %.6f left offset character 0,%.1f noenhanced %s\n",
                  (double)LEFT / WIDTH, top, -0.3 - 1.3 * ++*row, style);
}

/* Writes title, subtitle and the reasons for "?" beside samples; returns the number of rows. */
static int write_headings(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                          double top)
{
    int rows = 0;
    if (panel->title != NULL) {
        char style[96];
        int length = length_of(panel->title, 2 * LONGEST_TITLE);
        int size = length <= LONGEST_TITLE ? 15 : 15 * LONGEST_TITLE / length;
        /* gnuplot's SVG has bold only in enhanced text, which recipes' texts must never be */
        snprintf(style, sizeof style, "font '%s,%d' textcolor rgb '" TEXT_COLOUR "'",
                 format == FIGURE_SVG ? "sans-serif" : "DejaVu Sans:Bold",
                 format == FIGURE_SVG ? size + 2 : size);
        write_heading(script, panel->title, 2 * LONGEST_TITLE, top, &rows, style);
    }
    write_heading(script, panel->subtitle, LONGEST_TITLE + 28, top, &rows,
                  "textcolor rgb '" QUIET_COLOUR "'");
    for (size_t i = 0; i < panel->doubt_count; i++)
        write_heading(script, panel->doubts[i], LONGEST_TITLE + 28, top, &rows,
                      "textcolor rgb '" TEXT_COLOUR "'");
    return rows;
}

/* ---- the plot ---- */

/* Begins a part: the first with "plot", each further one with a comma. */
static void next_part(struct buffer *script, bool *first)
{
    buffer_text(script, *first ? "plot " : ", \\\n     ");
    *first = false;
}

static const char *axes_of(const struct figure_line *line)
{
    return line->right ? " axes x1y2" : "";
}

static void write_bars(struct buffer *script, const struct figure_panel *panel, size_t index, bool *first)
{
    const struct figure_line *line = &panel->lines[index];
    char fill[BAR_COLOUR_BYTES];
    bar_colour(line, fill);
    next_part(script, first);
    buffer_printf(script,
                  "$line%zu using 1:2:8:9:10:2%s with boxxyerror fillstyle solid 1 border linecolor rgb "
                  "'#333333' fillcolor rgb '%s' linewidth 0.8",
                  index, axes_of(line), fill);
    write_name(script, panel, index);
    if (!any_in_part(panel, index, is_doubtful))
        return;
    next_part(script, first);
    buffer_printf(script,
                  "$line%zu using ($7 == 1 ? $1 : NaN):2:8:9:10:2%s with boxxyerror fillstyle solid 1 border "
                  "linecolor rgb '%s' fillcolor rgb '#ffffff' linewidth 1.8 notitle",
                  index, axes_of(line), style_of(line).colour);
}

/* Draws intervals as vectors with flat heads, because gnuplot's error bars leave a gap around the marker,
 * which hides short ones. On bars they have another colour. */
static void write_intervals(struct buffer *script, const struct figure_panel *panel, size_t index,
                            sample_test *test, const char *columns, bool *first)
{
    const struct figure_line *line = &panel->lines[index];
    if (!any_in_part(panel, index, test))
        return;
    next_part(script, first);
    buffer_printf(script,
                  "$line%zu using %s%s with vectors heads size screen 0.004,90 linecolor rgb '%s' "
                  "linewidth 1.2 notitle",
                  index, columns, axes_of(line), is_bars(panel) ? TEXT_COLOUR : style_of(line).colour);
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
    write_name(script, panel, index);
    if (!any_in_part(panel, index, is_doubtful))
        return;
    next_part(script, first);
    buffer_printf(script,
                  "$line%zu using ($7 == 1 ? $1 : NaN):2%s with points linecolor rgb '#ffffff' pointtype %d "
                  "pointsize 0.4 notitle",
                  index, axes_of(line), style.shape);
}

static void write_question_marks(struct buffer *script, const struct figure_panel *panel, size_t index,
                                 bool *first)
{
    if (!any_in_part(panel, index, is_doubtful))
        return;
    next_part(script, first);
    buffer_printf(
        script,
        "$line%zu using ($7 == 1 ? $1 : NaN):2:('?')%s with labels noenhanced offset 0.9,0.5 textcolor "
        "rgb '" TEXT_COLOUR "' notitle",
        index, axes_of(&panel->lines[index]));
}

/* Draws the cells, with their numbers if there is room; marked values have a frame. */
static void write_map(struct buffer *script, const struct figure_panel *panel)
{
    buffer_text(script, "plot $cells using 1:2:(0.5):(0.5):3 with boxxyerror fillstyle solid 1 noborder "
                        "fillcolor palette notitle");
    bool doubtful = false;
    for (size_t k = 0; k < panel->line_count; k++)
        doubtful = doubtful || any(&panel->lines[k], is_doubtful);
    if (doubtful)
        buffer_text(script,
                    ", \\\n     $cells using ($4 == 1 ? $1 : NaN):2:(0.46):(0.46) with boxxyerror fillstyle "
                    "empty border linecolor rgb '" TEXT_COLOUR "' linewidth 1 notitle");
    if (MAP_CELL * panel->category_count <= MAP_WIDTH &&
        KEY_ROW * panel->line_count <= (size_t)map_height(panel))
        buffer_text(script, ", \\\n     $cells using 1:2:(sprintf($4 == 1 ? '%.3g ?' : '%.3g', $3)) with "
                            "labels noenhanced textcolor rgb '" TEXT_COLOUR "' notitle");
}

/* Writes the plot in layers: intervals are drawn over bars, and markers over the middle of intervals. */
static void write_plot(struct buffer *script, const struct figure_panel *panel)
{
    enum { BARS, INTERVALS, LINES, QUESTIONS, LAYERS };
    bool first = true;
    if (panel->kind == FIGURE_MAP)
        write_map(script, panel);
    for (int layer = BARS; panel->kind != FIGURE_MAP && layer < LAYERS; layer++)
        for (size_t i = 0; i < panel->line_count; i++) {
            bool bars = is_bars(panel) && !panel->lines[i].reference;
            if (!begins_part(panel, i))
                continue;
            if (layer == BARS && bars)
                write_bars(script, panel, i, &first);
            if (layer == INTERVALS) {
                write_intervals(script, panel, i, has_interval, "1:3:(0):($4 - $3)", &first);
                write_intervals(script, panel, i, has_x_interval, "5:2:($6 - $5):(0)", &first);
            }
            if (layer == LINES && !bars)
                write_line(script, panel, i, &first);
            if (layer == QUESTIONS)
                write_question_marks(script, panel, i, &first);
        }
    buffer_text(script, "\n");
}

/* ---- panels ---- */

static int panel_height(const struct figure_panel *panel)
{
    int rows = 1 + (panel->title != NULL) + (int)panel->doubt_count;
    int longest = longest_of(panel->categories, panel->category_count, LONGEST_TURNED);
    int turned = is_turned(panel) ? longest * LETTER / 2 : 0; /* by 30 degrees, whose sine is 1/2 */
    return (panel->kind == FIGURE_MAP ? map_height(panel) + MAP_SPACE : PLOT_HEIGHT) + ROW * rows +
           key_height(panel) + turned + (panel->mark_count > 0 ? MARK_ROWS * ROW : 0);
}

/* gnuplot's own title cannot be on the left: a title of empty lines reserves the room for headings. */
static void write_panel(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                        int top, int height)
{
    struct range range = panel->kind == FIGURE_MAP ? (struct range){0, 1} : x_range(panel);
    int own = panel_height(panel);
    write_data(script, panel);
    buffer_printf(script, "unset label\nunset arrow\nset size 1, %.6f\nset origin 0, %.6f\n",
                  (double)own / height, 1 - (double)(top + own) / height);
    int rows = write_headings(script, panel, format, 1 - (double)top / height);
    rows += write_marks(script, panel, range);
    buffer_text(script, "set title \"");
    for (int i = 0; i < rows; i++)
        buffer_text(script, "\\012"); /* a line end */
    buffer_text(script, "\"\n");
    write_axes(script, panel, range);
    write_plot(script, panel);
}

void figure_script(const struct figure *figure, enum figure_format format, const char *output,
                   struct buffer *script)
{
    int height = 0, top = 0;
    for (size_t i = 0; i < figure->panel_count; i++)
        height += panel_height(&figure->panels[i]);
    write_terminal(script, format, output, width_of(figure->panels), height);
    buffer_text(script, "set multiplot\n"
                        "set key bmargin left Left reverse horizontal noenhanced samplen 2.5 height 1.4 "
                        "textcolor rgb '" TEXT_COLOUR "'\n"
                        "set format '%h'\n"
                        "set tics out nomirror scale 0.6 textcolor rgb '" TEXT_COLOUR "'\n"
                        "set xlabel textcolor rgb '" TEXT_COLOUR "'\n"
                        "set ylabel textcolor rgb '" TEXT_COLOUR "'\n"
                        "set y2label textcolor rgb '" TEXT_COLOUR "'\n");
    for (size_t i = 0; i < figure->panel_count; i++) {
        write_panel(script, &figure->panels[i], format, top, height);
        top += panel_height(&figure->panels[i]);
    }
    buffer_text(script, "unset multiplot\nset output\n");
}
