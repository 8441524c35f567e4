/* A figure: panels of lines or bars that gnuplot can draw (figure_draw.h), and warnings about data that
 * cannot be drawn. Texts from recipes are kept unchanged; figure_script quotes them. */
#ifndef REPORT_FIGURE_FIGURE_H
#define REPORT_FIGURE_FIGURE_H

#include "base/arena.h"
#include "base/buffer.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct figure_sample {
    double x, y;
    double low, high;     /* the interval of y; both equal y if the value is exact; NAN: there is none */
    double x_low, x_high; /* of x; both 0 without an interval */
    double base;          /* of a bar: its lower end; for stacked bars the upper end of the bar below */
    const char *doubt;    /* why it is marked, drawn hollow with a "?"; NULL: it is not */
};

enum figure_kind {
    FIGURE_LINES, /* markers, joined */
    FIGURE_POINTS,
    FIGURE_BARS,
    FIGURE_STACKED,
    FIGURE_MAP, /* a row of cells for each line, a column for each category; y is a cell's colour */
};

/* The number of lines that a legend names. Further lines have no colours of their own. */
enum { FIGURE_LEGEND = 105 };

/* The colour of a curve that belongs to no particular line. */
#define FIGURE_GREY ((size_t)-1)

struct figure_line {
    const char *label; /* "dependents = 0"; "" when the panel's only line needs none */
    bool reference;    /* a model's or a fit's curve, not observations */
    bool right;        /* belongs to the axis on the right */
    size_t colour;     /* index of its colour and marker */
    const struct figure_sample *samples;
    size_t count;
};

/* The start of a phase on x. */
struct figure_mark {
    double x;
    const char *label;
};

/* The place of a processor; all -1: unknown. */
struct figure_unit {
    int socket, cluster, core;
};

struct figure_panel {
    const char *title;    /* NULL: a panel above belongs to the same plot and shows the title */
    const char *heading;  /* the panel's title when it is shown alone; never NULL */
    const char *subtitle; /* the kind of evidence and the machine */
    const char *x_label;
    const char *y_label;
    const char *colour_label; /* of a map: the label of its scale of colours */
    const char *right_label;  /* NULL: no right axis */
    const char **categories;  /* x is an index into them; NULL: x is a number */
    size_t category_count;
    const struct figure_unit *units; /* of a map of processors: the place of each category; NULL: none */
    bool every_name;                 /* a map turns names if there is no room, instead of leaving some out */
    const double *ticks;             /* positions and labels of the marks on x; NULL: gnuplot chooses */
    const char **tick_labels;
    size_t tick_count;
    const struct figure_mark *marks; /* sorted by x */
    size_t mark_count;
    const char **doubts; /* below the legend: "? all repetitions were disturbed (2 of 11 points)" */
    size_t doubt_count;
    enum figure_kind kind;
    bool plain;                /* lines without markers, because there are too many samples */
    bool narrow;               /* for half of a page; a figure's panels have one width */
    bool from_zero;            /* y starts at 0, or lower if a value is negative */
    bool x_is_log, y_is_log;   /* all values on the axis are above 0 */
    bool x_is_bytes;           /* sizes: marks in KiB and MiB */
    struct figure_line *lines; /* at least one; observations first */
    size_t line_count;
};

/* All zeros is an empty figure. Owns everything that it points to. */
struct figure {
    struct arena arena;
    struct figure_panel *panels;
    size_t panel_count;
    struct buffer warnings; /* a line for each thing that cannot be drawn, with the reason */
};

/* Adds a panel, all zeros except heading ("") and from_zero. The pointer is valid until the next call. */
struct figure_panel *figure_add_panel(struct figure *figure);

/* Adds a line of warning. */
__attribute__((format(printf, 3, 4))) void figure_warn(struct figure *figure, const char *benchmark,
                                                       const char *format, ...);

void figure_free(struct figure *figure);

#endif
