/* Locations of event files: first the user's in traumagen/events under $XDG_CONFIG_HOME, then the shipped
 * ones in templates/events; likewise for imports. Each family is one file, *.txt. */
#ifndef RUNNER_SOURCES_EVENTS_EVENT_FOLDER_H
#define RUNNER_SOURCES_EVENTS_EVENT_FOLDER_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "runner/sources/events/event_table.h"

#include <stddef.h>

/* The processor whose files are requested. */
struct event_processor {
    const char *vendor;
    unsigned family, model;
    const char *pmu;  /* "cpu", "cpu_core", ... */
    const char *name; /* not NULL: of this family ("amd-zen5") or machine ("fx-8320") instead */
};

/* Links the table of the processor from the user's matching files, the shipped ones, and those for every
 * processor. STATUS_RECIPE when a file is wrong, STATUS_USAGE when there is no family or machine of the name.
 * Free with event_table_free in every case. */
enum status event_folder_table(const struct event_processor *processor, struct event_table *table,
                               struct error *error);

/* The same without files of trials (`trauma events`). */
enum status event_folder_untried(const struct event_processor *processor, struct event_table *table,
                                 struct error *error);

/* Links the table for imports from a tool ("perf", "ncu"); errors as above. */
enum status event_folder_import(const char *tool, struct event_table *table, struct error *error);

/* The names of all families or, for imports, tools, separated by commas. */
enum status event_folder_names(bool imports, char *text, size_t capacity, struct error *error);

/* Reads a shipped file beside the tables ("events/papers.list"). */
enum status event_folder_read(const char *name, struct buffer *text, struct error *error);

/* ---- the papers' counters ---- */

/* Today's substitutes for the counters that each paper used: templates/events/papers.list, which describes
 * its format. */

struct paper_counter {
    const char *counter;
    const char **names; /* [name_count] */
    size_t name_count;
    const char *why;    /* why there is no substitute; NULL */
    const char *remark; /* on the last name; NULL: none */
};

struct paper {
    const char *paper, *title;
    struct paper_counter *counters;
    size_t counter_count;
};

struct papers {
    struct arena arena; /* owns all texts and lists */
    struct paper *items;
    size_t count;
};

/* Reads the shipped file. STATUS_RECIPE, with file and line, when it is wrong. Free papers->arena in every
 * case. */
enum status event_papers_read(struct papers *papers, struct error *error);

#endif
