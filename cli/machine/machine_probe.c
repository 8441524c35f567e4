/* trauma machine probe: measures the present machine, prints the results beside what the system reports, and
 * writes them as a machine file. */
#include "base/buffer.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "cli/progress.h"
#include "generator/machine/detect.h"
#include "report/figure/figure_draw.h"
#include "report/machine_probe_figure.h"
#include "report/table.h"
#include "runner/evidence/host.h"
#include "runner/probe/probe.h"
#include "runner/results/result_point.h"
#include "session/devices.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_TIME_S = 60;
enum { CELL_BYTES = 64 };

/* ---- the table ---- */

static const char *format_value(const char *unit, double value, char text[CELL_BYTES])
{
    double magnitude = fabs(value);
    int decimals = magnitude >= 1000 ? 0 : magnitude >= 100 ? 1 : magnitude >= 10 ? 2 : 3;
    if (strcmp(unit, "bytes") == 0) {
        const char *names[] = {"B", "KiB", "MiB", "GiB"};
        size_t scale = 0;
        for (; value >= 1024 && scale < 3; scale++)
            value /= 1024;
        snprintf(text, CELL_BYTES, "%.4g %s", value, names[scale]);
    } else if (strcmp(unit, "lines") == 0 || strcmp(unit, "pages") == 0 || strcmp(unit, "entries") == 0) {
        snprintf(text, CELL_BYTES, "%.0f", value);
    } else {
        snprintf(text, CELL_BYTES, "%.*f", decimals, value);
    }
    return text;
}

static void add_row(struct table *table, const struct probe_value *value)
{
    char text[CELL_BYTES], low[CELL_BYTES], high[CELL_BYTES];
    static const char *const words[] = {
        [PROBE_NOTHING_TO_COMPARE] = "", [PROBE_AGREES] = "agrees", [PROBE_DISAGREES] = "DIFFERS"};
    table_cell(table, "%s", value->name);
    if (value->found && value->text[0] != '\0') {
        table_texts(table, value->text, "");
    } else if (value->found) {
        table_cell(table, "%s%s", format_value(value->unit, value->interval.value, text),
                   value->doubt != NULL ? " ?" : "");
        if (isfinite(value->interval.low))
            table_cell(table, "[%s, %s]", format_value(value->unit, value->interval.low, low),
                       format_value(value->unit, value->interval.high, high));
        else
            table_cell(table, "%s", "");
    } else {
        table_texts(table, "not found", "");
    }
    table_cell(table, "%s", strcmp(value->unit, "bytes") == 0 ? "" : value->unit);
    if (value->reported > 0)
        table_cell(table, "%s %s", value->reported_by, format_value(value->unit, value->reported, text));
    else
        table_cell(table, "%s", "");
    table_texts(table, words[value->agreement], value->remark);
}

static void print_table(const struct probe *probe)
{
    struct table table = table_of("what|>value|interval|unit|system says||how, or why");
    for (size_t i = 0; i < probe->value_count; i++)
        add_row(&table, &probe->values[i]);
    table_finish(&table, stdout);
    const char *doubt = NULL;
    for (size_t i = 0; i < probe->value_count; i++)
        doubt = probe->values[i].doubt != NULL ? probe->values[i].doubt : doubt;
    printf("\n%zu samples, of which %zu were disturbed and left out\n", probe->samples_taken,
           probe->samples_dropped);
    if (doubt != NULL)
        printf("?: %s; the machine file does not have these values\n", doubt);
}

/* ---- JSON ---- */

static void write_value(struct json_text *text, const struct probe_value *value)
{
    static const char *const words[] = {[PROBE_NOTHING_TO_COMPARE] = "nothing to compare",
                                        [PROBE_AGREES] = "agrees",
                                        [PROBE_DISAGREES] = "differs"};
    json_text_open(text, value->name, '{');
    json_text_string(text, "unit", value->unit);
    json_text_bool(text, "found", value->found);
    if (value->found && value->text[0] != '\0')
        json_text_string(text, "text", value->text);
    else if (value->found)
        fields_write(text, interval_fields, NULL, &value->interval);
    if (value->reported > 0) {
        json_text_number(text, "reported", value->reported);
        json_text_string(text, "reported_by", value->reported_by);
    }
    json_text_string(text, "agreement", words[value->agreement]);
    json_text_string(text, "remark", value->remark);
    if (value->doubt != NULL)
        json_text_string(text, "doubt", value->doubt);
    json_text_close(text, '}');
}

static void write_ends(struct json_text *text, const char *value, const char *low, const char *high,
                       const struct interval *of)
{
    json_text_real(text, value, of->value);
    json_text_real(text, low, of->low);
    json_text_real(text, high, of->high);
}

static void write_curve(struct json_text *text, const struct probe_curve *curve)
{
    json_text_open(text, "latency_curve", '[');
    for (size_t i = 0; i < curve->count; i++) {
        const struct probe_point *point = &curve->points[i];
        json_text_open(text, NULL, '{');
        json_text_integer(text, "bytes", (long long)point->size);
        write_ends(text, "cycles", "cycles_low", "cycles_high", &point->cycles);
        write_ends(text, "ns", "ns_low", "ns_high", &point->ns);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void write_points(struct json_text *text, const char *name, const struct probe_curve *curve)
{
    json_text_open(text, name, '[');
    for (size_t i = 0; i < curve->count; i++) {
        const struct probe_point *point = &curve->points[i];
        if (point->disturbed)
            continue;
        json_text_open(text, NULL, '{');
        json_text_real(text, "x", point->size);
        write_ends(text, "y", "low", "high", &point->cycles);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void write_structure(struct json_text *text, const struct probe_structure *structure)
{
    json_text_open(text, NULL, '{');
    json_text_pack(text, "{s:s, s:s, s:s}", "title", structure->title, "x", structure->x_label, "y",
                   structure->y_label);
    json_text_open(text, "values", '[');
    for (size_t i = 0; i < 2 && structure->values[i] != NULL; i++)
        json_text_string(text, NULL, structure->values[i]);
    json_text_close(text, ']');
    write_points(text, "alone", &structure->curves[0]);
    write_points(text, "shared", &structure->curves[1]);
    json_text_close(text, '}');
}

static void print_json(const struct probe *probe, const struct machine *machine)
{
    struct json_text text = {.buffer = NULL};
    json_text_open(&text, NULL, '{');
    json_text_value(&text, "machine", machine->document);
    json_text_pack(&text, "{s:{s:I, s:I}}", "samples", "taken", (json_int_t)probe->samples_taken, "disturbed",
                   (json_int_t)probe->samples_dropped);
    json_text_real(&text, "huge_page_share", probe->huge_share);
    json_text_open(&text, "values", '{');
    for (size_t i = 0; i < probe->value_count; i++)
        write_value(&text, &probe->values[i]);
    json_text_close(&text, '}');
    write_curve(&text, &probe->latency);
    if (probe->structures != NULL) {
        json_text_open(&text, "structures", '[');
        for (size_t i = 0; i < probe->structure_count; i++)
            write_structure(&text, &probe->structures[i]);
        json_text_close(&text, ']');
    }
    json_text_close(&text, '}');
    command_print_tree(&text, 2);
}

/* ---- the machine file ---- */

/* Writes the description, below a comment on each number of the system that differs from the measured one. */
static enum status write_file(const struct probe *probe, const struct machine *machine, const char *path,
                              struct error *error)
{
    struct buffer text = {0};
    buffer_text(&text, "-- Measured by trauma machine probe. Sizes are as the system reports them; effective "
                       "is a core's share.\n");
    for (size_t i = 0; i < probe->value_count; i++) {
        const struct probe_value *value = &probe->values[i];
        char measured[CELL_BYTES], reported[CELL_BYTES];
        if (value->agreement == PROBE_DISAGREES)
            buffer_printf(&text, "-- %s: measured %s, %s reports %s: %s.\n", value->name,
                          format_value(value->unit, value->interval.value, measured), value->reported_by,
                          format_value(value->unit, value->reported, reported), value->remark);
    }
    for (size_t i = 0; i < probe->value_count; i++) {
        const struct probe_value *value = &probe->values[i];
        if (value->found && value->text[0] != '\0' && !probe_policy_known(value->text))
            buffer_printf(&text, "-- %s: %s, which the cache model lacks.\n", value->name, value->text);
    }
    machine_write_lua(machine, &text);
    enum status status = output_write(path, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

/* ---- the command ---- */

static void step(size_t done, size_t all, const char *what, void *context)
{
    struct progress *progress = context;
    progress->what = what;
    progress->total = all;
    progress_step(progress, done);
}

/* True for -o FILE.html: the page of structures instead of the machine file. */
static bool is_page(const struct options *options)
{
    const char *ending = options->output == NULL ? NULL : strrchr(options->output, '.');
    return options->structures && ending != NULL && strcmp(ending, ".html") == 0;
}

static enum status check_options(const struct options *options, enum figure_format *format,
                                 struct error *error)
{
    if (options->machine != NULL) {
        error_set(error, STATUS_USAGE, "trauma machine probe measures the present machine and takes no -m");
        error_hint(error, "trauma machine show %s prints that one", options->machine);
        return STATUS_USAGE;
    }
    if (options->json && output_is_standard(options->output)) {
        error_set(error, STATUS_USAGE, "-o - and --json both write to standard output");
        error_hint(error, "leave one of them out, or name a file");
        return STATUS_USAGE;
    }
    if (options->structures && options->target != NULL) {
        error_set(error, STATUS_USAGE, "--structures measures a processor's core, not a GPU");
        error_hint(error, "leave out -t or --structures");
        return STATUS_USAGE;
    }
    enum status status = is_page(options) ? STATUS_OK : output_kind_check(options->output, ".lua", error);
    if (options->figure == NULL || status != STATUS_OK)
        return status;
    status = figure_format_of(options->figure, format, error);
    return status == STATUS_OK ? figure_check_gnuplot(error) : status;
}

static enum status draw(const struct options *options, const struct probe *probe, enum figure_format format,
                        struct error *error)
{
    struct figure figure = {0};
    if (options->structures)
        machine_probe_structures(probe, &figure);
    else
        machine_probe_figure(probe, &figure);
    enum status status = STATUS_OK;
    if (figure.panel_count == 0)
        status = error_set(error, STATUS_UNAVAILABLE,
                           "nothing to draw: other programs disturbed all samples of every structure");
    else
        status = figure_draw(&figure, format, options->figure, error);
    figure_free(&figure);
    return status;
}

static enum status write_page(const struct probe *probe, const char *path, struct error *error)
{
    struct figure figure = {0};
    struct buffer picture = {0}, page = {0};
    struct error why = {.message = "all samples were disturbed"};
    machine_probe_structures(probe, &figure);
    if (figure.panel_count > 0 && figure_pictures(&figure, 1, FIGURE_SVG, &picture, &why) != STATUS_OK)
        buffer_free(&picture); /* the page states the reason */
    machine_probe_page(probe, picture.data, why.message, &page);
    enum status status = output_write(path, page.data, page.size, error);
    figure_free(&figure);
    buffer_free(&picture);
    buffer_free(&page);
    return status;
}

static enum status deliver(const struct options *options, const struct probe *probe,
                           enum figure_format format, struct error *error)
{
    struct machine machine;
    enum status status = machine_is_gpu(probe->request->machine)
                             ? device_probe_describe(probe, &machine, error)
                             : probe_describe(probe, &machine, error);
    if (status == STATUS_OK && options->json)
        print_json(probe, &machine);
    else if (!options->json && !output_is_standard(options->output))
        print_table(probe);
    if (status == STATUS_OK && options->output != NULL)
        status = is_page(options) ? write_page(probe, options->output, error)
                                  : write_file(probe, &machine, options->output, error);
    if (status == STATUS_OK && options->figure != NULL)
        status = draw(options, probe, format, error);
    machine_free(&machine);
    return status;
}

enum status machine_probe(const struct options *options, struct error *error)
{
    enum figure_format format = FIGURE_SVG;
    struct machine machine = {0};
    enum status status = check_options(options, &format, error);
    if (status == STATUS_OK)
        status = options->target == NULL
                     ? detect_machine(&machine, error)
                     : devices_detect((unsigned)options->device, options->target, &machine, error);
    if (status != STATUS_OK)
        return status;
    struct probe *probe = memory_zeroed(1, sizeof *probe);
    struct progress progress = progress_start(options, "", 0);
    struct probe_request request = {.machine = &machine,
                                    .cpu = host_choose_cpu(),
                                    .time_s = options->time > 0 ? options->time : DEFAULT_TIME_S,
                                    .structures = options->structures,
                                    .step = step,
                                    .context = &progress};
    status = options->target == NULL ? probe_run(&request, probe, error)
                                     : device_probe(&request, (unsigned)options->device, probe, error);
    progress_end(&progress);
    if (status == STATUS_OK)
        status = deliver(options, probe, format, error);
    probe_free(probe);
    free(probe);
    machine_free(&machine);
    return status;
}
