/* The options of all commands in one table, so that each has the same meaning everywhere. */
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

/* A parsed command line. All pointers point into argv. */
/* --threads all */
enum { OPTIONS_ALL = -1 };

struct options {
    const char *inputs[OPTIONS_MOST]; /* arguments that are not options, in order */
    size_t input_count;
    struct override overrides[OPTIONS_MOST]; /* --set, split into names and values */
    size_t override_count;
    const char *machine;         /* -m: a file or a name; NULL: the present machine */
    const char *target;          /* -t */
    const char *output;          /* -o */
    const char *failed_in;       /* --failed-in: only points that did not pass in this results file */
    const char *filter;          /* --filter: extended regular expression on "benchmark/point" */
    const char *op;              /* --op: read, write or copy; NULL: all */
    const char *node;            /* --node: a number or "all"; NULL: not given */
    double streams;              /* --streams; 0: not given */
    const char *point;           /* --point */
    const char *benchmark;       /* --benchmark */
    const char *x, *y;           /* --x NAME, --y METRICS */
    bool intercept, nonnegative; /* --intercept, --nonnegative */
    const char *channel;         /* --channel: of power */
    const char *by;              /* --by NAME */
    const char *counters;        /* --counters: names separated by commas; NULL: all that are usable */
    const char *import;          /* --import FILE; NULL: none */
    const char *as;              /* --as NAME: a simulator; NULL: none */
    const char *simulator;       /* --simulator NAME: it is judged; NULL: none */
    const char *columns;         /* --columns NAME=METRIC,...; NULL: none */
    const char *power;           /* --power; NULL: all that are usable */
    const char *sysfs_root;
    const char *noise;         /* --noise: of a meter, W, as given; NULL: not given */
    const char *idle;          /* --idle: an idle-power model */
    const char *figure;        /* --figure: file for the picture */
    const char *order;         /* --order: "given" or "random"; NULL: the command's own choice */
    const char *junit;         /* --junit FILE */
    const char *index;         /* --index: how caches behind L1 are indexed; NULL: as in the machine file */
    const char *map;           /* --map: where simulators put pages; NULL: nowhere else */
    const char *markers;       /* --markers: a simulator's region markers; NULL: none */
    const char *trace;         /* --trace: the format of a trace beside each program; NULL: none */
    double passes;             /* --passes, of a trace; 0: not given */
    const char *prefix;        /* --prefix: of the names that objects export; NULL: the usual one */
    const char *shard;         /* --shard I/N, as given */
    const char *threshold;     /* --threshold, as given */
    const char *replace;       /* --replace WORD or TEXT */
    const char *with;          /* --with TEXT */
    const char *field;         /* --field NAMES */
    const char *kernel;        /* --kernel */
    const char *occurrence;    /* --occurrence, as given */
    struct plan_tuning tuning; /* --tune */
    double seed;               /* a whole number below 2^53 */
    double jobs;               /* -j; 0: not given */
    double cpu;                /* --cpu: which logical processor */
    double device;             /* --device: which GPU */
    double reps;               /* 0: not given */
    double threads;            /* --threads; 0: not given */
    double time;               /* seconds; 0: not given */
    double phases;             /* --phases; 0: not given */
    double interval;           /* --interval: seconds; 0: not given */
    char *const *command;      /* behind "--", of a command that takes one; NULL: none */
    bool allow_state;          /* --allow-state */
    bool calibrate;            /* --calibrate */
    bool probe;                /* --probe: first probe the present machine's caches */
    bool structures;           /* --structures: of a core, probed instead of its caches */
    bool no_calibration;       /* --no-calibration: ignore the stored calibration */
    bool measure;              /* --measure: what sensors report and how often */
    bool follow;               /* --follow: a trace that is still growing */
    bool each;                 /* --each: every file is an application */
    bool here;    /* --here: the machine of -m is this host, even if it describes its caches differently */
    bool force;   /* --force: let gen use a folder that contains other things */
    bool schema;  /* --schema */
    bool events;  /* --events */
    bool metrics; /* --metrics */
    bool marker;  /* --marker */
    const char *suite;   /* --suite DIR: programs that were counted elsewhere */
    const char *counts;  /* --counts FILE */
    const char *claims;  /* --claims FILE */
    const char *against; /* --against FILE: an earlier scorecard */
    const char *badge;   /* --badge FILE */
    bool all;            /* --all */
    bool list;           /* --list: what can be patched in a binary */
    bool unreached;      /* --unreached: include code that control flow does not reach */
    bool explain;        /* --explain */
    bool wide;           /* --wide: one row per point */
    bool failed;         /* --failed: only what did not pass */
    bool as_is;          /* --as-is: files of a suite that were changed, too */
    bool json, csv, tap, strict, resume, dry_run, quiet, verbose, help;
    bool given[OPTIONS_ROWS]; /* by row of the table; options_given looks one up by name */
};

/* Parses argv from argv[1] on. accepted: long names that the command takes, NULL-terminated (NULL: only
 * --help). STATUS_USAGE for an unknown option (with the nearest known one), a missing or wrong value, and a
 * word that is not UTF-8. Splits the texts of --set in place. */
enum status options_parse(int argc, char **argv, const char *command, const char *const *accepted,
                          struct options *options, struct error *error);

/* True when the command line contains the option, by its long name. */
bool options_given(const struct options *options, const char *name);

/* Refuses options (long names, NULL-terminated) that do not apply to such an input: "a suite". STATUS_USAGE
 * with the first that was given; why says what applies instead. */
enum status options_refuse(const struct options *options, const char *const *names, const char *input,
                           const char *why, struct error *error);

/* An option in words. Texts are constants. */
struct option_words {
    const char *name;     /* without "--" */
    char letter;          /* 0: none */
    const char *argument; /* NULL: a flag */
    const char *help;
};

/* The index-th of the accepted options; false after the last. */
bool options_words(const char *const *accepted, size_t index, struct option_words *words);

/* Appends a help line for each of the accepted options. */
void options_add_help(const char *const *accepted, struct buffer *page);

#endif
