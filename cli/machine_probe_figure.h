/* The picture of a probe: latency over working set. */
#ifndef CLI_MACHINE_PROBE_FIGURE_H
#define CLI_MACHINE_PROBE_FIGURE_H

#include "cli/figure.h"
#include "runner/probe/probe.h"

/* Makes a figure of one panel; figure must be all zeros and is to be freed with figure_free. */
void machine_probe_figure(const struct probe *probe, struct figure *figure);

#endif
