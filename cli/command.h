/* The command line: one file per command, one row each in the table of main.c. Only this floor prints or exits. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/error.h"

struct command {
    const char *name;
    const char *summary; /* one line for `trauma --help` */
    const char *usage;   /* the whole text for `trauma NAME --help` */

    /* argv[0] is the command's name. Returns the exit code. */
    int (*run)(int argc, char **argv);
};

extern const struct command command_list;
extern const struct command command_gen;
extern const struct command command_run;
extern const struct command command_check;
extern const struct command command_machine;
extern const struct command command_sensors;
extern const struct command command_plot;
extern const struct command command_explain;

/* Prints "trauma: file:line: message" and the hint to stderr; returns the error's exit code. */
int command_fail(const struct error *error);

#endif
