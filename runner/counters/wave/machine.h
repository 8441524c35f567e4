/* A machine's description as the executor wants it. */
#ifndef RUNNER_COUNTERS_WAVE_MACHINE_H
#define RUNNER_COUNTERS_WAVE_MACHINE_H

#include "runner/counters/wave/wave.h"

/* Fills *chip from the description: caches, engines and channels, and gpu.quadrants of its document, a list
 * of the channels near to each shader engine. STATUS_UNAVAILABLE with what it does not tell. */
enum status wave_machine_from(const struct machine *machine, struct wave_machine *chip, struct error *error);

#endif
