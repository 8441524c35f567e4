/* A recorded or growing trace of counters: the intervals of an application's results (trauma record
 * --interval), those of perf stat -I, or CSV with a header line, then a line for each core and
 * step. Of the CSV, t_s is required, and core if there are several; seconds (else the difference of t_s), ghz
 * or vf, temperature_c, power_w and cap_w belong to the chip, all others are counts of the core in the step.
 */
#ifndef SESSION_PREDICT_COUNTER_TRACE_H
#define SESSION_PREDICT_COUNTER_TRACE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/text/text_set.h"
#include "model/data/named_numbers.h"
#include "runner/sources/events/event_table.h"

#include <stdbool.h>
#include <stdio.h>

enum { COUNTER_TRACE_COLUMNS = 64 };

/* Of intervals of perf: counts under the names by which models take them, by core where perf counted by
 * processor (-A), power from energy-pkg, the clock from cycles. */
struct perf_trace_request {
    const char *path;
    const char *columns; /* "EVENT=NAME,..." or "@SCOPE=NAME"; NULL: none */
    const char *machine; /* whose events file says what raw codes count; NULL, or without one: this host's */
    bool clock_given;    /* the clock need not be told from cycles */
    void (*warn)(void *context, const char *sentence); /* NULL: nobody listens */
    void *context;
};

struct perf_trace {
    struct perf_trace_request request;
    struct event_table *names, *processor; /* of perf's names, and of the processor's codes; owned */
    bool guessed;                          /* the latter is this host's, as the machine is unknown */
    struct text_set told;                  /* what was warned of */
};

struct counter_trace_request {
    const char *path;
    bool grows;                        /* wait at the end of the file */
    double wait_s;                     /* maximum wait for a new line; 0: unlimited */
    const struct named_numbers *given; /* of the chip, for steps that lack them; NULL: none */
    struct perf_trace_request perf;    /* of intervals of perf */
};

struct counter_trace {
    FILE *file;
    const char *path;
    bool grows;
    bool results; /* lines of results, up to that of the application */
    bool counted; /* lines of perf stat -I */
    bool pipe;    /* its end is final */
    double wait_s;
    const struct named_numbers *given;
    int line;
    char *names; /* of the columns, split; owned */
    const char *columns[COUNTER_TRACE_COLUMNS];
    size_t column_count;
    bool has_core;
    char *text; /* the current line; owned */
    size_t capacity, size;
    struct named_numbers step; /* the current one; none: empty */
    struct arena arenas[2];    /* of it, and of the one before */
    size_t which;              /* of these it is in */
    double t_s, before_s;
    size_t rows, usual;  /* in this step, and in the one before */
    struct buffer lines; /* of this step, if they are perf's */
    struct perf_trace perf;
};

/* True when the file starts like a trace. */
bool counter_trace_is(const char *path);

/* True for results whose first application has intervals. */
bool counter_trace_is_recorded(const char *path);

/* True for intervals of perf stat. */
bool counter_trace_is_counted(const char *path);

/* STATUS_USAGE when the file cannot be read or its first line is not as above. With grows, waits for the
 * first line too, and for the file. The caller ends with counter_trace_close in every case. */
enum status counter_trace_open(const struct counter_trace_request *request, struct counter_trace *trace,
                               struct error *error);

/* The next step's counters as a model's input ("core0.cycles", or "cycles" without a column core), with t_s
 * and seconds. The first step of a trace without seconds only supplies its start and is skipped. The step is
 * empty at the end; a growing trace ends with a line "end", no new line for wait_s, or a stop signal. It is
 * valid until the next call. STATUS_USAGE too when a number is given that the step has otherwise. */
enum status counter_trace_next(struct counter_trace *trace, struct named_numbers *step, struct error *error);

/* Of an error that counters are lacking in intervals of perf: sets as its hint the command that counts them.
 */
void perf_trace_hint(const struct perf_trace *trace, struct error *error);

void counter_trace_close(struct counter_trace *trace);

#endif
