/* The parts of the model "ppep" (Su et al. 2014): cycles, power and energy at every voltage-frequency state,
 * from counters in one state. Events are E1 to E12 of the paper. */
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
    const char *names[PPEP_NAMES]; /* of counters that provide it, best first; NULL-terminated when fewer */
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

/* The counters in use, by name; NULL: none available, or excluded. */
struct ppep_columns {
    const char *event[PPEP_EVENTS];
    const struct ppep_leading *leading;
};

/* Counts per second over all cores. */
struct ppep_rates {
    double cycles, instructions, leading; /* leading NAN: not counted */
    double event[PPEP_EVENTS];
    double off[PPEP_EVENTS]; /* standard errors of these, as the counters state them; 0: none */
};

/* The scatter of a point's repetitions: sums of squares and products about their means. */
struct ppep_scatter {
    double watts, both, celsius; /* W^2, W K, K^2; without a thermometer the last two are 0 */
    double rounding;             /* what the thermometer's steps add to celsius, K^2 */
    double reps;
};

/* A point: its repetitions' mean. */
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
    double step_c; /* of the thermometer: the least difference between two of its readings */
    /* Errors of celsius by these steps: rounding[i * roundings + k] is how far one standard deviation of
     * error k moves point i, K. Owned. */
    double *rounding;
    size_t roundings;
};

/* A fitted model. */
struct ppep_power {
    size_t copies_least, copies_most; /* that ran together in the points */
    double alpha;                     /* of (V / volts)^alpha; NAN: a single voltage */
    double volts;                     /* the reference */
    size_t columns;                   /* events in use, then awake power, then alpha, if they were fitted */
    size_t event[PPEP_EVENTS];        /* of each column */
    size_t events;
    bool awake; /* a constant that the chip draws while any program runs, at every voltage */
    bool alpha_fitted;
    double corrected; /* the most that a coefficient was corrected for the counters' errors, in its errors */
    struct point_error shift; /* of whole points, including what the events do not explain */
    struct spread spread;
    double r2, residual, condition;
};

/* The parts of P_idle. */
struct ppep_gating {
    bool known;
    double units, cores; /* compute units; cores */
    double cu, nb, base; /* W: of one unit, of the north bridge, of the rest */
    double celsius;      /* at which they hold */
};

struct ppep_model {
    struct vf_table table;
    struct ppep_columns columns;
    struct ppep_power power;
    struct idle_fit idle;
    bool has_idle;
    double leading_factor; /* on the leading loads' cycles: 1, or fitted for a substitute */
    struct ppep_gating gating;
};

/* ---- ppep_points.c ---- */

/* saturation.h: different programs draw different power. */
const char *ppep_label(const struct dataset_row *row, char *buffer);

/* The points with counters and power. left_out[i]: event i is excluded. STATUS_USAGE, with the missing
 * counter, when no point has all of them, or when a meter is at the end of its range. */
enum status ppep_gather(const struct dataset *dataset, const struct vf_table *table,
                        const bool left_out[PPEP_EVENTS], struct ppep_points *points, struct error *error);

/* The mean temperature over the repetition row of the point whose rows are from to to - 1. Only the
 * temperatures at the ends are recorded: the mean is that of the parabola through the three nearest ends, or
 * of the line through two. */
double ppep_celsius(const struct dataset *dataset, size_t from, size_t row, size_t to);

/* Adds a repetition; means[2], of power and temperature so far, start at 0. */
void ppep_add_scatter(struct ppep_scatter *scatter, double watts, double celsius, double *means);

/* The sum of squares of power less idle power, which rises by slope, W/K. */
double ppep_scatter_at(const struct ppep_scatter *scatter, double slope);

void ppep_points_free(struct ppep_points *points);

/* True when both points run the same program: the same benchmark and the same parameters, apart from the
 * state's. */
bool ppep_same_program(const struct ppep_point *a, const struct ppep_point *b);

/* ---- ppep_power.c ---- */

/* Dynamic power above the idle model if there is one, else above the point's own idle intervals. */
double ppep_dynamic(const struct ppep_model *model, const struct ppep_point *point);

/* The rise of idle power with temperature at that voltage, W/K; 0 without a model of it. */
double ppep_idle_slope(const struct ppep_model *model, double volts, double celsius);

/* Fits the weights, awake power where the points determine it, and, with several voltages and alpha NAN,
 * alpha. Uses the points whose group is not left_out (SIZE_MAX: all). assumed: the error of whole points, as
 * a share, if the data does not determine it. residuals: NULL, or an array for all points, which gets the
 * deviations that determine it; *told is their number. STATUS_USAGE, with the reason, when the points do not
 * determine the weights. */
enum status ppep_fit_power(const struct ppep_model *model, const struct ppep_points *points, double alpha,
                           size_t left_out, double assumed, struct point_residual *residuals, size_t *told,
                           struct ppep_power *power, struct error *error);

/* The rows of that fit; form_test may widen the power's spread. */
enum status ppep_set_fitted(const struct dataset *dataset, const struct ppep_model *model,
                            const struct ppep_points *points, struct ppep_power *power, struct fitted *fitted,
                            struct model_result *result, struct error *error);

/* Dynamic power at these rates and this voltage, W, with that share of the awake power: 1 for the whole chip.
 */
struct interval ppep_power_at(const struct ppep_power *power, const struct ppep_rates *rates, double volts,
                              double awake);

/* ---- ppep_across.c ---- */

/* Converts rates from one state to another, by leading loads and the paper's two observations. */
void ppep_move(const struct ppep_rates *rates, double from_ghz, double to_ghz, double leading_factor,
               struct ppep_rates *moved);

/* The best-fitting factor on leading loads, with its interval. False when no program ran in two states. */
bool ppep_fit_leading(const struct ppep_points *points, struct interval *factor);

/* Sets what the model says of programs across states, and the means in the quality. */
void ppep_judge_across(const struct ppep_model *model, const struct ppep_points *points,
                       struct model_result *result);

/* ---- ppep_gating.c ---- */

/* Deviations of points with the parameters busy and gating, to estimate the error of whole points:
 * residuals[rows of the dataset], *told of them; none if there are no such points. */
enum status ppep_gating_residuals(const struct dataset *dataset, const struct ppep_model *model,
                                  const struct model_result *result, double assumed,
                                  struct point_residual *residuals, size_t *told, struct error *error);

/* The parts of idle power from these points, with that error of each. STATUS_OK and gating->known false when
 * there are none. Sets coefficients. */
enum status ppep_fit_gating(const struct dataset *dataset, const struct ppep_model *model,
                            const struct point_error *shift, struct model_result *result,
                            struct ppep_gating *gating, struct error *error);

/* The whole chip's idle power with busy_units of its units busy, as a share of its value with nothing
 * gated. */
double ppep_gated_share(const struct ppep_gating *gating, double busy_units);

/* ---- ppep_document.c ---- */

/* What this model alone states. Errors between two states that were both measured, as shares; powers NAN:
 * unknown. */
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
    const char *leading; /* its counter of leading loads; NULL: none */
    const char **events; /* of its power */
    size_t event_count;
    uint64_t *copies; /* least and most */
    size_t copies_count;
};
extern const struct field_row ppep_own_rows[];
extern const struct ppep_own ppep_nothing;

/* Keeps the model in the result; what was read is whole after ppep_recall, false when it has no weights. */
void ppep_record(const struct ppep_model *model, struct model_result *result);
bool ppep_recall(const struct ppep_own *own, struct ppep_model *model);

/* ---- ppep_predict.c ---- */

enum status ppep_predict(const struct model_result *fitted, const struct named_numbers *counters,
                         const struct model_settings *settings, struct model_result *result,
                         struct error *error);

#endif
