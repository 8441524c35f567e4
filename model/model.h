/* Energy models (DESIGN.md section 10): each one file and one row in the table of models.c. Fitted from
 * results, kept as a JSON document, and used on an application's counters. */
#ifndef MODEL_MODEL_H
#define MODEL_MODEL_H

#include "base/error.h"
#include "base/stats.h"
#include "model/dataset.h"
#include "model/linear.h"
#include "model/saturation.h"

#include <jansson.h>
#include <stddef.h>

enum { MODEL_SCHEMA = 1, MODEL_SETTINGS = 48, MODEL_RESAMPLES = 2000 };

/* What the command line says of a model beyond its data. */
struct model_setting {
    const char *name;
    double value;
};

struct model_settings {
    struct model_setting items[MODEL_SETTINGS];
    size_t count;
};

/* One setting that a model takes. */
struct model_setting_row {
    const char *name, *what;
    double fallback; /* NAN: computed, or not used */
};

/* A coefficient that physics holds at 0 and above: its name, or how names begin, with a "*"; and the likely
 * cause of one that is below. */
struct model_bound {
    const char *name, *cause;
};

struct model {
    const char *name;  /* "access-energy" */
    const char *title; /* one line */
    const char *page;  /* what it assumes and when not to believe it, a few paragraphs */
    const struct model_setting_row *settings; /* ends with a name of NULL; NULL: none */
    const char *const *fit_only,
        *const *predict_only;         /* of the settings: names, or how they begin, with a "*" */
    const struct model_bound *bounds; /* ends with a name of NULL; NULL: none */
    saturation_label *label;          /* saturation.h; NULL: the model looks for a meter's end itself */
    bool ends_by_point;               /* a point at a meter's end says nothing against others of its label */
    bool of_coolings; /* fitted to what comes after the runs, so that what is said of these does not matter */

    /* Sets document["coefficients"], ["quality"], ["validation"], ["notes"] and what else predict needs.
     * STATUS_USAGE, with the reason, when the data does not allow it. */
    enum status (*fit)(const struct dataset *dataset, const struct model_settings *settings, json_t *document,
                       struct error *error);

    /* Breaks down what the counters say ({name: number}): rows of {"part", "value", "low", "high", "unit"}
     * and what else the model tells. New reference in *result. STATUS_USAGE when a counter that it needs is
     * missing. */
    enum status (*predict)(const json_t *document, const json_t *counters,
                           const struct model_settings *settings, json_t **result, struct error *error);
};

extern const struct model model_access_energy;
extern const struct model model_interconnect;
extern const struct model model_incremental;
extern const struct model model_idle;
extern const struct model model_ppep;

/* The table; NULL-terminated. */
extern const struct model *const models[];

/* STATUS_USAGE, with the nearest name, when there is no such model. */
enum status model_find(const char *name, const struct model **model, struct error *error);

/* Fits the model to what of the data may be fitted to (left_out.h, saturation.h), and holds data and
 * coefficients against what physics allows (possible.h). As the model's own fit. */
enum status model_fit(const struct model *model, struct dataset *dataset,
                      const struct model_settings *settings, json_t *document, struct error *error);

/* The setting, or the model's own value. */
double model_setting(const struct model *model, const struct model_settings *settings, const char *name);

/* Predicts from counters that can be (counters.h); what a fit said against the model comes before all notes.
 * As the model's own predict. */
enum status model_predict(const struct model *model, const json_t *document, const json_t *counters,
                          const struct model_settings *settings, json_t **result, struct error *error);

/* STATUS_USAGE for a setting that the model does not take, or has no use for when it is fitted, or predicts.
 */
enum status model_check_settings(const struct model *model, const struct model_settings *settings,
                                 bool predicting, struct error *error);

/* STATUS_USAGE for a name that tells the model nothing: nearly that of a setting, or, beside settings, that
 * of no counter either. */
enum status model_check_name(const struct model *model, const char *name, bool beside_settings,
                             struct error *error);

/* Adds coefficients[name] = {"value", "low", "high", "n", "unit"}. */
void model_set_coefficient(json_t *document, const char *name, struct interval interval, const char *unit);

/* The coefficient as it was kept. False when the document has none. */
bool model_coefficient(const json_t *document, const char *name, struct interval *interval);

/* Whether the pattern is the name or, with a "*" at its end, how it begins. */
bool model_matches(const char *pattern, const char *name);

/* Adds a sentence to document["disbelief"]: why the model is not to be believed, which is told before all
 * else. */
__attribute__((format(printf, 2, 3))) void model_disbelieve(json_t *document, const char *format, ...);

/* Adds a sentence to document["notes"]. */
__attribute__((format(printf, 2, 3))) void model_note(json_t *document, const char *format, ...);

/* Adds the notes of what was told to the document's own. */
void model_take_notes(json_t *document, const json_t *told);

#endif
