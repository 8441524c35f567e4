/* The table of power sensors, and what is the same for all that have an energy counter. */
#include "runner/power/sensor.h"

#include <math.h>

const struct power_sensor *const power_sensors[] = {&power_powercap, NULL};

double sensor_energy_difference(const struct sensor_channel *channel, double before, double after)
{
    if (after >= before)
        return after - before;
    /* A counter that does not wrap and still fell was reset in between: what passed is not known. */
    return channel->wrap_j > 0 ? after + channel->wrap_j - before : NAN;
}
