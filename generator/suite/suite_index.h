/* The index of a suite, suite.json, and the names of the files that are not its programs' (program_parts.h).
 */
#ifndef GENERATOR_SUITE_SUITE_INDEX_H
#define GENERATOR_SUITE_SUITE_INDEX_H

#include "base/buffer.h"
#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>

enum { SUITE_SCHEMA = 1 };

#define SUITE_INDEX "suite.json"
#define SUITE_HEADER "trauma.h"
#define SUITE_EVENTS "events.sh"
#define SUITE_MANIFEST "manifest.json"

/* True if some benchmark is tagged "events": then the suite has a script that counts events, SUITE_EVENTS. */
bool suite_counts_events(const json_t *benchmarks);

/* Reads the index's text; path is for messages. The caller owns the result; NULL with *error filled if it is
 * not a suite's of a known schema, or an entry lacks a name or leads out of the folder. */
json_t *suite_index_parse(const struct buffer *text, const char *path, struct error *error);

/* The same for the index in an open folder; shown is the folder's path, for messages. */
json_t *suite_index_read(int folder, const char *shown, struct error *error);

#endif
