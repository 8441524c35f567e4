/* Settings of models: the numbers that a user gives a fit or a prediction (--set NAME=VALUE). */
#ifndef MODEL_DATA_SETTING_H
#define MODEL_DATA_SETTING_H

#include <stdbool.h>
#include <stddef.h>

enum { MODEL_SETTINGS = 48 };

/* A model's settings from the command line. */
struct model_setting {
    const char *name;
    double value;
};

struct model_settings {
    struct model_setting items[MODEL_SETTINGS];
    size_t count;
    const char *y, *x; /* of the model linear: the metric that is fitted, and its regressors, separated by
                        * commas; NULL: not given */
    bool intercept, non_negative;
};

/* One setting that a model accepts. */
struct model_setting_row {
    const char *name, *what;
    double fallback; /* NAN: computed, or not used */
};

/* The row with that name; NULL: there is none. rows: a NULL name ends them; NULL: none. */
const struct model_setting_row *model_setting_row(const struct model_setting_row *rows, const char *name);

/* The setting (the last of that name), or its row's default; NAN: neither. */
double model_setting(const struct model_setting_row *rows, const struct model_settings *settings,
                     const char *name);

/* Whether the pattern equals the name or, if it ends in "*", is a prefix of it. */
bool model_matches(const char *pattern, const char *name);

#endif
