/* The questions of `trauma measure`, each a command of its own, and the common code of those that a recipe
 * answers. */
#ifndef CLI_MEASURE_MEASURE_COMMAND_H
#define CLI_MEASURE_MEASURE_COMMAND_H

#include "cli/command.h"

#include "runner/results/result_point.h"

extern const struct command measure_instruction;
extern const struct command measure_cores;
extern const struct command measure_sharing;
extern const struct command measure_loaded;

/* A question that a recipe answers. */
struct measure_recipe {
    const char *command;          /* "measure latency" */
    const char *recipe;           /* NULL: the one of its name, measure/latency */
    const char *const *ops;       /* the three words of --op, then NULL; NULL: it has no such option */
    bool mixes;                   /* --op may also be N:M */
    double time_s, reps;          /* defaults; 0: the recipe's */
    const char *counters, *power; /* defaults; NULL: all that are usable */
    bool shares;                  /* first probe the present share of a core in shared caches */
    const char *filter;           /* only points whose name begins so; NULL: all */
    const char *nodes;            /* with --node, the benchmark of measure/nodes.lua; NULL: sets "node" */
    bool pairs;                   /* time many pairs of cores at once, unless an option prevents it */

    void (*print)(const struct result_points *points);       /* the table of all points */
    void (*print_json)(const struct result_points *points);  /* NULL: --json prints the points */
    void (*print_nodes)(const struct result_points *points); /* the table with --node; NULL: print */
    void (*print_csv)(const struct result_points *points);   /* with --csv */
};

/* The options of every such question, for its list. */
#define MEASURE_RECIPE_OPTIONS                                                                               \
    "machine", "output", "json", "figure", "set", "filter", "reps", "time", "counters", "power",             \
        "sysfs-root", "resume", "probe", "quiet", "verbose"

/* Runs the recipe and prints the table or, with --json, one point per line. -o keeps the results; --figure
 * draws the recipe's plot. Returns the exit code, as `trauma run`. */
int measure_recipe(const struct options *options, const struct measure_recipe *question);

#endif
