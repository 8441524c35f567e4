#include "runner/devices/block_record.h"

#include "base/json.h"
#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* Upper limits: no multiprocessor's clock is faster, and no timer pauses for more of its ticks; the slowest
 * timer counts milliseconds. */
static const double MOST_TICKS_A_NS = 100;
static const double MOST_TICKS_UNTIMED = 1e8;

/* Over all entries that worked. */
struct record_sums {
    const struct block_record_unit *units;
    size_t unit_count;
    size_t worked;
    double ticks, low, high, ns;
    uint64_t first_ns, last_ns;
    bool timed;
};

static enum status check(const struct block_record_entry *entry, size_t number, struct error *error)
{
    if (entry->worked > 1)
        return error_set(error, STATUS_FAILED, "block %zu wrote no record: it did not reach its end", number);
    if (entry->stop_ticks < entry->start_ticks || entry->stop_ns < entry->start_ns)
        return error_set(error, STATUS_FAILED,
                         "block %zu wrote that its loop ended %" PRIu64 " ticks and %" PRIu64
                         " ns before it began",
                         number, entry->start_ticks - entry->stop_ticks, entry->start_ns - entry->stop_ns);
    uint64_t ticks = entry->stop_ticks - entry->start_ticks;
    uint64_t ns = entry->stop_ns - entry->start_ns;
    double most = (double)ns * MOST_TICKS_A_NS + MOST_TICKS_UNTIMED;
    if (entry->worked == 1 && entry->stop_ns != 0 && (double)ticks > most)
        return error_set(error, STATUS_FAILED,
                         "block %zu wrote that its loop took %" PRIu64 " ticks in %" PRIu64
                         " ns: no clock ticks as often",
                         number, ticks, ns);
    return STATUS_OK;
}

/* "se0.sh0.cu3". */
static void name_place(const struct record_sums *sums, uint64_t place, char name[NAME_BYTES])
{
    size_t used = 0;
    for (size_t i = 0; i < sums->unit_count && used < NAME_BYTES; i++) {
        uint64_t number = place >> sums->units[i].low & ((UINT64_C(1) << sums->units[i].size) - 1);
        used += (size_t)snprintf(name + used, NAME_BYTES - used, "%s%s%" PRIu64, used == 0 ? "" : ".",
                                 sums->units[i].name, number);
    }
}

static void add_place(const struct record_sums *sums, uint64_t place, json_t *places)
{
    char name[NAME_BYTES];
    if (sums->unit_count == 0)
        return;
    name_place(sums, place, name);
    json_object_set_new(places, name, json_integer((json_int_t)json_number_or(places, name, 0) + 1));
}

static void add_entry(const struct block_record_entry *entry, struct record_sums *sums, json_t *places)
{
    double ticks = (double)(entry->stop_ticks - entry->start_ticks);
    add_place(sums, entry->sum >> 32 << 32 | entry->place, places);
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
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* In the order of the places, so that equal runs give equal results. Takes the reference. */
static json_t *in_order(json_t *places)
{
    size_t count = json_object_size(places);
    const char **names = memory_zeroed(count + 1, sizeof *names);
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

json_t *block_record_summarize(const struct block_record_entry *entries, size_t blocks,
                               const struct block_record_unit *units, size_t unit_count, struct error *error)
{
    struct record_sums sums = {
        .units = units, .unit_count = unit_count, .low = INFINITY, .first_ns = UINT64_MAX, .timed = true};
    json_t *places = json_object();
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < blocks; i++) {
        status = check(&entries[i], i, error);
        if (status == STATUS_OK && entries[i].worked == 1)
            add_entry(&entries[i], &sums, places);
    }
    if (status == STATUS_OK && sums.worked == 0) {
        status =
            error_set(error, STATUS_UNAVAILABLE, "none of the %zu blocks ran at the requested place", blocks);
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

enum { PLACE_BYTES = 24 };

/* A metric that the manifest requests, targets first; NULL after the last. */
static const char *wanted_at(const struct manifest *manifest, size_t index)
{
    if (index < manifest->targets.count)
        return manifest->targets.items[index].metric;
    index -= manifest->targets.count;
    return index < manifest->expect_count ? manifest->expect[index].metric : NULL;
}

/* The place of a metric "place.sm12.share": "sm12". False for another metric. */
static bool place_of(const char *metric, const char *const *units, char place[PLACE_BYTES])
{
    static const char lead[] = "place.";
    const char *at = metric + sizeof lead - 1;
    if (strncmp(metric, lead, sizeof lead - 1) != 0)
        return false;
    for (; *units != NULL; units++) {
        size_t unit = strlen(*units);
        size_t digits = strncmp(at, *units, unit) == 0 ? strspn(at + unit, "0123456789") : 0;
        if (digits > 0 && unit + digits < PLACE_BYTES && strcmp(at + unit + digits, ".share") == 0) {
            snprintf(place, PLACE_BYTES, "%.*s", (int)(unit + digits), at);
            return true;
        }
    }
    return false;
}

bool block_record_is_requested(const struct manifest *manifest, const char *const *units)
{
    char place[PLACE_BYTES];
    bool asked = false;
    for (size_t i = 0; units[i] != NULL; i++) {
        const struct manifest_units *named = manifest_units(manifest, units[i]);
        asked = asked || (named != NULL && named->count > 0);
    }
    for (size_t i = 0; wanted_at(manifest, i) != NULL; i++)
        asked = asked || place_of(wanted_at(manifest, i), units, place);
    return asked;
}

/* True if "se0.sh0.cu3" contains the part "cu3". */
static bool is_part(const char *name, const char *place)
{
    size_t length = strlen(place);
    for (; *name != '\0'; name += strcspn(name, "."), name += *name == '.')
        if (strcspn(name, ".") == length && memcmp(name, place, length) == 0)
            return true;
    return false;
}

/* The share of the working blocks that ran there. */
static void observe_place(const json_t *summary, const char *metric, const char *place,
                          struct observations *list)
{
    double worked = json_number_or(summary, "worked", 0);
    double there = 0;
    const char *name;
    json_t *blocks;
    json_object_foreach(json_object_get(summary, "places"), name, blocks) there +=
        is_part(name, place) ? json_number_value(blocks) : 0;
    double share = there / worked;
    if (worked > 0 && observations_find(list, metric, "record") == NULL)
        observations_add(list, metric, "record", EVIDENCE_MEASURED, share, share, share, worked);
}

static void observe_named(const json_t *summary, const struct manifest *manifest, const char *unit,
                          struct observations *list)
{
    const struct manifest_units *named = manifest_units(manifest, unit);
    for (size_t i = 0; named != NULL && i < named->count; i++) {
        char metric[METRIC_BYTES];
        char place[PLACE_BYTES];
        snprintf(place, sizeof place, "%.2s%lld", unit, named->numbers[i]);
        snprintf(metric, sizeof metric, "place.%s.share", place);
        observe_place(summary, metric, place, list);
    }
}

void block_record_observe(const json_t *summary, const struct manifest *manifest, const char *const *units,
                          struct observations *list)
{
    if (json_object_size(json_object_get(summary, "places")) == 0)
        return; /* it reported none */
    for (size_t i = 0; units[i] != NULL; i++)
        observe_named(summary, manifest, units[i], list);
    for (size_t i = 0; wanted_at(manifest, i) != NULL; i++) {
        char place[PLACE_BYTES];
        if (place_of(wanted_at(manifest, i), units, place))
            observe_place(summary, wanted_at(manifest, i), place, list);
    }
}
