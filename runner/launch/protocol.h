/* How a point is measured (DESIGN.md sections 4 and 8): what its recipe's measure = {...} and the command
 * line say, with what is usual for the rest. */
#ifndef RUNNER_LAUNCH_PROTOCOL_H
#define RUNNER_LAUNCH_PROTOCOL_H

#include <jansson.h>
#include <stdbool.h>

struct protocol {
    double time_s; /* of one repetition's loop */
    unsigned reps;
    double warmup_s;          /* of running the loop before the first repetition */
    double idle_s;            /* of nothing before the warm-up, to read the static power */
    double idle_after_s;      /* of nothing after the last repetition */
    double cooling_s;         /* of rest before all that */
    double temperature_below; /* degrees Celsius that are waited for, too; NAN: none */
    double wait_s;            /* and how long at most */
    double precision;         /* relative, of a repetition's energy; 0: not asked for */
    double longest_s;         /* up to which a repetition is made longer for the precision */
    double idle_left_out_s;   /* of nothing that is not waited for, as no sensor would be read meanwhile */
    bool subtract_start; /* energy is what a run takes beyond one of no passes (2024 paper, section 3.2) */
};

/* What the command line says; 0: nothing. */
struct protocol_wishes {
    double time_s, reps;
};

/* What there is to read while nothing runs. */
enum protocol_sensors { PROTOCOL_NO_SENSOR, PROTOCOL_OTHER_SENSOR, PROTOCOL_POWER };

/* measure: the point's own, may be NULL. idles: it has no copy of its program, and measures the idle machine.
 * Where no sensor is read, intervals of nothing are not waited for. */
struct protocol protocol_choose(const json_t *measure, const struct protocol_wishes *wishes, bool idles,
                                enum protocol_sensors sensors);

/* About how long a point takes, what is waited for left out. */
double protocol_seconds(const struct protocol *protocol);

#endif
