/* The section that describes the machine and how it was measured. */
#ifndef REPORT_PAGE_PAGE_CONTEXT_H
#define REPORT_PAGE_PAGE_CONTEXT_H

#include "report/page/page_data.h"

void page_context(struct page *page);

#endif
