/* Predictions for each step of a counter trace, and what two policies would do under a power cap: the
 * one-step choice from the prediction, and one state up or down at a time (Su et al. 2014). It sets nothing:
 * it is a replay or a dry run. */
#ifndef SESSION_PREDICT_COUNTER_REPLAY_H
#define SESSION_PREDICT_COUNTER_REPLAY_H

#include "base/error.h"
#include "cli/options.h"
#include "model/model.h"

#include <jansson.h>

/* Prints a line for each step, and a summary. STATUS_UNAVAILABLE, with the reason, without a trace: the
 * counters of this machine. */
enum status follow_run(const struct options *options, const json_t *document, const struct model *model,
                       const struct model_settings *settings, struct error *error);

#endif
