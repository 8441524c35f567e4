#include "session/target_context.h"

#include "isa/isa.h"
#include "session/devices.h"
#include "session/find_machine.h"
#include "session/host_probe.h"

#include <string.h>

static enum status open_on(const struct target_request *request, struct target_context *target_context,
                           struct error *error)
{
    const struct code_marks marks = {request->markers, request->prefix};
    enum status status =
        calibration_store_open(request, &target_context->machine, &target_context->calibration_store, error);
    if (status == STATUS_OK)
        status = code_generator_open_marked(target_context->machine.isa, &marks,
                                            &target_context->code_generator, error);
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

/* The GPU that runs the target. A processor other than the present one is never here. */
static enum status detect_for(const struct target_request *request, const char *target,
                              struct machine *machine, struct error *error)
{
    if (!isa_is_processor(target))
        return devices_detect(request->device, target, machine, error);
    const struct isa *host = isa_of_host();
    error_set(error, STATUS_UNAVAILABLE, "the recipe is for the target %s, but this machine runs %s", target,
              host == NULL ? "another" : host->name);
    return STATUS_UNAVAILABLE;
}

static enum status refuse_absent(const char *target, const char *machine, const struct error *why_not,
                                 struct error *error)
{
    if (isa_is_processor(target))
        *error = *why_not;
    else
        error_set(error, STATUS_UNAVAILABLE,
                  "the recipe is for the target %s, but no GPU that runs it was found: %s", target,
                  why_not->message);
    error_hint(error,
               "-m %s generates for that machine: trauma check simulates it, trauma gen writes a suite to "
               "copy to one",
               machine);
    return STATUS_UNAVAILABLE;
}

enum status target_context_open_for(const struct target_request *request, const char *target, bool stand_in,
                                    struct target_context *target_context, struct error *error)
{
    const struct isa *isa = isa_find(target);
    if (isa == NULL || isa->machine == NULL)
        return error_set(error, STATUS_RECIPE, "there is no machine file for the target %s", target);
    struct error why_not;
    enum status detected = detect_for(request, target, &target_context->machine, &why_not);
    target_context->open = detected == STATUS_OK;
    if (detected == STATUS_OK)
        return open_on(request, target_context, error);
    if (!stand_in)
        return refuse_absent(target, isa->machine, &why_not, error);
    session_warn(request->events,
                 "recipes for the target %s are evaluated for the machine %s; -m NAME selects another",
                 target, isa->machine);
    target_context->open = true;
    enum status status = find_machine(isa->machine, request->root, &target_context->machine, error);
    return status == STATUS_OK ? open_on(request, target_context, error) : status;
}

void target_context_close(struct target_context *target_context)
{
    machine_free(&target_context->machine);
    calibration_store_close(&target_context->calibration_store);
    code_generator_close(&target_context->code_generator);
    memset(target_context, 0, sizeof *target_context);
}
