/* trauma fit: fits an energy model to results and writes it as a JSON document. */
#include "base/file.h"
#include "base/hash.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "model/data/dataset.h"
#include "model/idle/idle_subtract.h"
#include "model/model_json.h"
#include "report/figure/model_figure.h"
#include "report/table.h"
#include "report/wrap.h"
#include "runner/results/results.h"
#include "session/predict/model_settings.h"
#include "session/work.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *const accepted[] = {"output",    "set",         "idle",    "x",       "y",
                                       "intercept", "nonnegative", "channel", "explain", "figure",
                                       "json",      "quiet",       NULL};

/* The state of a fit. */
struct fitting {
    const struct model *model;
    size_t first_file; /* of the results files among the inputs */
    struct model_settings settings;
    struct dataset dataset;
    struct results_context first; /* of the first file; owned */
    struct model_origin origin;
    struct model_result result;
};

static enum status check_host(struct fitting *fitting, const char *host, const char *path,
                              struct error *error)
{
    const char *before = fitting->origin.host;
    if (host != NULL && before == NULL)
        fitting->origin.host = arena_strdup(&fitting->result.arena, host);
    if (host == NULL || before == NULL || strcmp(host, before) == 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "%s has results of the host %s, and other files of %s: no two chips draw the same power", path,
              host, before);
    error_hint(error, "fit each host's results separately");
    return STATUS_USAGE;
}

/* A file that trauma merge joined has one context per run. */
static enum status check_hosts(struct fitting *fitting, const struct results_context *context,
                               const char *path, struct error *error)
{
    enum status status = check_host(fitting, context->host, path, error);
    for (size_t i = 0; status == STATUS_OK && i < context->other_count; i++)
        status = check_host(fitting, context->others[i].host, path, error);
    return status;
}

/* A GPU's results lack all that a processor's model needs; this message is clearer than advice about perf. */
static enum status check_kind(const struct model *model, const struct recorded_machine *machine,
                              const char *path, struct error *error)
{
    if (!model->of_processors || !machine->is_gpu)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%s has results of the GPU %s, but %s is a model of processors", path,
              machine->name == NULL ? "?" : machine->name, model->name);
    error_hint(error, "access-energy, interconnect and idle also fit a GPU's results");
    return STATUS_USAGE;
}

/* All files must have the same machine; the model records it. */
static enum status check_machine(struct fitting *fitting, const struct results_context *context,
                                 const char *path, struct error *error)
{
    struct model_origin *origin = &fitting->origin;
    const struct value *machine = value_get(&context->members, "machine");
    if (origin->machine.kind == VALUE_NONE) {
        results_context_free(&fitting->first);
        results_context_read(context->document, &fitting->first);
        origin->machine = *value_get(&fitting->first.members, "machine");
    } else if (!value_same(&origin->machine, machine)) {
        error_set(error, STATUS_USAGE, "%s is from another machine than the files before it", path);
        error_hint(error, "fit each machine's results separately");
        return STATUS_USAGE;
    }
    return check_kind(fitting->model, &context->machine, path, error);
}

static void take_simulated(struct fitting *fitting, const struct simulated *simulated)
{
    struct arena *arena = &fitting->result.arena;
    if (simulated->given && !fitting->origin.simulated.given)
        fitting->origin.simulated = (struct simulated){true, arena_strdup(arena, simulated->what),
                                                       arena_strdup(arena, simulated->how)};
}

/* Adds a file's points. */
static enum status add_file(struct fitting *fitting, const char *path, struct error *error)
{
    struct results_reader results;
    enum status status = results_open(path, &results, error);
    if (status == STATUS_OK)
        status = check_machine(fitting, &results.context, path, error);
    if (status == STATUS_OK)
        status = check_hosts(fitting, &results.context, path, error);
    if (status == STATUS_OK)
        take_simulated(fitting, &results.context.simulated);
    for (size_t i = 0; status == STATUS_OK && i < results.count; i++) {
        struct result_point point;
        status = result_point_load(&results, i, NULL, &point, error);
        if (status == STATUS_OK)
            dataset_add_point(&fitting->dataset, &point);
    }
    results_reader_close(&results);
    return status;
}

/* Adds the file's bytes, part by part. */
static enum status hash_file(const char *path, struct hash *hash, struct error *error)
{
    char part[65536];
    off_t size;
    ssize_t got;
    int fd = file_open(path, &size, error);
    if (fd < 0)
        return STATUS_USAGE;
    while ((got = read(fd, part, sizeof part)) > 0)
        hash_add(hash, part, (size_t)got);
    close(fd);
    return got == 0 ? STATUS_OK : error_set(error, STATUS_USAGE, "cannot read %s: %s", path, strerror(errno));
}

/* Records the data in the model's origin: the files, their hash, and their numbers of points. */
static enum status set_origin(struct fitting *fitting, const struct options *options, struct error *error)
{
    struct hash bytes;
    char hash[HASH_TEXT_BYTES];
    enum status status = STATUS_OK;
    struct model_origin *origin = &fitting->origin;
    hash_begin(&bytes);
    for (size_t i = fitting->first_file; status == STATUS_OK && i < options->input_count; i++)
        status = hash_file(options->inputs[i], &bytes, error);
    hash_end(&bytes, hash);
    origin->files = &options->inputs[fitting->first_file];
    origin->file_count = options->input_count - fitting->first_file;
    origin->hash = arena_strdup(&fitting->result.arena, hash);
    origin->points = fitting->dataset.point_count;
    origin->repetitions = fitting->dataset.count;
    return status;
}

/* Reasons not to trust the model come before its numbers. */
static void print_disbelief(const struct model_result *result)
{
    for (size_t i = 0; i < result->disbelief.count; i++)
        command_print("%s\n", result->disbelief.items[i]);
}

static void print_coefficients(const struct model_result *result)
{
    struct table table = table_of("coefficient|>value|95 % interval|unit");
    for (size_t i = 0; i < result->coefficient_count; i++) {
        const struct model_coefficient *coefficient = &result->coefficients[i];
        table_cell(&table, "%s", coefficient->name);
        table_cell(&table, "%.4g", coefficient->at.value);
        table_cell(&table, "%.4g to %.4g", coefficient->at.low, coefficient->at.high);
        table_cell(&table, "%s", coefficient->unit);
    }
    table_finish(&table, stdout);
}

/* How well the model fits, in words and units. */
static void print_quality(const struct model_result *result)
{
    static const struct {
        const char *name, *before, *after;
        double scale;
    } words[] = {{"r2", "R^2 ", "", 1},
                 {"residual_w", "residual ", " W", 1},
                 {"residual", "residual ", "", 1},
                 {"condition", "condition number ", "", 1},
                 {"rows", "", " rows", 1},
                 {"largest_error_percent", "the energies' largest statistical error ", " %", 1},
                 {"across_cpi_error", "mean error across VF states: CPI ", " %", 100},
                 {"across_dynamic_error", "dynamic power ", " %", 100},
                 {"across_chip_error", "chip power ", " %", 100}};
    const char *between = "\n";
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (size_t j = 0; j < result->quality_count; j++) {
            if (strcmp(result->quality[j].name, words[i].name) != 0)
                continue;
            command_print("%s%s%.4g%s", between, words[i].before, words[i].scale * result->quality[j].value,
                          words[i].after);
            between = ", ";
        }
}

static void print_validation(const struct model_validation *validation)
{
    const char *before = "\nmean error by program: ";
    command_print("\nleaving out whole %s: mean error %.2f %%, worst %.2f %%",
                  validation->leaves_out == NULL ? "recipes" : validation->leaves_out,
                  100 * validation->mean_absolute, 100 * validation->worst);
    if (validation->worst_point != NULL)
        command_print(" (%s)", validation->worst_point);
    for (size_t i = 0; i < validation->program_count; i++) {
        command_print("%s%s %.2f %%", before, validation->programs[i].name,
                      100 * validation->programs[i].mean_absolute);
        before = ", ";
    }
}

/* The largest variance inflation of a coefficient, and the largest leverage of a point. */
static void print_strain(const struct model_result *result)
{
    const char *inflated = NULL, *followed = NULL;
    double inflation = 0, leverage = 0;
    for (size_t i = 0; i < result->regression_count; i++)
        for (size_t j = 0; j < result->regressions[i].count; j++) {
            const struct model_column *column = &result->regressions[i].columns[j];
            if (!isfinite(column->inflation) || column->inflation <= inflation)
                continue;
            inflated = column->name;
            inflation = column->inflation;
        }
    for (size_t i = 0; i < result->row_count; i++) {
        const struct model_row *row = &result->rows[i];
        followed = row->leverage > leverage ? row->point : followed;
        leverage = fmax(leverage, row->leverage);
    }
    if (inflated != NULL && followed != NULL)
        command_print("\nlargest variance inflation %.3g (%s), largest leverage %.2f (%s)", inflation,
                      inflated, leverage, followed);
}

static void print_rest(const struct model_result *result)
{
    print_quality(result);
    if (model_is_stated(result, "validation"))
        print_validation(&result->validation);
    print_strain(result);
    for (size_t i = 0; i < result->notes.count; i++)
        command_print("\n%s", result->notes.items[i]);
    command_print("\n");
}

static enum status write_document(const struct fitting *fitting, const char *path, struct error *error)
{
    struct buffer text = {0};
    model_json_print(&text, fitting->model, &fitting->result, false);
    enum status status = output_write(path, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

static void print_document(const struct fitting *fitting)
{
    struct buffer text = {0};
    model_json_print(&text, fitting->model, &fitting->result, false);
    command_print_json_lines(&text);
}

static enum status subtract_idle(struct fitting *fitting, const char *path, struct error *error)
{
    struct model_file idle;
    enum status status = model_file_open(path, &model_idle, &idle, error);
    if (status == STATUS_OK)
        status = idle_subtract(idle.model == NULL ? NULL : &idle.result, &fitting->dataset, &fitting->result,
                               error);
    fitting->origin.by_idle = !fitting->origin.simulated.given;
    take_simulated(fitting, &idle.result.simulated);
    model_file_close(&idle);
    return status;
}

static enum status fit(struct fitting *fitting, const struct options *options, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = fitting->first_file; status == STATUS_OK && i < options->input_count; i++)
        status = add_file(fitting, options->inputs[i], error);
    if (status == STATUS_OK)
        status = set_origin(fitting, options, error);
    if (status == STATUS_OK && options->channel != NULL)
        status = dataset_choose_channel(&fitting->dataset, options->channel, &fitting->result, error);
    if (status == STATUS_OK && options->idle != NULL)
        status = subtract_idle(fitting, options->idle, error);
    const struct simulated *simulated = &fitting->origin.simulated;
    if (status == STATUS_OK && simulated->given)
        model_disbelieve(&fitting->result, "%s: %s. The coefficients are of that, and of no machine.",
                         simulated_label(simulated), simulated->how);
    fitting->result.origin = &fitting->origin;
    fitting->result.machine = fitting->first.machine;
    fitting->result.simulated = *simulated;
    if (status == STATUS_OK)
        status = model_fit(fitting->model, &fitting->dataset, &fitting->settings, &fitting->result, error);
    if (status == STATUS_OK && options->output != NULL)
        status = write_document(fitting, options->output, error);
    if (status == STATUS_OK && options->figure != NULL)
        status =
            model_figure_draw(&fitting->result.charts, simulated_label(simulated), options->figure, error);
    return status;
}

/* The model that the recipes of a results file name by fit = "...". */
static enum status find_named(const char *path, const struct model **model, struct error *error)
{
    struct results_reader results;
    const char *name = NULL;
    bool several = false;
    enum status status = results_open(path, &results, error);
    for (size_t i = 0; i < results.context.benchmarks.count; i++) {
        const struct benchmark_words *fits = &results.context.benchmarks.items[i].fit;
        for (size_t j = 0; j < fits->count; j++) {
            const char *other = fits->items[j];
            several = several || (name != NULL && other != NULL && strcmp(name, other) != 0);
            name = other != NULL ? other : name;
        }
    }
    if (status == STATUS_OK && (name == NULL || several)) {
        status = error_set(error, STATUS_USAGE, "the recipes of %s name %s to fit", path,
                           several ? "several models" : "no model");
        error_hint(error,
                   "trauma fit MODEL RESULTS.jsonl... -o model.json; trauma fit --help lists the models");
    }
    if (status == STATUS_OK)
        status = model_find(name, model, error);
    results_reader_close(&results);
    return status;
}

/* MODEL RESULTS..., or the results alone. */
static enum status choose_model(const struct options *options, struct fitting *fitting, struct error *error)
{
    enum input_kind kind;
    fitting->first_file = 1;
    (void)work_classify(options->inputs[0], &kind, NULL);
    if (kind != INPUT_RESULTS)
        return model_find(options->inputs[0], &fitting->model, error);
    fitting->first_file = 0;
    return find_named(options->inputs[0], &fitting->model, error);
}

/* Refuses the options of the model linear for other models. */
static enum status check_linear(const struct options *options, const struct model *model, struct error *error)
{
    const char *given = options->x != NULL     ? "--x"
                        : options->y != NULL   ? "--y"
                        : options->intercept   ? "--intercept"
                        : options->nonnegative ? "--nonnegative"
                                               : NULL;
    if (given == NULL || model == &model_linear)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%s belongs to the model linear; the form of %s is fixed", given,
              model->name);
    error_hint(error, "trauma fit linear RESULTS.jsonl --x METRIC,...");
    return STATUS_USAGE;
}

static enum status check_arguments(const struct options *options, struct fitting *fitting,
                                   struct error *error)
{
    struct error ignored;
    const struct model *model;
    if (options->input_count == 0 ||
        (options->input_count == 1 && model_find(options->inputs[0], &model, &ignored) == STATUS_OK)) {
        error_set(error, STATUS_USAGE, "trauma fit needs a model and results");
        error_hint(error,
                   "trauma fit MODEL RESULTS.jsonl... -o model.json; trauma fit --help lists the models");
        return STATUS_USAGE;
    }
    enum status status = output_kind_check(options->output, ".json", error);
    if (status == STATUS_OK)
        status = choose_model(options, fitting, error);
    if (status == STATUS_OK)
        status = model_settings_read(options->overrides, options->override_count, fitting->model, false,
                                     &fitting->settings, error);
    fitting->settings.x = options->x;
    fitting->settings.y = options->y;
    fitting->settings.intercept = options->intercept;
    fitting->settings.non_negative = options->nonnegative;
    if (status == STATUS_OK)
        status = check_linear(options, fitting->model, error);
    if (status == STATUS_OK && options->figure != NULL)
        status = model_figure_check(options->figure, error);
    return status;
}

static void add_models(struct buffer *page)
{
    struct table table = table_of("model|what it describes");
    for (size_t i = 0; models[i] != NULL; i++)
        table_texts(&table, models[i]->name, models[i]->title);
    buffer_text(page, "\n");
    table_write(&table, false, 0, page);
    table_free(&table);
}

static void add_settings(const struct model *model, struct buffer *page)
{
    int widest = 0;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        widest = (int)strlen(row->name) > widest ? (int)strlen(row->name) : widest;
    if (widest == 0)
        return;
    buffer_text(page, "\nsettings, each as --set NAME=NUMBER:\n");
    for (const struct model_setting_row *row = model->settings; row->name != NULL; row++) {
        buffer_printf(page, "  %-*s  %s", widest, row->name, row->what);
        if (isfinite(row->fallback))
            buffer_printf(page, " (%g)", row->fallback);
        buffer_text(page, "\n");
    }
}

/* One model's page, or the list of all. */
static int explain(const struct options *options)
{
    const struct model *model;
    struct error error;
    struct buffer page = {0};
    enum status status = STATUS_OK;
    if (options->input_count == 0)
        add_models(&page);
    for (size_t i = 0; status == STATUS_OK && i < options->input_count; i++) {
        status = model_find(options->inputs[i], &model, &error);
        if (status != STATUS_OK)
            break;
        buffer_printf(&page, "%s%s: %s\n\n%s", i > 0 ? "\n" : "", model->name, model->title, model->page);
        add_settings(model, &page);
    }
    if (page.size > 0)
        wrap_print(page.data, stdout);
    buffer_free(&page);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

static int run(const struct options *options)
{
    struct fitting fitting = {0};
    struct error error;
    if (options->explain)
        return explain(options);
    enum status status = check_arguments(options, &fitting, &error);
    if (status != STATUS_OK)
        return command_fail(&error);
    status = fit(&fitting, options, &error);
    if (status == STATUS_OK && options->json)
        print_document(&fitting);
    if (status == STATUS_OK && !options->json && !output_is_standard(options->output)) {
        print_disbelief(&fitting.result);
        command_print(
            "This assumes that the meter's gain is right. A gain that is wrong by the same factor at every "
            "power does "
            "not show in a fit; a second meter of the same supply shows it (trauma sensors --measure)\n");
        print_coefficients(&fitting.result);
        print_rest(&fitting.result);
    }
    dataset_free(&fitting.dataset);
    model_result_free(&fitting.result);
    results_context_free(&fitting.first);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_fit = {
    .name = "fit",
    .arguments = "[MODEL] RESULTS.jsonl... [-o model.json] [OPTIONS]; or --explain [MODEL...]",
    .summary = "fits an energy model to results",
    .details =

        "Coefficients are reported with units and 95 % intervals and, if the results allow it, with the "
        "error for recipes that were left out of the fit. Data that do not determine the coefficients are "
        "refused with the reason: columns that vary together are named, and so are programs that were not "
        "measured and meters at the end of their range. Without MODEL, the command fits the model that "
        "the results' recipes name, as in fit = \"incremental\".\n"
        "\n"
        "Deviations from the model's form are printed first. To find them, residuals are tested against a "
        "constant, against squares and products of the regressors, and against the order in which points "
        "ran, temperature and clock. The model linear takes the regressors of --x: trauma fit linear "
        "RESULTS.jsonl --x counter.l2_misses,instructions --intercept.\n",
    .options = accepted,
    .add_more = add_models,
    .run = run,
};
