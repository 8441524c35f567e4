/* AArch64 processors from their numbers: MIDR_EL1, the kernel's AT_HWCAP words, CTR_EL0 and CNTFRQ_EL0, so
 * that any processor's can be decoded on any host. Sources: Arm's Architecture Reference Manual (DDI 0487);
 * Linux, Documentation/arch/arm64/elf_hwcaps.rst and arch/arm64/include/asm/cputype.h. */
#ifndef GENERATOR_MACHINE_PROCESSOR_ARM_H
#define GENERATOR_MACHINE_PROCESSOR_ARM_H

#include "generator/machine/processor.h"

struct arm_numbers {
    uint64_t midr; /* 0: unknown */
    uint64_t hwcap, hwcap2;
    uint64_t ctr;              /* 0: unknown */
    uint64_t ticks_per_second; /* CNTFRQ_EL0; 0: unknown */
    unsigned vector_bytes;     /* of SVE, as the kernel provides them to programs; 0: unknown */
};

/* Vendor, product and cpu from MIDR_EL1. */
void arm_identify(uint64_t midr, struct processor *processor);

/* Adds what the numbers encode. */
void arm_decode(const struct arm_numbers *numbers, struct processor *processor);

#endif
