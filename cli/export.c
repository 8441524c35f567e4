/* trauma export: results as one flat table, for spreadsheets and statistics programs. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "report/point_table.h"
#include "runner/results/results.h"
#include "session/point_values.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const accepted[] = {"output", "schema", "wide", "json", "quiet", "verbose", NULL};

/* runner/results/results.schema.json, put into the program by cmake/embed.cmake. */
extern const unsigned char results_schema[];
extern const unsigned long results_schema_size;

/* The columns around those of the parameters, and in a wide table around those of the metrics. */
static const char *const point_columns[] = {"benchmark", "point", "target", NULL};
static const char *const value_columns[] = {"part",    "metric", "unit",    "wanted", "min",    "max",
                                            "verdict", "code",   "silicon", "source", "kind",   "value",
                                            "low",     "high",   "n",       "doubt",  "reason", NULL};
static const char *const wide_columns[] = {"verdict", "reason", "doubt", NULL};
static const char *const run_columns[] = {"host", "program_hash", NULL};

enum sheet_format { SHEET_CSV, SHEET_JSON, SHEET_LINES };

/* The table being written. A row is an object with the columns as keys. */
struct export_sheet {
    struct buffer text;
    enum sheet_format format;
    bool wide, verbose;
    json_t *columns; /* every column: null; in order */
    const json_t *context;
    const struct result_point *point; /* the row's */
    json_t *row;                      /* of a wide table */
    size_t rows;
    struct file_writer *file; /* NULL: stdout */
};

enum { PART_BYTES = 1 << 18 };

/* Passes the text so far to the output. */
static void deliver(struct export_sheet *sheet)
{
    if (sheet->file != NULL)
        file_writer_put(sheet->file, sheet->text.data, sheet->text.size);
    else
        fwrite(sheet->text.data, 1, sheet->text.size, stdout);
    sheet->text.size = 0;
}

/* ---- formats ---- */

/* True if a spreadsheet would take the text for a formula; a signed number is not one. */
static bool is_formula(const char *text)
{
    double number;
    return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL && !units_parse_number(text, &number);
}

/* Keeps line ends; quotes where RFC 4180, section 2, requires it. */
static void put_text(struct export_sheet *sheet, const char *text)
{
    struct buffer shown = {0};
    buffer_text(&shown, is_formula(text) ? "'" : "");
    visible_append_lines(&shown, text);
    bool quoted = strpbrk(shown.data, ",\"\n") != NULL;
    buffer_text(&sheet->text, quoted ? "\"" : "");
    for (const char *c = shown.data; *c != '\0'; c++)
        buffer_append(&sheet->text, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    buffer_text(&sheet->text, quoted ? "\"" : "");
    buffer_free(&shown);
}

/* A number, a text unchanged, or any other value as JSON; empty if missing. */
static void put_cell(struct export_sheet *sheet, const json_t *value)
{
    if (json_is_string(value)) {
        put_text(sheet, json_string_value(value));
    } else if (json_is_number(value)) {
        buffer_printf(&sheet->text, "%.15g", json_number_value(value));
    } else if (value != NULL && !json_is_null(value)) {
        struct buffer text = {0};
        json_write(&text, value, 0);
        text.data[strcspn(text.data, "\n")] = '\0';
        put_text(sheet, text.data);
        buffer_free(&text);
    }
}

static void put_csv(struct export_sheet *sheet, const json_t *row)
{
    const char *name, *gap = "";
    json_t *unused;
    json_object_foreach(sheet->columns, name, unused)
    {
        buffer_text(&sheet->text, gap);
        if (row == NULL)
            put_text(sheet, name);
        else
            put_cell(sheet, json_object_get(row, name));
        gap = ",";
    }
    buffer_text(&sheet->text, "\n");
}

/* JSON has all columns in each row, null if missing. */
static void put_json(struct export_sheet *sheet, const json_t *row)
{
    json_t *whole = json_copy(sheet->columns);
    json_object_update_existing(whole, (json_t *)(uintptr_t)row);
    if (sheet->format == SHEET_JSON)
        buffer_text(&sheet->text, sheet->rows == 0 ? "[\n" : ",\n");
    json_write(&sheet->text, whole, 0);
    if (sheet->format == SHEET_JSON && sheet->text.data[sheet->text.size - 1] == '\n')
        sheet->text.data[--sheet->text.size] = '\0';
    json_decref(whole);
}

/* Takes the reference. */
static void put_row(struct export_sheet *sheet, json_t *row)
{
    if (sheet->format == SHEET_CSV)
        put_csv(sheet, row);
    else
        put_json(sheet, row);
    sheet->rows++;
    if (sheet->text.size >= PART_BYTES)
        deliver(sheet);
    json_decref(row);
}

static void put_heads(struct export_sheet *sheet)
{
    if (sheet->format == SHEET_CSV)
        put_csv(sheet, NULL);
}

static void put_end(struct export_sheet *sheet)
{
    if (sheet->format == SHEET_JSON)
        buffer_text(&sheet->text, sheet->rows == 0 ? "[]\n" : "\n]\n");
    deliver(sheet);
}

/* ---- rows ---- */

static void set_number(json_t *row, const char *column, bool there, double number)
{
    if (there && isfinite(number))
        json_object_set_new(row, column, json_from_number(number));
}

/* "" is none. */
static void set_text(json_t *row, const char *column, const char *text)
{
    if (text != NULL && text[0] != '\0')
        json_object_set_new(row, column, json_string_nocheck(text));
}

static void name_parameter(struct buffer *column, const char *parameter)
{
    buffer_free(column);
    buffer_printf(column, "p.%s", parameter);
}

/* The row with what identifies its point. */
static json_t *row_of_point(const struct export_sheet *sheet)
{
    json_t *row = json_object();
    const char *name;
    json_t *value;
    struct buffer column = {0};
    set_text(row, "benchmark", sheet->point->benchmark);
    set_text(row, "point", sheet->point->name);
    set_text(row, "target", sheet->point->target);
    json_object_foreach((json_t *)(uintptr_t)sheet->point->parameters, name, value)
    {
        name_parameter(&column, name);
        json_object_set_nocheck(row, column.data, value);
    }
    buffer_free(&column);
    set_text(row, "host",
             json_string_or(results_context(sheet->context, sheet->point->document), "host", ""));
    set_text(row, "program_hash", sheet->point->program_hash);
    return row;
}

static void add_value(const struct point_value *value, void *context)
{
    struct export_sheet *sheet = context;
    const struct result_rate *rate = value->rate;
    json_t *row = row_of_point(sheet);
    set_text(row, "part", value->part);
    set_text(row, "metric", value->metric);
    set_text(row, "unit", value->unit);
    set_number(row, "wanted", rate != NULL, rate == NULL ? 0 : rate->target);
    set_number(row, "min", rate != NULL, rate == NULL ? 0 : rate->min);
    set_number(row, "max", rate != NULL, rate == NULL ? 0 : rate->max);
    set_text(row, "verdict", value->verdict);
    set_text(row, "code", rate != NULL && rate->has_code ? verdict_name(rate->code) : "");
    set_text(row, "silicon", rate != NULL && rate->has_silicon ? verdict_name(rate->silicon) : "");
    set_text(row, "source", value->source);
    set_text(row, "kind", evidence_kinds[value->kind].name);
    set_number(row, "value", value->seen, value->value);
    set_number(row, "low", value->seen, value->low);
    set_number(row, "high", value->seen, value->high);
    set_number(row, "n", value->seen && value->n > 0, value->n);
    set_text(row, "doubt", value->seen ? value->doubt : "");
    set_text(row, "reason", value->reason);
    put_row(sheet, row);
}

static void add_rows(struct export_sheet *sheet)
{
    const char *word;
    const char *failure = point_failure(sheet->point, &word);
    if (failure != NULL) {
        json_t *row = row_of_point(sheet);
        set_text(row, "verdict", word);
        set_text(row, "reason", failure);
        put_row(sheet, row);
    }
    point_values(sheet->point, sheet->verbose, add_value, sheet);
}

/* ---- the wide table: one row per point ---- */

/* "ipc (1/cycle)", "copy 2 time.ticks_per_pass (ticks) low" */
static void name_column(struct buffer *column, const struct point_value *value, const char *bound)
{
    buffer_free(column);
    buffer_printf(column, "%s%s%s", value->part, value->part[0] == '\0' ? "" : " ", value->metric);
    if (!point_value_is_share(value->unit))
        buffer_printf(column, " (%s)", value->unit);
    buffer_printf(column, "%s%s", bound[0] == '\0' ? "" : " ", bound);
}

/* "ipc: all repetitions were disturbed; power.dynamic_w: ..." */
static void add_doubt(const struct point_value *value, json_t *row)
{
    struct buffer text = {0};
    const char *before = json_string_or(row, "doubt", "");
    if (value->doubt[0] == '\0')
        return;
    buffer_printf(&text, "%s%s%s%s%s: %s", before, before[0] == '\0' ? "" : "; ", value->part,
                  value->part[0] == '\0' ? "" : " ", value->metric, value->doubt);
    set_text(row, "doubt", text.data);
    buffer_free(&text);
}

/* Parts of a point and intervals are for those who ask for more. */
static void visit_wide(const struct point_value *value, struct export_sheet *sheet, json_t *into)
{
    const struct {
        const char *bound;
        double number;
    } cells[] = {{"", value->value}, {"low", value->low}, {"high", value->high}};
    size_t count = sheet->verbose ? sizeof cells / sizeof cells[0] : 1;
    if (!value->seen || (value->part[0] != '\0' && !sheet->verbose))
        return;
    for (size_t i = 0; i < count; i++) {
        struct buffer column = {0};
        name_column(&column, value, cells[i].bound);
        json_object_set_new_nocheck(into, column.data,
                                    into == sheet->columns || !isfinite(cells[i].number)
                                        ? json_null()
                                        : json_from_number(cells[i].number));
        buffer_free(&column);
    }
    if (into != sheet->columns)
        add_doubt(value, into);
}

static void add_columns(const struct point_value *value, void *context)
{
    struct export_sheet *sheet = context;
    visit_wide(value, sheet, sheet->columns);
}

static void fill_columns(const struct point_value *value, void *context)
{
    struct export_sheet *sheet = context;
    visit_wide(value, sheet, sheet->row);
}

static void add_wide_row(struct export_sheet *sheet)
{
    struct check_finding *finding = check_finding_judged(sheet->context, sheet->point);
    sheet->row = row_of_point(sheet);
    set_text(sheet->row, "verdict", finding_word(finding));
    set_text(sheet->row, "reason", finding->failure);
    point_values(sheet->point, false, fill_columns, sheet);
    put_row(sheet, sheet->row);
    check_finding_free(finding);
}

/* ---- the file ---- */

static const char *const members[] = {
    "benchmark", "name",  "target",  "point",     "program_hash", "context",  "error",
    "code",      "rates", "time",    "device",    "together",     "counters", "tolerance",
    "threads",   "power", "skipped", "simulated", "reps",         "units",    NULL};

static void add_names(json_t *columns, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        json_object_set_new(columns, names[i], json_null());
}

/* Those of all points' parameters, in order of appearance, and of a wide table's metrics. */
static enum status gather_columns(struct export_sheet *sheet, struct results_reader *results,
                                  struct error *error)
{
    static const char *const parameters_only[] = {"point", NULL};
    struct buffer column = {0};
    json_t *parameters = json_object();
    add_names(sheet->columns, point_columns);
    json_t *metrics = json_object(), *all = sheet->columns;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        const char *name;
        json_t *unused;
        json_t *point = results_point(results, i, sheet->wide ? members : parameters_only, error);
        status = point == NULL ? STATUS_USAGE : STATUS_OK;
        json_object_foreach(json_object_get(point, "point"), name, unused)
        {
            name_parameter(&column, name);
            json_object_set_new_nocheck(parameters, column.data, json_null());
        }
        sheet->columns = metrics;
        if (sheet->wide && point != NULL) {
            struct result_point read;
            result_point_read(point, &read);
            point_values(&read, false, add_columns, sheet);
            result_point_free(&read);
        }
        sheet->columns = all;
        json_decref(point);
    }
    json_object_update(all, parameters);
    add_names(all, sheet->wide ? wide_columns : value_columns);
    json_object_update(all, metrics);
    add_names(all, run_columns);
    json_decref(parameters);
    json_decref(metrics);
    buffer_free(&column);
    return status;
}

static enum status write_table(struct export_sheet *sheet, struct results_reader *results,
                               struct error *error)
{
    enum status status = gather_columns(sheet, results, error);
    if (status != STATUS_OK)
        return status;
    put_heads(sheet);
    for (size_t i = 0; i < results->count; i++) {
        json_t *point = results_point(results, i, members, error);
        if (point == NULL)
            return STATUS_USAGE;
        struct result_point *read = memory_zeroed(1, sizeof *read);
        result_point_read(point, read);
        sheet->point = read;
        if (sheet->wide)
            add_wide_row(sheet);
        else
            add_rows(sheet);
        result_point_free(read);
        free(read);
        json_decref(point);
    }
    put_end(sheet);
    return STATUS_OK;
}

/* ---- models ---- */

static void add_covariances(const json_t *regressions, json_t *columns)
{
    const json_t *regression, *coefficient;
    size_t i, j;
    json_array_foreach(regressions, i, regression)
    {
        json_array_foreach(json_object_get(regression, "coefficients"), j, coefficient)
        {
            struct buffer name = {0};
            buffer_printf(&name, "covariance.%s", json_string_or(coefficient, "name", "?"));
            json_object_set_new(columns, name.data, json_null());
            buffer_free(&name);
        }
    }
}

/* The row of a regression's coefficient, with its covariances with the others. */
static json_t *coefficient_row(const json_t *regression, size_t which)
{
    const json_t *coefficients = json_object_get(regression, "coefficients"), *other;
    const json_t *coefficient = json_array_get(coefficients, which);
    const json_t *covariance = json_object_get(coefficient, "covariance");
    double variance = json_number_value(json_array_get(covariance, which));
    json_t *row = json_object();
    size_t i;
    json_object_set(row, "regression", json_object_get(regression, "of"));
    json_object_set(row, "coefficient", json_object_get(coefficient, "name"));
    json_object_set(row, "value", json_object_get(coefficient, "value"));
    json_object_set(row, "inflation", json_object_get(coefficient, "inflation"));
    json_object_set(row, "freedom", json_object_get(regression, "freedom"));
    json_object_set_new(row, "error", json_real(sqrt(fmax(0, variance))));
    json_array_foreach(coefficients, i, other)
    {
        struct buffer name = {0};
        buffer_printf(&name, "covariance.%s", json_string_or(other, "name", "?"));
        json_object_set(row, name.data, json_array_get(covariance, i));
        buffer_free(&name);
    }
    return row;
}

/* A row for each coefficient of the model, with what its regression says of it, and for each further
 * coefficient of a regression. */
static void put_coefficients(struct export_sheet *sheet, const json_t *document)
{
    static const char *const columns[] = {"regression", "coefficient", "value",   "low",       "high",
                                          "unit",       "error",       "freedom", "inflation", NULL};
    const json_t *regressions = json_object_get(document, "regressions"), *regression;
    const json_t *coefficients = json_object_get(document, "coefficients"), *of_first;
    const char *name;
    json_t *coefficient;
    size_t i;
    add_names(sheet->columns, columns);
    add_covariances(regressions, sheet->columns);
    put_heads(sheet);
    json_object_foreach((json_t *)(uintptr_t)coefficients, name, coefficient)
    {
        json_t *row = json_object();
        json_array_foreach(json_object_get(json_array_get(regressions, 0), "coefficients"), i, of_first)
        {
            if (strcmp(json_string_or(of_first, "name", ""), name) == 0)
                json_object_update_new(row, coefficient_row(json_array_get(regressions, 0), i));
        }
        json_object_set_new(row, "coefficient", json_string(name));
        json_object_update(row, coefficient);
        put_row(sheet, row);
    }
    json_array_foreach(regressions, i, regression)
    {
        for (size_t j = 0; j < json_array_size(json_object_get(regression, "coefficients")); j++) {
            json_t *row = coefficient_row(regression, j);
            if (json_object_get(coefficients, json_string_or(row, "coefficient", "")) == NULL)
                put_row(sheet, row);
            else
                json_decref(row);
        }
    }
}

/* A row for each row of the fit. */
static void put_fitted(struct export_sheet *sheet, const json_t *document)
{
    static const char *const columns[] = {"regression", "recipe", "point",    "measured", "predicted",
                                          "left_out",   "error",  "leverage", "unlike",   NULL};
    const json_t *regressions = json_object_get(document, "regressions");
    json_t *row;
    size_t i;
    add_names(sheet->columns, columns);
    put_heads(sheet);
    json_array_foreach(json_object_get(document, "rows"), i, row)
    {
        size_t which = (size_t)json_integer_value(json_object_get(row, "regression"));
        json_t *made = json_copy(row);
        json_object_set(made, "regression", json_object_get(json_array_get(regressions, which), "of"));
        put_row(sheet, made);
    }
}

static void write_model(struct export_sheet *sheet, const json_t *document)
{
    if (sheet->wide)
        put_fitted(sheet, document);
    else
        put_coefficients(sheet, document);
    put_end(sheet);
}

/* The model's document; NULL: the file is none, such as results. New reference. */
static json_t *read_model(const char *path)
{
    struct error ignored;
    const char *ending = strrchr(file_base_name(path), '.');
    json_t *document = ending != NULL && strcasecmp(ending, ".json") == 0 ? json_read(path, &ignored) : NULL;
    if (document != NULL && strcmp(json_string_or(document, "kind", ""), "model") != 0) {
        json_decref(document);
        document = NULL;
    }
    return document;
}

/* Writes the rows of the results or, with a document, of a model. */
static enum status write_rows(const struct options *options, enum sheet_format format,
                              struct results_reader *results, const json_t *document, struct error *error)
{
    struct file_writer file = {0};
    struct export_sheet sheet = {.format = format,
                                 .wide = options->wide,
                                 .verbose = options->verbose,
                                 .columns = json_object(),
                                 .context = document == NULL ? results->context : document};
    bool named = options->output != NULL && !output_is_standard(options->output);
    enum status status = named ? file_writer_begin(options->output, false, &file, error) : STATUS_OK;
    bool open = named && status == STATUS_OK;
    sheet.file = open ? &file : NULL;
    if (status == STATUS_OK && document == NULL)
        status = write_table(&sheet, results, error);
    else if (status == STATUS_OK)
        write_model(&sheet, document);
    if (open) {
        bool whole = status == STATUS_OK;
        enum status written = file_writer_end(&file, whole, whole ? error : NULL);
        status = whole ? written : status;
    }
    if (status == STATUS_OK && named && !options->quiet && document == NULL)
        command_tell("%zu point%s, %zu row%s in %s", results->count, plural_s(results->count), sheet.rows,
                     plural_s(sheet.rows), options->output);
    else if (status == STATUS_OK && named && !options->quiet)
        command_tell("%zu row%s in %s", sheet.rows, plural_s(sheet.rows), options->output);
    json_decref(sheet.columns);
    buffer_free(&sheet.text);
    return status;
}

static enum status export_model(const struct options *options, enum sheet_format format,
                                const json_t *document, struct error *error)
{
    const json_t *sentence;
    size_t i;
    json_array_foreach(json_object_get(document, "disbelief"), i, sentence)
        command_warn(options, "%s", json_string_value(sentence));
    return write_rows(options, format, NULL, document, error);
}

static enum status export_results(const struct options *options, enum sheet_format format,
                                  struct error *error)
{
    struct results_reader results;
    enum status status = results_open(options->inputs[0], &results, error);
    if (status == STATUS_OK) {
        command_warn_cut(options, options->inputs[0], results.cut);
        command_warn_simulated(options, options->inputs[0], results.context);
        status = write_rows(options, format, &results, NULL, error);
    }
    results_reader_close(&results);
    return status;
}

/* The format that the file's ending or --json means; a name without an ending is a table. */
static enum status choose_format(const struct options *options, enum sheet_format *format,
                                 struct error *error)
{
    static const struct {
        const char *ending;
        enum sheet_format format;
    } endings[] = {{".csv", SHEET_CSV}, {".json", SHEET_JSON}, {".jsonl", SHEET_LINES}};
    const char *base = options->output == NULL ? "" : file_base_name(options->output);
    const char *own = strrchr(base, '.');
    *format = options->json ? SHEET_LINES : SHEET_CSV;
    if (own == NULL)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++)
        if (strcasecmp(own, endings[i].ending) == 0) {
            bool same = !options->json || endings[i].format != SHEET_CSV;
            *format = endings[i].format;
            return same ? STATUS_OK
                        : error_set(error, STATUS_USAGE, "--json does not go into %s", options->output);
        }
    error_set(error, STATUS_USAGE, "-o %s ends in %s, which trauma export does not write", options->output,
              own);
    error_hint(error,
               "use a name that ends in .csv (a table), .json (one list) or .jsonl (an object per line)");
    return STATUS_USAGE;
}

static enum status write_schema(const struct options *options, struct error *error)
{
    return output_write(options->output, results_schema, results_schema_size, error);
}

static int run(const struct options *options)
{
    struct error error;
    enum sheet_format format = SHEET_CSV;
    enum status status = STATUS_OK;
    size_t wanted = options->schema ? 0 : 1;
    if (options->input_count != wanted) {
        status = error_set(&error, STATUS_USAGE, "trauma export needs %s; found %zu file%s",
                           options->schema ? "no file with --schema" : "one results file",
                           options->input_count, plural_s(options->input_count));
        error_hint(&error,
                   options->schema ? "trauma export --schema" : "trauma export RESULTS.jsonl -o FILE.csv");
    } else if (options->schema ? output_kind_check(options->output, ".json", &error) != STATUS_OK
                               : choose_format(options, &format, &error) != STATUS_OK) {
        status = error.code;
    } else if (options->schema) {
        status = write_schema(options, &error);
    } else {
        json_t *model = read_model(options->inputs[0]);
        status = model != NULL ? export_model(options, format, model, &error)
                               : export_results(options, format, &error);
        json_decref(model);
    }
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_export = {
    .name = "export",
    .arguments = "RESULTS.jsonl|model.json [-o FILE.csv|FILE.json|FILE.jsonl] [OPTIONS]",
    .summary = "writes results, or a fitted model, as one flat table: comma-separated values or JSON",
    .details =

        "The table has one row per metric of a point: the requirement, the verdict, and the best evidence "
        "with its interval; with -v, one row per observation. A number without an interval has none in low "
        "and high, and its reason in doubt. The columns code and silicon are the verdict's two sides. "
        "Columns p.NAME are the sweep's parameters. Times are metrics time.*, power is power.* and energy.*, "
        "counted events are counter.*. The column part is empty for the whole point; else it names one of "
        "several copies (\"copy 2\") or one sensor. An unobserved metric has no value; a point that did not "
        "run has one row with the reason.\n"
        "\n"
        "With --wide the table has one row per point, with its worst verdict and a column per metric, as "
        "\"ipc (1/cycle)\", and in doubt the reasons of those that are marked; -v adds columns for both ends "
        "of each interval, and for copies and sensors.\n"
        "\n"
        "A model's table has one row per coefficient, with its interval, variance inflation and covariance "
        "with the others (covariance.NAME); with --wide, one row per row of the fit: measured, predicted, "
        "and left_out, predicted by a fit without that recipe.\n"
        "\n"
        "The file's ending chooses the format: .csv (also for a name without one), .json for a list of "
        "objects, .jsonl for an object per line. The columns are the keys, null if there is no value. "
        "Without -o the table goes to stdout; --json makes it an object per line. Other endings are "
        "refused.\n"
        "\n"
        "In CSV, a text that a spreadsheet would take for a formula, such as =1+1, is preceded by '; control "
        "characters are written as \\x1b.\n",
    .examples = "  trauma export results.jsonl -o table.csv --wide  # one row per point\n"
                "  trauma export results.jsonl -o table.json\n",
    .options = accepted,
    .run = run,
};
