#include "runner/devices/block_record.h"

#include "base/memory.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64 };

/* Upper limits: of a multiprocessor's ticks per nanosecond, and of its ticks from one update of the timer to
 * the next; the slowest timer counts milliseconds. */
static const double MOST_TICKS_A_NS = 100;
static const double MOST_TICKS_UNTIMED = 1e8;

/* Sums over all entries that worked. */
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

static void add_entry(const struct block_record_entry *entry, struct record_sums *sums, char name[NAME_BYTES])
{
    double ticks = (double)(entry->stop_ticks - entry->start_ticks);
    name_place(sums, entry->sum >> 32 << 32 | entry->place, name);
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
    return strverscmp(a, b);
}

/* Counts the blocks of each place, in the order of the places, so that equal runs have equal results. */
static void count_places(char (*names)[NAME_BYTES], size_t count, struct result_record *record)
{
    struct result_values *places = &record->places;
    qsort(names, count, sizeof *names, by_number);
    for (size_t i = 0; i < count; i++)
        if (i > 0 && strcmp(names[i - 1], names[i]) == 0)
            places->items[places->count - 1].interval.value++;
        else
            result_value_add(places, names[i], (struct interval){1, 1, 1, 1}, &record->arena);
}

struct result_record *block_record_summarize(const struct block_record_entry *entries, size_t blocks,
                                             const struct block_record_unit *units, size_t unit_count,
                                             struct error *error)
{
    struct record_sums sums = {
        .units = units, .unit_count = unit_count, .low = INFINITY, .first_ns = UINT64_MAX, .timed = true};
    char(*names)[NAME_BYTES] = memory_zeroed(blocks + 1, sizeof *names);
    struct result_record *record = NULL;
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < blocks; i++) {
        status = check(&entries[i], i, error);
        if (status == STATUS_OK && entries[i].worked == 1)
            add_entry(&entries[i], &sums, names[sums.worked]);
    }
    if (status == STATUS_OK && sums.worked == 0) {
        error_set(error, STATUS_UNAVAILABLE, "none of the %zu blocks ran at the requested place", blocks);
        error_hint(error, "the device lacks that place, or the grid has too few blocks to reach it");
    } else if (status == STATUS_OK) {
        bool timed = sums.timed && sums.ns > 0;
        record = memory_zeroed(1, sizeof *record);
        *record =
            (struct result_record){.blocks = (double)blocks,
                                   .worked = (double)sums.worked,
                                   .ticks = round(sums.ticks / (double)sums.worked),
                                   .ticks_low = sums.low,
                                   .ticks_high = sums.high,
                                   .seconds = timed ? (double)(sums.last_ns - sums.first_ns) * 1e-9 : NAN,
                                   .clock_hz = timed ? sums.ticks / sums.ns * 1e9 : NAN};
        if (unit_count > 0)
            count_places(names, sums.worked, record);
    }
    free(names);
    return record;
}

/* ---- beside other grids ---- */

struct block_record_span block_record_any(const struct block_record_entry *entries, size_t blocks)
{
    struct block_record_span span = {UINT64_MAX, 0};
    for (size_t i = 0; i < blocks; i++) {
        if (entries[i].worked != 1)
            continue;
        span.from_ns = entries[i].start_ns < span.from_ns ? entries[i].start_ns : span.from_ns;
        span.to_ns = entries[i].stop_ns > span.to_ns ? entries[i].stop_ns : span.to_ns;
    }
    return span.from_ns < span.to_ns ? span : (struct block_record_span){0, 0};
}

struct block_record_span block_record_all(const struct block_record_entry *entries, size_t blocks)
{
    struct block_record_span span = {0, UINT64_MAX};
    for (size_t i = 0; i < blocks; i++) {
        if (entries[i].worked != 1)
            continue;
        span.from_ns = entries[i].start_ns > span.from_ns ? entries[i].start_ns : span.from_ns;
        span.to_ns = entries[i].stop_ns < span.to_ns ? entries[i].stop_ns : span.to_ns;
    }
    return span.from_ns < span.to_ns && span.from_ns > 0 ? span : (struct block_record_span){0, 0};
}

double block_record_pass_ns(const struct block_record_entry *entries, size_t blocks, uint64_t passes)
{
    double ns = 0, worked = 0;
    for (size_t i = 0; i < blocks; i++) {
        if (entries[i].worked != 1)
            continue;
        ns += (double)(entries[i].stop_ns - entries[i].start_ns);
        worked++;
    }
    return worked > 0 && passes > 0 ? ns / worked / (double)passes : 0;
}

/* The share of the block's run that lies in the span. */
static double part_within(const struct block_record_entry *entry, struct block_record_span span)
{
    uint64_t from = entry->start_ns > span.from_ns ? entry->start_ns : span.from_ns;
    uint64_t to = entry->stop_ns < span.to_ns ? entry->stop_ns : span.to_ns;
    bool within = entry->worked == 1 && to > from;
    return within ? (double)(to - from) / (double)(entry->stop_ns - entry->start_ns) : 0;
}

struct result_copy block_record_within(const struct block_record_entry *entries, size_t blocks,
                                       struct block_record_span span, double clock_hz, uint64_t passes,
                                       double bytes_a_pass)
{
    struct block_record_span all = block_record_all(entries, blocks);
    struct result_copy copy = {.cpu = -1};
    double parts = 0, worked = 0;
    for (size_t i = 0; i < blocks; i++) {
        parts += part_within(&entries[i], span);
        worked += entries[i].worked == 1;
    }
    copy.blocks = worked;
    all.from_ns = all.from_ns > span.from_ns ? all.from_ns : span.from_ns;
    all.to_ns = all.to_ns < span.to_ns ? all.to_ns : span.to_ns;
    if (!(worked > 0) || all.to_ns <= all.from_ns)
        return copy;
    copy.start = llround((double)(all.from_ns - span.from_ns) * 1e-9 * clock_hz);
    copy.ticks = llround((double)(all.to_ns - all.from_ns) * 1e-9 * clock_hz);
    copy.iterations = llround((double)passes * parts / worked);
    copy.bytes = (double)passes * parts * bytes_a_pass;
    return copy;
}

/* ---- places ---- */

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
    bool requested = false;
    for (size_t i = 0; units[i] != NULL; i++) {
        const struct manifest_units *named = manifest_units(manifest, units[i]);
        requested = requested || (named != NULL && named->count > 0);
    }
    for (size_t i = 0; wanted_at(manifest, i) != NULL; i++)
        requested = requested || place_of(wanted_at(manifest, i), units, place);
    return requested;
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

/* Adds the share of the working blocks that ran at the place. */
static void observe_place(const struct result_record *record, const char *metric, const char *place,
                          struct observations *list)
{
    double there = 0;
    for (size_t i = 0; i < record->places.count; i++)
        there += is_part(record->places.items[i].name, place) ? record->places.items[i].interval.value : 0;
    double share = there / record->worked;
    if (record->worked > 0 && observations_find(list, metric, "record") == NULL)
        observations_add(list, metric, "record", EVIDENCE_MEASURED, share, share, share, record->worked);
}

static void observe_named(const struct result_record *record, const struct manifest *manifest,
                          const char *unit, struct observations *list)
{
    const struct manifest_units *named = manifest_units(manifest, unit);
    for (size_t i = 0; named != NULL && i < named->count; i++) {
        char metric[METRIC_BYTES];
        char place[PLACE_BYTES];
        snprintf(place, sizeof place, "%.2s%lld", unit, named->numbers[i]);
        snprintf(metric, sizeof metric, "place.%s.share", place);
        observe_place(record, metric, place, list);
    }
}

void block_record_observe(const struct result_record *record, const struct manifest *manifest,
                          const char *const *units, struct observations *list)
{
    if (record->places.count == 0)
        return; /* it reported none */
    for (size_t i = 0; units[i] != NULL; i++)
        observe_named(record, manifest, units[i], list);
    for (size_t i = 0; wanted_at(manifest, i) != NULL; i++) {
        char place[PLACE_BYTES];
        if (place_of(wanted_at(manifest, i), units, place))
            observe_place(record, wanted_at(manifest, i), place, list);
    }
}
