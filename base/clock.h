/* Wall-clock time for durations: a clock that only goes forward. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some moment in the past, the same one for all calls of a process (CLOCK_MONOTONIC). */
double clock_now_s(void);

#endif
