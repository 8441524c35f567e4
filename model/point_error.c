#include "model/point_error.h"

#include <math.h>

enum { DOUBLINGS = 80, BISECTIONS = 60 };

/* Degrees that what is assumed counts for. */
static const double ASSUMED_FREEDOM = 100;

/* Of fewer, an interval would be as good as none. */
static const double LEAST_FREEDOM = 3;

/* The sum of squares over their variance with that square of the share, less the degrees: falls with it. */
static double excess(const struct point_residual *residuals, size_t count, double squared)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += residuals[i].off / (residuals[i].variance + squared * residuals[i].squared) -
               residuals[i].freedom;
    return sum;
}

static double solve(const struct point_residual *residuals, size_t count)
{
    double low = 0;
    double high = 1e-12;
    if (!(excess(residuals, count, 0) > 0))
        return 0;
    for (int i = 0; i < DOUBLINGS && excess(residuals, count, high) > 0; i++)
        high *= 2;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = (low + high) / 2;
        if (excess(residuals, count, middle) > 0)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

/* Whether few are further off than what is assumed explains, but for one of a hundred cases (chi squared). */
static bool contradicts(const struct point_residual *residuals, size_t count, double freedom, double assumed)
{
    static const double chance[] = {6.63, 9.21, 11.34};
    size_t left = (size_t)fmax(1, fmin(freedom, 3));
    return freedom > 0 &&
           excess(residuals, count, assumed * assumed) + freedom > chance[left - 1] * fmax(1, freedom / 3);
}

struct point_error point_error_of(const struct point_residual *residuals, size_t count, double assumed)
{
    double freedom = 0;
    for (size_t i = 0; i < count; i++)
        freedom += residuals[i].freedom;
    if (freedom >= POINT_ERROR_LEAST || contradicts(residuals, count, freedom, assumed))
        return (struct point_error){sqrt(solve(residuals, count)), fmax(LEAST_FREEDOM, freedom), false};
    return (struct point_error){assumed, ASSUMED_FREEDOM, true};
}

double point_error_assumed(const struct model *model, const struct model_settings *settings)
{
    return model_setting(model, settings, "point_error") / 100;
}

void point_error_tell(struct point_error error, json_t *document)
{
    json_object_set_new(document, "point_error",
                        json_pack("{s:f, s:b}", "percent", 100 * error.share, "assumed", error.assumed));
    if (error.assumed && error.share > 0)
        model_note(document,
                   "too few points tell how far whole points are off: %.3g %% of their power is assumed, and "
                   "is in the intervals; more points tell it, --set point_error=PERCENT sets it",
                   100 * error.share);
}
