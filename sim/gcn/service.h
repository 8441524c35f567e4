/* What serves accesses: an L1 for each CU, L2 in channels, and the buses between; with the counts. */
#ifndef SIM_GCN_SERVICE_H
#define SIM_GCN_SERVICE_H

#include "sim/gcn/state.h"

/* All lanes' accesses of one instruction. */
struct wave_lanes {
    enum wave_kind kind;
    uint64_t mask;
    uint64_t address[WAVE_LANES];
    unsigned bytes; /* of a lane */
    bool past_l1;   /* loads that L1 may not serve */
};

/* Empty caches. STATUS_USAGE when the machine has none that can be modelled. */
enum status wave_service_new(const struct wave_machine *machine, unsigned bus_bytes,
                             struct wave_service **service, struct error *error);
void wave_service_free(struct wave_service *service);

/* Serves and counts. */
void wave_service_access(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes);

/* Counts the lanes' loads from LDS, of so many elements each, or what else they did there. */
void wave_service_shared(struct wave_core *core, struct wave *wave, enum wave_kind kind, uint64_t mask,
                         unsigned elements);

/* The words of the bus in which the lanes' accesses to LDS lie, each once, in the order of lanes. */
void wave_service_shared_words(struct wave_core *core, const struct wave *wave, uint64_t mask,
                               const uint64_t address[WAVE_LANES], unsigned bytes);

/* Counts a branch by the lanes before it and those that take it. */
void wave_service_branch(struct wave_core *core, struct wave *wave, uint64_t before, uint64_t after);

/* Empties the L1 of a CU. */
void wave_service_invalidate(struct wave_core *core, unsigned unit);

/* The channel of L2 that has the address. */
unsigned wave_channel(const struct wave_machine *machine, uint64_t address);

#endif
