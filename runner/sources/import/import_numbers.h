/* Numbers as other tools write them in the user's language: decimal point or comma, thousands separators. */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_NUMBERS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_NUMBERS_H

#include "base/error.h"
#include "runner/sources/import/import_rows.h"

/* Determines the decimal sign of the file, '.' or ',', from all its numbers. requested: the user's choice; 0:
 * none. STATUS_USAGE, with the line, when two numbers contradict each other, or no number resolves an
 * ambiguous one. */
enum status import_decimal_sign(const struct import *import, char requested, char *sign, struct error *error);

/* True when the text is a number or begins like one. */
bool import_is_number(const char *text);

/* Reads a finite number. False when it is none in this form: groups of other than three digits, two decimal
 * signs, other characters. */
bool import_number(const char *text, char decimal, double *number);

#endif
