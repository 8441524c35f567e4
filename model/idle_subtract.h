/* Idle power by temperature in place of the level between runs (Adhinarayanan et al. 2016, section IV-F):
 * what a fitted model "idle" says of a run's temperature is what the run's dynamic power is above. */
#ifndef MODEL_IDLE_SUBTRACT_H
#define MODEL_IDLE_SUBTRACT_H

#include "model/dataset.h"

/* Sets static_w and dynamic_j of all rows that have a temperature; those of rows without become NAN, so that
 * two ways of subtracting never stand side by side. Notes in document say how many, what changed, and
 * what is extrapolated.
 * STATUS_USAGE when idle is no such model, when no row has a temperature, or when the model has several
 * voltages and a row tells none ("volts", or "ghz" of one of its states). */
enum status idle_subtract(const json_t *idle, struct dataset *dataset, json_t *document, struct error *error);

/* The same of an application's counters: sets "static_w" by "temperature_c". Adds a note to what is told
 * where that is extrapolated. STATUS_USAGE as above. */
enum status idle_subtract_counters(const json_t *idle, json_t *counters, json_t *told, struct error *error);

#endif
