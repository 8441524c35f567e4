/* DynamoRIO's memtrace, version 5: 12 bytes per entry, an instruction before its accesses. Numbers of types
 * are those of its trace_entry.h. The type of a conditional branch contains whether it was taken; the target
 * of an indirect branch precedes it. */
#include "runner/tracing/trace_format.h"

#include <inttypes.h>
#include <string.h>

enum { VERSION = 5, THREAD = 1, ID_BYTES = 4, PAGE = 4096 };

enum entry_type {
    ENTRY_READ = 0,
    ENTRY_WRITE = 1,
    ENTRY_INSTRUCTION = 10,
    ENTRY_DIRECT_JUMP = 11,
    ENTRY_INDIRECT_JUMP = 12,
    ENTRY_DIRECT_CALL = 14,
    ENTRY_INDIRECT_CALL = 15,
    ENTRY_RETURN = 16,
    ENTRY_THREAD = 22,
    ENTRY_THREAD_EXIT = 23,
    ENTRY_PROCESS = 24,
    ENTRY_HEADER = 25,
    ENTRY_FOOTER = 26,
    ENTRY_MARKER = 28,
    ENTRY_TAKEN = 48,
    ENTRY_UNTAKEN = 49
};

enum marker {
    MARKER_TIME = 2,
    MARKER_CPU = 3,
    MARKER_FILE_TYPE = 9,
    MARKER_VERSION = 12,
    MARKER_PAGE = 18,
    MARKER_TARGET = 29
};

/* An entry's size is that of the access or the instruction, or the marker's kind. */
static void put(FILE *file, enum entry_type type, uint16_t size, uint64_t value)
{
    const uint16_t head[2] = {(uint16_t)type, size};
    fwrite(head, sizeof head, 1, file);
    fwrite(&value, sizeof value, 1, file);
}

static void begin(FILE *file, const struct isa *isa)
{
    static const struct {
        const char *isa;
        uint64_t type;
    } types[] = {{"x86_64", 0x40}, {"aarch64", 0x08}};
    uint64_t type = 0; /* DynamoRIO has none for other ISAs */
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        type |= strcmp(isa->name, types[i].isa) == 0 ? types[i].type : 0;
    put(file, ENTRY_HEADER, 0, VERSION);
    put(file, ENTRY_MARKER, MARKER_VERSION, VERSION);
    put(file, ENTRY_MARKER, MARKER_FILE_TYPE, type);
    put(file, ENTRY_THREAD, ID_BYTES, THREAD);
    put(file, ENTRY_PROCESS, ID_BYTES, THREAD);
    put(file, ENTRY_MARKER, MARKER_PAGE, PAGE);
    put(file, ENTRY_MARKER, MARKER_TIME, 1);
    put(file, ENTRY_MARKER, MARKER_CPU, 0);
}

static enum entry_type type_of(const struct traced *instruction)
{
    bool named = instruction->role.reads[0] != ROLE_NO_REGISTER; /* a register contains the target */
    switch (instruction->role.branch) {
    case ROLE_NONE:
        return ENTRY_INSTRUCTION;
    case ROLE_JUMP:
        return ENTRY_DIRECT_JUMP;
    case ROLE_CONDITIONAL:
        return instruction->next != instruction->address + instruction->bytes ? ENTRY_TAKEN : ENTRY_UNTAKEN;
    case ROLE_INDIRECT:
        return ENTRY_INDIRECT_JUMP;
    case ROLE_CALL:
        return named ? ENTRY_INDIRECT_CALL : ENTRY_DIRECT_CALL;
    case ROLE_RETURN:
        return ENTRY_RETURN;
    }
    return ENTRY_INSTRUCTION;
}

/* Returns the number of references, which are the entries that drcachesim counts. */
static unsigned write_entries(FILE *file, const struct traced *instruction)
{
    enum entry_type type = type_of(instruction);
    if (instruction->first)
        begin(file, instruction->isa);
    if (type == ENTRY_INDIRECT_JUMP || type == ENTRY_INDIRECT_CALL || type == ENTRY_RETURN)
        put(file, ENTRY_MARKER, MARKER_TARGET, instruction->next);
    put(file, type, (uint16_t)instruction->bytes, instruction->address);
    for (unsigned i = 0; i < instruction->access_count; i++) {
        const struct trace_access *access = &instruction->accesses[i];
        put(file, access->store ? ENTRY_WRITE : ENTRY_READ, (uint16_t)access->bytes, access->address);
    }
    return 1 + instruction->access_count;
}

static void finish(FILE *file)
{
    put(file, ENTRY_THREAD_EXIT, ID_BYTES, THREAD);
    put(file, ENTRY_FOOTER, 0, 0);
}

/* -sim_refs, from which drcachesim subtracts the warm-up's, is not needed, as nothing follows the passes. */
static void write_options(const struct trace_counts *warmup, const struct trace_counts *passes,
                          struct buffer *text)
{
    (void)passes;
    buffer_printf(text, "-warmup_refs %" PRIu64, warmup->entries);
}

const struct trace_format trace_drmemtrace = {.name = "drmemtrace",
                                              .title = "DynamoRIO's memtrace, which drcachesim reads",
                                              .file = "program.drmemtrace",
                                              .write = write_entries,
                                              .finish = finish,
                                              .options = write_options};
