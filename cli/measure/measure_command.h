/* The questions of `trauma measure`, each a command of its own, and what those have in common that a recipe
 * answers. */
#ifndef CLI_MEASURE_MEASURE_COMMAND_H
#define CLI_MEASURE_MEASURE_COMMAND_H

#include "cli/command.h"

#include "runner/results/result_point.h"

extern const struct command measure_instruction;
extern const struct command measure_cores;
extern const struct command measure_sharing;
extern const struct command measure_loaded;

/* A question that the recipe of its name answers, recipes/measure/NAME.lua. */
struct measure_recipe {
    const char *command;          /* "measure latency" */
    const char *recipe;           /* another one's name; NULL: its own */
    const char *const *ops;       /* the three words of --op, then NULL; NULL: it has no such option */
    bool mixes;                   /* --op may be N:M, too */
    double time_s, reps;          /* where the command line has none; 0: the recipe's */
    const char *counters, *power; /* where it has none; NULL: all that are usable */
    bool shares;                  /* first probes what a core has of shared caches now */
    const char *filter;           /* only points whose name begins so, those of --filter too; NULL: all */
    const char
        *nodes; /* the benchmark of measure/nodes.lua that --node runs; NULL: --node sets the recipe's node */
    bool pairs; /* times many pairs of cores at once, where nothing asks for more */
    void (*print)(const struct result_points *points);       /* the table of all points */
    void (*print_json)(const struct result_points *points);  /* NULL: --json prints the points */
    void (*print_nodes)(const struct result_points *points); /* the table with --node; NULL: print */
    void (*print_csv)(const struct result_points *points);   /* with --csv */
};

/* The options of such a question, beside its own, for its list. */
#define MEASURE_RECIPE_OPTIONS                                                                               \
    "machine", "output", "json", "figure", "set", "filter", "reps", "time", "counters", "power",             \
        "sysfs-root", "resume", "probe", "quiet", "verbose"

/* Runs the recipe and prints: the table or, with --json, one point per line. -o keeps the results; --figure
 * draws the recipe's plot. Returns the exit code, as `trauma run`. */
int measure_recipe(const struct options *options, const struct measure_recipe *question);

#endif
