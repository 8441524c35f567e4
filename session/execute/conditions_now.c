#include "session/execute/conditions_now.h"

#include "base/json.h"
#include "base/text/names.h"
#include "runner/conditions/condition.h"
#include "runner/measure/idle_interval.h"

/* A few ticks of the system. */
static const double LOOK_S = 0.15;

json_t *conditions_now(const char *root, int cpu, unsigned matters)
{
    struct snapshot before;
    struct snapshot now;
    snapshot_take(root, true, &before);
    idle_rest(LOOK_S);
    snapshot_take(root, true, &now);
    const struct condition_view view = {
        .root = root, .cpus = &cpu, .cpu_count = cpu >= 0, .before = &before, .now = &now};
    json_t *list = conditions_look(&view, matters);
    snapshot_free(&before);
    snapshot_free(&now);
    return list;
}

unsigned conditions_that_matter(const char *counters, bool clock, bool power)
{
    return (clock ? AFFECTS_TIME | AFFECTS_CLOCK : 0u) | (power ? AFFECTS_POWER : 0u) |
           (names_contain(counters, "timing") ? AFFECTS_TIME : 0u) |
           (names_contain(counters, "perf") ? AFFECTS_COUNTERS : 0u);
}

void conditions_tell(const struct session_events *events, const json_t *warnings)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(warnings, i, warning)
    {
        const char *mend = json_string_or(warning, "mend", NULL);
        session_warn(events, "%s%s%s", json_string_or(warning, "what", ""), mend == NULL ? "" : " -> ",
                     mend == NULL ? "" : mend);
    }
}

void conditions_tell_now(const struct session_events *events, const char *root, int cpu, unsigned matters)
{
    json_t *conditions = conditions_now(root, cpu, matters);
    json_t *warnings = conditions_warnings(conditions);
    conditions_tell(events, warnings);
    json_decref(warnings);
    json_decref(conditions);
}
