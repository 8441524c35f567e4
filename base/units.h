/* Sizes with units, as in machine files and tables: "48KiB", "2 MiB", "64". */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads a whole number of bytes with an optional unit B, KiB, MiB or GiB into *bytes. False if the text is
 * anything else or the value does not fit. */
bool units_parse_size(const char *text, uint64_t *bytes);

/* Writes the size in the largest unit that divides it ("48KiB") into text; returns text. */
char *units_format_size(uint64_t bytes, char *text, size_t capacity);

/* The same as figures show it: "48 KiB". */
char *units_show_size(uint64_t bytes, char *text, size_t capacity);

/* Bytes on a disk as people read them, in powers of a thousand: "850 B", "12 kB", "3.4 MB". */
char *units_show_disk(double bytes, char *text, size_t capacity);

/* A number as in points and tables: %.10g, so 0.1 3 prints as "0.3". */
char *units_format_number(double value, char *text, size_t capacity);

/* A number as results show it: five digits, but whole numbers and numbers with more digits before the point
 * as whole numbers: "135170". */
char *units_show_number(double value, char *text, size_t capacity);

/* A duration as people read it, to two units: "4 s", "2 min 5 s", "9 h 54 min", "3 d 4 h"; below a second
 * "1 s". */
char *units_format_duration(double seconds, char *text, size_t capacity);

/* Reads a finite number; false if anything follows it. */
bool units_parse_number(const char *text, double *value);

/* Reads a number of seconds, with an optional unit s or ms. */
bool units_parse_seconds(const char *text, double *seconds);

bool units_is_power_of_two(uint64_t value);

#endif
