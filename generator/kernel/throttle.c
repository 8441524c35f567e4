#include "generator/kernel/throttle.h"

#include "generator/kernel/operations.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Loads and stores per cycle of most cores from 2008 to 2020, for peak = "ports", which promises nothing, if
 * the machine file states no ports. */
enum {
    LOAD_PORTS = 2,
    STORE_PORTS = 1,
    MOST_IDLE = 10000,
    MOST_TIMES = 100,
    WORD_BYTES = 8,
    WIDEST_FLOAT = 32
};

/* Integer operations per cycle on every supported processor. */
static const double LEAST_INTEGERS = 2;

/* Relative error allowed by rounding idle cycles to a whole number. */
static const double OFF_BY_SHARE = 0.02;

/* A unit's cycles at its peak rate, per possible bottleneck. */
struct peak {
    double loads, stores, instructions, chase, branches;
    double unknown_loads,
        unknown_stores;      /* at one per cycle, the slowest rate, if the machine file states none */
    double integers, floats; /* of all operations of the kind, if they share all ports */
    double integer_alone, float_alone; /* of the slowest single operation */
    double integer_count;              /* of integer operations */
    double integer_ports;              /* integer operations per cycle, the highest known */
};

/* Adds loads or stores. */
static void add_accesses(double count, bool load, bool of_ports, const struct machine *machine,
                         struct peak *peak)
{
    unsigned ports = load ? machine->load_ports : machine->store_ports;
    if (ports == 0 && of_ports)
        ports = load ? LOAD_PORTS : STORE_PORTS;
    if (ports > 0)
        *(load ? &peak->loads : &peak->stores) += count / ports;
    else
        *(load ? &peak->unknown_loads : &peak->unknown_stores) += count;
}

static enum status add_chase(const struct behaviour *item, const struct machine *machine, struct peak *peak,
                             struct error *error)
{
    const double cycles[LEVEL_COUNT] = {machine->latency_l1d, machine->latency_l2, machine->latency_l3,
                                        machine->latency_mem};
    static const char *const names[LEVEL_COUNT] = {"L1D", "L2", "L3", "MEM"};
    for (int level = 0; level < LEVEL_COUNT; level++) {
        if (item->served[level] > 0 && !(cycles[level] > 0)) {
            error_set(error, STATUS_RECIPE, "throttle{}: the latency of %s is unknown for the machine %s",
                      names[level], machine->name);
            error_hint(error, "its file can state it: latency = { %s = CYCLES }", names[level]);
            return STATUS_RECIPE;
        }
        peak->chase += item->count * item->served[level] * cycles[level];
    }
    return STATUS_OK;
}

enum { NAME_BYTES = 48 };

/* An operation's name in per_cycle: "add", or "add.32" for widths other than 8 bytes. */
static const char *name_rate(const struct behaviour *item, char name[NAME_BYTES])
{
    if (item->width == 0 || item->width == WORD_BYTES)
        snprintf(name, NAME_BYTES, "%.30s", item->op);
    else
        snprintf(name, NAME_BYTES, "%.30s.%u", item->op, item->width);
    return name;
}

/* True if the issue rate does not depend on the width: for neither vectors nor divisions, and for floating
 * point of the usual vector width. */
static bool any_width(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_BRANCH ||
           (!behaviour_can(item, FORM_ITERATIVE) &&
            item->width <= (behaviour_can(item, FORM_FLOATING) ? WIDEST_FLOAT : WORD_BYTES));
}

static enum status refuse(const struct behaviour *item, const char *why, struct error *error)
{
    error_set(error, STATUS_RECIPE,
              "throttle{}: no machine description states how long %s takes at its peak: %s",
              item->kind == BEHAVIOUR_ASM ? "asm{}" : item->op, why);
    error_hint(error, "nop{ count = } adds idle instructions whose number you choose");
    return STATUS_RECIPE;
}

static enum status find_rate(const struct behaviour *item, const struct machine *machine, double *rate,
                             struct error *error)
{
    char name[NAME_BYTES];
    bool branch = item->kind == BEHAVIOUR_BRANCH;
    name_rate(item, name);
    *rate = machine_operations(machine, name);
    if (!(*rate > 0) && any_width(item))
        *rate = machine_operations(machine, item->op);
    if (*rate > 0)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE, "throttle{}: the number of %s per cycle of the machine %s is unknown",
              name, machine->name);
    error_hint(error, "its file can state it: per_cycle = { [\"%s\"] = OPERATIONS PER CYCLE }%s", name,
               branch ? "" : "; `trauma machine probe -o FILE`, run on that machine, measures it");
    return STATUS_RECIPE;
}

/* Adds an operation's cycles. Integers, and vectors with floating point, have separate ports; it is unknown
 * which ports two operations of one kind share. */
static enum status add_operation(const struct behaviour *item, bool of_ports, const struct machine *machine,
                                 struct peak *peak, struct error *error)
{
    bool floats = behaviour_can(item, FORM_FLOATING) || item->width > WORD_BYTES;
    double rate = 0;
    if (!behaviour_can(item, FORM_COMPUTES)) {
        if (behaviour_can(item, FORM_READS))
            add_accesses(item->count, true, of_ports, machine, peak);
        return STATUS_OK;
    }
    if (item->chain > 1)
        return refuse(item, "its chain waits for its own results", error);
    enum status status = find_rate(item, machine, &rate, error);
    if (status != STATUS_OK)
        return status;
    double cycles = item->count / rate;
    *(floats ? &peak->floats : &peak->integers) += cycles;
    double *alone = floats ? &peak->float_alone : &peak->integer_alone;
    *alone = fmax(*alone, cycles);
    if (floats)
        return STATUS_OK;
    peak->integer_count += item->count;
    peak->integer_ports =
        fmax(fmax(peak->integer_ports, LEAST_INTEGERS), fmax(rate, machine_operations(machine, "add")));
    return STATUS_OK;
}

static enum status add_branch(const struct behaviour *item, bool of_ports, const struct machine *machine,
                              struct peak *peak, struct error *error)
{
    double rate = 0;
    if (item->accuracy < 1)
        return refuse(item, "some are mispredicted; expected accuracy = 1", error);
    enum status status = find_rate(item, machine, &rate, error);
    peak->branches += status == STATUS_OK ? item->count / rate : 0;
    if (behaviour_loads_target(item))
        add_accesses(item->count, true, of_ports, machine, peak);
    return status;
}

static enum status add_item(const struct behaviour *item, bool of_ports, const struct machine *machine,
                            struct peak *peak, struct error *error)
{
    if (machine->issue_width > 0)
        peak->instructions += (double)item->count / machine->issue_width;
    if (item->kind == BEHAVIOUR_ASM)
        return refuse(item, "it is the recipe's own", error);
    if (item->kind == BEHAVIOUR_CODE || item->kind == BEHAVIOUR_TLB)
        return refuse(item, "it waits for lines of code, or for translations", error);
    if (item->kind == BEHAVIOUR_BRANCH)
        return add_branch(item, of_ports, machine, peak, error);
    if (!behaviour_accesses(item))
        return add_operation(item, of_ports, machine, peak, error);
    if (behaviour_chases(item))
        return add_chase(item, machine, peak, error);
    if (!of_ports && (item->working_set > 0 || behaviour_miss_rate(item) > 0 || item->non_temporal)) {
        error_set(error, STATUS_RECIPE,
                  "throttle{}: no machine description states the rate at which a level beyond L1 serves "
                  "independent %ss",
                  item->op);
        error_hint(error, "accesses that L1 serves, or a chase, can be throttled; peak = \"ports\" computes "
                          "the duty as if L1 served them, and promises nothing");
        return STATUS_RECIPE;
    }
    add_accesses(item->count, item->kind == BEHAVIOUR_LOAD, of_ports, machine, peak);
    return STATUS_OK;
}

bool throttle_is_whole(double idle, double off_by)
{
    return round(idle) >= 1 && fabs(round(idle) - idle) <= off_by * idle;
}

enum status throttle_hint_longer(double idle, double off_by, struct error *error)
{
    unsigned times = 2;
    while (times < MOST_TIMES && !throttle_is_whole(times * idle, off_by))
        times++;
    error_hint(error, "a unit %u times as long, with every count times %u, comes close enough", times, times);
    return STATUS_RECIPE;
}

/* The cycles of the unit's bottleneck. STATUS_RECIPE if they depend on which ports operations of one kind
 * share, or on an unknown number of accesses per cycle. At a duty of 1 nothing is idle, so these do not
 * matter. */
static enum status find_cycles(const struct peak *peak, double duty, const struct machine *machine,
                               double *cycles, struct error *error)
{
    bool loads = peak->unknown_loads >= peak->unknown_stores;
    double others =
        fmax(fmax(fmax(peak->loads, peak->stores), fmax(peak->instructions, peak->chase)), peak->branches);
    double most = fmax(others, fmax(peak->integers, peak->floats));
    double accesses = fmax(peak->unknown_loads, peak->unknown_stores);
    *cycles = fmax(others, fmax(peak->integer_alone, peak->float_alone));
    if (duty < 1 && accesses > (1 + OFF_BY_SHARE) * *cycles) {
        error_set(error, STATUS_RECIPE,
                  "throttle{}: the number of %ss per cycle of the machine %s is unknown",
                  loads ? "load" : "store", machine->name);
        error_hint(error,
                   "its file can state it: ports = { %s = NUMBER }; `trauma machine probe -o FILE`, run on "
                   "that machine, "
                   "measures it",
                   loads ? "load" : "store");
        return STATUS_RECIPE;
    }
    *cycles = fmax(*cycles, duty < 1 ? 0 : accesses);
    if (most <= (1 + OFF_BY_SHARE) * *cycles)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "throttle{}: the unit takes %.4g to %.4g cycles at its peak, because it is unknown which ports "
              "its operations share",
              *cycles, most);
    error_hint(error, "operations of one name can be throttled, or a unit with more of its other bottleneck");
    return STATUS_RECIPE;
}

/* Checks that the unit leaves an issue slot and an integer port for an idle instruction in every cycle. */
static enum status leave_room(const struct peak *peak, double cycles, double duty,
                              const struct machine *machine, struct error *error)
{
    double most = 1;
    if (duty >= 1 || !(cycles > 0))
        return STATUS_OK;
    if (peak->integer_count > 0)
        most = fmin(most, (peak->integer_ports - 1) * cycles / peak->integer_count);
    if (machine->issue_width > 0 && peak->instructions > 0)
        most = fmin(most, (1 - 1.0 / machine->issue_width) * cycles / peak->instructions);
    if (duty <= most)
        return STATUS_OK;
    error_set(error, STATUS_RECIPE,
              "throttle.duty is %.6g: an idle instruction takes an issue slot from the unit in each cycle; "
              "expected at most %.4g, or 1",
              duty, most);
    return STATUS_RECIPE;
}

/* True for integer operations that keep one port busy. The chain of idle instructions must avoid that port,
 * because a cycle that it loses there lengthens the pass. These are divisions everywhere and, on Intel's
 * cores, where a waiting instruction does not change its port, all operations executed once per cycle. */
static bool has_one_port(const struct behaviour *item, const struct machine *machine)
{
    double rate;
    if (!operation_is(item) || behaviour_can(item, FORM_FLOATING) || item->width > WORD_BYTES)
        return false;
    return behaviour_can(item, FORM_ITERATIVE) ||
           (strcmp(machine->vendor, "Intel") == 0 && behaviour_can(item, FORM_COMPUTES) &&
            find_rate(item, machine, &rate, NULL) == STATUS_OK && rate <= 1 + OFF_BY_SHARE);
}

static enum status fill(struct kernel *kernel, struct behaviour *throttle, const struct machine *machine,
                        struct error *error)
{
    struct peak peak = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->phase != throttle->phase || item->kind == BEHAVIOUR_THROTTLE)
            continue;
        status = add_item(item, throttle->of_ports, machine, &peak, error);
        throttle->beside_one_port = throttle->beside_one_port || has_one_port(item, machine);
    }
    if (status != STATUS_OK)
        return status;
    double cycles = 0;
    status = find_cycles(&peak, throttle->duty, machine, &cycles, error);
    if (status == STATUS_OK)
        status = leave_room(&peak, cycles, throttle->duty, machine, error);
    if (status != STATUS_OK)
        return status;
    throttle->count = 0;
    if (cycles > 0 && throttle->duty >= 1)
        return STATUS_OK;
    double idle = round(cycles / throttle->duty);
    bool near = throttle->of_ports ? idle >= 1 : throttle_is_whole(cycles / throttle->duty, OFF_BY_SHARE);
    if (cycles > 0 && near && idle <= MOST_IDLE) {
        throttle->count = (unsigned)idle;
        return STATUS_OK;
    }
    if (idle > MOST_IDLE) {
        error_set(error, STATUS_RECIPE, "throttle.duty: %.0f idle instructions in a unit, more than %d", idle,
                  MOST_IDLE);
        error_hint(error, "a higher duty, or fewer loads in the unit, needs fewer");
        return STATUS_RECIPE;
    }
    if (cycles > 0) {
        error_set(
            error, STATUS_RECIPE,
            "throttle.duty is %.6g: the unit takes %.4g cycles at its peak, so it needs %.4g idle ones, "
            "which is not a whole number",
            throttle->duty, cycles, cycles / throttle->duty);
        return throttle_hint_longer(cycles / throttle->duty, OFF_BY_SHARE, error);
    }
    error_set(error, STATUS_RECIPE, "throttle{}: the limit of the unit's rate is unknown for the machine %s",
              machine->name);
    error_hint(error, "its file can state it: issue_width = INSTRUCTIONS PER CYCLE");
    return STATUS_RECIPE;
}

/* The duty of the first throttle{}; below 0 if there is none. */
static double duty_of(const struct kernel *kernel)
{
    const struct behaviour *throttle = kernel_first(kernel, BEHAVIOUR_THROTTLE);
    return throttle == NULL ? -1 : throttle->duty;
}

enum status throttle_fill(struct kernel *kernel, const struct machine *machine, struct error *error)
{
    enum status status = STATUS_OK;
    unsigned seen = 0, phases = 0;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++) {
        struct behaviour *item = &kernel->items[i];
        if (item->kind != BEHAVIOUR_THROTTLE)
            continue;
        if (seen == item->phase + 1)
            return error_set(error, STATUS_RECIPE, "the unit has two throttle{}: expected one");
        seen = item->phase + 1;
        phases++;
        if (item->duty != duty_of(kernel))
            return error_set(
                error, STATUS_RECIPE,
                "throttle.duty is %.6g in one phase and %.6g in another: a pass has one rate; expected one "
                "duty",
                duty_of(kernel), item->duty);
        status = fill(kernel, item, machine, error);
    }
    if (status == STATUS_OK && phases > 0 && phases < kernel->phase_count)
        status = error_set(error, STATUS_RECIPE,
                           "throttle{} is in %u of %u phases: a pass has one rate; expected one in each",
                           phases, kernel->phase_count);
    return status;
}

double throttle_promise(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (kernel->items[i].kind == BEHAVIOUR_THROTTLE && kernel->items[i].of_ports)
            return -1;
    return duty_of(kernel);
}
