/* The table of models. */
#include "base/text/suggest.h"
#include "model/model.h"

#include <string.h>

const struct model *const models[] = {
    &model_access_energy, &model_idle, &model_incremental, &model_interconnect, &model_linear,
    &model_ppep,          NULL};

enum { NAMES_MOST = 64 };

enum status model_find(const char *name, const struct model **model, struct error *error)
{
    const char *names[NAMES_MOST];
    size_t count = 0;
    for (size_t i = 0; models[i] != NULL; i++) {
        if (strcmp(models[i]->name, name) == 0) {
            *model = models[i];
            return STATUS_OK;
        }
        names[count++] = models[i]->name;
    }
    error_set(error, STATUS_USAGE, "there is no model '%s'", name);
    suggest_hint(error, name, names, count, "trauma fit --help lists the models");
    return STATUS_USAGE;
}
