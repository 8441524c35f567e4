#include "model/data/counters.h"

#include "model/data/setting.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A part may exceed its whole by this share: multiplexed counters cover different times of a program, in
 * which cycles differ less than events. */
static const double TURNS = 0.25, TURNS_OF_CYCLES = 0.1;

/* A part, its whole, and a counter whose events the part may include too. */
static const struct {
    const char *part, *whole, *beside;
} parts[] = {
    {"l1d_misses", "accesses.L1", NULL},       {"l1d_misses", "l1d_accesses", NULL},
    {"l2_misses", "l1d_misses", "prefetches"}, {"l3_misses", "l2_misses", "prefetches"},
    {"l2_misses", "l2_requests", NULL},        {"branch_misses", "branches", NULL},
    {"branches", "instructions", NULL},        {"mab0_wait_cycles", "cycles", NULL},
    {"leading_load_cycles", "cycles", NULL},   {"l1d_miss_cycles", "cycles", NULL},
    {"load_stall_cycles", "cycles", NULL},     {"stall_cycles", "cycles", NULL},
    {"dispatch_stalls", "cycles", NULL},
};

static bool may_be_negative(const char *name)
{
    return strstr(name, "temperature") != NULL || strcmp(name, "t_s") == 0;
}

/* The counter `other` of the core that the prefix of name denotes; NAN: there is none. */
static double of_core(const struct named_numbers *counters, const char *name, size_t prefix,
                      const char *other)
{
    for (size_t i = 0; i < counters->count; i++) {
        const char *own = counters->items[i].name;
        if (strncmp(own, name, prefix) == 0 && strcmp(own + prefix, other) == 0)
            return counters->items[i].value;
    }
    return NAN;
}

static size_t core_prefix(const char *name)
{
    size_t digits = strncmp(name, "core", 4) == 0 ? strspn(name + 4, "0123456789") : 0;
    return digits > 0 && digits < 8 && name[4 + digits] == '.' ? 5 + digits : 0;
}

static enum status check_part(const struct named_numbers *counters, const char *name, double value,
                              size_t which, struct error *error)
{
    size_t prefix = core_prefix(name);
    if (strcmp(name + prefix, parts[which].part) != 0)
        return STATUS_OK;
    double whole = of_core(counters, name, prefix, parts[which].whole);
    double beside = parts[which].beside == NULL ? 0 : of_core(counters, name, prefix, parts[which].beside);
    double turns = strcmp(parts[which].whole, "cycles") == 0 ? TURNS_OF_CYCLES : TURNS;
    if (isnan(beside))
        beside = 0;
    if (!(value > (1 + turns) * (whole + beside)))
        return STATUS_OK;
    error_set(error, STATUS_USAGE, "the counter %.60s is %.6g, above %.40s with %.6g%s%s", name, value,
              parts[which].whole, whole, beside > 0 ? " and " : "", beside > 0 ? parts[which].beside : "");
    error_hint(error,
               "give counters of one run and of all its threads, each of the event that its name states");
    return STATUS_USAGE;
}

enum status counters_check(const struct named_numbers *counters, struct error *error)
{
    for (size_t i = 0; i < counters->count; i++) {
        const char *name = counters->items[i].name;
        double value = counters->items[i].value;
        if (!may_be_negative(name) && !(value >= 0))
            return error_set(error, STATUS_USAGE, "the counter %.60s is %g: expected 0 or more", name, value);
        for (size_t j = 0; j < sizeof parts / sizeof parts[0]; j++) {
            enum status status = check_part(counters, name, value, j, error);
            if (status != STATUS_OK)
                return status;
        }
    }
    return STATUS_OK;
}

/* ---- names ---- */

/* Counters that models use besides the parts above; a "*" ends a prefix. */
static const char *const others[] = {
    "seconds",
    "energy_j",
    "static_w",
    "dynamic_w",
    "temperature_c",
    "ghz",
    "mhz",
    "volts",
    "vf",
    "t_s",
    "core",
    "power_w",
    "cap_w",
    "cycles",
    "instructions",
    "accesses.*",
    "bytes.*",
    "gpu_*",
    "l1_accesses",
    "l1d_accesses",
    "l1d_loads",
    "l2_hits",
    "l2_misses*",
    "l2_load_misses",
    "l3_load_misses",
    "l1d_load_misses",
    "l2_requests*",
    "prefetches",
    "fills_beyond",
    "uops*",
    "fpu_assignments",
    "fp_uops",
    "fp_instructions",
    "l1i_fetches",
    "branches",
    "branch_misses",
    "stores",
    "loads",
};

bool counters_known(const char *name)
{
    name += strncmp(name, "to.", 3) == 0 ? 3 : core_prefix(name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].part, name) == 0 || strcmp(parts[i].whole, name) == 0)
            return true;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (model_matches(others[i], name))
            return true;
    return false;
}

enum status counters_lack(const char *names, const char *why, struct error *error)
{
    error_set(error, STATUS_USAGE, "the counters lack %s%s", names, why);
    if (error != NULL)
        snprintf(error->lacking, sizeof error->lacking, "%s", names);
    return STATUS_USAGE;
}
