/* ELF objects: a program's own, whose loop is inspected and which becomes an executable, AMD's of both
 * widths, and NVIDIA's. */
#include "isa/executable.h"
#include "isa/gcn/binary/elf.h"
#include "isa/loop.h"
#include "isa/object.h"
#include "isa/sass/cubin_join.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>

static void look_at_all(const struct gcn_elf *elf)
{
    struct error error = {0};
    struct gcn_section section;
    for (unsigned i = 0; i < elf->section_count; i++) {
        if (!fuzz_accepted(gcn_elf_section(elf, i, &section, &error), &error))
            continue;
        FUZZ_REQUIRE(section.type == SHT_NOBITS ||
                     (section.offset <= elf->size && section.size <= elf->size - section.offset));
        bool has_symbols = section.type == SHT_SYMTAB || section.type == SHT_DYNSYM;
        size_t symbols = has_symbols ? gcn_elf_symbol_count(elf, &section) : 0;
        for (size_t k = 0; k < symbols; k++) {
            struct gcn_symbol symbol;
            gcn_elf_symbol(elf, &section, k, &symbol);
            FUZZ_REQUIRE(symbol.name != NULL);
        }
    }
    for (unsigned i = 0; i < elf->segment_count; i++)
        gcn_elf_segment(elf, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const helped[] = {"testq {data}, {data}; jne {target}", NULL};
    struct loop_count count;
    struct error error = {0};
    struct object_part part;
    struct gcn_elf elf;
    struct buffer file = {0};
    uint64_t value;
    struct buffer object = {.data = (char *)data, .size = size};
    const struct executable_request request = {
        .isa = &isa_x86_64, .start = &object, .object = &object, .data_bytes = 4096, .data_align = 4096};
    if (fuzz_accepted(object_section(data, size, ".text", &part, &error), &error))
        FUZZ_REQUIRE(part.size <= size && part.bytes >= data && part.bytes + part.size <= data + size);
    fuzz_accepted(object_symbol(data, size, "trauma_loop", &value, &error), &error);
    fuzz_accepted(loop_inspect(&isa_x86_64, data, size, helped, &count, &error), &error);
    fuzz_accepted(executable_write(&request, &file, &error), &error);
    if (fuzz_accepted(gcn_elf_open(data, size, &elf, &error), &error))
        look_at_all(&elf);
    const struct cubin cubins[] = {{&object, "trauma_kernel"}, {&object, "trauma_kernel"}};
    FUZZ_REQUIRE(!cubin_join(cubins, 2, &file) || file.size > 0);
    buffer_free(&file);
    return 0;
}
