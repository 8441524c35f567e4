/* Parts of a page: its verdicts and its warnings. */
#ifndef REPORT_PAGE_PAGE_PARTS_H
#define REPORT_PAGE_PAGE_PARTS_H

#include "report/page/page_data.h"

#include <jansson.h>

/* ---- verdicts: the line of counts, the table of points, and the sections of rates ---- */

/* Collects the point's row, verdicts and unobserved rates. */
void page_add_verdicts(struct page *page, const struct check_finding *finding, const char *name);

void page_counts(struct page *page);
void page_points(struct page *page);
void page_verdicts(struct page *page);
void page_unobserved(struct page *page);

/* ---- warnings: those of several points that differ at most in their numbers are shown once ---- */

/* Collects the point's warnings; point NULL: those of the run. name: "benchmark/point". */
void page_add_warnings(struct page *page, const struct result_point *point, const char *name);

void page_warnings(struct page *page);

#endif
