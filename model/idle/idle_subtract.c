#include "model/idle/idle_subtract.h"

#include "model/idle/idle.h"
#include "model/model.h"

#include <math.h>
#include <string.h>

struct leak {
    struct idle_fit fit;
    struct vf_table table;
};

static enum status read_idle(const struct model_result *idle, struct leak *leak, struct error *error)
{
    const struct idle_own *own = idle == NULL ? NULL : idle->own;
    if (own == NULL || !idle_is_fit(&own->idle)) {
        error_set(error, STATUS_USAGE, "--idle: the file is not a model of idle power");
        error_hint(error, "trauma fit idle RESULTS.jsonl -o FILE makes one");
        return STATUS_USAGE;
    }
    *leak = (struct leak){own->idle, own->vf};
    return STATUS_OK;
}

/* As given, else that of the state with that clock. */
static double volts_of(const struct leak *leak, double volts, double ghz)
{
    const struct vf_state *state = vf_at(&leak->table, ghz);
    return isnan(volts) && state != NULL ? state->volts : volts;
}

/* NAN: the voltage is unknown and the model has several. */
static double watts_at(const struct leak *leak, double celsius, double volts)
{
    return leak->fit.volts_half > 0 && !isfinite(volts) ? NAN : idle_at(&leak->fit, volts, celsius).value;
}

static enum status no_voltage(const char *name, struct error *error)
{
    error_set(error, STATUS_USAGE, "%.200s has no voltage, and idle power was measured at several", name);
    error_hint(error, "expected volts, or the ghz of one of the model's states");
    return STATUS_USAGE;
}

/* Repetitions outside the range that --idle was measured in. */
struct beyond {
    size_t count;
    double low_c, high_c, low_v, high_v;
};

static void see(struct beyond *beyond, const struct leak *leak, double celsius, double volts)
{
    if (!idle_is_beyond(&leak->fit, volts, celsius))
        return;
    beyond->low_c = beyond->count == 0 ? celsius : fmin(beyond->low_c, celsius);
    beyond->high_c = beyond->count == 0 ? celsius : fmax(beyond->high_c, celsius);
    beyond->low_v = beyond->count == 0 ? volts : fmin(beyond->low_v, volts);
    beyond->high_v = beyond->count == 0 ? volts : fmax(beyond->high_v, volts);
    beyond->count++;
}

static void tell(const struct beyond *beyond, const struct leak *leak, struct model_result *result)
{
    const struct idle_fit *fit = &leak->fit;
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
    struct leak leak;
    struct beyond beyond = {0};
    size_t done = 0;
    double before = 0;
    double after = 0;
    enum status status = read_idle(idle, &leak, error);
    for (size_t i = 0; status == STATUS_OK && i < dataset->count; i++) {
        struct dataset_row *row = &dataset->rows[i];
        double celsius = dataset_number(row, "temperature_c");
        double watts = NAN;
        if (isfinite(celsius)) {
            double volts =
                volts_of(&leak, dataset_number(row, "parameter.volts"), dataset_number(row, "parameter.ghz"));
            watts = watts_at(&leak, celsius, volts);
            if (isnan(watts))
                return no_voltage(dataset_name(row->point), error);
            see(&beyond, &leak, celsius, volts);
            before += isfinite(row->static_w) ? row->static_w - watts : 0;
            after += watts;
            done++;
        }
        row->static_w = watts;
        row->dynamic_j = row->energy_j - watts * row->seconds;
    }
    if (status != STATUS_OK)
        return status;
    if (done == 0) {
        error_set(error, STATUS_USAGE, "--idle: no repetition has a temperature");
        error_hint(error, "runs record the thermometers that trauma sensors lists");
        return STATUS_USAGE;
    }
    model_note(result,
               "idle power is taken by temperature: %.4g W on average over %zu repetitions, %.3g W below the "
               "level between runs; %zu without a temperature are left out",
               after / (double)done, done, before / (double)done, dataset->count - done);
    tell(&beyond, &leak, result);
    return STATUS_OK;
}

enum status idle_subtract_counters(const struct model_result *idle, struct named_numbers *counters,
                                   struct sentences *notes, struct arena *arena, struct error *error)
{
    struct leak leak;
    double celsius = named_number_value(counters, "temperature_c");
    enum status status = read_idle(idle, &leak, error);
    if (status != STATUS_OK)
        return status;
    if (!isfinite(celsius)) {
        error_set(error, STATUS_USAGE, "--idle: the counters lack the temperature");
        error_hint(error, "expected temperature_c");
        return STATUS_USAGE;
    }
    double volts =
        volts_of(&leak, named_number_value(counters, "volts"), named_number_value(counters, "ghz"));
    double watts = watts_at(&leak, celsius, volts);
    if (isnan(watts))
        return no_voltage("the application", error);
    idle_note_beyond(&leak.fit, volts, celsius, notes, arena);
    named_number_set(counters, arena, "static_w", watts);
    return STATUS_OK;
}
