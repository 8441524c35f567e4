/* Findings of a check in the forms that test harnesses and CI systems read. */
#ifndef CLI_REPORT_TESTS_H
#define CLI_REPORT_TESTS_H

#include "base/error.h"

#include <jansson.h>

/* Prints the points ({"benchmark","point","target","rates" or "error"}) as TAP version 13, one test a metric.
 */
void report_tap(const json_t *points);

/* Writes them as a JUnit file, one suite a benchmark. */
enum status report_junit(const json_t *points, const char *path, struct error *error);

#endif
