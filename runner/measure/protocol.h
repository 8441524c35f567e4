/* How a point is measured (DESIGN.md sections 4 and 8): from its recipe's measure = {...} and the command
 * line, with defaults for the rest. */
#ifndef RUNNER_MEASURE_PROTOCOL_H
#define RUNNER_MEASURE_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>

struct protocol {
    double time_s; /* of one repetition's loop */
    bool timed;    /* the recipe or the command line states this time */
    unsigned reps;
    double warmup_s;          /* running time of the loop before the first repetition */
    double idle_s;            /* idle time before the warm-up, to read the static power */
    double idle_after_s;      /* idle time after the last repetition */
    double cooling_s;         /* rest before all that */
    double temperature_below; /* degrees Celsius to cool down to before all that; NAN: do not wait */
    double wait_s;            /* the longest wait for that temperature */
    double precision;         /* relative, of a repetition's energy; 0: not requested */
    double longest_s;         /* limit to which a repetition is extended for the precision */
    double idle_left_out_s;   /* idle time that is skipped because there is no sensor to read */
    bool subtract_start;      /* subtract the energy of a run with no passes (2024 paper, section 3.2) */
};

/* From the command line; 0: not given. */
struct protocol_request {
    double time_s, reps;
};

/* Which sensors can be read in idle time. */
enum protocol_sensors { PROTOCOL_NO_SENSOR, PROTOCOL_OTHER_SENSOR, PROTOCOL_POWER };

/* measure: that of the point's recipe; may be NULL. idles: the point runs no copy and measures the idle
 * machine. Without sensors, idle intervals are skipped. */
struct protocol protocol_choose(const json_t *measure, const struct protocol_request *request, bool idles,
                                enum protocol_sensors sensors);

/* Approximate duration of a point, without waits. */
double protocol_seconds(const struct protocol *protocol);

#endif
