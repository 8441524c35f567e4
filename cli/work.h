/* What a command works on: recipes and suites named on the command line, cut down to the points that its
 * options leave, each ready to be made or loaded. */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "base/arena.h"
#include "base/error.h"
#include "cli/options.h"
#include "cli/target_context.h"
#include "generator/machine/machine.h"
#include "generator/recipe/recipe.h"
#include "generator/suite/program.h"
#include "runner/conditions/state.h"
#include "runner/launch/test_program.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum input_kind { INPUT_RECIPE, INPUT_SUITE, INPUT_RESULTS };

/* One recipe file or one suite. */
struct work_source {
    enum input_kind kind;
    const char *path;  /* of the recipe file, or the suite's folder */
    const char *shown; /* as lists and results name it */
    uint64_t seed;     /* of a suite: what it was made with; of a recipe: --seed */
    struct recipe recipe;
    json_t *index;                         /* of a suite */
    struct machine machine;                /* of a suite */
    unsigned device;                       /* which GPU its programs run on, where they do: devices_find */
    struct target_context *target_context; /* of a recipe: one of the work's */
};

/* One point. */
struct work_item {
    struct work_source *source;
    const char *recipe; /* the recipe's name as lists show it */
    const char *benchmark;
    const char *point;
    const struct point *in_recipe; /* NULL: of a suite, */
    const json_t *entry;           /* whose entry this is */
};

enum { WORK_GROUNDS = 3 };

/* What becomes of a recipe for a GPU where -m says none and none is here. */
enum work_gpu {
    WORK_GPU_NEEDED,  /* STATUS_UNAVAILABLE */
    WORK_GPU_ANOTHER, /* a described one stands in, and a warning says so */
    WORK_GPU_LISTED,  /* a described one stands in; -m, where it does not run the recipe, leaves it out */
};

struct work {
    struct work_source *sources;
    size_t source_count;
    struct work_item *items;
    size_t item_count;
    struct target_context
        target_contexts[WORK_GROUNDS]; /* for recipes: the first is that of -m, or the present machine's */
    struct arena arena;
    struct state_lease lease; /* to set the machine's state (wished_open) */
};

/* What the text names: a results file (*.jsonl), a suite (a folder with suite.json), or recipes: a file, a
 * folder, or either's name under recipes/. STATUS_USAGE with the nearest name when it is nothing of these. */
enum status work_classify(const char *input, enum input_kind *kind, struct error *error);

/* Resolves the inputs, reads them and applies --filter, --point, --target, --shard and --set. No input: all
 * shipped recipes with WORK_GPU_LISTED, else STATUS_USAGE. Close with work_close also after an error. */
enum status work_open(const struct options *options, enum work_gpu gpu, struct work *work,
                      struct error *error);

/* Makes the item's program, with what was learnt of the machine, or loads it from its suite (*changed: its
 * files are not those that were generated). */
enum status work_program(const struct work_item *item, struct program *program, bool *changed,
                         struct error *error);

/* The recipe's point, or the suite's entry. New reference; NULL with *error filled when it cannot be read. */
json_t *work_document(const struct work_item *item, struct error *error);

/* The same, of a recipe's item with what was learnt of it as its "calibration". */
json_t *work_tuned_document(const struct work_item *item, struct error *error);

/* Makes the program of a recipe's item. document: the item's, perhaps with a "calibration". */
enum status work_make(const struct work_item *item, const json_t *document, struct program *program,
                      struct error *error);

/* Writes the program of a recipe's item (program_write). document: the item's. Free it with program_free also
 * after an error. */
enum status work_write(const struct work_item *item, const json_t *document, struct program *program,
                       struct error *error);

/* The point of the source, also where --filter leaves it out. False when it has none of that name. */
bool work_find(struct work_source *source, const char *benchmark, const char *point, struct work_item *item);

/* STATUS_UNAVAILABLE when a suite is for a simulator alone: its programs cannot be run or judged here. */
enum status work_check_runnable(const struct work *work, struct error *error);

/* True when the error of work_program is the item's own, a damaged program of a suite: the other items may
 * serve all the same. */
bool work_can_go_on(const struct work_item *item, enum status status);

/* The machine that the source's programs are for. */
const struct machine *work_machine(const struct work_source *source);

/* The hash of the part that is run, as results name it. */
void work_hash(const struct program *program, char hash[HASH_TEXT_BYTES]);

/* The program as what sources judge, measured on the logical processor. It points into the program and the
 * work. */
struct test_program work_test_program(const struct work_item *item, const struct program *program, int cpu);

/* {"recipe","name","title","plot","targets","fit","tags"} of every benchmark. New reference. */
json_t *work_benchmarks(const struct work *work);

void work_close(struct work *work);

#endif
