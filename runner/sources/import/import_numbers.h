/* Numbers as other tools write them in their user's language: decimal point or comma, thousands separators.
 */
#ifndef RUNNER_SOURCES_IMPORT_IMPORT_NUMBERS_H
#define RUNNER_SOURCES_IMPORT_IMPORT_NUMBERS_H

#include "base/error.h"
#include "runner/sources/import/import_rows.h"

/* The decimal sign of the file, '.' or ',', decided from all its numbers. asked: what the user says; 0:
 * nothing. STATUS_USAGE, with the line, when two numbers contradict each other, or none decides what another
 * means. */
enum status import_decimal_sign(const struct import *import, char asked, char *sign, struct error *error);

/* True when the text is a number or begins like one. */
bool import_is_number(const char *text);

/* Reads a finite number. False when it is none in this form: groups of other than three digits, two decimal
 * signs, other characters. */
bool import_number(const char *text, char decimal, double *number);

#endif
