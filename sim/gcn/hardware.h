/* What the hardware tells a wave of itself: the registers that s_getreg_b32 reads, and the clock. */
#ifndef SIM_GCN_HARDWARE_H
#define SIM_GCN_HARDWARE_H

#include "sim/gcn/state.h"

/* HW_ID of a wave there, in the target's layout. The group is the work-group's slot on the CU. */
uint32_t wave_hw_id(const struct gcn_target *target, const struct wave_place *place, unsigned group);

/* STATUS_USAGE when HW_ID of the target has no bits for so many engines, arrays and units. */
enum status wave_check_hw_id(const struct gcn_target *target, const struct wave_machine *machine,
                             struct error *error);

wave_operation wave_getreg, wave_setreg;

#endif
