/* Chooses which points of recipes to measure, and for how long, so that a model's coefficients get the
 * narrowest intervals in a given time. Nothing runs: points are planned, and their time and counts are
 * estimated. */
#ifndef SESSION_DESIGN_DESIGN_MEASUREMENT_H
#define SESSION_DESIGN_DESIGN_MEASUREMENT_H

#include "model/model.h"
#include "session/work.h"

struct expected_meter {
    double noise_w;  /* standard deviation of a mean over one second; over t seconds, noise_w / sqrt(t) */
    double static_w; /* power of the idle chip */
};

enum { EXPECTED_DRAWS = 21 };

/* A coefficient that the fit would report. half: half of the width of its 95 % interval. */
struct expected_coefficient {
    const char *name, *unit;
    double value, half;
};

struct expected_coefficients {
    struct arena arena; /* owns the items */
    struct expected_coefficient *items;
    size_t count;
};

/* The coefficient of that name; NULL: there is none. */
const struct expected_coefficient *expected_find(const struct expected_coefficients *coefficients,
                                                 const char *name);

struct design_request {
    const struct model *model;
    const struct model_settings *settings;
    const struct work *work; /* opened, with the recipes' points */
    double total_s;          /* 0: the time of the recipes */
    struct expected_meter meter;
};

/* A chosen point. */
struct design_line {
    const struct work_item *item;
    const struct result_point *point; /* in the outcome's dataset */
    double reps, time_s, idle_before_s, idle_after_s, total_s;
};

struct design_outcome {
    struct design_line *lines; /* owned */
    struct dataset dataset;    /* the recipes' points, of one repetition */
    size_t count;
    size_t points;                             /* of the recipes */
    size_t refused;                            /* points that cannot be planned */
    struct error first_refusal;                /* why the first of them cannot be */
    double recipes_s, total_s;                 /* time of the recipes, and of the design */
    double efficiency;                         /* lower bound of the D-efficiency, before times are rounded */
    struct arena arena;                        /* of the sentences and the inflation */
    struct sentences unknown;                  /* combinations of columns that no point distinguishes */
    struct expected_coefficients coefficients; /* of the design */
    struct expected_coefficients shipped; /* of the recipes, scaled to the same total time; may be empty */
    struct error shipped_error;           /* why `shipped` is empty */
    struct named_numbers inflation;       /* variance inflation of each column in the design */
};

/* STATUS_USAGE, with the reason, when the model has no design, no point is useful, the time is too short, or
 * the fit of the design would be refused. Free the outcome in every case. */
enum status design_measurement(const struct design_request *request, struct design_outcome *outcome,
                               struct error *error);

void design_outcome_free(struct design_outcome *outcome);

/* Writes a recipe that measures these points: the texts of the recipes and of the files that they include,
 * with each benchmark limited to the points. how: a line for its comment. */
struct buffer;
enum status design_recipe(const struct design_outcome *outcome, const char *how, struct buffer *text,
                          struct error *error);

#endif
