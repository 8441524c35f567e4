#include "runner/results/recorded_machine.h"

#include "base/json.h"

#include <math.h>

static double size_of(const json_t *caches, const char *name)
{
    return json_number_or(json_object_get(caches, name), "size", 0);
}

size_t recorded_states_read(const json_t *list, struct vf_state *states)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(list) && count < VF_MOST; i++) {
        const json_t *item = json_array_get(list, i);
        states[count] =
            (struct vf_state){json_number_or(item, "volts", NAN), json_number_or(item, "ghz", NAN)};
        count += states[count].volts > 0 && states[count].ghz > 0;
    }
    return count;
}

struct recorded_machine recorded_machine_read(const json_t *document)
{
    const json_t *latency = json_object_get(document, "latency"),
                 *caches = json_object_get(document, "caches");
    struct recorded_machine machine = {.name = json_string_or(document, "name", NULL),
                                       .clock_ghz = json_number_or(document, "clock_ghz", NAN),
                                       .issue_width = json_number_or(document, "issue_width", NAN),
                                       .load_ports =
                                           json_number_or(json_object_get(document, "ports"), "load", NAN),
                                       .cu = json_number_or(document, "cu", NAN),
                                       .cores = json_number_or(document, "cores", NAN),
                                       .latency_l1d = json_number_or(latency, "L1D", NAN),
                                       .latency_l2 = json_number_or(latency, "L2", NAN),
                                       .l1 = size_of(caches, "L1"),
                                       .l1d = size_of(caches, "L1D"),
                                       .l2 = size_of(caches, "L2"),
                                       .l3 = size_of(caches, "L3"),
                                       .lacks_l3 = caches != NULL && json_object_get(caches, "L3") == NULL,
                                       .sides = json_number_or(json_object_get(document, "gpu"), "sides", 1)};
    machine.vf_count = recorded_states_read(json_object_get(document, "vf"), machine.vf);
    return machine;
}
