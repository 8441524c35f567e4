/* The times of a line meter's readings on our clock: from their arrival, or from the meter's own clock. */
#ifndef RUNNER_POWER_METERS_LINE_CLOCK_H
#define RUNNER_POWER_METERS_LINE_CLOCK_H

#include "runner/power/meters/line_text.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINE_CLOCK_SPANS = 15 };

/* All zeros: nothing received yet. */
struct line_clock {
    bool arrived; /* arrival_s is known */
    double arrival_s;
    double spans_s[LINE_CLOCK_SPANS]; /* between lines, the last few */
    size_t span_count;
    bool aligned;    /* the next three are known */
    double offset_s; /* from the meter's clock to ours, at minimum latency */
    double meter_s, meter_arrival_s;
};

/* Sets times_s[count] of readings that arrived together, in this order. Without the meter's clock, the last
 * reading's time is its arrival, and those before it are at the usual distance, but not before the last
 * arrival: a writer that buffers its lines sends many at once. Of the very first lines, all but the last have
 * no time (NAN). With the meter's clock, its distances apply. Its zero is where the latency was least. As its
 * clock may be slow by LINE_CLOCK_DRIFT of the time, the zero advances at that rate until a reading corrects
 * it. A clock that goes back (a restarted meter, an overflowed counter) is aligned anew. */
void line_clock_stamp(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                      size_t count, double *times_s);

extern const double LINE_CLOCK_DRIFT;

#endif
