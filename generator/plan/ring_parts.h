/* Parts of rings.h's layout that need no search: walks through a working set, and what always hits. */
#ifndef GENERATOR_PLAN_RING_PARTS_H
#define GENERATOR_PLAN_RING_PARTS_H

#include "generator/plan/palette.h"
#include "generator/plan/rings.h"

/* The walk's lines from start (bytes from the data) on; line is that of L1D, in bytes. */
void rings_write_walk(const struct ring_request *wanted, unsigned line, uint64_t start, struct random *random,
                      struct arena *arena, struct ring *ring);

/* Fills hot and state of the layout, from the row `first` on, in colors that it takes; rings_left rings need
 * a color each after it. STATUS_RECIPE, and layout->hot_room, when L1D has no room. */
enum status rings_place_hot(const struct rings_request *request, struct palette *palette, unsigned rings_left,
                            uint64_t first, struct arena *arena, struct rings_layout *layout,
                            struct error *error);

#endif
