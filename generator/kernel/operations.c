#include "generator/kernel/operations.h"

#include "base/random.h"
#include "generator/machine/shipped.h"

#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 96, LONGEST_OP = 60, LONGEST_VARIANT = 20 };

bool operation_has_operands(const struct behaviour *item)
{
    return operation_is(item) || (item->kind == BEHAVIOUR_STORE && item->has_data);
}

static bool is_floating(const struct behaviour *item)
{
    return behaviour_can(item, FORM_FLOATING);
}

/* ---- rows ---- */

/* "add.start.4", without the width if it is the ISA's plain one. */
static const char *row_name(char name[NAME_BYTES], const struct isa *isa, const char *op, const char *variant,
                            unsigned width)
{
    char *end = stpncpy(name, op, LONGEST_OP);
    if (variant[0] != '\0') {
        *end++ = '.';
        end = stpncpy(end, variant, LONGEST_VARIANT);
    }
    *end = '\0';
    if (width != isa->plain_width)
        snprintf(end, (size_t)(name + NAME_BYTES - end), ".%u", width);
    return name;
}

const struct form *operation_row(const struct template *templates, const struct machine *machine,
                                 const char *name)
{
    const struct form *form = NULL;
    while ((form = template_next(templates, name, form)) != NULL)
        if (machine_has(machine, form->feature))
            return form;
    return NULL;
}

static const struct form *variant_row(const struct template *templates, const struct machine *machine,
                                      const struct behaviour *item, const char *variant)
{
    char name[NAME_BYTES];
    return operation_row(templates, machine, row_name(name, templates->isa, item->op, variant, item->width));
}

const struct form *operation_form(const struct template *templates, const struct machine *machine,
                                  const struct behaviour *item, bool dependent, bool starts)
{
    if (dependent)
        return variant_row(templates, machine, item, "dependent");
    const struct form *form = NULL;
    if (item->chain > 0)
        form = variant_row(templates, machine, item, starts ? "start" : "chain");
    return form != NULL ? form : variant_row(templates, machine, item, "");
}

/* ---- what is refused ---- */

/* Explains why there is no row: the op, its width, or the machine's features. */
static enum status refuse_row(const struct behaviour *item, const struct machine *machine,
                              const struct template *templates, struct error *error)
{
    char name[NAME_BYTES];
    if (template_next(templates, item->op, NULL) == NULL)
        return error_set(error, STATUS_RECIPE, "%s{}: the templates of %s have no such operation", item->op,
                         templates->isa->name);
    row_name(name, templates->isa, item->op, "", item->width);
    const struct form *form = template_next(templates, name, NULL);
    if (form == NULL)
        return error_set(error, STATUS_RECIPE, "%s.width is %u: there is no such form", item->op,
                         item->width);
    char features[NAME_BYTES] = "";
    for (const struct form *more = form; more != NULL; more = template_next(templates, name, more))
        snprintf(features + strlen(features), sizeof features - strlen(features), "%s%s",
                 more == form ? "" : " or ", more->feature);
    error_set(error, STATUS_RECIPE, "%s{} with width = %u needs the feature %s, which %s does not have",
              item->op, item->width, features, machine->name);
    char shipped[SHIPPED_TEXT_BYTES];
    error_hint(error, "%s", shipped_with(machine->isa, form->feature, shipped));
    return STATUS_RECIPE;
}

static enum status check_data(const struct behaviour *item, const struct form *chain, struct error *error)
{
    if (!item->has_data)
        return STATUS_OK;
    if (!form_has(item->row, FORM_OPERAND))
        return error_set(error, STATUS_RECIPE,
                         "%s.data: %s{} has no operand that could hold it; expected no data", item->op,
                         item->op);
    if (item->dependents > 0)
        return error_set(error, STATUS_RECIPE, "%s.data with dependents: their operand is the loaded value",
                         item->op);
    if (chain != NULL)
        return error_set(error, STATUS_RECIPE,
                         "%s.data with chain: each link of the chain uses the previous link's result",
                         item->op);
    bool zero = !item->changes && item->word == 0;
    for (size_t i = 0; i < item->word_count; i++)
        zero = zero || item->words[i] == 0;
    if (zero && form_has(item->row, FORM_DIVIDES))
        return error_set(error, STATUS_RECIPE, "%s.data has a word of zeros, which cannot be a divisor",
                         item->op);
    return STATUS_OK;
}

static enum status resolve_item(struct behaviour *item, const struct machine *machine,
                                const struct template *templates, struct error *error)
{
    item->row = variant_row(templates, machine, item, "");
    if (item->row == NULL)
        return refuse_row(item, machine, templates, error);
    if (form_has(item->row, FORM_HITS_LINE) && cache_sets(&machine->l1d) == 1)
        return error_set(error, STATUS_RECIPE,
                         "%s{}: the L1D of %s has one set, so no line stays for it to touch", item->op,
                         machine->name);
    const struct form *chain = item->chain > 0 ? variant_row(templates, machine, item, "chain") : NULL;
    if (item->chain > 0 && chain == NULL && variant_row(templates, machine, item, "start") == NULL)
        return error_set(error, STATUS_RECIPE, "%s{} with width = %u has no form that begins a chain",
                         item->op, item->width);
    if (item->dependents > 0 && variant_row(templates, machine, item, "dependent") == NULL)
        return error_set(error, STATUS_RECIPE, "%s{} with width = %u has no form that consumes a load",
                         item->op, item->width);
    return check_data(item, chain, error);
}

/* The divider has one quotient and remainder: an operation between two links of a chain would overwrite them.
 */
static enum status check_divider(const struct kernel *kernel, struct error *error)
{
    unsigned dividers = 0;
    bool chained = false;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!behaviour_can(item, FORM_DIVIDES))
            continue;
        dividers++;
        chained = chained || item->chain > 0;
    }
    if (dividers > 1 && chained)
        return error_set(
            error, STATUS_RECIPE,
            "div.chain: the unit has %u div{}, and all divisions share the register that continues a chain",
            dividers);
    return STATUS_OK;
}

enum status operations_resolve(struct kernel *kernel, const struct machine *machine,
                               const struct template *templates, struct error *error)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < kernel->count; i++)
        if (operation_is(&kernel->items[i]))
            status = resolve_item(&kernel->items[i], machine, templates, error);
    return status == STATUS_OK ? check_divider(kernel, error) : status;
}

/* ---- properties of all operations of a kernel ---- */

bool operation_has_vectors(const struct behaviour *item)
{
    return operation_has_operands(item) && operation_kind(item) != ACCUMULATE_SCALAR;
}

enum accumulators operation_kind(const struct behaviour *item)
{
    if (is_floating(item))
        return item->width == 4 ? ACCUMULATE_FLOAT : ACCUMULATE_DOUBLE;
    if (item->kind == BEHAVIOUR_STORE && item->from_vector)
        return ACCUMULATE_VECTOR;
    return item->width > 8 ? ACCUMULATE_VECTOR : ACCUMULATE_SCALAR;
}

unsigned operations_widest(const struct kernel *kernel)
{
    unsigned widest = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (!operation_has_vectors(item))
            continue;
        unsigned width = item->width < 8 ? 8 : item->width;
        widest = width > widest ? width : widest;
    }
    return widest;
}

unsigned operations_widest_vector(const struct kernel *kernel)
{
    unsigned widest = 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        bool vector = item->width > 8 && (operation_is(item) || behaviour_accesses(item));
        widest = vector && item->width > widest ? item->width : widest;
    }
    return widest;
}

bool operations_flush(const struct kernel *kernel)
{
    for (size_t i = 0; i < kernel->count; i++)
        if (is_floating(&kernel->items[i]) && (kernel->items[i].has_data || kernel->items[i].dependents > 0))
            return true;
    return false;
}

bool operation_divides(const struct behaviour *item)
{
    return behaviour_can(item, FORM_DIVIDES);
}
