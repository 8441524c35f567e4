/* The model "access-energy" (Delestrac et al. 2024, section III): at each level, E = accesses * epsilon +
 * delta over loops of different lengths; of the epsilons at different numbers of threads the least is the
 * level's own, as few threads leave the chip waiting at its own expense. */
#include "base/json.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS = 5, LEAST_LENGTHS = 3 };
static const char *const levels[LEVELS] = {"SHARED", "L1", "L2", "L3", "MEM"};

/* All accesses, as far as the evidence is exact. */
static const double ALL = 0.99;

/* The paper's own fits have an R^2 of 0.96 and more. */
static const double GOOD_R2 = 0.95;

/* Rows of one level and one number of threads. */
struct line {
    const char *level;
    double threads;
    double *x, *y;
    size_t count;
};

static size_t copies_of(const struct dataset_row *row)
{
    size_t copies = json_array_size(json_object_get(row->rep, "threads"));
    return copies > 0 ? copies : 1;
}

/* The number of threads: the sweep's own, or the copies that ran. */
static double threads_of(const struct dataset_row *row)
{
    double threads = dataset_number(row, "parameter.threads");
    return isnan(threads) ? (double)copies_of(row) : threads;
}

/* The level that serves all of the row's accesses; NULL when there is none. */
static const char *level_of(const struct dataset_row *row)
{
    for (size_t i = 0; i < LEVELS; i++) {
        char metric[32];
        snprintf(metric, sizeof metric, "served.%s", levels[i]);
        if (dataset_number(row, metric) >= ALL)
            return levels[i];
    }
    return NULL;
}

static void add(struct line *line, double accesses, double joules)
{
    line->x = realloc(line->x, (line->count + 1) * 2 * sizeof *line->x);
    line->y = realloc(line->y, (line->count + 1) * sizeof *line->y);
    if (line->x == NULL || line->y == NULL)
        abort();
    line->x[2 * line->count] = accesses;
    line->x[2 * line->count + 1] = 1;
    line->y[line->count++] = joules;
}

static void free_lines(struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(lines[i].x);
        free(lines[i].y);
    }
    free(lines);
}

static struct line *find_line(struct line **lines, size_t *count, const char *level, double threads)
{
    for (size_t i = 0; i < *count; i++)
        if ((*lines)[i].level == level && (*lines)[i].threads == threads)
            return &(*lines)[i];
    struct line *more = realloc(*lines, (*count + 1) * sizeof *more);
    if (more == NULL)
        abort();
    *lines = more;
    more[*count] = (struct line){.level = level, .threads = threads};
    return &more[(*count)++];
}

/* Sorts rows into lines; what does not belong is counted. */
static struct line *gather(const struct dataset *dataset, size_t *count, size_t *without_energy,
                           size_t *mixed)
{
    struct line *lines = NULL;
    *count = *without_energy = *mixed = 0;
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row *row = &dataset->rows[i];
        const char *level = level_of(row);
        double accesses = dataset_number(row, "loads");
        if (!isfinite(row->dynamic_j))
            ++*without_energy;
        else if (level == NULL || !(accesses > 0) || dataset_number(row, "stores") > 0)
            ++*mixed;
        else
            add(find_line(&lines, count, level, threads_of(row)), accesses, row->dynamic_j);
    }
    return lines;
}

/* Repetitions of one length are one length: lengths differ by a hundredth at least. */
static size_t lengths(const struct line *line)
{
    size_t count = 0;
    for (size_t i = 0; i < line->count; i++) {
        bool seen = false;
        for (size_t j = 0; j < i; j++)
            seen = seen || fabs(line->x[2 * j] - line->x[2 * i]) <= 0.01 * line->x[2 * i];
        count += !seen;
    }
    return count;
}

static enum status fit_line(const struct line *line, json_t *document, struct linear_fit *fit,
                            struct error *error)
{
    static const char *const names[] = {"accesses", "constant"};
    const struct linear_data data = {
        .rows = line->count, .columns = 2, .x = line->x, .y = line->y, .names = names};
    const struct linear_options options = {.resamples = MODEL_RESAMPLES};
    size_t found = lengths(line);
    if (found < LEAST_LENGTHS) {
        error_set(error, STATUS_USAGE, "%s at %g threads: %zu lengths of loop cannot tell a slope",
                  line->level, line->threads, found);
        error_hint(error, "sweep the number of accesses, or the time of a repetition, over %d values or more",
                   LEAST_LENGTHS);
        return STATUS_USAGE;
    }
    enum status status = linear_fit(&data, &options, fit, error);
    if (status != STATUS_OK) {
        if (error != NULL)
            error_prefix(error, "%s at %g threads", line->level, line->threads);
        return status;
    }
    if (fit->r2 < GOOD_R2)
        model_note(document,
                   "%s at %g threads: R^2 is %.3f, below %.2f: the energy is no line in the accesses",
                   line->level, line->threads, fit->r2, GOOD_R2);
    return STATUS_OK;
}

static json_t *line_to_json(const struct line *line, const struct linear_fit *fit)
{
    return json_pack("{s:s, s:f, s:I, s:{s:f, s:f, s:f}, s:{s:f, s:f, s:f}, s:f}", "level", line->level,
                     "threads", line->threads, "rows", (json_int_t)line->count, "epsilon_j", "value",
                     fit->interval[0].value, "low", fit->interval[0].low, "high", fit->interval[0].high,
                     "delta_j", "value", fit->interval[1].value, "low", fit->interval[1].low, "high",
                     fit->interval[1].high, "r2", fit->r2);
}

/* The least epsilon of the level so far stays, with its own delta. */
static void keep_least(json_t *document, const struct line *line, const struct linear_fit *fit)
{
    char epsilon[48];
    char delta[48];
    struct interval before;
    snprintf(epsilon, sizeof epsilon, "epsilon.%s", line->level);
    snprintf(delta, sizeof delta, "delta.%s", line->level);
    if (model_coefficient(document, epsilon, &before) && before.value <= fit->value[0])
        return;
    model_set_coefficient(document, epsilon, fit->interval[0], "J/access");
    model_set_coefficient(document, delta, fit->interval[1], "J");
}

static enum status nothing_to_fit(size_t without_energy, size_t mixed, struct error *error)
{
    error_set(error, STATUS_USAGE,
              "no repetition tells the energy of accesses to one level: %zu have no dynamic energy, %zu are "
              "served by "
              "several levels, store, or do not load",
              without_energy, mixed);
    error_hint(
        error,
        "run recipes whose loads are all served by one level, where a power sensor is (trauma sensors)");
    return STATUS_USAGE;
}

static enum status fit(const struct dataset *dataset, const struct model_settings *settings, json_t *document,
                       struct error *error)
{
    (void)settings;
    size_t count;
    size_t without_energy;
    size_t mixed;
    struct line *lines = gather(dataset, &count, &without_energy, &mixed);
    enum status status = count == 0 ? nothing_to_fit(without_energy, mixed, error) : STATUS_OK;
    json_t *fits = json_array();
    for (size_t i = 0; status == STATUS_OK && i < count; i++) {
        struct linear_fit fitted;
        status = fit_line(&lines[i], document, &fitted, error);
        if (status != STATUS_OK)
            continue;
        json_array_append_new(fits, line_to_json(&lines[i], &fitted));
        keep_least(document, &lines[i], &fitted);
    }
    if (without_energy > 0)
        model_note(document, "%zu repetitions have no dynamic energy and are left out", without_energy);
    if (mixed > 0)
        model_note(document, "%zu repetitions are not of loads from one level and are left out", mixed);
    json_object_set_new(document, "lines", fits);
    free_lines(lines, count);
    return status;
}

static void add_part(json_t *parts, const char *name, struct interval joules)
{
    json_array_append_new(parts, json_pack("{s:s, s:f, s:f, s:f, s:s}", "part", name, "value", joules.value,
                                           "low", joules.low, "high", joules.high, "unit", "J"));
}

/* accesses.LEVEL times its epsilon; what the counters tell of the whole (energy_j, static_w, seconds) is
 * broken down. */
static enum status predict(const json_t *document, const json_t *counters,
                           const struct model_settings *settings, json_t **result, struct error *error)
{
    (void)settings;
    json_t *parts = json_array();
    double moved = 0;
    for (size_t i = 0; i < LEVELS; i++) {
        char name[48];
        struct interval epsilon;
        snprintf(name, sizeof name, "accesses.%s", levels[i]);
        double accesses = json_number_or(counters, name, NAN);
        snprintf(name, sizeof name, "epsilon.%s", levels[i]);
        if (isnan(accesses) || !model_coefficient(document, name, &epsilon))
            continue;
        moved += accesses * epsilon.value;
        add_part(
            parts, levels[i],
            (struct interval){accesses * epsilon.value, accesses * epsilon.low, accesses * epsilon.high, 1});
    }
    if (json_array_size(parts) == 0) {
        json_decref(parts);
        error_set(error, STATUS_USAGE, "the counters name no accesses to a level that the model knows");
        error_hint(error,
                   "expected some of accesses.SHARED, accesses.L1, accesses.L2, accesses.L3, accesses.MEM");
        return STATUS_USAGE;
    }
    double whole = json_number_or(counters, "energy_j", NAN);
    double idle = json_number_or(counters, "static_w", NAN) * json_number_or(counters, "seconds", NAN);
    if (isfinite(idle))
        add_part(parts, "static", (struct interval){idle, idle, idle, 1});
    if (isfinite(idle) && isfinite(whole)) {
        double rest = whole - idle - moved;
        add_part(parts, "rest", (struct interval){rest, rest, rest, 1});
    }
    *result = json_pack("{s:o}", "parts", parts);
    return STATUS_OK;
}

const struct model model_access_energy = {
    .name = "access-energy",
    .title = "energy of one access at each level of the memory hierarchy (Delestrac et al. 2024)",
    .page = "E = accesses * epsilon + delta at each level, over loops of different lengths; the least "
            "epsilon over\n"
            "numbers of threads is the level's. Assumes that every access is served by the level that its "
            "recipe\n"
            "names (check says so), and that what the loop does besides loading is small: it is counted with "
            "the\n"
            "accesses. Not to be believed at few threads, where the chip's own waiting is most of it, nor "
            "where R^2\n"
            "is below 0.95, nor for an application whose accesses differ in width from the recipe's.\n",
    .fit = fit,
    .predict = predict,
};
