/* trauma measure instruction: latency and rate of single instructions. */
#include "base/buffer.h"
#include "base/memory.h"
#include "cli/measure/measure_command.h"
#include "cli/options/output_kind.h"
#include "cli/options/requests.h"
#include "cli/options/results_home.h"
#include "report/figure/figure_draw.h"
#include "report/metric_value.h"
#include "report/table.h"
#include "runner/instruction/instruction_forms.h"
#include "session/instruction_results.h"
#include "session/instructions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const accepted[] = {"list",  "output",     "json",  "csv",     "dry-run", "figure",
                                       "power", "sysfs-root", "quiet", "verbose", NULL};

enum { CELL_BYTES = 64 };

/* Latencies closer than this share a row. */
static const double SAME_CYCLES = 0.06;

/* ---- the table ---- */

static bool is_shown_apart(const struct insn_latency *latency)
{
    return latency->to == INSN_FLAGS || latency->from == INSN_FLAGS;
}

/* Latencies of flags are shown only with -v, or if there are no others. */
static bool is_shown(const struct insn_times *times, const struct insn_latency *latency, bool all)
{
    bool others = false;
    for (unsigned i = 0; i < times->latency_count; i++)
        others = others || !is_shown_apart(&times->latencies[i]);
    return all || !others || !is_shown_apart(latency);
}

static bool is_same(const struct insn_latency *a, const struct insn_latency *b)
{
    return a->to == b->to && strcmp(a->values, b->values) == 0 && strcmp(a->remark, b->remark) == 0 &&
           fabs(a->cycles.value - b->cycles.value) <= SAME_CYCLES;
}

static void add_interval(struct table *table, struct interval interval, const char *why)
{
    if (interval.n == 0) {
        table_texts(table, "-", "");
        return;
    }
    const char *doubt = metric_doubt(interval.low, why);
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

/* The last three columns: the rate with its interval, and the operands' values with remarks. NULL: none. */
static void add_rate(struct table *table, const struct insn_rate *rate, const struct insn_latency *latency)
{
    const char *values = latency != NULL ? latency->values : rate != NULL ? rate->values : "";
    const char *remarks[] = {latency == NULL ? "" : latency->remark, rate == NULL ? "" : rate->remark};
    if (rate == NULL)
        table_texts(table, "", "");
    else
        add_interval(table, rate->per_cycle, rate->doubt);
    struct buffer text = {0};
    buffer_printf(&text, "%s", values);
    for (size_t i = 0; i < 2; i++)
        if (remarks[i][0] != '\0')
            buffer_printf(&text, "%s%s%s", text.size > 0 ? "; " : "", i == 1 ? "rate " : "latency ",
                          remarks[i]);
    table_cell(table, "%s", text.data);
    buffer_free(&text);
}

static const struct insn_rate *rate_of(const struct insn_times *times, const char *values)
{
    for (unsigned i = 0; i < times->rate_count; i++)
        if (strcmp(times->rates[i].values, values) == 0)
            return &times->rates[i];
    return NULL;
}

/* A row for the latency and the equal ones after it. */
static void add_latency(struct table *table, const struct insn_times *times, unsigned index, bool all)
{
    const struct insn_latency *latency = &times->latencies[index];
    struct buffer from = {0};
    for (unsigned i = index; i < times->latency_count; i++) {
        const struct insn_latency *other = &times->latencies[i];
        if (is_shown(times, other, all) && is_same(latency, other))
            buffer_printf(&from, "%s%s", from.size > 0 ? ", " : "",
                          insn_operand_name(&times->insn, other->from));
    }
    table_cell(table, "%s -> %s", from.data, insn_operand_name(&times->insn, latency->to));
    add_interval(table, latency->cycles, latency->doubt);
    buffer_free(&from);
}

static bool has_row(const struct insn_times *times, unsigned index, bool all)
{
    for (unsigned i = 0; i < index; i++)
        if (is_shown(times, &times->latencies[i], all) &&
            is_same(&times->latencies[i], &times->latencies[index]))
            return true;
    return false;
}

static void add_failure(struct table *table, const struct instruction_measured *measured)
{
    table_cell(table, "%s", measured->text);
    for (int i = 0; i < 5; i++)
        table_cell(table, "%s", i % 2 == 1 ? "-" : "");
    table_cell(table, "%s", measured->error.message);
}

static void add_instruction(struct table *table, const struct instruction_measured *measured, bool all)
{
    const struct insn_times *times = measured->times;
    const char *values = NULL; /* of the previous row */
    for (unsigned i = 0; i < times->latency_count; i++) {
        const struct insn_latency *latency = &times->latencies[i];
        if (!is_shown(times, latency, all) || has_row(times, i, all))
            continue;
        bool first = values == NULL || strcmp(values, latency->values) != 0;
        table_cell(table, "%s", values == NULL ? measured->text : "");
        values = latency->values;
        add_latency(table, times, i, all);
        add_rate(table, first ? rate_of(times, values) : NULL, latency);
    }
    if (values != NULL)
        return;
    table_texts(table, measured->text,
                insn_changes_nothing(times) ? "it changes nothing: no latency"
                                            : "no result waits for an operand",
                "-", "");
    add_rate(table, times->rate_count > 0 ? &times->rates[0] : NULL, NULL);
}

/* ---- ports and energy ---- */

/* The micro-operations of one instruction. */
struct port_counts {
    char *text;
    struct insn_ports ports;
    char remark[INSN_WHY_BYTES]; /* or the reason why nothing was counted; "": none */
};

struct port_counts_list {
    struct port_counts *items;
    size_t count;
    bool some;                /* micro-operations were counted for at least one instruction */
    char why[INSN_WHY_BYTES]; /* the first reason why they were not */
};

static void counted_add(struct port_counts_list *list, const struct instruction_measured *measured)
{
    const struct insn_times *times = measured->times;
    list->items = memory_next(list->items, list->count, sizeof *list->items);
    struct port_counts *counted = &list->items[list->count++];
    *counted = (struct port_counts){.text = memory_text(measured->text), .ports = times->ports};
    snprintf(counted->remark, sizeof counted->remark, "%s",
             times->ports_remark[0] != '\0' ? times->ports_remark : times->no_ports);
    list->some = list->some || times->ports.count > 0;
    if (list->why[0] == '\0')
        memcpy(list->why, times->no_ports, sizeof list->why);
}

static void counted_free(struct port_counts_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
}

/* A column for each port of the first instruction that has ports. */
static struct table ports_table(const struct port_counts_list *list, unsigned *count)
{
    struct table table = table_of("micro-operations per instruction");
    size_t first = 0;
    while (list->items[first].ports.count == 0)
        first++;
    *count = list->items[first].ports.count;
    for (unsigned i = 0; i < *count; i++) {
        const char *name = list->items[first].ports.ports[i].name;
        char title[CELL_BYTES];
        const char *form = name[0] == '\0' ? "all" : strchr(name, ',') == NULL ? "port " : "ports ";
        snprintf(title, sizeof title, "%s%s", form, name);
        table_add_column(&table, title, TABLE_RIGHT);
    }
    table_add_column(&table, "", TABLE_LEFT);
    return table;
}

static void print_ports(const struct port_counts_list *list)
{
    if (!list->some) {
        if (list->why[0] != '\0')
            printf("no micro-operations by port: %s\n", list->why);
        return;
    }
    unsigned count;
    struct table table = ports_table(list, &count);
    for (size_t i = 0; i < list->count; i++) {
        const struct port_counts *counted = &list->items[i];
        table_cell(&table, "%s", counted->text);
        for (unsigned j = 0; j < count; j++) {
            if (j >= counted->ports.count || counted->ports.ports[j].per_instruction.n == 0)
                table_cell(&table, "-");
            else
                table_cell(&table, "%.2f", counted->ports.ports[j].per_instruction.value);
        }
        table_cell(&table, "%s", counted->remark);
    }
    printf("\n");
    table_finish(&table, stdout);
}

/* "0.52 nJ" */
static void add_joules(struct table *table, struct interval seen)
{
    static const struct {
        double least, factor;
        const char *unit;
    } units[] = {{1e-6, 1e6, "uJ"}, {1e-9, 1e9, "nJ"}, {0, 1e12, "pJ"}};
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
    table_doubt(table, metric_doubt(seen.low, ""), "");
}

static void add_energy(struct table *table, const struct instruction_measured *measured)
{
    const struct instruction_energy *energy = &measured->energy;
    const bool doubtful = strcmp(energy->verdict, "untrustworthy") == 0;
    table_cell(table, "%s", measured->text);
    add_joules(table, energy->dynamic_j);
    add_joules(table, energy->total_j);
    table_cell(table, "%s%s%s", doubtful ? energy->verdict : "", doubtful ? ": " : "",
               doubtful ? energy->reason : "");
}

/* ---- tables of many instructions ---- */

/* A reason why instructions have no row, and their number. */
struct reason {
    char *text;
    size_t count;
};

/* The order of the rows: first the instructions whose latency differs from the model's, then those whose rate
 * does, then the rest; each group in the order of the list. */
enum list_part { DIFFERENT_LATENCY, DIFFERENT_RATE, THE_REST, LIST_PARTS };

struct list_shown {
    struct table parts[LIST_PARTS];
    struct reason *reasons;
    size_t reason_count;
    size_t beside[BESIDE_DIFFERS + 1];
};

static const char LIST_TITLES[] =
    "instruction|from -> to|>latency|interval|>model|>cycles each|interval|>model|remark";
static const char CSV_TITLES[] =
    "instruction,from,to,latency,latency_low,latency_high,model_latency,cycles_each,"
    "cycles_each_low,cycles_each_high,model_cycles_each,beside,remark\n";

static void count_reason(struct list_shown *list, const char *text)
{
    for (size_t i = 0; i < list->reason_count; i++)
        if (strcmp(list->reasons[i].text, text) == 0) {
            list->reasons[i].count++;
            return;
        }
    list->reasons = memory_next(list->reasons, list->reason_count, sizeof *list->reasons);
    list->reasons[list->reason_count++] = (struct reason){memory_text(text), 1};
}

/* Cycles per instruction. */
static struct interval cycles_each(const struct insn_rate *rate)
{
    const struct interval *seen = &rate->per_cycle;
    return (struct interval){1 / seen->value, 1 / seen->high, 1 / seen->low, seen->n};
}

static bool is_rate_different(const struct instruction_measured *measured)
{
    static const double SAME = 1.1;
    if (!measured->model.known || !(measured->model.per_copy > 0) ||
        measured->times->rates[0].doubt[0] != '\0')
        return false;
    const double ratio = cycles_each(&measured->times->rates[0]).value / measured->model.per_copy;
    return ratio > SAME || ratio < 1 / SAME;
}

static void write_remark(const struct instruction_measured *measured, const struct insn_latency *latency,
                         struct buffer *text)
{
    const char *texts[] = {latency == NULL ? "" : latency->values, latency == NULL ? "" : latency->remark,
                           measured->times->rates[0].remark};
    buffer_text(text, latency != NULL                         ? ""
                      : insn_changes_nothing(measured->times) ? "it changes nothing: no latency"
                                                              : "no latency without a doubt");
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i][0] != '\0')
            buffer_printf(text, "%s%s%s", text->size > 0 ? "; " : "", i == 2 ? "rate " : "", texts[i]);
}

static void add_model(struct table *table, const struct insn_model *model, double value)
{
    if (model->known)
        table_cell(table, "%.4g", value);
    else
        table_cell(table, "%s", "-");
}

static void list_row(struct list_shown *list, const struct instruction_measured *measured)
{
    const struct insn_times *times = measured->times;
    if (times == NULL) {
        count_reason(list, measured->error.message);
        return;
    }
    const struct insn_latency *latency =
        measured->headline >= 0 ? &times->latencies[measured->headline] : NULL;
    const enum instruction_beside beside = instruction_beside_model(measured);
    struct table *table = &list->parts[beside == BESIDE_DIFFERS      ? DIFFERENT_LATENCY
                                       : is_rate_different(measured) ? DIFFERENT_RATE
                                                                     : THE_REST];
    struct buffer remark = {0};
    list->beside[beside]++;
    table_cell(table, "%s", measured->text);
    if (latency == NULL) {
        table_texts(table, "", "-", "");
    } else {
        table_cell(table, "%s -> %s", insn_operand_name(&times->insn, latency->from),
                   insn_operand_name(&times->insn, latency->to));
        add_interval(table, latency->cycles, latency->doubt);
    }
    add_model(table, &measured->model, measured->model.latency);
    add_interval(table, cycles_each(&times->rates[0]), times->rates[0].doubt);
    add_model(table, &measured->model, measured->model.per_copy);
    write_remark(measured, latency, &remark);
    table_cell(table, "%s", remark.data);
    buffer_free(&remark);
}

static void write_number(struct buffer *text, bool known, double number)
{
    if (known && isfinite(number))
        buffer_printf(text, ",%.6g", number);
    else
        buffer_text(text, ",");
}

static void write_quoted(struct buffer *text, const char *value)
{
    buffer_printf(text, "%s\"", text->size > 0 && text->data[text->size - 1] != '\n' ? "," : "");
    for (; *value != '\0'; value++)
        buffer_printf(text, "%s%c", *value == '"' ? "\"" : "", *value);
    buffer_text(text, "\"");
}

/* A line with the columns of CSV_TITLES. Numbers in doubt have no interval. */
static void csv_row(struct list_shown *list, const struct instruction_measured *measured, struct buffer *text)
{
    static const char *const besides[] = {"unknown", "untold", "equal", "differs"};
    const struct insn_times *times = measured->times;
    if (times == NULL) {
        count_reason(list, measured->error.message);
        return;
    }
    const bool has = measured->headline >= 0;
    const struct insn_latency none = {0}, *latency = has ? &times->latencies[measured->headline] : &none;
    const struct interval each = cycles_each(&times->rates[0]);
    struct buffer remark = {0};
    write_quoted(text, measured->text);
    write_quoted(text, has ? insn_operand_name(&times->insn, latency->from) : "");
    write_quoted(text, has ? insn_operand_name(&times->insn, latency->to) : "");
    write_number(text, has, latency->cycles.value);
    write_number(text, has, latency->cycles.low);
    write_number(text, has, latency->cycles.high);
    write_number(text, measured->model.known, measured->model.latency);
    write_number(text, true, each.value);
    write_number(text, true, each.low);
    write_number(text, true, each.high);
    write_number(text, measured->model.known, measured->model.per_copy);
    write_quoted(text, besides[instruction_beside_model(measured)]);
    write_remark(measured, has ? latency : NULL, &remark);
    write_quoted(text, remark.data);
    buffer_text(text, "\n");
    buffer_free(&remark);
}

static void print_reasons(const struct list_shown *list)
{
    for (size_t i = 0; i < list->reason_count; i++)
        printf("%zu left out: %s\n", list->reasons[i].count, list->reasons[i].text);
}

static void print_list(struct list_shown *list, const struct instructions_outcome *outcome)
{
    const size_t equal = list->beside[BESIDE_EQUAL], compared = equal + list->beside[BESIDE_DIFFERS];
    struct table *all = &list->parts[DIFFERENT_LATENCY];
    for (unsigned i = DIFFERENT_RATE; i < LIST_PARTS; i++)
        table_take_rows(all, &list->parts[i]);
    table_print(all, stdout);
    printf("\n%zu measured, each number found by two runs some time apart\n", outcome->measured);
    print_reasons(list);
    if (outcome->model[0] == '\0') {
        printf("no scheduling model beside them: %s\n", outcome->no_model.message);
        return;
    }
    printf("model: LLVM's of %s. %zu of %zu latencies are equal when rounded to cycles%s; not compared: %zu "
           "that are not known to a cycle,\n%zu that the model lacks. Rows that differ come first\n",
           outcome->model, equal, compared, compared > equal ? "" : ", all", list->beside[BESIDE_UNCERTAIN],
           list->beside[BESIDE_UNKNOWN]);
}

static void list_free(struct list_shown *list)
{
    for (unsigned i = 0; i < LIST_PARTS; i++)
        table_free(&list->parts[i]);
    for (size_t i = 0; i < list->reason_count; i++)
        free(list->reasons[i].text);
    free(list->reasons);
}

/* --dry-run. */
static int print_forms(void)
{
    struct error error;
    struct text_set forms = {0};
    const enum status status = insn_forms_read(NULL, &forms, &error);
    for (size_t i = 0; i < forms.count; i++)
        printf("%s\n", forms.texts[i]);
    text_set_free(&forms);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

/* ---- the command ---- */

struct shown {
    bool as_json, all, as_list, as_csv;
    struct list_shown list;
    struct buffer csv;
    struct table times, energy;
    struct port_counts_list counted;
};

static void show(void *context, const struct instruction_measured *measured)
{
    struct shown *shown = context;
    if (shown->as_json) {
        struct buffer text = {0};
        instruction_write(measured, &text);
        command_print_json_lines(&text);
        return;
    }
    if (shown->as_csv) {
        csv_row(&shown->list, measured, &shown->csv);
        return;
    }
    if (shown->as_list) {
        list_row(&shown->list, measured);
        return;
    }
    if (measured->times == NULL) {
        add_failure(&shown->times, measured);
        return;
    }
    add_instruction(&shown->times, measured, shown->all);
    counted_add(&shown->counted, measured);
    if (measured->energy.given)
        add_energy(&shown->energy, measured);
}

static void shown_free(struct shown *shown)
{
    table_free(&shown->times);
    table_free(&shown->energy);
    counted_free(&shown->counted);
    list_free(&shown->list);
    buffer_free(&shown->csv);
}

static enum status check_options(const struct options *options, struct error *error)
{
    enum figure_format format;
    enum status status = output_kind_check(options->output, ".jsonl", error);
    if ((options->csv || options->dry_run) && !options->list)
        return error_set(error, STATUS_USAGE, "%s is for tables: expected --list FILE or --list all",
                         options->csv ? "--csv" : "--dry-run");
    if (options->list && options->power != NULL)
        return error_set(error, STATUS_USAGE, "a table has no energy: expected --list or --power");
    if (status != STATUS_OK || options->figure == NULL)
        return status;
    status = figure_format_of(options->figure, &format, error);
    return status == STATUS_OK ? figure_check_gnuplot(error) : status;
}

static void print_notes(void)
{
    printf("\ncycles: latency, from chains of copies; per cycle: rate of copies that do not wait for each "
           "other. One addition of a chain,\ntimed beside every sample, counts as one cycle. 95 %% "
           "intervals\n");
}

static void print_all(struct shown *shown, const struct instructions_outcome *outcome)
{
    if (shown->as_csv) {
        printf("%s%s", CSV_TITLES, shown->csv.size > 0 ? shown->csv.data : "");
        return;
    }
    if (shown->as_list) {
        print_list(&shown->list, outcome);
        return;
    }
    const struct error *no_energy = &outcome->no_energy;
    table_print(&shown->times, stdout);
    if (outcome->measured == 0)
        return;
    print_notes();
    print_ports(&shown->counted);
    if (shown->energy.cell_count > 0) {
        printf("\n");
        table_print(&shown->energy, stdout);
    } else if (no_energy->code != STATUS_OK || no_energy->message[0] != '\0') {
        printf("no energy per instruction: %s\n", no_energy->message);
    }
}

static int run(const struct options *options)
{
    struct error error;
    struct shown_events events;
    struct results_home home = {0};
    struct instructions_outcome outcome = {0};
    struct shown shown = {.as_json = options->json,
                          .as_list = options->list,
                          .as_csv = options->csv,
                          .all = options->verbose,
                          .times = table_of("instruction|from -> to|>cycles|interval|>per cycle|interval|"),
                          .energy =
                              table_of("energy per instruction|>above idle|interval|>in all|interval|")};
    for (unsigned i = 0; i < LIST_PARTS; i++)
        shown.list.parts[i] = table_of(LIST_TITLES);
    shown_events_start(options, &events);
    enum status status = check_options(options, &error);
    if (status == STATUS_OK && options->dry_run) {
        shown_free(&shown);
        return print_forms();
    }
    if (status == STATUS_OK && (options->output != NULL || options->figure != NULL))
        status = results_home_open(options->output, &home, &error);
    const struct instructions_request request = {.inputs = options->inputs,
                                                 .input_count = options->input_count,
                                                 .list = options->list,
                                                 .path = home.path[0] != '\0' ? home.path : NULL,
                                                 .sensors = options->power,
                                                 .root = requests_root(options),
                                                 .events = &events.events,
                                                 .measured = show,
                                                 .context = &shown};
    if (status == STATUS_OK)
        status = instructions_measure(&request, &outcome, &error);
    if (status == STATUS_OK && !options->json && (outcome.measured > 0 || outcome.failed > 1))
        print_all(&shown, &outcome);
    if (status == STATUS_OK && outcome.measured > 0 && options->figure != NULL)
        status = plot_results(options, home.path, options->figure, &error);
    results_home_close(&home);
    shown_free(&shown);
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
    .arguments = "TEXT...|FILE...|--list FILE|all [--csv] [--power LIST] [-o results.jsonl] [OPTIONS]",
    .summary = "latency and instructions per cycle of single instructions",
    .details =

        "A TEXT is one instruction. On x86-64, it is in AT&T syntax ('imulq %rbx, %rax'), in Intel syntax "
        "('imul rax, rbx'), or in AT&T order with {r0}, {r0:32}, {x1}, {y2}, {z3}, {k1} and {memory} in "
        "place of operands; `lock` may precede it. On AArch64: 'mul x0, x1, x2', {r0}, {w0}, {v0}.4s, "
        "{q0}, {d0}, {s0}; on RISC-V: 'mul a0, a1, a2', {r0}, {f0}. A FILE has one instruction per line; "
        "# begins a comment; - is standard input.\n"
        "\n"
        "The instruction is first executed with several contents of its registers, flags and memory: "
        "whatever changes is a result, and whatever a result depends on is an operand. The latency from "
        "each operand to each result, in cycles, is that of a chain of copies; the cycles of the "
        "instructions that tie the copies together are subtracted. The rate, in instructions per cycle, "
        "is that of copies with registers of their own. If the numbers depend on the operands' values, as "
        "for divisions, the table has several values, and names them. -v also prints the latencies of "
        "flags.\n"
        "\n"
        "If the processor counts micro-operations (`trauma sensors`), their number per instruction "
        "follows, in all and by port or pipe. With a power sensor, the energy per instruction follows in "
        "pJ or nJ, above the idle level and in all. It is measured while one core executes independent "
        "copies for as long as the sensor needs, a second or more per instruction; --power none leaves it "
        "out.\n"
        "\n"
        "--list prints a table with one row per instruction of a FILE, or per form that ships for this "
        "processor (--dry-run prints the forms). A number counts only if a second run, some time later, "
        "confirms it. Latency and cycles per instruction of LLVM's scheduling model stand beside it, if "
        "llvm-mca is installed and supports the core; rows that differ come first. Instructions that need "
        "features that the processor lacks are left out and counted by reason. --csv, --json and -o write "
        "the same numbers for programs.\n"
        "\n"
        "An instruction that faults is reported in its row, and the others are measured. Jumps, "
        "instructions that use the stack, x87 instructions and privileged ones are refused. The recipe "
        "measure/instruction does the same by hand, for instructions beside others.\n",
    .examples = "  trauma measure instruction 'imul rax, rbx' 'addsd {x0}, {x1}'\n"
                "  trauma measure instruction --list all\n",
    .options = accepted,
    .run = run,
};
