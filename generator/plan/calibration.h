/* A machine's calibration store: a JSON file beside the machine file, with one entry per kernel. It applies
 * only to one machine description, and to kernels with identical requests. */
#ifndef GENERATOR_PLAN_CALIBRATION_H
#define GENERATOR_PLAN_CALIBRATION_H

#include "base/error.h"
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
    json_t *document; /* NULL: empty */
    bool foreign;     /* the file exists but belongs to another description */
};

/* Reads the file; a missing file is empty. STATUS_USAGE, with the file and what was expected, if it is wrong.
 * Free with calibration_free in every case. */
enum status calibration_read(const char *path, const struct machine *machine, struct calibration *calibration,
                             struct error *error);

/* The processor that was measured; "" if unknown. */
const char *calibration_host(const struct calibration *calibration);

/* The depth stored last, for any kernel; 0: none. */
double calibration_depth(const struct calibration *calibration);

/* The tuning for programs of the kernel (JSON): {"tuning": {...}} and, if calibrated, "source" and "kind".
 * NULL if there is none. New reference. */
json_t *calibration_find(const struct calibration *calibration, const json_t *kernel);

/* Reads the file again and writes it with the entry (as above, not stolen) for the kernel; entry NULL removes
 * the kernel's entry. host as above. A file for another description is replaced. */
enum status calibration_learn(const char *path, const struct machine *machine, const char *host,
                              const json_t *kernel, const json_t *entry, struct error *error);

void calibration_free(struct calibration *calibration);

#endif
