/* What a process meets when the system gives no more of something: which limit it is, and how much it allows.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#include <stdbool.h>

enum { LIMITS_BYTES = 200 };

/* Writes "there is no more memory: `ulimit -v` allows 90000 KiB of address space", or without a limit "there
 * is no more memory on this machine", and returns the text. It asks the system alone, so that a signal's
 * handler may call it. */
const char *limits_say_memory(char text[LIMITS_BYTES]);

/* Writes "`ulimit -n` allows 16", of open files, and returns the text. */
const char *limits_say_files(char text[LIMITS_BYTES]);

/* Writes what strerror says of an errno and, of one that a limit makes, which: "Too many open files: `ulimit
 * -n` allows 16". Returns the text. */
const char *limits_say(int failure, char text[LIMITS_BYTES]);

/* True where the text tells of too many open files and names no limit. */
bool limits_unsaid(const char *text);

#endif
