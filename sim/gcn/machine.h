/* A machine's description as the executor wants it. */
#ifndef SIM_GCN_MACHINE_H
#define SIM_GCN_MACHINE_H

#include "sim/gcn/wave.h"

/* Fills *chip from the description: caches, engines and channels, and gpu.quadrants of its document, a list
 * of the channels near to each shader engine. STATUS_UNAVAILABLE with what it does not tell. */
enum status wave_machine_from(const struct machine *machine, struct wave_machine *chip, struct error *error);

#endif
