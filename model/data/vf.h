/* A machine's voltage-frequency states, and the state in which a point ran. */
#ifndef MODEL_DATA_VF_H
#define MODEL_DATA_VF_H

#include "model/data/dataset.h"
#include "model/data/setting.h"
#include "runner/results/recorded_machine.h"

#include <stdbool.h>
#include <stddef.h>

enum { VF_SETTINGS = 5 };

struct vf_table {
    struct vf_state states[VF_MOST]; /* in the order of the machine file, starting with VF1 */
    size_t count;
    double clock_ghz; /* of the machine without a set state; NAN: unknown */
};

/* Rows of settings that supply the table if the machine file has none: vf1_volts, vf1_ghz, ... vf5_ghz. */
#define VF_SETTING_ROWS                                                                                      \
    {"vf1_volts", "voltage of the first state, V (else the machine file's vf)", NAN},                        \
        {"vf1_ghz", "its clock, GHz", NAN}, {"vf2_volts", "of the second", NAN},                             \
        {"vf2_ghz", "its clock", NAN}, {"vf3_volts", "of the third", NAN}, {"vf3_ghz", "its clock", NAN},    \
        {"vf4_volts", "of the fourth", NAN}, {"vf4_ghz", "its clock", NAN},                                  \
        {"vf5_volts", "of the fifth", NAN},                                                                  \
    {                                                                                                        \
        "vf5_ghz", "its clock", NAN                                                                          \
    }

/* Fills the table from the settings; without them from the machine file. */
void vf_read(const struct recorded_machine *machine, const struct model_setting_row *rows,
             const struct model_settings *settings, struct vf_table *table);

/* The state at the clock, within 2 %; NULL when there is none. */
const struct vf_state *vf_at(const struct vf_table *table, double ghz);

/* The state of a repetition: from its parameters volts and ghz, vf (from 1) or ghz, else the observed clock,
 * else the machine's. False when none is known, and when the state was not set: the observed clock differs
 * from it by more than 2 %. */
bool vf_of_row(const struct vf_table *table, const struct dataset_row *row, struct vf_state *state);

#endif
