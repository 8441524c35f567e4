/* The programs that run beside a point's own: the other cores' kernels of { cores = {...} }. */
#ifndef CLI_COMPANY_H
#define CLI_COMPANY_H

#include "cli/work.h"
#include "runner/launch/measure.h"

struct company {
    struct companion *companions; /* count of them */
    struct program *programs;
    struct placement *places;
    size_t count;
};

/* Makes or loads what the item's manifest says it runs together with, and finds each one's place. An empty
 * company for most. STATUS_FAILED when one is not to be had. Close with company_close also after an error. */
enum status company_open(const struct work_item *item, const json_t *manifest, struct company *company,
                         struct error *error);

void company_close(struct company *company);

#endif
