/* A benchmark as its recipe declares it, for code that lists, plots and fits its points, and its JSON, which
 * suites and results contain. */
#ifndef GENERATOR_RECIPE_BENCHMARK_H
#define GENERATOR_RECIPE_BENCHMARK_H

#include "base/arena.h"
#include "base/json/json_text.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct benchmark_words {
    const char **items;
    size_t count;
};

/* A requested figure. Texts that are not stated are NULL. */
struct benchmark_plot {
    const char *title, *kind, *x, *by, *log, *fit, *xlabel, *ylabel, *xunit;
    const char *from;                /* NULL: the points' rates */
    struct benchmark_words y, right; /* metrics */
    struct value only, order;        /* parameter: its values */
    struct value relative;           /* parameter: a list of one value */
    struct benchmark_words paired;   /* parameters that vary with x and do not separate lines */
    struct benchmark_words sizes; /* parameters whose values are bytes; if none are stated, the benchmark's */
    bool zero_given, zero, mirror, together;
    struct {
        const char *kind, *y;
        double penalty; /* cycles; NAN: not stated */
    } reference;
};

/* Texts are the document's. */
struct benchmark {
    const char *recipe; /* its name in a suite; NULL: not stated */
    const char *name;   /* "" */
    const char *title;  /* NULL: not stated */
    struct benchmark_plot *plots;
    size_t plot_count;
    struct benchmark_words targets, fit, tags, sizes;
    const char *why; /* why the benchmark is left out; "": it is not */
    double line;
    const json_t *document; /* as the recipe declares it */
};

/* All zeros is empty. */
struct benchmark_list {
    struct benchmark *items;
    size_t count;
    struct arena arena;
};

/* Adds a benchmark; the list keeps a reference to the document. Malformed fields count as not stated. */
void benchmark_add(struct benchmark_list *list, const json_t *document);

/* Its title, or its name if it has none. */
const char *benchmark_title(const struct benchmark *benchmark);

/* True if the text is one of the words. */
bool benchmark_has(const struct benchmark_words *words, const char *text);

/* Writes the member "recipe" and the declared ones into an object that the caller opens and closes. */
void benchmark_write_members(struct json_text *text, const char *recipe, const struct benchmark *benchmark);

/* The same document. New reference. */
json_t *benchmark_to_json(const char *recipe, const struct benchmark *benchmark);

void benchmarks_free(struct benchmark_list *list);

#endif
