/* Applications whose power a model predicts: their counters and settings. */
#ifndef MODEL_DATA_APPLICATION_H
#define MODEL_DATA_APPLICATION_H

#include "model/data/model_result.h"

struct application {
    const char *name;
    struct named_numbers counters, settings; /* its own settings come after those for all */
    struct sentences notes;                  /* for its prediction */
};

struct applications {
    struct arena *arena; /* of all of this */
    struct application *items;
    size_t count;
};

#endif
