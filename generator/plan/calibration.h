/* What calibration learnt of a machine: a JSON file beside the machine's own, an entry a kernel. It holds for
 * one description alone, and for kernels that ask for the same. */
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
 *    "tuning": {...},                              of every kernel; for a person to write
 *    "kernels": {HASH: {"benchmark", "point", "tuning": {"depth", "aim": {METRIC: RATE}}, "source", "kind",
 *                       "rounds", "rates": {METRIC: {"target", "value", "low", "high"}}}}}
 *
 * A file without machine_hash, of a person's own, is of the machine that it stands beside. host is the
 * processor on which it was learnt, "" where simulation alone taught it. */
struct calibration {
    json_t *document; /* NULL: nothing was learnt */
    bool foreign;     /* there is a file, and it is of another description */
};

/* Reads the file; what is not there is empty. STATUS_USAGE, with the file and what was expected, when it is
 * wrong. Free with calibration_free in every case. */
enum status calibration_read(const char *path, const struct machine *machine, struct calibration *calibration,
                             struct error *error);

/* The processor it was learnt on; "" where it is not known. */
const char *calibration_host(const struct calibration *calibration);

/* The depth learnt last, of whatever kernel; 0: none was. */
double calibration_depth(const struct calibration *calibration);

/* What a program of the kernel (JSON) is to be made with: {"tuning": {...}} and, where it was learnt,
 * "source" and "kind". NULL when there is nothing. New reference. */
json_t *calibration_find(const struct calibration *calibration, const json_t *kernel);

/* Reads the file again and writes it with the entry (as above, not stolen) for the kernel; entry NULL takes
 * out what was there. host as above. A file of another description is replaced. */
enum status calibration_learn(const char *path, const struct machine *machine, const char *host,
                              const json_t *kernel, const json_t *entry, struct error *error);

void calibration_free(struct calibration *calibration);

#endif
