/* The adjustments that calibration makes to a plan: the depth of its conflicts, and the rates that it aims at
 * so that the requested ones are observed on a machine (DESIGN.md section 6). All zeros: the plan follows its
 * recipe and the cache model. */
#ifndef GENERATOR_PLAN_TUNING_H
#define GENERATOR_PLAN_TUNING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <stdbool.h>

/* Rates that can have an aim; cache rates in the order of enum memory_level. */
enum tuning_rate { TUNING_L1D, TUNING_L2, TUNING_L3, TUNING_BRANCH, TUNING_RATES };

struct plan_tuning {
    /* Lines in a set that must miss, in multiples of that cache's ways; 0: the plan searches with the cache
     * model. */
    double depth;
    bool aimed[TUNING_RATES];
    double aim[TUNING_RATES]; /* if aimed: misses per access, or per branch */
};

/* A point's tuning, and where it comes from. */
struct plan_calibration {
    bool given;
    const char *source, *kind; /* of the evidence it is based on; NULL: tuned by hand */
    bool tuned;                /* this version could read the tuning */
    struct plan_tuning tuning;
};

/* The metric of the rate: "l1d.miss_rate". Static text. */
const char *tuning_metric(enum tuning_rate rate);

/* The highest aim that can be set for the rate. */
double tuning_most(enum tuning_rate rate);

/* True if it has a depth or an aim. */
bool tuning_is_set(const struct plan_tuning *tuning);

bool tuning_same(const struct plan_tuning *a, const struct plan_tuning *b);

/* Copies what `with` sets into the tuning. */
void tuning_override(struct plan_tuning *tuning, const struct plan_tuning *with);

/* Sets "depth" or the aim of a metric by name. STATUS_USAGE for an unknown name, with the nearest known one,
 * or an invalid value. */
enum status tuning_set(struct plan_tuning *tuning, const char *name, double value, struct error *error);

/* "depth 3, l1d.miss_rate aimed at 0.41", or "the plan's own" if nothing is set. Returns text. */
const char *tuning_describe(const struct plan_tuning *tuning, char *text, size_t capacity);

/* The kernel with its shares adjusted so that all accesses, or all branches, together reach the aims.
 * Behaviours that always or never miss are unchanged. The items are from the arena. */
struct kernel tuning_aim(const struct plan_tuning *tuning, const struct kernel *kernel,
                         const struct machine *machine, struct arena *arena);

/* Fixes the aimed kernel's loop at that size, and rounds its shares to ones that are exact in it. Programs
 * for slightly different aims then differ by a few accesses, but not in shape. */
void tuning_keep_size(struct kernel *aimed, unsigned units, unsigned period);

#endif
