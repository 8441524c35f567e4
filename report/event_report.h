/* What events count, found on trial (model/trial/trial.h): as a table, lines of JSON, a picture and a page.
 */
#ifndef REPORT_EVENT_REPORT_H
#define REPORT_EVENT_REPORT_H

#include "base/buffer.h"
#include "model/trial/trial.h"
#include "report/figure/figure.h"

#include <stdio.h>

/* A row per event, then what could not be told apart, and the suite's condition. */
void event_report_print(const struct trial_set *set, FILE *to);

/* Appends {"event","claims","verdict","counts":[{"quantity","per","low","high"}],"error","programs",...}. */
void event_report_line(const struct trial_set *set, const struct trial_event *event, struct buffer *text);

/* Makes a map of one panel for every 20 events: quantities across, and of each event what is claimed beside
 * what is seen. figure must be all zeros; no panel if nothing was counted. Free it with figure_free. */
void event_report_figure(const struct trial_set *set, struct figure *figure);

/* Appends a page; picture: an SVG of the figure, "" for none. */
void event_report_page(const struct trial_set *set, char *picture, struct buffer *page);

#endif
