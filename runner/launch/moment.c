#include "runner/launch/moment.h"

#include "base/clock.h"

#include <math.h>

struct moment moment_now(void)
{
    struct moment now;
    double before_s = clock_now_s();
    now.ticks = __builtin_ia32_rdtsc();
    now.s = (before_s + clock_now_s()) / 2;
    return now;
}

double moment_at(const struct moment *before, const struct moment *after, uint64_t ticks)
{
    double between = (double)(int64_t)(after->ticks - before->ticks);
    if (!(between > 0))
        return NAN;
    return before->s + (after->s - before->s) * (double)(int64_t)(ticks - before->ticks) / between;
}
