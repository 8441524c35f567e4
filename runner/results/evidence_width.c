#include "runner/results/evidence_width.h"

#include "isa/isa.h"

#include <math.h>

/* The relative error of the additions per cycle, by the ends of both loops, is smaller. */
static const double CLOSE = 0.025;

static unsigned least_width(void)
{
    const struct isa *isa = isa_of_host();
    return isa == NULL || isa->host == NULL ? 0 : isa->host->least_width;
}

double evidence_width_of(double additions)
{
    double nearest = round(additions);
    return nearest > 0 && nearest >= least_width() && fabs(additions - nearest) <= CLOSE * nearest ? nearest
                                                                                                   : 0;
}

bool evidence_width_is_shared(double additions, double width)
{
    return least_width() > 0 && (width == 0 || additions < (1 - 2 * CLOSE) * width);
}
