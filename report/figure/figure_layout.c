#include "report/figure/figure_layout.h"

#include "base/memory.h"
#include "report/figure/figure_text.h"

#include <math.h>
#include <stdlib.h>

struct legend_place figure_advance(const struct figure_panel *panel, struct legend_place *cursor,
                                   const char *label)
{
    int width = LEGEND_KEY + figure_width(label, LONGEST_LABEL);
    if (cursor->x > LEFT && cursor->x + width > WIDTH - (panel->right_label != NULL ? RIGHT_AXIS : RIGHT))
        *cursor = (struct legend_place){.x = LEFT, .row = cursor->row + 1};
    struct legend_place place = *cursor;
    cursor->x += width + LEGEND_GAP;
    return place;
}

/* A map's lines are named beside its rows. */
static int legend_rows(const struct figure_panel *panel)
{
    struct legend_place cursor = {.x = LEFT};
    int rows = 0;
    if (panel->kind == FIGURE_MAP)
        return 0;
    for (size_t i = 0; i < panel->line_count && i < FIGURE_LEGEND; i++)
        if (panel->lines[i].label[0] != '\0')
            rows = figure_advance(panel, &cursor, panel->lines[i].label).row + 1;
    return rows;
}

/* A small margin around the outermost values. */
static void find_x_range(const struct figure_panel *panel, struct figure_layout *layout)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < panel->line_count; i++)
        for (size_t j = 0; j < panel->lines[i].count; j++) {
            const struct figure_sample *sample = &panel->lines[i].samples[j];
            bool wide = sample->x_low < sample->x_high && !(panel->x_is_log && sample->x_low <= 0);
            low = fmin(low, wide ? sample->x_low : sample->x);
            high = fmax(high, wide ? sample->x_high : sample->x);
        }
    if (panel->mark_count > 0) { /* including what begins before the first sample and ends after the last */
        low = fmin(low, panel->marks[0].x);
        high = fmax(high, panel->marks[panel->mark_count - 1].x);
    }
    if (panel->x_is_log) {
        layout->x_from = log10(low / 1.2);
        layout->x_to = log10(high * 1.2);
        return;
    }
    if (panel->kind == FIGURE_MAP) {
        low = 0;
        high = (double)panel->category_count - 1;
    }
    double beside = panel->categories != NULL ? 0.5 : (high - low) * (panel->plain ? 0 : 0.03);
    if (panel->categories == NULL && high == low)
        beside = low == 0 ? 1 : fabs(low) / 2;
    layout->x_from = low - beside;
    layout->x_to = high + beside;
}

double figure_pixel(const struct figure_layout *layout, const struct figure_panel *panel, double x)
{
    double at = panel->x_is_log ? log10(x) : x;
    return LEFT + (layout->plot_right - LEFT) * (at - layout->x_from) / (layout->x_to - layout->x_from);
}

/* From last to first: a name that extends over later marks is placed above theirs, so that no mark's line
 * crosses a name. */
int figure_place_marks(const struct figure_panel *panel, const struct figure_layout *layout, int *rows)
{
    int used = 0;
    for (size_t i = panel->mark_count; i-- > 0;) {
        double x = figure_pixel(layout, panel, panel->marks[i].x);
        double end = x + figure_width(panel->marks[i].label, LONGEST_MARK) + 8;
        rows[i] = 0;
        for (size_t j = i + 1; j < panel->mark_count; j++) {
            if (figure_pixel(layout, panel, panel->marks[j].x) >= end)
                break;
            rows[i] = rows[j] + 1 > rows[i] ? rows[j] + 1 : rows[i];
        }
        if (rows[i] >= MARK_ROWS || x < LEFT - 1 || end > WIDTH)
            rows[i] = -1;
        used = rows[i] + 1 > used ? rows[i] + 1 : used;
    }
    return used;
}

static int mark_rows(const struct figure_panel *panel, const struct figure_layout *layout)
{
    if (panel->mark_count == 0)
        return 0;
    int *rows = memory_zeroed(panel->mark_count, sizeof *rows);
    int count = figure_place_marks(panel, layout, rows);
    free(rows);
    return count;
}

static int plot_height(const struct figure_panel *panel)
{
    int rows = MAP_ROW * (int)(panel->line_count < MAP_MOST ? panel->line_count : MAP_MOST);
    if (panel->kind != FIGURE_MAP)
        return PLOT_HEIGHT;
    return rows < MAP_LEAST ? MAP_LEAST : rows > MAP_MOST ? MAP_MOST : rows;
}

struct figure_layout figure_lay_out(const struct figure_panel *panel, int top)
{
    int widest = 0;
    for (size_t i = 0; i < panel->category_count; i++) {
        int width = figure_width(panel->categories[i], LONGEST_TICK);
        widest = width > widest ? width : widest;
    }
    bool map = panel->kind == FIGURE_MAP;
    struct figure_layout layout = {.top = top,
                                   .plot_right = WIDTH - (map                          ? MAP_COLOURS
                                                          : panel->right_label != NULL ? RIGHT_AXIS
                                                                                       : RIGHT)};
    int room = panel->category_count == 0 ? WIDTH : (layout.plot_right - LEFT) / (int)panel->category_count;
    find_x_range(panel, &layout);
    layout.turned = widest > room && !map; /* a map leaves names out instead */
    layout.legend_top = top + TOP + HEADING_ROW * (panel->title == NULL ? 1 : 2);
    layout.doubts_top = layout.legend_top + HEADING_ROW * legend_rows(panel);
    layout.plot_top = layout.doubts_top + HEADING_ROW * (int)panel->doubt_count + HEADING_GAP +
                      MARK_ROW * mark_rows(panel, &layout);
    layout.plot_bottom = layout.plot_top + plot_height(panel);
    int turned_height = layout.turned ? widest / 2 : 0; /* by 30 degrees, whose sine is 1/2 */
    layout.height = layout.plot_bottom + AXIS_SPACE + turned_height + BOTTOM - top;
    return layout;
}
