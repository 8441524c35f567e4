#include "report/figure/figure_request.h"

const char *figure_machine(const struct figure_request *request)
{
    return request->results->context->machine.name;
}

const char *figure_words(const struct figure_request *request, const char *own, const char *otherwise)
{
    return arena_strdup(&request->figure->arena, own == NULL ? otherwise : own);
}
