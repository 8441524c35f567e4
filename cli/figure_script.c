#include "cli/figure_script.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* All lengths in pixels of the SVG; the PNG has PNG_SCALE times as many. */
enum {
    WIDTH = 900,
    LEFT = 84,
    RIGHT = 36,
    TOP = 10,
    HEADING_ROW = 24, /* title, subtitle or a row of the legend */
    HEADING_GAP = 12, /* between them and the plot */
    PLOT_HEIGHT = 330,
    AXIS_SPACE = 58, /* tick labels and the name of x */
    BOTTOM = 12,
    LEGEND_KEY = 34, /* the piece of line before a legend's text */
    LEGEND_GAP = 16,
    LETTER_TENTHS = 72, /* a letter at font size 12, in tenths of a pixel: a generous mean */
    PNG_SCALE = 2,
};

enum { LONGEST_TITLE = 84, LONGEST_LABEL = 72, LONGEST_TICK = 24 };

#define TEXT_COLOUR "#222222"
#define QUIET_COLOUR "#5f5f5f"

struct style {
    const char *colour;
    int shape; /* gnuplot's point type */
    int dash;  /* gnuplot's dash type; 1 is solid */
};

/* Okabe and Ito's colours, which colour-blind readers tell apart, and shapes for print without colour. */
static const struct style styles[] = {
    {"#0072B2", 7, 1},  {"#D55E00", 5, 1},  {"#009E73", 9, 1}, {"#CC79A7", 13, 1},
    {"#E69F00", 11, 1}, {"#56B4E9", 15, 1}, {"#000000", 4, 1},
};

static struct style style_of(const struct figure_line *line, size_t index)
{
    enum { STYLES = sizeof styles / sizeof *styles, DASHES = 5 };
    if (line->reference)
        return (struct style){.colour = "#8a8a8a", .dash = 2};
    struct style style = styles[index % STYLES];
    style.dash = 1 + (int)(index / STYLES % DASHES);
    return style;
}

/* Where a panel stands, in pixels from the figure's top. */
struct layout {
    int top; /* of the panel, title and all */
    int legend_top;
    int plot_top;
    int plot_bottom;
    int height;
    bool turned; /* category names need more room than the axis is wide */
};

/* Where the next entry of a legend goes. */
struct legend_pen {
    int x;
    int row;
};

/* ---- text ---- */

/* At most `longest` characters of UTF-8 text, quoted; more is cut with an ellipsis. Tick labels are printf
 * formats to gnuplot, so that a % has to be doubled there. */
static void write_quoted_part(struct buffer *script, const char *text, int longest, bool is_format)
{
    buffer_text(script, "'");
    int characters = 0;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0'; c++) {
        bool begins = (*c & 0xc0) != 0x80;
        if (begins && ++characters > longest) {
            buffer_text(script, "…");
            break;
        }
        if (*c == '\'' || (*c == '%' && is_format))
            buffer_append(script, c, 1);
        buffer_append(script, *c < ' ' || *c == 0x7f ? (const unsigned char *)" " : c, 1);
    }
    buffer_text(script, "'");
}

static void write_quoted(struct buffer *script, const char *text)
{
    write_quoted_part(script, text, 1 << 20, false);
}

static int length_of(const char *text, int longest)
{
    int characters = 0;
    for (; *text != '\0'; text++)
        characters += ((unsigned char)*text & 0xc0) != 0x80;
    return characters < longest ? characters : longest;
}

/* ---- layout ---- */

static int width_of(const char *text, int longest)
{
    return length_of(text, longest) * LETTER_TENTHS / 10;
}

/* Entries flow from left to right and into the next row where they do not fit. Gives the entry's place. */
static struct legend_pen advance(struct legend_pen *pen, const char *label)
{
    int width = LEGEND_KEY + width_of(label, LONGEST_LABEL);
    if (pen->x > LEFT && pen->x + width > WIDTH - RIGHT)
        *pen = (struct legend_pen){.x = LEFT, .row = pen->row + 1};
    struct legend_pen place = *pen;
    pen->x += width + LEGEND_GAP;
    return place;
}

static int legend_rows(const struct figure_panel *panel)
{
    struct legend_pen pen = {.x = LEFT};
    int rows = 0;
    for (size_t i = 0; i < panel->line_count; i++)
        if (panel->lines[i].label[0] != '\0')
            rows = advance(&pen, panel->lines[i].label).row + 1;
    return rows;
}

static struct layout lay_out(const struct figure_panel *panel, int top)
{
    int widest = 0;
    for (size_t i = 0; i < panel->category_count; i++) {
        int width = width_of(panel->categories[i], LONGEST_TICK);
        widest = width > widest ? width : widest;
    }
    int room = panel->category_count == 0 ? WIDTH : (WIDTH - LEFT - RIGHT) / (int)panel->category_count;
    struct layout layout = {.top = top, .turned = widest > room};
    layout.legend_top = top + TOP + HEADING_ROW * (panel->title == NULL ? 1 : 2);
    layout.plot_top = layout.legend_top + HEADING_ROW * legend_rows(panel) + HEADING_GAP;
    layout.plot_bottom = layout.plot_top + PLOT_HEIGHT;
    int turned_height = layout.turned ? widest / 2 : 0; /* by 30 degrees, whose sine is 1/2 */
    layout.height = layout.plot_bottom + AXIS_SPACE + turned_height + BOTTOM - top;
    return layout;
}

/* ---- script ---- */

/* SVG is drawn where it is read, with that place's letters: so it asks for any plain ones. A PNG's points are
 * four thirds of a pixel, which its font scale takes back. */
static void write_terminal(struct buffer *script, enum figure_format format, const char *output, int height)
{
    buffer_text(script, "set encoding utf8\n");
    if (format == FIGURE_SVG) {
        buffer_printf(script,
                      "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,12' "
                      "background '#ffffff'\n",
                      WIDTH, height);
    } else { /* a gnuplot without cairo draws coarser letters, but draws */
        buffer_text(script, "pngs = strstrt(GPVAL_TERMINALS, 'pngcairo') > 0 ? 'pngcairo' : 'png'\n");
        buffer_printf(script,
                      "set terminal @pngs noenhanced size %d,%d font 'DejaVu Sans,12' fontscale %.2f "
                      "linewidth %d pointscale %d dashlength 0.6 background '#ffffff'\n",
                      WIDTH * PNG_SCALE, height * PNG_SCALE, PNG_SCALE * 0.75, PNG_SCALE, PNG_SCALE);
    }
    buffer_text(script, "set output ");
    write_quoted(script, output);
    buffer_text(script, "\n");
}

static void write_samples(struct buffer *script, const struct figure_line *line, bool only_intervals)
{
    for (size_t i = 0; i < line->count; i++) {
        const struct figure_sample *sample = &line->samples[i];
        if (!only_intervals)
            buffer_printf(script, "%.10g %.10g\n", sample->x, sample->y);
        else if (sample->low < sample->high)
            buffer_printf(script, "%.10g %.10g 0 %.10g\n", sample->x, sample->low,
                          sample->high - sample->low);
    }
}

static bool has_intervals(const struct figure_line *line)
{
    for (size_t i = 0; i < line->count; i++)
        if (line->samples[i].low < line->samples[i].high)
            return true;
    return false;
}

static void write_data(struct buffer *script, const struct figure_panel *panel)
{
    for (size_t i = 0; i < panel->line_count; i++) {
        buffer_printf(script, "$line%zu << END\n", i);
        write_samples(script, &panel->lines[i], false);
        buffer_text(script, "END\n");
        if (!has_intervals(&panel->lines[i]))
            continue;
        buffer_printf(script, "$bars%zu << END\n", i);
        write_samples(script, &panel->lines[i], true);
        buffer_text(script, "END\n");
    }
}

/* A little room beside the outermost values, as a factor. */
static void write_logarithmic_ranges(struct buffer *script, const struct figure_panel *panel, double left,
                                     double right)
{
    double top = 0, bottom = INFINITY;
    for (size_t i = 0; i < panel->line_count; i++) {
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            bottom = fmin(bottom, panel->lines[i].samples[j].low);
            top = fmax(top, panel->lines[i].samples[j].high);
        }
    }
    buffer_printf(script, "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\nset logscale xy\n", left / 1.2,
                  right * 1.2, bottom / 1.5, top * 1.5);
}

/* y begins at 0, or below where a value does, so that heights compare as they look. */
static void write_ranges(struct buffer *script, const struct figure_panel *panel)
{
    double left = INFINITY, right = -INFINITY, top = 0, bottom = 0;
    for (size_t i = 0; i < panel->line_count; i++) {
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            const struct figure_sample *sample = &panel->lines[i].samples[j];
            left = fmin(left, sample->x);
            right = fmax(right, sample->x);
            bottom = fmin(bottom, sample->low);
            top = fmax(top, fmax(sample->y, sample->high));
        }
    }
    if (panel->logarithmic) {
        write_logarithmic_ranges(script, panel, left, right);
        return;
    }
    double beside = panel->categories != NULL ? 0.5 : (right - left) * 0.03;
    if (beside == 0)
        beside = left == 0 ? 1 : fabs(left) / 2;
    if (top == bottom)
        top = 1;
    buffer_printf(script, "set xrange [%.10g:%.10g]\nset yrange [%.10g:%.10g]\n", left - beside,
                  right + beside, bottom * 1.08, top * 1.08);
}

/* A place as gnuplot counts: shares of the picture, from its lower left corner. */
static void write_place(struct buffer *script, int x, int y, int height)
{
    buffer_printf(script, "screen %.6f, screen %.6f", (double)x / WIDTH, 1 - (double)y / height);
}

static void write_headings(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                           const struct layout *layout, int height)
{
    if (panel->title != NULL) {
        int length = length_of(panel->title, 2 * LONGEST_TITLE);
        int size = length <= LONGEST_TITLE ? 15 : 15 * LONGEST_TITLE / length;
        buffer_text(script, "set label 1 ");
        write_quoted_part(script, panel->title, 2 * LONGEST_TITLE, false);
        buffer_text(script, " at ");
        write_place(script, LEFT, layout->legend_top - 3 * HEADING_ROW / 2, height);
        /* gnuplot's SVG knows bold only inside enhanced text, which recipes' texts must never be */
        buffer_printf(script, " left noenhanced font '%s,%d' textcolor rgb '" TEXT_COLOUR "'\n",
                      format == FIGURE_SVG ? "sans-serif" : "DejaVu Sans:Bold",
                      format == FIGURE_SVG ? size + 2 : size);
    }
    buffer_text(script, "set label 2 ");
    write_quoted_part(script, panel->subtitle, LONGEST_TITLE + 16, false);
    buffer_text(script, " at ");
    write_place(script, LEFT, layout->legend_top - HEADING_ROW / 2, height);
    buffer_text(script, " left noenhanced textcolor rgb '" QUIET_COLOUR "'\n");
}

/* gnuplot's own key makes columns of its widest entry; this one flows, and its height is known beforehand. */
static void write_legend(struct buffer *script, const struct figure_panel *panel, const struct layout *layout,
                         int height)
{
    struct legend_pen pen = {.x = LEFT};
    for (size_t i = 0; i < panel->line_count; i++) {
        const struct figure_line *line = &panel->lines[i];
        if (line->label[0] == '\0')
            continue;
        struct legend_pen place = advance(&pen, line->label);
        int y = layout->legend_top + place.row * HEADING_ROW + HEADING_ROW / 2;
        struct style style = style_of(line, i);
        buffer_printf(script, "set arrow %zu from ", i + 1);
        write_place(script, place.x, y, height);
        buffer_text(script, " to ");
        write_place(script, place.x + LEGEND_KEY - 8, y, height);
        buffer_printf(script, " nohead linecolor rgb '%s' linewidth 1.8 dashtype %d\n", style.colour,
                      style.dash);
        if (!line->reference) {
            buffer_printf(script, "set label %zu '' at ", 2 * i + 4);
            write_place(script, place.x + (LEGEND_KEY - 8) / 2, y, height);
            buffer_printf(script, " point linecolor rgb '%s' pointtype %d pointsize 0.75\n", style.colour,
                          style.shape);
        }
        buffer_printf(script, "set label %zu ", 2 * i + 3);
        write_quoted_part(script, line->label, LONGEST_LABEL, false);
        buffer_text(script, " at ");
        write_place(script, place.x + LEGEND_KEY, y, height);
        buffer_text(script, " left noenhanced textcolor rgb '" TEXT_COLOUR "'\n");
    }
}

static void write_ticks(struct buffer *script, const struct figure_panel *panel)
{
    buffer_text(script, "set xtics norotate noenhanced (");
    for (size_t i = 0; i < panel->tick_count; i++) {
        buffer_text(script, i == 0 ? "" : ", ");
        write_quoted_part(script, panel->tick_labels[i], LONGEST_TICK, true);
        buffer_printf(script, " %.10g", panel->ticks[i]);
    }
    buffer_text(script, ")\n");
}

static void write_axes(struct buffer *script, const struct figure_panel *panel, const struct layout *layout)
{
    buffer_text(script, "set xlabel ");
    write_quoted_part(script, panel->x_label, LONGEST_LABEL, false);
    buffer_text(script, " noenhanced offset 0,0.3\nset ylabel ");
    write_quoted_part(script, panel->y_label, LONGEST_LABEL / 2, false);
    buffer_text(script, " noenhanced\n");
    write_ranges(script, panel);
    if (panel->ticks != NULL) {
        write_ticks(script, panel);
        return;
    }
    if (panel->categories == NULL) {
        buffer_text(script, "set xtics autofreq norotate\n");
        return;
    }
    buffer_text(script, layout->turned ? "set xtics rotate by 30 right noenhanced ("
                                       : "set xtics norotate noenhanced (");
    for (size_t i = 0; i < panel->category_count; i++) {
        buffer_text(script, i == 0 ? "" : ", ");
        write_quoted_part(script, panel->categories[i], LONGEST_TICK, true);
        buffer_printf(script, " %zu", i);
    }
    buffer_text(script, ")\n");
}

/* The error bars first: markers then cover the middle of theirs. They are vectors with flat heads because
 * gnuplot's own leave a gap about the marker, which swallows short ones. */
static void write_plot(struct buffer *script, const struct figure_panel *panel)
{
    const char *separator = "plot ";
    for (size_t i = 0; i < panel->line_count; i++) {
        struct style style = style_of(&panel->lines[i], i);
        if (!has_intervals(&panel->lines[i]))
            continue;
        buffer_printf(script,
                      "%s$bars%zu using 1:2:3:4 with vectors heads size screen 0.004,90 linecolor rgb '%s' "
                      "linewidth 1.2",
                      separator, i, style.colour);
        separator = ", \\\n     ";
    }
    for (size_t i = 0; i < panel->line_count; i++) {
        struct style style = style_of(&panel->lines[i], i);
        buffer_printf(script, "%s$line%zu using 1:2 with %s linecolor rgb '%s' linewidth 1.8 dashtype %d",
                      separator, i, panel->lines[i].reference ? "lines" : "linespoints", style.colour,
                      style.dash);
        if (!panel->lines[i].reference)
            buffer_printf(script, " pointtype %d pointsize 0.75", style.shape);
        separator = ", \\\n     ";
    }
    buffer_text(script, "\n");
}

static void write_panel(struct buffer *script, const struct figure_panel *panel, enum figure_format format,
                        const struct layout *layout, int height)
{
    write_data(script, panel);
    buffer_printf(script,
                  "unset label\nunset arrow\nset lmargin at screen %.6f\nset rmargin at screen %.6f\n"
                  "set tmargin at screen %.6f\nset bmargin at screen %.6f\n",
                  (double)LEFT / WIDTH, 1 - (double)RIGHT / WIDTH, 1 - (double)layout->plot_top / height,
                  1 - (double)layout->plot_bottom / height);
    write_headings(script, panel, format, layout, height);
    write_legend(script, panel, layout, height);
    write_axes(script, panel, layout);
    write_plot(script, panel);
    if (panel->logarithmic)
        buffer_text(script, "unset logscale\n");
}

void figure_script(const struct figure *figure, enum figure_format format, const char *output,
                   struct buffer *script)
{
    int height = 0;
    for (size_t i = 0; i < figure->panel_count; i++)
        height += lay_out(&figure->panels[i], height).height;
    write_terminal(script, format, output, height);
    buffer_text(script, "set multiplot\n"
                        "unset key\n"
                        "set format '%h'\n"
                        "set border 3 linecolor rgb '#707070' linewidth 1\n"
                        "set tics out nomirror scale 0.6 textcolor rgb '" TEXT_COLOUR "'\n"
                        "set grid xtics ytics back linetype 1 linecolor rgb '#e4e4e4' linewidth 0.8\n"
                        "set xlabel textcolor rgb '" TEXT_COLOUR "'\n"
                        "set ylabel textcolor rgb '" TEXT_COLOUR "'\n");
    int top = 0;
    for (size_t i = 0; i < figure->panel_count; i++) {
        struct layout layout = lay_out(&figure->panels[i], top);
        write_panel(script, &figure->panels[i], format, &layout, height);
        top += layout.height;
    }
    buffer_text(script, "unset multiplot\nset output\n");
}
