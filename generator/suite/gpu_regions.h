/* The data of a GPU program in its manifest: "data": {"bytes", "align", "regions": [{"offset", "bytes",
 * "fill": a rule}]}. */
#ifndef GENERATOR_SUITE_GPU_REGIONS_H
#define GENERATOR_SUITE_GPU_REGIONS_H

#include "base/arena.h"
#include "base/error.h"
#include "base/json/json_text.h"
#include "generator/plan/gpu/gpu_image.h"
#include "generator/plan/gpu/gpu_plan.h"
#include "generator/suite/manifest_read.h"

/* Sets data->document, a new reference: regions in the order of their offsets. */
void gpu_regions_state(const struct gpu_plan *plan, struct manifest_data *data);

/* Reads the document, which is untrusted. The arena owns the rules. STATUS_FAILED with what is wrong. */
enum status gpu_regions_read(const struct manifest_data *data, struct arena *arena, struct gpu_image *image,
                             struct error *error);

void gpu_rule_write(struct json_text *text, const char *name, const struct gpu_rule *rule);

#endif
