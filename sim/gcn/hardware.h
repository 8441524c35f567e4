/* The hardware registers that a wave reads with s_getreg_b32 and writes with s_setreg_b32. */
#ifndef SIM_GCN_HARDWARE_H
#define SIM_GCN_HARDWARE_H

#include "sim/gcn/wave_state.h"

/* HW_ID of a wave in that place, in the target's layout. group: the work-group's slot on the CU. */
uint32_t wave_hw_id(const struct gcn_target *target, const struct wave_place *place, unsigned group);

/* STATUS_USAGE if the target's HW_ID has too few bits for the machine's engines, arrays and units. */
enum status wave_check_hw_id(const struct gcn_target *target, const struct wave_chip *chip,
                             struct error *error);

wave_operation wave_getreg, wave_setreg;

#endif
