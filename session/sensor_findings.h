/* Measures the properties of this machine's sensors: an idle time is followed by square waves of load on the
 * processors (runner/power/load_waves.h), and each channel's readings show how it responds. */
#ifndef SESSION_SENSOR_FINDINGS_H
#define SESSION_SENSOR_FINDINGS_H

#include "base/error.h"
#include "base/file.h"
#include "runner/power/recorder.h"
#include "runner/power/wave_response.h"

#include <stdbool.h>
#include <stddef.h>

struct sensor_finding {
    const struct sensor_channel *channel;
    bool external; /* of a meter outside the machine */
    size_t readings;
    double period_s;                /* of readings in a run; 0: the sensor sends them */
    double read_s;                  /* mean time between readings here; NAN: fewer than two */
    double step;                    /* the smallest step of readings; NAN: not observed */
    struct interval idling;         /* without load: watts, degrees or hertz; NAN: unknown */
    struct wave_response response;  /* of a channel of power; of others only the updates */
    char note[SENSOR_REASON_BYTES]; /* why something is unknown; "": nothing is */
};

/* How the powers of two channels relate. */
enum sensor_relation {
    RELATION_APART,    /* there is no evidence that they overlap */
    RELATION_CONTAINS, /* by its name the first contains the second, and the rises do not contradict it */
    RELATION_DENIES,   /* by its name the first contains the second, but the first rises by less */
    RELATION_SAME,     /* they rise by the same power and are equal when idle */
    SENSOR_RELATIONS
};

struct sensor_pair {
    size_t first, second;  /* indices of findings; the first contains the second by name, or rises more */
    struct interval ratio; /* of their rises */
    enum sensor_relation relation;
};

/* All zeros is none. */
struct sensor_findings {
    struct sensor_list meters;
    struct recorder *recorder;
    struct sensor_finding *items;
    size_t count;
    struct sensor_pair *pairs; /* all pairs of channels that follow the load */
    size_t pair_count;
    size_t parts; /* number of the machine's parts that were loaded separately */
};

/* sensors: the list of --power, or NULL; root: the root folder of /sys. seconds: duration of the measurement;
 * 0: 24 s, and 72 s more if intervals are then wider than +-4 %. STATUS_UNAVAILABLE without a sensor. Free
 * with sensor_findings_free in every case; the channels are valid until then. */
enum status sensor_findings_measure(const char *sensors, const char *root, double seconds,
                                    struct sensor_findings *findings, struct error *error);

/* Appends the findings as JSON: a list with an object for each channel. */
void sensor_findings_print(const struct sensor_findings *findings, struct buffer *text);

void sensor_findings_free(struct sensor_findings *findings);

/* "contains", "less than its part", "same"; NULL for RELATION_APART. */
extern const char *const sensor_relation_names[SENSOR_RELATIONS];

/* Stores the findings for this host and root, for later runs. *path: the file; "" without a home folder. */
enum status sensor_findings_keep(const struct sensor_findings *findings, const char *root,
                                 char path[FILE_PATH_BYTES], struct error *error);

/* Sets `known` of each channel that has stored findings. */
void sensor_findings_recall(const char *root, struct sensor_list *meters);

#endif
