/* A model.json, as somebody may have edited it, and what each model predicts by it. */
#include "model/idle/idle_subtract.h"
#include "model/model.h"
#include "tests/fuzz/fuzz.h"

static const char COUNTERS[] =
    "{\"accesses.L1\":1e9,\"accesses.L2\":1e8,\"accesses.L3\":1e7,\"accesses.MEM\":1e6,\"l1d_misses\":2e7,"
    "\"l2_misses\":1e7,\"l3_misses\":1e6,\"prefetches\":3e7,\"stall_cycles\":2e9,\"energy_j\":1306,\"static_"
    "w\":259,"
    "\"seconds\":5,\"temperature_c\":50,\"volts\":1.1,\"ghz\":2,\"cycles\":1e10,\"instructions\":9e9,"
    "\"bytes\":1e9,"
    "\"toggle\":0.3,\"flits\":1e8,\"loads\":1e9,\"stores\":1e8,\"branches\":1e8,\"power_w\":70}";

static void predict(const json_t *document, const char *name)
{
    const struct model *model;
    const struct model_settings settings = {.count = 0};
    struct error error = {0};
    json_t *counters = fuzz_constant(COUNTERS);
    json_t *result = NULL;
    if (model_find(name, &model, &error) == STATUS_OK)
        fuzz_accepted(model_predict(model, document, counters, &settings, &result, &error), &error);
    json_decref(result);
    json_decref(counters);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document = fuzz_json(data, size);
    if (document != NULL) {
        struct error error = {0};
        json_t *counters = fuzz_constant(COUNTERS);
        predict(document, json_string_or(document, "model", "ppep"));
        json_t *told = json_object();
        fuzz_accepted(idle_subtract_counters(document, counters, told, &error), &error);
        json_decref(told);
        json_decref(counters);
    }
    json_decref(document);
    return 0;
}
