/* The part of trauma explain that tells where a program's loads and stores go, and why they miss there. */
#ifndef CLI_EXPLAIN_DATA_H
#define CLI_EXPLAIN_DATA_H

#include "generator/machine/machine.h"

#include <jansson.h>

/* Prints what a load or store of the manifest's unit asks for, to the line's end. */
void explain_access(const json_t *item);

/* Prints the manifest's data: conflict groups, working sets and what each of them does to the caches. */
void explain_data(const json_t *manifest, const struct machine *machine);

#endif
