/* The figures of a probe: latency over working set, or the curves of a core's structures, and the page of
 * these. */
#ifndef REPORT_MACHINE_PROBE_FIGURE_H
#define REPORT_MACHINE_PROBE_FIGURE_H

#include "report/figure/figure.h"
#include "runner/probe/probe.h"

/* Makes a figure of one panel; figure must be all zeros. Free it with figure_free. */
void machine_probe_figure(const struct probe *probe, struct figure *figure);

/* The same with a panel for each structure of the probe that has a curve; marks show its sizes. */
void machine_probe_structures(const struct probe *probe, struct figure *figure);

/* Appends a page of the structures' sizes. svg: their figure, which is modified; NULL: it cannot be drawn,
 * for the reason `why`. */
void machine_probe_page(const struct probe *probe, char *svg, const char *why, struct buffer *page);

#endif
