#include "isa/operands.h"

#include "isa/isa.h"

#include <stdlib.h>
#include <string.h>

static unsigned bits_named(const struct register_name *found, const char *name, size_t length)
{
    for (const struct register_view *view = found->views; view->bits != 0; view++)
        if (strncmp(view->name, name, length) == 0 && view->name[length] == '\0')
            return view->bits;
    return 0;
}

struct operands operands_read(const struct isa *isa, const char *text)
{
    struct operands operands = {0};
    size_t prefix = strlen(isa->register_prefix);
    text += strcspn(text, " \t");
    while (*text != '\0' && operands.count < OPERANDS_MOST) {
        text += strspn(text, " \t,");
        size_t length = strcspn(text, ", \t");
        if (length == 0)
            break;
        int index = operands.count++;
        size_t marked = isa->syntax.immediate != '\0' && *text == isa->syntax.immediate;
        size_t whole = strcspn(text, ".");
        const struct register_name *found = NULL;
        whole = whole < length ? whole : length;
        operands.registers[index] = -1;
        if (marked || isa->syntax.immediate == '\0')
            operands.numbers[index] = strtoull(text + marked, NULL, 0);
        if (strncmp(text, isa->register_prefix, prefix) == 0 && whole > prefix)
            found = isa_register(isa, text + prefix, whole - prefix);
        if (found != NULL) {
            operands.registers[index] = (int)(found - isa->registers);
            operands.bits[index] = bits_named(found, text + prefix, whole - prefix);
        }
        text += length;
    }
    return operands;
}

bool operands_of(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && strchr(" \t", text[length]) != NULL;
}
