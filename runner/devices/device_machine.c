#include "runner/devices/device_machine.h"

#include "base/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

static const double SAME_MEMORY = 0.1;

void device_machine_name(const char *product, char name[DEVICE_NAME_BYTES])
{
    size_t length = 0;
    for (const char *c = product; *c != '\0' && length < DEVICE_NAME_BYTES - 1; c++) {
        if (isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    name[length] = '\0';
    if (length == 0)
        snprintf(name, DEVICE_NAME_BYTES, "this-gpu");
}

bool device_machine_memory(const json_t *device, const struct machine *machine)
{
    double memory = json_number_or(device, "memory", 0);
    double described = (double)machine->gpu.memory;
    return memory <= 0 || described <= 0 || fabs(memory / described - 1) <= SAME_MEMORY;
}
