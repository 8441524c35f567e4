/* A benchmark as its recipe declares it, and its JSON, which suites and results carry along: what those need
 * who list, draw and fit its points. */
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

/* What its figures draw of a plot. */
struct benchmark_plot {
    const char *from;         /* NULL: of the points' rates */
    struct benchmark_words y; /* metrics */
};

/* Texts are the document's. */
struct benchmark {
    const char *recipe; /* its name in a suite; NULL: not stated */
    const char *name;   /* "" */
    const char *title;  /* NULL: not stated */
    struct benchmark_plot *plots;
    size_t plot_count;
    struct benchmark_words targets, fit, tags;
    const char *why; /* of one that is left out; "" */
    double line;
    const json_t *document; /* as the recipe declares it */
};

/* All zeros is empty. */
struct benchmark_list {
    struct benchmark *items;
    size_t count;
    struct arena arena;
};

/* Adds it; the list keeps a reference to the document. Fields of another form are as not stated. */
void benchmark_add(struct benchmark_list *list, const json_t *document);

/* Its title, or its name if it has none. */
const char *benchmark_title(const struct benchmark *benchmark);

/* The text is one of the words. */
bool benchmark_has(const struct benchmark_words *words, const char *text);

/* Writes the members "recipe" and the others, as declared, of an object that the caller opens and closes. */
void benchmark_write_members(struct json_text *text, const char *recipe, const struct benchmark *benchmark);

/* The same document. New reference. */
json_t *benchmark_to_json(const char *recipe, const struct benchmark *benchmark);

void benchmarks_free(struct benchmark_list *list);

#endif
