#include "runner/measure/protocol.h"

#include "base/json.h"
#include "base/json/field_json.h"

#include <math.h>

enum { DEFAULT_REPS = 5 };
static const double DEFAULT_TIME_S = 0.05;
static const double DEFAULT_IDLE_S = 1;
static const double DEFAULT_WAIT_S = 300;

/* Unless the time is given: long enough for the available sensor, at most ten seconds. */
static const double DEFAULT_PRECISION = 0.02;
static const double DEFAULT_LONGEST_S = 10;

/* Without a sensor, an idle interval yields no data. */
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
    static const struct field_row rows[] = {
        FIELD_ROW(protocol, "warmup", FIELD_NUMBER, warmup_s),
        FIELD_ROW(protocol, "idle_before", FIELD_NUMBER, idle_s),
        FIELD_ROW(protocol, "idle_after", FIELD_NUMBER, idle_after_s),
        FIELD_ROW(protocol, "cooling", FIELD_NUMBER, cooling_s),
        FIELD_ROW(protocol, "temperature_below", FIELD_NUMBER, temperature_below),
        FIELD_ROW(protocol, "wait", FIELD_NUMBER, wait_s),
        FIELD_ROW(protocol, "subtract_start", FIELD_FLAG, subtract_start),
        FIELD_GIVEN(protocol, "time", FIELD_NUMBER, time_s, timed),
        FIELD_ROW(protocol, "precision", FIELD_NUMBER, precision),
        FIELD_ROW(protocol, "time_limit", FIELD_NUMBER, longest_s),
        {0}};
    struct fields_reader reader = {.what = "", .kind = ""}; /* recipes are checked when they are read */
    struct protocol chosen = {.idle_s = sensors == PROTOCOL_POWER ? DEFAULT_IDLE_S : 0,
                              .temperature_below = NAN,
                              .wait_s = DEFAULT_WAIT_S,
                              .time_s = DEFAULT_TIME_S,
                              .precision = NAN,
                              .longest_s = DEFAULT_LONGEST_S};
    fields_read(&reader, measure, NULL, rows, &chosen);
    double reps = request->reps > 0 ? request->reps : json_number_or(measure, "reps", DEFAULT_REPS);
    chosen.reps = reps < 1 ? 1 : (unsigned)reps;
    if (request->time_s > 0) {
        chosen.time_s = chosen.longest_s = request->time_s;
        chosen.timed = true;
    }
    if (isnan(chosen.precision))
        chosen.precision = chosen.timed ? 0 : DEFAULT_PRECISION;
    if (sensors == PROTOCOL_NO_SENSOR)
        leave_out_idle(&chosen, idles);
    return chosen;
}

double protocol_seconds(const struct protocol *protocol)
{
    return protocol->cooling_s + protocol->idle_s + protocol->warmup_s +
           protocol->time_s * (protocol->reps + 1) + protocol->idle_after_s;
}
