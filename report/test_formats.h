/* The results of a check in formats for test harnesses and CI systems. */
#ifndef REPORT_TEST_FORMATS_H
#define REPORT_TEST_FORMATS_H

#include "base/buffer.h"
#include "report/verdict_report.h"

#include <stddef.h>

struct check_findings {
    struct check_finding **items; /* [count] */
    size_t count;
};

/* Appends the findings as TAP version 13, one test per metric. Inconclusive, unobserved or not applicable
 * metrics are skipped with the reason. A pass is ok, with a remark if it is disputed or nothing observed the
 * silicon. A failure names the requirement and each source's observation. */
void report_tap(const struct check_findings *findings, struct buffer *text);

/* Appends them as a JUnit report, one suite per benchmark, in the form of Jenkins' and Surefire's schemas: a
 * point that did not run is an error; the rest is as in TAP. */
void report_junit(const struct check_findings *findings, struct buffer *text);

#endif
