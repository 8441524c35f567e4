#include "generator/plan/gpu/gpu_split.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS = 10 };

/* From an architecture on: the steps, in KiB, and the bytes that the driver reserves in each block's shared
 * memory. */
static const struct family {
    unsigned arch, reserved;
    unsigned steps[STEPS]; /* ascending, then zeros */
} families[] = {
    {70, 0, {0, 8, 16, 32, 64, 96}},
    {75, 0, {32, 64}},
    {80, 1, {0, 8, 16, 32, 64, 100, 132, 164}},
    {86, 1, {0, 8, 16, 32, 64, 100}},
    {87, 1, {0, 8, 16, 32, 64, 100, 132, 164}},
    {88, 1, {0, 8, 16, 32, 64, 100}},
    {90, 1, {0, 8, 16, 32, 64, 100, 132, 164, 196, 228}},
    {120, 1, {0, 8, 16, 32, 64, 100}},
};

bool gpu_split_of(const char *arch, uint64_t block_bytes, unsigned blocks, struct gpu_split *split)
{
    const struct family *family = NULL;
    unsigned long number = strncmp(arch, "sm_", 3) == 0 ? strtoul(arch + 3, NULL, 10) : 0;
    for (size_t i = 0; i < sizeof families / sizeof families[0] && families[i].arch <= number; i++)
        family = &families[i];
    if (family == NULL)
        return false;
    uint64_t kept = block_bytes == 0 ? 0 : (uint64_t)family->reserved << 10;
    uint64_t wanted = (block_bytes + kept) * blocks;
    split->shared = split->most = 0;
    for (size_t i = 0; i < STEPS && (i == 0 || family->steps[i] > 0); i++) {
        uint64_t step = (uint64_t)family->steps[i] << 10;
        if (i == 0 || split->shared < wanted)
            split->shared = step;
        split->most = step;
    }
    split->holds = split->shared >= wanted;
    return true;
}
