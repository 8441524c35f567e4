#include "session/execute/conditions_now.h"

#include "base/text/names.h"
#include "runner/measure/idle_interval.h"

#include <stdlib.h>

/* A few ticks of the kernel's accounting. */
static const double LOOK_S = 0.15;

struct found_condition *conditions_now(const char *root, int cpu, unsigned matters, size_t *count)
{
    struct snapshot before;
    struct snapshot now;
    snapshot_take(root, true, &before);
    idle_rest(LOOK_S);
    snapshot_take(root, true, &now);
    const struct condition_view view = {
        .root = root, .cpus = &cpu, .cpu_count = cpu >= 0, .before = &before, .now = &now};
    struct found_condition *found = conditions_look(&view, matters, count);
    snapshot_free(&before);
    snapshot_free(&now);
    return found;
}

unsigned conditions_that_matter(const char *counters, bool clock, bool power)
{
    return (clock ? AFFECTS_TIME | AFFECTS_CLOCK : 0u) | (power ? AFFECTS_POWER : 0u) |
           (names_contain(counters, "timing") ? AFFECTS_TIME : 0u) |
           (names_contain(counters, "perf") ? AFFECTS_COUNTERS : 0u);
}

void conditions_warn_now(const char *root, int cpu, unsigned matters, const struct session_events *events,
                         struct warnings *warnings)
{
    size_t count;
    struct found_condition *found = conditions_now(root, cpu, matters, &count);
    conditions_warn(found, count, warnings);
    free(found);
    for (size_t i = 0; events != NULL && i < warnings->count; i++) {
        const struct result_warning *one = &warnings->items[i];
        session_warn(events, "%s%s%s", one->what, one->mend[0] == '\0' ? "" : " -> ", one->mend);
    }
}
