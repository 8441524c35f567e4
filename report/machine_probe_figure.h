/* The figures of a probe: latency against working set, or the curves of a core's structures; and the page
 * that shows these. */
#ifndef REPORT_MACHINE_PROBE_FIGURE_H
#define REPORT_MACHINE_PROBE_FIGURE_H

#include "report/figure/figure.h"
#include "runner/probe/probe.h"

/* Makes a figure of one panel; figure must be all zeros. Free it with figure_free. */
void machine_probe_figure(const struct probe *probe, struct figure *figure);

/* Adds a panel for each structure of the probe that has a curve, its sizes marked. As above. */
void machine_probe_structures(const struct probe *probe, struct figure *figure);

/* A page of what was found of the structures; svg: their figure, which is changed, NULL: none can be drawn,
 * for the reason `why`. */
void machine_probe_page(const struct probe *probe, char *svg, const char *why, struct buffer *page);

#endif
