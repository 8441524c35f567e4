/* A processor's identity, features, caches, data TLB and clock from CPUID. A function wraps the instruction,
 * so that any processor's leaves can be read from a table. Leaves follow Intel's SDM (volume 2A, CPUID) and
 * AMD's APM (volume 3, appendix E). */
#ifndef GENERATOR_MACHINE_PROCESSOR_X86_H
#define GENERATOR_MACHINE_PROCESSOR_X86_H

#include "base/text/text_set.h"
#include "generator/machine/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpuid_registers {
    uint32_t eax, ebx, ecx, edx;
};

struct cpuid {
    struct cpuid_registers (*read)(const void *context, uint32_t leaf, uint32_t subleaf);
    const void *context;
    uint64_t xcr0; /* register state that the operating system saves; 0 if unknown */
};

struct cpuid_identity {
    char vendor[13]; /* "GenuineIntel" */
    char brand[49];  /* "Intel(R) Xeon(R) Processor"; "" if there is none */
    unsigned family, model, stepping;
};

enum cpuid_cache_type { CPUID_CACHE_DATA = 1, CPUID_CACHE_INSTRUCTION = 2, CPUID_CACHE_UNIFIED = 3 };

/* The processor that the calling thread runs on. False without a CPUID instruction. */
bool cpuid_of_host(struct cpuid *cpuid);

struct cpuid_identity cpuid_identity(const struct cpuid *cpuid);

/* True if a hypervisor reports its presence. */
bool cpuid_is_virtual(const struct cpuid *cpuid);

/* Adds the features that both the processor and the operating system support: "sse2", ... */
void cpuid_features(const struct cpuid *cpuid, struct text_set *found);

/* Size, ways and line of one cache. False if CPUID does not report them. */
bool cpuid_cache(const struct cpuid *cpuid, unsigned level, enum cpuid_cache_type type, struct cache *cache);

/* The first-level data TLB for 4 KiB pages. False if CPUID does not report it. */
bool cpuid_data_tlb(const struct cpuid *cpuid, struct tlb *tlb);

/* The first-level data TLB for 2 MiB pages alone; its page is not set. False if CPUID does not report one, as
 * on AMD's processors, whose leaf does not distinguish separate entries from shared ones. */
bool cpuid_huge_tlb(const struct cpuid *cpuid, struct tlb *tlb);

/* The base clock, or the time-stamp counter's; 0 if CPUID does not report it. */
double cpuid_clock_ghz(const struct cpuid *cpuid);

#endif
