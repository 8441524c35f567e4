/* Finds the measured loop by its backward branch, which was compiled from a line of the PTX loop. */
#include "isa/sass/sass.h"

#include <inttypes.h>
#include <string.h>

static bool goes_back(const struct sass_instruction *instruction)
{
    bool inner = instruction->inner || strcmp(instruction->mnemonic, "BRA.U.ANY") == 0;
    return !inner && instruction->target >= 0 && (uint64_t)instruction->target < instruction->offset;
}

static size_t index_of(const struct sass *sass, uint64_t offset)
{
    size_t i = 0;
    while (i < sass->count && sass->code[i].offset < offset)
        i++;
    return i;
}

static bool clock_between(const struct sass *sass, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        if (sass->code[i].reads_clock)
            return true;
    return false;
}

enum status sass_find_loop(const struct sass *sass, int first, int last, struct sass_loop *loop,
                           struct error *error)
{
    bool found = false;
    for (size_t i = 0; i < sass->count; i++) {
        const struct sass_instruction *at = &sass->code[i];
        if (!goes_back(at) || at->line < first || at->line > last)
            continue;
        struct sass_loop next = {index_of(sass, (uint64_t)at->target), i};
        if (found && next.first > loop->last)
            return error_set(error, STATUS_FAILED,
                             "ptxas split the measured loop: one part is at 0x%" PRIx64
                             ", another at 0x%" PRIx64 "; expected one (.pragma \"nounroll\")",
                             sass->code[loop->last].offset, at->offset);
        *loop = found && loop->first < next.first ? (struct sass_loop){loop->first, i} : next;
        found = true;
    }
    if (!found)
        return error_set(
            error, STATUS_FAILED,
            "no branch of the machine code goes back to lines %d to %d of program.ptx: the measured "
            "loop is gone",
            first, last);
    if (!clock_between(sass, 0, loop->first) || !clock_between(sass, loop->last + 1, sass->count))
        return error_set(error, STATUS_FAILED,
                         "the clock is not read both before and after the measured loop, at 0x%" PRIx64
                         " to 0x%" PRIx64,
                         sass->code[loop->first].offset, sass->code[loop->last].offset);
    return STATUS_OK;
}
