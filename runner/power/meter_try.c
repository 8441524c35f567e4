#include "runner/power/meter_try.h"

#include "base/clock.h"

#include <math.h>

/* After the first word, which opening waits for where a meter is slow. */
static const double PATIENCE_S = 3;

static size_t take(const struct meter *meter, const double *read, double *values)
{
    size_t missing = 0;
    for (size_t i = 0; i < meter->count; i++) {
        if (isfinite(read[i]))
            values[i] = read[i];
        missing += !isfinite(values[i]);
    }
    return missing;
}

enum status meter_try(const struct meter *meter, double *values, struct error *error)
{
    void *handle;
    double read[METER_CHANNELS];
    double t_s;
    double until_s = clock_now_s() + PATIENCE_S;
    size_t missing = meter->count;
    enum status status = meter->sensor->open(&meter->request, meter->channels, meter->count, &handle, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < METER_CHANNELS; i++)
        read[i] = NAN;
    take(meter, read, values);
    while (status == STATUS_OK && missing > 0 && clock_now_s() < until_s) {
        status = meter->sensor->read(handle, &t_s, read, error);
        missing = status == STATUS_OK ? take(meter, read, values) : missing;
    }
    meter->sensor->close(handle);
    if (status == STATUS_OK && missing == meter->count)
        status = error_set(error, STATUS_UNAVAILABLE, "%s told nothing within %g s", meter->sensor->name,
                           PATIENCE_S);
    return status;
}
