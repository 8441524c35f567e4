/* The figure of a probe: latency against working set. */
#ifndef REPORT_FIGURE_MACHINE_PROBE_FIGURE_H
#define REPORT_FIGURE_MACHINE_PROBE_FIGURE_H

#include "report/figure/figure.h"
#include "runner/probe/probe.h"

/* Makes a figure of one panel; figure must be all zeros. Free it with figure_free. */
void machine_probe_figure(const struct probe *probe, struct figure *figure);

#endif
