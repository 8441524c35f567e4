#include "model/data/dataset.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "model/data/model_result.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From the width of a 95 % interval to a standard error. */
static const double WIDTH_IN_ERRORS = 3.92;

bool dataset_best(const struct result_point *point, const char *metric, struct interval *interval)
{
    const struct result_rate *rate = result_rates_find(&point->rates, metric);
    const struct observation *best = rate == NULL ? NULL : result_rate_best(rate);
    *interval = (struct interval){NAN, NAN, NAN, 0};
    if (best != NULL)
        *interval = (struct interval){best->value, best->low, best->high, (size_t)best->n};
    return best != NULL;
}

const char *dataset_name(const struct result_point *point)
{
    return point->name[0] == '\0' ? "a point" : point->name;
}

/* The value with the best evidence; NAN when there is none. */
static double best_of(const struct result_point *point, const char *metric)
{
    struct interval interval;
    dataset_best(point, metric, &interval);
    return interval.value;
}

static double per_pass(const struct dataset_row *row, const char *name)
{
    return result_value(&row->point->per_pass, name).value * row->passes;
}

static double counted(const struct dataset_row *row, const char *name)
{
    return result_value(&row->point->counters, name).value * row->passes;
}

static double own_cycles(const struct dataset_row *row, const char *name)
{
    (void)name;
    double cycles = counted(row, "cycles");
    return isnan(cycles) ? per_pass(row, "instructions") / best_of(row->point, "ipc") : cycles;
}

double dataset_hottest(const struct result_values *temperature_c)
{
    double most = NAN;
    for (size_t i = 0; i < temperature_c->count; i++)
        most = fmax(most, temperature_c->items[i].interval.value);
    return most;
}

/* On a GPU, sectors (lines, where a cache has no sectors) of the whole grid; NAN: not a GPU. */
static double transfers(const struct dataset_row *row, const char *level)
{
    char name[64] = "transfers.";
    strncat(name, level, sizeof name - 11);
    return per_pass(row, name);
}

static double accesses(const struct dataset_row *row, const char *level)
{
    char metric[64] = "served.";
    if (isfinite(transfers(row, level)))
        return transfers(row, level);
    strncat(metric, level, sizeof metric - 8);
    return per_pass(row, "loads") * best_of(row->point, metric);
}

static double operations(const struct dataset_row *row, const char *op)
{
    char metric[64] = "mix.";
    strncat(metric, op, sizeof metric - 5);
    return per_pass(row, "instructions") * best_of(row->point, metric);
}

static double parameter(const struct dataset_row *row, const char *name)
{
    return result_parameter(row->point, name);
}

static double own_hottest(const struct dataset_row *row, const char *name)
{
    (void)name;
    return dataset_hottest(&row->rep->temperature_c);
}

static double own_loads(const struct dataset_row *row, const char *name)
{
    static const char *const levels[] = {"SHARED", "L1", "L2", "MEM"};
    double loads = per_pass(row, name), sum = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++)
        sum += transfers(row, levels[i]);
    double remote = transfers(row, "DSMEM"); /* only where a program has clusters */
    sum += isfinite(remote) ? remote : 0;
    return isnan(loads) ? sum : loads;
}

static const struct {
    const char *name;
    size_t offset;
} members[] = {{"seconds", offsetof(struct dataset_row, seconds)},
               {"dynamic_j", offsetof(struct dataset_row, dynamic_j)},
               {"static_w", offsetof(struct dataset_row, static_w)},
               {"passes", offsetof(struct dataset_row, passes)}};

/* A name that ends in "." is a prefix: its function receives the rest of the name. */
static const struct {
    const char *name;
    double (*number)(const struct dataset_row *row, const char *name);
} computed[] = {{"accesses.", accesses},   {"op.", operations},    {"counter.", counted},
                {"parameter.", parameter}, {"cycles", own_cycles}, {"instructions", per_pass},
                {"loads", own_loads},      {"stores", per_pass},   {"temperature_c", own_hottest}};

double dataset_number(const struct dataset_row *row, const char *name)
{
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        if (strcmp(members[i].name, name) == 0) {
            double number;
            memcpy(&number, (const char *)row + members[i].offset, sizeof number);
            return number;
        }
    for (size_t i = 0; i < sizeof computed / sizeof computed[0]; i++) {
        size_t length = strlen(computed[i].name);
        bool prefix = computed[i].name[length - 1] == '.';
        if (strncmp(name, computed[i].name, length) == 0 && (prefix || name[length] == '\0'))
            return computed[i].number(row, prefix ? name + length : name);
    }
    double power = result_value(&row->point->power.values, name).value;
    return isnan(power) ? best_of(row->point, name) : power;
}

const char *dataset_text(const struct dataset_row *row, const char *name)
{
    return result_parameter_text(row->point, name);
}

double dataset_joules(const struct result_point *point, const struct result_values *energy_j)
{
    const struct manifest_words *from = &point->power.from;
    double sum = from->count > 0 ? 0 : NAN;
    for (size_t i = 0; i < from->count; i++)
        sum += result_value(energy_j, from->items[i]).value;
    return sum;
}

double dataset_error(struct interval interval)
{
    double width = interval.high - interval.low;
    return width > 0 ? width / WIDTH_IN_ERRORS : 0;
}

double dataset_idle_error(const struct result_point *point)
{
    return dataset_error(result_value(&point->power.values, "power.static_w"));
}

static size_t group_of(struct dataset *dataset, const char *recipe)
{
    for (size_t i = 0; i < dataset->group_count; i++)
        if (strcmp(dataset->groups[i], recipe) == 0)
            return i;
    dataset->groups = memory_resized(dataset->groups, dataset->group_count + 1, sizeof *dataset->groups);
    dataset->groups[dataset->group_count] = recipe;
    return dataset->group_count++;
}

/* From the point's present power channels. */
static void set_power(struct dataset_row *row)
{
    row->static_w = result_value(&row->point->power.values, "power.static_w").value;
    row->energy_j = dataset_joules(row->point, &row->rep->energy_j);
    row->dynamic_j = row->energy_j - row->static_w * row->seconds;
}

static void add_rep(struct dataset *dataset, const struct result_point *point, const struct result_rep *rep)
{
    dataset->rows = memory_resized(dataset->rows, dataset->count + 1, sizeof *dataset->rows);
    struct dataset_row *row = &dataset->rows[dataset->count++];
    dataset->all = dataset->count;
    *row = (struct dataset_row){.point = point, .rep = rep};
    row->group = group_of(dataset, point->recipe);
    row->passes = rep->iterations * (double)rep->copies;
    row->seconds = rep->seconds;
    set_power(row);
}

static void drop(const struct dataset *dataset, struct result_point *point)
{
    if (!dataset->borrows)
        result_point_free(point);
    free(point);
}

void dataset_add_point(struct dataset *dataset, const struct result_point *taken)
{
    struct result_point *point = memory_zeroed(1, sizeof *point);
    *point = *taken;
    if (point->error != NULL || point->rep_count == 0) {
        drop(dataset, point);
        return;
    }
    dataset->points = memory_next(dataset->points, dataset->point_count, sizeof(struct result_point *));
    dataset->points[dataset->point_count++] = point;
    for (size_t i = 0; i < point->rep_count; i++)
        add_rep(dataset, point, &point->reps[i]);
}

size_t dataset_point_end(const struct dataset *dataset, size_t from)
{
    size_t end = from;
    while (end < dataset->count && dataset->rows[end].point == dataset->rows[from].point)
        end++;
    return end;
}

/* ---- another channel ---- */

enum { NAMES_MOST = 64 };

/* The words that denote a domain in channels' labels. */
static const struct {
    const char *domain, *words[3];
} domains[] = {
    {"dram", {"dram", "ram"}},
    {"core", {"core", "cores", "pp0"}},
    {"package", {"package", "pkg"}},
    {"uncore", {"uncore"}},
    {"psys", {"psys"}},
    {"gpu", {"gpu"}},
};

/* Whether the text contains the word, with no letter or digit before it and no letter after it. */
static bool has_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
        if ((at == text || !isalnum((unsigned char)at[-1])) && !isalpha((unsigned char)at[length]))
            return true;
    return false;
}

/* The part of a label that names the channel itself: "dram" of "package-0/dram". */
static const char *own_label(const struct result_channel *channel)
{
    const char *label = channel->label == NULL ? channel->name : channel->label;
    const char *slash = strrchr(label, '/');
    return slash == NULL ? label : slash + 1;
}

static bool is_wanted(const struct result_channel *channel, const char *wanted)
{
    if (strcmp(channel->name, wanted) == 0 || (channel->label != NULL && strcmp(channel->label, wanted) == 0))
        return true;
    for (size_t i = 0; i < sizeof domains / sizeof domains[0]; i++)
        for (size_t j = 0; strcmp(domains[i].domain, wanted) == 0 && j < 3 && domains[i].words[j] != NULL;
             j++)
            if (has_word(own_label(channel), domains[i].words[j]))
                return true;
    return false;
}

static bool same_sensor(const char *a, const char *b)
{
    size_t length = strcspn(a, ":");
    return strncmp(a, b, length + 1) == 0;
}

/* Adds the channel's values to the sum of those before it: errors of different channels are independent. */
static void add_values(struct result_values *sum, const struct result_values *values, size_t before)
{
    for (size_t i = 0; i < sum->count; i++) {
        struct interval *to = &sum->items[i].interval;
        struct interval more = result_value(values, sum->items[i].name);
        double value = (before == 0 ? 0 : to->value) + more.value;
        double low = hypot(before == 0 ? 0 : to->value - to->low, more.value - more.low);
        double high = hypot(before == 0 ? 0 : to->high - to->value, more.high - more.value);
        *to = (struct interval){value, value - low, value + high, more.n};
    }
}

static enum status refuse(const struct result_point *point, const char *wanted, struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    struct buffer text = {0};
    for (size_t i = 0; i < point->power.channel_count && count + 1 < NAMES_MOST; i++) {
        names[count++] = point->power.channels[i].name;
        buffer_printf(&text, "%s%s (%s)", i == 0 ? "" : ", ", point->power.channels[i].name,
                      own_label(&point->power.channels[i]));
    }
    error_set(error, STATUS_USAGE, "%.160s has no power channel '%.80s'", dataset_name(point), wanted);
    if (count == 0)
        error_hint(error, "its results have no channels: run it with a power sensor (trauma sensors)");
    else
        suggest_hint(error, wanted, names, count, text.data);
    buffer_free(&text);
    return STATUS_USAGE;
}

static enum status choose(struct result_point *point, const char *wanted, struct error *error)
{
    struct result_power *power = &point->power;
    struct manifest_words from = {.items =
                                      arena_alloc(&point->arena, power->channel_count, sizeof *from.items)};
    const struct result_channel *first = NULL;
    for (size_t i = 0; i < power->channel_count; i++) {
        const struct result_channel *channel = &power->channels[i];
        if (!is_wanted(channel, wanted) || (first != NULL && !same_sensor(first->name, channel->name)))
            continue;
        first = first == NULL ? channel : first;
        if (from.count == 0) {
            power->values.items =
                arena_alloc(&point->arena, first->values.count, sizeof *power->values.items);
            power->values.count = first->values.count;
            memcpy(power->values.items, first->values.items,
                   first->values.count * sizeof *power->values.items);
        }
        add_values(&power->values, &channel->values, from.count);
        from.items[from.count++] = channel->name;
        if (channel->verdict != NULL && (from.count == 1 || strcmp(channel->verdict, "untrustworthy") == 0)) {
            power->verdict = channel->verdict;
            power->reason = channel->reason;
        }
    }
    if (from.count == 0)
        return refuse(point, wanted, error);
    power->from = from;
    power->inside.count = 0;
    return STATUS_OK;
}

enum status dataset_choose_channel(struct dataset *dataset, const char *wanted, struct model_result *result,
                                   struct error *error)
{
    bool recorded = false;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < dataset->point_count; i++) {
        struct result_point *point = dataset->points[i];
        if (!point->power.given)
            continue;
        status = choose(point, wanted, error);
        for (size_t j = 0; !recorded && j < point->power.from.count; j++)
            sentence_add(&result->channel, &result->arena, "%s", point->power.from.items[j]);
        recorded = true;
    }
    for (size_t i = 0; i < dataset->count; i++)
        set_power(&dataset->rows[i]);
    if (recorded)
        model_states(result, "channel");
    return status;
}

void dataset_free(struct dataset *dataset)
{
    for (size_t i = 0; i < dataset->point_count; i++)
        drop(dataset, dataset->points[i]);
    free(dataset->points);
    free(dataset->rows);
    free(dataset->groups);
    *dataset = (struct dataset){0};
}
