#include "model/data/saturation.h"

#include "base/memory.h"
#include "model/data/model_result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative tolerances: readings that agree within a meter's digits, and readings that are identical. */
static const double SAME = 1e-5, EXACT = 1e-7;

/* A mean this close to a meter's end may include clipped samples. */
static const double CLOSE = 0.01;

/* A meter's steps are at least this many times the rounding tolerance: any numbers have a smaller common
 * step. */
static const double LEAST_STEP = 10;

/* A meter shows noise if at most this share of its readings occurs twice. */
static const double TWICE = 0.1;
enum { LEAST_EXACT = 3 };

static double watts_of(const struct dataset_row *row)
{
    double measured = row->energy_j / row->seconds;
    return isfinite(measured) ? measured : row->dynamic_j / row->seconds + row->static_w;
}

/* Readings of the rows that the model uses. */
struct saturation_reading {
    double watts;
    const struct dataset_row *row;
};

static int by_watts(const void *a, const void *b)
{
    double x = ((const struct saturation_reading *)a)->watts;
    double y = ((const struct saturation_reading *)b)->watts;
    return (x > y) - (x < y);
}

/* The readings, sorted by watts; owned by the caller. */
static struct saturation_reading *read_all(const struct dataset *dataset, model_label *label, size_t *count)
{
    char text[MODEL_LABEL_BYTES];
    struct saturation_reading *readings = memory_zeroed(dataset->count + 1, sizeof *readings);
    *count = 0;
    for (size_t i = 0; i < dataset->count; i++)
        if (isfinite(watts_of(&dataset->rows[i])) && label(&dataset->rows[i], text) != NULL)
            readings[(*count)++] =
                (struct saturation_reading){watts_of(&dataset->rows[i]), &dataset->rows[i]};
    qsort(readings, *count, sizeof *readings, by_watts);
    return readings;
}

/* How many readings are within the share `apart` of the highest. */
static size_t at_top(const struct saturation_reading *readings, size_t count, double apart)
{
    double most = count > 0 ? readings[count - 1].watts : NAN;
    size_t same = 0;
    while (same < count && readings[count - 1 - same].watts >= most - apart * fabs(most))
        same++;
    return same;
}

/* Whether the readings below the highest show noise: hardly any occurs twice. */
static bool shows_noise(const struct saturation_reading *readings, size_t below)
{
    size_t twice = 0;
    for (size_t i = 0; i < below; i++) {
        double room = EXACT * fabs(readings[i].watts);
        twice += (i > 0 && readings[i].watts - readings[i - 1].watts <= room) ||
                 (i + 1 < below && readings[i + 1].watts - readings[i].watts <= room);
    }
    return below >= LEAST_EXACT && (double)twice <= TWICE * (double)below;
}

/* Whether one of the readings took that many seconds. */
static bool has_length(const struct saturation_reading *readings, size_t count, double seconds)
{
    for (size_t i = 0; i < count; i++)
        if (fabs(readings[i].row->seconds - seconds) <= SAME * seconds)
            return true;
    return false;
}

/* The greatest number of which both are whole multiples, within room; 0: none. It is an exact fraction of a.
 */
static double common_step(double a, double b, double room)
{
    double common = a;
    for (double rest = b; rest > room;) {
        double next = fabs(common - rest * round(common / rest));
        common = rest;
        rest = next;
    }
    return common > LEAST_STEP * room ? a / round(a / common) : 0;
}

/* Whether the readings are multiples of a meter's step, so that equal ones may be chance. A mean of such
 * readings has smaller steps the longer it took: only readings as long as the highest are compared. */
static bool is_stepped(const struct saturation_reading *readings, size_t count, size_t top)
{
    const struct saturation_reading *highest = &readings[count - 1];
    double room = 2 * EXACT * fabs(highest->watts), step = 0;
    for (size_t i = 0; i < count; i++) {
        double apart = highest->watts - readings[i].watts;
        if (!(apart > room) || !has_length(readings + count - top, top, readings[i].row->seconds))
            continue;
        step = step > 0 ? common_step(apart, step, room) : apart;
        if (!(step > 0))
            return false;
    }
    return step > 0;
}

/* Whether all repetitions of a point, at least LEAST_EXACT, are among the highest. */
static bool has_whole_point(const struct saturation_reading *readings, size_t count, size_t top)
{
    for (size_t i = count - top; i < count; i++) {
        size_t here = 0;
        size_t all = 0;
        for (size_t j = 0; j < count; j++) {
            bool same = readings[j].row->point == readings[i].row->point;
            all += same;
            here += same && j >= count - top;
        }
        if (all == here && all >= LEAST_EXACT)
            return true;
    }
    return false;
}

/* The first two labels among the highest readings, with their numbers of repetitions. */
struct top_labels {
    char label[2][MODEL_LABEL_BYTES];
    size_t count[2];
};

static struct top_labels find_top_labels(const struct saturation_reading *readings, size_t count, size_t top,
                                         model_label *label)
{
    struct top_labels found = {0};
    for (size_t i = count - top; i < count; i++) {
        char text[MODEL_LABEL_BYTES];
        const char *name = label(readings[i].row, text);
        size_t at = found.count[0] > 0 && strcmp(found.label[0], name) != 0;
        if (found.count[at] > 0 && strcmp(found.label[at], name) != 0)
            continue;
        strncpy(found.label[at], name, MODEL_LABEL_BYTES - 1);
        found.count[at]++;
    }
    return found;
}

/* ---- exclusion ---- */

struct moved {
    model_label *label;
    bool by_point;
    struct saturation_reading *at_end; /* readings at the end of the range */
    size_t count;
};

static bool is_moved(const struct moved *moved, const struct dataset_row *row)
{
    char own[MODEL_LABEL_BYTES];
    char other[MODEL_LABEL_BYTES];
    const char *name = moved->label(row, own);
    for (size_t i = 0; name != NULL && i < moved->count; i++) {
        const struct dataset_row *end = moved->at_end[i].row;
        const char *reached = moved->by_point ? NULL : moved->label(end, other);
        if (end->point == row->point || (reached != NULL && strcmp(reached, name) == 0))
            return true;
    }
    return false;
}

/* Moves rows behind dataset->count; returns the number of their points. All rows are judged before any moves,
 * as the readings point to them. */
static size_t move(struct dataset *dataset, const struct moved *moved)
{
    struct dataset_row *aside = memory_zeroed(dataset->count + 1, sizeof *aside);
    bool *goes = memory_zeroed(dataset->count + 1, sizeof *goes);
    size_t kept = 0;
    size_t gone = 0;
    size_t points = 0;
    for (size_t i = 0; i < dataset->count; i++)
        goes[i] = is_moved(moved, &dataset->rows[i]);
    for (size_t i = 0; i < dataset->count; i++) {
        points += goes[i] && (gone == 0 || aside[gone - 1].point != dataset->rows[i].point);
        if (goes[i])
            aside[gone++] = dataset->rows[i];
        else
            dataset->rows[kept++] = dataset->rows[i];
    }
    if (gone > 0) /* results without a row have no array */
        memcpy(dataset->rows + kept, aside, gone * sizeof *aside);
    dataset->count = kept;
    free(aside);
    free(goes);
    return points;
}

static void report(const struct top_labels *top, double most, size_t points, struct model_result *result)
{
    model_leave_out(result, "saturated", points);
    if (top->count[1] > 0)
        model_note(result,
                   "the meter is saturated: %s and %s both read %.6g W, the highest value, in %zu and %zu "
                   "repetitions; %zu points that reach it are left out: choose a larger range",
                   top->label[0], top->label[1], most, top->count[0], top->count[1], points);
    else
        model_note(
            result,
            "the meter is saturated: %s reads %.6g W, the highest value, identical to the last digit in %zu "
            "repetitions, while others scatter; %zu points that reach it are left out: choose a larger range",
            top->label[0], most, top->count[0], points);
}

void saturation_leave_out(struct dataset *dataset, model_label *label, bool by_point,
                          struct model_result *result)
{
    size_t count;
    if (label == NULL)
        return;
    struct saturation_reading *readings = read_all(dataset, label, &count);
    size_t same = at_top(readings, count, SAME);
    size_t exact = at_top(readings, count, EXACT);
    struct top_labels top = find_top_labels(readings, count, same, label);
    bool unlike = top.count[0] >= 2 && top.count[1] >= 2;
    bool found = unlike || (exact >= LEAST_EXACT && shows_noise(readings, count - exact) &&
                            (!is_stepped(readings, count, exact) || has_whole_point(readings, count, exact)));
    if (found) {
        double most = readings[count - 1].watts;
        size_t close = at_top(readings, count, CLOSE);
        const struct moved moved = {label, by_point, readings + count - close, close};
        if (!unlike)
            top = find_top_labels(readings, count, exact, label);
        report(&top, most, move(dataset, &moved), result);
    }
    free(readings);
}
