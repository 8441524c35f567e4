/* Turns messages of a device's compiler into errors at the program's lines. */
#ifndef RUNNER_DEVICES_COMPILER_MESSAGE_H
#define RUNNER_DEVICES_COMPILER_MESSAGE_H

#include "base/error.h"

/* Fills *error, STATUS_FAILED, from the compiler's log: its first message that names a line, without the
 * surrounding words, at that line of the file. Formats: "x, line 12; error : y" (NVIDIA's, Catalyst's) and
 * "x:12:5: error: y" (Clang's: ROCm's, Mesa's), which PoCL writes "error: x:12:5: y". */
void compiler_message_to_error(const char *log, const char *file, struct error *error);

/* The line that a message refers to; 0: none. */
int compiler_message_line(const char *log);

#endif
