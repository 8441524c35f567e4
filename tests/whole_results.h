/* A results file, read completely into memory. */
#ifndef TESTS_WHOLE_RESULTS_H
#define TESTS_WHOLE_RESULTS_H

#include "runner/results/results.h"

struct results {
    json_t *context; /* as in struct results_reader */
    json_t *points;  /* array of the points' objects, in order of first appearance */
    bool cut;
};

/* Errors as results_open and results_point. The caller frees *results with results_free in every case. */
static inline enum status results_read(const char *path, struct results *results, struct error *error)
{
    struct results_reader reader;
    enum status status = results_open(path, &reader, error);
    *results = (struct results){json_incref(reader.context.document), json_array(), reader.cut};
    for (size_t i = 0; status == STATUS_OK && i < reader.count; i++) {
        json_t *point = results_point(&reader, i, NULL, error);
        status = point == NULL ? STATUS_USAGE : STATUS_OK;
        json_array_append_new(results->points, point);
    }
    results_reader_close(&reader);
    return status;
}

static inline void results_free(struct results *results)
{
    json_decref(results->context);
    json_decref(results->points);
    *results = (struct results){0};
}

#endif
