/* Chooses which points of recipes to measure, and how long, so that a model's coefficients get the narrowest
 * intervals in a given time. Nothing runs: points are planned, and what they do is estimated. */
#ifndef SESSION_DESIGN_DESIGN_MEASUREMENT_H
#define SESSION_DESIGN_DESIGN_MEASUREMENT_H

#include "model/model.h"
#include "session/work.h"

struct expected_meter {
    double noise_w;  /* standard deviation of its mean over one second; over t seconds that over sqrt(t) */
    double static_w; /* what the idle chip draws */
};

enum { EXPECTED_DRAWS = 21 };

/* What it would report of a coefficient: half of the 95 % interval's width. */
struct expected_coefficient {
    const char *name, *unit;
    double value, half;
};

struct expected_coefficients {
    struct arena arena; /* owns all */
    struct expected_coefficient *items;
    size_t count;
};

/* NULL: there is none. */
const struct expected_coefficient *expected_find(const struct expected_coefficients *coefficients,
                                                 const char *name);

struct design_request {
    const struct model *model;
    const struct model_settings *settings;
    const struct work *work; /* opened, with the recipes' points */
    double total_s;          /* 0: as long as the recipes take */
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
    size_t points, refused; /* of the recipes; those that cannot be planned, with the first reason: */
    struct error first_refusal;
    double recipes_s, total_s; /* of the recipes as they are; of the design */
    double efficiency;         /* D-efficiency of the allocation before times are rounded, at least */
    struct arena arena;        /* of the sentences and the inflation */
    struct sentences unknown;  /* what no point here tells apart */
    struct expected_coefficients coefficients; /* of the design */
    struct expected_coefficients shipped; /* of the recipes, their times scaled to the same total; none: */
    struct error shipped_error;           /* why their fit is refused */
    struct named_numbers inflation;       /* of the variance of each column in the design */
};

/* STATUS_USAGE, with the reason, when the model has no design, no point is of use, the time is too short, or
 * the fit of the design would be refused. Free the outcome in every case. */
enum status design_measurement(const struct design_request *request, struct design_outcome *outcome,
                               struct error *error);

void design_outcome_free(struct design_outcome *outcome);

/* The text of a recipe that measures these points: the recipes' own text and that of the files which they
 * include, each benchmark limited to the points. how: a comment's line. */
struct buffer;
enum status design_recipe(const struct design_outcome *outcome, const char *how, struct buffer *text,
                          struct error *error);

#endif
