/* The sections of verdicts and of rates that no source observed. */
#ifndef REPORT_PAGE_PAGE_VERDICTS_H
#define REPORT_PAGE_PAGE_VERDICTS_H

#include "report/page/page_data.h"

#include <jansson.h>

/* Collect the point's verdicts and unobserved rates. */
void page_add_verdicts(struct page *page, const json_t *point, const char *name);
void page_add_unseen(struct page *page, const json_t *point);

void page_verdicts(struct page *page);
void page_unseen(struct page *page);

#endif
