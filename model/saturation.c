#include "model/saturation.h"

#include <math.h>
#include <string.h>

static const double SAME = 1e-5;

static double watts_of(const struct dataset_row *row)
{
    return row->dynamic_j / row->seconds + row->static_w;
}

static double highest(const struct dataset *dataset, saturation_label *label)
{
    char text[SATURATION_LABEL];
    double most = -INFINITY;
    for (size_t i = 0; i < dataset->count; i++)
        if (isfinite(watts_of(&dataset->rows[i])) && label(&dataset->rows[i], text) != NULL)
            most = fmax(most, watts_of(&dataset->rows[i]));
    return most;
}

/* Labels that reach the highest watts, and how often. */
struct seen {
    char label[2][SATURATION_LABEL];
    size_t count[2];
};

static void see(struct seen *seen, const char *label)
{
    for (size_t i = 0; i < 2; i++) {
        if (seen->count[i] > 0 && strcmp(seen->label[i], label) != 0)
            continue;
        strncpy(seen->label[i], label, SATURATION_LABEL - 1);
        seen->count[i]++;
        return;
    }
}

enum status saturation_check(const struct dataset *dataset, saturation_label *label, struct error *error)
{
    double most = highest(dataset, label);
    struct seen seen = {0};
    for (size_t i = 0; i < dataset->count; i++) {
        char text[SATURATION_LABEL];
        const char *found = label(&dataset->rows[i], text);
        if (found != NULL && watts_of(&dataset->rows[i]) >= most - SAME * fabs(most))
            see(&seen, found);
    }
    if (seen.count[0] < 2 || seen.count[1] < 2)
        return STATUS_OK;
    error_set(
        error, STATUS_USAGE,
        "the meter is saturated: %s and %s both read %.6g W, the most of all, in %zu and %zu repetitions",
        seen.label[0], seen.label[1], most, seen.count[0], seen.count[1]);
    error_hint(error, "choose a range of the meter that holds the highest power, and measure anew");
    return STATUS_USAGE;
}
