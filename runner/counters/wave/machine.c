#include "runner/counters/wave/machine.h"

static void read_quadrants(const json_t *quadrants, struct wave_machine *chip)
{
    chip->has_quadrants = json_array_size(quadrants) == chip->se;
    for (size_t se = 0; chip->has_quadrants && se < chip->se; se++) {
        const json_t *channels = json_array_get(quadrants, se);
        for (size_t i = 0; i < json_array_size(channels); i++) {
            json_int_t channel = json_integer_value(json_array_get(channels, i));
            if (channel >= 0 && channel < WAVE_MOST_CHANNELS)
                chip->near[se][channel] = true;
        }
    }
}

enum status wave_machine_from(const struct machine *machine, struct wave_machine *chip, struct error *error)
{
    const struct gpu *gpu = &machine->gpu;
    *chip = (struct wave_machine){.se = gpu->se,
                                  .sh_per_se = gpu->sh_per_se,
                                  .cu_per_sh = gpu->cu_per_sh,
                                  .l2_channels = gpu->l2_channels,
                                  .interleave = gpu->interleave,
                                  .l1 = machine->l1d,
                                  .l2 = machine->l2};
    if (gpu->se == 0 || gpu->se > WAVE_MOST_SE || gpu->sh_per_se == 0 || gpu->cu_per_sh == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the machine %s does not tell its shader engines, arrays and compute units",
                         machine->name);
    if (gpu->l2_channels == 0 || gpu->interleave == 0)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the machine %s does not tell its L2 channels (gpu.interleave)", machine->name);
    read_quadrants(json_object_get(json_object_get(machine->document, "gpu"), "quadrants"), chip);
    return STATUS_OK;
}
