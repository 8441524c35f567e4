#include "report/stress_table.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/text/plural.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <stdlib.h>

/* A mix and what was seen of it. */
struct mix {
    const char *reach;
    long long fma, width, threads;
    struct metric_value power, ipc;
    bool has_power, has_ipc;
    double score, low, high; /* in watts, or in bits per cycle */
    size_t place;
};

static struct mix read_mix(const json_t *line, size_t place)
{
    const json_t *values = json_object_get(line, "point");
    struct mix mix = {.reach = json_string_or(values, "reach", "?"),
                      .fma = json_integer_value(json_object_get(values, "fma")),
                      .width = json_integer_value(json_object_get(values, "width")),
                      .threads = json_integer_value(json_object_get(values, "threads")),
                      .place = place};
    mix.has_power = metric_value_of(line, "power.dynamic_w", &mix.power);
    mix.has_ipc = metric_value_of(line, "ipc", &mix.ipc);
    return mix;
}

static void judge(struct mix *mix, bool by_power)
{
    const struct metric_value *seen = by_power ? &mix->power : &mix->ipc;
    double scale = by_power ? 1 : 8.0 * (double)mix->width;
    mix->score = scale * seen->value;
    mix->low = scale * seen->low;
    mix->high = scale * seen->high;
}

static int by_score(const void *left, const void *right)
{
    const struct mix *a = left;
    const struct mix *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void add_row(struct table *table, const struct mix *mix, bool by_power)
{
    char name[96], power[128];
    snprintf(name, sizeof name, "%.40s, fma = %lld, width = %lld", mix->reach, mix->fma, mix->width);
    table_cell(table, "%s", mix->reach);
    table_cell(table, "%lld", mix->fma);
    table_cell(table, "%lld", mix->width);
    metric_value_write(&mix->power, 1, 4, power, sizeof power);
    if (by_power)
        table_cell(table, "%s", power);
    else
        table_cell(table, "-");
    if (by_power)
        table_doubt(table, mix->power.doubt, name);
    if (!mix->has_ipc) {
        table_cell(table, "-");
        table_cell(table, "-");
        return;
    }
    const char *mark = mix->ipc.doubt[0] == '\0' ? "" : " ?";
    table_cell(table, "%.3g%s", mix->ipc.value, mark);
    table_cell(table, "%.4g%s", 8.0 * (double)mix->width * mix->ipc.value, mark);
    table_doubt(table, mix->ipc.doubt, name);
}

static void say_first(const struct mix *mixes, size_t count, bool by_power, FILE *to)
{
    size_t alike = 0;
    for (size_t i = 1; i < count; i++)
        alike += !(mixes[i].high < mixes[0].low); /* also without an interval */
    fprintf(to, "\n%s: reach = %s, fma = %lld, width = %lld bytes, by %s",
            by_power ? "draws the most" : "stresses the most", mixes[0].reach, mixes[0].fma, mixes[0].width,
            by_power ? "dynamic power"
                     : "IPC and vector width, as no power sensor was read (trauma sensors lists them)");
    if (alike > 0)
        fprintf(to, "; the interval%s of %zu other%s reach%s it", plural_s(alike), alike, plural_s(alike),
                alike == 1 ? "es" : "");
    if ((by_power ? mixes[0].power.doubt : mixes[0].ipc.doubt)[0] != '\0')
        fprintf(to, "; its own number is marked: %s", by_power ? mixes[0].power.doubt : mixes[0].ipc.doubt);
    fprintf(to,
            "\nto run it: trauma run measure/stress --set reach=%s --set fma=%lld --set width=%lldB --set "
            "threads=%lld "
            "--reps 1 --time 600\n",
            mixes[0].reach, mixes[0].fma, mixes[0].width, mixes[0].threads);
}

void stress_table(const json_t *lines, FILE *to)
{
    static const struct table_column columns[] = {
        {"down to", TABLE_LEFT},       {"FMA per unit", TABLE_RIGHT},
        {"width, bytes", TABLE_RIGHT}, {"dynamic power, W", TABLE_RIGHT},
        {"IPC", TABLE_RIGHT},          {"vector bits per cycle", TABLE_RIGHT}};
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    size_t count = 0;
    size_t unseen = 0;
    bool by_power = json_array_size(lines) > 0;
    struct mix *mixes = memory_zeroed(json_array_size(lines) + 1, sizeof *mixes);
    for (size_t i = 0; i < json_array_size(lines); i++) {
        mixes[count] = read_mix(json_array_get(lines, i), i);
        by_power = by_power && mixes[count].has_power;
        count++;
    }
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        bool seen = by_power || mixes[i].has_ipc;
        unseen += !seen;
        if (!seen)
            continue;
        mixes[kept] = mixes[i];
        judge(&mixes[kept++], by_power);
    }
    qsort(mixes, kept, sizeof *mixes, by_score);
    for (size_t i = 0; i < kept; i++)
        add_row(&table, &mixes[i], by_power);
    if (kept > 0) {
        table_print(&table, to);
        say_first(mixes, kept, by_power, to);
    }
    if (unseen > 0)
        fprintf(to, "%zu mix%s left out: neither power nor IPC was observed\n", unseen,
                unseen == 1 ? "" : "es");
    table_free(&table);
    free(mixes);
}
