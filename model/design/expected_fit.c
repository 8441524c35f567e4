#include "model/design/expected_fit.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/random.h"
#include "model/design/design_form.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const char METER[] = "meter";
static const double WIDTH_IN_ERRORS = 3.92, PI = 3.14159265358979;
static const double SAMPLE_S = 1; /* between readings of an idle interval */

static double uniform(struct random *random)
{
    return (random_next(random) + 0.5) / 4294967296.0;
}

static double normal(struct random *random)
{
    double size = sqrt(-2 * log(uniform(random)));
    return size * cos(2 * PI * uniform(random));
}

static json_t *interval_of(double value, double error)
{
    return json_pack("{s:f, s:f, s:f, s:i}", "value", value, "low", value - WIDTH_IN_ERRORS / 2 * error,
                     "high", value + WIDTH_IN_ERRORS / 2 * error, "n", 20);
}

static json_t *reps_of(const struct expected_point *point, const struct expected_meter *meter,
                       struct random *random)
{
    json_t *reps = json_array();
    double passes = fmax(1, floor(point->time_s / point->pass_s));
    double seconds = passes * point->pass_s;
    for (double i = 0; i < point->reps; i++) {
        double joules =
            (meter->static_w + point->dynamic_w) * seconds + meter->noise_w * sqrt(seconds) * normal(random);
        json_array_append_new(reps, json_pack("{s:f, s:f, s:f, s:f, s:{s:f}}", "iterations", passes, "ticks",
                                              1e9 * seconds, "seconds", seconds, "wall_s", seconds,
                                              "energy_j", METER, joules));
    }
    return reps;
}

static json_t *cooling_of(const struct expected_point *point, const struct expected_meter *meter,
                          struct random *random)
{
    json_t *samples = json_array();
    double joules = 0;
    for (double t = 0; t <= point->idle_after_s; t += SAMPLE_S) {
        double celsius = design_celsius(t);
        json_array_append_new(samples, json_pack("{s:f, s:{s:f}, s:{s:f}}", "t_s", t, "energy_j", METER,
                                                 joules, "temperature_c", "chip", celsius));
        joules += SAMPLE_S * (point->idle_w[0] +
                              point->idle_w[1] * (design_celsius(t + SAMPLE_S / 2) - design_celsius(0))) +
                  meter->noise_w * sqrt(SAMPLE_S) * normal(random);
    }
    return json_pack("{s:f, s:o}", "seconds", point->idle_after_s, "samples", samples);
}

/* The line of results that a measurement of the point would be. */
static json_t *measured(const struct expected_point *point, const struct expected_meter *meter,
                        struct random *random)
{
    json_t *line = json_copy((json_t *)(uintptr_t)point->document);
    double error = meter->noise_w / sqrt(point->idle_s);
    json_object_set_new(line, "reps", reps_of(point, meter, random));
    json_object_set_new(line, "power",
                        json_pack("{s:[s], s:o, s:s, s:s}", "from", METER, "power.static_w",
                                  interval_of(meter->static_w + error * normal(random), error), "verdict",
                                  "trustworthy", "reason", ""));
    if (point->idle_w != NULL)
        json_object_set_new(line, "idle_after", cooling_of(point, meter, random));
    return line;
}

/* The medians over the draws. */
static void set_medians(const struct model_result *fits, size_t draws,
                        struct expected_coefficients *coefficients)
{
    struct arena *arena = &coefficients->arena;
    coefficients->items = arena_alloc(arena, fits[0].coefficient_count, sizeof *coefficients->items);
    for (size_t j = 0; j < fits[0].coefficient_count; j++) {
        const struct model_coefficient *of = &fits[0].coefficients[j];
        double half[EXPECTED_DRAWS], value[EXPECTED_DRAWS];
        size_t count = 0;
        struct interval interval;
        for (size_t i = 0; i < draws; i++)
            if (model_coefficient(&fits[i], of->name, &interval)) {
                value[count] = interval.value;
                half[count++] = (interval.high - interval.low) / 2;
            }
        coefficients->items[coefficients->count++] =
            (struct expected_coefficient){arena_strdup(arena, of->name), arena_strdup(arena, of->unit),
                                          stats_median(value, count), stats_median(half, count)};
    }
}

const struct expected_coefficient *expected_find(const struct expected_coefficients *coefficients,
                                                 const char *name)
{
    for (size_t i = 0; i < coefficients->count; i++)
        if (strcmp(coefficients->items[i].name, name) == 0)
            return &coefficients->items[i];
    return NULL;
}

enum status expected_fit(const struct model *model, const struct model_settings *settings,
                         const struct recorded_machine *machine, const struct expected_point *points,
                         size_t count, const struct expected_meter *meter, size_t draws,
                         struct expected_coefficients *coefficients, struct error *error)
{
    struct random random = random_start(1, "design");
    struct model_result fits[EXPECTED_DRAWS];
    enum status status = STATUS_OK;
    for (size_t draw = 0; draw < draws; draw++) {
        struct dataset dataset = {0};
        fits[draw] = (struct model_result){.machine = *machine};
        for (size_t i = 0; status == STATUS_OK && i < count; i++) {
            json_t *line = measured(&points[i], meter, &random);
            dataset_add_point(&dataset, line);
            json_decref(line);
        }
        if (status == STATUS_OK)
            status = model_fit(model, &dataset, settings, &fits[draw], error);
        dataset_free(&dataset);
    }
    if (status == STATUS_OK)
        set_medians(fits, draws, coefficients);
    for (size_t draw = 0; draw < draws; draw++)
        model_result_free(&fits[draw]);
    return status;
}
