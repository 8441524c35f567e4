/* The power channel that a model is fitted to, where it is not that of the results' own numbers. */
#ifndef MODEL_DATA_CHANNEL_H
#define MODEL_DATA_CHANNEL_H

#include "base/error.h"
#include "model/data/dataset.h"

#include "model/data/model_result.h"

/* Replaces all points' power and energy by those of a channel, named as in the results
 * ("powercap:intel-rapl:0:1") or by its domain (dram, core, package, uncore, psys, gpu): then by the sum of
 * the domain's channels of one sensor, one of each package. Sets result->channel: the channels' names.
 * STATUS_USAGE, with the channels that there are, when a point with power has no such channel. */
enum status channel_choose(struct dataset *dataset, const char *wanted, struct model_result *result,
                           struct error *error);

#endif
