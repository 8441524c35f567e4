/* trauma diff: reports the changes between two suites, or two results files. */
#include "cli/options/requests.h"
#include "session/diff/differences.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "cli/command.h"
#include "generator/metric/metric.h"
#include "generator/suite/suite.h"
#include "report/table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const accepted[] = {"threshold", "json", "quiet", "verbose", NULL};

static const struct {
    const char *name;
    double usual;
} thresholds[VALUE_CLASSES] = {
    [VALUE_RATE] = {"rates", 0.01}, [VALUE_TIME] = {"time", 0.05}, [VALUE_POWER] = {"power", 0.05}};

/* ---- thresholds ---- */

static enum status wrong_threshold(const char *word, size_t length, struct error *error)
{
    error_set(error, STATUS_USAGE,
              "--threshold: expected a share of at least 0 (0.05 or 5%%, or any), or rates=X,time=X,power=X; "
              "found '%.*s'",
              (int)(length < 100 ? length : 100), word);
    error_hint(error, "for example --threshold 0.02, or --threshold rates=0.001,time=0.1");
    return STATUS_USAGE;
}

/* "0.02", "2%", or "any" for changes of any size. */
static bool read_threshold(char *text, double *number)
{
    size_t length = strlen(text);
    *number = HUGE_VAL;
    if (strcmp(text, "any") == 0)
        return true;
    bool percent = length > 1 && text[length - 1] == '%';
    if (percent)
        text[length - 1] = '\0';
    if (!units_parse_number(text, number) || !(*number >= 0))
        return false;
    *number /= percent ? 100 : 1;
    return true;
}

/* "0.02" or "time=0.02". */
static bool set_threshold(struct diff *diff, const char *word, size_t length)
{
    char text[64];
    double number;
    if (length >= sizeof text)
        return false;
    memcpy(text, word, length);
    text[length] = '\0';
    char *equals = strchr(text, '=');
    if (!read_threshold(equals == NULL ? text : equals + 1, &number))
        return false;
    bool known = false;
    if (equals != NULL)
        *equals = '\0';
    for (size_t i = 0; i < VALUE_CLASSES; i++) {
        if (equals != NULL && strcmp(thresholds[i].name, text) != 0)
            continue;
        diff->threshold[i] = number;
        known = true;
    }
    return known;
}

static enum status read_thresholds(struct diff *diff, const char *list, struct error *error)
{
    for (size_t i = 0; i < VALUE_CLASSES; i++)
        diff->threshold[i] = thresholds[i].usual;
    while (list != NULL) {
        size_t length = strcspn(list, ",");
        if (!set_threshold(diff, list, length))
            return wrong_threshold(list, length, error);
        list = list[length] == ',' ? list + length + 1 : NULL;
    }
    return STATUS_OK;
}

/* Someone who writes 5 for 5 % would see no change. */
static void warn_of_wide_thresholds(const struct options *options, const struct diff *diff)
{
    for (size_t i = 0; i < VALUE_CLASSES; i++)
        if (diff->threshold[i] >= 1 && isfinite(diff->threshold[i]))
            command_warn(
                options,
                "the threshold of %s allows changes up to %.6g %%; 5 %% is 0.05 or 5%%, and any allows all",
                thresholds[i].name, 100 * diff->threshold[i]);
}

/* ---- printing ---- */

/* The number in the unit that tables show. */
static void cell_value(struct table *table, const char *metric, const struct value *value)
{
    char unit[32];
    metric_write_unit(metric, unit, sizeof unit);
    if (unit[0] == '\0' && !point_value_is_share(point_value_unit(metric)))
        snprintf(unit, sizeof unit, " %s", point_value_unit(metric));
    if (value->kind == VALUE_WORD)
        table_cell(table, "%s", value->word);
    else if (value->kind == VALUE_NUMBER && isfinite(value->number))
        table_cell(table, "%.6g%s", value->number * metric_scale(metric), unit);
    else
        table_cell(table, "-");
}

/* "slower; 4 numbers follow" */
static void cell_meaning(struct table *table, const struct diff_row *row)
{
    struct buffer text = {0};
    buffer_text(&text, row->what);
    if (row->followers > 0)
        buffer_printf(&text, "; %zu number%s follow%s", row->followers, plural_s(row->followers),
                      row->followers == 1 ? "s" : "");
    buffer_printf(&text, "%s%s", row->note == NULL ? "" : "; ", row->note == NULL ? "" : row->note);
    table_cell(table, "%s", text.data);
    buffer_free(&text);
}

static void print_table(const struct diff *diff)
{
    struct table table = table_of("point|metric|>old|>new|>change|what");
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_row *row = &diff->rows[i];
        const char *part = row->part;
        bool number = isfinite(row->change.by);
        table_cell(&table, "%s", row->point[0] == '\0' ? "(context)" : row->point);
        table_cell(&table, "%s%s%s%s", row->metric, part[0] == '\0' ? "" : " (", part,
                   part[0] == '\0' ? "" : ")");
        cell_value(&table, row->metric, &row->old);
        cell_value(&table, row->metric, &row->new);
        if (row->change.relative && !number)
            table_cell(&table, "from 0");
        else if (row->change.relative)
            table_cell(&table, "%+.1f %%", 100 * row->change.by);
        else if (number)
            table_cell(&table, "%+.3g", row->change.by);
        else
            table_cell(&table, "-");
        cell_meaning(&table, row);
        table_doubt(&table, row->doubt == NULL ? "" : row->doubt, row->point);
    }
    if (table.cell_count > 0) {
        table_print(&table, stdout);
        printf("\n");
    }
    table_free(&table);
    printf("%zu point%s in both: %zu of %zu comparisons %s past the threshold", diff->points,
           plural_s(diff->points), diff->past, diff->compared, diff->past == 1 ? "is" : "are");
    if (diff->marked > 0)
        printf("; %zu marked number%s not judged", diff->marked, diff->marked == 1 ? " is" : "s are");
    if (diff->clock > 0)
        printf("; %zu time%s changed by the clock alone", diff->clock, plural_s(diff->clock));
    printf("\n");
}

static void print_json(const struct diff *diff)
{
    struct buffer lines = {0};
    struct json_text text = {.buffer = &lines, .compact = true};
    for (size_t i = 0; i < diff->count; i++) {
        const struct diff_row *row = &diff->rows[i];
        const struct value change = isfinite(row->change.by) ? value_plain(row->change.by) : value_none;
        json_text_open(&text, NULL, '{');
        json_text_string(&text, "point", row->point);
        json_text_string(&text, "part", row->part);
        json_text_string(&text, "metric", row->metric);
        json_text_any(&text, "old", &row->old);
        json_text_any(&text, "new", &row->new);
        json_text_any(&text, "change", &change);
        json_text_bool(&text, "relative", row->change.relative);
        json_text_string(&text, "what", row->what);
        json_text_bool(&text, "past", row->past);
        if (row->doubt != NULL)
            json_text_string(&text, "doubt", row->doubt);
        if (row->followers > 0)
            json_text_integer(&text, "followers", (long long)row->followers);
        if (row->note != NULL)
            json_text_string(&text, "note", row->note);
        json_text_close(&text, '}');
    }
    command_print_json_lines(&lines);
}

/* ---- the command ---- */

static enum status compare(struct diff *diff, const char *const *inputs, struct error *error)
{
    bool suites[2];
    for (size_t i = 0; i < 2; i++) {
        if (access(inputs[i], F_OK) != 0)
            return error_set(error, STATUS_USAGE, "cannot read %s: %s", inputs[i], strerror(errno));
        suites[i] = suite_is_one(inputs[i]);
        if (suites[i] || !file_is_folder(inputs[i]))
            continue;
        error_set(error, STATUS_USAGE, "%s is a folder, but not a suite", inputs[i]);
        error_hint(error, "trauma gen RECIPE -o FOLDER makes a suite");
        return STATUS_USAGE;
    }
    if (suites[0] != suites[1]) {
        error_set(error, STATUS_USAGE, "only one of %s and %s is a suite", inputs[0], inputs[1]);
        error_hint(error, "compare two suites, or two results files");
        return STATUS_USAGE;
    }
    return suites[0] ? diff_suites(diff, inputs[0], inputs[1], error)
                     : diff_results(diff, inputs[0], inputs[1], error);
}

static enum status check_inputs(const struct options *options, struct error *error)
{
    if (options->input_count == 2)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "trauma diff compares two suites or two results files; found %zu argument%s",
              options->input_count, plural_s(options->input_count));
    error_hint(error, "trauma diff OLD NEW");
    return STATUS_USAGE;
}

static int run(const struct options *options)
{
    struct shown_events shown;
    shown_events_start(options, &shown);
    struct diff diff = {.events = &shown.events, .all = options->verbose};
    struct error error;
    enum status status = check_inputs(options, &error);
    if (status == STATUS_OK)
        status = read_thresholds(&diff, options->threshold, &error);
    if (status == STATUS_OK)
        warn_of_wide_thresholds(options, &diff);
    if (status == STATUS_OK)
        status = compare(&diff, options->inputs, &error);
    if (status == STATUS_OK && diff.compared == 0 && diff.past == 0)
        status = error_set(&error, STATUS_FAILED, "OLD and NEW have nothing in common that can be compared");
    if (status == STATUS_OK && options->json)
        print_json(&diff);
    else if (status == STATUS_OK)
        print_table(&diff);
    arena_free(&diff.arena);
    if (status != STATUS_OK)
        return command_fail(&error);
    return diff.past > 0 ? STATUS_MISSED : STATUS_OK;
}

const struct command command_diff = {
    .name = "diff",
    .arguments = "OLD NEW [--threshold LIST] [OPTIONS]",
    .summary = "reports what changed between two suites or two results files",
    .details =

        "OLD and NEW are two suites, or two results files. For results files, the command compares rates, "
        "times and power of the points in both, each by a source that observed it in both. A number "
        "counts as changed if it moved by more than the threshold and the two intervals are apart; the "
        "more numbers are compared, the further apart they must be. The thresholds are 0.01 for shares "
        "(0.03 if timing infers them), and 0.05 of the old value for times, power and other numbers with "
        "a unit (5% means the same; with any, no change counts). A rate that fails only in NEW and a "
        "point that no longer runs count as changed too.\n"
        "\n"
        "A quantity is judged only if it does not depend on how long a pass is: the time of a unit "
        "(unit.ns), not that of a pass; power, and the energy of a unit. Numbers that move for one reason "
        "count as one change: cycles, IPC, latencies and bandwidths follow unit.ns, which decides. If "
        "unit.ns moved and unit.cycles did not, the clock changed and not the code; this does not count. "
        "Numbers in doubt (marked with ?) are listed, but not judged. In results without unit.ns, pass.ns "
        "decides.\n"
        "\n"
        "For suites, the command compares the programs' bytes and reports how expected rates, mix, sizes "
        "and data differ. A program that only one suite has counts as changed.\n"
        "\n"
        "The exit code is 5 if anything changed, else 0. -v also lists the numbers that did not change, "
        "and those that follow another.\n",
    .examples = "  trauma diff results.jsonl more.jsonl\n"
                "  trauma diff old.jsonl new.jsonl --threshold rates=0.01,time=0.05\n"
                "  trauma diff suite other-suite  # byte by byte\n",
    .options = accepted,
    .run = run,
};
