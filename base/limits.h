/* Resource exhaustion: describes the limit that was reached, and how much it allows. */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>

enum { LIMITS_BYTES = 200 };

/* Writes "there is no more memory: `ulimit -v` allows 90000 KiB of address space", or without a limit "there
 * is no more memory on this machine", and returns the text. Makes only system calls, so a signal handler may
 * call it. */
const char *limits_describe_memory(char text[LIMITS_BYTES]);

/* Writes "`ulimit -n` allows 16" for open files, and returns the text. */
const char *limits_describe_files(char text[LIMITS_BYTES]);

/* Writes strerror's text for an errno and, if a limit causes it, the limit: "Too many open files: `ulimit -n`
 * allows 16". Returns the text. */
const char *limits_describe(int failure, char text[LIMITS_BYTES]);

/* True if the text reports too many open files without naming the limit. */
bool limits_are_unnamed(const char *text);

#endif
