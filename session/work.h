/* A session's work: the selected points of recipes and suites, ready to be generated or loaded. */
#ifndef SESSION_WORK_H
#define SESSION_WORK_H

#include "base/arena.h"
#include "base/error.h"
#include "generator/machine/machine.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "generator/suite/suite.h"
#include "runner/launch/test_program.h"
#include "runner/state/machine_state.h"
#include "session/target_context.h"
#include "session/target_request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind { INPUT_RECIPE, INPUT_SUITE, INPUT_RESULTS };

/* One recipe file or one suite. */
struct work_source {
    enum input_kind kind;
    const char *path;  /* the recipe file, or the suite's folder */
    const char *shown; /* name in lists and results */
    uint64_t seed;     /* of a suite: the seed it was made with */
    struct recipe recipe;
    struct suite_index index;              /* of a suite */
    struct machine machine;                /* of a suite */
    enum page_map map;                     /* where simulators place its programs' pages */
    unsigned device;                       /* number of the GPU that its programs run on, if any */
    struct target_context *target_context; /* of a recipe: one of the work's target contexts */
};

/* One point. */
struct work_item {
    struct work_source *source;
    const char *recipe; /* the recipe's name in lists */
    const char *benchmark;
    const char *point;
    const struct point *in_recipe;   /* NULL: the point is from a suite */
    const struct suite_entry *entry; /* its entry in the suite; NULL: the point is from a recipe */
    size_t index;                    /* among all points of the inputs, in their order */
};

enum { WORK_CONTEXTS = 5 }; /* one for each target */

/* What to do with a GPU recipe when no machine is named and no such GPU is here. */
enum work_gpu {
    WORK_GPU_NEEDED,  /* STATUS_UNAVAILABLE */
    WORK_GPU_ANOTHER, /* use a described one, with a warning */
    WORK_GPU_LISTED,  /* use a described one; skip a recipe that a named machine does not run */
};

struct override_list {
    const struct override *items;
    size_t count;
};

/* Which points a command works on. */
struct selection {
    const char *const *inputs; /* recipes and suites (work_classify) */
    size_t input_count;
    struct override_list overrides; /* of sweep parameters */
    const char *failed_in;          /* only points that did not pass in this results file; NULL: all */
    const char *filter;             /* extended regular expression on "benchmark/point"; NULL: all */
    const char *point;              /* "point" or "benchmark/point"; NULL: all */
    const char *target;             /* only points of this target; NULL: all */
    const char *shard;              /* "I/N"; NULL: Slurm's job array, if any, else all */
    uint64_t seed;                  /* of the programs that recipes generate */
    enum work_gpu gpu;
};

struct work {
    const struct selection *selection;
    const struct target_request *request;
    struct work_source *sources;
    size_t source_count;
    struct work_item *items;
    size_t item_count;
    struct target_context
        target_contexts[WORK_CONTEXTS]; /* for recipes; the first is that of -m, or of the present machine */
    struct arena arena;
    struct state_lease lease; /* on the machine's state (requested_state_open) */
};

/* Classifies an input: a results file (*.jsonl), a suite (a folder with suite.json), or recipes (a file, a
 * folder, or the name of one under recipes/). STATUS_USAGE for a JSON document or a missing results file. */
enum status work_classify(const char *input, enum input_kind *kind, struct error *error);

/* Resolves and reads the inputs and selects their points. Without inputs: all shipped recipes with
 * WORK_GPU_LISTED, else STATUS_USAGE. STATUS_RECIPE if all selected points are refused, as their kernels are
 * impossible. selection and request must outlive the work. Close with work_close even after an
 * error. */
enum status work_open(const struct selection *selection, const struct target_request *request,
                      struct work *work, struct error *error);

/* If a machine of the work is a GPU, finds the requested device and marks the machines that describe it as
 * present. STATUS_UNAVAILABLE, with the remedy, when there is no device and all of the work needs one. error
 * may be NULL. */
enum status work_find_devices(struct work *work, struct error *error);

/* True when all of the work runs on devices, so that no processor is measured. */
bool work_is_on_devices(const struct work *work);

/* STATUS_RECIPE if the item is refused before it is planned: its kernel is impossible, or its suite records
 * it as refused. */
enum status work_refusal(const struct work_item *item, struct error *error);

/* Makes the item's program with the machine's calibration, or loads it from its suite. *changed: the suite's
 * files were changed after they were generated. STATUS_RECIPE if the point is refused. */
enum status work_program(const struct work_item *item, struct program *program, bool *changed,
                         struct error *error);

/* The recipe's point (manifest_read.h), or as much of it as the suite's entry states. Free it with
 * manifest_free; NULL with *error filled when it cannot be read. */
struct manifest *work_point(const struct work_item *item, struct error *error);

/* As work_point; a recipe's point also has its stored calibration. */
struct manifest *work_tuned_point(const struct work_item *item, struct error *error);

/* The two logical processors of an item whose place is a pair of cores; false for other items. */
bool work_pair(const struct work_item *item, int cpus[2]);

/* Makes the program of a recipe's item from its point, with or without a calibration. Free the program with
 * program_free even after an error. */
enum status work_make(const struct work_item *item, const struct manifest *point, struct program *program,
                      struct error *error);

/* Finds a point of the source by name, selected or not. False when there is none. */
bool work_find(struct work_source *source, const char *benchmark, const char *point, struct work_item *item);

/* STATUS_UNAVAILABLE when a suite's programs are for a simulator only and cannot run here. */
enum status work_check_runnable(const struct work *work, struct error *error);

/* True when the status of work_program concerns this item alone, so that work on other items can continue:
 * the point is refused, or its program in the suite is damaged. */
bool work_can_go_on(const struct work_item *item, enum status status);

/* Reduces an error of work_program to the reason that results and suites record: removes the item's name and
 * appends the hint. */
void work_reduce(const struct work_item *item, struct error *error);

/* The machine that the source's programs are for. */
const struct machine *work_machine(const struct work_source *source);

/* The hash of the program's part that runs, as recorded in results. */
void work_hash(const struct program *program, char hash[HASH_TEXT_BYTES]);

/* The program as sources take it, to be measured on the logical processor cpu. It points into the program and
 * the work. */
struct test_program work_test_program(const struct work_item *item, const struct program *program, int cpu);

/* The index-th benchmark of all inputs; false after the last. */
bool work_benchmark(const struct work *work, size_t index, struct suite_benchmark *found);

void work_close(struct work *work);

#endif
