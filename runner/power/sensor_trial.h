/* Whether sensors are usable: a channel of power or energy that does not change while a core works for a
 * second is not (DESIGN.md section 8). A power that such work need not change (sensor.h: may_stand) must not
 * be 0. Of two that are added and tell one power, as dies that mirror one counter do, the later is not
 * usable. */
#ifndef RUNNER_POWER_SENSOR_TRIAL_H
#define RUNNER_POWER_SENSOR_TRIAL_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/power/recorder.h"
#include "runner/power/sensor_list.h"

/* Works until each channel has shown that it is usable, for a second at most (of a meter that sends at its
 * own pace until it has sent twice, for five at most), and drops those that are not. recorder: of these
 * meters. */
void sensor_trial(const struct sensor_list *meters, struct recorder *recorder);

/* STATUS_UNAVAILABLE, with the reason, if the trial found none of the channels usable that the sensor is for.
 * lost: recorder_lost. */
enum status sensor_trial_usable(const struct listed_sensor *meter, const struct error *lost,
                                struct error *why_not);

/* After a trial: STATUS_UNAVAILABLE if a sensor that the user named has no usable channel of power. If no
 * sensor has one, *why_none has the reason. */
enum status sensor_trial_judge(const struct sensor_list *meters, struct error *why_none);

/* Names the channels that the trial found not usable, with the reasons; nothing where there is none. */
void sensor_trial_describe(const struct sensor_list *meters, struct buffer *text);

#endif
