/* The axes of a panel: ranges, marks and names. */
#ifndef REPORT_FIGURE_AXES_H
#define REPORT_FIGURE_AXES_H

#include "base/buffer.h"
#include "report/figure.h"
#include "report/figure_layout.h"

#define TEXT_COLOUR "#222222"
#define QUIET_COLOUR "#5f5f5f"
#define MARK_COLOUR "#9a9a9a"

void figure_write_axes(struct buffer *script, const struct figure_panel *panel,
                       const struct figure_layout *layout);

/* Where a bar begins: on the bar below, at 0, or at the foot of a logarithmic axis. */
double figure_bar_base(const struct figure_panel *panel, const struct figure_sample *sample);

#endif
