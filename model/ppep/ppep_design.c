/* Which points determine the model "ppep": rows of events per second, from the plan. */
#include "model/design/design_form.h"
#include "model/ppep/ppep.h"

#include <math.h>
#include <stdio.h>

/* Typical energies of the events, J, and the typical exponent of the voltage. */
static const double event_j[PPEP_EVENTS] = {0.8e-9, 1.2e-9, 1e-9,  0.9e-9, 6e-9,
                                            0.7e-9, 15e-9,  25e-9, 0.25e-9};
static const double ALPHA = 2.2;

static bool leaves_out(const struct design_chip *chip, size_t event)
{
    char name[48];
    snprintf(name, sizeof name, "without_%s", ppep_events[event].name);
    return model_setting(model_ppep.settings, chip->settings, name) > 0;
}

static void add_ppep(const struct design_chip *chip, const struct dataset_row *row,
                     struct design_columns *columns)
{
    struct vf_state state;
    design_add(columns, "", "awake", 0);
    for (size_t i = 0; i < PPEP_EVENTS; i++)
        if (!leaves_out(chip, i))
            design_add(columns, "w.", ppep_events[i].name, event_j[i]);
    bool fixed = isfinite(model_setting(model_ppep.settings, chip->settings, "alpha"));
    if (!fixed && vf_of_row(&chip->vf, row, &state) && fabs(state.volts - chip->volts) > 1e-3)
        design_add(columns, "", "alpha", 0); /* a step from the exponent: it has no power of its own */
}

static size_t fill_ppep(const struct design_chip *chip, const struct dataset_row *row,
                        const struct design_columns *columns, double *x)
{
    struct vf_state state;
    double scaled = 0;
    if (!vf_of_row(&chip->vf, row, &state))
        return 0;
    design_set(columns, "", "awake", 1, x);
    double scale = pow(state.volts / chip->volts, ALPHA);
    for (size_t i = 0; i < PPEP_EVENTS; i++) {
        double rate = design_number(row, "counter.", ppep_events[i].names[0]) / row->seconds;
        double value = rate * (ppep_events[i].scaled ? scale : 1);
        design_set(columns, "w.", ppep_events[i].name, value, x);
        scaled += ppep_events[i].scaled ? event_j[i] * value : 0;
    }
    design_set(columns, "", "alpha", scaled * log(state.volts / chip->volts), x);
    return 1;
}

static const char *const recipes_of_ppep[] = {"ppep-2014", NULL};
const struct design_form design_of_ppep = {.recipes = recipes_of_ppep,
                                           .needs = "voltages and clocks: vf = { { volts =, ghz = } } in the "
                                                    "machine file, or --set vf1_volts=V vf1_ghz=GHZ",
                                           .add_columns = add_ppep,
                                           .fill = fill_ppep};
