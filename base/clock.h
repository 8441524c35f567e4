/* Wall-clock time for durations: a monotonic clock. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since a fixed moment in the past (CLOCK_MONOTONIC). */
double clock_now_s(void);

#endif
