#include "runner/power/meters/line_clock.h"

#include "base/stats.h"

#include <math.h>

const double LINE_CLOCK_DRIFT =
    0.01; /* a microcontroller's ceramic resonator is accurate to within half of this */

static double usual_span_s(struct line_clock *clock, double span_s)
{
    clock->spans_s[clock->span_count++ % LINE_CLOCK_SPANS] = span_s;
    size_t kept = clock->span_count < LINE_CLOCK_SPANS ? clock->span_count : LINE_CLOCK_SPANS;
    return fmin(span_s, stats_median(clock->spans_s, kept));
}

static void stamp_arrivals(struct line_clock *clock, double arrival_s, size_t count, double *times_s)
{
    double step_s =
        clock->arrived ? usual_span_s(clock, fmax(0, arrival_s - clock->arrival_s) / (double)count) : NAN;
    for (size_t i = 0; i + 1 < count; i++)
        times_s[i] = arrival_s - (double)(count - 1 - i) * step_s;
    times_s[count - 1] = arrival_s;
}

static void set_times(double offset_s, const struct line_reading *readings, size_t from, size_t to,
                      double *times_s)
{
    for (size_t i = from; i < to; i++)
        times_s[i] = readings[i].meter_s + offset_s;
}

/* All readings of the arrival adjust the zero before the first one gets its time: the last one had the lowest
 * latency. */
static void stamp_meter(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                        size_t count, double *times_s)
{
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        double latest_s = arrival_s - readings[i].meter_s;
        if (isnan(readings[i].meter_s))
            continue;
        if (clock->aligned && readings[i].meter_s < clock->meter_s) {
            set_times(clock->offset_s, readings, first, i, times_s);
            first = i;
            clock->aligned = false;
        }
        double creep_s = LINE_CLOCK_DRIFT * (arrival_s - clock->meter_arrival_s);
        clock->offset_s = clock->aligned ? fmin(clock->offset_s + creep_s, latest_s) : latest_s;
        clock->aligned = true;
        clock->meter_s = readings[i].meter_s;
        clock->meter_arrival_s = arrival_s;
    }
    set_times(clock->offset_s, readings, first, count, times_s);
}

void line_clock_stamp(struct line_clock *clock, double arrival_s, const struct line_reading *readings,
                      size_t count, double *times_s)
{
    bool has_clock = false;
    if (count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        has_clock = has_clock || !isnan(readings[i].meter_s);
    if (has_clock)
        stamp_meter(clock, arrival_s, readings, count, times_s);
    else
        stamp_arrivals(clock, arrival_s, count, times_s);
    clock->arrived = true;
    clock->arrival_s = arrival_s;
}
