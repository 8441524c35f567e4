/* The report of a results file as one self-contained HTML page: no script, font or picture files. */
#ifndef REPORT_PAGE_PAGE_H
#define REPORT_PAGE_PAGE_H

#include "report/page/page_data.h"

#include <jansson.h>

/* Collects what the page shows of the point; add all points before page_write. */
void page_add_point(struct page *page, const struct result_point *point);

/* Writes the whole page. */
void page_write(struct page *page);

void page_free(struct page *page);

#endif
