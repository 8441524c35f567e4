#include "runner/measure/protocol.h"

#include "base/json.h"

#include <math.h>

enum { DEFAULT_REPS = 5 };
static const double DEFAULT_TIME_S = 0.05;
static const double DEFAULT_IDLE_S = 1;
static const double DEFAULT_WAIT_S = 300;

/* Unless the time is given: long enough for the available sensor, at most ten seconds. */
static const double DEFAULT_PRECISION = 0.02;
static const double DEFAULT_LONGEST_S = 10;

/* Without a sensor, an interval gives no data, however long it is. */
static void leave_out_idle(struct protocol *protocol, bool idles)
{
    protocol->idle_left_out_s = protocol->idle_s + protocol->idle_after_s;
    protocol->idle_s = protocol->idle_after_s = 0;
    if (!idles || protocol->time_s <= DEFAULT_TIME_S)
        return;
    protocol->idle_left_out_s += (protocol->time_s - DEFAULT_TIME_S) * protocol->reps;
    protocol->time_s = DEFAULT_TIME_S;
}

struct protocol protocol_choose(const json_t *measure, const struct protocol_request *request, bool idles,
                                enum protocol_sensors sensors)
{
    bool power = sensors == PROTOCOL_POWER;
    struct protocol chosen = {.warmup_s = json_number_or(measure, "warmup", 0),
                              .idle_s = json_number_or(measure, "idle_before", power ? DEFAULT_IDLE_S : 0),
                              .idle_after_s = json_number_or(measure, "idle_after", 0),
                              .cooling_s = json_number_or(measure, "cooling", 0),
                              .temperature_below = json_number_or(measure, "temperature_below", NAN),
                              .wait_s = json_number_or(measure, "wait", DEFAULT_WAIT_S),
                              .subtract_start = json_is_true(json_object_get(measure, "subtract_start"))};
    bool given = request->time_s > 0 || json_object_get(measure, "time") != NULL;
    double reps = request->reps > 0 ? request->reps : json_number_or(measure, "reps", DEFAULT_REPS);
    chosen.timed = given;
    chosen.time_s = request->time_s > 0 ? request->time_s : json_number_or(measure, "time", DEFAULT_TIME_S);
    chosen.reps = reps < 1 ? 1 : (unsigned)reps;
    chosen.precision = json_number_or(measure, "precision", given ? 0 : DEFAULT_PRECISION);
    chosen.longest_s =
        request->time_s > 0 ? request->time_s : json_number_or(measure, "time_limit", DEFAULT_LONGEST_S);
    if (sensors == PROTOCOL_NO_SENSOR)
        leave_out_idle(&chosen, idles);
    return chosen;
}

double protocol_seconds(const struct protocol *protocol)
{
    return protocol->cooling_s + protocol->idle_s + protocol->warmup_s +
           protocol->time_s * (protocol->reps + 1) + protocol->idle_after_s;
}
