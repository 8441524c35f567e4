/* Makes the plan: sizes the loop, chooses slots, places and data, and predicts the rates, until the expected
 * rates meet the targets. How a rate becomes addresses, for load{ served_by = { L1 = 0.7, L2 = 0.3 } }:
 * 1. plan_set_targets (plan_rates.h) records what the recipe promises: l1d.miss_rate 0.3.
 * 2. sizing_choose (sizing.h) chooses the units of a pass and the passes of a period in which 0.3 is a whole
 *    number of misses. It counts the accesses that each level serves in every pass (`served`). The rest, one
 *    access each, follow a `schedule` of levels over the passes.
 * 3. eviction_layout_place (memory/eviction_layout.h) places the lines that must miss L1D and hit L2. What
 *    sets of L1D cannot provide, such as loads that L3 serves, goes to memory/rotating_layout.h.
 * 4. plan_arrange (memory/plan_places.h) chooses the level of each access of a pass. Each instance of a
 *    behaviour becomes a slot, and plan_place_accesses assigns a line to each access: an offset in the data,
 *    from a base if the line moves between passes.
 * 5. plan_fill_data (data/plan_data.h) chooses the words of the data.
 * 6. plan_simulate (plan_rates.h) runs the accesses through the cache model. While the expected rates are too
 *    far from the targets, steps 2 to 6 are repeated with more lines per set or with other aims. */
#ifndef GENERATOR_PLAN_PLAN_MAKE_H
#define GENERATOR_PLAN_PLAN_MAKE_H

#include "generator/plan/plan.h"

/* Limits on accesses in the cache model: MOST_SIMULATED for one loop (some seconds), and SEARCH_SIMULATED
 * after which the search for a better loop stops. They count accesses, not seconds, so that plans are the
 * same on every host. */
#define PLAN_MOST_SIMULATED (UINT64_C(1) << 28)
#define PLAN_SEARCH_SIMULATED (UINT64_C(1) << 26)

/* Makes the plan. kernel and machine must outlive it. STATUS_RECIPE with the reason if a rate cannot be
 * reached. Free it with plan_free even after an error. */
enum status plan_make(const struct kernel *kernel, const struct machine *machine,
                      const struct template *templates, const struct plan_options *options, struct plan *plan,
                      struct error *error);

/* Puts the loop's slots in the attempt-th random order (0 is plan_make's) and places their accesses again;
 * sizes and counts stay. options: those of plan_make. */
enum status plan_shuffle(struct plan *plan, const struct isa *isa, const struct plan_options *options,
                         unsigned attempt, struct error *error);

/* False if the loop misses a rate in its present order. The order affects the miss rate of the data TLB, and
 * the toggle rate of data that hardware distributes over ports or channels. */
bool plan_keeps_rates(struct plan *plan);

#endif
