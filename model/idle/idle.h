/* Idle power against temperature and voltage (Su et al. 2014: P = W1(V) * T + W0(V), W1 and W0 cubic in V;
 * Adhinarayanan et al. 2016, at one voltage: cubic in T), from the intervals in which a heated, idle chip
 * cools. */
#ifndef MODEL_IDLE_IDLE_H
#define MODEL_IDLE_IDLE_H

#include "model/data/dataset.h"
#include "model/data/model_result.h"
#include "model/data/vf.h"
#include "model/fitting/point_error.h"
#include "model/fitting/spread.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Means over a window of a cooling interval. */
struct idle_sample {
    double volts, celsius, watts;
    double t_s, rate; /* time since the load ended; rise of the thermometer, K/s */
    size_t point;     /* from 0 */
    size_t group;     /* the point's recipe */
    const struct result_point *of;
};

struct idle_samples {
    struct idle_sample *items; /* owned */
    size_t count, points;
    double step_c; /* of the thermometer: the least difference between two successive readings; 0: unknown */
    size_t saturated;     /* points left out because they reach the end of the meter's range */
    double end_w;         /* the end of the range, W */
    size_t without_state; /* points that cool, but whose voltage is unknown */
};

/* A fit: a polynomial in v and t, the voltage and temperature shifted and scaled to -1 ... 1. */
struct idle_fit {
    double volts_middle, volts_half;     /* volts_half 0: a single voltage */
    double celsius_middle, celsius_half; /* the temperature range of the fit */
    size_t volts_degree;                 /* of W1 and W0 */
    size_t celsius_degree;               /* 1, or up to 3 at one voltage */
    struct spread spread;
    double residual, r2, condition; /* residual in W; condition number of the columns */
    struct point_error shift;       /* the error of whole coolings */
};

enum { IDLE_TERMS = 8 };

/* Gathers the samples of all points whose "idle_after" has at least two windows. Each sample is the mean over
 * window_s; the first second is omitted. */
void idle_gather(const struct dataset *dataset, const struct vf_table *table, double window_s,
                 struct idle_samples *samples);

/* STATUS_USAGE when coolings differ in a requested state other than the clock. */
enum status idle_check_requests(const struct dataset *dataset, struct error *error);

/* Leaves out coolings in which the meter stays at the end of its range while the chip cools, and those that
 * come close to that end. */
void idle_leave_out(struct idle_samples *samples);

/* Reports the number of these coolings in the result. */
void idle_report_left_out(const struct idle_samples *samples, struct model_result *result);

/* Fits the polynomial. celsius_degree: 0 means 1 with several voltages, 3 with one. assumed: the error of
 * whole coolings (a share), used if the data cannot determine it. STATUS_USAGE, with the reason, when there
 * are no samples, the meter is saturated, or the chip cooled by less than 5 degrees. */
enum status idle_fit(const struct idle_samples *samples, size_t celsius_degree, double assumed,
                     struct idle_fit *fit, struct error *error);

/* Sets each cooling's deviation from the fit, residuals[points], to estimate the error of whole coolings. */
void idle_residuals(const struct idle_samples *samples, const struct idle_fit *fit,
                    struct point_residual *residuals);

/* Repeats the fit with a given error of whole coolings. Errors as idle_fit. */
enum status idle_fit_shifted(const struct idle_samples *samples, struct point_error shift,
                             struct idle_fit *fit, struct error *error);

/* Tests the course of each cooling for terms that the form lacks: a curve, steps of fans, continuing work, a
 * thermometer that lags. If one is found, the spread is widened to contain the coefficients with it, and
 * model_disbelieve reports it; `of` names the fit in the message. */
void idle_test_form(const struct idle_samples *samples, struct idle_fit *fit, const char *of,
                    struct model_result *result);

/* Idle power of the chip at that voltage and temperature, W. */
struct interval idle_at(const struct idle_fit *fit, double volts, double celsius);

/* The increase of idle power between the two temperatures at that voltage, W. */
struct interval idle_rise(const struct idle_fit *fit, double volts, double from_celsius, double to_celsius);

/* Whether a voltage or temperature is outside the range of the fit. */
bool idle_is_beyond(const struct idle_fit *fit, double volts, double celsius);

/* Adds a note if a voltage or temperature is outside the range of the fit. */
void idle_note_beyond(const struct idle_fit *fit, double volts, double celsius, struct sentences *notes,
                      struct arena *arena);

/* The coefficient of V^power in W1 (slope; W/K) or W0 (W at 0 C), as in the paper; at a single voltage, of
 * T^power (slope is false). */
struct interval idle_coefficient(const struct idle_fit *fit, bool slope, size_t power);

/* W1 (slope; W/K) or W0 (W) at that voltage. */
struct interval idle_weight(const struct idle_fit *fit, bool slope, double volts);

/* Fills in the columns of a sample; returns their number. */
size_t idle_columns(const struct idle_fit *fit, double volts, double celsius, double *row);

/* The columns' names. */
void idle_names(const struct idle_fit *fit, char names[LINEAR_COLUMNS][LINEAR_NAME_BYTES]);

/* The fields of a fit in a model's document. IDLE_NOTHING: the value before they are read; idle_is_fit:
 * whether they then describe a fit. */
#define IDLE_NOTHING                                                                                         \
    {                                                                                                        \
        .volts_middle = NAN, .volts_half = NAN, .celsius_middle = NAN, .celsius_half = NAN,                  \
        .volts_degree = SIZE_MAX, .celsius_degree = SIZE_MAX, .spread = {                                    \
            .freedom = 1                                                                                     \
        }                                                                                                    \
    }
extern const struct field_row idle_fit_rows[];
bool idle_is_fit(const struct idle_fit *fit);

/* The mean error of one cooling. */
struct idle_error {
    double volts, mean_absolute;
    size_t samples;
};

/* The members of the document that only the model "idle" has. */
struct idle_own {
    struct idle_error *errors; /* of each cooling */
    size_t error_count;
    struct idle_fit idle;
    struct vf_table vf;
};

void idle_free(struct idle_samples *samples);

#endif
