/* The positions of a figure's parts, in pixels of the SVG; a PNG has PNG_SCALE times as many. */
#ifndef REPORT_FIGURE_FIGURE_LAYOUT_H
#define REPORT_FIGURE_FIGURE_LAYOUT_H

#include "report/figure/figure.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    WIDTH = 900,
    LEFT = 84,
    RIGHT = 36,
    RIGHT_AXIS = 84, /* replaces RIGHT if there is a right axis */
    TOP = 10,
    HEADING_ROW = 24, /* title, subtitle or a row of the legend */
    HEADING_GAP = 12, /* between them and the plot */
    MARK_ROW = 16,    /* names of phases above the plot */
    MARK_ROWS = 3,
    PLOT_HEIGHT = 330,
    MAP_ROW = 40, /* height of a map's row, unless its height is at one of its limits */
    MAP_LEAST = 130,
    MAP_MOST = 720,
    MAP_CELL = 40,     /* width that a cell's number needs */
    MAP_COLOURS = 120, /* replaces RIGHT: the colours' scale */
    AXIS_SPACE = 58,   /* tick labels and the name of x */
    BOTTOM = 12,
    LEGEND_KEY = 34, /* the line sample before a legend's text */
    LEGEND_GAP = 16,
    PNG_SCALE = 2,
};

enum { LONGEST_TITLE = 84, LONGEST_LABEL = 72, LONGEST_TICK = 24, LONGEST_TURNED = 18, LONGEST_MARK = 24 };

struct figure_layout {
    int top; /* of the panel, including its title */
    int legend_top;
    int doubts_top; /* a row for each reason why samples are marked */
    int plot_top;
    int plot_bottom;
    int plot_right; /* pixels from the left */
    int height;
    double x_from, x_to; /* the ends of the x axis; their logarithms if it is logarithmic */
    bool turned;         /* category names are rotated because they exceed the axis's width */
};

/* A position in a legend. */
struct legend_place {
    int x;
    int row;
};

struct figure_layout figure_lay_out(const struct figure_panel *panel, int top);

/* Places the next entry: left to right, continuing on the next row if it does not fit. cursor: the end of the
 * last entry; {LEFT, 0} at first. */
struct legend_place figure_advance(const struct figure_panel *panel, struct legend_place *cursor,
                                   const char *label);

/* Chooses the row above the plot for each mark's name, 0 the lowest; -1 if there is no room. rows has one
 * element per mark; returns the number of rows. */
int figure_place_marks(const struct figure_panel *panel, const struct figure_layout *layout, int *rows);

/* The position of x, in pixels from the left. */
double figure_pixel(const struct figure_layout *layout, const struct figure_panel *panel, double x);

#endif
