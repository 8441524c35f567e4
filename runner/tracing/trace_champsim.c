/* ChampSim's input_instr: 64 bytes per instruction. ChampSim distinguishes kinds of branches by the registers
 * that they use: 6 is the stack pointer, 25 the flags, 26 the instruction pointer. An address of 0, or a
 * register of 0, is none. */
#include "runner/tracing/trace_format.h"

#include <inttypes.h>
#include <string.h>

enum { STACK = 6, FLAGS = 25, POINTER = 26, FIRST = 27, WRITES = 2, READS = 4 };

struct input_instr {
    uint64_t ip;
    uint8_t is_branch, branch_taken, writes[WRITES], reads[READS];
    uint64_t stores[WRITES], loads[READS];
};
_Static_assert(sizeof(struct input_instr) == 64, "a record has 64 bytes");

static void add(uint8_t *registers, size_t most, uint8_t number)
{
    void *place = memchr(registers, 0, most);
    if (place != NULL)
        *(uint8_t *)place = number;
}

static void add_all(uint8_t *registers, size_t most, const int from[ROLE_REGISTERS])
{
    for (size_t i = 0; i < ROLE_REGISTERS && from[i] != ROLE_NO_REGISTER; i++)
        add(registers, most, (uint8_t)(FIRST + from[i]));
}

/* Adds the registers by which ChampSim's reader (inc/instruction.h) recognises that kind of branch. */
static void add_branch(struct input_instr *record, const struct instruction_role *role)
{
    enum branch_role branch = role->branch;
    bool plain = role->reads[0] == ROLE_NO_REGISTER;
    add(record->writes, WRITES, POINTER);
    if (branch == ROLE_CALL || branch == ROLE_RETURN) {
        add(record->writes, WRITES, STACK);
        add(record->reads, READS, STACK);
    }
    if (branch == ROLE_CONDITIONAL || branch == ROLE_CALL)
        add(record->reads, READS, POINTER);
    if (branch == ROLE_CONDITIONAL && (plain || role->reads_flags))
        add(record->reads, READS, FLAGS);
    if (branch == ROLE_INDIRECT && plain)
        add(record->reads, READS, FIRST);
    if (branch == ROLE_CONDITIONAL || branch == ROLE_INDIRECT || branch == ROLE_CALL)
        add_all(record->reads, READS, role->reads);
}

/* Writes an instruction; one with more accesses than fit a record fills several, of which only the last may
 * be a branch. */
static unsigned write_records(FILE *file, const struct traced *instruction)
{
    const struct instruction_role *role = &instruction->role;
    unsigned records = 0, done = 0;
    do {
        struct input_instr record = {.ip = instruction->address};
        unsigned loads = 0, stores = 0;
        for (; done < instruction->access_count; done++) {
            const struct trace_access *access = &instruction->accesses[done];
            if (access->store ? stores == WRITES : loads == READS)
                break;
            if (access->store)
                record.stores[stores++] = access->address;
            else
                record.loads[loads++] = access->address;
        }
        if (role->branch != ROLE_NONE && done == instruction->access_count) {
            record.is_branch = 1;
            record.branch_taken = instruction->next != instruction->address + instruction->bytes;
            add_branch(&record, role);
        } else if (role->branch == ROLE_NONE) {
            add_all(record.writes, WRITES, role->writes);
            add_all(record.reads, READS, role->reads);
            if (role->writes_flags)
                add(record.writes, WRITES, FLAGS);
            if (role->reads_flags)
                add(record.reads, READS, FLAGS);
        }
        fwrite(&record, sizeof record, 1, file);
        records++;
    } while (done < instruction->access_count);
    return records;
}

static void write_options(const struct trace_counts *warmup, const struct trace_counts *passes,
                          struct buffer *text)
{
    buffer_printf(text, "--warmup-instructions %" PRIu64 " --simulation-instructions %" PRIu64,
                  warmup->entries, passes->entries);
}

const struct trace_format trace_champsim = {.name = "champsim",
                                            .title = "ChampSim's input_instr",
                                            .file = "program.champsimtrace",
                                            .packed = true,
                                            .ahead = 4096,
                                            .least = 1000000,
                                            .settle = 64,
                                            .write = write_records,
                                            .options = write_options};
