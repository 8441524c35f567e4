/* The options of all commands in one table, so that an option is read in the same way everywhere. */
#ifndef CLI_OPTIONS_OPTIONS_H
#define CLI_OPTIONS_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "generator/plan/tuning.h"
#include "generator/recipe/recipe.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPTIONS_MOST = 256, OPTIONS_ROWS = 100 };

/* --threads all */
enum { OPTIONS_ALL = -1 };

/* A parsed command line. A field is named after its option; NULL, 0 and false: not given. All pointers point
 * into argv. */
struct options {
    const char *inputs[OPTIONS_MOST]; /* arguments that are not options, in order */
    size_t input_count;
    struct override overrides[OPTIONS_MOST]; /* --set, split into names and values */
    size_t override_count;
    const char *machine; /* a file or a name; NULL: the present machine */
    const char *target;
    const char *output;
    const char *failed_in; /* only points that did not pass in this results file */
    const char *filter;    /* extended regular expression on "benchmark/point" */
    const char *op;
    const char *node; /* a number or "all" */
    double streams;
    const char *point;
    const char *benchmark;
    const char *x, *y;
    bool intercept, nonnegative;
    const char *channel; /* of power */
    const char *by;
    const char *counters; /* names separated by commas; NULL: all that are usable */
    const char *import;
    const char *as;        /* the simulator whose configuration is printed */
    const char *simulator; /* the simulator that is judged */
    const char *columns;
    const char *power; /* NULL: all that are usable */
    const char *sysfs_root;
    const char *noise; /* of a meter, W, as given */
    const char *idle;  /* an idle-power model */
    const char *figure;
    const char *order; /* "given" or "random"; NULL: the command's own choice */
    const char *junit;
    const char *index; /* NULL: as in the machine file */
    const char *map;   /* NULL: pages keep the program's addresses */
    const char *markers;
    const char *trace; /* the format */
    double passes;     /* of a trace */
    const char *prefix;
    const char *shard;     /* I/N, as given */
    const char *threshold; /* as given */
    const char *replace;
    const char *with;
    const char *field;
    const char *kernel;
    const char *occurrence; /* as given */
    struct plan_tuning tuning;
    double seed; /* a whole number below 2^53 */
    double jobs;
    double cpu;    /* which logical processor */
    double device; /* which GPU */
    double reps;
    double threads; /* or OPTIONS_ALL */
    double time;    /* seconds */
    double phases;
    double interval;      /* seconds */
    char *const *command; /* behind "--", of a command that takes one */
    bool allow_state;
    bool calibrate;
    bool probe;      /* first probe the present machine's caches */
    bool structures; /* probe a core's structures instead of its caches */
    bool no_calibration;
    bool measure; /* how sensors behave */
    bool follow;  /* the trace is still growing */
    bool each;    /* every file is an application */
    bool here;    /* the machine of -m is this host, even if it describes its caches differently */
    bool force;   /* let gen use a folder that contains other files */
    bool schema;
    bool events;
    bool metrics;
    bool marker;
    const char *suite;   /* the folder of the programs that were counted elsewhere */
    const char *counts;  /* a file, or a folder */
    const char *claims;  /* a file */
    const char *against; /* an earlier scorecard */
    const char *badge;   /* a file */
    bool all;
    bool list;
    bool unreached; /* include code that control flow does not reach */
    bool explain;
    bool wide;   /* one row per point */
    bool failed; /* only what did not pass */
    bool as_is;  /* also files of a suite that were changed */
    bool json, csv, tap, strict, resume, dry_run, quiet, verbose, help;
    bool given[OPTIONS_ROWS]; /* by row of the table; options_given looks one up by name */
};

/* Parses argv from argv[1] on. accepted: long names that the command takes, NULL-terminated (NULL: only
 * --help). STATUS_USAGE for an unknown option (with the nearest known one), a missing or wrong value, and an
 * argument that is not UTF-8. Splits the texts of --set in place. */
enum status options_parse(int argc, char **argv, const char *command, const char *const *accepted,
                          struct options *options, struct error *error);

/* True when the command line contains the option, by its long name. */
bool options_given(const struct options *options, const char *name);

/* Refuses options (long names, NULL-terminated) that do not apply to a kind of input, such as "a suite".
 * STATUS_USAGE with the first that was given; why is the hint. */
enum status options_refuse(const struct options *options, const char *const *names, const char *input,
                           const char *why, struct error *error);

/* STATUS_USAGE if "trauma NAME" has no command behind "--", or an argument before it. */
enum status options_check_command(const struct options *options, const char *name, struct error *error);

/* True for a row of "measure" and the command "measure" or "measure instruction". */
bool options_is_of(const char *command, const char *name);

/* An option in words. Texts are constants. */
struct option_words {
    const char *name;     /* without "--" */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag */
    const char *help;     /* its meaning for the command */
};

/* The index-th of the options that the command accepts; false after the last. */
bool options_words(const char *command, const char *const *accepted, size_t index,
                   struct option_words *words);

/* Appends a help line for each option that the command accepts. */
void options_add_help(const char *command, const char *const *accepted, struct buffer *page);

#endif
