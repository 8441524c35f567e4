/* Whether sensors are usable (DESIGN.md section 8). A channel of power or energy is not usable if it does not
 * change while a core works for a second; if it need not change (may_stand of sensor.h), if it is 0. Of two
 * channels that would be added but report the same power, as dies do that mirror one counter, the later is
 * not usable. */
#ifndef RUNNER_POWER_SENSOR_TRIAL_H
#define RUNNER_POWER_SENSOR_TRIAL_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/power/recorder.h"
#include "runner/power/sensor_list.h"

/* Keeps a core busy until each channel has shown that it is usable, for at most a second (for a meter that
 * sends at its own pace until it has sent twice, at most five seconds), and drops the channels that are not.
 * recorder: of these meters. */
void sensor_trial(const struct sensor_list *meters, struct recorder *recorder);

/* STATUS_UNAVAILABLE, with the reason, if the trial found none of the sensor's main channels usable: those of
 * power and energy, or all of a sensor that never supplies the headline. lost: recorder_lost. */
enum status sensor_trial_usable(const struct listed_sensor *meter, const struct error *lost,
                                struct error *why_not);

/* After a trial: STATUS_UNAVAILABLE if a sensor that the user named has no usable channel of power. If no
 * sensor has one, *why_none has the reason. */
enum status sensor_trial_judge(const struct sensor_list *meters, struct error *why_none);

/* Appends the names of the channels that the trial found not usable, with the reasons. */
void sensor_trial_describe(const struct sensor_list *meters, struct buffer *text);

#endif
