#include "model/design/design_form.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static long find(const struct design_columns *columns, const char *prefix, const char *name)
{
    char text[LINEAR_NAME_BYTES];
    snprintf(text, sizeof text, "%s%.40s", prefix, name);
    for (size_t i = 0; i < columns->count; i++)
        if (strcmp(columns->names[i], text) == 0)
            return (long)i;
    return -1;
}

void design_add(struct design_columns *columns, const char *prefix, const char *name, double nominal)
{
    if (find(columns, prefix, name) >= 0 || columns->count == LINEAR_COLUMNS)
        return;
    snprintf(columns->names[columns->count], LINEAR_NAME_BYTES, "%s%.40s", prefix, name);
    columns->nominal[columns->count++] = nominal;
}

void design_set(const struct design_columns *columns, const char *prefix, const char *name, double value,
                double *x)
{
    long at = find(columns, prefix, name);
    if (at >= 0 && isfinite(value))
        x[at] += value;
}

double design_number(const struct dataset_row *row, const char *prefix, const char *name)
{
    char text[96];
    snprintf(text, sizeof text, "%s%.60s", prefix, name);
    return dataset_number(row, text);
}

double design_celsius(double seconds)
{
    static const double TIME_CONSTANT_S = 120;
    return DESIGN_COLD_C + (DESIGN_HOT_C - DESIGN_COLD_C) * exp(-seconds / TIME_CONSTANT_S);
}
