/* Reads a point's trace (written by runner/power/recorder.h): CSV, "t_s,channel,value". Rows of the channel
 * "mark" name the phase that starts at that time; marks of loops within a phase are ignored. */
#ifndef REPORT_FIGURE_TRACE_READ_H
#define REPORT_FIGURE_TRACE_READ_H

#include "base/arena.h"
#include "base/error.h"
#include "report/figure/figure.h"

#include <stddef.h>

enum { TRACE_CHANNELS_MOST = 64, TRACE_MARKS_MOST = 4096 };

/* The samples of one channel in the order of the file. */
struct trace_channel {
    const char *name;
    double *t_s;
    double *values;
    size_t count;
};

struct trace {
    struct trace_channel channels[TRACE_CHANNELS_MOST];
    size_t channel_count;
    struct figure_mark *marks; /* x in seconds */
    size_t mark_count;
};

/* Reads the trace whose path is given in a results file in the folder (NULL: the current one). All in the
 * arena. STATUS_USAGE when it cannot be read, is not a trace, has more channels or marks than a figure shows,
 * or lies outside the folder. */
enum status trace_read(const char *folder, const char *relative, struct arena *arena, struct trace *trace,
                       struct error *error);

#endif
