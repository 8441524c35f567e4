/* Parses a line of a plain meter: columns of watts, volts, amperes, the meter's own time. Pure text and
 * arithmetic; accepts any bytes. */
#ifndef RUNNER_POWER_METERS_LINE_TEXT_H
#define RUNNER_POWER_METERS_LINE_TEXT_H

#include "base/error.h"
#include "runner/power/sensor_request.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINE_COLUMNS_MOST = 16 };

enum line_quantity { LINE_OTHER, LINE_WATTS, LINE_VOLTS, LINE_AMPERES, LINE_SECONDS, LINE_QUANTITIES };

struct line_column {
    const char *word; /* "ma", as in columns= */
    enum line_quantity quantity;
    double unit; /* in W, V, A or s */
};

struct line_format {
    const struct line_column *columns[LINE_COLUMNS_MOST];
    size_t count;
    double volts; /* of the rail, from volts=; 0: a column has volts or watts */
    double scale; /* of the watts */
};

/* Reads columns=, volts= and scale=. Without columns= a line is watts, or with volts= amperes. STATUS_USAGE
 * when they do not yield watts. */
enum status line_format_read(const struct sensor_request *request, struct line_format *format,
                             struct error *error);

enum line_kind {
    LINE_EMPTY,
    LINE_READING,
    LINE_MISSING,       /* the meter reports no reading: nan, inf, an empty column */
    LINE_NOT_NUMBERS,   /* a heading, a partial line, noise; or the wrong number of columns */
    LINE_DECIMAL_COMMA, /* 12,5: ambiguous between one number and two */
};

struct line_reading {
    double watts;   /* NAN if missing */
    double meter_s; /* the meter's own clock; NAN if it has none */
};

/* Columns are separated by spaces, tabs, commas or semicolons; their number must match the format. */
enum line_kind line_read(const struct line_format *format, const char *text, size_t length,
                         struct line_reading *reading);

/* ---- the times of lines ---- */

/* The times of a line meter's readings on this machine's clock, from their arrival or from the meter's own
 * clock. */

enum { LINE_CLOCK_SPANS = 15 };

/* All zeros: nothing received yet. */
struct line_clock {
    bool arrived; /* arrival_s is known */
    double arrival_s;
    double spans_s[LINE_CLOCK_SPANS]; /* between lines, the last few */
    size_t span_count;
    bool aligned;    /* the next three are known */
    double offset_s; /* from the meter's clock to this machine's, at minimum latency */
    double meter_s, meter_arrival_s;
};

/* Sets times_s[count] of readings that arrived together, in this order.
 * Without the meter's clock, the last reading's time is its arrival, and the others are before it at the
 * usual distance, but after the previous arrival: a writer that buffers its lines sends many at once. Of the
 * very first lines, all but the last have no time (NAN). With the meter's clock, its distances apply, and its
 * offset is that of the least latency. Because the clock may be slow by LINE_CLOCK_DRIFT, the offset grows at
 * that rate until a reading corrects it. A clock that goes back (a restarted meter, an overflowed counter) is
 * aligned again. */
void line_clock_stamp(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                      size_t count, double *times_s);

extern const double LINE_CLOCK_DRIFT;

#endif
