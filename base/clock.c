#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <time.h>

double clock_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void clock_rest(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
    while (seconds > 0 && nanosleep(&pause, &pause) != 0 && errno == EINTR)
        ;
}
