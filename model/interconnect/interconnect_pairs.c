/* Pairs samples of the model "interconnect" that differ only in distance, and scales their power to one rate.
 */
#include "base/json.h"
#include "base/memory.h"
#include "model/fitting/squeeze.h"
#include "model/interconnect/interconnect.h"

#include <math.h>
#include <stdlib.h>

/* The paper's two programs "have identical computational and data access rates" (section V.A). */
static const double SAME_RATE = 0.01;

/* The accuracy of measured toggle rates. */
static const double SAME_TOGGLE = 0.01;

static bool has_partner(const struct interconnect_samples *samples, size_t which)
{
    const struct interconnect_sample *sample = &samples->items[which];
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].condition == sample->condition &&
            samples->items[i].distance != sample->distance)
            return true;
    return false;
}

static enum status keep_partners(struct interconnect_samples *samples, struct error *error)
{
    size_t kept = 0;
    bool *good = memory_zeroed(samples->count + 1, sizeof *good);
    for (size_t i = 0; i < samples->count; i++)
        good[i] = has_partner(samples, i);
    for (size_t i = 0; i < samples->count; i++) {
        bool last = i + 1 == samples->count || samples->items[i + 1].point != samples->items[i].point;
        samples->alone += !good[i] && last;
        if (good[i])
            samples->items[kept++] = samples->items[i];
    }
    free(good);
    samples->count = kept;
    if (kept > 0)
        return STATUS_OK;
    error_set(error, STATUS_USAGE,
              "no two points differ in distance only: %zu points have no partner, %zu repetitions have no "
              "dynamic energy",
              samples->alone, samples->without_energy);
    error_hint(error, "run the short and the long path with everything else the same, on a machine with a "
                      "power sensor (trauma sensors)");
    return STATUS_USAGE;
}

/* Refuses paths that move data at different rates: then the power that they have in common does not cancel.
 */
static enum status check_rates(const struct interconnect_samples *samples, struct error *error)
{
    struct interconnect_samples means = interconnect_means(samples);
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < means.count; i++)
        for (size_t j = 0; status == STATUS_OK && j < i; j++) {
            const struct interconnect_sample *a = &means.items[j];
            const struct interconnect_sample *b = &means.items[i];
            double off = fabs(b->share / a->share - 1);
            if (a->condition != b->condition || off <= SAME_RATE)
                continue;
            status = error_set(error, STATUS_USAGE,
                               "%.160s and %.160s move data at rates %.2g %% apart, more than %g %%: their "
                               "difference in power does not come from the distance alone",
                               a->point->name, b->point->name, 100 * off, 100 * SAME_RATE);
            error_hint(error, "keep more requests in flight, so that the longer path is no slower");
        }
    interconnect_free(&means);
    return status;
}

/* Refuses paths that move different data. */
static enum status check_toggles(const struct interconnect_samples *samples, struct error *error)
{
    for (size_t i = 0; i < samples->count; i++)
        for (size_t j = 0; j < i; j++) {
            const struct interconnect_sample *a = &samples->items[j];
            const struct interconnect_sample *b = &samples->items[i];
            if (a->condition != b->condition || fabs(a->toggle - b->toggle) <= SAME_TOGGLE)
                continue;
            error_set(error, STATUS_USAGE,
                      "%.160s toggles %.3g of its bits and %.160s %.3g, and no parameter distinguishes them: "
                      "their difference in power does not come from the distance alone",
                      a->point->name, a->toggle, b->point->name, b->toggle);
            error_hint(error, "give the data a parameter (pattern, toggle_rate), or fit each separately");
            return STATUS_USAGE;
        }
    return STATUS_OK;
}

/* The mean rate of the sample's condition. */
static double common_rate(const struct interconnect_samples *samples, size_t condition)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < samples->count; i++)
        if (samples->items[i].condition == condition) {
            sum += samples->items[i].share;
            count++;
        }
    return sum / (double)count;
}

/* The exponent of the rate in power: the slope of their logarithms among the points of each loop, 0 to 1.
 * NAN: the rates hardly differ. */
static double follows_rate(const struct interconnect_samples *samples)
{
    double along = 0, about = 0;
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *own = &samples->items[i];
        double share = 0, watts = 0, count = 0;
        for (size_t j = 0; j < samples->count; j++) {
            const struct interconnect_sample *other = &samples->items[j];
            if (other->rated != own->rated || !(other->watts > 0))
                continue;
            share += log(other->share);
            watts += log(other->watts);
            count++;
        }
        if (!(own->watts > 0))
            continue;
        double off = log(own->share) - share / count;
        along += off * (log(own->watts) - watts / count);
        about += off * off;
    }
    bool differ = about > SAME_RATE * (double)samples->count;
    return differ ? fmin(1, fmax(0, along / about)) : NAN;
}

/* Scales power to the condition's mean rate by follows_rate: the base power is some twenty times the effect
 * of distance, so that a remaining difference in rate would look like distance. If the exponent is unknown,
 * it is taken as 1, and the change of power is kept as an uncertainty (levelled_w). */
static void level_rates(struct interconnect_samples *samples)
{
    double *ratio = memory_zeroed(samples->count + 1, sizeof *ratio);
    double follows = follows_rate(samples);
    samples->follows_rate = follows;
    for (size_t i = 0; i < samples->count; i++)
        ratio[i] = common_rate(samples, samples->items[i].condition) / samples->items[i].share;
    for (size_t i = 0; i < samples->count; i++) {
        struct interconnect_sample *sample = &samples->items[i];
        sample->levelled_w = isnan(follows) ? (ratio[i] - 1) * sample->watts : 0;
        sample->watts *= pow(ratio[i], isnan(follows) ? 1 : follows);
        sample->share *= ratio[i];
        sample->bytes_s *= ratio[i];
        samples->levelled = fmax(samples->levelled, fabs(ratio[i] - 1));
    }
    free(ratio);
}

enum status interconnect_keep_pairs(struct interconnect_samples *samples, struct error *error)
{
    enum status status = keep_partners(samples, error);
    if (status == STATUS_OK)
        status = check_toggles(samples, error);
    if (status == STATUS_OK)
        status = check_rates(samples, error);
    if (status == STATUS_OK)
        level_rates(samples);
    return status;
}

struct interconnect_samples interconnect_means(const struct interconnect_samples *samples)
{
    struct interconnect_samples means = *samples;
    means.count = 0;
    means.items = memory_zeroed(samples->count + 1, sizeof *means.items);
    for (size_t i = 0; i < samples->count; i++) {
        const struct interconnect_sample *one = &samples->items[i];
        struct interconnect_sample *mean = means.count > 0 ? &means.items[means.count - 1] : NULL;
        if (mean == NULL || mean->point != one->point) {
            means.items[means.count++] = *one;
            continue;
        }
        double weight = 1 / (double)++mean->reps;
        mean->watts += weight * (one->watts - mean->watts);
        mean->levelled_w += weight * (one->levelled_w - mean->levelled_w);
        mean->static_w += weight * (one->static_w - mean->static_w);
        mean->share += weight * (one->share - mean->share);
        mean->bytes_s += weight * (one->bytes_s - mean->bytes_s);
        mean->celsius += weight * (one->celsius - mean->celsius);
    }
    return means;
}

/* A repetition's power; if drift is known, without the part that depends on the chip's temperature. */
static double power_of(const struct interconnect_sample *sample, double drift)
{
    return sample->watts + (isnan(drift) ? 0 : sample->static_w - drift * sample->celsius);
}

/* A variance with this many degrees of freedom counts as known. */
static const double KNOWN = 1000;

double interconnect_set_variances(const struct interconnect_samples *all, struct interconnect_samples *means,
                                  double drift)
{
    struct squeeze_variance *variances = memory_zeroed(means->count + 1, sizeof *variances);
    double own = 0, over = 0;
    for (size_t i = 0; i < means->count; i++) {
        const struct interconnect_sample *mean = &means->items[i];
        double squares = 0, left = (double)mean->reps - 1;
        for (size_t j = 0; j < all->count; j++)
            if (all->items[j].point == mean->point)
                squares += pow(power_of(&all->items[j], drift) - power_of(mean, drift), 2);
        variances[i] = (struct squeeze_variance){left > 0 ? squares / left : 0, left};
    }
    squeeze(variances, means->count);
    for (size_t i = 0; i < means->count; i++) {
        struct interconnect_sample *mean = &means->items[i];
        double idle_w = isnan(drift) ? dataset_idle_error(mean->point) : 0;
        double scatter = variances[i].variance / (double)mean->reps;
        mean->variance = scatter + pow(idle_w, 2) + pow(mean->levelled_w, 2) / 3;
        own += mean->variance;
        over += variances[i].freedom > 0 ? pow(scatter, 2) / variances[i].freedom : 0;
    }
    free(variances);
    return over > 0 ? fmin(KNOWN, own * own / over / (double)means->count) : KNOWN;
}

void interconnect_free(struct interconnect_samples *samples)
{
    free(samples->items);
    *samples = (struct interconnect_samples){0};
}
