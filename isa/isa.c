#include "isa/isa.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define address(name) &isa_##name,
const struct isa *const isa_table[] = {ISA_PROCESSORS(address) ISA_GPUS(address) NULL};

const struct isa *isa_find(const char *name)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (strcmp(isa_table[i]->name, name) == 0)
            return isa_table[i];
    return NULL;
}

/* False for an ISA that only accompanies another. */
static bool is_target(const struct isa *isa)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (isa_table[i]->beside != NULL && strcmp(isa_table[i]->beside, isa->name) == 0)
            return false;
    return true;
}

void isa_write_targets(struct buffer *output)
{
    size_t left = 0;
    for (size_t i = 0; isa_table[i] != NULL; i++)
        left += is_target(isa_table[i]);
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (is_target(isa_table[i]))
            buffer_printf(output, "%s%s", isa_table[i]->name, --left > 1 ? ", " : left == 1 ? " and " : "");
}

bool isa_is_processor(const char *name)
{
    const struct isa *isa = name == NULL ? NULL : isa_find(name);
    return isa != NULL && !isa->gpu;
}

bool isa_is_listed(const char *listed, const char *name)
{
    return strcmp(listed, name) == 0 || (strcmp(listed, ISA_PROCESSOR) == 0 && isa_is_processor(name));
}

const struct isa *isa_of_host(void)
{
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (isa_table[i]->host != NULL && isa_table[i]->host->ticks != NULL)
            return isa_table[i];
    return NULL;
}

static bool same(const char *name, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] == text[i]) /* most differ in the first character, which saves a call */
        i++;
    return i == length && name[length] == '\0';
}

const struct register_name *isa_register(const struct isa *isa, const char *name, size_t length)
{
    for (size_t i = 0; i < isa->register_count; i++) {
        const struct register_name *candidate = &isa->registers[i];
        if (same(candidate->whole, name, length))
            return candidate;
        for (const struct register_view *view = candidate->views; view->bits != 0; view++)
            if (same(view->name, name, length))
                return candidate;
    }
    return NULL;
}

unsigned isa_register_bits(const struct register_name *found, const char *name, size_t length)
{
    for (const struct register_view *view = found->views; view->bits != 0; view++)
        if (same(view->name, name, length))
            return view->bits;
    return 0;
}

const char *isa_register_part(const struct register_name *found, unsigned bits)
{
    for (const struct register_view *view = found->views; view->bits != 0; view++)
        if (view->bits == bits)
            return view->name;
    return NULL;
}

static bool serves(const struct reach *reach, unsigned width)
{
    return reach->width == 0 || reach->width == width;
}

bool isa_reaches(const struct isa *isa, unsigned width, int64_t displacement)
{
    for (size_t i = 0; i < isa->reach_count; i++) {
        const struct reach *reach = &isa->reaches[i];
        if (serves(reach, width) && displacement >= reach->low && displacement <= reach->high &&
            (displacement & (int64_t)(reach->multiple - 1)) == 0)
            return true;
    }
    return false;
}

bool isa_reaches_all(const struct isa *isa, uint64_t bytes)
{
    for (size_t i = 0; i < isa->reach_count; i++) {
        const struct reach *reach = &isa->reaches[i];
        if (reach->width == 0 && reach->multiple == 1 && reach->low <= 0 && (uint64_t)reach->high >= bytes)
            return true;
    }
    return false;
}

int64_t isa_farthest(const struct isa *isa, unsigned width)
{
    int64_t farthest = 0;
    for (size_t i = 0; i < isa->reach_count; i++)
        if (serves(&isa->reaches[i], width) && isa->reaches[i].high > farthest)
            farthest = isa->reaches[i].high;
    return farthest;
}

int64_t isa_nearest(const struct isa *isa, unsigned width)
{
    int64_t nearest = 0;
    for (size_t i = 0; i < isa->reach_count; i++)
        if (serves(&isa->reaches[i], width) && isa->reaches[i].low < nearest)
            nearest = isa->reaches[i].low;
    return nearest;
}

static bool take(const char **text, const char *name)
{
    size_t length = strlen(name);
    if (strncmp(*text, name, length) != 0)
        return false;
    *text += length;
    return true;
}

void isa_write_address(const struct isa *isa, uint64_t displacement, const char *base, struct buffer *output)
{
    if (displacement == 0 && isa->syntax.displacement_inside) { /* some instructions take none */
        buffer_printf(output, "%c%s%s%c", isa->syntax.open, isa->register_prefix, base, isa->syntax.close);
        return;
    }
    for (const char *at = isa->syntax.address; *at != '\0';) {
        if (take(&at, "{disp}"))
            buffer_printf(output, "%" PRIu64, displacement);
        else if (take(&at, "{base}"))
            buffer_printf(output, "%s%s", isa->register_prefix, base);
        else
            buffer_append(output, at++, 1);
    }
}

/* ---- disassembled instructions ---- */

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
            operands.bits[index] = isa_register_bits(found, text + prefix, whole - prefix);
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
