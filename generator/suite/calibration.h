/* A machine's calibration store: a JSON file beside the machine file, with one entry per kernel. It applies
 * only to one machine description, and to kernels with identical requests. */
#ifndef GENERATOR_SUITE_CALIBRATION_H
#define GENERATOR_SUITE_CALIBRATION_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/field_json.h"
#include "generator/machine/machine.h"
#include "generator/plan/tuning.h"

#include <jansson.h>
#include <stdbool.h>

/* A file's content:
 *
 *   {"schema": 1, "kind": "calibration", "machine": NAME, "machine_hash": ..., "host": CPU,
 *    "tuning": {...},                              for all kernels; written by hand
 *    "kernels": {HASH: {"benchmark", "point", "tuning": {"depth", "aim": {METRIC: RATE}}, "source", "kind",
 *                       "rounds", "rates": {METRIC: {"target", "value", "low", "high"}}}}}
 *
 * A hand-written file without machine_hash belongs to the machine beside it. host is the processor that was
 * measured, "" for results from simulation alone. */
struct calibration {
    bool given;                /* a file for this description exists */
    bool foreign;              /* the file exists but belongs to another description */
    const char *host;          /* the processor that was measured; "" if unknown */
    double depth;              /* stored last, for any kernel; 0: none */
    struct plan_tuning of_all; /* kernels */
    struct calibration_entry *entries;
    size_t count;
    struct arena arena;
};

struct calibration_entry {
    const char *hash; /* of the kernel */
    struct plan_calibration found;
};

/* A rate that a source observed with the tuning; unknown numbers are not finite. */
struct calibration_rate {
    const char *metric;
    double target, value, low, high;
};

/* How the calibration of a point ended. */
struct calibration_outcome {
    const char *benchmark, *point;
    bool reached;
    unsigned rounds;
    struct plan_calibration best;
    struct calibration_rate rates[TUNING_RATES];
    size_t rate_count;
};

/* Reads the file; a missing file is empty. STATUS_USAGE, with the file and what was expected, if it is wrong.
 * Free with calibration_free in every case. */
enum status calibration_read(const char *path, const struct machine *machine, struct calibration *calibration,
                             struct error *error);

/* The tuning for programs of the kernel (JSON), which the calibration owns; not given if there is none. */
struct plan_calibration calibration_find(const struct calibration *calibration, const json_t *kernel);

/* Reads the file again, adds the outcome for the kernel and writes it; host as above, "" keeps the file's. A
 * file for another description is replaced. */
enum status calibration_learn(const char *path, const struct machine *machine, const char *host,
                              const json_t *kernel, const struct calibration_outcome *outcome,
                              struct error *error);

void calibration_free(struct calibration *calibration);

/* A point's {"tuning", "source", "kind"}: a struct plan_calibration. */
field_read calibration_read_stated;
void calibration_write_stated(struct json_text *text, const char *name,
                              const struct plan_calibration *calibration);

/* {"reached", "rounds", "source", "tuning", "rates"}, for results. New reference. */
json_t *calibration_outcome_to_json(const struct calibration_outcome *outcome);

#endif
