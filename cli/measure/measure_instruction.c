/* trauma measure instruction: latency and rate of single instructions. */
#include "base/buffer.h"
#include "base/json.h"
#include "cli/measure/measure_command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "cli/options/results_home.h"
#include "report/figure/figure_draw.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "runner/results/observation.h"
#include "session/instructions.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"output",     "json",  "figure",  "power",
                                       "sysfs-root", "quiet", "verbose", NULL};

enum { CELL_BYTES = 64 };

/* Latencies closer than this are one row. */
static const double SAME_CYCLES = 0.06;

/* ---- the table ---- */

static const char *text_of(const json_t *row, const char *key)
{
    return json_string_or(row, key, "");
}

static bool is_shown_apart(const json_t *row)
{
    return strcmp(text_of(row, "to"), "flags") == 0 || strcmp(text_of(row, "from"), "flags") == 0;
}

/* Flags only if there is nothing else, or with -v. */
static bool is_shown(const json_t *list, const json_t *row, bool all)
{
    bool others = false;
    for (size_t i = 0; i < json_array_size(list); i++)
        others = others || !is_shown_apart(json_array_get(list, i));
    return all || !others || !is_shown_apart(row);
}

static bool is_same(const json_t *a, const json_t *b)
{
    const struct interval one = result_interval(json_object_get(a, "cycles"));
    const struct interval two = result_interval(json_object_get(b, "cycles"));
    return strcmp(text_of(a, "to"), text_of(b, "to")) == 0 &&
           strcmp(text_of(a, "values"), text_of(b, "values")) == 0 &&
           strcmp(text_of(a, "remark"), text_of(b, "remark")) == 0 &&
           fabs(one.value - two.value) <= SAME_CYCLES;
}

static void add_interval(struct table *table, const json_t *document)
{
    const struct interval interval = result_interval(document);
    if (interval.n == 0) {
        table_texts(table, "-", "");
        return;
    }
    const char *doubt = metric_doubt(interval.low, text_of(document, "doubt"));
    int decimals = interval.value < 0.2 ? 3 : 2;
    if (interval.value < 0.01)
        table_cell(table, "%.2g", interval.value);
    else
        table_cell(table, "%.*f", decimals, interval.value);
    if (!isfinite(interval.low))
        table_cell(table, "?");
    else if (interval.value < 0.01)
        table_cell(table, "[%.2g, %.2g]%s", interval.low, interval.high, doubt[0] == '\0' ? "" : " ?");
    else
        table_cell(table, "[%.*f, %.*f]%s", decimals, interval.low, decimals, interval.high,
                   doubt[0] == '\0' ? "" : " ?");
    table_doubt(table, doubt, "");
}

/* The last three columns: the rate, with what was in the operands and in the numbers. */
static void add_rate(struct table *table, const json_t *rate, const json_t *latency)
{
    const char *values = text_of(latency != NULL ? latency : rate, "values");
    const char *remarks[] = {latency == NULL ? "" : text_of(latency, "remark"), text_of(rate, "remark")};
    if (rate == NULL) {
        table_texts(table, "", "");
    } else {
        add_interval(table, json_object_get(rate, "per_cycle"));
    }
    struct buffer text = {0};
    buffer_printf(&text, "%s", values);
    for (size_t i = 0; i < 2; i++)
        if (remarks[i][0] != '\0')
            buffer_printf(&text, "%s%s%s", text.size > 0 ? "; " : "", i == 1 ? "rate " : "latency ",
                          remarks[i]);
    table_cell(table, "%s", text.data);
    buffer_free(&text);
}

static const json_t *rate_of(const json_t *document, const char *values)
{
    const json_t *list = json_object_get(document, "per_cycle");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(text_of(json_array_get(list, i), "values"), values) == 0)
            return json_array_get(list, i);
    return NULL;
}

/* A row for the latency and those after it that are the same. */
static void add_latency(struct table *table, const json_t *list, size_t index, bool all)
{
    const json_t *row = json_array_get(list, index);
    struct buffer from = {0};
    for (size_t i = index; i < json_array_size(list); i++) {
        const json_t *other = json_array_get(list, i);
        if (is_shown(list, other, all) && is_same(row, other))
            buffer_printf(&from, "%s%s", from.size > 0 ? ", " : "", text_of(other, "from"));
    }
    table_cell(table, "%s -> %s", from.data, text_of(row, "to"));
    add_interval(table, json_object_get(row, "cycles"));
    buffer_free(&from);
}

static bool is_told_before(const json_t *list, size_t index, bool all)
{
    for (size_t i = 0; i < index; i++)
        if (is_shown(list, json_array_get(list, i), all) &&
            is_same(json_array_get(list, i), json_array_get(list, index)))
            return true;
    return false;
}

static void add_failure(struct table *table, const json_t *document)
{
    table_cell(table, "%s", text_of(document, "instruction"));
    for (int i = 0; i < 5; i++)
        table_cell(table, "%s", i % 2 == 1 ? "-" : "");
    table_cell(table, "%s", text_of(document, "error"));
}

static void add_instruction(struct table *table, const json_t *document, bool all)
{
    const json_t *list = json_object_get(document, "latency");
    const char *values = NULL; /* of the row before */
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *row = json_array_get(list, i);
        if (!is_shown(list, row, all) || is_told_before(list, i, all))
            continue;
        bool first = values == NULL || strcmp(values, text_of(row, "values")) != 0;
        table_cell(table, "%s", values == NULL ? text_of(document, "instruction") : "");
        values = text_of(row, "values");
        add_latency(table, list, i, all);
        add_rate(table, first ? rate_of(document, values) : NULL, row);
    }
    if (values != NULL)
        return;
    table_texts(table, text_of(document, "instruction"),
                json_is_true(json_object_get(document, "changes_nothing")) ? "it changes nothing: no latency"
                                                                           : "no result waits for an operand",
                "-", "");
    add_rate(table, json_array_get(json_object_get(document, "per_cycle"), 0), NULL);
}

static void print_table(const json_t *documents, bool all)
{
    struct table table = table_of("instruction|from -> to|>cycles|interval|>per cycle|interval|");
    for (size_t i = 0; i < json_array_size(documents); i++) {
        const json_t *document = json_array_get(documents, i);
        if (json_object_get(document, "error") != NULL)
            add_failure(&table, document);
        else
            add_instruction(&table, document, all);
    }
    table_finish(&table, stdout);
}

/* ---- ports and energy, where the machine shows them ---- */

static const char *port_title(const json_t *port, char title[CELL_BYTES])
{
    const char *name = text_of(port, "port");
    snprintf(title, CELL_BYTES,
             name[0] == '\0'             ? "all"
             : strchr(name, ',') == NULL ? "port %s"
                                         : "ports %s",
             name);
    return title;
}

/* A column for each port; the first document that has them tells which there are. */
static void print_ports(const json_t *documents)
{
    enum { PORTS_MOST = 18 };
    const json_t *first = NULL;
    const char *why = "";
    for (size_t i = 0; i < json_array_size(documents); i++) {
        const json_t *document = json_array_get(documents, i);
        first = first != NULL || json_array_size(json_object_get(document, "ports")) == 0 ? first : document;
        why = why[0] == '\0' ? text_of(document, "no_ports") : why;
    }
    if (first == NULL) {
        if (why[0] != '\0')
            printf("no micro-operations by port: %s\n", why);
        return;
    }
    const json_t *ports = json_object_get(first, "ports");
    size_t count = json_array_size(ports) < PORTS_MOST ? json_array_size(ports) : PORTS_MOST;
    struct table table = table_of("micro-operations per instruction");
    for (size_t i = 0; i < count; i++) {
        char title[CELL_BYTES];
        table_add_column(&table, port_title(json_array_get(ports, i), title), TABLE_RIGHT);
    }
    table_add_column(&table, "", TABLE_LEFT);
    for (size_t i = 0; i < json_array_size(documents); i++) {
        const json_t *document = json_array_get(documents, i);
        ports = json_object_get(document, "ports");
        if (json_object_get(document, "error") != NULL)
            continue;
        table_cell(&table, "%s", text_of(document, "instruction"));
        for (size_t j = 0; j < count; j++) {
            struct interval seen =
                result_interval(json_object_get(json_array_get(ports, j), "per_instruction"));
            if (seen.n == 0)
                table_cell(&table, "-");
            else
                table_cell(&table, "%.2f", seen.value);
        }
        table_cell(&table, "%s%s", text_of(document, "ports_remark"), text_of(document, "no_ports"));
    }
    printf("\n");
    table_finish(&table, stdout);
}

/* "0.52 nJ" */
static void add_joules(struct table *table, const json_t *interval)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1e-6, 1e6, "uJ"}, {1e-9, 1e9, "nJ"}, {0, 1e12, "pJ"}};
    struct interval seen = result_interval(interval);
    size_t n = 0;
    while (fabs(seen.value) < units[n].least)
        n++;
    if (seen.n == 0) {
        table_texts(table, "-", "");
        return;
    }
    table_cell(table, "%.3g %s", seen.value * units[n].factor, units[n].unit);
    if (isfinite(seen.low))
        table_cell(table, "[%.3g, %.3g] %s", seen.low * units[n].factor, seen.high * units[n].factor,
                   units[n].unit);
    else
        table_cell(table, "?");
    table_doubt(table, metric_doubt(seen.low, text_of(interval, "doubt")), "");
}

static void print_energy(const json_t *documents, const struct error *no_energy)
{
    struct table table = table_of("energy per instruction|>above idle|interval|>in all|interval|");
    size_t rows = 0;
    for (size_t i = 0; i < json_array_size(documents); i++) {
        const json_t *document = json_array_get(documents, i);
        const json_t *energy = json_object_get(document, "energy");
        if (energy == NULL)
            continue;
        const char *verdict = text_of(energy, "verdict");
        const bool doubtful = strcmp(verdict, "untrustworthy") == 0;
        rows++;
        table_cell(&table, "%s", text_of(document, "instruction"));
        add_joules(&table, json_object_get(energy, "per_instruction_j"));
        add_joules(&table, json_object_get(energy, "per_instruction_total_j"));
        table_cell(&table, "%s%s%s", doubtful ? verdict : "", doubtful ? ": " : "",
                   doubtful ? text_of(energy, "reason") : "");
    }
    if (rows > 0) {
        printf("\n");
        table_print(&table, stdout);
    } else if (no_energy->code != STATUS_OK || no_energy->message[0] != '\0') {
        printf("no energy per instruction: %s\n", no_energy->message);
    }
    table_free(&table);
}

/* ---- the command ---- */

struct shown {
    bool as_json;
    json_t *documents;
};

static void show(void *context, const json_t *document)
{
    const struct shown *shown = context;
    if (shown->as_json)
        command_print_json(document, 0);
    else
        json_array_append(shown->documents, (json_t *)(uintptr_t)document);
}

static enum status check_options(const struct options *options, struct error *error)
{
    enum figure_format format;
    enum status status = output_kind_check(options->output, ".jsonl", error);
    if (status != STATUS_OK || options->figure == NULL)
        return status;
    status = figure_format_of(options->figure, &format, error);
    return status == STATUS_OK ? figure_check_gnuplot(error) : status;
}

static void print_notes(void)
{
    printf("\ncycles: latency, by chains of copies; per cycle: copies that do not wait for each other. A "
           "cycle is one of a chain of\nadditions of one cycle each, timed beside every sample; intervals "
           "are of 95 %%\n");
}

static void print_all(const struct shown *shown, bool all, const struct instructions_outcome *outcome)
{
    print_table(shown->documents, all);
    if (outcome->measured == 0)
        return;
    print_notes();
    print_ports(shown->documents);
    print_energy(shown->documents, &outcome->no_energy);
}

static int run(const struct options *options)
{
    struct error error;
    struct shown_events events;
    struct results_home home = {0};
    struct instructions_outcome outcome = {0};
    struct shown shown = {options->json, json_array()};
    shown_events_start(options, &events);
    enum status status = check_options(options, &error);
    if (status == STATUS_OK && (options->output != NULL || options->figure != NULL))
        status = results_home_open(options->output, &home, &error);
    const struct instructions_request request = {.inputs = options->inputs,
                                                 .input_count = options->input_count,
                                                 .path = home.path[0] != '\0' ? home.path : NULL,
                                                 .sensors = options->power,
                                                 .root = requests_root(options),
                                                 .events = &events.events,
                                                 .measured = show,
                                                 .context = &shown};
    if (status == STATUS_OK)
        status = instructions_measure(&request, &outcome, &error);
    if (status == STATUS_OK && !options->json && (outcome.measured > 0 || outcome.failed > 1))
        print_all(&shown, options->verbose, &outcome);
    if (status == STATUS_OK && outcome.measured > 0 && options->figure != NULL)
        status = plot_results(options, home.path, options->figure, &error);
    results_home_close(&home);
    json_decref(shown.documents);
    if (status == STATUS_OK && outcome.failed > 0 && outcome.measured == 0 && outcome.failed == 1)
        return command_fail(&outcome.first);
    if (status == STATUS_OK && outcome.failed > 0) {
        error = outcome.first;
        error_prefix(&error, "%zu of %zu instructions could not be measured, first", outcome.failed,
                     outcome.failed + outcome.measured);
        status = error.code;
    }
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command measure_instruction = {
    .name = "measure instruction",
    .arguments = "TEXT...|FILE... [--power LIST] [-o results.jsonl] [OPTIONS]",
    .summary = "latency and instructions per cycle of single instructions",
    .details =

        "A TEXT is one instruction: on x86-64 in AT&T syntax ('imulq %rbx, %rax'), in Intel syntax ('imul "
        "rax, rbx'), or with {r0}, {r0:32}, {x1}, {y2}, {z3}, {k1} and {memory} in place of operands, in "
        "AT&T order; `lock` may stand before it. On AArch64: 'mul x0, x1, x2', {r0}, {w0}, {v0}.4s, {q0}, "
        "{d0}, {s0}; on RISC-V: 'mul a0, a1, a2', {r0}, {f0}. A FILE has one on each line; # begins a "
        "comment; -: standard input.\n"
        "\n"
        "The instruction is first executed with several contents of its registers, flags and memory: what "
        "changes is a result, and what a result changes with is an operand. The latency from each operand to "
        "each result, in cycles, is that of a chain of copies, tied together by instructions whose own "
        "cycles are taken away; the rate, in instructions per cycle, is that of copies with registers of "
        "their own. Where the numbers depend on the operands' values, as of divisions, they are given for "
        "several, which the table names. -v also shows the latencies of flags.\n"
        "\n"
        "Where the processor counts them (`trauma sensors`), micro-operations per instruction follow, in all "
        "and by port or pipe. With a sensor of power, energy per instruction follows in pJ or nJ, above the "
        "idle level and in all, from a load of independent copies on one core that lasts as long as the "
        "sensor needs: a second or more per instruction; --power none leaves it out.\n"
        "\n"
        "One that faults is reported in its line, and the others are measured. Refused are jumps, stack, "
        "x87, gathers, SVE, RISC-V's vectors and what only an operating system may use. The recipe "
        "measure/instruction does the same by hand, for instructions beside others.\n",
    .examples = "  trauma measure instruction 'imul rax, rbx' 'addsd {x0}, {x1}'\n",
    .options = accepted,
    .run = run,
};
