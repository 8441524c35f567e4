/* The text of Linux's /proc/cpuinfo: a paragraph per logical processor of lines "key<blanks>: value". */
#ifndef GENERATOR_MACHINE_CPUINFO_H
#define GENERATOR_MACHINE_CPUINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The key's value in the paragraph of that logical processor, or anywhere if it has none; *length bytes up to
 * the line's end. NULL if there is none. */
const char *cpuinfo_value(const char *text, unsigned cpu, const char *key, size_t *length);

/* The same as a number, decimal or with 0x. False if there is none. */
bool cpuinfo_number(const char *text, unsigned cpu, const char *key, uint64_t *number);

/* True if the word stands among the value's, which blanks separate. */
bool cpuinfo_has_word(const char *value, size_t length, const char *word);

#endif
