#include "report/figure/figure_request.h"

#include "base/json.h"
#include "runner/results/recorded_machine.h"

const char *figure_machine(const struct figure_request *request)
{
    return recorded_machine_read(json_object_get(request->results->context, "machine")).name;
}

const char *figure_words(const struct figure_request *request, const char *key, const char *otherwise)
{
    return arena_strdup(&request->figure->arena, json_string_or(request->plot, key, otherwise));
}
