/* The memory hierarchy that serves and counts accesses: an L1 per CU, L2 in channels, and the buses between.
 */
#ifndef SIM_GCN_SERVICE_H
#define SIM_GCN_SERVICE_H

#include "sim/gcn/wave_state.h"

/* All lanes' accesses of one instruction. */
struct wave_lanes {
    enum lane_kind kind;
    uint64_t mask;
    uint64_t address[WAVE_LANES];
    unsigned bytes; /* per lane */
    bool past_l1;   /* loads bypass L1 */
    bool streams;   /* the access is marked for early eviction */
    const unsigned char
        *value;                /* of a store: the first lane's bytes, by wave_service_value; NULL: none yet */
    bool same_value;           /* lane_access.h says of what */
    struct lane_atomic atomic; /* of atomics, by wave_service_atomic; op NULL: none yet */
};

/* Notes what the next lane's atomic does; operands: what it compares with, if it does, and what it writes. */
void wave_service_atomic(struct wave_lanes *lanes, enum wave_atomic atomic, bool returns,
                         const uint64_t operands[2]);

/* Notes what the next lane has stored. */
void wave_service_value(struct wave_lanes *lanes, const unsigned char *stored);

/* Creates empty caches. STATUS_USAGE if the machine's caches cannot be modelled. */
enum status wave_service_new(const struct wave_chip *chip, unsigned bus_bytes, struct wave_service **service,
                             struct error *error);
void wave_service_free(struct wave_service *service);

/* The range that contains all the bytes, which are made if they are made on demand, or NULL. */
const struct device_range *wave_service_memory(struct wave_core *core, uint64_t address, uint64_t bytes);

/* Serves and counts the accesses, and shows them to the visitor; false, with the error set, if it ends the
 * launch. */
bool wave_service_access(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes);

/* Shows an access to LDS, or one that is not counted, to the visitor; likewise. */
bool wave_service_show(struct wave_core *core, const struct wave *wave, const struct wave_lanes *lanes,
                       bool shared);

/* Counts the lanes' accesses to LDS, of `elements` elements each. */
void wave_service_shared(struct wave_core *core, struct wave *wave, enum lane_kind kind, uint64_t mask,
                         unsigned elements);

/* Records the bus words that contain the lanes' LDS accesses, each once, in lane order. */
void wave_service_shared_words(struct wave_core *core, struct wave *wave, uint64_t mask,
                               const uint64_t address[WAVE_LANES], unsigned bytes);

/* Counts a branch from the lanes before it and those that take it; it lasts until all lanes are enabled. */
void wave_service_branch(struct wave_core *core, struct wave *wave, uint64_t before, uint64_t after);

/* Counts the last branch, whose lanes are all enabled again: whether each worked on one side. */
void wave_service_join(struct wave_core *core, struct wave *wave);

/* Empties the L1 of a CU. */
void wave_service_invalidate(struct wave_core *core, unsigned unit);

#endif
