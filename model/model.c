#include "model/model.h"

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text/suggest.h"
#include "model/data/counters.h"
#include "model/data/dataset.h"
#include "model/data/model_result.h"
#include "model/data/point_clock.h"
#include "model/data/pooled.h"
#include "model/data/setting.h"
#include "model/fitting/algebra.h"
#include "model/fitting/form.h"
#include "model/fitting/spread.h"
#include "model/fitting/validation.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 64 };

/* ---- rows that all models leave out ---- */

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

/* Whether a warning that contains the words was recorded while the point ran. */
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

/* coolings: only a missed clock counts, as its changes during the run do not affect the cooling that follows.
 */
static bool is_off_clock(const struct dataset_row *row, bool coolings, char *reason)
{
    if (clock_missed(row)) {
        snprintf(reason, REASON_BYTES, "%.4g GHz instead of the requested %.4g GHz", clock_observed(row),
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

/* Whether the measurement is new; records it. Duplicates arise when shards are given beside the file that
 * they were merged into, or when a file is named twice. */
static bool is_new(struct measured_points *known, const struct result_point *point)
{
    size_t at = fingerprint(point) & known->mask;
    for (; known->slots[at] != NULL; at = (at + 1) & known->mask)
        if (result_point_again(known->slots[at], point))
            return false;
    known->slots[at] = point;
    return true;
}

/* ---- all of them ---- */

struct left_out_tally {
    size_t points;
    const struct result_point *last;
    char first[REASON_BYTES + 128];
};

static void count_left_out(struct left_out_tally *tally, const struct dataset_row *row, const char *reason)
{
    if (tally->last == row->point)
        return;
    tally->last = row->point;
    if (tally->points++ == 0)
        snprintf(tally->first, sizeof tally->first, "%.120s%s%.1000s", row->point->name,
                 reason[0] == '\0' ? "" : ": ", reason);
}

static void report_left_out(const struct left_out_tally *tallies, size_t all, struct model_result *result)
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

/* Moves unusable rows behind dataset->count, where dataset->all still includes them; removes duplicates
 * entirely. coolings: the model uses the time after the runs, so that only a wrong clock and duplicates
 * matter. Adds a note and the number of points to the result for each reason. */
static void leave_out(struct dataset *dataset, bool coolings, struct model_result *result)
{
    struct left_out_tally tallies[WHYS] = {{0}};
    struct measured_points known;
    struct dataset_row *aside = memory_zeroed(dataset->count + 1, sizeof *aside);
    const struct result_point *last = NULL;
    bool fresh = true;
    size_t kept = 0;
    size_t moved = 0;
    size_t points = 0;
    for (known.mask = 3; known.mask < 2 * dataset->count; known.mask = 2 * known.mask + 1)
        ;
    known.slots = memory_zeroed(known.mask + 1, sizeof *known.slots);
    for (size_t i = 0; i < dataset->count; i++) {
        const struct dataset_row row = dataset->rows[i];
        char reason[REASON_BYTES] = "";
        if (row.point != last) {
            fresh = is_new(&known, row.point);
            points++;
        }
        last = row.point;
        enum why why = fresh ? judge(&row, coolings, reason) : WHY_TWICE;
        if (why == WHY_NOT)
            dataset->rows[kept++] = row;
        else
            count_left_out(&tallies[why], &row, reason);
        if (why != WHY_NOT && why != WHY_TWICE)
            aside[moved++] = row;
    }
    if (moved > 0) /* results without a row have no array */
        memcpy(dataset->rows + kept, aside, moved * sizeof *aside);
    dataset->count = kept;
    dataset->all = kept + moved;
    free(aside);
    free(known.slots);
    report_left_out(tallies, points, result);
}

/* ---- trends within points ---- */

/* The fewest points, and repetitions of a point, that a trend is inferred from. */
enum { LEAST_POINTS = 6, LEAST_REPS = 3 };

/* A significant trend, in standard errors: by chance one of some 10,000 models with twenty points has it. */
static const double SIGNIFICANT = 5;

/* Smaller shares of change over the whole range hardly exceed the intervals. */
static const double MATTERS = 0.01;

/* The accuracy of thermometers: a smaller range of temperatures is none. */
static const double WARMER_C = 1;

/* Leakage grows faster at higher temperatures: its slope by at most this share per degree. */
static const double LEAKAGE_CURVES = 0.02;

/* Deviations from the means of their points, in the order of the rows. */
struct trend {
    size_t rows, points;
    double *x, *y;
    size_t *cluster;
    double low, high; /* of the temperature, or of the order */
    double w, ww;     /* sums over the points: their power, and its square */
    double a, wa;     /* their mean temperature or order, and its product with the power */
};

static double dynamic_w(const struct dataset_row *row)
{
    return row->dynamic_j / row->seconds;
}

static double order_of(const struct dataset_row *row)
{
    return (double)(row->rep - row->point->reps);
}

static double celsius_of(const struct dataset_row *row)
{
    return dataset_hottest(&row->rep->temperature_c);
}

/* Adds the repetitions of one point: their power against `at` (temperature or order), and against `at` times
 * the point's power. */
static void add_point(const struct dataset_row *rows, size_t count,
                      double (*at)(const struct dataset_row *row), struct trend *trend)
{
    double watts = 0, mean = 0;
    for (size_t i = 0; i < count; i++) {
        watts += dynamic_w(&rows[i]) / (double)count;
        mean += at(&rows[i]) / (double)count;
    }
    if (count < LEAST_REPS || !isfinite(watts) || !isfinite(mean) || !(watts > 0))
        return;
    for (size_t i = 0; i < count; i++) {
        double off = at(&rows[i]) - mean;
        trend->x[2 * trend->rows] = off;
        trend->x[2 * trend->rows + 1] = off * watts;
        trend->y[trend->rows] = dynamic_w(&rows[i]) - watts;
        trend->cluster[trend->rows++] = trend->points;
        trend->low = fmin(trend->low, at(&rows[i]));
        trend->high = fmax(trend->high, at(&rows[i]));
    }
    trend->points++;
    trend->w += watts;
    trend->ww += watts * watts;
    trend->a += mean;
    trend->wa += watts * mean;
}

/* How much warmer a point is per watt, K/W. */
static double warmer(const struct trend *trend)
{
    double n = (double)trend->points, about = trend->ww - trend->w * trend->w / n;
    return about > 0 ? (trend->wa - trend->w * trend->a / n) / about : 0;
}

/* The share by which power changes per unit of `at`; 0 when that is not significant, or too small over the
 * range of `at`. NAN: too few points, or a range of `at` below least_range. */
static double share_of(const struct dataset *dataset, double (*at)(const struct dataset_row *row),
                       double least_range, double curves)
{
    static const char *const names[] = {"idle", "dynamic"};
    struct trend trend = {.x = algebra_numbers(2 * dataset->count + 1),
                          .y = algebra_numbers(dataset->count + 1),
                          .cluster = memory_zeroed(dataset->count + 1, sizeof(size_t)),
                          .low = INFINITY,
                          .high = -INFINITY};
    for (size_t i = 0, next; i < dataset->count; i = next) {
        next = dataset_point_end(dataset, i);
        add_point(&dataset->rows[i], next - i, at, &trend);
    }
    const struct linear_data data = {trend.rows, 2, trend.x, trend.y, NULL, names};
    struct linear_fit fit;
    struct spread spread;
    struct error error;
    double share = trend.points >= LEAST_POINTS && trend.high - trend.low > least_range ? 0 : NAN;
    if (share == 0 && spread_fit(&data, trend.cluster, NULL, &fit, &spread, &error) == STATUS_OK &&
        fabs(fit.value[1]) >
            SIGNIFICANT * sqrt(spread.covariance[3]) + curves * fabs(fit.value[0] * warmer(&trend)) &&
        fabs(fit.value[1]) * (trend.high - trend.low) > MATTERS)
        share = fit.value[1];
    free(trend.x);
    free(trend.y);
    free(trend.cluster);
    return share;
}

/* Disbelieves the model (model_disbelieve) when dynamic power changes within points, by the same share in all
 * of them, with the hottest thermometer or, without one, with the order of the repetitions. A change that is
 * the same at every power is that of the idle level, which the idle intervals before and after contain. */
static void trend_judge(const struct dataset *dataset, struct model_result *result)
{
    double by_celsius = share_of(dataset, celsius_of, WARMER_C, LEAKAGE_CURVES);
    double by_order = isnan(by_celsius) ? share_of(dataset, order_of, 0, 0) : 0;
    if (fabs(by_celsius) > 0)
        model_disbelieve(
            result,
            "do not trust this model: energies change by %+.2g %% per degree of the chip's temperature, as "
            "the repetitions of each point show, and the model takes them to be constant",
            100 * by_celsius);
    if (fabs(by_order) > 0)
        model_disbelieve(
            result,
            "do not trust this model: energies change by %+.2g %% from one repetition to the next, and the "
            "model takes them to be constant",
            100 * by_order);
}

/* ---- physical limits ---- */

/* Total power may differ from energy over time by this share: a loop is measured without its ends. */
static const double CONTRADICTS = 0.05;

/* The same for a whole run from which a run of no passes has not been subtracted. */
static const double WITH_START = 0.5;

/* Power below idle by this share of idle exceeds a meter's noise. */
static const double BELOW_IDLE = 0.05;

static const char *name_of(const struct dataset_row *row)
{
    return dataset_name(row->point);
}

static enum status check_signs(const struct dataset_row *row, struct error *error)
{
    bool energy = row->energy_j < 0;
    if (!energy && !(row->static_w < 0))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%.200s: %s is %.4g %s, but cannot be below 0", name_of(row),
              energy ? "the energy of a repetition" : "power.static_w",
              energy ? row->energy_j : row->static_w, energy ? "J" : "W");
    error_hint(error, "the wires of the meter or the shunt are swapped, or a counter wrapped");
    return STATUS_USAGE;
}

/* The rows of one point. */
static enum status check_total(const struct dataset_row *rows, size_t count, struct error *error)
{
    struct interval total = result_value(&rows[0].point->power.values, "power.total_w");
    double value = total.value;
    double low = INFINITY;
    double high = -INFINITY;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double watts = rows[i].energy_j / rows[i].seconds;
        low = fmin(low, watts);
        high = fmax(high, watts);
        sum += watts;
    }
    double room = (rows[0].point->started ? WITH_START : CONTRADICTS) * fabs(value);
    double least = fmin(total.low, value) - room;
    double most = fmax(total.high, value) + room;
    if (!isfinite(sum) || !isfinite(value) || (high >= least && low <= most))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%.200s: its energy over its time is %.4g W, but power.total_w is %.4g W",
              name_of(rows), sum / (double)count, value);
    error_hint(
        error,
        "is energy_j in joules (not millijoules or watt hours), and does seconds cover the same time?");
    return STATUS_USAGE;
}

static enum status check_idle(size_t points, size_t below, const struct dataset_row *worst,
                              struct error *error)
{
    if (2 * below <= points || worst == NULL)
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "%zu of %zu points draw less than when idle: %.200s %.4g W, idle %.4g W",
              below, points, name_of(worst), worst->energy_j / worst->seconds, worst->static_w);
    error_hint(error, "is energy_j in joules and from the same channels as power.static_w? is the idle level "
                      "that of the same machine at the same clock?");
    return STATUS_USAGE;
}

/* STATUS_USAGE, with the likely cause, when an energy or an idle level is negative, when a point's energies
 * differ from its power.total_w times its time, or when most points draw less than their own idle level. */
static enum status possible_energies(const struct dataset *dataset, struct error *error)
{
    const struct dataset_row *worst = NULL;
    enum status status = STATUS_OK;
    size_t points = 0;
    size_t below = 0;
    for (size_t i = 0, next; status == STATUS_OK && i < dataset->count; i = next) {
        const struct dataset_row *row = &dataset->rows[i];
        next = dataset_point_end(dataset, i);
        for (size_t j = i; status == STATUS_OK && j < next; j++)
            status = check_signs(&dataset->rows[j], error);
        if (status == STATUS_OK)
            status = check_total(row, next - i, error);
        points += isfinite(row->dynamic_j) != 0;
        if (row->dynamic_j < -BELOW_IDLE * row->static_w * row->seconds) {
            worst = row;
            below++;
        }
    }
    return status == STATUS_OK ? check_idle(points, below, worst, error) : status;
}

/* STATUS_USAGE, with the likely cause, when a coefficient that the bounds declare non-negative has an
 * interval wholly below 0. bounds: a NULL name ends them; NULL: none. */
static enum status possible_coefficients(const struct model_bound *bounds, const struct model_result *result,
                                         struct error *error)
{
    for (size_t i = 0; i < result->coefficient_count; i++) {
        const struct model_coefficient *kept = &result->coefficients[i];
        for (const struct model_bound *bound = bounds; bound != NULL && bound->name != NULL; bound++) {
            if (!model_matches(bound->name, kept->name) || !(kept->at.high < 0))
                continue;
            error_set(error, STATUS_USAGE, "%s is fitted as %.4g [%.4g, %.4g] %s, but cannot be below 0",
                      kept->name, kept->at.value, kept->at.low, kept->at.high, kept->unit);
            error_hint(error, "%s", bound->cause);
            return STATUS_USAGE;
        }
    }
    return STATUS_OK;
}

/* Appends the notes on excluded points to the message, as these may be the missing ones. first: index of
 * their first note. */
static void add_left_out(const struct model_result *result, size_t first, struct error *error)
{
    for (size_t i = first; i < result->notes.count && i < first + result->left_out_count; i++) {
        size_t used = strlen(error->message);
        snprintf(error->message + used, sizeof error->message - used, "; %s", result->notes.items[i]);
    }
}

/* STATUS_USAGE when the counters of a point are impossible. A counter without a value is taken as 0. */
static enum status check_points(const struct dataset *dataset, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < dataset->count; i++) {
        const struct result_point *point = dataset->rows[i].point;
        const struct result_values *kept = &point->counters;
        if (i > 0 && point == dataset->rows[i - 1].point)
            continue;
        struct named_number *counters = memory_zeroed(kept->count + 1, sizeof *counters);
        for (size_t j = 0; j < kept->count; j++) {
            const struct interval *of = &kept->items[j].interval;
            counters[j] =
                (struct named_number){kept->items[j].name, of->n == 0 && isnan(of->value) ? 0 : of->value};
        }
        status = counters_check(&(struct named_numbers){counters, kept->count}, error);
        free(counters);
        if (status != STATUS_OK && error != NULL)
            error_prefix(error, "%.200s", dataset_name(point));
    }
    return status;
}

static enum status fit(const struct model *model, struct dataset *dataset,
                       const struct model_settings *settings, struct fitted *fitted,
                       struct model_result *result, struct error *error)
{
    size_t first = result->notes.count;
    model_make_own(model, result);
    leave_out(dataset, model->of_coolings, result);
    saturation_leave_out(dataset, model->label, model->ends_by_point, result);
    enum status status = model->of_coolings ? STATUS_OK : possible_energies(dataset, error);
    if (status == STATUS_OK)
        status = pooled_meters(dataset, error);
    if (status == STATUS_OK && !model->of_coolings)
        status = check_points(dataset, error);
    if (status == STATUS_OK)
        status = model->fit(dataset, settings, fitted, result, error);
    if (status == STATUS_OK && !fitted->tested)
        form_test(fitted, result);
    if (status == STATUS_OK && !model->of_coolings && !model->own_idle)
        trend_judge(dataset, result);
    if (status == STATUS_OK)
        status = possible_coefficients(model->bounds, result, error);
    if (status != STATUS_OK && error != NULL)
        add_left_out(result, first, error);
    return status;
}

void *model_make_own(const struct model *model, struct model_result *result)
{
    if (model->own_size == 0)
        return NULL;
    result->own = arena_alloc(&result->arena, 1, model->own_size);
    if (model->own_none != NULL)
        memcpy(result->own, model->own_none, model->own_size);
    return result->own;
}

enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, struct model_result *result, struct error *error)
{
    struct fitted fitted = {0};
    enum status status = fit(model, dataset, settings, &fitted, result, error);
    if (status == STATUS_OK)
        validation_set(&fitted, dataset, result);
    fitted_free(&fitted);
    return status;
}

enum status model_predict(const struct model *model, const struct model_result *fitted,
                          const struct named_numbers *counters, const struct model_settings *settings,
                          struct model_result *result, struct error *error)
{
    enum status status = counters_check(counters, error);
    if (status == STATUS_OK)
        status = model->predict(fitted, counters, settings, result, error);
    if (status != STATUS_OK)
        return status;
    const struct sentences own = result->disbelief;
    if (fitted->disbelief.count > 0)
        result->disbelief = (struct sentences){0};
    for (size_t i = 0; i < fitted->disbelief.count; i++)
        model_disbelieve(result, "%s", fitted->disbelief.items[i]);
    for (size_t i = 0; fitted->disbelief.count > 0 && i < own.count; i++)
        model_disbelieve(result, "%s", own.items[i]);
    result->simulated = fitted->simulated;
    if (result->simulated.given)
        model_states(result, "simulated");
    return STATUS_OK;
}

static enum status check_use(const struct model *model, const char *name, bool predicting,
                             struct error *error)
{
    const char *const *useless = predicting ? model->fit_only : model->predict_only;
    for (; useless != NULL && *useless != NULL; useless++) {
        if (!model_matches(*useless, name))
            continue;
        error_set(error, STATUS_USAGE, "the setting %.60s is not used when the model %s %s", name,
                  model->name,
                  predicting ? "predicts: it belongs to the fit" : "is fitted: it belongs to predict");
        error_hint(error, "leave it out, or give it to trauma %s", predicting ? "fit" : "predict");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 bool predicting, struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        names[count++] = row->name;
    for (size_t i = 0; i < settings->count; i++) {
        if (model_setting_row(model->settings, settings->items[i].name) != NULL) {
            enum status status = check_use(model, settings->items[i].name, predicting, error);
            if (status != STATUS_OK)
                return status;
            continue;
        }
        error_set(error, STATUS_USAGE, "the model %s has no setting '%s'", model->name,
                  settings->items[i].name);
        suggest_hint(error, settings->items[i].name, names, count, "trauma fit --help lists the settings");
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* A misspelling does not change digits: l3_hits is not taken for l2_hits. */
static bool has_same_digits(const char *a, const char *b)
{
    static const char digits[] = "0123456789";
    for (;;) {
        a += strcspn(a, digits);
        b += strcspn(b, digits);
        if (*a != *b || *a == '\0')
            return *a == *b;
        a++;
        b++;
    }
}

/* The setting whose name differs by a letter or two, in case, or in the separators of its words; NULL: none.
 */
static const char *nearly_setting(const struct model *model, const char *name)
{
    enum { SHORT = 4, LONG = 7 };
    char plain[NAMES_MOST];
    size_t length = strlen(name);
    if (length < SHORT || length >= sizeof plain)
        return NULL;
    for (size_t i = 0; i <= length; i++)
        plain[i] = name[i] == '-' || name[i] == '.' || name[i] == ' ' ? '_' : (char)tolower(name[i]);
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        if (has_same_digits(plain, row->name) &&
            suggest_distance(plain, row->name) <= (length < LONG ? 1 : 2))
            return row->name;
    return NULL;
}

enum status model_check_name(const struct model *model, const char *name, bool beside_settings,
                             struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    if (model_setting_row(model->settings, name) != NULL || counters_known(name))
        return STATUS_OK;
    const char *meant = nearly_setting(model, name);
    if (meant == NULL && !beside_settings)
        return STATUS_OK;
    for (const struct model_setting_row *row = model->settings; row != NULL && row->name != NULL; row++)
        names[count++] = row->name;
    error_set(error, STATUS_USAGE, "'%.60s' is no setting of the model %s, and no counter that a model takes",
              name, model->name);
    if (meant != NULL)
        error_hint(error, "did you mean '%s'?", meant);
    else
        suggest_hint(error, name, names, count,
                     "leave it out; trauma fit --explain MODEL lists the settings");
    return STATUS_USAGE;
}
