/* trauma export: results as one flat table, for spreadsheets and statistics programs. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text/plural.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/output_kind.h"
#include "runner/results/results.h"
#include "session/point_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"output", "schema", "quiet", "verbose", NULL};

/* runner/results/results.schema.json, put into the program by cmake/embed.cmake. */
extern const unsigned char results_schema[];
extern const unsigned long results_schema_size;

/* The columns before and after those of the parameters. */
static const char HEAD[] = "benchmark,point,target";
static const char TAIL[] = "part,metric,unit,wanted,min,max,verdict,code,silicon,source,kind,value,low,high,"
                           "n,reason,host,program_hash";

/* The table being written, and the row's point. */
struct sheet {
    struct buffer text;
    json_t *parameters; /* names of all points' parameters, in order of appearance */
    const json_t *context;
    const json_t *point;
    size_t rows;
    struct file_writer *file; /* NULL: stdout */
};

enum { PART_BYTES = 1 << 18 };

/* Passes the text so far to the output. */
static void deliver(struct sheet *sheet)
{
    if (sheet->file != NULL)
        file_writer_put(sheet->file, sheet->text.data, sheet->text.size);
    else
        fwrite(sheet->text.data, 1, sheet->text.size, stdout);
    sheet->text.size = 0;
}

/* True if a spreadsheet would take the text for a formula; a signed number is not one. */
static bool is_formula(const char *text)
{
    double number;
    return text[0] != '\0' && strchr("=+-@\t\r\n", text[0]) != NULL && !units_parse_number(text, &number);
}

/* Keeps line ends; quotes where RFC 4180, section 2, requires it. */
static void put_text(struct sheet *sheet, const char *text)
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

static void put_cell(struct sheet *sheet, const char *text)
{
    buffer_text(&sheet->text, ",");
    put_text(sheet, text);
}

static void put_number(struct sheet *sheet, bool there, double number)
{
    buffer_text(&sheet->text, ",");
    if (there)
        buffer_printf(&sheet->text, "%.15g", number);
}

/* A number, a text unchanged, or any other value as JSON; empty if missing. */
static void put_json(struct sheet *sheet, const json_t *value)
{
    if (json_is_string(value)) {
        put_cell(sheet, json_string_value(value));
    } else if (json_is_number(value)) {
        put_number(sheet, true, json_number_value(value));
    } else if (value == NULL || json_is_null(value)) {
        put_cell(sheet, "");
    } else {
        struct buffer text = {0};
        json_write(&text, value, 0);
        text.data[strcspn(text.data, "\n")] = '\0';
        put_cell(sheet, text.data);
        buffer_free(&text);
    }
}

static void put_row(const struct point_value *value, void *context)
{
    struct sheet *sheet = context;
    const struct result_rate *rate = value->rate;
    const char *name;
    json_t *unused;
    put_text(sheet, json_string_or(sheet->point, "benchmark", ""));
    put_cell(sheet, json_string_or(sheet->point, "name", ""));
    put_cell(sheet, json_string_or(sheet->point, "target", ""));
    json_object_foreach(sheet->parameters, name, unused)
    {
        put_json(sheet, json_object_get(json_object_get(sheet->point, "point"), name));
    }
    put_cell(sheet, value->part);
    put_cell(sheet, value->metric);
    put_cell(sheet, value->unit);
    put_number(sheet, rate != NULL && !isnan(rate->target), rate == NULL ? 0 : rate->target);
    put_number(sheet, rate != NULL && isfinite(rate->min), rate == NULL ? 0 : rate->min);
    put_number(sheet, rate != NULL && isfinite(rate->max), rate == NULL ? 0 : rate->max);
    put_cell(sheet, value->verdict);
    put_cell(sheet, rate != NULL && rate->has_code ? verdict_name(rate->code) : "");
    put_cell(sheet, rate != NULL && rate->has_silicon ? verdict_name(rate->silicon) : "");
    put_cell(sheet, value->source);
    put_cell(sheet, value->kind);
    put_number(sheet, value->seen, value->value);
    put_number(sheet, value->seen, value->low);
    put_number(sheet, value->seen, value->high);
    put_number(sheet, value->seen && value->n > 0, value->n);
    put_cell(sheet, value->reason);
    put_cell(sheet, json_string_or(results_context(sheet->context, sheet->point), "host", ""));
    put_cell(sheet, json_string_or(sheet->point, "program_hash", ""));
    buffer_text(&sheet->text, "\n");
    sheet->rows++;
}

static void put_point(struct sheet *sheet, bool every)
{
    const char *word;
    const char *failure = point_failure(sheet->point, &word);
    if (failure != NULL) {
        const struct point_value none = {.metric = "",
                                         .unit = "",
                                         .part = "",
                                         .verdict = word,
                                         .reason = failure,
                                         .source = "",
                                         .kind = ""};
        put_row(&none, sheet);
    }
    point_values(sheet->point, every, put_row, sheet);
}

/* The names of all parameters. */
static enum status gather_parameters(struct sheet *sheet, struct results_reader *results, struct error *error)
{
    static const char *const wanted[] = {"point", NULL};
    for (size_t i = 0; i < results->count; i++) {
        const char *name;
        json_t *unused;
        json_t *point = results_point(results, i, wanted, error);
        if (point == NULL)
            return STATUS_USAGE;
        json_object_foreach(json_object_get(point, "point"), name, unused)
        {
            if (json_object_get(sheet->parameters, name) == NULL)
                json_object_set_new(sheet->parameters, name, json_null());
        }
        json_decref(point);
    }
    return STATUS_OK;
}

static void put_header(struct sheet *sheet)
{
    const char *name;
    json_t *unused;
    buffer_text(&sheet->text, HEAD);
    json_object_foreach(sheet->parameters, name, unused)
    {
        struct buffer title = {0};
        buffer_printf(&title, "p.%s", name);
        put_cell(sheet, title.data);
        buffer_free(&title);
    }
    buffer_printf(&sheet->text, ",%s\n", TAIL);
}

static enum status write_table(const struct options *options, struct sheet *sheet,
                               struct results_reader *results, struct error *error)
{
    static const char *const wanted[] = {
        "benchmark", "name", "target", "point",    "program_hash", "context", "error", "code",
        "rates",     "time", "device", "together", "counters",     "threads", "power", NULL};
    enum status status = gather_parameters(sheet, results, error);
    if (status != STATUS_OK)
        return status;
    put_header(sheet);
    for (size_t i = 0; i < results->count; i++) {
        json_t *point = results_point(results, i, wanted, error);
        if (point == NULL)
            return STATUS_USAGE;
        sheet->point = point;
        put_point(sheet, options->verbose);
        json_decref(point);
        if (sheet->text.size >= PART_BYTES)
            deliver(sheet);
    }
    deliver(sheet);
    return STATUS_OK;
}

static enum status export_results(const struct options *options, struct results_reader *results,
                                  struct error *error)
{
    struct file_writer file = {0};
    struct sheet sheet = {.parameters = json_object(), .context = results->context};
    enum status status = STATUS_OK;
    command_warn_cut(options, options->inputs[0], results->cut);
    bool named = options->output != NULL && !output_is_standard(options->output);
    if (named)
        status = file_writer_begin(options->output, false, &file, error);
    if (status == STATUS_OK) {
        sheet.file = named ? &file : NULL;
        status = write_table(options, &sheet, results, error);
        enum status written = sheet.file == NULL ? STATUS_OK
                                                 : file_writer_end(&file, status == STATUS_OK,
                                                                   status == STATUS_OK ? error : NULL);
        status = status == STATUS_OK ? written : status;
    }
    if (status == STATUS_OK && named && !options->quiet)
        command_tell("%zu point%s, %zu row%s in %s", results->count, plural_s(results->count), sheet.rows,
                     plural_s(sheet.rows), options->output);
    json_decref(sheet.parameters);
    buffer_free(&sheet.text);
    return status;
}

static enum status write_schema(const struct options *options, struct error *error)
{
    return output_write(options->output, results_schema, results_schema_size, error);
}

static int run(const struct options *options)
{
    struct error error;
    struct results_reader results;
    enum status status = STATUS_OK;
    size_t wanted = options->schema ? 0 : 1;
    if (options->input_count != wanted) {
        status = error_set(&error, STATUS_USAGE, "trauma export needs %s; found %zu file%s",
                           options->schema ? "no file with --schema" : "one results file",
                           options->input_count, plural_s(options->input_count));
        error_hint(&error,
                   options->schema ? "trauma export --schema" : "trauma export RESULTS.jsonl -o FILE.csv");
    } else if (output_kind_check(options->output, options->schema ? ".json" : ".csv", &error) != STATUS_OK) {
        status = error.code;
    } else if (options->schema) {
        status = write_schema(options, &error);
    } else {
        status = results_open(options->inputs[0], &results, &error);
        if (status == STATUS_OK)
            status = export_results(options, &results, &error);
        results_reader_close(&results);
    }
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_export = {
    .name = "export",
    .arguments = "RESULTS.jsonl [-o FILE.csv] [OPTIONS]",
    .summary = "writes results as one flat table of comma-separated values",
    .details =

        "The table has one row per metric of a point: the requirement, the verdict, and the best evidence "
        "with its interval; with -v, one row per observation. The columns code and silicon are the verdict's "
        "two sides. Columns p.NAME are the sweep's parameters. Times are metrics time.*, power is power.* "
        "and energy.*, counted events are counter.*. The column part is empty for the whole point; else it "
        "names one of several copies (\"copy 2\") or one sensor. An unobserved metric has no value; a point "
        "that did not run has one row with the reason.\n"
        "\n"
        "A text that a spreadsheet would take for a formula, such as =1+1, is preceded by '; control "
        "characters are written as \\x1b. Without -o the table goes to stdout. A FILE with the ending of "
        "another kind of file, such as .json, is refused.\n",
    .options = accepted,
    .run = run,
};
