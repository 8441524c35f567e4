#include "runner/devices/device_machine.h"

#include "base/json.h"

#include <math.h>

static const double SAME_MEMORY = 0.1;

void device_machine_name(const char *product, char name[DEVICE_NAME_BYTES])
{
    machine_make_name(product, false, "this-gpu", name);
}

bool device_machine_memory(const json_t *device, const struct machine *machine)
{
    double memory = json_number_or(device, "memory", 0);
    double described = (double)machine->gpu.memory;
    return memory <= 0 || described <= 0 || fabs(memory / described - 1) <= SAME_MEMORY;
}
