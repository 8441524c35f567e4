/* Idle power against temperature and voltage (Su et al. 2014: P = W1(V) * T + W0(V), W1 and W0 cubic in V;
 * Adhinarayanan et al. 2016, at one voltage: cubic in T), from the intervals in which a chip that was heated
 * cools and runs nothing. */
#ifndef MODEL_IDLE_H
#define MODEL_IDLE_H

#include "model/dataset.h"
#include "model/point_error.h"
#include "model/spread.h"
#include "model/vf.h"

#include <stdbool.h>

/* Means over some of the samples of a cooling interval. */
struct idle_sample {
    double volts, celsius, watts;
    size_t point; /* 0 and on */
    size_t group; /* the point's recipe */
};

struct idle_samples {
    struct idle_sample *items; /* owned */
    size_t count, points;
    size_t saturated;     /* points that were left out, as they come to the end of the meter */
    double end_w;         /* where that is */
    size_t without_state; /* points that cool, but whose voltage nothing tells */
};

/* A fit: a polynomial in v and t, which are volts and celsius moved and scaled to -1 ... 1. */
struct idle_fit {
    double volts_middle, volts_half;     /* volts_half 0: one voltage alone */
    double celsius_middle, celsius_half; /* the temperatures that it rests on */
    size_t volts_degree;                 /* of W1 and W0 */
    size_t celsius_degree;               /* 1, or up to 3 at one voltage */
    struct spread spread;
    double residual, r2, condition; /* W; share; of the columns */
    struct point_error shift;       /* of whole coolings */
};

enum { IDLE_TERMS = 8 };

/* The samples of all points with an "idle_after" of two windows at least, each the mean over window_s; the
 * first second is left out. */
void idle_gather(const struct dataset *dataset, const struct vf_table *table, double window_s,
                 struct idle_samples *samples);

/* Leaves out coolings in which the meter stays at its end while the chip cools, and those that come close to
 * it. */
void idle_leave_out(struct idle_samples *samples);

/* Says in document what was left out. */
void idle_tell_left_out(const struct idle_samples *samples, json_t *document);

/* celsius_degree 0: 1 with several voltages, 3 with one. assumed: how far whole coolings are off where they
 * do not tell it, a share. STATUS_USAGE, with the reason, when there are no samples, a meter is at its end,
 * or the chip did not cool by LEAST_COOLING degrees. */
enum status idle_fit(const struct idle_samples *samples, size_t celsius_degree, double assumed,
                     struct idle_fit *fit, struct error *error);

/* What the chip draws when idle at that voltage and temperature, W. */
struct interval idle_at(const struct idle_fit *fit, double volts, double celsius);

/* What it draws more at the one temperature than at the other, at that voltage, W. */
struct interval idle_rise(const struct idle_fit *fit, double volts, double from_celsius, double to_celsius);

/* Whether a voltage or a temperature is beyond what the fit rests on. */
bool idle_is_beyond(const struct idle_fit *fit, double volts, double celsius);

/* Notes in document that a voltage or a temperature is beyond what the fit rests on. */
void idle_note_beyond(const struct idle_fit *fit, double volts, double celsius, json_t *document);

/* One coefficient of the paper's form in V^power: of W1 (slope, W/K) or W0 (at 0 C, W); at one voltage, of
 * T^power (slope is false). */
struct interval idle_coefficient(const struct idle_fit *fit, bool slope, size_t power);

/* W1 (slope) or W0 at that voltage. */
struct interval idle_weight(const struct idle_fit *fit, bool slope, double volts);

/* The columns of a sample; returns how many. */
size_t idle_columns(const struct idle_fit *fit, double volts, double celsius, double *row);

/* New reference; false when the document is none. */
json_t *idle_to_json(const struct idle_fit *fit);
bool idle_from_json(const json_t *document, struct idle_fit *fit);

void idle_free(struct idle_samples *samples);

#endif
