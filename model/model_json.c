#include "model/model_json.h"

#include "base/json.h"
#include "model/data/vf.h"
#include "runner/results/results.h"

#include <math.h>
#include <string.h>

/* ---- members by name ---- */

static const struct field_row interval_rows[] = {FIELD_ROW(interval, "value", FIELD_REAL, value),
                                                 FIELD_ROW(interval, "low", FIELD_REAL, low),
                                                 FIELD_ROW(interval, "high", FIELD_REAL, high),
                                                 FIELD_ROW(interval, "n", FIELD_WHOLE, n),
                                                 {0}};

static void write_coefficients(struct json_text *text, const char *name, const void *at)
{
    const struct model_result *result = at;
    json_text_open(text, name, '{');
    for (size_t i = 0; i < result->coefficient_count; i++) {
        json_text_open(text, result->coefficients[i].name, '{');
        fields_write(text, interval_rows, NULL, &result->coefficients[i].at);
        json_text_string(text, "unit", result->coefficients[i].unit);
        json_text_close(text, '}');
    }
    json_text_close(text, '}');
}

static bool read_coefficients(struct fields_reader *reader, const json_t *value, void *at)
{
    struct model_result *result = at;
    const char *name;
    json_t *each;
    json_object_foreach((json_t *)(uintptr_t)value, name, each)
    {
        struct interval kept = {NAN, NAN, NAN, 0};
        fields_read(reader, each, NULL, interval_rows, &kept);
        kept.low = isnan(kept.low) ? kept.value : kept.low;
        kept.high = isnan(kept.high) ? kept.value : kept.high;
        model_set_coefficient(result, name, kept, json_string_or(each, "unit", ""));
    }
    return true;
}

static void write_numbers(struct json_text *text, const char *name, const struct model_number *numbers,
                          size_t count)
{
    json_text_open(text, name, '{');
    for (size_t i = 0; i < count; i++) {
        if (numbers[i].whole)
            json_text_integer(text, numbers[i].name, (long long)numbers[i].value);
        else
            json_text_real(text, numbers[i].name, numbers[i].value);
    }
    json_text_close(text, '}');
}

static void write_quality(struct json_text *text, const char *name, const void *at)
{
    const struct model_result *result = at;
    write_numbers(text, name, result->quality, result->quality_count);
}

static void write_left_out(struct json_text *text, const char *name, const void *at)
{
    const struct model_result *result = at;
    write_numbers(text, name, result->left_out, result->left_out_count);
}

bool named_numbers_read(struct fields_reader *reader, const json_t *value, void *at)
{
    const char *name;
    json_t *each;
    json_object_foreach((json_t *)(uintptr_t)value, name, each)
    {
        if (json_is_number(each))
            named_number_set(at, reader->arena, name, json_number_value(each));
    }
    return true;
}

void named_numbers_write(struct json_text *text, const char *name, const void *at)
{
    const struct named_numbers *numbers = at;
    json_text_open(text, name, '{');
    for (size_t i = 0; i < numbers->count; i++)
        json_text_real(text, numbers->items[i].name, numbers->items[i].value);
    json_text_close(text, '}');
}

static void write_reals(struct json_text *text, const char *name, const double *numbers, size_t count)
{
    json_text_open(text, name, '[');
    for (size_t i = 0; i < count; i++)
        json_text_real(text, NULL, numbers[i]);
    json_text_close(text, ']');
}

static void read_reals(const json_t *list, double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = json_number_value(json_array_get(list, i));
}

void spread_value_write(struct json_text *text, const char *name, const void *at)
{
    const struct spread *spread = at;
    write_reals(text, name, spread->value, spread->columns);
}

void spread_covariance_write(struct json_text *text, const char *name, const void *at)
{
    const struct spread *spread = at;
    write_reals(text, name, spread->covariance, spread->columns * spread->columns);
}

bool spread_value_read(struct fields_reader *reader, const json_t *value, void *at)
{
    struct spread *spread = at;
    size_t n = json_array_size(value);
    (void)reader;
    if (n <= LINEAR_COLUMNS)
        read_reals(value, spread->value, n);
    spread->columns = n <= LINEAR_COLUMNS ? n : 0;
    spread->covariance[0] = NAN; /* until it is read */
    return true;
}

bool spread_covariance_read(struct fields_reader *reader, const json_t *value, void *at)
{
    struct spread *spread = at;
    (void)reader;
    if (json_array_size(value) != spread->columns * spread->columns)
        spread->columns = 0;
    read_reals(value, spread->covariance, spread->columns * spread->columns);
    return true;
}

bool spread_is_whole(const struct spread *spread)
{
    return spread->columns > 0 && !isnan(spread->covariance[0]);
}

void vf_write_states(struct json_text *text, const char *name, const void *at)
{
    const struct vf_table *table = at;
    json_text_open(text, name, '[');
    for (size_t i = 0; i < table->count; i++) {
        json_text_open(text, NULL, '{');
        json_text_real(text, "volts", table->states[i].volts);
        json_text_real(text, "ghz", table->states[i].ghz);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

bool vf_read_states(struct fields_reader *reader, const json_t *value, void *at)
{
    struct vf_table *table = at;
    (void)reader;
    table->count = recorded_states_read(value, table->states);
    return true;
}

/* ---- charts ---- */

static const char *const kinds[] = {
    [CHART_LINES] = "lines", [CHART_POINTS] = "points", [CHART_BARS] = "bars", [CHART_STACKED] = "stacked"};

static void write_line(struct json_text *text, const struct chart_line *line)
{
    json_text_open(text, NULL, '{');
    json_text_string(text, "label", line->label);
    json_text_open(text, "samples", '[');
    for (size_t i = 0; i < line->count; i++) {
        const struct chart_point *sample = &line->samples[i];
        write_reals(text, NULL, (const double[]){sample->x, sample->y, sample->low, sample->high}, 4);
    }
    json_text_close(text, ']');
    if (line->reference)
        json_text_bool(text, "reference", true);
    if (line->like != NULL)
        json_text_string(text, "like", line->like);
    json_text_close(text, '}');
}

static void write_chart(struct json_text *text, const struct chart *chart)
{
    json_text_open(text, NULL, '{');
    json_text_string(text, "title", chart->title);
    json_text_string(text, "subtitle", chart->subtitle);
    json_text_string(text, "kind", kinds[chart->kind]);
    json_text_string(text, "x", chart->x);
    json_text_string(text, "y", chart->y);
    json_text_open(text, "lines", '[');
    for (size_t i = 0; i < chart->count; i++)
        write_line(text, &chart->lines[i]);
    json_text_close(text, ']');
    if (chart->category_count > 0) {
        json_text_open(text, "categories", '[');
        for (size_t i = 0; i < chart->category_count; i++)
            json_text_string(text, NULL, chart->categories[i]);
        json_text_close(text, ']');
    }
    if (chart->log != NULL)
        json_text_string(text, "log", chart->log);
    json_text_close(text, '}');
}

void model_json_charts(struct json_text *text, const struct charts *charts)
{
    json_text_open(text, "charts", '[');
    for (size_t i = 0; i < charts->count; i++)
        write_chart(text, charts->items[i]);
    json_text_close(text, ']');
}

static void write_charts(struct json_text *text, const char *name, const void *at)
{
    (void)name;
    model_json_charts(text, &((const struct model_result *)at)->charts);
}

/* ---- fits ---- */

static const struct field_row strongest_rows[] = {
    FIELD_ROW(model_form, "suspect", FIELD_TEXT, strongest.suspect),
    FIELD_ROW(model_form, "p", FIELD_REAL, strongest.p),
    {0}};

static const struct field_row scatter_rows[] = {
    FIELD_ROW(model_form, "times_repetitions", FIELD_REAL, scatter.times_repetitions),
    FIELD_ROW(model_form, "p", FIELD_REAL, scatter.p),
    FIELD_ROW(model_form, "percent", FIELD_REAL, scatter.percent),
    {0}};

static const struct field_row form_rows[] = {FIELD_ROW(model_form, "rows", FIELD_WHOLE, rows),
                                             FIELD_ROW(model_form, "left", FIELD_WHOLE, left),
                                             FIELD_ROW(model_form, "suspects", FIELD_WHOLE, suspects),
                                             {.name = "strongest",
                                              .type = FIELD_OBJECT,
                                              .given = 1 + offsetof(struct model_form, is_suspect),
                                              .rows = strongest_rows},
                                             {.name = "scatter",
                                              .type = FIELD_OBJECT,
                                              .given = 1 + offsetof(struct model_form, is_scatter),
                                              .rows = scatter_rows},
                                             {0}};

static const struct field_row point_error_rows[] = {
    FIELD_ROW(model_result, "percent", FIELD_REAL, point_error.percent),
    FIELD_ROW(model_result, "assumed", FIELD_FLAG, point_error.assumed),
    {0}};

static const struct field_row idle_form_rows[] = {
    FIELD_ROW(model_result, "suspect", FIELD_TEXT, idle_form.suspect),
    FIELD_ROW(model_result, "p", FIELD_REAL, idle_form.p),
    FIELD_ROW(model_result, "suspects", FIELD_WHOLE, idle_form.suspects),
    {0}};

static const struct field_row program_rows[] = {
    FIELD_ROW(model_program, "name", FIELD_TEXT, name),
    FIELD_ROW(model_program, "rows", FIELD_WHOLE, rows),
    FIELD_ROW(model_program, "mean_absolute", FIELD_REAL, mean_absolute),
    {0}};

static const struct field_row mixture_rows[] = {
    FIELD_ROW(model_mixture, "name", FIELD_TEXT, name),
    FIELD_ROW(model_mixture, "measured_j", FIELD_REAL, measured_j),
    FIELD_ROW(model_mixture, "predicted_j", FIELD_REAL, predicted_j),
    FIELD_ROW(model_mixture, "error", FIELD_REAL, error),
    FIELD_ROW(model_mixture, "n", FIELD_WHOLE, reps),
    {0}};

static const struct field_row validation_rows[] = {
    FIELD_ROW(model_validation, "leaves_out", FIELD_TEXT, leaves_out),
    FIELD_ROW(model_validation, "groups", FIELD_WHOLE, groups),
    FIELD_ROW(model_validation, "rows", FIELD_WHOLE, rows),
    FIELD_ROW(model_validation, "mean_absolute", FIELD_REAL, mean_absolute),
    FIELD_ROW(model_validation, "worst", FIELD_REAL, worst),
    FIELD_ROW(model_validation, "worst_point", FIELD_TEXT, worst_point),
    FIELD_ROW(model_validation, "whole_mean_absolute", FIELD_REAL, whole_mean_absolute),
    FIELD_ROW(model_validation, "dynamic_mean_absolute", FIELD_REAL, dynamic_mean_absolute),
    {.name = "programs",
     .type = FIELD_LIST,
     .offset = offsetof(struct model_validation, programs),
     .given = 1 + offsetof(struct model_validation, by_program),
     .count = offsetof(struct model_validation, program_count),
     .rows = program_rows,
     .size = sizeof(struct model_program)},
    {.name = "points",
     .type = FIELD_LIST,
     .offset = offsetof(struct model_validation, mixtures),
     .given = 1 + offsetof(struct model_validation, of_mixtures),
     .count = offsetof(struct model_validation, mixture_count),
     .rows = mixture_rows,
     .size = sizeof(struct model_mixture)},
    {0}};

static const struct model_column no_column = {.value = NAN, .inflation = NAN};
static const struct model_regression no_regression = {.freedom = NAN};
static const struct model_row no_row = {
    .measured = NAN, .predicted = NAN, .left_out = NAN, .error = NAN, .leverage = NAN};
static const struct field_row column_rows[] = {
    FIELD_ROW(model_column, "name", FIELD_TEXT, name),
    FIELD_ROW(model_column, "value", FIELD_UNKNOWN, value),
    FIELD_MANY(model_column, "covariance", FIELD_REALS, covariance, columns),
    FIELD_ROW(model_column, "inflation", FIELD_UNKNOWN, inflation),
    {0}};

static const struct field_row regression_rows[] = {
    FIELD_ROW(model_regression, "of", FIELD_TEXT, of),
    FIELD_ROW(model_regression, "quantity", FIELD_TEXT, quantity),
    FIELD_ROW(model_regression, "unit", FIELD_TEXT, unit),
    FIELD_ROW(model_regression, "freedom", FIELD_UNKNOWN, freedom),
    FIELD_LIKE(model_regression, "coefficients", columns, count, column_rows, no_column),
    {0}};

static const struct field_row row_rows[] = {FIELD_ROW(model_row, "regression", FIELD_WHOLE, regression),
                                            FIELD_ROW(model_row, "point", FIELD_TEXT, point),
                                            FIELD_ROW(model_row, "recipe", FIELD_TEXT, recipe),
                                            FIELD_ROW(model_row, "measured", FIELD_UNKNOWN, measured),
                                            FIELD_ROW(model_row, "predicted", FIELD_UNKNOWN, predicted),
                                            FIELD_ROW(model_row, "left_out", FIELD_UNKNOWN, left_out),
                                            FIELD_ROW(model_row, "error", FIELD_UNKNOWN, error),
                                            FIELD_ROW(model_row, "leverage", FIELD_UNKNOWN, leverage),
                                            FIELD_ROW(model_row, "unlike", FIELD_FLAG, unlike),
                                            {0}};

/* ---- predictions ---- */

static const struct field_row part_rows[] = {FIELD_ROW(model_part, "part", FIELD_TEXT, name),
                                             FIELD_ROW(model_part, "value", FIELD_REAL, at.value),
                                             FIELD_ROW(model_part, "low", FIELD_REAL, at.low),
                                             FIELD_ROW(model_part, "high", FIELD_REAL, at.high),
                                             FIELD_ROW(model_part, "unit", FIELD_TEXT, unit),
                                             FIELD_GIVEN(model_part, "sum", FIELD_FLAG, sum, sum),
                                             {0}};

static const struct field_row state_rows[] = {
    FIELD_ROW(model_state, "ghz", FIELD_REAL, ghz),
    FIELD_ROW(model_state, "volts", FIELD_REAL, volts),
    FIELD_ROW(model_state, "cpi", FIELD_REAL, cpi),
    FIELD_ROW(model_state, "instructions_per_s", FIELD_REAL, instructions_per_s),
    FIELD_ROW(model_state, "dynamic_w", FIELD_REAL, dynamic_w),
    FIELD_ROW(model_state, "idle_w", FIELD_REAL, idle_w),
    FIELD_ROW(model_state, "power_w", FIELD_REAL, power_w),
    FIELD_ROW(model_state, "energy_per_instruction_j", FIELD_REAL, energy_per_instruction_j),
    FIELD_ROW(model_state, "energy_delay_js", FIELD_REAL, energy_delay_js),
    {0}};

static const struct field_row core_rows[] = {FIELD_ROW(model_core, "core", FIELD_WHOLE, core),
                                             FIELD_ROW(model_core, "dynamic_w", FIELD_REAL, dynamic_w),
                                             FIELD_ROW(model_core, "idle_w", FIELD_REAL, idle_w),
                                             FIELD_ROW(model_core, "power_w", FIELD_REAL, power_w),
                                             {0}};

static void write_simulated(struct json_text *text, const char *name, const void *at)
{
    simulated_write(text, name, at);
}

/* ---- results ---- */

static const struct field_row result_rows[] = {
    FIELD_MANY(model_result, "channel", FIELD_WORDS, channel.items, channel.count),
    FIELD_MANY(model_result, "notes", FIELD_WORDS, notes.items, notes.count),
    FIELD_MANY(model_result, "disbelief", FIELD_WORDS, disbelief.items, disbelief.count),
    {.name = "coefficients", .type = FIELD_OWN, .read = read_coefficients, .write = write_coefficients},
    {.name = "quality", .type = FIELD_OWN, .write = write_quality},
    {.name = "left_out", .type = FIELD_OWN, .write = write_left_out},
    {.name = "charts", .type = FIELD_OWN, .write = write_charts},
    FIELD_INNER("point_error", point_error_rows),
    FIELD_PART(model_result, "form", form, form_rows),
    FIELD_INNER("idle_form", idle_form_rows),
    FIELD_PART(model_result, "validation", validation, validation_rows),
    FIELD_LIKE(model_result, "regressions", regressions, regression_count, regression_rows, no_regression),
    FIELD_LIKE(model_result, "rows", rows, row_count, row_rows, no_row),
    FIELD_STRUCTS(model_result, "parts", parts, part_count, part_rows, struct model_part),
    FIELD_STRUCTS(model_result, "states", states, state_count, state_rows, struct model_state),
    FIELD_STRUCTS(model_result, "cores", cores, core_count, core_rows, struct model_core),
    FIELD_ROW(model_result, "ghz", FIELD_REAL, ghz),
    FIELD_ROW(model_result, "energy_delay_ghz", FIELD_REAL, energy_delay_ghz),
    FIELD_ROW(model_result, "cap_ghz", FIELD_REAL, cap_ghz),
    FIELD_ROW(model_result, "cap_w", FIELD_REAL, cap_w),
    FIELD_ROW(model_result, "cap_held", FIELD_FLAG, cap_held),
    FIELD_ROW(model_result, "t_s", FIELD_REAL, t_s),
    FIELD_ROW(model_result, "measured_w", FIELD_REAL, measured_w),
    {.name = "simulated",
     .type = FIELD_OWN,
     .offset = offsetof(struct model_result, simulated),
     .write = write_simulated},
    FIELD_ROW(model_result, "application", FIELD_TEXT, application),
    {0}};

static const struct field_row origin_rows[] = {FIELD_ROW(model_origin, "machine", FIELD_VALUE, machine),
                                               FIELD_ROW(model_origin, "host", FIELD_TEXT, host),
                                               {0}};
static const struct field_row data_rows[] = {
    FIELD_MANY(model_origin, "files", FIELD_WORDS, files, file_count),
    FIELD_ROW(model_origin, "hash", FIELD_TEXT, hash),
    FIELD_ROW(model_origin, "points", FIELD_WHOLE, points),
    FIELD_ROW(model_origin, "repetitions", FIELD_WHOLE, repetitions),
    {0}};

static void write_origin(struct json_text *text, const struct model *model, const struct model_origin *origin)
{
    json_text_integer(text, "schema", MODEL_SCHEMA);
    json_text_string(text, "kind", "model");
    json_text_string(text, "model", model->name);
    json_text_string(text, "title", model->title);
    fields_write(text, origin_rows, NULL, origin);
    if (!origin->by_idle)
        simulated_write(text, "simulated", &origin->simulated);
    json_text_open(text, "data", '{');
    fields_write(text, data_rows, NULL, origin);
    json_text_close(text, '}');
    if (origin->by_idle)
        simulated_write(text, "simulated", &origin->simulated);
}

void model_json_write(struct json_text *text, const char *key, const struct model *model,
                      const struct model_result *result)
{
    json_text_open(text, key, '{');
    if (result->origin != NULL)
        write_origin(text, model, result->origin);
    for (size_t i = 0; i < result->stated_count; i++) {
        const char *const names[] = {result->stated[i], NULL};
        const struct field_choice one = {.names = names};
        fields_write(text, result_rows, &one, result);
        if (result->own != NULL)
            fields_write(text, model->own_rows, &one, result->own);
    }
    json_text_close(text, '}');
}

void model_json_print(struct buffer *buffer, const struct model *model, const struct model_result *result,
                      bool compact)
{
    struct json_text text = {.buffer = buffer, .compact = compact};
    model_json_write(&text, NULL, model, result);
}

/* ---- reading ---- */

void model_json_origin(struct model_result *result, const json_t *document)
{
    result->machine = recorded_machine_read(json_object_get(document, "machine"));
    simulated_read(json_object_get(document, "simulated"), &result->simulated);
}

static void read_members(struct fields_reader *reader, const json_t *document, const char *const *names,
                         struct model_result *result)
{
    for (const struct field_row *row = result_rows; row->name != NULL; row++)
        for (size_t i = 0; names[i] != NULL; i++)
            if (strcmp(row->name, names[i]) == 0)
                fields_read(reader, document, NULL, (const struct field_row[]){*row, {0}}, result);
    for (size_t i = result->disbelief.count; i > 0; i--)
        if (result->disbelief.items[i - 1] == NULL)
            result->disbelief.items[i - 1] = "";
}

void model_json_read(const json_t *document, const struct model *model, struct model_result *result)
{
    static const char *const names[] = {"disbelief", "coefficients", NULL};
    struct fields_reader reader = {.arena = &result->arena, .what = "the model", .kind = "a model"};
    model_json_origin(result, document);
    read_members(&reader, document, names, result);
    if (model_make_own(model, result) != NULL)
        fields_read(&reader, document, NULL, model->own_rows, result->own);
}

enum status model_file_open(const char *path, const struct model *wanted, struct model_file *file,
                            struct error *error)
{
    bool results = wanted == NULL && results_is_one(path);
    *file = (struct model_file){.document = results ? NULL : json_read(path, error)};
    if (results) {
        error_set(error, STATUS_USAGE, "%s is a results file; expected a fitted model first", path);
        error_hint(error, "trauma fit MODEL %s -o model.json makes one", path);
    }
    if (file->document == NULL)
        return STATUS_USAGE;
    const char *name = json_string_or(file->document, "model", "");
    if (wanted == NULL && (strcmp(json_string_or(file->document, "kind", ""), "model") != 0 ||
                           json_number_or(file->document, "schema", 0) != MODEL_SCHEMA)) {
        error_set(error, STATUS_USAGE, "%s is not a model of this version", path);
        error_hint(error, "trauma fit MODEL RESULTS -o FILE makes one");
        return STATUS_USAGE;
    }
    enum status status = STATUS_OK;
    if (wanted == NULL)
        status = model_find(name, &file->model, error);
    else
        file->model = strcmp(name, wanted->name) == 0 ? wanted : NULL;
    if (status == STATUS_OK && file->model != NULL)
        model_json_read(file->document, file->model, &file->result);
    return status;
}

bool model_file_read_tables(const char *path, struct model_file *file)
{
    static const char *const names[] = {"disbelief", "coefficients", "regressions", "rows", NULL};
    struct error ignored;
    *file = (struct model_file){.document = json_read(path, &ignored)};
    struct fields_reader reader = {.arena = &file->result.arena, .what = "the model", .kind = "a model"};
    if (strcmp(json_string_or(file->document, "kind", ""), "model") != 0) {
        model_file_close(file);
        return false;
    }
    read_members(&reader, file->document, names, &file->result);
    return true;
}

void model_file_close(struct model_file *file)
{
    model_result_free(&file->result);
    json_decref(file->document);
    *file = (struct model_file){0};
}
