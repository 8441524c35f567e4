/* PTX text, whose loop is found by its labels, and a disassembler's text of what became of it. */
#include "isa/sass/ptx_lines.h"
#include "isa/sass/sass.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ptx_lines lines = {0};
    struct sass sass = {0};
    struct sass_loop loop;
    struct error error = {0};
    const char *text = (const char *)data;
    if (fuzz_accepted(ptx_lines_read(text, size, &lines, &error), &error))
        for (int i = 1; i <= lines.count; i++)
            FUZZ_REQUIRE(lines.lines[i].statements == 0 || strlen(lines.lines[i].opcode) <= size);
    ptx_lines_free(&lines);
    if (fuzz_accepted(sass_read(text, size, "trauma_kernel", &sass, &error), &error)) {
        for (size_t i = 0; i < sass.count; i++) {
            struct sass_access access;
            sass_access_of(sass.code[i].mnemonic, &access);
        }
        if (fuzz_accepted(sass_find_loop(&sass, 1, 1000, &loop, &error), &error))
            FUZZ_REQUIRE(loop.first <= loop.last && loop.last < sass.count);
    }
    sass_free(&sass);
    return 0;
}
