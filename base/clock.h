/* Wall-clock time for durations: a monotonic clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since a fixed moment in the past (CLOCK_MONOTONIC). */
double clock_now_s(void);

/* Sleeps that long, also if signals arrive; not at all for 0 or less. */
void clock_rest(double seconds);

#endif
