/* Subtracts the idle power that a fitted "idle" model predicts at the run's temperature, instead of the level
 * between runs (Adhinarayanan et al. 2016, section IV-F). */
#ifndef MODEL_IDLE_IDLE_SUBTRACT_H
#define MODEL_IDLE_IDLE_SUBTRACT_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"

/* Sets static_w and dynamic_j of all rows that have a temperature; those of other rows become NAN, so that
 * the two ways of subtracting never mix. Notes in the result report the count, the change and any
 * extrapolation. STATUS_USAGE when idle is NULL or no model of idle power, when no row has a temperature, or
 * when the model has several voltages and a row has none ("volts", or "ghz" of one of its states). */
enum status idle_subtract(const struct model_result *idle, struct dataset *dataset,
                          struct model_result *result, struct error *error);

/* The same for an application's counters: sets "static_w" from "temperature_c". Adds a note on extrapolation.
 * STATUS_USAGE as above. */
enum status idle_subtract_counters(const struct model_result *idle, struct named_numbers *counters,
                                   struct sentences *notes, struct arena *arena, struct error *error);

#endif
