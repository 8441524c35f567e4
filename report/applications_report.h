/* What a model says of several applications, side by side. */
#ifndef REPORT_APPLICATIONS_REPORT_H
#define REPORT_APPLICATIONS_REPORT_H

#include "base/buffer.h"
#include "base/error.h"
#include "model/data/application.h"
#include "model/model.h"

#include <stdio.h>

/* A part, averaged over the applications that have it. */
struct mean_part {
    struct model_part part; /* its interval is the value alone */
    size_t applications;
};

struct applications_report {
    const struct model *model;
    struct model_result *items; /* of each application; owned */
    size_t count;
    struct mean_part *means;
    size_t mean_count;
    struct charts charts;
    struct arena arena; /* of means and charts */
};

/* Predicts each application. Free the report in every case. */
enum status applications_predict(const struct applications *list, const struct model *model,
                                 const struct model_result *fitted, const struct model_settings *settings,
                                 struct applications_report *report, struct error *error);
void applications_report_free(struct applications_report *report);

/* Writes a table for each unit and scenario with a line per application and the mean; then the notes. */
void applications_print(const struct applications_report *report, FILE *to);

/* {"applications": [{"parts", "notes", ..., "application"}], "means": [{"part", "value", "unit",
 * "applications"}], "charts"} */
void applications_json(const struct applications_report *report, struct buffer *text);

#endif
