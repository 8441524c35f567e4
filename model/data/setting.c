#include "model/data/setting.h"

#include <math.h>
#include <string.h>

const struct model_setting_row *model_setting_row(const struct model_setting_row *rows, const char *name)
{
    for (const struct model_setting_row *row = rows; row != NULL && row->name != NULL; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

double model_setting(const struct model_setting_row *rows, const struct model_settings *settings,
                     const char *name)
{
    for (size_t i = settings->count; i > 0; i--)
        if (strcmp(settings->items[i - 1].name, name) == 0)
            return settings->items[i - 1].value;
    const struct model_setting_row *row = model_setting_row(rows, name);
    return row == NULL ? NAN : row->fallback;
}

bool model_matches(const char *pattern, const char *name)
{
    size_t length = strcspn(pattern, "*");
    return strncmp(pattern, name, length) == 0 && (pattern[length] == '*' || name[length] == '\0');
}
