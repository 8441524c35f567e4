#include "model/data/point_clock.h"

#include "base/json.h"

#include <math.h>

static const json_t *state_of(const struct dataset_row *row, const char *part)
{
    return json_object_get(json_object_get(row->point, "state"), part);
}

/* All copies of a loop run for the whole time. */
static double counted(const struct dataset_row *row)
{
    size_t copies = json_array_size(json_object_get(row->rep, "threads"));
    double hz = dataset_number(row, "counter.cycles") / row->seconds / (double)(copies > 0 ? copies : 1);
    return hz > 0 ? hz * 1e-9 : NAN;
}

double clock_seen(const struct dataset_row *row)
{
    const json_t *observed = state_of(row, "observed");
    const json_t *clock = json_object_get(observed, "clock");
    double seen = json_number_or(json_object_get(clock, "core_ghz"), "value", NAN);
    if (!(seen > 0))
        seen = json_number_or(json_object_get(observed, "gpu_clock"), "sm", NAN);
    if (!(seen > 0))
        seen = json_number_or(json_object_get(clock, "cpufreq_ghz"), "value", NAN);
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
    const json_t *wanted = state_of(row, "wanted");
    double requested = json_number_or(wanted, "frequency", json_number_or(wanted, "gpu_clock", NAN));
    for (size_t i = 0; !(requested > 0) && i < sizeof parameters / sizeof parameters[0]; i++)
        requested = parameters[i].ghz * dataset_number(row, parameters[i].name);
    return requested > 0 ? requested : NAN;
}

bool clock_missed(const struct dataset_row *row)
{
    return fabs(clock_seen(row) / clock_wished(row) - 1) > CLOCK_APART;
}
