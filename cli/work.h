/* A command's input: recipes and suites named on the command line, reduced to the points that its options
 * select, each ready to be made or loaded. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"
#include "cli/target_context.h"
#include "generator/machine/machine.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "runner/launch/test_program.h"
#include "runner/state/machine_state.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind { INPUT_RECIPE, INPUT_SUITE, INPUT_RESULTS };

/* One recipe file or one suite. */
struct work_source {
    enum input_kind kind;
    const char *path;  /* the recipe file, or the suite's folder */
    const char *shown; /* name in lists and results */
    uint64_t seed;     /* of a suite: the seed it was made with; of a recipe: --seed */
    struct recipe recipe;
    json_t *index;                         /* of a suite */
    struct machine machine;                /* of a suite */
    unsigned device;                       /* the GPU that its programs run on, if any: devices_find */
    struct target_context *target_context; /* of a recipe: one of the work's target contexts */
};

/* One point. */
struct work_item {
    struct work_source *source;
    const char *recipe; /* the recipe's name in lists */
    const char *benchmark;
    const char *point;
    const struct point *in_recipe; /* NULL: from a suite, */
    const json_t *entry;           /* whose entry this is */
};

enum { WORK_GROUNDS = 3 };

/* What to do with a GPU recipe when -m is not given and no such GPU is here. */
enum work_gpu {
    WORK_GPU_NEEDED,  /* STATUS_UNAVAILABLE */
    WORK_GPU_ANOTHER, /* use a described one, with a warning */
    WORK_GPU_LISTED,  /* use a described one; if -m is given and does not run the recipe, skip it */
};

struct work {
    struct work_source *sources;
    size_t source_count;
    struct work_item *items;
    size_t item_count;
    struct target_context
        target_contexts[WORK_GROUNDS]; /* for recipes; the first: of -m or the present machine */
    struct arena arena;
    struct state_lease lease; /* to set the machine's state (wished_open) */
};

/* Classifies an input: a results file (*.jsonl), a suite (a folder with suite.json), or recipes: a file, a
 * folder, or either's name under recipes/. STATUS_USAGE with the nearest name when it is none of these. */
enum status work_classify(const char *input, enum input_kind *kind, struct error *error);

/* Resolves and reads the inputs and applies --filter, --point, --target, --shard and --set. Without inputs:
 * all shipped recipes with WORK_GPU_LISTED, else STATUS_USAGE. Close with work_close even after an error. */
enum status work_open(const struct options *options, enum work_gpu gpu, struct work *work,
                      struct error *error);

/* Makes the item's program with the machine's calibration, or loads it from its suite (*changed: its files
 * differ from those generated). */
enum status work_program(const struct work_item *item, struct program *program, bool *changed,
                         struct error *error);

/* The recipe's point, or the suite's entry. New reference; NULL with *error filled when it cannot be read. */
json_t *work_document(const struct work_item *item, struct error *error);

/* The same for a recipe's item, with its stored calibration as "calibration". */
json_t *work_tuned_document(const struct work_item *item, struct error *error);

/* Makes the program of a recipe's item. document: the item's, with or without a "calibration". */
enum status work_make(const struct work_item *item, const json_t *document, struct program *program,
                      struct error *error);

/* Writes the program of a recipe's item (program_write). document: the item's. Free it with program_free even
 * after an error. */
enum status work_write(const struct work_item *item, const json_t *document, struct program *program,
                       struct error *error);

/* Finds a point of the source, even if --filter excludes it. False when there is none of that name. */
bool work_find(struct work_source *source, const char *benchmark, const char *point, struct work_item *item);

/* STATUS_UNAVAILABLE when a suite is for a simulator alone: its programs cannot run or be judged here. */
enum status work_check_runnable(const struct work *work, struct error *error);

/* True when the error of work_program concerns this item alone (a damaged program of a suite), so that the
 * other items can proceed. */
bool work_can_go_on(const struct work_item *item, enum status status);

/* The machine that the source's programs are for. */
const struct machine *work_machine(const struct work_source *source);

/* The hash of the part that runs, as in results. */
void work_hash(const struct program *program, char hash[HASH_TEXT_BYTES]);

/* The program in the form that sources judge, measured on the logical processor. It points into the program
 * and the work. */
struct test_program work_test_program(const struct work_item *item, const struct program *program, int cpu);

/* {"recipe","name","title","plot","targets","fit","tags"} of every benchmark. New reference. */
json_t *work_benchmarks(const struct work *work);

void work_close(struct work *work);

#endif
