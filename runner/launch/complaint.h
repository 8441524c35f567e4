/* What a device's compiler complains of, as an error at the line of the program. */
#ifndef RUNNER_LAUNCH_COMPLAINT_H
#define RUNNER_LAUNCH_COMPLAINT_H

#include "base/error.h"

/* Fills *error, STATUS_FAILED, from the compiler's log: its first complaint that names a line, without the
 * words around it, at that line of the file. Lines are told as "x, line 12; error : y" (NVIDIA's, Catalyst's)
 * and "x:12:5: error: y" (Clang's: ROCm's, Mesa's), which PoCL writes
 * "error: x:12:5: y". */
void launch_complain(const char *log, const char *file, struct error *error);

/* The line that a complaint is about; 0: none. */
int launch_complaint_line(const char *log);

#endif
