/* The command line: one file per command, one row each in the table of main.c. Only this layer prints or
 * exits. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "cli/options/options.h"

#include <stdbool.h>
#include <stddef.h>

struct command {
    const char *name;
    const char *arguments; /* "RECIPE... [-o DIR]" without the options that the table explains */
    const char *summary;   /* one line for `trauma --help` */
    const char *details;   /* a few lines more for `trauma NAME --help`, ending in a newline; may be NULL */
    const char
        *examples; /* lines "  trauma ..." of at most 78 characters, each ending in a newline; may be NULL */
    const char *const *options;            /* long names of its options besides --help, NULL-terminated */
    void (*add_more)(struct buffer *page); /* adds text from another table after the details; may be NULL */

    /* Commands that follow its name, each with options and help of its own, NULL-terminated; their names
     * begin with its name: "measure instruction". NULL: none. */
    const struct command *const *parts;

    bool takes_command; /* what follows "--" is a command line of its own */

    /* Returns the exit code. NULL for a command of parts alone. */
    int (*run)(const struct options *options);
};

extern const struct command command_list;
extern const struct command command_gen;
extern const struct command command_run;
extern const struct command command_check;
extern const struct command command_machine;
extern const struct command command_sensors;
extern const struct command command_plot;
extern const struct command command_report;
extern const struct command command_explain;
extern const struct command command_design;
extern const struct command command_fit;
extern const struct command command_predict;
extern const struct command command_export;
extern const struct command command_diff;
extern const struct command command_merge;
extern const struct command command_patch;
extern const struct command command_measure;
extern const struct command command_events;
extern const struct command command_record;
extern const struct command command_clone;
extern const struct command command_validate;
extern const struct command command_completion;
extern const struct command command_man;

/* ---- parts of commands, in files of their own; an int is the exit code ---- */

/* list --metrics: the table, or with --json a line for each metric. */
int list_metrics(const struct options *options);

/* sensors --events: the tables, or with --json one document, for this processor or the family named as the
 * argument; "all" lists the families. */
int sensors_events(const struct options *options);

/* sensors --measure: the sensors that --power names, or all that are found. */
int sensors_measure(const struct options *options);

/* events --json. */
struct event_trials;
void events_print_lines(const struct event_trials *trials);

enum status machine_probe(const struct options *options, struct error *error);

/* Draws what the results' recipes describe into output, which ends in .svg or .png. Warns of panels that are
 * left out. STATUS_USAGE when there is nothing to draw, STATUS_UNAVAILABLE when none of it was measured. */
enum status plot_results(const struct options *options, const char *results, const char *output,
                         struct error *error);

/* Warns of each thing that killed commands left beside the place of this one's output, with the command that
 * removes it: no command removes what another one made. */
void leftovers_tell(const struct options *options);

/* ---- messages ---- */

/* Prints "trauma: file:line: message" and the hint to stderr; returns the error's exit code. */
int command_fail(const struct error *error);

/* Prints "trauma: warning: ..." to stderr unless -q was given. */
__attribute__((format(printf, 2, 3))) void command_warn(const struct options *options, const char *format,
                                                        ...);

/* Warns that the last line of a results file is incomplete, if it is. */
void command_warn_cut(const struct options *options, const char *path, bool cut);

/* Warns that a meter, or all results, of the file are simulated, and by what, if they are. */
void command_warn_simulated(const struct options *options, const char *path, const json_t *context);

/* Prints each line of the text as a warning. */
void command_warn_lines(const struct options *options, const char *text);

/* Prints a line to stderr about what will happen or has happened. The caller checks -q itself. */
__attribute__((format(printf, 1, 2))) void command_tell(const char *format, ...);

/* As printf, for output that contains others' text: terminal control characters are shown as escapes
 * (base/text/visible.h), except newlines and tabs. */
__attribute__((format(printf, 1, 2))) void command_print(const char *format, ...);

/* Prints the document to stdout: on one line when indent is 0. */
void command_print_json(const json_t *document, int indent);

/* The same of the tree that a json_text has built, which it frees. */
void command_print_tree(const struct json_text *text, int indent);

/* The same on one line; takes the reference. */
void command_print_line(json_t *document);

/* The same for a document's text. */
void command_print_json_text(const char *text);

#endif
