#include "session/predict/model_settings.h"

#include "base/units.h"

#include <string.h>

enum status model_settings_read(const struct options *options, const struct model *model, bool predicting,
                                struct model_settings *settings, struct error *error)
{
    settings->count = 0;
    for (size_t i = 0; i < options->override_count; i++) {
        const struct override *given = &options->overrides[i];
        double value;
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->overrides[j].name, given->name) == 0)
                return error_set(error, STATUS_USAGE, "--set %s is given twice", given->name);
        if (settings->count == MODEL_SETTINGS)
            return error_set(error, STATUS_USAGE, "more than %d settings", MODEL_SETTINGS);
        if (!units_parse_number(given->values, &value))
            return error_set(error, STATUS_USAGE, "--set %s=%s: expected a number", given->name,
                             given->values);
        settings->items[settings->count++] = (struct model_setting){given->name, value};
    }
    return model_check_settings(model, settings, predicting, error);
}
