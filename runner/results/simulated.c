#include "runner/results/simulated.h"

#include "base/json.h"

#include <string.h>

/* The statement; NULL: there is none. */
static json_t *statement_of(const json_t *object)
{
    json_t *found = json_object_get(object, "simulated");
    const json_t *contexts = json_object_get(object, "contexts");
    for (size_t i = 0; found == NULL && i < json_array_size(contexts); i++)
        found = json_object_get(json_array_get(contexts, i), "simulated");
    return found;
}

const char *simulated_label(const json_t *object)
{
    const json_t *found = statement_of(object);
    if (found == NULL)
        return NULL;
    return strcmp(json_string_or(found, "what", ""), "meter") == 0 ? "simulated meter" : "simulated results";
}

const char *simulated_how(const json_t *object)
{
    return json_string_or(statement_of(object), "how", "");
}

void simulated_take(json_t *to, const json_t *from)
{
    json_t *found = statement_of(from);
    if (found != NULL && statement_of(to) == NULL)
        json_object_set(to, "simulated", found);
}
