/* The section of warnings: warnings of several points that differ at most in their numbers are shown once. */
#ifndef REPORT_PAGE_PAGE_WARNINGS_H
#define REPORT_PAGE_PAGE_WARNINGS_H

#include "report/page/page_data.h"

#include <jansson.h>

/* Collects the point's warnings; point NULL: those of the run. name: "benchmark/point". */
void page_add_warnings(struct page *page, const struct result_point *point, const char *name);

void page_warnings(struct page *page);

#endif
