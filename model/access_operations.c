#include "model/access_operations.h"

#include "base/json.h"
#include "model/chart.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* As recipes name them. */
static const char *const operations[] = {"add",  "sub",  "xor",  "mul",   "shift", "div",
                                         "fadd", "fmul", "fdiv", "fsqrt", "fma"};

struct access_beside access_beside_of(const struct dataset_row *row)
{
    const json_t *parameters = json_object_get(row->point, "point");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        double count = json_number_or(parameters, operations[i], NAN);
        if (isfinite(count))
            return (struct access_beside){operations[i], count};
    }
    return (struct access_beside){NULL, 0};
}

double access_sharing(const struct dataset_row *row, const char *level)
{
    const json_t *pass = json_object_get(row->point, "per_pass");
    char loads[32];
    char transfers[32];
    snprintf(loads, sizeof loads, "accesses.%s", level);
    snprintf(transfers, sizeof transfers, "transfers.%s", level);
    double sharing = json_number_or(pass, loads, NAN) / json_number_or(pass, transfers, NAN);
    return isfinite(sharing) && sharing > 0 ? sharing : 1;
}

static bool is_same_place(const struct access_slope *a, const struct access_slope *b)
{
    bool blocks = a->blocks == b->blocks || (isnan(a->blocks) && isnan(b->blocks));
    return a->level == b->level && a->threads == b->threads && blocks;
}

static const struct access_slope *find_bare(const struct access_slope *slopes, size_t count,
                                            const struct access_slope *with)
{
    for (size_t i = 0; i < count; i++)
        if (!(slopes[i].beside.count > 0) && is_same_place(&slopes[i], with))
            return &slopes[i];
    return NULL;
}

static struct interval difference(const struct access_slope *with, const struct access_slope *bare)
{
    const struct least_estimate *a = &with->epsilon;
    const struct least_estimate *b = &bare->epsilon;
    double each = with->beside.count * with->sharing;
    struct least_estimate estimate = {(a->value - b->value) / each, hypot(a->error, b->error) / each,
                                      a->freedom < b->freedom ? a->freedom : b->freedom};
    size_t which;
    return least_of(&estimate, 1, &which);
}

static bool has_more_threads(const struct access_slope *a, const struct access_slope *b)
{
    return b == NULL || a->threads > b->threads || (a->threads == b->threads && a->blocks > b->blocks);
}

enum { LABEL_BYTES = 48 };

/* The level, and the blocks where they are not one. */
static void label_of(const struct access_slope *slope, char label[LABEL_BYTES])
{
    if (isfinite(slope->blocks) && slope->blocks != 1)
        snprintf(label, LABEL_BYTES, "%s, %g blocks", slope->level, slope->blocks);
    else
        snprintf(label, LABEL_BYTES, "%s", slope->level);
}

void access_threads_draw(const struct access_slope *slopes, size_t count, json_t *document)
{
    json_t *chart = chart_add(document, "Energy of one access, over threads", "", "lines",
                              "Threads of a block", "Energy (pJ)");
    json_object_set_new(chart, "log", json_string("xy"));
    for (size_t i = 0; i < count; i++) {
        size_t which;
        char label[LABEL_BYTES];
        struct interval epsilon = least_of(&slopes[i].epsilon, 1, &which);
        label_of(&slopes[i], label);
        if (!(slopes[i].beside.count > 0))
            chart_sample(chart, label, slopes[i].threads,
                         (struct interval){1e12 * epsilon.value, 1e12 * epsilon.low, 1e12 * epsilon.high, 1});
    }
}

static void add_row(json_t *rows, json_t *chart, const struct access_slope *with, struct interval joules)
{
    char label[LABEL_BYTES];
    label_of(with, label);
    json_t *row = json_pack("{s:s, s:s, s:f, s:{s:f, s:f, s:f}}", "operation", with->beside.operation,
                            "level", with->level, "threads", with->threads, "energy_j", "value", joules.value,
                            "low", joules.low, "high", joules.high);
    if (isfinite(with->blocks))
        json_object_set_new(row, "blocks", json_real(with->blocks));
    json_array_append_new(rows, row);
    chart_sample(chart, label, with->threads,
                 (struct interval){1e9 * joules.value, 1e9 * joules.low, 1e9 * joules.high, 1});
}

/* All rows of one operation; its coefficient at each level is that at the most threads, where it stands out
 * best of what the chip takes anyhow. */
static void set_operation(const struct access_slope *slopes, size_t count, const char *operation,
                          json_t *rows, json_t *document)
{
    char title[64];
    snprintf(title, sizeof title, "Energy of a %s, beside loads", operation);
    json_t *chart = chart_add(document, title, "", "lines", "Threads of a block", "Energy (nJ)");
    json_object_set_new(chart, "log", json_string("x"));
    for (size_t i = 0; i < count; i++) {
        const struct access_slope *with = &slopes[i];
        const struct access_slope *bare = find_bare(slopes, count, with);
        const struct access_slope *most = NULL;
        char name[48];
        if (with->beside.operation != operation || !(with->beside.count > 0) || bare == NULL)
            continue;
        struct interval joules = difference(with, bare);
        add_row(rows, chart, with, joules);
        for (size_t j = 0; j < count; j++)
            if (slopes[j].beside.operation == operation && slopes[j].level == with->level &&
                slopes[j].beside.count > 0 && find_bare(slopes, count, &slopes[j]) != NULL &&
                has_more_threads(&slopes[j], most))
                most = &slopes[j];
        snprintf(name, sizeof name, "%s.%s", operation, with->level);
        if (most == with)
            model_set_coefficient(document, name, joules, "J");
    }
}

void access_operations_set(const struct access_slope *slopes, size_t count, json_t *document)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        bool any = false;
        for (size_t j = 0; j < count; j++)
            any = any || (slopes[j].beside.operation == operations[i] && slopes[j].beside.count > 0 &&
                          find_bare(slopes, count, &slopes[j]) != NULL);
        if (any)
            set_operation(slopes, count, operations[i], rows, document);
    }
    if (json_array_size(rows) > 0)
        json_object_set(document, "operations", rows);
    json_decref(rows);
}
