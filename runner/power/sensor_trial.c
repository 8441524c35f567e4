#include "runner/power/sensor_trial.h"

#include "base/clock.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const double TRIAL_S = 1;
static const double SLOW_TRIAL_S = 5;
static const double LOOK_S = 0.005;

enum { NAMES_MOST = 3 };

/* Two channels report the same power if they changed this often and this share of their values agrees; not
 * all agree, because a value may change between the two readings. */
enum { LEAST_CHANGES = 2 };
static const double AGREE[SENSOR_QUANTITIES] = {[SENSOR_ENERGY] = 0.4, [SENSOR_POWER] = 0.75};

/* The trial's finding on a channel so far. */
enum trial_finding {
    NOT_YET,
    USABLE,
    NOT_USABLE,
    UNDECIDED, /* it sends too rarely */
};

static volatile uint64_t worked;

static void work(double seconds)
{
    enum { STEPS = 10000 };
    uint64_t x = worked;
    for (double until_s = clock_now_s() + seconds; clock_now_s() < until_s;)
        for (int i = 0; i < STEPS; i++)
            x = x * 6364136223846793005u + 1442695040888963407u;
    worked = x;
}

static enum trial_finding look(struct recorder *recorder, size_t meter, size_t channel, double seconds)
{
    const struct listed_sensor *from = &recorder_meters(recorder)->meters[meter];
    const struct sensor_channel *described = &from->channels[channel];
    double latest = recorder_latest(recorder, meter, channel);
    struct series_facts facts = recorder_look(recorder, meter, channel);
    if (recorder_lost(recorder, meter) != NULL)
        return NOT_USABLE;
    if (isfinite(latest) && (!sensor_measures_power(described) || isfinite(facts.resolution) ||
                             (described->may_stand && latest != 0)))
        return USABLE;
    if (seconds < TRIAL_S)
        return NOT_YET;
    if (from->period_s > 0 || isfinite(facts.spacing_s))
        return NOT_USABLE;
    return seconds < SLOW_TRIAL_S ? NOT_YET : UNDECIDED;
}

/* Whether the meter's total would add both channels, and they have changed alike so far. */
static bool is_mirror(struct recorder *recorder, size_t meter, size_t first, size_t second, double seconds)
{
    const struct sensor_channel *channels = recorder_meters(recorder)->meters[meter].channels;
    const struct sensor_channel *a = &channels[first], *b = &channels[second];
    if (!a->whole || !b->whole || a->quantity != b->quantity || !sensor_measures_power(a) ||
        !sensor_measures_power(b) || strcmp(a->pci, b->pci) != 0)
        return false;
    struct series_likeness likeness = recorder_compare(recorder, meter, first, second);
    return (likeness.changes < LEAST_CHANGES && seconds < TRIAL_S) ||
           (likeness.changes >= LEAST_CHANGES && likeness.share >= AGREE[a->quantity]);
}

/* True when all channels are decided. Channels that differ from each other show it soon; those that do not
 * are compared until the end of the trial. */
static bool is_over(struct recorder *recorder, double seconds)
{
    const struct sensor_list *meters = recorder_meters(recorder);
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            if (look(recorder, i, j, seconds) == NOT_YET)
                return false;
            for (size_t k = 0; k < j && seconds < TRIAL_S; k++)
                if (is_mirror(recorder, i, k, j, seconds))
                    return false;
        }
    return true;
}

static void drop_mirrors(struct recorder *recorder, size_t meter, double seconds)
{
    const struct listed_sensor *from = &recorder_meters(recorder)->meters[meter];
    char why[SENSOR_REASON_BYTES];
    for (size_t i = 1; i < from->count; i++)
        for (size_t j = 0; j < i; j++)
            if (is_mirror(recorder, meter, j, i, seconds)) {
                snprintf(why, sizeof why,
                         "it mirrors %s (%s): they move alike, and one power is not added twice",
                         from->channels[j].name, from->channels[j].label);
                recorder_drop(recorder, meter, i, why);
            }
}

static void drop(struct recorder *recorder, size_t meter, size_t channel, double seconds)
{
    const struct error *lost = recorder_lost(recorder, meter);
    char why[SENSOR_REASON_BYTES];
    if (lost != NULL)
        snprintf(why, sizeof why, "%.*s", (int)sizeof why - 1, lost->message);
    else if (isfinite(recorder_latest(recorder, meter, channel)))
        snprintf(why, sizeof why, "it did not change in %.1f s while a core worked", seconds);
    else
        snprintf(why, sizeof why, "it delivered no value in %.1f s", seconds);
    recorder_drop(recorder, meter, channel, why);
}

/* The first spare channel replaces whole ones that are not usable. */
static void replace_whole(const struct listed_sensor *meter)
{
    for (size_t i = 0; i < meter->count; i++) {
        struct sensor_channel *spare = &meter->channels[i];
        bool whole = false;
        for (size_t j = 0; j < meter->count; j++)
            whole = whole || (meter->channels[j].whole && strcmp(meter->channels[j].pci, spare->pci) == 0);
        spare->whole = spare->whole || (!whole && spare->spare && sensor_measures_power(spare));
    }
}

void sensor_trial(const struct sensor_list *meters, struct recorder *recorder)
{
    if (meters->count == 0)
        return;
    recorder_begin(recorder, NULL, 0);
    double begin_s = clock_now_s(), seconds = 0;
    while (!is_over(recorder, seconds)) {
        work(LOOK_S);
        seconds = clock_now_s() - begin_s;
    }
    for (size_t i = 0; i < meters->count; i++) {
        bool unusable[SENSOR_LIST_CHANNELS];
        for (size_t j = 0; j < meters->meters[i].count; j++)
            unusable[j] = look(recorder, i, j, seconds) == NOT_USABLE;
        for (size_t j = 0; j < meters->meters[i].count; j++)
            if (unusable[j])
                drop(recorder, i, j, seconds);
        if (seconds >= TRIAL_S)
            drop_mirrors(recorder, i, seconds);
        replace_whole(&meters->meters[i]);
    }
    recorder_end(recorder, clock_now_s());
}

/* ---- the outcome ---- */

/* Whether the channel is of a quantity that the sensor is for. */
static bool is_main(const struct listed_sensor *meter, size_t channel)
{
    enum sensor_quantity quantity = meter->channels[channel].quantity;
    return quantity == SENSOR_ENERGY || quantity == SENSOR_POWER || meter->sensor->rank == 0;
}

/* The first main channel if none of them is usable; else NULL. */
static const struct sensor_channel *first_unusable(const struct listed_sensor *meter)
{
    const struct sensor_channel *first = NULL;
    for (size_t i = meter->count; i > 0; i--) {
        if (is_main(meter, i - 1) && meter->channels[i - 1].why_not[0] == '\0')
            return NULL;
        first = is_main(meter, i - 1) ? &meter->channels[i - 1] : first;
    }
    return first;
}

enum status sensor_trial_usable(const struct listed_sensor *meter, const struct error *lost,
                                struct error *why_not)
{
    const struct sensor_channel *first = first_unusable(meter);
    if (first == NULL)
        return STATUS_OK;
    error_set(why_not, STATUS_UNAVAILABLE, "%s", first->why_not);
    if (lost != NULL && lost->message[0] != '\0')
        *why_not = *lost;
    return why_not->code;
}

static enum status refuse(const struct sensor_channel *channel, struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "%s (%s) is not usable: %s", channel->name, channel->label,
              channel->why_not);
    error_hint(error, "trauma sensors lists those that are; --power none measures none");
    return STATUS_UNAVAILABLE;
}

enum status sensor_trial_judge(const struct sensor_list *meters, struct error *why_none)
{
    bool none = sensor_list_power_channels(meters) == 0;
    for (size_t i = meters->count; i > 0; i--) {
        const struct listed_sensor *meter = &meters->meters[i - 1];
        const struct sensor_channel *unusable = first_unusable(meter);
        if (unusable == NULL || !(meter->named || (none && meter->sensor->rank > 0)))
            continue;
        enum status status = refuse(unusable, why_none);
        if (meter->named)
            return status;
    }
    return STATUS_OK;
}

/* Appends the channels with the same reason as `first`, which is the first of them, and the reason. */
static void describe_alike(const struct sensor_list *meters, const struct sensor_channel *first,
                           struct buffer *text)
{
    size_t count = 0;
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            const struct sensor_channel *channel = &meters->meters[i].channels[j];
            if (strcmp(channel->why_not, first->why_not) == 0 && count++ < NAMES_MOST)
                buffer_printf(text, "%s%s (%s)", count == 1 ? "" : ", ", channel->name, channel->label);
        }
    if (count > NAMES_MOST)
        buffer_printf(text, " and %zu more", count - NAMES_MOST);
    buffer_printf(text, ": %s", first->why_not);
}

/* True if an earlier channel has the same reason. */
static bool is_described(const struct sensor_list *meters, const struct sensor_channel *channel)
{
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            if (&meters->meters[i].channels[j] == channel)
                return false;
            if (strcmp(meters->meters[i].channels[j].why_not, channel->why_not) == 0)
                return true;
        }
    return false;
}

void sensor_trial_describe(const struct sensor_list *meters, struct buffer *text)
{
    for (size_t i = 0; i < meters->count; i++)
        for (size_t j = 0; j < meters->meters[i].count; j++) {
            const struct sensor_channel *channel = &meters->meters[i].channels[j];
            if (channel->why_not[0] == '\0' || is_described(meters, channel))
                continue;
            buffer_text(text, text->size == 0 ? "sensors that are not usable are not read: " : "; ");
            describe_alike(meters, channel, text);
        }
}
