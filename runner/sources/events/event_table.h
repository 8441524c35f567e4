/* The events and metrics of one processor, or of one tool for imports: event files combined, with names
 * resolved. Files are in order of precedence: a name refers to its own file's row, or else to the first file
 * with such a row. If several metrics have one name, the first countable one is used. Needs no counters. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_TABLE_H
#define RUNNER_SOURCES_EVENTS_EVENT_TABLE_H

#include "base/arena.h"
#include "base/error.h"
#include "runner/sources/events/event_file.h"

#include <stdbool.h>
#include <stddef.h>

enum { EVENT_TERMS = 16, EVENT_TABLE_EVENTS = 256, EVENT_TABLE_RATIOS = 256, EVENT_TABLE_FILES = 16 };

/* An event to count. */
struct event {
    const char *name;
    const char *code;
    const char *rest; /* the vendor's name; for an import, further column names */
    bool fixed;
    bool percent;
    const char *refused; /* why a file of higher precedence excludes it ("none"); NULL: none does */
};

struct event_term {
    double factor;
    int event; /* index in the table; -1: the term is the factor itself */
};

struct event_sum {
    struct event_term terms[EVENT_TERMS];
    size_t count; /* 0: none */
};

/* A metric: one sum divided by another; without under, one sum. */
struct event_ratio {
    const char *metric;
    struct event_sum over, under;
    const char *text; /* the expression as in its file */
    const char *file; /* NULL: the machine file */
    bool loads_only;
};

/* A named count: an event or a sum. */
struct event_total {
    const char *name;
    struct event_sum sum;
    const char *text; /* the sum as in its file, or the event's code */
    const char *rest;
};

/* All zeros is empty; free with event_table_free. */
struct event_table {
    struct arena arena;
    struct event_file files[EVENT_TABLE_FILES];
    size_t file_count;
    struct event events[EVENT_TABLE_EVENTS];
    size_t event_count;
    struct event_ratio ratios[EVENT_TABLE_RATIOS];
    size_t ratio_count;
    struct event_total *totals;
    size_t total_count;
    unsigned counters; /* simultaneous events, besides fixed ones */
};

/* Resolves all rows of table->files. STATUS_RECIPE with file and line. */
enum status event_table_link(struct event_table *table, struct error *error);

/* True if the files are for a GPU ("pmu gpu"): its library distributes the events over passes. */
bool event_table_of_gpu(const struct event_table *table);

/* Adds a ratio of two codes, ahead of those of the files. False when there is no room. */
bool event_table_add(struct event_table *table, const char *metric, const char *over, const char *under);

/* The sum for a name of the table, or for a literal code ("r0143", "MEM_LOAD_RETIRED:L1_MISS").
 * STATUS_RECIPE, with the nearest name, when it is neither. */
enum status event_table_sum(struct event_table *table, const char *name, struct event_sum *sum,
                            struct error *error);

/* The sum's value with counts[event]. */
double event_sum_value(const struct event_sum *sum, const double *counts);

/* The smallest share of the time during which one of the sum's events was counted, at most `most`. */
double event_sum_counted(const struct event_sum *sum, const double *counted, double most);

void event_table_free(struct event_table *table);

#endif
