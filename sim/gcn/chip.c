#include "sim/gcn/chip.h"

static void read_quadrants(const struct machine *machine, struct wave_chip *chip)
{
    size_t stated = machine_quadrants(machine);
    chip->near_engines = stated < chip->se ? (unsigned)stated : chip->se;
    for (size_t se = 0; se < chip->near_engines; se++)
        for (unsigned channel = 0; channel < WAVE_MOST_CHANNELS; channel++)
            chip->near[se][channel] = machine_quadrant_has(machine, se, channel);
}

unsigned wave_chip_units(const struct wave_chip *chip)
{
    return chip->xcc * chip->se * chip->sh_per_se * chip->cu_per_sh;
}

enum status wave_chip_from(const struct machine *machine, struct wave_chip *chip, struct error *error)
{
    const struct gpu *gpu = &machine->gpu;
    bool stated = gpu->l2_channels > 0 && gpu->interleave > 0; /* otherwise L2 counts as one channel */
    *chip = (struct wave_chip){.xcc = gpu->xcc,
                               .off = gpu->se * gpu->sh_per_se * gpu->cu_per_sh - gpu->cu_per_xcc,
                               .se = gpu->se,
                               .sh_per_se = gpu->sh_per_se,
                               .cu_per_sh = gpu->cu_per_sh,
                               .has_channels = stated,
                               .l2_channels = stated ? gpu->l2_channels : 1,
                               .interleave = stated ? gpu->interleave : machine->l2.line,
                               .l1 = machine->l1d,
                               .l2 = machine->l2,
                               .l3 = machine->l3};
    if (gpu->se == 0 || gpu->se > WAVE_MOST_SE || gpu->sh_per_se == 0 || gpu->cu_per_sh == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the machine %s does not state its shader engines, arrays and compute units",
                         machine->name);
    if (stated)
        read_quadrants(machine, chip);
    return STATUS_OK;
}
