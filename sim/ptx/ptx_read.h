/* Reads the text of a PTX kernel. */
#ifndef SIM_PTX_PTX_READ_H
#define SIM_PTX_PTX_READ_H

#include "sim/ptx/ptx_code.h"

/* Reads the entry's code from the text, which is untrusted. The error's line is the text's. STATUS_FAILED for
 * what no assembler takes, STATUS_UNAVAILABLE for what the executor does not know. Free with ptx_free. */
enum status ptx_read(const char *text, size_t size, const char *entry, struct ptx_program *program,
                     struct error *error);

void ptx_free(struct ptx_program *program);

#endif
