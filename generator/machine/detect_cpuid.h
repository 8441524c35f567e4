/* What CPUID says of a processor: identity, features, caches, data TLB and clock. The instruction is behind a
 * function, so that the leaves of any processor can be read from a table. Leaves are those of Intel's SDM
 * (volume 2A, CPUID) and of AMD's APM (volume 3, appendix E). */
#ifndef GENERATOR_MACHINE_DETECT_CPUID_H
#define GENERATOR_MACHINE_DETECT_CPUID_H

#include "generator/machine/machine.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid {
    struct cpuid_registers (*read)(const void *context, uint32_t leaf, uint32_t subleaf);
    const void *context;
    uint64_t xcr0; /* register state that the operating system saves; 0 where it does not say */
};

struct cpuid_identity {
    char vendor[13]; /* "GenuineIntel" */
    char brand[49];  /* "Intel(R) Xeon(R) Processor", "" when there is none */
    unsigned family, model, stepping;
};

enum cpuid_cache_type { CPUID_CACHE_DATA = 1, CPUID_CACHE_INSTRUCTION = 2, CPUID_CACHE_UNIFIED = 3 };

/* The processor that the calling thread runs on. False where there is no CPUID instruction. */
bool cpuid_of_host(struct cpuid *cpuid);

struct cpuid_identity cpuid_identity(const struct cpuid *cpuid);

/* True when a hypervisor says that it stands between this processor and the program. */
bool cpuid_is_virtual(const struct cpuid *cpuid);

/* The features that both the processor and the operating system support: ["sse2", ...]. New reference. */
json_t *cpuid_features(const struct cpuid *cpuid);

/* Size, ways and line of one cache. False when CPUID does not tell. */
bool cpuid_cache(const struct cpuid *cpuid, unsigned level, enum cpuid_cache_type type, struct cache *cache);

/* The first-level data TLB for pages of 4 KiB. False when CPUID does not tell. */
bool cpuid_data_tlb(const struct cpuid *cpuid, struct tlb *tlb);

/* The base clock, or that of the time-stamp counter; 0 when CPUID does not tell. */
double cpuid_clock_ghz(const struct cpuid *cpuid);

#endif
