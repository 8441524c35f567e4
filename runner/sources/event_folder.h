/* Where files of events are: the user's own in traumagen/events under $XDG_CONFIG_HOME, which come first, and
 * those that ship in templates/events; imports likewise. A family is one file, *.txt. */
#ifndef RUNNER_SOURCES_EVENT_FOLDER_H
#define RUNNER_SOURCES_EVENT_FOLDER_H

#include "base/buffer.h"
#include "runner/sources/event_table.h"

/* Which processor's files are wanted. */
struct event_processor {
    const char *vendor;
    unsigned family, model;
    const char *pmu;  /* "cpu", "cpu_core", ... */
    const char *name; /* not NULL: the file of that family instead ("amd-zen5") */
};

/* The linked table of the processor: the user's files that fit it, those that ship, and what every processor
 * has. STATUS_RECIPE when a file is wrong, STATUS_USAGE when there is no family of the name. Free with
 * event_table_free in every case. */
enum status event_folder_table(const struct event_processor *processor, struct event_table *table,
                               struct error *error);

/* The linked table of the tool whose counts are imported ("perf", "ncu"); as above. */
enum status event_folder_import(const char *tool, struct event_table *table, struct error *error);

/* The names of all families or, of imports, tools, with commas. */
enum status event_folder_names(bool imports, char *text, size_t capacity, struct error *error);

/* Reads a shipped file beside the tables ("events/papers.list"). */
enum status event_folder_read(const char *name, struct buffer *text, struct error *error);

#endif
