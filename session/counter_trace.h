/* A recorded trace of counters, or one that grows: CSV with a line of names, then a line for each core and
 * step. t_s is needed; core is needed where there are several; seconds (else the difference of t_s), ghz or
 * vf, temperature_c, power_w and cap_w are the chip's, all others are counts of the core in the step. */
#ifndef SESSION_COUNTER_TRACE_H
#define SESSION_COUNTER_TRACE_H

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

enum { COUNTER_TRACE_COLUMNS = 64 };

struct counter_trace {
    FILE *file;
    const char *path;
    bool grows;    /* wait at the end of the file */
    bool pipe;     /* its end is the end */
    double wait_s; /* for a new line, at most; 0: for ever */
    int line;
    char *names; /* of the columns, cut apart; owned */
    const char *columns[COUNTER_TRACE_COLUMNS];
    size_t column_count;
    bool has_core;
    char *text; /* the line under way; owned */
    size_t capacity, size;
    json_t *step; /* under way; owned; NULL: none */
    double t_s, before_s;
    size_t rows, usual; /* of the step, of the one before */
};

/* True when the file begins as a trace does. */
bool counter_trace_is(const char *path);

/* STATUS_USAGE when the file cannot be read or its first line is not as above. With grows, the first line is
 * waited for too. The caller ends with counter_trace_close in every case. */
enum status counter_trace_open(const char *path, bool grows, double wait_s, struct counter_trace *trace,
                               struct error *error);

/* The next step's counters as a model takes them ("core0.cycles", or "cycles" without a column core), with
 * t_s and seconds. The first step of a trace without seconds gives only its begin and is left out. *step NULL
 * at the end, which of a trace that grows is a line "end", no new line for wait_s, or a signal to stop. New
 * reference.
 */
enum status counter_trace_next(struct counter_trace *trace, json_t **step, struct error *error);

void counter_trace_close(struct counter_trace *trace);

#endif
