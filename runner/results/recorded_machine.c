#include "runner/results/recorded_machine.h"

#include "base/json.h"

#include <math.h>

static double size_of(const json_t *caches, const char *name)
{
    return json_number_or(json_object_get(caches, name), "size", 0);
}

static void read_states(const json_t *list, struct recorded_machine *machine)
{
    for (size_t i = 0; i < json_array_size(list) && machine->vf_count < VF_MOST; i++) {
        const json_t *item = json_array_get(list, i);
        const struct vf_state state = {json_number_or(item, "volts", NAN), json_number_or(item, "ghz", NAN)};
        if (state.volts > 0 && state.ghz > 0)
            machine->vf[machine->vf_count++] = state;
    }
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
    read_states(json_object_get(document, "vf"), &machine);
    return machine;
}
