/* A model.json, as somebody may have edited it, and what each model predicts by it. */
#include "base/json.h"
#include "model/idle/idle_subtract.h"
#include "model/model_json.h"
#include "tests/fuzz/fuzz.h"

static const struct named_number COUNTERS[] = {
    {"accesses.L1", 1e9},  {"accesses.L2", 1e8}, {"accesses.L3", 1e7}, {"accesses.MEM", 1e6},
    {"l1d_misses", 2e7},   {"l2_misses", 1e7},   {"l3_misses", 1e6},   {"prefetches", 3e7},
    {"stall_cycles", 2e9}, {"energy_j", 1306},   {"static_w", 259},    {"seconds", 5},
    {"temperature_c", 50}, {"volts", 1.1},       {"ghz", 2},           {"cycles", 1e10},
    {"instructions", 9e9}, {"bytes", 1e9},       {"toggle", 0.3},      {"flits", 1e8},
    {"loads", 1e9},        {"stores", 1e8},      {"branches", 1e8},    {"power_w", 70}};

static void predict(const json_t *document, const char *name)
{
    const struct model *model;
    const struct model_settings settings = {.count = 0};
    struct arena arena = {0};
    struct error error = {0};
    struct named_numbers counters = {0};
    struct sentences notes = {0};
    struct model_result fitted = {0}, result = {0};
    if (model_find(name, &model, &error) != STATUS_OK)
        return;
    for (size_t i = 0; i < sizeof COUNTERS / sizeof COUNTERS[0]; i++)
        named_number_set(&counters, &arena, COUNTERS[i].name, COUNTERS[i].value);
    model_json_read(document, model, &fitted);
    fuzz_accepted(model_predict(model, &fitted, &counters, &settings, &result, &error), &error);
    if (model == &model_idle)
        fuzz_accepted(idle_subtract_counters(&fitted, &counters, &notes, &arena, &error), &error);
    model_result_free(&result);
    model_result_free(&fitted);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *document = fuzz_json(data, size);
    if (document != NULL)
        predict(document, json_string_or(document, "model", "ppep"));
    json_decref(document);
    return 0;
}
