/* The section of power, of each point and of each sensor. */
#ifndef REPORT_PAGE_PAGE_POWER_H
#define REPORT_PAGE_PAGE_POWER_H

#include "report/page/page_data.h"

#include <jansson.h>

void page_add_power(struct page *page, const struct result_point *point, const char *name);

void page_power(struct page *page);

#endif
