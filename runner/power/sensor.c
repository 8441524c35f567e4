/* The table of power sensors, and the functions common to all that have an energy counter. */
#include "runner/power/sensor.h"

#include <math.h>
#include <string.h>

const struct sensor_quantity_name sensor_quantities[SENSOR_QUANTITIES] = {
    {"energy", "J"}, {"power", "W"}, {"temperature", "C"}, {"clock", "Hz"}};

const struct power_sensor *const power_sensors[] = {&power_powercap,  &power_perf, &power_hwmon,
                                                    &power_hwmon_gpu, &power_nvml, &power_thermometer,
                                                    &power_34401a,    &power_line, NULL};

const struct power_sensor *sensor_find(const char *name)
{
    for (size_t i = 0; power_sensors[i] != NULL; i++)
        if (strcmp(power_sensors[i]->name, name) == 0)
            return power_sensors[i];
    return NULL;
}

bool sensor_measures_power(const struct sensor_channel *channel)
{
    return (channel->quantity == SENSOR_POWER || channel->quantity == SENSOR_ENERGY) &&
           channel->why_not[0] == '\0';
}

double sensor_settled_s(const struct sensor_known *known)
{
    static const double SETTLED = 0.005;
    return known->window_s > 0 ? known->lag_s + known->window_s * (known->exponential ? -log(SETTLED) : 1)
                               : 0;
}

static bool is_platform(const struct sensor_channel *channel)
{
    return channel->whole && strstr(channel->label, "psys") != NULL;
}

void sensor_leave_out_platform(struct sensor_channel *channels, size_t count)
{
    bool packages = false;
    for (size_t i = 0; i < count; i++)
        packages = packages || (channels[i].whole && !is_platform(&channels[i]));
    for (size_t i = 0; packages && i < count; i++)
        if (is_platform(&channels[i])) {
            channels[i].whole = false;
            channels[i].spare = true;
        }
}

double sensor_energy_difference(const struct sensor_channel *channel, double before, double after)
{
    if (after >= before)
        return after - before;
    /* If a counter that does not wrap fell, it was reset: the energy in between is unknown. */
    return channel->wrap_j > 0 ? after + channel->wrap_j - before : NAN;
}
