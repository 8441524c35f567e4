/* The machine that this program runs on: caches by hwloc (sysfs, CPUID), name, features and TLB by CPUID. */
#ifndef GENERATOR_MACHINE_DETECT_H
#define GENERATOR_MACHINE_DETECT_H

#include "generator/machine/machine.h"

/* Fills *machine (to be freed with machine_free) with present set. STATUS_UNAVAILABLE when the operating
 * system tells too little, with what is missing. */
enum status detect_machine(struct machine *machine, struct error *error);

/* True when detect_machine would give the present machine that name: so much is known at once. */
bool detect_has_name(const char *name);

/* The clocks that the first processor can be set to, in GHz, rising, as cpufreq tells them below the root
 * folder
 * ("" for the machine itself): its list, or where a driver takes any clock five from the least to the most
 * that needs no boost, in tenths. New reference; NULL where it tells none.
 * (Documentation/admin-guide/pm/cpufreq) */
json_t *detect_frequencies(const char *root);

/* True when the two describe the same machine: name and the geometry of every cache, but for those that one
 * of them has measured (a machine file's `measured`). */
bool detect_same(const struct machine *a, const struct machine *b);

#endif
