#include "model/data/left_out.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/data/model_result.h"
#include "model/data/point_clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = 1024 };
enum why {
    WHY_NOT,
    WHY_TWICE,
    WHY_POWER,
    WHY_FAILED,
    WHY_THROTTLED,
    WHY_CLOCK,
    WHY_MOVED,
    WHY_OUTLIER,
    WHY_PACE,
    WHYS
};

static const struct {
    const char *key, *words; /* follows "3 points" */
} whys[WHYS] = {
    [WHY_TWICE] = {"twice", "are duplicates and count once"},
    [WHY_POWER] = {"untrustworthy", "are left out: their power cannot be trusted"},
    [WHY_FAILED] = {"failed", "are left out: one of their rates failed"},
    [WHY_THROTTLED] = {"throttled", "are left out: the processor was throttled"},
    [WHY_CLOCK] = {"clock", "are left out: their clock was more than 2 % off the requested one"},
    [WHY_MOVED] = {"moved", "are left out: their clock moved while they ran"},
    [WHY_PACE] = {"pace", "have repetitions at another clock than most, which are left out"},
    [WHY_OUTLIER] = {"outliers", "have outlier repetitions, which are left out"},
};

/* ---- one point ---- */

static bool is_untrusted(const struct result_point *point, char *reason)
{
    const struct result_power *power = &point->power;
    if (power->verdict == NULL || strcmp(power->verdict, "untrustworthy") != 0)
        return false;
    snprintf(reason, REASON_BYTES, "%.1000s", power->reason == NULL ? "no reason recorded" : power->reason);
    return true;
}

static bool has_failed(const struct result_point *point, char *reason)
{
    for (size_t i = 0; i < point->rates.count; i++) {
        if (point->rates.items[i].verdict != VERDICT_FAIL)
            continue;
        snprintf(reason, REASON_BYTES, "%.120s", point->rates.items[i].metric);
        return true;
    }
    return false;
}

/* Warnings recorded while the point ran. */
static bool was_warned(const struct result_point *point, const char *words, char *reason)
{
    for (size_t i = 0; i < point->warnings.count; i++) {
        if (strstr(point->warnings.items[i].what, words) == NULL)
            continue;
        snprintf(reason, REASON_BYTES, "%.1000s", point->warnings.items[i].what);
        return true;
    }
    return false;
}

/* A change of the clock around a point's run does not matter to the cooling that follows. */
static bool is_off_clock(const struct dataset_row *row, bool coolings, char *reason)
{
    if (clock_missed(row)) {
        snprintf(reason, REASON_BYTES, "%.4g GHz instead of the requested %.4g GHz", clock_seen(row),
                 clock_requested(row));
        return true;
    }
    return !coolings && was_warned(row->point, "the core's clock was", reason);
}

/* Turbo that ends and throttling that begins within a point change the energy of a pass. */
static enum why judge_pace(const struct dataset_row *row, char *reason)
{
    const struct result_point *point = row->point;
    double ratio;
    if (clock_moved(point)) {
        snprintf(reason, REASON_BYTES, "from %.4g to %.4g GHz", point->state.core.low,
                 point->state.core.high);
        return WHY_MOVED;
    }
    enum clock_pace pace = clock_pace(point, row->rep, &ratio);
    if (pace == PACE_STEADY)
        return WHY_NOT;
    if (pace == PACE_MOVING)
        snprintf(reason, REASON_BYTES,
                 "a pass takes up to %.3g times as long in one repetition as in another", ratio);
    else
        snprintf(reason, REASON_BYTES, "a pass of repetition %td takes %.3g times as long as in most",
                 row->rep - point->reps + 1, ratio);
    return pace == PACE_MOVING ? WHY_MOVED : WHY_PACE;
}

static enum why judge(const struct dataset_row *row, bool coolings, char *reason)
{
    if (!coolings && is_untrusted(row->point, reason))
        return WHY_POWER;
    if (!coolings && has_failed(row->point, reason))
        return WHY_FAILED;
    if (!coolings && was_warned(row->point, "throttled", reason))
        return WHY_THROTTLED;
    if (is_off_clock(row, coolings, reason))
        return WHY_CLOCK;
    reason[0] = '\0';
    if (coolings)
        return WHY_NOT;
    if (row->rep->outlier)
        return WHY_OUTLIER;
    return judge_pace(row, reason);
}

/* ---- duplicates ---- */

/* The points met so far, found by a hash of what they measured. */
struct measured_points {
    const struct result_point **slots; /* NULL: free */
    size_t mask;
};

static uint64_t fingerprint(const struct result_point *point)
{
    uint64_t hash = hash_name(point->name, strlen(point->name));
    for (size_t i = 0; i < point->rep_count; i++) {
        const double timed[] = {(double)hash, point->reps[i].ticks, point->reps[i].seconds,
                                point->reps[i].wall_s};
        hash ^= hash_name((const char *)timed, sizeof timed);
    }
    return hash;
}

static bool same_measurement(const struct result_point *a, const struct result_point *b)
{
    static const char *const keys[] = {"benchmark", "name",     "point", "program_hash",
                                       "per_pass",  "counters", "reps",  "idle_after"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *one = json_object_get(a->document, keys[i]);
        const json_t *other = json_object_get(b->document, keys[i]);
        if (one != other && !json_equal(one, other))
            return false;
    }
    return true;
}

/* True, and remembers the measurement, when it was not seen before. Duplicates come from shards given beside
 * the file that they were merged into, and from a file named twice. */
static bool is_new(struct measured_points *seen, const struct result_point *point)
{
    size_t at = fingerprint(point) & seen->mask;
    for (; seen->slots[at] != NULL; at = (at + 1) & seen->mask)
        if (same_measurement(seen->slots[at], point))
            return false;
    seen->slots[at] = point;
    return true;
}

/* ---- all of them ---- */

struct left_out_tally {
    size_t points;
    const struct result_point *last;
    char first[REASON_BYTES + 128];
};

static void count(struct left_out_tally *tally, const struct dataset_row *row, const char *reason)
{
    if (tally->last == row->point)
        return;
    tally->last = row->point;
    if (tally->points++ == 0)
        snprintf(tally->first, sizeof tally->first, "%.120s%s%.1000s", row->point->name,
                 reason[0] == '\0' ? "" : ": ", reason);
}

static void tell(const struct left_out_tally *tallies, size_t all, struct model_result *result)
{
    for (enum why why = WHY_NOT + 1; why < WHYS; why++) {
        if (tallies[why].points == 0)
            continue;
        model_note(result, "%zu of %zu points %s; for example %s", tallies[why].points, all, whys[why].words,
                   tallies[why].first);
    }
    for (enum why why = WHY_NOT + 1; why < WHYS; why++)
        if (tallies[why].points > 0)
            model_leave_out(result, whys[why].key, tallies[why].points);
}

void left_out_apply(struct dataset *dataset, bool coolings, struct model_result *result)
{
    struct left_out_tally tallies[WHYS] = {{0}};
    struct measured_points seen;
    struct dataset_row *aside = memory_zeroed(dataset->count + 1, sizeof *aside);
    const struct result_point *last = NULL;
    bool fresh = true;
    size_t kept = 0;
    size_t moved = 0;
    size_t points = 0;
    for (seen.mask = 3; seen.mask < 2 * dataset->count; seen.mask = 2 * seen.mask + 1)
        ;
    seen.slots = memory_zeroed(seen.mask + 1, sizeof *seen.slots);
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row row = dataset->rows[i];
        char reason[REASON_BYTES] = "";
        if (row.point != last) {
            fresh = is_new(&seen, row.point);
            points++;
        }
        last = row.point;
        enum why why = fresh ? judge(&row, coolings, reason) : WHY_TWICE;
        if (why == WHY_NOT)
            dataset->rows[kept++] = row;
        else
            count(&tallies[why], &row, reason);
        if (why != WHY_NOT && why != WHY_TWICE)
            aside[moved++] = row;
    }
    if (moved > 0) /* results without a row have no array */
        memcpy(dataset->rows + kept, aside, moved * sizeof *aside);
    dataset->count = kept;
    dataset->all = kept + moved;
    free(aside);
    free(seen.slots);
    tell(tallies, points, result);
}
