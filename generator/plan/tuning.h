/* What calibration moves in a plan: how deep its conflicts are, and which rates it aims at so that a machine
 * shows the ones asked for (DESIGN.md section 6). All zeros is the plan as its recipe and the cache model
 * have it. */
#ifndef GENERATOR_PLAN_TUNING_H
#define GENERATOR_PLAN_TUNING_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/kernel/kernel.h"
#include "generator/machine/machine.h"

#include <jansson.h>
#include <stdbool.h>

/* Rates with an aim of their own; those of caches in the order of enum memory_level. */
enum tuning_rate { TUNING_L1D, TUNING_L2, TUNING_L3, TUNING_BRANCH, TUNING_RATES };

struct plan_tuning {
    /* Lines of a set that shall miss, in times the ways of that cache, whatever the cache model says of them;
     * 0: as the model finds good. */
    double depth;
    bool aimed[TUNING_RATES];
    double aim[TUNING_RATES]; /* where aimed: misses per access, or per branch */
};

struct plan;

/* The metric of an aim: "l1d.miss_rate". Static text. */
const char *tuning_metric(enum tuning_rate rate);

/* The most that an aim may be. */
double tuning_most(enum tuning_rate rate);

/* False for one that changes nothing. */
bool tuning_is_set(const struct plan_tuning *tuning);

bool tuning_same(const struct plan_tuning *a, const struct plan_tuning *b);

/* Sets what {"depth", "aim": {metric: rate}} says and leaves the rest. STATUS_USAGE, with the field, what was
 * found and what was expected; file is named in errors. */
enum status tuning_from_json(const json_t *document, const char *file, struct plan_tuning *tuning,
                             struct error *error);

/* The same document; {} where nothing is set. New reference. */
json_t *tuning_to_json(const struct plan_tuning *tuning);

/* Sets "depth" or the aim of a metric by name. STATUS_USAGE for an unknown name, with the nearest, or a value
 * that it cannot have. */
enum status tuning_set(struct plan_tuning *tuning, const char *name, double value, struct error *error);

/* "depth 3, l1d.miss_rate aimed at 0.41", or "the plan's own" where nothing is set. Returns text. */
const char *tuning_describe(const struct plan_tuning *tuning, char *text, size_t capacity);

/* The kernel with its shares moved so that all accesses (branches) together come to the aims; what always or
 * never misses stays as it is. The items are from the arena. */
struct kernel tuning_aim(const struct plan_tuning *tuning, const struct kernel *kernel,
                         const struct machine *machine, struct arena *arena);

/* Gives the aimed kernel a loop of that size, and shares that come out in it: aims that differ by a little
 * then make programs that differ by a few accesses, and not in their shape. */
void tuning_keep_size(struct kernel *aimed, unsigned units, unsigned period);

/* Lets a plan that was made of an aimed kernel promise what the kernel asks for. The kernel must outlive the
 * plan. */
void tuning_promise(struct plan *plan, const struct kernel *asked);

#endif
