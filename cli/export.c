/* trauma export: results as one flat table, for spreadsheets and statistics programs. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "base/text/text_set.h"
#include "base/text/visible.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "model/model_json.h"
#include "report/point_table.h"
#include "runner/results/results.h"
#include "session/point_values.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *const accepted[] = {"output", "schema", "wide", "json", "quiet", "verbose", NULL};

/* runner/results/results.schema.json, put into the program by cmake/embed.cmake. */
extern const unsigned char results_schema[];
extern const unsigned long results_schema_size;

/* The fixed columns. Those of the parameters, and in a wide table those of the metrics, are between them. */
static const char *const point_columns[] = {"benchmark", "point", "target", NULL};
static const char *const value_columns[] = {"part",    "metric", "unit",    "wanted", "min",    "max",
                                            "verdict", "code",   "silicon", "source", "kind",   "value",
                                            "low",     "high",   "n",       "doubt",  "reason", NULL};
static const char *const wide_columns[] = {"verdict", "reason", "doubt", NULL};
static const char *const run_columns[] = {"host", "program_hash", NULL};

enum sheet_format { SHEET_CSV, SHEET_JSON, SHEET_LINES };

/* The table being written. */
struct export_sheet {
    struct buffer text;
    enum sheet_format format;
    bool wide, verbose;
    struct text_set columns; /* in order */
    struct text_set metrics; /* the columns of a wide table's metrics, while they are gathered */
    const struct results_context *context;
    struct result_point point; /* of the row */
    struct value *row;         /* [columns.count]; value_none: empty */
    struct arena arena;        /* holds the row's words */
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

/* Quotes the text if RFC 4180, section 2, requires it. */
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
static void put_cell(struct export_sheet *sheet, const struct value *value)
{
    if (value->kind == VALUE_WORD) {
        put_text(sheet, value->word);
    } else if (value->kind == VALUE_NUMBER) {
        buffer_printf(&sheet->text, "%.15g", value->number);
    } else if (value->kind != VALUE_NONE) {
        struct buffer shown = {0};
        struct json_text text = {.buffer = &shown, .compact = true};
        json_text_any(&text, NULL, value);
        shown.data[strcspn(shown.data, "\n")] = '\0';
        put_text(sheet, shown.data);
        buffer_free(&shown);
    }
}

static void put_csv(struct export_sheet *sheet, bool heads)
{
    for (size_t i = 0; i < sheet->columns.count; i++) {
        buffer_text(&sheet->text, i == 0 ? "" : ",");
        if (heads)
            put_text(sheet, sheet->columns.texts[i]);
        else
            put_cell(sheet, &sheet->row[i]);
    }
    buffer_text(&sheet->text, "\n");
}

/* JSON has all columns in each row, null if missing. */
static void put_json(struct export_sheet *sheet)
{
    struct json_text text = {.buffer = &sheet->text, .compact = true};
    if (sheet->format == SHEET_JSON)
        buffer_text(&sheet->text, sheet->rows == 0 ? "[\n" : ",\n");
    json_text_open(&text, NULL, '{');
    for (size_t i = 0; i < sheet->columns.count; i++)
        json_text_any(&text, sheet->columns.texts[i], &sheet->row[i]);
    json_text_close(&text, '}');
    if (sheet->format == SHEET_JSON)
        sheet->text.data[--sheet->text.size] = '\0';
}

static void put_row(struct export_sheet *sheet)
{
    if (sheet->format == SHEET_CSV)
        put_csv(sheet, false);
    else
        put_json(sheet);
    sheet->rows++;
    if (sheet->text.size >= PART_BYTES)
        deliver(sheet);
}

/* Ends the columns. */
static void put_heads(struct export_sheet *sheet)
{
    sheet->row = memory_zeroed(sheet->columns.count + 1, sizeof *sheet->row);
    if (sheet->format == SHEET_CSV)
        put_csv(sheet, true);
}

static void put_end(struct export_sheet *sheet)
{
    if (sheet->format == SHEET_JSON)
        buffer_text(&sheet->text, sheet->rows == 0 ? "[]\n" : "\n]\n");
    deliver(sheet);
}

/* ---- rows ---- */

static void begin_row(struct export_sheet *sheet)
{
    arena_free(&sheet->arena);
    for (size_t i = 0; i < sheet->columns.count; i++)
        sheet->row[i] = value_none;
}

/* Ignores a column that the table lacks. */
static void set(struct export_sheet *sheet, const char *column, struct value value)
{
    size_t at = text_set_find(&sheet->columns, column);
    if (at < sheet->columns.count)
        sheet->row[at] = value;
}

static void set_number(struct export_sheet *sheet, const char *column, bool there, double number)
{
    if (there && isfinite(number))
        set(sheet, column, value_plain(number));
}

/* "" is none. */
static void set_text(struct export_sheet *sheet, const char *column, const char *text)
{
    if (text != NULL && text[0] != '\0')
        set(sheet, column, value_word(text, &sheet->arena));
}

/* Begins the row with what identifies its point. */
static void begin_point_row(struct export_sheet *sheet)
{
    const struct result_point *point = &sheet->point;
    const struct results_context *own = results_context_of(sheet->context, (size_t)point->context);
    begin_row(sheet);
    set_text(sheet, "benchmark", point->benchmark);
    set_text(sheet, "point", point->name);
    set_text(sheet, "target", point->target);
    for (size_t i = 0; i < point->parameters.count; i++) {
        const struct value_part *part = &point->parameters.parts[i];
        set(sheet, arena_print(&sheet->arena, "p.%s", part->name), part->value);
    }
    set_text(sheet, "host", own == NULL ? "" : own->host);
    set_text(sheet, "program_hash", point->program_hash);
}

static void add_value(const struct point_value *value, void *context)
{
    struct export_sheet *sheet = context;
    const struct result_rate *rate = value->rate;
    begin_point_row(sheet);
    set_text(sheet, "part", value->part);
    set_text(sheet, "metric", value->metric);
    set_text(sheet, "unit", value->unit);
    set_number(sheet, "wanted", rate != NULL, rate == NULL ? 0 : rate->target);
    set_number(sheet, "min", rate != NULL, rate == NULL ? 0 : rate->min);
    set_number(sheet, "max", rate != NULL, rate == NULL ? 0 : rate->max);
    set_text(sheet, "verdict", value->verdict);
    set_text(sheet, "code", rate != NULL && rate->has_code ? verdict_name(rate->code) : "");
    set_text(sheet, "silicon", rate != NULL && rate->has_silicon ? verdict_name(rate->silicon) : "");
    set_text(sheet, "source", value->source);
    set_text(sheet, "kind", evidence_kinds[value->kind].name);
    set_number(sheet, "value", value->seen, value->value);
    set_number(sheet, "low", value->seen, value->low);
    set_number(sheet, "high", value->seen, value->high);
    set_number(sheet, "n", value->seen && value->n > 0, value->n);
    set_text(sheet, "doubt", value->seen ? value->doubt : "");
    set_text(sheet, "reason", value->reason);
    put_row(sheet);
}

static void add_rows(struct export_sheet *sheet)
{
    const char *word;
    const char *failure = point_failure(&sheet->point, &word);
    if (failure != NULL) {
        begin_point_row(sheet);
        set_text(sheet, "verdict", word);
        set_text(sheet, "reason", failure);
        put_row(sheet);
    }
    point_values(&sheet->point, sheet->verbose, add_value, sheet);
}

/* ---- the wide table: one row per point ---- */

/* "ipc (1/cycle)", "copy 2 time.ticks_per_pass (ticks) low" */
static void name_column(struct buffer *column, const struct point_value *value, const char *bound)
{
    buffer_printf(column, "%s%s%s", value->part, value->part[0] == '\0' ? "" : " ", value->metric);
    if (!point_value_is_share(value->unit))
        buffer_printf(column, " (%s)", value->unit);
    buffer_printf(column, "%s%s", bound[0] == '\0' ? "" : " ", bound);
}

/* "ipc: all repetitions were disturbed; power.dynamic_w: ..." */
static void add_doubt(const struct point_value *value, struct export_sheet *sheet)
{
    const char *before = sheet->row[text_set_find(&sheet->columns, "doubt")].word;
    if (value->doubt[0] == '\0')
        return;
    set_text(sheet, "doubt",
             arena_print(&sheet->arena, "%s%s%s%s%s: %s", before == NULL ? "" : before,
                         before == NULL ? "" : "; ", value->part, value->part[0] == '\0' ? "" : " ",
                         value->metric, value->doubt));
}

/* Parts of a point, and intervals, need -v. fill: sets the row's cells; else gathers the names of the
 * columns. */
static void visit_wide(const struct point_value *value, struct export_sheet *sheet, bool fill)
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
        if (fill)
            set_number(sheet, column.data, true, cells[i].number);
        else
            text_set_add(&sheet->metrics, column.data);
        buffer_free(&column);
    }
    if (fill)
        add_doubt(value, sheet);
}

static void add_columns(const struct point_value *value, void *context)
{
    visit_wide(value, context, false);
}

static void fill_columns(const struct point_value *value, void *context)
{
    visit_wide(value, context, true);
}

static void add_wide_row(struct export_sheet *sheet)
{
    struct check_finding *finding = check_finding_judged(sheet->context, &sheet->point);
    begin_point_row(sheet);
    set_text(sheet, "verdict", finding_word(finding));
    set_text(sheet, "reason", finding->failure);
    point_values(&sheet->point, false, fill_columns, sheet);
    put_row(sheet);
    check_finding_free(finding);
}

/* ---- the file ---- */

static const char *const members[] = {
    "benchmark", "name",  "target",  "point",     "program_hash", "context",  "error",
    "code",      "rates", "time",    "device",    "together",     "counters", "tolerance",
    "threads",   "power", "skipped", "simulated", "reps",         "units",    NULL};

static void add_names(struct text_set *columns, const char *const *names)
{
    for (size_t i = 0; names[i] != NULL; i++)
        text_set_add(columns, names[i]);
}

static void add_set(struct text_set *columns, const struct text_set *more)
{
    for (size_t i = 0; i < more->count; i++)
        text_set_add(columns, more->texts[i]);
}

/* Those of all points' parameters, in order of appearance, and of a wide table's metrics. */
static enum status gather_columns(struct export_sheet *sheet, struct results_reader *results,
                                  struct error *error)
{
    static const char *const parameters_only[] = {"point", NULL};
    struct text_set parameters = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        struct result_point point;
        status = result_point_load(results, i, sheet->wide ? members : parameters_only, &point, error);
        if (status != STATUS_OK)
            continue;
        for (size_t j = 0; j < point.parameters.count; j++) {
            struct buffer column = {0};
            buffer_printf(&column, "p.%s", point.parameters.parts[j].name);
            text_set_add(&parameters, column.data);
            buffer_free(&column);
        }
        if (sheet->wide)
            point_values(&point, false, add_columns, sheet);
        result_point_free(&point);
    }
    add_names(&sheet->columns, point_columns);
    add_set(&sheet->columns, &parameters);
    add_names(&sheet->columns, sheet->wide ? wide_columns : value_columns);
    add_set(&sheet->columns, &sheet->metrics);
    add_names(&sheet->columns, run_columns);
    text_set_free(&parameters);
    return status;
}

static enum status write_table(struct export_sheet *sheet, struct results_reader *results,
                               struct error *error)
{
    enum status status = gather_columns(sheet, results, error);
    if (status == STATUS_OK)
        put_heads(sheet);
    for (size_t i = 0; status == STATUS_OK && i < results->count; i++) {
        status = result_point_load(results, i, members, &sheet->point, error);
        if (status != STATUS_OK)
            return status;
        if (sheet->wide)
            add_wide_row(sheet);
        else
            add_rows(sheet);
        result_point_free(&sheet->point);
    }
    if (status == STATUS_OK)
        put_end(sheet);
    return status;
}

/* ---- models ---- */

static const char *covariance_with(struct arena *arena, const struct model_column *other)
{
    return arena_print(arena, "covariance.%s", other->name == NULL ? "?" : other->name);
}

static void set_real(struct export_sheet *sheet, const char *column, double number)
{
    if (isfinite(number))
        set(sheet, column, value_number(number));
}

/* NULL is none, "" a name. */
static void set_name(struct export_sheet *sheet, const char *column, const char *name)
{
    if (name != NULL)
        set(sheet, column, value_word(name, &sheet->arena));
}

/* A coefficient as the regression has it, with its covariances with the others. */
static void set_column(struct export_sheet *sheet, const struct model_regression *regression, size_t which)
{
    const struct model_column *column = &regression->columns[which];
    double variance = which < column->columns ? column->covariance[which] : 0;
    set_name(sheet, "regression", regression->of);
    set_name(sheet, "coefficient", column->name);
    set_real(sheet, "value", column->value);
    set_real(sheet, "inflation", column->inflation);
    set_real(sheet, "freedom", regression->freedom);
    set_real(sheet, "error", sqrt(fmax(0, variance)));
    for (size_t i = 0; i < regression->count && i < column->columns; i++)
        set_real(sheet, covariance_with(&sheet->arena, &regression->columns[i]), column->covariance[i]);
}

/* A row for each coefficient of the model, with its column of the first regression, and for each further
 * coefficient of a regression. */
static void put_coefficients(struct export_sheet *sheet, const struct model_result *model)
{
    static const char *const columns[] = {"regression", "coefficient", "value",   "low",       "high",
                                          "unit",       "error",       "freedom", "inflation", NULL};
    add_names(&sheet->columns, columns);
    for (size_t i = 0; i < model->regression_count; i++)
        for (size_t j = 0; j < model->regressions[i].count; j++)
            text_set_add(&sheet->columns, covariance_with(&sheet->arena, &model->regressions[i].columns[j]));
    put_heads(sheet);
    for (size_t i = 0; i < model->coefficient_count; i++) {
        const struct model_coefficient *coefficient = &model->coefficients[i];
        begin_row(sheet);
        for (size_t j = 0; model->regression_count > 0 && j < model->regressions[0].count; j++)
            if (model->regressions[0].columns[j].name != NULL &&
                strcmp(model->regressions[0].columns[j].name, coefficient->name) == 0)
                set_column(sheet, &model->regressions[0], j);
        set_name(sheet, "coefficient", coefficient->name);
        set_real(sheet, "value", coefficient->at.value);
        set_real(sheet, "low", coefficient->at.low);
        set_real(sheet, "high", coefficient->at.high);
        set_name(sheet, "unit", coefficient->unit);
        put_row(sheet);
    }
    for (size_t i = 0; i < model->regression_count; i++)
        for (size_t j = 0; j < model->regressions[i].count; j++) {
            struct interval unused;
            const char *name = model->regressions[i].columns[j].name;
            if (model_coefficient(model, name == NULL ? "" : name, &unused))
                continue;
            begin_row(sheet);
            set_column(sheet, &model->regressions[i], j);
            put_row(sheet);
        }
}

/* A row for each row of the fit. */
static void put_fitted(struct export_sheet *sheet, const struct model_result *model)
{
    static const char *const columns[] = {"regression", "recipe", "point",    "measured", "predicted",
                                          "left_out",   "error",  "leverage", "unlike",   NULL};
    add_names(&sheet->columns, columns);
    put_heads(sheet);
    for (size_t i = 0; i < model->row_count; i++) {
        const struct model_row *row = &model->rows[i];
        begin_row(sheet);
        if (row->regression < model->regression_count)
            set_name(sheet, "regression", model->regressions[row->regression].of);
        set_name(sheet, "recipe", row->recipe);
        set_name(sheet, "point", row->point);
        set_real(sheet, "measured", row->measured);
        set_real(sheet, "predicted", row->predicted);
        set_real(sheet, "left_out", row->left_out);
        set_real(sheet, "error", row->error);
        set_real(sheet, "leverage", row->leverage);
        set(sheet, "unlike", value_flag(row->unlike));
        put_row(sheet);
    }
}

static void write_model(struct export_sheet *sheet, const struct model_result *model)
{
    if (sheet->wide)
        put_fitted(sheet, model);
    else
        put_coefficients(sheet, model);
    put_end(sheet);
}

/* Writes the rows of the results or of a model. */
static enum status write_rows(const struct options *options, enum sheet_format format,
                              struct results_reader *results, const struct model_result *model,
                              struct error *error)
{
    struct file_writer file = {0};
    struct export_sheet sheet = {.format = format,
                                 .wide = options->wide,
                                 .verbose = options->verbose,
                                 .context = results == NULL ? NULL : &results->context};
    bool named = options->output != NULL && !output_is_standard(options->output);
    enum status status = named ? file_writer_begin(options->output, false, &file, error) : STATUS_OK;
    bool open = named && status == STATUS_OK;
    sheet.file = open ? &file : NULL;
    if (status == STATUS_OK && model == NULL)
        status = write_table(&sheet, results, error);
    else if (status == STATUS_OK)
        write_model(&sheet, model);
    if (open) {
        bool whole = status == STATUS_OK;
        enum status written = file_writer_end(&file, whole, whole ? error : NULL);
        status = whole ? written : status;
    }
    if (status == STATUS_OK && named && !options->quiet && model == NULL)
        command_note("%zu point%s, %zu row%s in %s", results->count, plural_s(results->count), sheet.rows,
                     plural_s(sheet.rows), options->output);
    else if (status == STATUS_OK && named && !options->quiet)
        command_note("%zu row%s in %s", sheet.rows, plural_s(sheet.rows), options->output);
    text_set_free(&sheet.columns);
    text_set_free(&sheet.metrics);
    free(sheet.row);
    arena_free(&sheet.arena);
    buffer_free(&sheet.text);
    return status;
}

static enum status export_model(const struct options *options, enum sheet_format format,
                                const struct model_result *model, struct error *error)
{
    for (size_t i = 0; i < model->disbelief.count; i++)
        command_warn(options, "%s", model->disbelief.items[i]);
    return write_rows(options, format, NULL, model, error);
}

static enum status export_results(const struct options *options, enum sheet_format format,
                                  struct error *error)
{
    struct results_reader results;
    enum status status = results_open(options->inputs[0], &results, error);
    if (status == STATUS_OK) {
        command_warn_cut(options, options->inputs[0], results.cut);
        command_warn_simulated(options, options->inputs[0], &results.context.simulated);
        status = write_rows(options, format, &results, NULL, error);
    }
    results_reader_close(&results);
    return status;
}

/* The format that the file's ending or --json selects; a name without an ending selects CSV. */
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
        status = output_write(options->output, results_schema, results_schema_size, &error);
    } else {
        struct model_file model;
        const char *ending = strrchr(file_base_name(options->inputs[0]), '.');
        bool is_model = ending != NULL && strcasecmp(ending, ".json") == 0 &&
                        model_file_read_tables(options->inputs[0], &model);
        status = is_model ? export_model(options, format, &model.result, &error)
                          : export_results(options, format, &error);
        if (is_model)
            model_file_close(&model);
    }
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_export = {
    .name = "export",
    .arguments = "RESULTS.jsonl|model.json [-o FILE.csv|FILE.json|FILE.jsonl] [OPTIONS]",
    .summary = "writes results, or a fitted model, as one flat table: comma-separated values or JSON",
    .details =

        "The table has one row per metric of a point: the requirement, the verdict, and the best evidence "
        "with its interval; with -v, one row per observation. If a number has no interval, low and high "
        "are empty, and doubt has the reason. The columns code and silicon are the two sides of the "
        "verdict, and p.NAME are the sweep's parameters. Metrics time.* are times, power.* and energy.* "
        "are power and energy, and counter.* are counted events. The column part is empty for the whole "
        "point; otherwise it names one of several copies (\"copy 2\") or one sensor. An unobserved metric "
        "has no value; a point that did not run has one row with the reason.\n"
        "\n"
        "With --wide, the table has one row per point, with its worst verdict, one column per metric, "
        "such as \"ipc (1/cycle)\", and in doubt the reasons for all metrics in doubt. -v adds columns "
        "for both ends of each interval, and for copies and sensors.\n"
        "\n"
        "A model's table has one row per coefficient, with its interval, its variance inflation and its "
        "covariance with the others (covariance.NAME). With --wide, it has one row per row of the fit: "
        "the measured value, the predicted one, and in left_out the one predicted by a fit without that "
        "recipe.\n"
        "\n"
        "The file's ending selects the format: .csv (also for a name without an ending), .json for a list "
        "of objects, or .jsonl for one object per line. The keys are the columns; a missing value is "
        "null. Other endings are refused. Without -o, the table goes to standard output; --json makes it "
        "one object per line.\n"
        "\n"
        "In CSV, a text that a spreadsheet would take for a formula, such as =1+1, is preceded by '; "
        "control characters are written as \\x1b.\n",
    .examples = "  trauma export results.jsonl -o table.csv --wide  # one row per point\n"
                "  trauma export results.jsonl -o table.json\n",
    .options = accepted,
    .run = run,
};
