#include "runner/conditions/condition.h"

#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>

static const struct condition *const tables[] = {clock_conditions, load_conditions, host_conditions,
                                                 counter_conditions};

const char *const condition_states[] = {
    [CONDITION_GOOD] = "good", [CONDITION_WARNING] = "warning", [CONDITION_UNKNOWN] = "unknown"};

static void set(struct finding *finding, enum condition_state state, const char *what, va_list arguments)
{
    finding->state = state;
    vsnprintf(finding->what, sizeof finding->what, what, arguments);
    finding->mend[0] = '\0';
}

void finding_good(struct finding *finding, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    set(finding, CONDITION_GOOD, what, arguments);
    va_end(arguments);
}

void finding_unknown(struct finding *finding, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    set(finding, CONDITION_UNKNOWN, what, arguments);
    va_end(arguments);
}

void finding_warn(struct finding *finding, const char *mend, const char *what, ...)
{
    va_list arguments;
    va_start(arguments, what);
    set(finding, CONDITION_WARNING, what, arguments);
    va_end(arguments);
    snprintf(finding->mend, sizeof finding->mend, "%s", mend);
}

struct found_condition *conditions_look(const struct condition_view *view, unsigned matters, size_t *count)
{
    struct found_condition *found = NULL;
    *count = 0;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const struct condition *row = tables[i]; row->name != NULL; row++) {
            if ((row->matters & matters) == 0)
                continue;
            found = memory_next(found, *count, sizeof *found);
            struct found_condition *added = &found[(*count)++];
            *added = (struct found_condition){row->name, {.state = CONDITION_UNKNOWN}};
            row->look(view, &added->finding);
        }
    return found;
}

void conditions_warn(const struct found_condition *found, size_t count, struct warnings *warnings)
{
    for (size_t i = 0; i < count; i++)
        if (found[i].finding.state == CONDITION_WARNING)
            warning_add(warnings, found[i].finding.mend, "%s", found[i].finding.what);
}
