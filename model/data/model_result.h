/* The result of a model: of a fit, the coefficients and how far to trust them; of a prediction, its parts.
 * Fits and predictions fill it, printers and figures read it, and model/model_json.h reads and writes its
 * JSON. */
#ifndef MODEL_DATA_MODEL_RESULT_H
#define MODEL_DATA_MODEL_RESULT_H

#include "base/arena.h"
#include "base/json/field_json.h"
#include "base/stats.h"
#include "model/chart.h"
#include "model/data/named_numbers.h"
#include "runner/results/results_context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODEL_STATED = 40 };

/* A list of sentences, or of names. */
struct sentences {
    const char **items;
    size_t count;
};

struct model_coefficient {
    const char *name, *unit;
    struct interval at;
};

/* A number by name; counts are whole. */
struct model_number {
    const char *name;
    double value;
    bool whole;
};

/* ---- a fit ---- */

/* The data of a fit. Its document begins with them. */
struct model_origin {
    struct value machine; /* as the results describe it */
    const char *host;     /* NULL: not known */
    struct simulated simulated;
    bool by_idle; /* `simulated` is a statement of the idle model that was subtracted, not of the results */
    const char *const *files;
    size_t file_count;
    const char *hash; /* of all their bytes */
    size_t points, repetitions;
};

/* The findings of form_test. p and scatter: NAN without a test, or without repetitions that show them. */
struct model_form {
    size_t rows, left, suspects; /* rows, residual degrees of freedom, suspects that were tested */
    struct {
        const char *suspect;
        double p;
    } strongest;
    struct {
        double times_repetitions, p, percent;
    } scatter;
    bool is_suspect, is_scatter; /* whether strongest and scatter are known */
};

/* Errors of a program (a benchmark) that was left out of the fit, as shares of the measured value. */
struct model_program {
    const char *name;
    size_t rows;
    double mean_absolute;
};

/* A mixture: predicted, never fitted. */
struct model_mixture {
    const char *name;
    double measured_j, predicted_j, error;
    size_t reps;
};

/* Errors of the rows that were left out of the fit; NULL and NAN: unknown. */
struct model_validation {
    const char *leaves_out; /* "recipes" */
    size_t groups, rows;
    double mean_absolute, worst;
    const char *worst_point;
    double whole_mean_absolute;   /* share of the meter's whole reading */
    double dynamic_mean_absolute; /* of dynamic power alone */
    struct model_program *programs;
    size_t program_count;
    struct model_mixture *mixtures;
    size_t mixture_count;
    bool by_program, of_mixtures; /* these lists are stated */
};

/* A regression of the fit with its columns, and a row of one. Unknown numbers are NAN. */
struct model_column {
    const char *name;
    double value;
    double *covariance;
    size_t columns;
    double inflation; /* of the variance, by the other columns */
};

struct model_regression {
    const char *of, *quantity, *unit;
    double freedom;
    struct model_column *columns;
    size_t count;
};

struct model_row {
    size_t regression;
    const char *point, *recipe;
    double measured, predicted;
    double left_out; /* predicted without its group */
    double error;    /* standard, from its repetitions */
    double leverage;
    bool unlike;
};

/* A range from its least to its greatest value; not given: unknown. */
struct model_span {
    double *ends;
    size_t count; /* 2 */
    bool given;
};

#define MODEL_SPAN(of, title, member)                                                                        \
    {                                                                                                        \
        .name = (title), .type = FIELD_REALS, .offset = offsetof(struct of, member.ends),                    \
        .given = 1 + offsetof(struct of, member.given), .count = offsetof(struct of, member.count)           \
    }

/* ---- a prediction ---- */

struct model_part {
    const char *name, *unit;
    struct interval at;
    bool sum; /* of other parts */
};

/* All cores in one state of voltage and frequency. The second line is NAN without idle power. */
struct model_state {
    double ghz, volts, cpi, instructions_per_s, dynamic_w;
    double idle_w, power_w, energy_per_instruction_j, energy_delay_js;
};

struct model_core {
    size_t core;
    double dynamic_w, idle_w, power_w; /* the last two NAN: unknown */
};

/* ---- both ---- */

struct model_result {
    struct arena arena; /* of all that follows */

    /* The names of the document's members, in their order (model_json.c): only these are written. */
    const char *stated[MODEL_STATED];
    size_t stated_count;

    const struct model_origin
        *origin; /* of a fit; borrowed. NULL: a prediction, or a model read from a file */
    struct recorded_machine machine;
    struct simulated simulated; /* whether its data are simulated; of a prediction: those of its model */

    struct sentences disbelief; /* reasons not to trust the model, printed before all numbers */
    struct sentences notes;
    struct charts charts;

    struct model_coefficient *coefficients;
    size_t coefficient_count;
    struct model_number *quality;
    size_t quality_count;
    struct model_number *left_out; /* points, by reason */
    size_t left_out_count;
    struct sentences channel; /* the power channels that the user chose */
    struct {
        double percent;
        bool assumed;
    } point_error; /* of whole points */
    struct model_form form;
    struct {
        const char *suspect;
        double p;
        size_t suspects;
    } idle_form; /* of the cooling chip */
    struct model_validation validation;
    struct model_regression *regressions;
    size_t regression_count;
    struct model_row *rows;
    size_t row_count;
    void *own; /* members that only this model has, by its own rows (struct model) */

    struct model_part *parts;
    size_t part_count;
    struct model_state *states;
    size_t state_count;
    struct model_core *cores;
    size_t core_count;
    double ghz, energy_delay_ghz, cap_ghz, cap_w; /* the present state and the chosen ones; the power cap */
    bool cap_held;
    double t_s, measured_w; /* of a step of a trace */
    const char *application;
};

/* Appends a member to the document unless it is there; tests for it; removes it. member: a constant text. */
void model_states(struct model_result *result, const char *member);
bool model_is_stated(const struct model_result *result, const char *member);
void model_withdraw(struct model_result *result, const char *member);

/* Sets a coefficient; one whose interval is not finite is ignored. */
void model_set_coefficient(struct model_result *result, const char *name, struct interval at,
                           const char *unit);

/* Gets a coefficient. False, and NAN, when there is none of that name. */
bool model_coefficient(const struct model_result *result, const char *name, struct interval *at);

/* Adds an independent error to the coefficient's interval, if there is such a coefficient. half: half the
 * width of the error's interval. */
void model_widen(struct model_result *result, const char *name, double half);

/* The interval scaled by a factor; the interval of an exact value. */
struct interval interval_times(struct interval at, double times);
struct interval interval_exact(double value);

/* Adds a reason not to believe the model, or a note. */
__attribute__((format(printf, 2, 3))) void model_disbelieve(struct model_result *result, const char *format,
                                                            ...);
__attribute__((format(printf, 2, 3))) void model_note(struct model_result *result, const char *format, ...);

/* Adds each of the notes. */
void model_take_notes(struct model_result *result, const struct sentences *notes);

/* Appends a sentence, cut after 511 bytes. */
__attribute__((format(printf, 3, 4))) void sentence_add(struct sentences *sentences, struct arena *arena,
                                                        const char *format, ...);

/* A copy of the text. The bytes of a UTF-8 character that was cut become '?'. */
const char *sentence_copy(struct arena *arena, const char *text);

/* Sets a measure of the fit's quality; a number that is not finite is ignored. */
void model_set_quality(struct model_result *result, const char *name, double value, bool whole);

/* Sets the number of points, or repetitions, left out for that reason. */
void model_leave_out(struct model_result *result, const char *reason, size_t points);

/* Adds a part of a prediction; one whose interval is not finite is ignored. sum: it is a sum of other parts.
 */
void model_add_part(struct model_result *result, const char *name, struct interval at, const char *unit,
                    bool sum);

/* The span from low to high; not given if low is above high. */
struct model_span model_span(double low, double high, struct arena *arena);

/* Adds a chart (chart.h). */
struct chart *model_chart(struct model_result *result, enum chart_kind kind, const char *title,
                          const char *subtitle, const char *x, const char *y);

/* Adds a chart with a bar for each part in that unit, except the part named but (NULL: no exception). */
void model_chart_parts(struct model_result *result, const char *title, const char *unit, const char *but,
                       const char *y);

void model_result_free(struct model_result *result);

#endif
