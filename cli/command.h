/* The command line: each command is a file, and a row in the table of commands.c. Only this layer prints or
 * exits. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "cli/options/options.h"

#include "runner/results/results_context.h"

#include <stdbool.h>
#include <stddef.h>

struct command {
    const char *name;
    const char *arguments; /* of the usage line: "RECIPE... [-o DIR]" */
    const char *summary;   /* one line for `trauma --help` */

    /* Text for `trauma NAME --help`, ending in a newline; NULL: none. */
    const char *details;
    void (*add_more)(struct buffer *page); /* appends to the details; NULL: nothing */
    const char *examples;                  /* lines "  trauma ..." of at most 78 characters */

    const char *const *options; /* long names of its options besides --help, NULL-terminated */

    /* Its subcommands, NULL-terminated, each with its own options and help; their names begin with its name:
     * "measure instruction". NULL: none. */
    const struct command *const *parts;

    bool takes_command; /* the words after "--" are another command line */

    /* Returns the exit code. NULL: the command needs a subcommand. */
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

/* ---- parts of commands that are files of their own; an int is the exit code ---- */

/* list --metrics: the table, or with --json a line for each metric. */
int list_metrics(const struct options *options);

/* sensors --events [NAME]: the tables, or with --json one document, for this processor or the named family or
 * machine; "all" lists the families. */
int sensors_events(const struct options *options);

/* sensors --measure: measures the sensors that --power names, or all that are found. */
int sensors_measure(const struct options *options);

/* machine probe. */
enum status machine_probe(const struct options *options, struct error *error);

/* Draws the figures that the results' recipes describe into output, which ends in .svg or .png. Warns of
 * panels that are left out. STATUS_USAGE if no recipe describes a figure, STATUS_UNAVAILABLE if the results
 * lack its data. */
enum status plot_results(const struct options *options, const char *results, const char *output,
                         struct error *error);

/* Warns of each file or folder that a killed command left beside this one's output, and names the command
 * that removes it: no command removes what another one made. */
void leftovers_warn(const struct options *options);

/* ---- messages ---- */

/* Prints "trauma: file:line: message" and the hint to stderr; returns the error's exit code. */
int command_fail(const struct error *error);

/* Prints "trauma: warning: ..." to stderr unless -q was given. */
__attribute__((format(printf, 2, 3))) void command_warn(const struct options *options, const char *format,
                                                        ...);

/* Warns that the last line of a results file is incomplete, if it is. */
void command_warn_cut(const struct options *options, const char *path, bool cut);

/* Warns if the file's results, or those of a meter, are simulated, and states by what. */
void command_warn_simulated(const struct options *options, const char *path,
                            const struct simulated *simulated);

/* Prints each line of the text as a warning. */
void command_warn_lines(const struct options *options, const char *text);

/* Prints a line to stderr about what will happen or has happened. The caller checks -q. */
__attribute__((format(printf, 1, 2))) void command_note(const char *format, ...);

/* As printf, for output that contains text of others: terminal control characters are printed as escapes
 * (base/text/visible.h), except newlines and tabs. */
__attribute__((format(printf, 1, 2))) void command_print(const char *format, ...);

/* Prints the document to stdout: on one line when indent is 0. */
void command_print_json(const json_t *document, int indent);

/* Prints the text of one or several documents, and frees it. */
void command_print_json_lines(struct buffer *lines);

/* Prints the tree that a json_text has built, and frees it. */
void command_print_tree(const struct json_text *text, int indent);

/* Prints the text of a document. */
void command_print_json_text(const char *text);

#endif
