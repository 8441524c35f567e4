#include "session/predict/model_settings.h"

#include "base/units.h"

#include <string.h>

enum status model_settings_read(const struct override *given, size_t count, const struct model *model,
                                bool predicting, struct model_settings *settings, struct error *error)
{
    *settings = (struct model_settings){0};
    for (size_t i = 0; i < count; i++) {
        double value;
        for (size_t j = 0; j < i; j++)
            if (strcmp(given[j].name, given[i].name) == 0)
                return error_set(error, STATUS_USAGE, "--set %s is given twice", given[i].name);
        if (settings->count == MODEL_SETTINGS)
            return error_set(error, STATUS_USAGE, "more than %d settings", MODEL_SETTINGS);
        if (!units_parse_number(given[i].values, &value))
            return error_set(error, STATUS_USAGE, "--set %s=%s: expected a number", given[i].name,
                             given[i].values);
        settings->items[settings->count++] = (struct model_setting){given[i].name, value};
    }
    return model_check_settings(model, settings, predicting, error);
}
