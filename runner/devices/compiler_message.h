/* Converts messages of a device's compiler to errors at lines of the program. */
#ifndef RUNNER_DEVICES_COMPILER_MESSAGE_H
#define RUNNER_DEVICES_COMPILER_MESSAGE_H

#include "base/error.h"

/* Fills *error, STATUS_FAILED, from the compiler's log: the text of its first message that names a line, at
 * that line of the file. Formats: "x, line 12; error : y" (NVIDIA, Catalyst), "x:12:5: error: y" (Clang, in
 * ROCm and Mesa) and "error: x:12:5: y" (PoCL). */
void compiler_message_to_error(const char *log, const char *file, struct error *error);

/* The line of that message; 0: no message names one. */
int compiler_message_line(const char *log);

#endif
