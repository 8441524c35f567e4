/* The intervals of perf stat -I as steps of a trace: counts under the names by which models take them, by
 * core where perf counted by processor (-A), power from energy-pkg, the clock from cycles. */
#ifndef SESSION_PREDICT_PERF_TRACE_H
#define SESSION_PREDICT_PERF_TRACE_H

#include "base/error.h"
#include "base/text/text_set.h"
#include "model/data/named_numbers.h"
#include "runner/sources/events/event_table.h"

#include <stdbool.h>
#include <stddef.h>

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

/* True, with its time, for the line of an interval in the format of -x or -j. */
bool perf_trace_time(const char *line, double *t_s);

/* STATUS_RECIPE when a file that says what events mean is wrong. End with perf_trace_close in every case. */
enum status perf_trace_open(const struct perf_trace_request *request, struct perf_trace *trace,
                            struct error *error);
void perf_trace_close(struct perf_trace *trace);

/* An interval's lines as a step. Empty, and a warning, where nothing was counted, or a part of what models
 * take was not. STATUS_USAGE when they are not perf's, or what was counted is no step. */
enum status perf_trace_step(struct perf_trace *trace, const char *lines, size_t size, double t_s,
                            double seconds, struct arena *arena, struct named_numbers *step,
                            struct error *error);

/* The last interval has fewer lines than the one before, and is no step. */
void perf_trace_warn_cut(struct perf_trace *trace, double t_s);

/* Of an error that counters are lacking: sets as its hint the command that counts them. */
void perf_trace_hint(const struct perf_trace *trace, struct error *error);

#endif
