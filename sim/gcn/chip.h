/* A machine description in the executor's form. */
#ifndef SIM_GCN_CHIP_H
#define SIM_GCN_CHIP_H

#include "sim/gcn/execute.h"

/* Fills *chip from the description: caches, engines and channels, and from its document gpu.quadrants, which
 * lists the channels near each shader engine. STATUS_UNAVAILABLE, with what is missing from the description.
 */
enum status wave_machine_from(const struct machine *machine, struct wave_machine *chip, struct error *error);

#endif
