/* What rates a simulator would report of a program if it had one of the known faults: each is tried on the
 * program as it is executed, with caches of its own. */
#ifndef RUNNER_SIMULATORS_SIMULATOR_FAULT_H
#define RUNNER_SIMULATORS_SIMULATOR_FAULT_H

#include "base/error.h"
#include "runner/launch/test_program.h"
#include "runner/simulators/simulator.h"

#include <stddef.h>

/* The first has none. */
enum { SIMULATOR_FAULTS = 29 };

/* "prefetches the next line into L1D": what a simulator with the fault does. */
const char *simulator_fault_words(size_t fault);

/* Rates of caches and of stores; NAN for others, and for what there is nothing to divide by. */
enum status simulator_fault_rates(const struct test_program *test_program, uint64_t passes,
                                  double rates[SIMULATOR_FAULTS][SIMULATED_RATES], struct error *error);

#endif
