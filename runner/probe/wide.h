/* The widest loads and stores of a machine: one row per width, the widest first. */
#ifndef RUNNER_PROBE_WIDE_H
#define RUNNER_PROBE_WIDE_H

#include "generator/machine/machine.h"

struct probe_wide {
    unsigned bytes;
    const char *feature;      /* NULL: every machine of the ISA has it */
    const char *load, *store; /* a loop's body: %u(%r8) is the address */
};

/* The widest row whose feature the machine has. */
const struct probe_wide *probe_widest(const struct machine *machine);

/* Loads and stores of 8 bytes. */
extern const struct probe_wide probe_word;

#endif
