/* The memory hierarchy, which serves and counts accesses: an L1 per CU, L2 in channels, and buses. */
#ifndef SIM_GCN_SERVICE_H
#define SIM_GCN_SERVICE_H

#include "sim/gcn/wave_state.h"

/* All lanes' accesses of one instruction. */
struct wave_lanes {
    enum lane_kind kind;
    uint64_t mask;
    uint64_t address[WAVE_LANES];
    unsigned bytes;             /* per lane */
    bool past_l1;               /* loads bypass L1 */
    bool streams;               /* the access is marked for early eviction */
    const unsigned char *value; /* of a store: the first lane's bytes (wave_service_value); NULL: none yet */
    bool same_value;            /* as in lane_access.h */
    struct lane_atomic atomic;  /* of an atomic (wave_service_atomic); op NULL: none yet */
};

/* Records the next lane's atomic; operands: the comparand, if it has one, then the value that it writes. */
void wave_service_atomic(struct wave_lanes *lanes, enum wave_atomic atomic, bool returns,
                         const uint64_t operands[2]);

/* Records the bytes that the next lane has stored. */
void wave_service_value(struct wave_lanes *lanes, const unsigned char *stored);

/* Creates empty caches. STATUS_USAGE if the machine's caches cannot be modelled. */
enum status wave_service_new(const struct wave_chip *chip, unsigned bus_bytes, struct wave_service **service,
                             struct error *error);
void wave_service_free(struct wave_service *service);

/* The range that contains all the bytes, which are generated if necessary, or NULL. */
const struct device_range *wave_service_memory(struct wave_core *core, uint64_t address, uint64_t bytes);

/* Serves and counts the accesses, and passes them to the visitor. False, with the error set, if the visitor
 * ends the launch. */
bool wave_service_access(struct wave_core *core, struct wave *wave, const struct wave_lanes *lanes);

/* Passes an access to LDS, or one that is not counted, to the visitor. False as above. */
bool wave_service_show(struct wave_core *core, const struct wave *wave, const struct wave_lanes *lanes,
                       bool shared);

/* Counts the lanes' accesses to LDS, of `elements` elements each. */
void wave_service_shared(struct wave_core *core, struct wave *wave, enum lane_kind kind, uint64_t mask,
                         unsigned elements);

/* Sends the bus words that contain the lanes' LDS accesses, each once, in lane order. */
void wave_service_shared_words(struct wave_core *core, struct wave *wave, uint64_t mask,
                               const uint64_t address[WAVE_LANES], unsigned bytes);

/* Counts a branch on EXEC: the masks of lanes before it and after it. It lasts until all lanes are enabled
 * again. */
void wave_service_branch(struct wave_core *core, struct wave *wave, uint64_t before, uint64_t after);

/* Ends the last branch: counts whether each lane worked on exactly one side. */
void wave_service_join(struct wave_core *core, struct wave *wave);

/* Empties the L1 of a CU. */
void wave_service_invalidate(struct wave_core *core, unsigned unit);

#endif
