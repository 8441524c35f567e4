#include "runner/launch/record.h"

#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of all entries that worked. */
struct sums {
    size_t worked;
    double ticks, low, high, ns;
    uint64_t first_ns, last_ns;
    bool timed;
};

static enum status check(const struct record_entry *entry, size_t number, struct error *error)
{
    if (entry->worked > 1)
        return error_set(error, STATUS_FAILED, "block %zu wrote no record: it did not come to its end",
                         number);
    if (entry->stop_ticks < entry->start_ticks || entry->stop_ns < entry->start_ns)
        return error_set(error, STATUS_FAILED,
                         "block %zu wrote that its loop ended %" PRIu64 " ticks and %" PRIu64
                         " ns before it began",
                         number, entry->start_ticks - entry->stop_ticks, entry->start_ns - entry->stop_ns);
    return STATUS_OK;
}

static void add_entry(const struct record_entry *entry, struct sums *sums, json_t *places)
{
    double ticks = (double)(entry->stop_ticks - entry->start_ticks);
    char place[16];
    snprintf(place, sizeof place, "%" PRIu32, entry->place);
    json_object_set_new(places, place, json_integer((json_int_t)json_number_or(places, place, 0) + 1));
    sums->worked++;
    sums->ticks += ticks;
    sums->low = fmin(sums->low, ticks);
    sums->high = fmax(sums->high, ticks);
    sums->ns += (double)(entry->stop_ns - entry->start_ns);
    sums->timed = sums->timed && entry->stop_ns != 0;
    sums->first_ns = entry->start_ns < sums->first_ns ? entry->start_ns : sums->first_ns;
    sums->last_ns = entry->stop_ns > sums->last_ns ? entry->stop_ns : sums->last_ns;
}

static int by_number(const void *a, const void *b)
{
    unsigned long x = strtoul(*(const char *const *)a, NULL, 10);
    unsigned long y = strtoul(*(const char *const *)b, NULL, 10);
    return (x > y) - (x < y);
}

/* In the order of the places, so that the same run reads the same. Takes the reference. */
static json_t *in_order(json_t *places)
{
    size_t count = json_object_size(places);
    const char **names = calloc(count + 1, sizeof *names);
    if (names == NULL)
        abort();
    const char *name;
    json_t *blocks;
    size_t i = 0;
    json_object_foreach(places, name, blocks) names[i++] = name;
    qsort(names, count, sizeof *names, by_number);
    json_t *sorted = json_object();
    for (i = 0; i < count; i++)
        json_object_set(sorted, names[i], json_object_get(places, names[i]));
    free(names);
    json_decref(places);
    return sorted;
}

json_t *record_summarize(const struct record_entry *entries, size_t blocks, struct error *error)
{
    struct sums sums = {.low = INFINITY, .first_ns = UINT64_MAX, .timed = true};
    json_t *places = json_object();
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < blocks; i++) {
        status = check(&entries[i], i, error);
        if (status == STATUS_OK && entries[i].worked == 1)
            add_entry(&entries[i], &sums, places);
    }
    if (status == STATUS_OK && sums.worked == 0) {
        status = error_set(error, STATUS_UNAVAILABLE, "none of the %zu blocks came to where it has to run",
                           blocks);
        error_hint(error, "the device lacks that place, or the grid has too few blocks to reach it");
    }
    if (status != STATUS_OK) {
        json_decref(places);
        return NULL;
    }
    json_t *summary = json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:o}", "blocks", (json_int_t)blocks, "worked", (json_int_t)sums.worked,
        "ticks", (json_int_t)llround(sums.ticks / (double)sums.worked), "ticks_low", (json_int_t)sums.low,
        "ticks_high", (json_int_t)sums.high, "places", in_order(places));
    if (sums.timed && sums.ns > 0) {
        json_object_set_new(summary, "seconds", json_real((double)(sums.last_ns - sums.first_ns) * 1e-9));
        json_object_set_new(summary, "clock_hz", json_real(sums.ticks / sums.ns * 1e9));
    }
    return summary;
}

static const char *const wanting[] = {"targets", "expect"};
enum { WANTING = sizeof wanting / sizeof wanting[0], PLACE_BYTES = 16 };

/* The place of a metric "place.sm12.share". False for another metric. */
static bool place_of(const char *metric, const char *unit, char place[PLACE_BYTES])
{
    static const char lead[] = "place.";
    size_t skip = sizeof lead - 1 + strlen(unit);
    if (strncmp(metric, lead, sizeof lead - 1) != 0 ||
        strncmp(metric + sizeof lead - 1, unit, strlen(unit)) != 0)
        return false;
    size_t digits = strspn(metric + skip, "0123456789");
    if (digits == 0 || digits >= PLACE_BYTES || strcmp(metric + skip + digits, ".share") != 0)
        return false;
    snprintf(place, PLACE_BYTES, "%.*s", (int)digits, metric + skip);
    return true;
}

bool record_is_asked(const json_t *manifest, const char *unit)
{
    char place[PLACE_BYTES];
    bool asked = json_array_size(json_object_get(json_object_get(manifest, "place"), unit)) > 0;
    for (size_t i = 0; i < WANTING; i++) {
        const char *metric;
        json_t *wanted;
        json_object_foreach(json_object_get(manifest, wanting[i]), metric, wanted) asked =
            asked || place_of(metric, unit, place);
    }
    return asked;
}

/* The share of the blocks that worked which did so there. */
static void observe_place(const json_t *summary, const char *metric, const char *place,
                          struct observations *list)
{
    double worked = json_number_or(summary, "worked", 0);
    double share = json_number_or(json_object_get(summary, "places"), place, 0) / worked;
    if (worked > 0 && observations_find(list, metric, "record") == NULL)
        observations_add(list, metric, "record", "measured", share, share, share, worked);
}

void record_observe(const json_t *summary, const json_t *manifest, const char *unit,
                    struct observations *list)
{
    const json_t *named = json_object_get(json_object_get(manifest, "place"), unit);
    char place[PLACE_BYTES];
    for (size_t i = 0; i < json_array_size(named); i++) {
        char metric[METRIC_BYTES];
        snprintf(place, sizeof place, "%" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(named, i)));
        snprintf(metric, sizeof metric, "place.%.8s%s.share", unit, place);
        observe_place(summary, metric, place, list);
    }
    for (size_t i = 0; i < WANTING; i++) {
        const char *metric;
        json_t *wanted;
        json_object_foreach(json_object_get(manifest, wanting[i]), metric, wanted)
        {
            if (place_of(metric, unit, place))
                observe_place(summary, metric, place, list);
        }
    }
}
