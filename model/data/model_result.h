/* What a model says: of a fit, its coefficients and how far they can be trusted; of a prediction, its parts.
 * Fits and predictions fill it, printers and figures read it, and model/model_json.h knows its JSON. */
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

/* Whole sentences; also names. */
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

/* What a fit is of: its document begins with it. */
struct model_origin {
    struct value machine; /* as the results describe it */
    const char *host;     /* NULL: not known */
    struct simulated simulated;
    bool by_idle; /* that is said by the idle model that was subtracted, and no result */
    const char *const *files;
    size_t file_count;
    const char *hash; /* of all their bytes */
    size_t points, repetitions;
};

/* What form_test found. p and scatter: NAN where nothing was tested, or no repetitions show it. */
struct model_form {
    size_t rows, left, suspects; /* rows, degrees of freedom that they leave, suspects that were tried */
    struct {
        const char *suspect;
        double p;
    } strongest;
    struct {
        double times_repetitions, p, percent;
    } scatter;
    bool is_suspect, is_scatter; /* these are known */
};

/* Errors of a program (a benchmark) that was left out of the fit, as shares of what was measured. */
struct model_program {
    const char *name;
    size_t rows;
    double mean_absolute;
};

/* A mixture, predicted and never fitted. */
struct model_mixture {
    const char *name;
    double measured_j, predicted_j, error;
    size_t reps;
};

/* Errors of what was left out of the fit; NULL and NAN: not known. */
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

/* A regression of the fit, and a row of one; a number that is unknown is NAN. */
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

/* From least to most; not given: unknown. */
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

/* All cores in one state of voltage and frequency; NAN: without idle power. */
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

    /* The members of the document that are stated, in this order: their names (model_json.c). */
    const char *stated[MODEL_STATED];
    size_t stated_count;

    const struct model_origin *origin; /* of a fit; borrowed. NULL: of a prediction, or read */
    struct recorded_machine machine;   /* that it is of */
    struct simulated simulated;        /* what it rests on; of a prediction: its model's statement */

    struct sentences disbelief; /* reasons not to trust the model: before all numbers */
    struct sentences notes;
    struct charts charts;

    struct model_coefficient *coefficients;
    size_t coefficient_count;
    struct model_number *quality;
    size_t quality_count;
    struct model_number *left_out; /* points, by reason */
    size_t left_out_count;
    struct sentences channel; /* power channels that were chosen */
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
    void *own; /* what the model alone states, by its own rows (struct model) */

    struct model_part *parts;
    size_t part_count;
    struct model_state *states;
    size_t state_count;
    struct model_core *cores;
    size_t core_count;
    double ghz, energy_delay_ghz, cap_ghz, cap_w; /* the state now, and those chosen */
    bool cap_held;
    double t_s, measured_w; /* of a step of a trace */
    const char *application;
};

/* The member of that name, a constant text, is stated: behind those that already are. */
void model_states(struct model_result *result, const char *member);
bool model_is_stated(const struct model_result *result, const char *member);
void model_withdraw(struct model_result *result, const char *member);

/* Sets a coefficient; one whose interval is not finite is not stated. */
void model_set_coefficient(struct model_result *result, const char *name, struct interval at,
                           const char *unit);

/* A coefficient. False, and NAN, when there is none. */
bool model_coefficient(const struct model_result *result, const char *name, struct interval *at);

/* Widens the coefficient's interval, if there is one, by an independent error of half. */
void model_widen(struct model_result *result, const char *name, double half);

/* The interval of so many times the value. */
struct interval interval_times(struct interval at, double times);

/* Adds a reason not to believe the model, or a note. */
__attribute__((format(printf, 2, 3))) void model_disbelieve(struct model_result *result, const char *format,
                                                            ...);
__attribute__((format(printf, 2, 3))) void model_note(struct model_result *result, const char *format, ...);

/* Adds the notes. */
void model_take_notes(struct model_result *result, const struct sentences *notes);

/* Adds a sentence to others of the arena, at most 511 bytes of it. */
__attribute__((format(printf, 3, 4))) void sentence_add(struct sentences *sentences, struct arena *arena,
                                                        const char *format, ...);

/* A copy of the text, in which bytes of a letter that was cut are '?'. */
const char *sentence_copy(struct arena *arena, const char *text);

/* Sets a number of how good the fit is; one that is not finite is not stated. */
void model_set_quality(struct model_result *result, const char *name, double value, bool whole);

/* So many points, or repetitions, were left out. */
void model_leave_out(struct model_result *result, const char *reason, size_t points);

/* Adds a part of a prediction; one that is not finite is left out. sum: of other parts. */
void model_add_part(struct model_result *result, const char *name, struct interval at, const char *unit,
                    bool sum);

/* The span, which is given if low is not above high. */
struct model_span model_span(double low, double high, struct arena *arena);

/* Adds a chart (chart.h). */
struct chart *model_chart(struct model_result *result, enum chart_kind kind, const char *title,
                          const char *subtitle, const char *x, const char *y);

/* A bar for each part in that unit but the one named (NULL: none). */
void model_chart_parts(struct model_result *result, const char *title, const char *unit, const char *but,
                       const char *y);

void model_result_free(struct model_result *result);

#endif
