#include "report/level_table.h"

#include "base/memory.h"
#include "base/text/plural.h"
#include "report/metric_value.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

/* A mix and its observations. */
struct mix {
    const char *reach;
    long long fma, width, threads;
    struct metric_value power, ipc;
    bool has_power, has_ipc;
    bool ranked;             /* it has a score */
    double score, low, high; /* W, or vector bits per cycle */
    size_t place;            /* index in the results */
};

struct mixes {
    struct mix *items;
    size_t count;
    size_t trusted; /* how many have trustworthy power */
    bool by_power;  /* the scores are powers */
};

/* A whole number of the sweep; 0: there is none of that name. */
static long long whole(const struct result_point *point, const char *name)
{
    double value = result_parameter(point, name);
    return isfinite(value) ? (long long)value : 0;
}

static struct mix read_mix(const struct result_point *point, size_t place)
{
    const char *reach = result_parameter_text(point, "reach");
    struct mix mix = {.reach = reach == NULL ? "?" : reach,
                      .fma = whole(point, "fma"),
                      .width = whole(point, "width"),
                      .threads = whole(point, "threads"),
                      .place = place};
    mix.has_power = metric_value_of(point, "power.dynamic_w", &mix.power);
    mix.has_ipc = metric_value_of(point, "ipc", &mix.ipc);
    return mix;
}

/* Whether the mix's power can be compared: it is trustworthy and above 0, as work draws power. */
static bool is_trusted(const struct mix *mix)
{
    return mix->has_power && mix->power.doubt[0] == '\0' && mix->power.value > 0;
}

static void judge(struct mix *mix, bool by_power)
{
    const struct metric_value *value = by_power ? &mix->power : &mix->ipc;
    double scale = by_power ? 1 : 8.0 * (double)mix->width;
    mix->ranked = by_power ? is_trusted(mix) : mix->has_ipc;
    if (!mix->ranked)
        return;
    mix->score = scale * value->value;
    mix->low = scale * value->low;
    mix->high = scale * value->high;
}

static int by_score(const void *left, const void *right)
{
    const struct mix *a = left;
    const struct mix *b = right;
    if (a->ranked != b->ranked)
        return a->ranked ? -1 : 1;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->place > b->place) - (a->place < b->place);
}

static void add_row(struct table *table, const struct mix *mix)
{
    char name[96], power[128];
    snprintf(name, sizeof name, "%.40s, fma = %lld, width = %lld", mix->reach, mix->fma, mix->width);
    table_cell(table, "%s", mix->reach);
    table_cell(table, "%lld", mix->fma);
    table_cell(table, "%lld", mix->width);
    metric_value_write(&mix->power, 1, 4, power, sizeof power);
    table_cell(table, "%s", mix->has_power ? power : "-");
    if (mix->has_power)
        table_doubt(table, mix->power.doubt, name);
    if (!mix->has_ipc) {
        table_texts(table, "-", "-");
        return;
    }
    const char *mark = mix->ipc.doubt[0] == '\0' ? "" : " ?";
    table_cell(table, "%.3g%s", mix->ipc.value, mark);
    table_cell(table, "%.4g%s", 8.0 * (double)mix->width * mix->ipc.value, mark);
    table_doubt(table, mix->ipc.doubt, name);
}

static void print_criterion(const struct mixes *mixes, FILE *to)
{
    size_t powered = 0;
    for (size_t i = 0; i < mixes->count; i++)
        powered += mixes->items[i].has_power;
    size_t others = mixes->count - mixes->trusted;
    if (mixes->by_power && others == 0)
        fprintf(to, "by dynamic power");
    else if (mixes->by_power)
        fprintf(to, "by dynamic power, without %zu mix%s whose power is not trustworthy", others,
                others == 1 ? "" : "es");
    else if (powered > 0)
        fprintf(to, "by IPC and vector width, as only %zu of %zu mixes have trustworthy power",
                mixes->trusted, mixes->count);
    else
        fprintf(to, "by IPC and vector width, as no power sensor was read (trauma sensors lists them)");
}

static void print_first(const struct mixes *mixes, FILE *to)
{
    const struct mix *first = &mixes->items[0];
    size_t alike = 0;
    for (size_t i = 1; i < mixes->count; i++)
        alike +=
            mixes->items[i].ranked && !(mixes->items[i].high < first->low); /* also without an interval */
    fprintf(to, "\n%s: reach = %s, fma = %lld, width = %lld bytes, ",
            mixes->by_power ? "draws the most" : "stresses the most", first->reach, first->fma, first->width);
    print_criterion(mixes, to);
    if (alike > 0)
        fprintf(to, "; the interval%s of %zu other%s reach%s it", plural_s(alike), alike, plural_s(alike),
                alike == 1 ? "es" : "");
    fprintf(to,
            "\nto run it: trauma run measure/stress --set reach=%s --set fma=%lld --set width=%lldB --set "
            "threads=%lld --reps 1 --time 600\n",
            first->reach, first->fma, first->width, first->threads);
}

void stress_table(const struct result_points *points, FILE *to)
{
    struct table table =
        table_of("down to|>FMA per unit|>width, bytes|>dynamic power, W|>IPC|>vector bits per cycle");
    const size_t count = points->count;
    struct mixes mixes = {.items = memory_zeroed(count + 1, sizeof *mixes.items)};
    for (size_t i = 0; i < count; i++) {
        struct mix mix = read_mix(&points->items[i], i);
        mixes.trusted += is_trusted(&mix);
        if (mix.has_power || mix.has_ipc)
            mixes.items[mixes.count++] = mix;
    }
    mixes.by_power = 2 * mixes.trusted > count;
    for (size_t i = 0; i < mixes.count; i++)
        judge(&mixes.items[i], mixes.by_power);
    qsort(mixes.items, mixes.count, sizeof *mixes.items, by_score);
    for (size_t i = 0; i < mixes.count; i++)
        add_row(&table, &mixes.items[i]);
    if (mixes.count > 0)
        table_print(&table, to);
    if (mixes.items[0].ranked)
        print_first(&mixes, to);
    else if (mixes.count > 0)
        fprintf(to, "\nno order: too few mixes have trustworthy power, and no IPC was observed\n");
    if (mixes.count < count)
        fprintf(to, "%zu mix%s left out: neither power nor IPC was observed\n", count - mixes.count,
                count - mixes.count == 1 ? "" : "es");
    table_free(&table);
    free(mixes.items);
}
