/* What a recording tells for the verdict on power (trust.h): how the sensor moves, how hot it became, and
 * what it read while the repetitions ran. */
#ifndef RUNNER_POWER_TRUST_FACTS_H
#define RUNNER_POWER_TRUST_FACTS_H

#include "runner/power/recorder.h"
#include "runner/power/summary.h"
#include "runner/power/trust.h"

/* Fills in all but watts, idle_w, idle_before and dynamic_w, for one channel of a meter, or for the sum of
 * its whole ones (channel METER_CHANNELS). of->readings is to be freed by the caller. */
void trust_facts(const struct recorder *recorder, size_t meter, size_t channel,
                 const struct summary_windows *windows, struct power_case *of);

/* What a sensor's numbers are multiples of, as far as they show it; NAN when they are all the same. counts:
 * it counts up; then how its steps differ tells more than they do, as they are seldom single ones. */
double trust_step(const struct series *series, bool counts);

#endif
