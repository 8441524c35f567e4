#include "runner/devices/device_machine.h"

#include "base/json/json_text.h"

#include <math.h>
#include <string.h>

static const double SAME_MEMORY = 0.1;

static void write_fields(struct json_text *text, const struct device_machine_field *fields)
{
    for (; fields->name != NULL; fields++)
        if (fields->number > 0)
            json_text_integer(text, fields->name, (long long)fields->number);
}

static void write_cache(struct json_text *text, const char *level, const struct device_machine_field *fields,
                        const char *policy)
{
    json_text_open(text, level, '{');
    write_fields(text, fields);
    json_text_string(text, "policy", policy);
    json_text_close(text, '}');
}

enum status device_machine_make(const struct device *device, const struct device_machine *description,
                                struct machine *machine, struct error *error)
{
    struct json_text text = {.buffer = NULL};
    struct error wrong;
    char name[MACHINE_NAME_BYTES];
    machine_make_name(device->name, false, "this-gpu", name);
    json_text_open(&text, NULL, '{');
    json_text_string(&text, "name", name);
    json_text_string(&text, "isa", description->isa);
    json_text_string(&text, "vendor", description->vendor);
    json_text_open(&text, "caches", '{');
    write_cache(&text, "L1", description->l1, description->policy);
    write_cache(&text, "L2", description->l2, description->policy);
    json_text_close(&text, '}');
    json_text_open(&text, "gpu", '{');
    json_text_string(&text, "arch", device->arch);
    write_fields(&text, description->gpu);
    json_text_close(&text, '}');
    if (device->clock_hz > 0)
        json_text_number(&text, "clock_ghz", round((double)device->clock_hz * 1e-6) * 1e-3);
    json_text_close(&text, '}');
    memset(machine, 0, sizeof *machine);
    enum status status = machine_from_json(text.tree[0], NULL, machine, &wrong);
    json_decref(text.tree[0]);
    machine->present = status == STATUS_OK;
    if (status == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "%s reports values that no plan can use: %s",
                     description->who, wrong.message);
}

bool device_machine_memory(const struct device *device, const struct machine *machine)
{
    double memory = (double)device->memory;
    double described = (double)machine->gpu.memory;
    return memory <= 0 || described <= 0 || fabs(memory / described - 1) <= SAME_MEMORY;
}
