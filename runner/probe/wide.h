/* The loads and stores of a machine, by their width: the section "accesses" of templates/<isa>/probe.s. */
#ifndef RUNNER_PROBE_WIDE_H
#define RUNNER_PROBE_WIDE_H

#include "runner/probe/measured.h"

#include <stdbool.h>

enum { PROBE_ACCESS_BYTES = 80 };

struct probe_access {
    unsigned bytes;
    char load[PROBE_ACCESS_BYTES], store[PROBE_ACCESS_BYTES]; /* a loop's body: {offset} is the address */
};

/* The access of that width, or with 0 bytes the widest, for which the machine has what it needs; false if
 * there is none. */
bool probe_access_find(const struct probe *probe, unsigned bytes, struct probe_access *access);

#endif
