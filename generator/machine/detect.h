/* Detects the machine that this program runs on: caches from sysfs; name, features and what sysfs lacks from
 * the processor (processor.h). */
#ifndef GENERATOR_MACHINE_DETECT_H
#define GENERATOR_MACHINE_DETECT_H

#include "base/text/text_set.h"
#include "generator/machine/machine.h"

/* Fills *machine (free with machine_free) and sets present. STATUS_UNAVAILABLE, with what is missing, if the
 * operating system reports too little. */
enum status detect_machine(struct machine *machine, struct error *error);

/* The same with the clocks that cpufreq reports below the root folder. */
enum status detect_machine_with_clocks(const char *root, struct machine *machine, struct error *error);

enum { DETECT_FIRST = -1 };

/* The same for the machine whose /proc and /sys are copied below the root folder ("" for this machine); it is
 * not present. On a machine with several kinds of core it describes the kind of that logical processor
 * (DETECT_FIRST: the first that this thread may use, of a copy processor 0): `processors` lists the
 * processors of that kind, and `notes` state how to describe the others. An L3, which a machine need not
 * have, is left out, with a note, if no cache can have the reported numbers. */
enum status detect_machine_in(const char *root, int cpu, struct machine *machine, struct error *error);

/* True if detect_machine would name this machine so; a quick check. */
bool detect_has_name(const char *name);

/* Adds the features that the processor has, as machine files name them; none if it cannot be queried. */
void detect_features(struct text_set *features);

/* The frequency of the programs' clock (isa/isa.h) in GHz, as the processor reports it; 0 if it does not. */
double detect_tick_ghz(void);

/* The processor's highest clock without boost, from cpufreq below the root folder; 0 if it reports none. */
double detect_highest_ghz(const char *root, unsigned cpu);

enum { DETECT_CLOCKS = 64 };

/* The clocks that the processor can be set to, in ascending GHz, each once, from cpufreq below the root
 * folder
 * ("" for this machine): its list, or, if the driver accepts any clock, five from the lowest to the highest
 * without boost, in tenths. Returns their number; 0 if cpufreq reports none.
 * (Documentation/admin-guide/pm/cpufreq) */
size_t detect_frequencies(const char *root, unsigned cpu, double ghz[DETECT_CLOCKS]);

/* True if the two describe the same machine: equal name and cache geometries, except caches that one of them
 * has measured (a machine file's `measured`). */
bool detect_same(const struct machine *a, const struct machine *b);

#endif
