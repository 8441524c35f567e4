/* The table of all commands, and their texts for --help, the manual and the shells. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "base/buffer.h"
#include "cli/command.h"

/* NULL-terminated, in the order of the overview. */
extern const struct command *const commands_all[];

/* The last word of the name: "instruction" of "measure instruction". */
const char *commands_last_word(const struct command *command);

/* The command of the list whose name ends in this word, or NULL. */
const struct command *commands_find(const struct command *const *list, const char *name);

/* Appends a line for each command of the list. */
void commands_add_list(const struct command *const *list, struct buffer *page);

/* Appends the text of `trauma NAME --help`, unwrapped. */
void commands_describe(const struct command *command, struct buffer *page);

/* Appends the details and the list of subcommands. */
void commands_add_details(const struct command *command, struct buffer *page);

#endif
