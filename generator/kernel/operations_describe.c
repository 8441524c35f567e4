#include "generator/kernel/operations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 96 };

static bool seen(const json_t *list, const char *name)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(json_string_value(json_object_get(json_array_get(list, i), "name")), name) == 0)
            return true;
    return false;
}

static const struct form *row_of(const struct template *templates, const char *op, const char *variant,
                                 unsigned width)
{
    char name[NAME_BYTES];
    char tail[NAME_BYTES] = "";
    if (width != templates->isa->plain_width)
        snprintf(tail, sizeof tail, ".%u", width);
    snprintf(name, sizeof name, "%.40s%s%s", op, variant, tail);
    return template_next(templates, name, NULL);
}

static json_t *describe_width(const struct template *templates, const char *op, unsigned width)
{
    const struct form *plain = row_of(templates, op, "", width);
    if (plain == NULL)
        return NULL;
    json_t *features = json_array();
    for (const struct form *form = plain; form != NULL; form = template_next(templates, plain->name, form))
        json_array_append_new(features, json_string(form->feature));
    bool chain = row_of(templates, op, ".chain", width) != NULL;
    bool turns = templates->isa->gpu && form_has(plain, FORM_COMPUTES);
    return json_pack("{s:o, s:b, s:b, s:b, s:b, s:b}", "features", features, "dependents",
                     row_of(templates, op, ".dependent", width) != NULL, "chain",
                     turns || chain || row_of(templates, op, ".start", width) != NULL, "operand",
                     form_has(plain, FORM_OPERAND), "chain_operand", !chain, "divides",
                     form_has(plain, FORM_DIVIDES));
}

/* The cache operators of a GPU's loads, stores, asynchronous or bulk copies: "load.OPERATOR.WIDTH". */
static json_t *describe_operators(const struct template *templates, const char *op)
{
    json_t *operators = json_array();
    for (size_t i = 0; i < templates->form_count; i++) {
        char name[NAME_BYTES];
        const char *form = templates->forms[i].name;
        size_t length = strlen(op);
        if (strncmp(form, op, length) != 0 || form[length] != '.')
            continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(form + length + 1, "."), form + length + 1);
        bool known = strcmp(name, "shared") == 0;
        for (size_t j = 0; j < json_array_size(operators); j++)
            known = known || strcmp(json_string_value(json_array_get(operators, j)), name) == 0;
        if (!known)
            json_array_append_new(operators, json_string(name));
    }
    return json_pack("{s:s, s:o}", "name", op, "operators", operators);
}

json_t *operations_describe(const struct template *templates)
{
    static const unsigned widths[] = {4, 8, 16, 32, 64};
    json_t *list = json_array();
    for (size_t i = 0; i < templates->form_count; i++) {
        const char *name = templates->forms[i].name;
        if (form_has(&templates->forms[i], FORM_VARIANT) || seen(list, name))
            continue; /* an op whose rows all have a variant is no operation that a recipe can name */
        json_t *forms = json_object();
        for (size_t w = 0; w < sizeof widths / sizeof widths[0]; w++) {
            char key[8];
            json_t *form = describe_width(templates, name, widths[w]);
            snprintf(key, sizeof key, "%u", widths[w]);
            if (form != NULL)
                json_object_set_new(forms, key, form);
        }
        json_array_append_new(list, json_pack("{s:s, s:o, s:i}", "name", name, "widths", forms, "plain",
                                              (int)templates->isa->plain_width));
    }
    if (templates->isa->gpu) {
        json_array_append_new(list, describe_operators(templates, "load"));
        json_array_append_new(list, describe_operators(templates, "store"));
        json_array_append_new(list, describe_operators(templates, "async"));
        json_array_append_new(list, describe_operators(templates, "tma"));
        json_array_append_new(list, describe_operators(templates, "atomic"));
    }
    return list;
}
