#include "model/data/channel.h"

#include "base/buffer.h"
#include "base/text/suggest.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { NAMES_MOST = 64 };

/* Words of channels' labels, by domain. */
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

/* Whether the text has the word, between what is no letter. */
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

enum status channel_choose(struct dataset *dataset, const char *wanted, struct model_result *result,
                           struct error *error)
{
    bool told = false;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < dataset->point_count; i++) {
        struct result_point *point = dataset->points[i];
        if (!point->power.given)
            continue;
        status = choose(point, wanted, error);
        for (size_t j = 0; !told && j < point->power.from.count; j++)
            sentence_add(&result->channel, &result->arena, "%s", point->power.from.items[j]);
        told = true;
    }
    for (size_t i = 0; i < dataset->count; i++)
        dataset_set_power(&dataset->rows[i]);
    if (told)
        model_states(result, "channel");
    return status;
}
