#include "runner/conditions/condition.h"

#include "base/json.h"
#include "runner/results/warning.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct condition *const tables[] = {clock_conditions, load_conditions, host_conditions,
                                                 counter_conditions};

static const char *const states[] = {
    [CONDITION_GOOD] = "good", [CONDITION_WARNING] = "warning", [CONDITION_UNKNOWN] = "unknown"};

static void say(struct finding *finding, enum condition_state state, const char *what, va_list arguments)
{
    finding->state = state;
    vsnprintf(finding->what, sizeof finding->what, what, arguments);
    finding->mend[0] = '\0';
}

void finding_good(struct finding *finding, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    say(finding, CONDITION_GOOD, what, arguments);
    va_end(arguments);
}

void finding_unknown(struct finding *finding, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    say(finding, CONDITION_UNKNOWN, what, arguments);
    va_end(arguments);
}

void finding_warn(struct finding *finding, const char *mend, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    say(finding, CONDITION_WARNING, what, arguments);
    va_end(arguments);
    snprintf(finding->mend, sizeof finding->mend, "%s", mend);
}

static void look(const struct condition *row, const struct condition_view *view, json_t *list)
{
    struct finding finding = {.state = CONDITION_UNKNOWN};
    row->look(view, &finding);
    warning_add(list, finding.mend[0] == '\0' ? NULL : finding.mend, "%s", finding.what);
    json_t *entry = json_array_get(list, json_array_size(list) - 1);
    json_object_set_new(entry, "condition", json_string(row->name));
    json_object_set_new(entry, "state", json_string(states[finding.state]));
}

json_t *conditions_look(const struct condition_view *view, unsigned matters)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct condition *row = tables[i]; row->name != NULL; row++)
            if ((row->matters & matters) != 0)
                look(row, view, list);
    return list;
}

json_t *conditions_warnings(const json_t *list)
{
    json_t *warnings = json_array();
    size_t i;
    const json_t *entry;
    json_array_foreach(list, i, entry)
    {
        if (strcmp(json_string_or(entry, "state", ""), states[CONDITION_WARNING]) == 0)
            json_array_append_new(warnings, json_pack("{s:O, s:O}", "what", json_object_get(entry, "what"),
                                                      "mend", json_object_get(entry, "mend")));
    }
    return warnings;
}
