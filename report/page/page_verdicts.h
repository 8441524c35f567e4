/* Verdicts on a page: the line of counts, the table of points, and the sections of rates. */
#ifndef REPORT_PAGE_PAGE_VERDICTS_H
#define REPORT_PAGE_PAGE_VERDICTS_H

#include "report/page/page_data.h"

/* Collects the point's row, verdicts and unobserved rates. */
void page_add_verdicts(struct page *page, const struct check_finding *finding, const char *name);

void page_counts(struct page *page);
void page_points(struct page *page);
void page_verdicts(struct page *page);
void page_unseen(struct page *page);

#endif
