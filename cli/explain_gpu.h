/* Prints the part of trauma explain for a GPU program between its name and its rates. */
#ifndef CLI_EXPLAIN_GPU_H
#define CLI_EXPLAIN_GPU_H

#include "generator/machine/machine.h"

#include <jansson.h>

void explain_gpu(const json_t *manifest, const struct machine *machine);

#endif
