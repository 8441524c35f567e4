/* Physical limits: rejects energies that cannot have been measured and coefficients that no machine has. */
#ifndef MODEL_DATA_POSSIBLE_H
#define MODEL_DATA_POSSIBLE_H

#include "model/model.h"

/* STATUS_USAGE, with the likely cause, when an energy or an idle level is negative, when a point's energies
 * differ from its power.total_w times its time, or when most points draw less than their own idle level. */
enum status possible_energies(const struct dataset *dataset, struct error *error);

/* STATUS_USAGE, with the likely cause, when a coefficient that the model declares non-negative has an
 * interval wholly below 0. */
enum status possible_coefficients(const struct model *model, const json_t *document, struct error *error);

#endif
