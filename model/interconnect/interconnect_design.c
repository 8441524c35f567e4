/* Which points determine the model "interconnect": pairs that differ in distance. */
#include "model/design/design_form.h"
#include "model/interconnect/interconnect.h"

#include <math.h>
#include <string.h>

static const double STILL = 1e-3;

/* The point's pattern if it does not toggle and is not "zeros"; NULL: it does, or is. */
static const char *still_pattern(const struct dataset_row *row)
{
    const char *pattern = dataset_text(row, "pattern");
    bool still = dataset_number(row, "data.toggle_rate") <= STILL;
    if (!still)
        return NULL;
    return pattern == NULL ? "unnamed" : strcmp(pattern, "zeros") != 0 ? pattern : NULL;
}

/* The point's distance, mm or in paths; NAN: unknown. */
static double distance_of(const struct design_chip *chip, const struct dataset_row *row)
{
    static const char *const words[] = {"path", "side"};
    double path = model_setting(model_interconnect.settings, chip->settings, "distance");
    double distance = dataset_number(row, "parameter.distance");
    for (size_t i = 0; isnan(distance) && i < sizeof words / sizeof words[0]; i++) {
        const char *word = dataset_text(row, words[i]);
        if (word != NULL)
            distance = strcmp(word, "long") == 0 || strcmp(word, "far") == 0 ? isnan(path) ? 1 : path : 0;
    }
    return distance;
}

static void add_interconnect(const struct design_chip *chip, const struct dataset_row *row,
                             struct design_columns *columns)
{
    const char *pattern = still_pattern(row);
    if (isnan(distance_of(chip, row)))
        return;
    design_add(columns, "", "constant", 1);
    design_add(columns, "", "floor", 0.1);
    if (pattern != NULL)
        design_add(columns, "pattern.", pattern, 0.1);
}

static size_t fill_interconnect(const struct design_chip *chip, const struct dataset_row *row,
                                const struct design_columns *columns, double *x)
{
    struct vf_state state = {NAN, NAN};
    double share = dataset_number(row, "parameter.bandwidth_share");
    double toggle = dataset_number(row, "data.toggle_rate");
    double ghz = dataset_number(row, "parameter.ghz");
    double scale = ghz > 0 && chip->machine.clock_ghz > 0 ? ghz / chip->machine.clock_ghz : 1;
    if (vf_of_row(&chip->vf, row, &state) && chip->volts > 0)
        scale *= pow(state.volts / chip->volts, 2);
    double moved = (share > 0 ? share : 1) * distance_of(chip, row) * scale;
    const char *pattern = still_pattern(row);
    if (!isfinite(moved) || !isfinite(toggle))
        return 0;
    design_set(columns, "", "constant", moved * (toggle > STILL ? toggle : 0), x);
    design_set(columns, "", "floor", moved, x);
    if (pattern != NULL)
        design_set(columns, "pattern.", pattern, moved, x);
    return 1;
}

static bool is_of_units(const struct dataset_row *row, double *share)
{
    (void)share;
    return interconnect_is_of_units(row);
}

static const char *const recipes_of_interconnect[] = {"interconnect-2016", NULL};
static const char *const ways[] = {"path", "side", "quadrant", "distance", NULL};
const struct design_form design_of_interconnect = {.recipes = recipes_of_interconnect,
                                                   .needs = "points that differ in path, side or distance",
                                                   .together = ways,
                                                   .contrasts = true,
                                                   .tests = is_of_units,
                                                   .add_columns = add_interconnect,
                                                   .fill = fill_interconnect};
