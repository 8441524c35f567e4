#include "generator/throttle.h"

#include <math.h>
#include <string.h>

/* What most cores of the last fifteen years do, where a machine file has no ports: loads and stores a cycle.
 */
enum { LOAD_PORTS = 2, STORE_PORTS = 1, MOST_IDLE = 10000, MOST_TIMES = 100 };

/* Idle cycles are whole: they may be off by this share of themselves. */
static const double OFF_BY_SHARE = 0.02;

/* Cycles that a unit takes at its peak rate, by what may bound it. */
struct peak {
    double loads, stores, instructions, chase;
};

bool throttle_has(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].is_throttle)
            return true;
    return false;
}

static double ports(unsigned known, unsigned otherwise)
{
    return known == 0 ? otherwise : known;
}

static enum status add_chase(const struct behaviour *item, const struct machine *machine, struct peak *peak,
                             struct error *error)
{
    const double cycles[LEVEL_COUNT] = {machine->latency_l1d, machine->latency_l2, machine->latency_l3,
                                        machine->latency_mem};
    static const char *const names[LEVEL_COUNT] = {"L1D", "L2", "L3", "MEM"};
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (item->served[level] > 0 && !(cycles[level] > 0)) {
            error_set(error, STATUS_RECIPE, "throttle{}: the latency of %s is not known of the machine %s",
                      names[level], machine->name);
            error_hint(error, "its file can say: latency = { %s = CYCLES }", names[level]);
            return STATUS_RECIPE;
        }
        peak->chase += item->count * item->served[level] * cycles[level];
    }
    return STATUS_OK;
}

static enum status add_item(const struct behaviour *item, const struct machine *machine, struct peak *peak,
                            struct error *error)
{
    if (machine->issue_width > 0)
        peak->instructions += (double)item->count / machine->issue_width;
    if (!behaviour_accesses(item))
        return STATUS_OK;
    if (item->is_load && item->address == ADDRESS_CHASE)
        return add_chase(item, machine, peak, error);
    if (item->working_set > 0 || behaviour_miss_rate(item) > 0) {
        error_set(
            error, STATUS_RECIPE,
            "throttle{}: at what rate a level beyond L1 serves %ss that do not wait for each other is in no "
            "machine's description",
            item->op);
        error_hint(error, "accesses that L1 serves, or a chase, can be throttled; nop{ count = } adds idle "
                          "instructions whose number you choose");
        return STATUS_RECIPE;
    }
    if (item->is_load)
        peak->loads += item->count / ports(machine->load_ports, LOAD_PORTS);
    else
        peak->stores += item->count / ports(machine->store_ports, STORE_PORTS);
    return STATUS_OK;
}

/* Whole cycles come near enough to the wish. */
static bool is_near(double whole, double wished)
{
    return whole >= 1 && fabs(whole - wished) <= OFF_BY_SHARE * wished;
}

static enum status refuse_rounding(double cycles, double duty, struct error *error)
{
    unsigned times = 2;
    while (times < MOST_TIMES && !is_near(round(times * cycles / duty), times * cycles / duty))
        times++;
    error_set(error, STATUS_RECIPE,
              "throttle.duty is %.6g: the unit takes %.4g cycles at its peak, so it wants %.4g idle ones, "
              "which is no "
              "whole number",
              duty, cycles, cycles / duty);
    error_hint(error, "a unit %u times as long, with %u times every count, comes near enough", times, times);
    return STATUS_RECIPE;
}

static enum status fill(struct kernel *kernel, struct behaviour *throttle, const struct machine *machine,
                        struct error *error)
{
    struct peak peak = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->phase == throttle->phase && !item->is_throttle)
            status = add_item(item, machine, &peak, error);
    }
    if (status != STATUS_OK)
        return status;
    double cycles = fmax(fmax(peak.loads, peak.stores), fmax(peak.instructions, peak.chase));
    double idle = round(cycles / throttle->duty);
    if (cycles > 0 && is_near(idle, cycles / throttle->duty) && idle <= MOST_IDLE) {
        throttle->count = throttle->duty < 1 ? (unsigned)idle : 0;
        return STATUS_OK;
    }
    if (idle > MOST_IDLE) {
        error_set(error, STATUS_RECIPE, "throttle.duty: %.0f idle instructions in a unit, more than %d", idle,
                  MOST_IDLE);
        error_hint(error, "a higher duty, or fewer loads in the unit, needs fewer");
        return STATUS_RECIPE;
    }
    if (cycles > 0)
        return refuse_rounding(cycles, throttle->duty, error);
    error_set(error, STATUS_RECIPE, "throttle{}: what bounds the unit's rate is not known of the machine %s",
              machine->name);
    error_hint(error, "its file can say: issue_width = INSTRUCTIONS A CYCLE");
    return STATUS_RECIPE;
}

enum status throttle_fill(struct kernel *kernel, const struct machine *machine, struct error *error)
{
    enum status status = STATUS_OK;
    unsigned seen = 0;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        struct behaviour *item = &kernel->items[i];
        if (!item->is_throttle)
            continue;
        if (seen == item->phase + 1)
            return error_set(error, STATUS_RECIPE, "throttle{} stands twice in a unit: expected one duty");
        seen = item->phase + 1;
        status = fill(kernel, item, machine, error);
    }
    return status;
}
