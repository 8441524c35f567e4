/* What this machine's sensors are like, measured: an idle time, then square waves of load on the processors
 * (runner/power/load_waves.h), and for each channel what its readings show of them. */
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
    double period_s;                /* of a run's readings; 0: the sensor sends */
    double read_s;                  /* between readings here; NAN: fewer than two */
    double step;                    /* NAN: not seen */
    struct interval idling;         /* without load: watts, degrees or hertz; NAN: unknown */
    struct wave_response response;  /* of a power; for others only the updates */
    char note[SENSOR_REASON_BYTES]; /* why something is unknown; "": nothing is */
};

/* What two channels say of one power. */
enum sensor_relation {
    RELATION_APART,    /* nothing shows that they count the same */
    RELATION_CONTAINS, /* by its name the first contains the second, and it rises by no less */
    RELATION_DENIES,   /* by its name the first contains the second, but it rises by less */
    RELATION_SAME,     /* both rise by the same and draw the same when idle */
    SENSOR_RELATIONS
};

struct sensor_pair {
    size_t first, second;  /* indices of findings; the first rises by no less, or is named as containing */
    struct interval ratio; /* of their rises */
    enum sensor_relation relation;
};

/* All zeros is none. */
struct sensor_findings {
    struct sensor_list meters;
    struct recorder *recorder;
    struct sensor_finding *items;
    size_t count;
    struct sensor_pair *pairs; /* of all that follow the load */
    size_t pair_count;
    size_t parts; /* of the machine that were loaded apart */
};

/* sensors: the list of --power or NULL, root: that of /sys. seconds: of all of it; 0: 24, and if the
 * intervals are still wider than 4 %, three times as long once more. STATUS_UNAVAILABLE without a sensor.
 * Free with sensor_findings_free in every case; until then the channels remain valid. */
enum status sensor_findings_measure(const char *sensors, const char *root, double seconds,
                                    struct sensor_findings *findings, struct error *error);

/* Appends them as JSON, a list with an object for each channel. */
void sensor_findings_print(const struct sensor_findings *findings, struct buffer *text);

void sensor_findings_free(struct sensor_findings *findings);

/* "contains", "less than its part", "same"; NULL for RELATION_APART. */
extern const char *const sensor_relation_names[SENSOR_RELATIONS];

/* Keeps the findings for this host (and root): as `run` uses them. *path: where; "" without a home folder. */
enum status sensor_findings_keep(const struct sensor_findings *findings, const char *root,
                                 char path[FILE_PATH_BYTES], struct error *error);

/* Sets `known` of each channel that the kept findings name. Nothing without any. */
void sensor_findings_recall(const char *root, struct sensor_list *meters);

#endif
