/* The index of a suite, suite.json, and the names of the files that are not its programs' (program_parts.h).
 */
#ifndef GENERATOR_SUITE_SUITE_INDEX_H
#define GENERATOR_SUITE_SUITE_INDEX_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/error.h"
#include "generator/recipe/benchmark.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { SUITE_SCHEMA = 1 };

#define SUITE_INDEX "suite.json"
#define SUITE_HEADER "trauma.h"
#define SUITE_EVENTS "events.sh"
#define SUITE_MANIFEST "manifest.json"

/* One point. Texts are the index's; NULL if it does not state them, unless stated otherwise. */
struct suite_entry {
    const char *benchmark, *point; /* never NULL */
    const char *target;
    const char *recipe;        /* "" */
    const char *from;          /* the compiled kernel's file */
    const char *path;          /* of its folder in the suite; NULL: the point was refused */
    const char *refused;       /* the reason; NULL: it was not refused */
    const char *hash;          /* of what runs */
    const char *manifest_hash; /* NULL: of earlier versions */
    const json_t *document;    /* the point's fields, for point_from_json */
};

/* An index. All zeros is empty. */
struct suite_index {
    double schema;
    const char *kind;
    uint64_t seed;
    const char *markers; /* of its programs; NULL: none */
    const char **traces; /* names of the files of each program's trace */
    size_t trace_count;
    struct benchmark_list benchmarks;
    struct suite_entry *entries;
    size_t count;
    json_t *document; /* the whole */
    struct arena arena;
};

/* True if some benchmark is tagged "events": then the suite has a script that counts events, SUITE_EVENTS. */
bool suite_counts_events(const struct benchmark *benchmark);

/* Reads the index's text; path is for messages. STATUS_USAGE if it is not a suite's of a known schema, or an
 * entry lacks a name or leads out of the folder. Free it with suite_index_free even after an error. */
enum status suite_index_parse(const struct buffer *text, const char *path, struct suite_index *index,
                              struct error *error);

/* The same for the index in an open folder; shown is the folder's path, for messages. */
enum status suite_index_read(int folder, const char *shown, struct suite_index *index, struct error *error);

/* The same for the text of one entry, which becomes the index's only one. */
enum status suite_entry_parse(const char *text, size_t size, const char *path, struct suite_index *index,
                              struct error *error);

void suite_index_free(struct suite_index *index);

#endif
