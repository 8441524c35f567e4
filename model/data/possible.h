/* Physical limits: rejects energies that cannot have been measured and coefficients that no machine has. */
#ifndef MODEL_DATA_POSSIBLE_H
#define MODEL_DATA_POSSIBLE_H

#include "base/error.h"
#include "model/data/dataset.h"
#include "model/data/model_result.h"

/* A coefficient that physics requires to be at least 0: its name, or a prefix followed by "*"; and the likely
 * cause of a negative one. */
struct model_bound {
    const char *name, *cause;
};

/* STATUS_USAGE, with the likely cause, when an energy or an idle level is negative, when a point's energies
 * differ from its power.total_w times its time, or when most points draw less than their own idle level. */
enum status possible_energies(const struct dataset *dataset, struct error *error);

/* STATUS_USAGE, with the likely cause, when a coefficient that the bounds declare non-negative has an
 * interval wholly below 0. bounds: a NULL name ends them; NULL: none. */
enum status possible_coefficients(const struct model_bound *bounds, const struct model_result *result,
                                  struct error *error);

#endif
