/* Loads in flight: the registers that they fill may not be used before a wait says that the data has
 * arrived. Accesses complete at once here, so without this check a program could pass that reads other values
 * on hardware. Source: AMD's ISA manuals, "data dependency resolution". Not checked: several loads into one
 * register, changes to the data of a pending store (GFX6), the order of FLAT accesses relative to others,
 * instructions that need distance between them (before DPP and behind matrix operations). */
#ifndef SIM_GCN_WAITS_H
#define SIM_GCN_WAITS_H

#include "isa/gcn/decode/decode.h"

#include <stdbool.h>
#include <stdint.h>

enum { WAVE_UNDERWAY = 64 };

/* One bit per register: scalar ones, then vector ones, AccVGPRs behind VGPRs. */
struct wave_registers {
    uint64_t words[10];
};

/* What an instruction uses, and what it leaves in flight. */
struct wave_uses {
    struct wave_registers touched;
    uint16_t filled; /* the first register, as operands are numbered */
    uint8_t dwords;  /* 0: none */
    bool vm, lgkm, vs,
        km;         /* the counters that it increments; vs: of accesses that return nothing, from GFX10 on;
                       km: of scalar loads and messages, from GFX12 on: lgkm is that of LDS there */
    bool unordered; /* a scalar load: it may complete before earlier ones */
};

struct wave_underway {
    uint16_t filled;
    uint8_t dwords;
    bool unordered;
};

struct wave_waits {
    struct wave_registers pending;
    struct wave_underway vm[WAVE_UNDERWAY], lgkm[WAVE_UNDERWAY], km[WAVE_UNDERWAY]; /* the oldest first */
    unsigned vm_count, lgkm_count, km_count, vs_count;
};

/* Determines what an instruction uses; lanes: per wave. */
void wave_uses_of(const struct gcn_instruction *in, unsigned generation, unsigned lanes,
                  struct wave_uses *uses);

/* A register (numbered as operands are) that the instruction uses while a load still fills it; -1: none. */
int wave_waits_missing(const struct wave_waits *waits, const struct wave_uses *uses);

/* Records the instruction as in flight; all but the last 64 have completed, as the counters go no further. */
void wave_waits_issue(struct wave_waits *waits, const struct wave_uses *uses);

/* Waits until at most this many of each are in flight; UINT_MAX: any number. */
void wave_waits_until(struct wave_waits *waits, unsigned vm, unsigned lgkm, unsigned km);

/* How many loads, stores and messages are in flight. */
unsigned wave_waits_underway(const struct wave_waits *waits);

/* True while what a scalar load or a message returns is under way. */
bool wave_waits_answer(const struct wave_waits *waits);

/* The same as wave_waits_until of accesses that return nothing, from GFX10 on. */
static inline void wave_waits_until_stored(struct wave_waits *waits, unsigned vs)
{
    waits->vs_count = waits->vs_count < vs ? waits->vs_count : vs;
}

/* The counts in s_waitcnt's simm16. */
unsigned wave_vmcnt(unsigned generation, int32_t number);
unsigned wave_lgkmcnt(unsigned generation, int32_t number);

#endif
