/* What a line of a plain meter says: columns of watts, volts, amperes, the meter's own time. Text and
 * arithmetic alone; any bytes may come. */
#ifndef RUNNER_POWER_LINE_TEXT_H
#define RUNNER_POWER_LINE_TEXT_H

#include "base/error.h"
#include "runner/power/request.h"

#include <stddef.h>

enum { LINE_COLUMNS_MOST = 16 };

enum line_quantity { LINE_OTHER, LINE_WATTS, LINE_VOLTS, LINE_AMPERES, LINE_SECONDS, LINE_QUANTITIES };

struct line_column {
    const char *word; /* "ma", as columns= has it */
    enum line_quantity quantity;
    double unit; /* of W, V, A or s */
};

struct line_format {
    const struct line_column *columns[LINE_COLUMNS_MOST];
    size_t count;
    double volts; /* of the rail where no column tells; 0: a column does, or watts */
    double scale; /* of the watts */
};

/* Reads columns=, volts= and scale=. Without columns= a line is watts, or with volts= amperes. STATUS_USAGE
 * when they do not come to watts. */
enum status line_format_read(const struct sensor_request *request, struct line_format *format,
                             struct error *error);

enum line_kind {
    LINE_EMPTY,
    LINE_READING,
    LINE_MISSING,       /* the meter says that it has no reading: nan, inf, an empty column */
    LINE_NOT_NUMBERS,   /* a heading, half a line, noise; or not as many columns as expected */
    LINE_DECIMAL_COMMA, /* 12,5: whether that is one number or two cannot be told */
};

struct line_reading {
    double watts;   /* NAN where missing */
    double meter_s; /* the meter's own clock; NAN when it tells none */
};

/* Columns are parted by spaces, tabs, commas or semicolons; there must be as many as the format has. */
enum line_kind line_read(const struct line_format *format, const char *text, size_t length,
                         struct line_reading *reading);

#endif
