/* For the files of the model "ppep" (Su et al. 2014): cycles, power and energy at every voltage-frequency
 * state, from counters in one state. Events are E1 to E12 of the paper. */
#ifndef MODEL_PPEP_PPEP_H
#define MODEL_PPEP_PPEP_H

#include "model/data/dataset.h"
#include "model/data/vf.h"
#include "model/fitting/fitted.h"
#include "model/fitting/spread.h"
#include "model/idle/idle.h"

#include <stdbool.h>
#include <stddef.h>

/* The events of the power model, E4 to E12. */
enum { PPEP_EVENTS = 9, PPEP_STALLS = 8, PPEP_NAMES = 4 };

struct ppep_event {
    const char *name;              /* "uops" */
    const char *code;              /* on the paper's machine */
    const char *names[PPEP_NAMES]; /* counters that count it, best first; NULL-terminated if fewer */
    bool scaled;                   /* its energy scales with the cores' voltage */
};
extern const struct ppep_event ppep_events[PPEP_EVENTS];

/* Counters for the cycles of leading loads (E3): the paper's own, then today's substitutes. */
struct ppep_leading {
    const char *name, *what;
    bool exact; /* it counts exactly what the theory requires */
};
extern const struct ppep_leading ppep_leading_loads[];
enum { PPEP_LEADING = 4 };

/* The names of the counters in use; NULL: none is available, or the event is left out. */
struct ppep_columns {
    const char *event[PPEP_EVENTS];
    const struct ppep_leading *leading;
};

/* Counts per second over all cores. */
struct ppep_rates {
    double cycles, instructions, leading; /* leading NAN: not counted */
    double event[PPEP_EVENTS];
    double off[PPEP_EVENTS]; /* standard errors of the events, from the counters' intervals; 0: none */
};

/* The scatter of a point's repetitions: sums of squares and products about their means. */
struct ppep_scatter {
    double watts, both, celsius; /* W^2, W K, K^2; without a thermometer the last two are 0 */
    double rounding;             /* the part of celsius that comes from the thermometer's steps, K^2 */
    double reps;
};

/* A point: means over its repetitions. */
struct ppep_point {
    const struct result_point *point;
    size_t group;
    struct vf_state vf;
    double seconds, total_w, static_w, celsius; /* celsius NAN: no thermometer */
    struct ppep_rates rates;
    struct ppep_scatter scatter;
};

struct ppep_points {
    struct ppep_point *items; /* owned */
    size_t count;
    struct ppep_columns columns;
    size_t without_state, without_power, without_counters;
    double step_c; /* the thermometer's step: the least difference between two readings, K; 0: unknown */
    /* Errors of celsius from these steps: rounding[i * roundings + k] is how far one standard deviation of
     * error k moves point i, K. Owned. */
    double *rounding;
    size_t roundings;
};

/* A fitted model. */
struct ppep_power {
    size_t copies_least, copies_most; /* the range of the points' numbers of copies */
    double alpha;                     /* exponent of (V / volts); NAN: a single voltage */
    double volts;                     /* the reference voltage */
    size_t columns;                   /* events in use, then awake power, then alpha, if they were fitted */
    size_t event[PPEP_EVENTS];        /* the event of each column */
    size_t events;
    bool awake; /* there is a constant power that the chip draws while any program runs, at every voltage */
    bool alpha_fitted;
    double corrected;         /* the largest correction for the counters' errors, in standard errors of its
                                 coefficient */
    struct point_error shift; /* of whole points, including power that the events do not explain */
    struct spread spread;
    double r2, residual, condition;
};

/* The parts of P_idle. */
struct ppep_gating {
    bool known;
    double units, cores; /* compute units; cores */
    double cu, nb, base; /* power of one unit, of the north bridge, of the rest, W */
    double celsius;      /* the temperature of these powers */
};

struct ppep_model {
    struct vf_table table;
    struct ppep_columns columns;
    struct ppep_power power;
    struct idle_fit idle;
    bool has_idle;
    double
        leading_factor; /* the factor on the cycles of leading loads: 1, or fitted for a substitute counter */
    struct ppep_gating gating;
};

/* ---- ppep_points.c ---- */

/* The label for saturation.h: different programs draw different power. */
const char *ppep_label(const struct dataset_row *row, char *buffer);

/* Gathers the points with counters and power. left_out[i]: event i is left out. STATUS_USAGE, with the
 * missing counter, when no point has all of them, or when a meter is saturated. Free in every case. */
enum status ppep_gather(const struct dataset *dataset, const struct vf_table *table,
                        const bool left_out[PPEP_EVENTS], struct ppep_points *points, struct error *error);

/* The mean temperature over the repetition with index row, of the point whose rows have the indices from to
 * to - 1. As only temperatures at the ends of repetitions are recorded, it is the mean of the parabola
 * through the three nearest, or of the line through two. */
double ppep_celsius(const struct dataset *dataset, size_t from, size_t row, size_t to);

/* Adds a repetition. means[2]: power and temperature so far; 0 at the start. */
void ppep_add_scatter(struct ppep_scatter *scatter, double watts, double celsius, double *means);

/* The sum of squares of power without idle power, which rises by slope, W/K. */
double ppep_scatter_at(const struct ppep_scatter *scatter, double slope);

void ppep_points_free(struct ppep_points *points);

/* Whether both points run the same program: the same benchmark, with equal parameters except those of the
 * state. */
bool ppep_same_program(const struct ppep_point *a, const struct ppep_point *b);

/* ---- ppep_power.c ---- */

/* The point's power above that of the idle model or, without one, above its own idle intervals, W. */
double ppep_dynamic(const struct ppep_model *model, const struct ppep_point *point);

/* The rise of idle power with temperature at that voltage, W/K; 0 without a model of it. */
double ppep_idle_slope(const struct ppep_model *model, double volts, double celsius);

/* Fits the weights; awake power, if the points determine it; and alpha, if it is NAN and there are several
 * voltages. Uses the points whose group is not left_out (SIZE_MAX: all). assumed: the error of whole points,
 * a share, used if the data do not determine it. residuals: NULL, or an array for all points, which gets the
 * deviations that determine the error; *found is their number. STATUS_USAGE, with the reason, when the points
 * do not determine the weights. */
enum status ppep_fit_power(const struct ppep_model *model, const struct ppep_points *points, double alpha,
                           size_t left_out, double assumed, struct point_residual *residuals, size_t *found,
                           struct ppep_power *power, struct error *error);

/* Adds the regression of that fit and tests its form, which may widen the power's spread. */
void ppep_set_fitted(const struct dataset *dataset, const struct ppep_model *model,
                     const struct ppep_points *points, struct ppep_power *power, struct fitted *fitted,
                     struct model_result *result);

/* Dynamic power at these rates and this voltage, W. awake: the share of awake power, 1 for the whole chip. */
struct interval ppep_power_at(const struct ppep_power *power, const struct ppep_rates *rates, double volts,
                              double awake);

/* ---- ppep_across.c ---- */

/* Converts rates from one state to another, by leading loads and the paper's two observations. */
void ppep_move(const struct ppep_rates *rates, double from_ghz, double to_ghz, double leading_factor,
               struct ppep_rates *moved);

/* Fits the factor on leading loads. False when no program ran in two states. */
bool ppep_fit_leading(const struct ppep_points *points, struct interval *factor);

/* Sets the errors of predictions between measured states, and their means in the quality. */
void ppep_judge_across(const struct ppep_model *model, const struct ppep_points *points,
                       struct model_result *result);

/* ---- ppep_gating.c ---- */

/* Sets the deviations of points with the parameters busy and gating, to estimate the error of whole points.
 * residuals[rows of the dataset]; *found: their number, 0 if there are no such points. */
enum status ppep_gating_residuals(const struct dataset *dataset, const struct ppep_model *model,
                                  const struct model_result *result, double assumed,
                                  struct point_residual *residuals, size_t *found, struct error *error);

/* Fits the parts of idle power to these points, with that error of whole points, and sets coefficients.
 * STATUS_OK, and gating->known false, when there are no such points. */
enum status ppep_fit_gating(const struct dataset *dataset, const struct ppep_model *model,
                            const struct point_error *shift, struct model_result *result,
                            struct ppep_gating *gating, struct error *error);

/* The chip's idle power with gating and busy_units of its units busy, as a share of that without gating. */
double ppep_gated_share(const struct ppep_gating *gating, double busy_units);

/* ---- ppep_document.c ---- */

/* The members of the document that only this model has. struct ppep_across: mean errors between two states
 * that were both measured, as shares; NAN: unknown. */
struct ppep_across {
    double cpi;
    size_t pairs;
    double dynamic_power, chip_power;
    double from_ghz, to_ghz;
};

struct ppep_program {
    const char *benchmark, *name;
    double from_ghz, to_ghz, memory_boundedness, cpi_error;
};

struct ppep_observation {
    const char *what;
    double difference;
    size_t programs;
};

struct ppep_own {
    struct ppep_leading leading_loads;
    struct ppep_across *across;
    size_t across_count;
    struct ppep_program *programs;
    size_t program_count;
    struct ppep_observation *observations;
    size_t observation_count;
    struct {
        struct model_span ghz;
    } fitted;
    struct ppep_model model;
    const char *leading; /* the model's counter of leading loads; NULL: none */
    const char **events; /* the names of model.power.event */
    size_t event_count;
    uint64_t *copies; /* copies_least and copies_most */
    size_t copies_count;
};
extern const struct field_row ppep_own_rows[];
extern const struct ppep_own ppep_nothing;

/* Puts the model into the result; completes a model that was read from a document, false when it has no
 * weights. */
void ppep_record(const struct ppep_model *model, struct model_result *result);
bool ppep_recall(const struct ppep_own *own, struct ppep_model *model);

/* ---- ppep_predict.c ---- */

enum status ppep_predict(const struct model_result *fitted, const struct named_numbers *counters,
                         const struct model_settings *settings, struct model_result *result,
                         struct error *error);

#endif
