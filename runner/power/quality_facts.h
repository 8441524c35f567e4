/* Derives facts for the verdict on power (measurement_quality.h) from a recording: the sensor's updates and
 * steps, the temperature, and the readings during the repetitions. */
#ifndef RUNNER_POWER_QUALITY_FACTS_H
#define RUNNER_POWER_QUALITY_FACTS_H

#include "runner/power/energy.h"
#include "runner/power/measurement_quality.h"
#include "runner/power/power_view.h"

/* Sets all facts except watts, idle_w, idle_before, dynamic_w and loop_drift_w, for one channel of a meter,
 * or for the sum of its whole ones (channel SENSOR_LIST_CHANNELS). The caller frees of->readings. */
void quality_facts(const struct power_view *view, size_t meter, size_t channel,
                   struct power_quality_case *of);

/* The unit of which a sensor's values are multiples, as far as they show it: the smallest difference of two
 * of them, and for powers at most their largest common divisor. NAN when they are all equal. counts: it is a
 * counter, whose steps are seldom single units; the differences of its steps are used too. */
double quality_step(const struct series *series, bool counts);

#endif
