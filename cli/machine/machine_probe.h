/* trauma machine probe: measures the present machine, prints the results beside what the system reports, and
 * writes them as a machine file. */
#ifndef CLI_MACHINE_MACHINE_PROBE_H
#define CLI_MACHINE_MACHINE_PROBE_H

#include "cli/command.h"

enum status machine_probe(const struct options *options, struct error *error);

#endif
