/* Findings of a check in the forms that test harnesses and CI systems read. */
#ifndef CLI_REPORT_TESTS_H
#define CLI_REPORT_TESTS_H

#include "base/error.h"

#include <jansson.h>

/* Prints the points ({"benchmark","point","target","rates" or "error"; "seconds" where known}) as TAP version
 * 13, one test a metric. What is inconclusive, unobserved or not applicable is skipped with its reason; what
 * passes is ok, with a remark where it is disputed or nothing saw the silicon; what fails says what was
 * wanted and which source saw what. */
void report_tap(const json_t *points);

/* Writes them as a JUnit file, one suite a benchmark, in the shape of Jenkins' and Surefire's schemas: a
 * point that did not run is an error, the rest is as in TAP. */
enum status report_junit(const json_t *points, const char *path, struct error *error);

#endif
