#include "model/data/point_clock.h"

#include <math.h>

/* All copies of a loop run for the whole time. */
static double counted(const struct dataset_row *row)
{
    double hz = dataset_number(row, "counter.cycles") / row->seconds / (double)row->rep->copies;
    return hz > 0 ? hz * 1e-9 : NAN;
}

double clock_seen(const struct dataset_row *row)
{
    double seen = row->point->state.core_ghz;
    if (!(seen > 0))
        seen = row->point->state.gpu_ghz;
    if (!(seen > 0))
        seen = row->point->state.cpufreq_ghz;
    return seen > 0 ? seen : counted(row);
}

double clock_wished(const struct dataset_row *row)
{
    static const struct {
        const char *name;
        double ghz;
    } parameters[] = {{"parameter.ghz", 1},
                      {"parameter.frequency", 1},
                      {"parameter.mhz", 1e-3},
                      {"parameter.frequency_ghz", 1}};
    double requested = row->point->state.wanted_ghz;
    for (size_t i = 0; !(requested > 0) && i < sizeof parameters / sizeof parameters[0]; i++)
        requested = parameters[i].ghz * dataset_number(row, parameters[i].name);
    return requested > 0 ? requested : NAN;
}

bool clock_missed(const struct dataset_row *row)
{
    return fabs(clock_seen(row) / clock_wished(row) - 1) > CLOCK_APART;
}
