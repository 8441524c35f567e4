/* Dinero's "din": a line per access, with a label (0 read, 1 write, 2 fetch of an instruction) and an address
 * in hexadecimal. */
#include "runner/tracing/trace_format.h"

#include <inttypes.h>

static unsigned write_lines(FILE *file, const struct traced *instruction)
{
    fprintf(file, "2 %" PRIx64 "\n", instruction->address);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct trace_access *access = &instruction->accesses[i];
        fprintf(file, "%d %" PRIx64 "\n", access->store, access->address);
    }
    return 1 + instruction->access_count;
}

/* Dinero has no warm-up: it prints statistics at the warm-up's end, to be subtracted from those at the end.
 */
static void write_options(const struct trace_counts *warmup, const struct trace_counts *passes,
                          struct buffer *text)
{
    (void)passes;
    buffer_printf(text, "-informat d -stat-interval %" PRIu64, warmup->entries);
}

const struct trace_format trace_dinero = {.name = "dinero",
                                          .title = "Dinero's din, and whatever reads label and address",
                                          .file = "program.din",
                                          .write = write_lines,
                                          .options = write_options};
