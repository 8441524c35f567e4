/* The rates of the data that a GPU program loads, in program order and in orders in which hardware may serve
 * words. */
#ifndef RUNNER_SOURCES_GPU_GRID_DEALT_H
#define RUNNER_SOURCES_GPU_GRID_DEALT_H

#include "runner/sources/gpu/grid_manifest.h"
#include "runner/sources/source.h"
#include "sim/bus.h"
#include "sim/demand_memory.h"

/* The words of the bus that a launch's loads access. */
struct grid_touched;

struct grid_touched *grid_touched_new(const struct grid_manifest *manifest);
void grid_touched_free(struct grid_touched *touched);

/* Notes the access, if it is a timed load of global memory. */
void grid_touched_note(struct grid_touched *touched, const struct lane_access *access);

/* Counts the noted words by address; data holds them. */
void grid_touched_count(const struct grid_touched *touched, struct demand_memory *data,
                        struct bus_count *count);

/* Adds the rates of toggles and of ones in program order, and the rate of toggles in the order that differs
 * most from the manifest's target, or else from program order. */
void grid_dealt_observe(const struct counter_source *source, const struct manifest *manifest,
                        const struct bus_count *orders, unsigned count, struct observations *list);

#endif
