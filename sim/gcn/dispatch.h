/* The dispatcher: which work-group goes to which compute unit, and what there is room for. */
#ifndef SIM_GCN_DISPATCH_H
#define SIM_GCN_DISPATCH_H

#include "sim/gcn/state.h"

enum { WAVE_SIMDS = 4, WAVE_MOST_GROUPS = 40 };

struct wave_dispatch;

struct wave_dispatch *wave_dispatch_new(const struct wave_machine *machine, const struct wave_kernel *kernel,
                                        unsigned threads);
void wave_dispatch_free(struct wave_dispatch *dispatch);

/* Finds room for a work-group: places [waves] gets where each goes, and *slot the group's number on the CU.
 * False when there is none now. */
bool wave_dispatch_place(struct wave_dispatch *dispatch, struct wave_place *places, unsigned *slot);

/* Gives the room of a work-group back. */
void wave_dispatch_release(struct wave_dispatch *dispatch, const struct wave_place *places, unsigned slot);

#endif
