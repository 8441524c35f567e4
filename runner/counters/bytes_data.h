/* What the data of an emitted object holds, as loads read it: the part of the source "bytes" that counts
 * bits. */
#ifndef RUNNER_COUNTERS_BYTES_DATA_H
#define RUNNER_COUNTERS_BYTES_DATA_H

#include "base/error.h"
#include "runner/observation.h"
#include "runner/subject.h"

/* Adds data.ones_rate and data.toggle_rate of the loads of one period. Nothing where words are addresses,
 * which have no bits before the program is loaded. STATUS_FAILED when the object's tables cannot be read. */
enum status bytes_observe_data(const struct subject *subject, struct observations *list, struct error *error);

#endif
