/* Energy models (DESIGN.md section 10): each is a folder and a row in the table of models.c. A model is
 * fitted to results, stored as a JSON document, and applied to an application's counters. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/error.h"
#include "model/data/dataset.h"
#include "model/data/model_result.h"
#include "model/data/saturation.h"
#include "model/data/setting.h"
#include "model/fitting/fitted.h"
#include "model/fitting/linear.h"

#include <stddef.h>

enum { MODEL_SCHEMA = 1 };

/* A coefficient that physics requires to be at least 0: its name, or a prefix followed by "*"; and the likely
 * cause of a negative one. */
struct model_bound {
    const char *name, *cause;
};

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
    bool own_idle; /* it subtracts idle power by temperature itself: total power may depend on temperature */
    bool by_core;  /* it predicts from the counters of each core: "core0.cycles" */
    bool of_coolings; /* it is fitted to the time after the runs: faults of the runs do not matter */

    const struct design_form *design; /* which points determine it; NULL: unknown */

    /* The members of the document that only this model has: a struct of own_size bytes (0: none), described
     * by own_rows and initialised with own_none (NULL: zeros). */
    const struct field_row *own_rows;
    size_t own_size;
    const void *own_none;

    /* Sets the result's coefficients, quality, notes and what else predict needs, and leaves its regressions
     * in fitted, which is empty and belongs to the caller. STATUS_USAGE, with the reason, when the data does
     * not allow it. */
    enum status (*fit)(const struct dataset *dataset, const struct model_settings *settings,
                       struct fitted *fitted, struct model_result *result, struct error *error);

    /* Predicts parts and further results of the model from the counters. STATUS_USAGE when a required
     * counter is missing. */
    enum status (*predict)(const struct model_result *model, const struct named_numbers *counters,
                           const struct model_settings *settings, struct model_result *result,
                           struct error *error);
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

/* Allocates the result's own part and returns it; NULL: the model has none. */
void *model_make_own(const struct model *model, struct model_result *result);

/* Fits the model to the usable part of the data (saturation.h), and checks data and coefficients against
 * physical limits. result: empty, except for its origin and earlier notes. Errors as the model's own fit.
 * Free the result in every case. */
enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, struct model_result *result,
                      struct error *error);

/* Predicts from counters that are possible (counters.h); objections that the fit recorded against the model
 * come before all notes. result: empty. Errors as the model's own predict. Free the result in every case. */
enum status model_predict(const struct model *model, const struct model_result *fitted,
                          const struct named_numbers *counters, const struct model_settings *settings,
                          struct model_result *result, struct error *error);

/* STATUS_USAGE for a setting that the model does not accept, or does not use when fitting or, with
 * predicting, when predicting. */
enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 bool predicting, struct error *error);

/* Checks a name that may be a setting or a counter. STATUS_USAGE for a misspelt setting and, if the name
 * stands beside settings, for one that is no counter. */
enum status model_check_name(const struct model *model, const char *name, bool beside_settings,
                             struct error *error);

#endif
