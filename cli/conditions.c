#include "cli/conditions.h"

#include "base/json.h"
#include "base/names.h"
#include "cli/command.h"
#include "cli/wished_state.h"
#include "report/table.h"
#include "runner/conditions/conditions.h"
#include "runner/launch/idle.h"

/* Some ticks of the system. */
static const double LOOK_S = 0.15;

json_t *conditions_now(const struct options *options, int cpu, unsigned matters)
{
    const char *root = wished_root(options);
    struct snapshot before;
    struct snapshot now;
    snapshot_take(root, true, &before);
    idle_rest(LOOK_S);
    snapshot_take(root, true, &now);
    const struct trust_view view = {
        .root = root, .cpus = &cpu, .cpu_count = cpu >= 0, .before = &before, .now = &now};
    json_t *list = conditions_look(&view, matters);
    snapshot_free(&before);
    snapshot_free(&now);
    return list;
}

unsigned conditions_that_matter(const struct options *options, bool clock, bool power)
{
    return (clock ? TRUST_TIME | TRUST_CLOCK : 0u) | (power ? TRUST_POWER : 0u) |
           (names_contain(options->counters, "timing") ? TRUST_TIME : 0u) |
           (names_contain(options->counters, "perf") ? TRUST_COUNTERS : 0u);
}

void conditions_tell(const struct options *options, const json_t *warnings)
{
    size_t i;
    const json_t *warning;
    json_array_foreach(warnings, i, warning)
    {
        const char *mend = json_string_or(warning, "mend", NULL);
        command_warn(options, "%s%s%s", json_string_or(warning, "what", ""), mend == NULL ? "" : " -> ",
                     mend == NULL ? "" : mend);
    }
}

void conditions_tell_now(const struct options *options, int cpu, unsigned matters)
{
    json_t *conditions = conditions_now(options, cpu, matters);
    json_t *warnings = conditions_warnings(conditions);
    conditions_tell(options, warnings);
    json_decref(warnings);
    json_decref(conditions);
}

void conditions_print(const json_t *list)
{
    static const struct table_column columns[] = {
        {"condition", TABLE_LEFT}, {"state", TABLE_LEFT}, {"what was found; and what mends it", TABLE_LEFT}};
    struct table table = {.columns = columns, .column_count = 3};
    size_t i;
    const json_t *entry;
    json_array_foreach(list, i, entry)
    {
        const char *mend = json_string_or(entry, "mend", NULL);
        table_cell(&table, "%s", json_string_or(entry, "condition", ""));
        table_cell(&table, "%s", json_string_or(entry, "state", ""));
        table_cell(&table, "%s", json_string_or(entry, "what", ""));
        if (mend == NULL)
            continue;
        table_cell(&table, "%s", "");
        table_cell(&table, "%s", "");
        table_cell(&table, "-> %s", mend);
    }
    table_print(&table, stdout);
    table_free(&table);
}
