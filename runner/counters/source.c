/* The table of sources of evidence: a new source is its own file and one row here. */
#include "runner/counters/source.h"

const struct counter_source *const counter_sources[] = {
    &counter_perf, &counter_cachegrind, &counter_bytes, &counter_timing, &counter_plan, NULL,
};
