#include "runner/power/meters/meter_channel.h"

#include <stdio.h>

struct sensor_channel meter_channel(const struct sensor_request *request, const char *label)
{
    struct sensor_channel channel = {.quantity = SENSOR_POWER, .whole = true, .may_stand = true};
    const char *given = request_text(request, "label");
    snprintf(channel.name, sizeof channel.name, "%.16s:%.110s", request->name,
             given != NULL ? given : request->address);
    snprintf(channel.label, sizeof channel.label, "%s", given != NULL ? given : label);
    snprintf(channel.path, sizeof channel.path, "%s", request->address);
    return channel;
}
