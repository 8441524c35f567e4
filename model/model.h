/* Energy models (DESIGN.md section 10): each is one file and one row in the table of models.c. A model is
 * fitted to results, stored as a JSON document, and applied to an application's counters. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/error.h"
#include "base/stats.h"
#include "model/data/dataset.h"
#include "model/fitting/fitted.h"
#include "model/fitting/linear.h"

#include <jansson.h>
#include <stddef.h>

enum { MODEL_SCHEMA = 1, MODEL_SETTINGS = 48 };

/* A model's settings from the command line. */
struct model_setting {
    const char *name;
    double value;
};

struct model_settings {
    struct model_setting items[MODEL_SETTINGS];
    size_t count;
    const char *y,
        *x; /* of the model linear: what is fitted, and its regressors, with commas; NULL: not given */
    bool intercept, non_negative;
};

/* One setting that a model accepts. */
struct model_setting_row {
    const char *name, *what;
    double fallback; /* NAN: computed, or not used */
};

/* A coefficient that physics requires to be at least 0: its name, or a prefix followed by "*"; and the likely
 * cause of a negative one. */
struct model_bound {
    const char *name, *cause;
};

/* What a row is a repetition of ("MB_MEM", "L2 at 8 threads"); NULL when the row is irrelevant. The next call
 * may overwrite the text; buffer has MODEL_LABEL_BYTES for it. */
enum { MODEL_LABEL_BYTES = 96 };
typedef const char *model_label(const struct dataset_row *row, char *buffer);

struct design_form; /* model/design/design_form.h */

struct model {
    const char *name;                         /* "access-energy" */
    const char *title;                        /* one line */
    const char *page;                         /* its assumptions and when not to trust it, a few paragraphs */
    const struct model_setting_row *settings; /* a NULL name ends it; NULL: none */
    const char *const *fit_only, *const *predict_only; /* settings' names, or prefixes with "*" */
    const struct model_bound *bounds;                  /* a NULL name ends it; NULL: none */
    model_label *label; /* NULL: the model itself detects a saturated meter (saturation.h) */
    bool ends_by_point; /* a point at the end of the meter's range does not affect others of its label */
    bool of_processors; /* its counters and programs are those of a processor, not of a GPU */
    bool own_idle;      /* it subtracts idle power by temperature itself, so that total power may follow it */
    bool of_coolings;   /* fitted to the time after the runs, so that faults of the runs do not matter */

    const struct design_form *design; /* which points determine it (design/design_form.h); NULL: not known */

    /* Sets document["coefficients"], ["quality"], ["notes"] and what else predict needs, and leaves its
     * regressions in fitted, which is empty and belongs to the caller. STATUS_USAGE, with the reason, when
     * the data does not allow it. */
    enum status (*fit)(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, json_t *document, struct error *error);

    /* Predicts from the counters ({name: number}): rows of {"part", "value", "low", "high", "unit"} and
     * further results of the model. New reference in *result. STATUS_USAGE when a required counter is
     * missing. */
    enum status (*predict)(const json_t *document, const json_t *counters,
                           const struct model_settings *settings, json_t **result, struct error *error);
};

extern const struct design_form design_of_access_energy, design_of_idle, design_of_incremental,
    design_of_interconnect, design_of_linear, design_of_ppep;

extern const struct model model_access_energy;
extern const struct model model_interconnect;
extern const struct model model_incremental;
extern const struct model model_idle;
extern const struct model model_linear;
extern const struct model model_ppep;

/* The table; NULL-terminated. */
extern const struct model *const models[];

/* STATUS_USAGE, with the nearest name, when there is no such model. */
enum status model_find(const char *name, const struct model **model, struct error *error);

/* Fits the model to the usable part of the data (left_out.h, saturation.h), and checks data and coefficients
 * against physical limits (possible.h). Errors as the model's own fit. */
enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, json_t *document, struct error *error);

/* The row of the model's setting; NULL: there is no such setting. */
const struct model_setting_row *model_setting_row(const struct model *model, const char *name);

/* The setting, or the model's default. */
double model_setting(const struct model *model, const struct model_settings *settings, const char *name);

/* Predicts from counters that are possible (counters.h); objections that the fit recorded against the model
 * come before all notes. Errors as the model's own predict. */
enum status model_predict(const struct model *model, const json_t *document, const json_t *counters,
                          const struct model_settings *settings, json_t **result, struct error *error);

/* STATUS_USAGE for a setting that the model does not accept, or does not use when fitting, or predicting. */
enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 bool predicting, struct error *error);

/* STATUS_USAGE for a name that the model does not know: one close to a setting's name or, beside settings,
 * one that is not a counter's either. */
enum status model_check_name(const struct model *model, const char *name, bool beside_settings,
                             struct error *error);

/* Adds coefficients[name] = {"value", "low", "high", "n", "unit"}. */
void model_set_coefficient(json_t *document, const char *name, struct interval interval, const char *unit);

/* Reads a stored coefficient. False when the document does not have it. */
bool model_coefficient(const json_t *document, const char *name, struct interval *interval);

/* Whether the pattern equals the name or, if it ends in "*", is a prefix of it. */
bool model_matches(const char *pattern, const char *name);

/* Adds a sentence to document["disbelief"]: why the model is not to be trusted; shown before everything
 * else. */
__attribute__((format(printf, 2, 3))) void model_disbelieve(json_t *document, const char *format, ...);

/* Adds a sentence to document["notes"]. */
__attribute__((format(printf, 2, 3))) void model_note(json_t *document, const char *format, ...);

/* Appends the notes in told to the document's own. */
void model_take_notes(json_t *document, const json_t *told);

#endif
