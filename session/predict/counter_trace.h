/* A recorded or growing trace of counters: the intervals of an application's results (trauma record
 * --interval), those of perf stat -I, or CSV with a header line, then a line for each core and
 * step. The CSV must have the column t_s, and core if there are several. The columns seconds (default: the
 * difference of t_s), ghz or vf, temperature_c, power_w and cap_w belong to the chip; all others are the
 * core's counts in the step. */
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

/* Intervals of perf supply counts by their names in models (by core with perf's -A), the power from
 * energy-pkg, and the clock from cycles. */
struct perf_trace_request {
    const char *path;
    const char *columns; /* "EVENT=NAME,..." or "@SCOPE=NAME"; NULL: none */
    const char *machine; /* its events file describes raw codes; NULL, or without a file: this host's */
    bool clock_given;    /* the clock need not be computed from cycles */
    void (*warn)(void *context, const char *sentence); /* NULL: no warnings */
    void *context;
};

struct perf_trace {
    struct perf_trace_request request;
    struct event_table *names, *processor; /* perf's names, and the processor's codes; owned */
    bool guessed;                          /* processor is this host's, as the machine is unknown */
    struct text_set warned;                /* subjects of earlier warnings */
};

struct counter_trace_request {
    const char *path;
    bool grows;                        /* wait at the end of the file */
    double wait_s;                     /* longest wait for a new line; 0: unlimited */
    const struct named_numbers *given; /* the chip's values, for steps that lack them; NULL: none */
    struct perf_trace_request perf;    /* for intervals of perf */
};

struct counter_trace {
    FILE *file;
    const char *path;
    bool grows;
    bool results; /* the trace is results: lines up to the application's */
    bool counted; /* the trace is from perf stat -I */
    bool pipe;    /* a FIFO, whose end is final */
    double wait_s;
    const struct named_numbers *given;
    int line;
    char *names; /* of the columns, split; owned */
    const char *columns[COUNTER_TRACE_COLUMNS];
    size_t column_count;
    bool has_core;
    char *text; /* the current line; owned */
    size_t capacity, size;
    struct named_numbers step; /* the current step; empty: none */
    struct arena arenas[2];    /* of the current and of the previous step */
    size_t which;              /* index of the current step's arena */
    double t_s, before_s;      /* of the current and of the previous step */
    size_t rows, usual;        /* rows of the current and of the previous step */
    struct buffer lines;       /* perf's lines of the current step */
    struct perf_trace perf;
};

/* True when the file starts like a trace. */
bool counter_trace_is(const char *path);

/* True for results whose first application has intervals. */
bool counter_trace_is_recorded(const char *path);

/* True for intervals of perf stat -I. */
bool counter_trace_is_counted(const char *path);

/* Opens the trace; with `grows`, waits for the file and its first line. STATUS_USAGE when the file cannot be
 * read or has another format. Close with counter_trace_close in every case. */
enum status counter_trace_open(const struct counter_trace_request *request, struct counter_trace *trace,
                               struct error *error);

/* The next step's counters as a model's input ("core0.cycles", or "cycles" without a column core), with t_s
 * and seconds. The first step of a trace without seconds only supplies the start time and is skipped. *step
 * is valid until the next call, and empty at the end of the trace. A growing trace ends with a line "end",
 * after wait_s without a new line, or with a stop signal. STATUS_USAGE also when a given value contradicts
 * the step's. */
enum status counter_trace_next(struct counter_trace *trace, struct named_numbers *step, struct error *error);

/* If the error is that intervals of perf lack counters, sets as its hint the command that counts them. */
void perf_trace_hint(const struct perf_trace *trace, struct error *error);

void counter_trace_close(struct counter_trace *trace);

#endif
