#include "session/target_context.h"

#include "session/devices.h"
#include "session/find_machine.h"
#include "session/host_probe.h"

#include <string.h>

/* The machines that stand in for a target in lists and checks, if no such GPU is here. */
static const struct {
    const char *target, *machine;
} stand_ins[] = {{"ptx", "h200"}, {"gcn", "w9100"}};

static enum status open_on(const struct target_request *request, struct target_context *target_context,
                           struct error *error)
{
    enum status status =
        calibration_store_open(request, &target_context->machine, &target_context->calibration_store, error);
    if (status == STATUS_OK)
        status = code_generator_open_marked(target_context->machine.isa, request->markers,
                                            &target_context->code_generator, error);
    if (status == STATUS_OK)
        target_context->ops = code_generator_operations(&target_context->code_generator);
    return status;
}

enum status target_context_open(const struct target_request *request, struct target_context *target_context,
                                struct error *error)
{
    target_context->open = true;
    enum status status = find_machine(request->machine, request->root, &target_context->machine, error);
    if (status == STATUS_OK && request->index != NULL)
        status = machine_set_index(&target_context->machine, request->index, error);
    if (status == STATUS_OK)
        status = host_probe_use(request, &target_context->machine, error);
    return status == STATUS_OK ? open_on(request, target_context, error) : status;
}

enum status target_context_open_for(const struct target_request *request, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error)
{
    size_t row = 0;
    size_t rows = sizeof stand_ins / sizeof stand_ins[0];
    while (row < rows && strcmp(stand_ins[row].target, target) != 0)
        row++;
    if (row == rows)
        return error_set(error, STATUS_RECIPE, "there is no machine file for the target %s", target);
    struct error why_not;
    enum status detected = devices_detect(request->device, target, &target_context->machine, &why_not);
    target_context->open = detected == STATUS_OK;
    if (detected == STATUS_OK)
        return open_on(request, target_context, error);
    if (!stand_in) {
        error_set(error, STATUS_UNAVAILABLE,
                  "the recipe is for the target %s, but no GPU that runs it was found: %s", target,
                  why_not.message);
        error_hint(error, "-m %s generates for that machine; trauma gen -m %s writes a suite to copy to one",
                   stand_ins[row].machine, stand_ins[row].machine);
        return STATUS_UNAVAILABLE;
    }
    session_warn(request->events,
                 "recipes for the target %s are evaluated for the machine %s; -m NAME selects another",
                 target, stand_ins[row].machine);
    target_context->open = true;
    enum status status = find_machine(stand_ins[row].machine, request->root, &target_context->machine, error);
    return status == STATUS_OK ? open_on(request, target_context, error) : status;
}

void target_context_close(struct target_context *target_context)
{
    machine_free(&target_context->machine);
    calibration_store_close(&target_context->calibration_store);
    code_generator_close(&target_context->code_generator);
    json_decref(target_context->ops);
    memset(target_context, 0, sizeof *target_context);
}
