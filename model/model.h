/* Energy models (DESIGN.md section 10): each is a folder and a row in the table of models.c. A model is
 * fitted to results, stored as a JSON document, and applied to an application's counters. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/error.h"
#include "model/data/dataset.h"
#include "model/data/model_document.h"
#include "model/data/possible.h"
#include "model/data/saturation.h"
#include "model/data/setting.h"
#include "model/fitting/fitted.h"
#include "model/fitting/linear.h"

#include <jansson.h>
#include <stddef.h>

enum { MODEL_SCHEMA = 1 };

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
    bool by_core;       /* it predicts from the counters of each core: "core0.cycles" */
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

#endif
