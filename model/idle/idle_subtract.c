#include "model/idle/idle_subtract.h"

#include "model/idle/idle.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

static enum status check_idle(const struct model_result *idle, struct error *error)
{
    const struct idle_own *own = idle == NULL ? NULL : idle->own;
    if (own != NULL && idle_is_fit(&own->idle))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "--idle: the file is not a model of idle power");
    error_hint(error, "trauma fit idle RESULTS.jsonl -o FILE makes one");
    return STATUS_USAGE;
}

/* The given voltage; if unknown (NAN), that of the state with that clock. */
static double volts_of(const struct idle_own *own, double volts, double ghz)
{
    const struct vf_state *state = vf_at(&own->vf, ghz);
    return isnan(volts) && state != NULL ? state->volts : volts;
}

/* Idle power, W. NAN: the voltage is unknown and the model has several. */
static double watts_at(const struct idle_fit *fit, double celsius, double volts)
{
    return fit->volts_half > 0 && !isfinite(volts) ? NAN : idle_at(fit, volts, celsius).value;
}

static enum status no_voltage(const char *name, struct error *error)
{
    error_set(error, STATUS_USAGE, "%.200s has no voltage, and idle power was measured at several", name);
    error_hint(error, "expected volts, or the ghz of one of the model's states");
    return STATUS_USAGE;
}

/* Repetitions outside the range of the idle model. */
struct beyond {
    size_t count;
    double low_c, high_c, low_v, high_v;
};

static void count_beyond(struct beyond *beyond, const struct idle_fit *fit, double celsius, double volts)
{
    if (!idle_is_beyond(fit, volts, celsius))
        return;
    beyond->low_c = beyond->count == 0 ? celsius : fmin(beyond->low_c, celsius);
    beyond->high_c = beyond->count == 0 ? celsius : fmax(beyond->high_c, celsius);
    beyond->low_v = beyond->count == 0 ? volts : fmin(beyond->low_v, volts);
    beyond->high_v = beyond->count == 0 ? volts : fmax(beyond->high_v, volts);
    beyond->count++;
}

static void report_beyond(const struct beyond *beyond, const struct idle_fit *fit,
                          struct model_result *result)
{
    if (beyond->count == 0)
        return;
    model_note(result,
               "extrapolated: the idle power of %zu repetitions at %.1f to %.1f C; --idle was measured from "
               "%.1f to %.1f C",
               beyond->count, beyond->low_c, beyond->high_c, fit->celsius_middle - fit->celsius_half,
               fit->celsius_middle + fit->celsius_half);
    if (fit->volts_half > 0)
        model_note(result, "these are at %.4g to %.4g V; --idle was measured at %.4g to %.4g V",
                   beyond->low_v, beyond->high_v, fit->volts_middle - fit->volts_half,
                   fit->volts_middle + fit->volts_half);
}

enum status idle_subtract(const struct model_result *idle, struct dataset *dataset,
                          struct model_result *result, struct error *error)
{
    struct beyond beyond = {0};
    size_t done = 0;
    double before = 0;
    double after = 0;
    enum status status = check_idle(idle, error);
    if (status != STATUS_OK)
        return status;
    const struct idle_own *own = idle->own;
    for (size_t i = 0; i < dataset->count; i++) {
        struct dataset_row *row = &dataset->rows[i];
        double celsius = dataset_number(row, "temperature_c");
        double watts = NAN;
        if (isfinite(celsius)) {
            double volts =
                volts_of(own, dataset_number(row, "parameter.volts"), dataset_number(row, "parameter.ghz"));
            watts = watts_at(&own->idle, celsius, volts);
            if (isnan(watts))
                return no_voltage(dataset_name(row->point), error);
            count_beyond(&beyond, &own->idle, celsius, volts);
            before += isfinite(row->static_w) ? row->static_w - watts : 0;
            after += watts;
            done++;
        }
        row->static_w = watts;
        row->dynamic_j = row->energy_j - watts * row->seconds;
    }
    if (done == 0) {
        error_set(error, STATUS_USAGE, "--idle: no repetition has a temperature");
        error_hint(error, "runs record the thermometers that trauma sensors lists");
        return STATUS_USAGE;
    }
    model_note(result,
               "idle power is taken by temperature: %.4g W on average over %zu repetitions, %.3g W below the "
               "level between runs; %zu without a temperature are left out",
               after / (double)done, done, before / (double)done, dataset->count - done);
    report_beyond(&beyond, &own->idle, result);
    return STATUS_OK;
}

enum status idle_subtract_counters(const struct model_result *idle, struct named_numbers *counters,
                                   struct sentences *notes, struct arena *arena, struct error *error)
{
    double celsius = named_number_value(counters, "temperature_c");
    enum status status = check_idle(idle, error);
    if (status != STATUS_OK)
        return status;
    const struct idle_own *own = idle->own;
    if (!isfinite(celsius)) {
        error_set(error, STATUS_USAGE, "--idle: the counters lack the temperature");
        error_hint(error, "expected temperature_c");
        return STATUS_USAGE;
    }
    double volts = volts_of(own, named_number_value(counters, "volts"), named_number_value(counters, "ghz"));
    double watts = watts_at(&own->idle, celsius, volts);
    if (isnan(watts))
        return no_voltage("the application", error);
    idle_note_beyond(&own->idle, volts, celsius, notes, arena);
    named_number_set(counters, arena, "static_w", watts);
    return STATUS_OK;
}
