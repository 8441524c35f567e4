/* When the readings of a line meter were taken, on our clock: by their arrival, or by the meter's own clock.
 */
#ifndef RUNNER_POWER_LINE_CLOCK_H
#define RUNNER_POWER_LINE_CLOCK_H

#include "runner/power/line_text.h"

#include <stdbool.h>
#include <stddef.h>

enum { LINE_CLOCK_SPANS = 15 };

/* All zeros is one that has seen nothing. */
struct line_clock {
    bool arrived; /* arrival_s is known */
    double arrival_s;
    double spans_s[LINE_CLOCK_SPANS]; /* from line to line, the last few */
    size_t span_count;
    bool aligned;    /* the next three are known */
    double offset_s; /* from the meter's clock to ours, by the least latency */
    double meter_s, meter_arrival_s;
};

/* Sets times_s[count] of readings that came at once, in this order. Without the meter's clock the last is
 * taken to have come when it did, and those before it at the usual distance, but not before the last arrival:
 * a writer that collects its lines sends many at once. Of the very first lines all but the last have no time
 * (NAN).
 *
 * With the meter's clock its distances are used. Its zero is where the latency was least; as its clock may be
 * slow by LINE_CLOCK_DRIFT of the time, the zero creeps up by as much until a reading says otherwise. A clock
 * that goes back (a meter that began anew, a counter that overflowed) is aligned anew. */
void line_clock_stamp(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                      size_t count, double *times_s);

extern const double LINE_CLOCK_DRIFT;

#endif
