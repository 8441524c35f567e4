/* trauma sensors --measure: reads every sensor under a varying load and prints how its value follows. */
#include "cli/command.h"
#include "cli/options/requests.h"
#include "report/table.h"
#include "session/sensor_findings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void add_time(struct table *table, const char *lead, double seconds)
{
    if (!isfinite(seconds))
        table_cell(table, "%s", "-");
    else if (seconds < 1)
        table_cell(table, "%s%.3g ms", lead, seconds * 1e3);
    else
        table_cell(table, "%s%.3g s", lead, seconds);
}

/* scale: units of the cell per unit of the interval. Ends that print like the value are left out. */
static void add_interval(struct table *table, struct interval of, double scale, const char *unit)
{
    enum { NUMBER_BYTES = 24 };
    char value[NUMBER_BYTES], low[NUMBER_BYTES], high[NUMBER_BYTES];
    snprintf(value, sizeof value, "%.4g", scale * of.value);
    snprintf(low, sizeof low, "%.4g", scale * of.low);
    snprintf(high, sizeof high, "%.4g", scale * of.high);
    if (!isfinite(of.value))
        table_cell(table, "%s", "-");
    else if (!isfinite(of.low))
        table_cell(table, "%s %s ?", value, unit);
    else if (strcmp(value, low) == 0 && strcmp(value, high) == 0)
        table_cell(table, "%s %s", value, unit);
    else
        table_cell(table, "%s [%s, %s] %s", value, low, high, unit);
}

static void add_row(struct table *table, const struct sensor_finding *finding)
{
    const struct sensor_channel *channel = finding->channel;
    const struct wave_response *found = &finding->response;
    const char *unit = sensor_quantities[channel->quantity].unit;
    enum sensor_quantity level = channel->quantity == SENSOR_ENERGY ? SENSOR_POWER : channel->quantity;
    table_cell(table, "%s%s", channel->name, channel->whole ? " *" : "");
    add_time(table, "", finding->read_s);
    add_time(table, found->update_is_bound ? "<= " : "", found->update_s.value);
    if (found->window_is_bound)
        add_time(table, "<= ", found->window_s.high);
    else
        add_interval(table, found->window_s, 1e3, found->exponential ? "ms exp" : "ms");
    add_interval(table, found->lag_s, 1e3, "ms");
    add_interval(table, found->sampled, 100, "%");
    if (isfinite(finding->step))
        table_cell(table, "%.3g %s", finding->step, unit);
    else
        table_cell(table, "%s", "-");
    add_interval(table, finding->idling, 1, sensor_quantities[level].unit);
    add_interval(table, found->total_w, 1, "W");
}

static void print_notes(const struct sensor_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].note[0] != '\0')
            command_print("%s: %s\n", findings->items[i].channel->name, findings->items[i].note);
}

static void print_pairs(const struct sensor_findings *findings)
{
    static const char *const ends[SENSOR_RELATIONS] = {
        [RELATION_APART] = "",
        [RELATION_CONTAINS] = ": the first contains the second; their sum counts it twice",
        [RELATION_DENIES] = ": by its name the first should contain the second, but it does not",
        [RELATION_SAME] = ", and idles alike: one power, which their sum counts twice"};
    for (size_t i = 0; i < findings->pair_count; i++) {
        const struct sensor_pair *pair = &findings->pairs[i];
        command_print("%s rises %.4g [%.4g, %.4g] times as much as %s%s\n",
                      findings->items[pair->first].channel->name, pair->ratio.value, pair->ratio.low,
                      pair->ratio.high, findings->items[pair->second].channel->name, ends[pair->relation]);
    }
}

static void print_table(const struct sensor_findings *findings)
{
    struct table table =
        table_of("channel|>read every|>updated every|>window|>lag|>sampled|>step|>idle|>rise under load");
    for (size_t i = 0; i < findings->count; i++)
        add_row(&table, &findings->items[i]);
    table_finish(&table, stdout);
    printf(
        "\n* included in its sensor's total; -: not found; exp: a time constant; sampled: the share of the "
        "time that the readings cover\n");
    print_notes(findings);
    print_pairs(findings);
}

int sensors_measure(const struct options *options)
{
    struct sensor_findings findings;
    struct error error = {0};
    char path[FILE_PATH_BYTES];
    const char *root = requests_root(options);
    enum status status = sensor_findings_measure(options->power, root, options->time, &findings, &error);
    if (status == STATUS_OK && options->json) {
        struct buffer text = {0};
        sensor_findings_print(&findings, &text);
        command_print_json_lines(&text);
    } else if (status == STATUS_OK) {
        print_table(&findings);
    }
    if (status == STATUS_OK)
        status = sensor_findings_keep(&findings, root, path, &error);
    if (status == STATUS_OK && path[0] != '\0')
        command_note("trauma: kept in %s, which `run` reads", path);
    sensor_findings_free(&findings);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}
