#include "isa/gcn/binary/functions.h"

#include "base/memory.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum status gcn_work(size_t *work, size_t cost, struct error *error)
{
    if (*work < cost)
        return error_set(error, STATUS_FAILED,
                         "damaged ELF file: it refers to the same sections and symbols too often");
    *work -= cost;
    return STATUS_OK;
}

/* Symbols that Catalyst names like kernels, whatever their type. */
static const struct kernel_name {
    bool outer; /* not in EM_AMDGPU files, whose names are the user's */
    const char *begin, *end;
} kernel_names[] = {
    {false, "&__OpenCL_", ""},
    {true, "__ISA_&__OpenCL_", "_kernel_binary"},
    {true, "__OpenCL_", "_kernel"},
};

static bool is_kernel_name(const struct gcn_elf *elf, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof kernel_names / sizeof kernel_names[0]; i++) {
        const struct kernel_name *row = &kernel_names[i];
        size_t begin = strlen(row->begin);
        size_t end = strlen(row->end);
        if ((!row->outer || elf->machine != EM_AMDGPU) && length > begin + end &&
            strncmp(name, row->begin, begin) == 0 && strcmp(name + length - end, row->end) == 0)
            return true;
    }
    return false;
}

/* True for symbols of code: functions and kernels. */
static bool is_function(const struct gcn_elf *elf, const struct gcn_symbol *symbol)
{
    if (symbol->section == SHN_UNDEF || symbol->section >= elf->section_count)
        return false;
    return symbol->type == STT_FUNC || symbol->type == GCN_HSA_KERNEL || is_kernel_name(elf, symbol->name);
}

static void add(struct gcn_function **list, size_t *count, const struct gcn_function *function)
{
    *list = memory_next(*list, *count, sizeof **list);
    (*list)[(*count)++] = *function;
}

static bool holds_code(const struct gcn_section *section)
{
    return section->type == SHT_PROGBITS && section->size > 0;
}

static enum status take(const struct gcn_elf *elf, const struct gcn_symbol *symbol,
                        struct gcn_functions *functions, struct error *error)
{
    struct gcn_section section;
    enum status status = gcn_elf_section(elf, symbol->section, &section, error);
    if (status != STATUS_OK || !holds_code(&section))
        return status;
    uint64_t offset = elf->type == ET_REL ? symbol->value : symbol->value - section.address;
    if (offset == section.size && symbol->size == 0)
        return STATUS_OK; /* an empty function, the last one */
    if (offset >= section.size || symbol->size > section.size - offset)
        return error_set(
            error, STATUS_FAILED,
            "damaged ELF file: the function '%.100s' (0x%llx bytes at 0x%llx) does not lie within "
            "section '%.100s'",
            symbol->name, (unsigned long long)symbol->size, (unsigned long long)symbol->value, section.name);
    add(&functions->list, &functions->count,
        &(struct gcn_function){symbol->name, symbol->section, symbol->type, offset, symbol->size});
    return STATUS_OK;
}

/* Ignores an object that extends beyond its section. */
static void take_data(const struct gcn_elf *elf, const struct gcn_symbol *symbol,
                      struct gcn_functions *functions)
{
    struct gcn_section section;
    struct error none;
    if (symbol->type != STT_OBJECT || symbol->section == SHN_UNDEF || symbol->section >= elf->section_count ||
        symbol->size == 0 || gcn_elf_section(elf, symbol->section, &section, &none) != STATUS_OK ||
        !holds_code(&section))
        return;
    uint64_t offset = elf->type == ET_REL ? symbol->value : symbol->value - section.address;
    if (offset < section.size && symbol->size <= section.size - offset)
        add(&functions->data, &functions->data_count,
            &(struct gcn_function){symbol->name, symbol->section, symbol->type, offset, symbol->size});
}

static enum status take_table(const struct gcn_elf *elf, unsigned type, size_t *work,
                              struct gcn_functions *functions, bool *found, struct error *error)
{
    enum status status = gcn_work(work, elf->section_count, error);
    for (unsigned i = 0; status == STATUS_OK && i < elf->section_count; i++) {
        struct gcn_section table;
        status = gcn_elf_section(elf, i, &table, error);
        if (status != STATUS_OK || table.type != type)
            continue;
        *found = true;
        size_t count = gcn_elf_symbol_count(elf, &table);
        status = gcn_work(work, count, error);
        for (size_t k = 0; status == STATUS_OK && k < count; k++) {
            struct gcn_symbol symbol;
            gcn_elf_symbol(elf, &table, k, &symbol);
            if (is_function(elf, &symbol))
                status = take(elf, &symbol, functions, error);
            else
                take_data(elf, &symbol, functions);
        }
    }
    return status;
}

static int by_place(const void *left, const void *right)
{
    const struct gcn_function *a = left;
    const struct gcn_function *b = right;
    if (a->section != b->section)
        return a->section < b->section ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->size == b->size ? 0 : a->size < b->size ? -1 : 1;
}

/* Extends functions without a size to the next function. */
static void extend(const struct gcn_elf *elf, struct gcn_functions *functions)
{
    for (size_t i = functions->count; i > 0; i--) {
        struct gcn_function *function = &functions->list[i - 1];
        const struct gcn_function *next = i < functions->count ? function + 1 : NULL;
        struct gcn_section section;
        struct error none;
        if (function->size != 0)
            continue;
        if (next != NULL && next->section == function->section && next->offset == function->offset)
            function->size = next->size; /* another name of the same function */
        else if (next != NULL && next->section == function->section)
            function->size = next->offset - function->offset;
        else if (gcn_elf_section(elf, function->section, &section, &none) == STATUS_OK)
            function->size = section.size - function->offset;
    }
}

enum status gcn_functions_read(const struct gcn_elf *elf, size_t *work, struct gcn_functions *functions,
                               struct error *error)
{
    bool found = false;
    *functions = (struct gcn_functions){0};
    enum status status = take_table(elf, SHT_SYMTAB, work, functions, &found, error);
    if (status == STATUS_OK && !found)
        status = take_table(elf, SHT_DYNSYM, work, functions, &found, error);
    if (status != STATUS_OK)
        gcn_functions_free(functions);
    if (functions->count > 0)
        qsort(functions->list, functions->count, sizeof *functions->list, by_place);
    extend(elf, functions);
    return status;
}

void gcn_functions_free(struct gcn_functions *functions)
{
    free(functions->list);
    free(functions->data);
    *functions = (struct gcn_functions){0};
}
