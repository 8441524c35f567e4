#include "model/data/vf.h"

#include "model/data/point_clock.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SAME_CLOCK = 0.02;

void vf_read(const struct recorded_machine *machine, const struct model_setting_row *rows,
             const struct model_settings *settings, struct vf_table *table)
{
    *table = (struct vf_table){.count = machine->vf_count, .clock_ghz = machine->clock_ghz};
    memcpy(table->states, machine->vf, sizeof table->states);
    for (size_t i = 0, count = 0; i < VF_SETTINGS; i++) {
        char volts[16];
        char ghz[16];
        snprintf(volts, sizeof volts, "vf%zu_volts", i + 1);
        snprintf(ghz, sizeof ghz, "vf%zu_ghz", i + 1);
        const struct vf_state state = {model_setting(rows, settings, volts),
                                       model_setting(rows, settings, ghz)};
        if (!(state.volts > 0 && state.ghz > 0))
            continue;
        table->states[count++] = state;
        table->count = count;
    }
}

const struct vf_state *vf_at(const struct vf_table *table, double ghz)
{
    const struct vf_state *nearest = NULL;
    for (size_t i = 0; i < table->count; i++)
        if (fabs(table->states[i].ghz - ghz) <= SAME_CLOCK * ghz &&
            (nearest == NULL || fabs(table->states[i].ghz - ghz) < fabs(nearest->ghz - ghz)))
            nearest = &table->states[i];
    return nearest;
}

/* The clock was requested but not set, according to the point's record. */
static bool not_set(const struct dataset_row *row)
{
    const struct manifest_words *unmet = &row->point->state.unmet;
    for (size_t i = 0; i < unmet->count; i++) {
        const char *sentence = unmet->items[i];
        if (sentence != NULL && strstr(sentence, "frequency") != NULL)
            return true;
    }
    return false;
}

bool vf_of_row(const struct vf_table *table, const struct dataset_row *row, struct vf_state *state)
{
    double volts = dataset_number(row, "parameter.volts");
    double ghz = dataset_number(row, "parameter.ghz");
    double index = dataset_number(row, "parameter.vf");
    double observed = clock_observed(row);
    if (volts > 0 && ghz > 0) {
        *state = (struct vf_state){volts, ghz};
    } else if (index >= 1 && index <= (double)table->count) {
        *state = table->states[(size_t)index - 1];
    } else {
        double clock = ghz > 0 ? ghz : observed > 0 ? observed : table->clock_ghz;
        const struct vf_state *found = vf_at(table, clock);
        if (found == NULL)
            return false;
        *state = *found;
    }
    if (isnan(observed) && not_set(row) && (ghz > 0 || index >= 1))
        return false;
    return !(fabs(observed - state->ghz) > CLOCK_APART * state->ghz);
}
