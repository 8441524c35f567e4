/* Which points determine the model "idle": coolings at the machine's voltages. */
#include "model/design/design_form.h"

#include <math.h>

static const double COOLING_S = 300; /* the assumed length of a cooling */

/* The voltage of the point; 1 if the machine has no table of states. False when it is unknown. */
static bool volts_of(const struct design_chip *chip, const struct dataset_row *row, double *volts)
{
    struct vf_state state = {1, NAN};
    bool known = chip->vf.count == 0 || vf_of_row(&chip->vf, row, &state);
    *volts = state.volts;
    return known;
}

/* Adds columns for as many powers of the voltage as the machine's states determine, up to the third. */
static void add_idle(const struct design_chip *chip, const struct dataset_row *row,
                     struct design_columns *columns)
{
    static const char *const powers[][2] = {{"1", "T"}, {"V", "T V"}, {"V^2", "T V^2"}, {"V^3", "T V^3"}};
    static const double nominal[][2] = {{18, 6}, {6, 3}, {1, 0.5}, {0.2, 0.1}};
    double volts;
    size_t states = chip->vf.count < 1 ? 1 : chip->vf.count > 4 ? 4 : chip->vf.count;
    if (!volts_of(chip, row, &volts))
        return;
    for (size_t i = 0; i < states; i++)
        for (size_t j = 0; j < 2; j++)
            design_add(columns, "", powers[i][j], nominal[i][j]);
    for (size_t i = 2; states == 1 && i < 4; i++)
        design_add(columns, "", i == 2 ? "T^2" : "T^3", 0.3);
}

static size_t fill_idle(const struct design_chip *chip, const struct dataset_row *row,
                        const struct design_columns *columns, double *x)
{
    static const char *const powers[][4] = {{"1", "V", "V^2", "V^3"}, {"T", "T V", "T V^2", "T V^3"}};
    double volts, low = INFINITY, high = -INFINITY;
    if (!volts_of(chip, row, &volts))
        return 0;
    for (size_t i = 0; i < chip->vf.count; i++) {
        low = fmin(low, chip->vf.states[i].volts);
        high = fmax(high, chip->vf.states[i].volts);
    }
    double v = high > low ? (2 * volts - low - high) / (high - low) : 0;
    for (size_t k = 0; k < DESIGN_ROWS; k++) {
        double t =
            (2 * design_celsius(COOLING_S * ((double)k + 0.5) / DESIGN_ROWS) - DESIGN_HOT_C - DESIGN_COLD_C) /
            (DESIGN_HOT_C - DESIGN_COLD_C);
        double *own = x + k * columns->count;
        for (size_t i = 0; i < 2; i++)
            for (size_t j = 0; j < 4; j++)
                design_set(columns, "", powers[i][j], pow(t, (double)i) * pow(v, (double)j), own);
        design_set(columns, "", "T^2", t * t, own);
        design_set(columns, "", "T^3", t * t * t, own);
    }
    return DESIGN_ROWS;
}

static const char *const recipes_of_idle[] = {"ppep-2014/heat-and-cool", "interconnect-2016/amd-idle", NULL};
const struct design_form design_of_idle = {.recipes = recipes_of_idle,
                                           .needs = "points whose voltage is known",
                                           .cools = true,
                                           .add_columns = add_idle,
                                           .fill = fill_idle};
