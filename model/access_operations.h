/* What an operation beside each load costs (Delestrac et al. 2024, section VI-D): the energy of a load with
 * it less that of the load alone, at the same level, with as many threads. For the model "access-energy". */
#ifndef MODEL_ACCESS_OPERATIONS_H
#define MODEL_ACCESS_OPERATIONS_H

#include "model/dataset.h"
#include "model/least.h"

#include <jansson.h>
#include <stddef.h>

/* What the sweep puts beside each load: its parameter that bears an operation's name. */
struct access_beside {
    const char *operation; /* "div"; NULL: no such parameter */
    double count;          /* of each load; 0: none */
};

/* One slope of energy over accesses. */
struct access_slope {
    const char *level;
    double threads, blocks; /* of a block; on each multiprocessor, or NAN */
    struct access_beside beside;
    double sharing; /* loads that one access serves: threads of a sector */
    struct least_estimate epsilon;
};

struct access_beside access_beside_of(const struct dataset_row *row);

/* Loads of threads over the accesses that they come to, at that level; 1 where the results do not tell. */
double access_sharing(const struct dataset_row *row, const char *level);

/* Adds a chart of the energy of one access over the threads of a block (the paper's figures 6 and 7). */
void access_threads_draw(const struct access_slope *slopes, size_t count, json_t *document);

/* Adds document["operations"], a row for each slope with an operation that has one without beside it, the
 * coefficient "OPERATION.LEVEL" (J) at the most threads, and a chart over threads. */
void access_operations_set(const struct access_slope *slopes, size_t count, json_t *document);

#endif
