/* A model's settings from --set NAME=VALUE. */
#ifndef SESSION_PREDICT_MODEL_SETTINGS_H
#define SESSION_PREDICT_MODEL_SETTINGS_H

#include "base/error.h"
#include "generator/recipe/recipe.h"
#include "model/model.h"

#include <stdbool.h>

/* STATUS_USAGE when a setting is not a number, or the model does not have it. */
enum status model_settings_read(const struct override *given, size_t count, const struct model *model,
                                bool predicting, struct model_settings *settings, struct error *error);

#endif
