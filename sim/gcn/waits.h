/* Loads that are under way: what they fill may not be used before s_waitcnt says that it is there. Memory is
 * accessed at once here, so that without this a program would pass that hardware gives other values. Source:
 * AMD's ISA manuals, "data dependency resolution". Left to the program unseen: loads that fill the same
 * register, data of stores that changes (GFX6), FLAT's order among others', instructions that must stand
 * apart. */
#ifndef SIM_GCN_WAITS_H
#define SIM_GCN_WAITS_H

#include "isa/gcn/decode.h"

#include <stdbool.h>
#include <stdint.h>

enum { WAVE_UNDERWAY = 64 };

/* Registers, a bit each: scalar ones, then vector ones. */
struct wave_registers {
    uint64_t words[6];
};

/* What an instruction uses, and what it leaves under way. */
struct wave_uses {
    struct wave_registers touched;
    uint16_t filled; /* the first register, as operands are numbered */
    uint8_t dwords;  /* 0: none */
    bool vm, lgkm;   /* the counters that it counts in */
    bool unordered;  /* a scalar load: it may come before those that went before it */
};

struct wave_underway {
    uint16_t filled;
    uint8_t dwords;
    bool unordered;
};

struct wave_waits {
    struct wave_registers pending;
    struct wave_underway vm[WAVE_UNDERWAY], lgkm[WAVE_UNDERWAY]; /* the oldest first */
    unsigned vm_count, lgkm_count;
};

/* Works the uses of an instruction out; lanes: of a wave. */
void wave_uses_of(const struct gcn_instruction *in, unsigned generation, unsigned lanes,
                  struct wave_uses *uses);

/* The register, as operands are numbered, that the instruction uses while it is being filled; -1: none. */
int wave_waits_missing(const struct wave_waits *waits, const struct wave_uses *uses);

/* The instruction is under way; what went before the last 64 has come, as the counters go no further. */
void wave_waits_issue(struct wave_waits *waits, const struct wave_uses *uses);

/* Waits until at most so many of each are under way; UINT_MAX: any. */
void wave_waits_until(struct wave_waits *waits, unsigned vm, unsigned lgkm);

/* The numbers of s_waitcnt's simm16. */
unsigned wave_vmcnt(unsigned generation, int32_t number);
unsigned wave_lgkmcnt(unsigned generation, int32_t number);

#endif
