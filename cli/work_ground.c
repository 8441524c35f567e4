#include "cli/work_ground.h"

#include "cli/command.h"
#include "cli/devices.h"
#include "cli/host_probe.h"
#include "cli/wished_state.h"
#include "session/find_machine.h"

#include <string.h>

/* The machine that lists and checks of a target are made for where there is none of its kind. */
static const struct {
    const char *target, *machine;
} stand_ins[] = {{"ptx", "h200"}, {"gcn", "w9100"}};

static enum status open_on(const struct options *options, struct work_ground *ground, struct error *error)
{
    enum status status = learnt_open(options, &ground->machine, &ground->learnt, error);
    if (status == STATUS_OK)
        status = workshop_open_marked(ground->machine.isa, options->markers, &ground->workshop, error);
    if (status == STATUS_OK)
        ground->ops = workshop_operations(&ground->workshop);
    return status;
}

enum status work_ground_open(const struct options *options, struct work_ground *ground, struct error *error)
{
    ground->open = true;
    enum status status = find_machine(options->machine, wished_root(options), &ground->machine, error);
    if (status == STATUS_OK && options->index != NULL)
        status = machine_set_index(&ground->machine, options->index, error);
    if (status == STATUS_OK)
        status = host_probe_use(options, &ground->machine, error);
    return status == STATUS_OK ? open_on(options, ground, error) : status;
}

enum status work_ground_open_for(const struct options *options, const char *target, bool stand_in,
                                 struct work_ground *ground, struct error *error)
{
    size_t row = 0;
    size_t rows = sizeof stand_ins / sizeof stand_ins[0];
    while (row < rows && strcmp(stand_ins[row].target, target) != 0)
        row++;
    if (row == rows)
        return error_set(error, STATUS_RECIPE, "no machine that runs %s is described", target);
    struct error why_not;
    enum status detected = devices_detect(options, target, &ground->machine, &why_not);
    ground->open = detected == STATUS_OK;
    if (detected == STATUS_OK)
        return open_on(options, ground, error);
    if (!stand_in) {
        error_set(error, STATUS_UNAVAILABLE,
                  "the recipe is of the target %s, and no GPU that runs it was found here: %s", target,
                  why_not.message);
        error_hint(error, "-m %s generates for that machine; trauma gen -m %s writes a suite to take to one",
                   stand_ins[row].machine, stand_ins[row].machine);
        return STATUS_UNAVAILABLE;
    }
    command_warn(options, "recipes of the target %s are looked at for the machine %s; -m NAME says another",
                 target, stand_ins[row].machine);
    ground->open = true;
    enum status status = find_machine(stand_ins[row].machine, wished_root(options), &ground->machine, error);
    return status == STATUS_OK ? open_on(options, ground, error) : status;
}

void work_ground_close(struct work_ground *ground)
{
    machine_free(&ground->machine);
    learnt_close(&ground->learnt);
    workshop_close(&ground->workshop);
    json_decref(ground->ops);
    memset(ground, 0, sizeof *ground);
}
