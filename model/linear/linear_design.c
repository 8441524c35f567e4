/* Which points determine a "linear" model of power: the rows of the user's regressors, from the plan. */
#include "model/design/design_form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The power that each regressor is assumed to explain at the first point that has it, W. */
static const double EACH_W = 5;

/* Gets the next regressor of the list *names, per second if it is a count, and advances *names. False at the
 * end of the list. */
static bool next(const char **names, const struct dataset_row *row, char name[LINEAR_NAME_BYTES],
                 double *value)
{
    static const char *const counts[] = {"accesses.", "op.",    "counter.", "instructions",
                                         "loads",     "stores", "cycles",   "passes"};
    size_t length = *names == NULL ? 0 : strcspn(*names, ",");
    if (length == 0)
        return false;
    snprintf(name, LINEAR_NAME_BYTES, "%.*s", (int)length, *names);
    *names += length + ((*names)[length] == ',');
    *value = dataset_number(row, name);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strncmp(name, counts[i], strlen(counts[i])) == 0) {
            *value /= row->seconds;
            break;
        }
    return true;
}

static void add_linear(const struct design_chip *chip, const struct dataset_row *row,
                       struct design_columns *columns)
{
    const char *names = chip->settings->x;
    char name[LINEAR_NAME_BYTES];
    double value;
    while (next(&names, row, name, &value))
        if (value > 0)
            design_add(columns, "", name, EACH_W / value);
    if (chip->settings->intercept)
        design_add(columns, "", "intercept", EACH_W);
}

static size_t fill_linear(const struct design_chip *chip, const struct dataset_row *row,
                          const struct design_columns *columns, double *x)
{
    const char *names = chip->settings->x;
    char name[LINEAR_NAME_BYTES];
    double value;
    while (next(&names, row, name, &value)) {
        if (!isfinite(value))
            return 0;
        design_set(columns, "", name, value, x);
    }
    design_set(columns, "", "intercept", 1, x);
    return 1;
}

static const char *const recipes_of_linear[] = {"traumagen-2001", "ppep-2014/training", NULL};
const struct design_form design_of_linear = {
    .recipes = recipes_of_linear,
    .needs =
        "--x METRIC,... of metrics that the plan gives: counter.NAME, accesses.LEVEL, op.OPERATION, rates",
    .add_columns = add_linear,
    .fill = fill_linear};
