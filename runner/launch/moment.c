#include "runner/launch/moment.h"

#include "base/clock.h"
#include "isa/isa.h"

#include <math.h>

struct moment moment_now(void)
{
    const struct isa *isa = isa_of_host();
    struct moment now = {0};
    double before_s = clock_now_s();
    if (isa != NULL)
        now.ticks = isa->host->ticks();
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

double moment_ticks_per_s(const struct moment *before, const struct moment *after)
{
    return (double)(int64_t)(after->ticks - before->ticks) / (after->s - before->s);
}
