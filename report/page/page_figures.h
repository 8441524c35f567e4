/* The section of figures: pictures, and their numbers as tables. */
#ifndef REPORT_PAGE_PAGE_FIGURES_H
#define REPORT_PAGE_PAGE_FIGURES_H

#include "report/page/page_data.h"

void page_figures(struct page *page);

#endif
