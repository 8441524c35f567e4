/* The points of a results file as findings of a check. */
#ifndef TESTS_RECORDED_FINDINGS_H
#define TESTS_RECORDED_FINDINGS_H

#include "base/json.h"
#include "base/memory.h"
#include "report/verdict_report.h"

#include <jansson.h>
#include <stdlib.h>

static inline void recorded_junit(const struct results_context *context, const json_t *points,
                                  struct buffer *text)
{
    struct check_findings findings = {.items =
                                          memory_zeroed(json_array_size(points), sizeof *findings.items)};
    for (size_t i = 0; i < json_array_size(points); i++) {
        struct result_point point;
        result_point_read(json_array_get(points, i), &point);
        findings.items[findings.count++] = check_finding_judged(context, &point);
        result_point_free(&point);
    }
    report_junit(&findings, text);
    for (size_t i = 0; i < findings.count; i++)
        check_finding_free(findings.items[i]);
    free(findings.items);
}

#endif
