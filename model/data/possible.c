#include "model/data/possible.h"

#include "model/data/setting.h"

#include <math.h>
#include <string.h>

/* Tolerance: a loop is measured without its ends, so the whole may differ by this much. */
static const double CONTRADICTS = 0.05;

/* Tolerance for a whole run from which a run of no passes has not been subtracted. */
static const double WITH_START = 0.5;

/* Below idle by more than a meter's noise, as a share of idle. */
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

enum status possible_energies(const struct dataset *dataset, struct error *error)
{
    const struct dataset_row *worst = NULL;
    enum status status = STATUS_OK;
    size_t points = 0;
    size_t below = 0;
    for (size_t i = 0, next; status == STATUS_OK && i < dataset->count; i = next) {
        const struct dataset_row *row = &dataset->rows[i];
        for (next = i;
             status == STATUS_OK && next < dataset->count && dataset->rows[next].point == row->point; next++)
            status = check_signs(&dataset->rows[next], error);
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

enum status possible_coefficients(const struct model_bound *bounds, const struct model_result *result,
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
