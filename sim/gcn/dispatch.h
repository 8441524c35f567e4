/* The dispatcher: assigns work-groups to compute units while there is room. */
#ifndef SIM_GCN_DISPATCH_H
#define SIM_GCN_DISPATCH_H

#include "sim/gcn/wave_state.h"

enum { WAVE_MOST_GROUPS = 40 };

struct wave_dispatch;

struct wave_dispatch *wave_dispatch_new(const struct wave_chip *chip, const struct wave_kernel *kernel,
                                        unsigned threads, unsigned blocks);
void wave_dispatch_free(struct wave_dispatch *dispatch);

/* Finds room for a work-group: fills places [waves] with each wave's place, and *slot with the group's number
 * on the CU. False if there is no room now. */
bool wave_dispatch_place(struct wave_dispatch *dispatch, struct wave_place *places, unsigned *slot);

/* Frees the work-group's room. */
void wave_dispatch_release(struct wave_dispatch *dispatch, const struct wave_place *places, unsigned slot);

#endif
