#include "runner/probe/wide.h"

#include <stddef.h>

const struct probe_wide probe_word = {8, NULL, "movq %u(%r8), %r9\n", "movq %r9, %u(%r8)\n"};

static const struct probe_wide widths[] = {
    {64, "avx512f", "vmovups %u(%r8), %zmm1\n", "vmovups %zmm0, %u(%r8)\n"},
    {32, "avx", "vmovups %u(%r8), %ymm1\n", "vmovups %ymm0, %u(%r8)\n"},
    {16, NULL, "movups %u(%r8), %xmm1\n", "movups %xmm0, %u(%r8)\n"},
};

const struct probe_wide *probe_widest(const struct machine *machine)
{
    const struct probe_wide *wide = widths;
    while (wide->feature != NULL && !machine_has(machine, wide->feature))
        wide++;
    return wide;
}
