#include "runner/sources/qemu/qemu_board.h"

#include "isa/mc.h"
#include "isa/object.h"
#include "isa/qemu_target.h"

#include <elf.h>
#include <inttypes.h>
#include <string.h>

/* From cmake/embed.cmake: isa/<isa>/board.s, ended by a NUL. */
#define declare(isa) extern const unsigned char qemu_board_##isa[];
ISA_PROCESSORS(declare)

#define system_of(isa) {#isa, qemu_board_##isa},
static const struct {
    const char *isa;
    const unsigned char *text;
} systems[] = {ISA_PROCESSORS(system_of)};

enum {
    SMALL_SHIFT = 12,
    LARGE_SHIFT = 21,
    SMALL = 1 << SMALL_SHIFT,
    LARGE = 1 << LARGE_SHIFT,
    ENTRIES = SMALL / 8,
    INDEX_BITS = 9
};

/* Places in the board's memory, from its start: page tables, enough for all that copies can share, then the
 * program's parts. What is not touched takes no memory of the host's. */
enum { TABLES_AT = LARGE + 0x10000, PARTS_AT = 32 * LARGE };

/* Addresses of the program: below its code, its stack, which ends with the arguments. */
static const uint64_t STACK = LARGE, ARGUMENTS = 2 * LARGE - SMALL, CODE_OF_TRIAL = 2 * LARGE;

enum { WORD_ROOT, WORD_SHARED_ROOT, WORD_ENTRY, WORD_STACK, WORD_FORK, WORD_UPPER, WORDS };

/* Bytes that the program has at an address, and the board in its memory. */
struct loaded_part {
    uint64_t address, bytes, at;
    const void *content; /* [size]; zeros follow */
    size_t size;
};

struct shared_part {
    uint64_t address, bytes, place; /* byte of the shared file */
};

enum { MOST_PARTS = 8, MOST_SHARED = 16 };

/* Behind the parts: some boards put the description of their devices there. */
enum { ROOM = 2 * LARGE };

struct board_plan {
    const struct qemu_board_memory *memory;
    struct loaded_part parts[MOST_PARTS];
    size_t part_count;
    struct shared_part shared[MOST_SHARED];
    size_t shared_count;
    uint64_t end; /* of what is taken of the board's memory */
    uint64_t entry, code, code_end, data;
    struct buffer tables, arguments, trial;
};

/* ---- the board's system ---- */

static enum status assemble(const struct isa *isa, struct buffer *object, struct error *error)
{
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        if (strcmp(systems[i].isa, isa->name) == 0)
            return mc_assemble(isa, (const char *)systems[i].text, "the board's system", object, error);
    return error_set(error, STATUS_UNAVAILABLE, "no board without a system is known for %s", isa->name);
}

/* ---- ELF ---- */

static void append_elf(struct buffer *file, const struct isa *isa, uint64_t entry,
                       const struct loaded_part *parts, size_t count, bool physical)
{
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = (Elf64_Half)isa->elf_machine,
                         .e_version = EV_CURRENT,
                         .e_entry = entry,
                         .e_phoff = sizeof header,
                         .e_flags = isa->elf_flags,
                         .e_ehsize = sizeof header,
                         .e_phentsize = sizeof(Elf64_Phdr),
                         .e_phnum = (Elf64_Half)count};
    buffer_append(file, &header, sizeof header);
    uint64_t offset = SMALL; /* a segment's address and its place in the file agree in the pages' bits */
    for (size_t i = 0; i < count; i++) {
        uint64_t address = physical ? parts[i].at : parts[i].address;
        Elf64_Phdr segment = {.p_type = PT_LOAD,
                              .p_flags = PF_R | PF_W | PF_X,
                              .p_offset = offset + address % SMALL,
                              .p_vaddr = address,
                              .p_paddr = address,
                              .p_filesz = parts[i].size,
                              .p_memsz = parts[i].size,
                              .p_align = SMALL};
        offset = (segment.p_offset + segment.p_filesz + SMALL - 1) / SMALL * SMALL;
        buffer_append(file, &segment, sizeof segment);
    }
    for (size_t i = 0; i < count; i++) {
        buffer_align(file, SMALL);
        buffer_fill(file, '\0', (physical ? parts[i].at : parts[i].address) % SMALL);
        buffer_append(file, parts[i].content, parts[i].size);
    }
}

enum status qemu_board_trial(const struct isa *isa, struct buffer *file, struct error *error)
{
    struct buffer object = {0};
    struct object_part code;
    enum status status = assemble(isa, &object, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".trial", &code, error);
    if (status == STATUS_OK)
        append_elf(file, isa, CODE_OF_TRIAL,
                   &(struct loaded_part){.address = CODE_OF_TRIAL, .content = code.bytes, .size = code.size},
                   1, false);
    buffer_free(&object);
    return status;
}

/* ---- what lies where ---- */

static uint64_t physical(const struct qemu_board_memory *memory, uint64_t at)
{
    return memory->start + at + (memory->hole > 0 && at >= memory->hole ? memory->above : 0);
}

/* Gives the part whole large pages of its own. */
static enum status add_part(struct board_plan *plan, struct loaded_part part, struct error *error)
{
    uint64_t start = part.address / LARGE * LARGE;
    uint64_t end = (part.address + part.bytes + LARGE - 1) / LARGE * LARGE;
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct loaded_part *other = &plan->parts[i];
        if (start < other->address + other->bytes && other->address < end)
            return error_set(error, STATUS_UNAVAILABLE,
                             "two parts of the program lie in one page of %d bytes, which no board has",
                             LARGE);
    }
    if (plan->part_count == MOST_PARTS || end >> 38 != 0)
        return error_set(error, STATUS_UNAVAILABLE, "the program does not fit a board's addresses");
    part.at = plan->end + part.address % LARGE;
    plan->end += end - start;
    plan->parts[plan->part_count++] = part;
    return STATUS_OK;
}

static enum status add_program(struct board_plan *plan, const unsigned char *file, size_t size,
                               struct error *error)
{
    Elf64_Ehdr header;
    enum status status = STATUS_OK;
    if (size < sizeof header)
        return error_set(error, STATUS_FAILED, "the executable is cut off");
    memcpy(&header, file, sizeof header);
    plan->entry = header.e_entry;
    for (size_t i = 0; status == STATUS_OK && i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > size || size - at < sizeof segment)
            return error_set(error, STATUS_FAILED, "the executable is cut off");
        memcpy(&segment, file + at, sizeof segment);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
            continue;
        if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
            return error_set(error, STATUS_FAILED, "the executable is cut off");
        if ((segment.p_flags & PF_X) != 0)
            plan->code = segment.p_vaddr, plan->code_end = segment.p_vaddr + segment.p_memsz;
        else
            plan->data = segment.p_vaddr;
        status = add_part(plan,
                          (struct loaded_part){.address = segment.p_vaddr,
                                               .bytes = segment.p_memsz,
                                               .content = file + segment.p_offset,
                                               .size = segment.p_filesz},
                          error);
    }
    return status;
}

/* The start code's parameters begin with three addresses; what is shared stands behind them
 * (templates/aarch64/start.s). */
static enum status find_shared(struct board_plan *plan, const struct qemu_board_request *request,
                               struct error *error)
{
    const unsigned char *file = request->executable;
    enum { PARAMETERS = 3, BEFORE = 4, HEAD = 3, EACH = 3 };
    uint64_t known[PARAMETERS] = {0, 0, plan->data}, entries = UINT64_MAX, words[EACH];
    enum status status = object_symbol(file, request->executable_size, "trauma_kernel", &known[0], error);
    if (status == STATUS_OK)
        status = object_symbol(file, request->executable_size, "trauma_layout", &known[1], error);
    if (status != STATUS_OK)
        return status;
    size_t at = 0;
    while (at + sizeof known <= request->executable_size && memcmp(file + at, known, sizeof known) != 0)
        at += sizeof(uint64_t);
    at += BEFORE * sizeof(uint64_t);
    if (at + sizeof entries <= request->executable_size)
        memcpy(&entries, file + at, sizeof entries);
    at += HEAD * sizeof(uint64_t);
    if (at > request->executable_size || entries > MOST_SHARED ||
        entries * sizeof words > request->executable_size - at)
        return error_set(error, STATUS_FAILED, "the executable's table of what is shared is not found");
    for (uint64_t i = 0; i < entries; i++, at += sizeof words) {
        memcpy(words, file + at, sizeof words);
        if (words[1] > 0)
            plan->shared[plan->shared_count++] =
                (struct shared_part){plan->data + words[0], (words[1] + SMALL - 1) / SMALL * SMALL, words[2]};
    }
    return STATUS_OK;
}

/* As Linux leaves them: their number, where they are, nothing of the environment, nothing of the system. */
static void write_arguments(struct board_plan *plan, const char *const *arguments)
{
    enum { ENDS = 4 }; /* of the arguments, of the environment, of the system's two words */
    uint64_t count = 0, zero = 0;
    while (arguments[count] != NULL)
        count++;
    uint64_t text = ARGUMENTS + (1 + count + ENDS) * sizeof text;
    buffer_append(&plan->arguments, &count, sizeof count);
    for (size_t i = 0; i < count; i++) {
        buffer_append(&plan->arguments, &text, sizeof text);
        text += strlen(arguments[i]) + 1;
    }
    for (int i = 0; i < ENDS; i++)
        buffer_append(&plan->arguments, &zero, sizeof zero);
    for (size_t i = 0; i < count; i++)
        buffer_append(&plan->arguments, arguments[i], strlen(arguments[i]) + 1);
}

static enum status lay_out(struct board_plan *plan, const struct qemu_board_request *request,
                           struct error *error)
{
    const void *file = request->executable;
    size_t size = request->executable_size;
    enum status status = STATUS_OK;
    plan->end = PARTS_AT;
    if (file == NULL) {
        status = qemu_board_trial(request->isa, &plan->trial, error);
        file = plan->trial.data;
        size = plan->trial.size;
    }
    write_arguments(plan, request->arguments);
    if (status == STATUS_OK && plan->arguments.size > SMALL)
        status = error_set(error, STATUS_UNAVAILABLE, "the program's arguments do not fit a page");
    if (status == STATUS_OK)
        status = add_part(plan, (struct loaded_part){.address = STACK, .bytes = LARGE}, error);
    if (status == STATUS_OK)
        status = add_program(plan, file, size, error);
    plan->end += ROOM;
    if (status == STATUS_OK && request->shares)
        status = find_shared(plan, request, error);
    return status;
}

/* ---- page tables ---- */

static uint64_t new_table(struct board_plan *plan)
{
    uint64_t at = plan->tables.size;
    buffer_fill(&plan->tables, '\0', SMALL);
    return at;
}

static uint64_t *entry_of(struct board_plan *plan, uint64_t table, uint64_t address, unsigned shift)
{
    return (uint64_t *)(void *)(plan->tables.data + table) + (address >> shift) % ENTRIES;
}

static uint64_t entry_for(const struct qemu_board_memory *memory, uint64_t address, uint64_t bits)
{
    return address >> memory->address_shift | bits;
}

/* Maps one page. A large page that was there is divided. */
static void map(struct board_plan *plan, uint64_t root, uint64_t address, uint64_t to, unsigned page_shift)
{
    const struct qemu_board_memory *memory = plan->memory;
    uint64_t tables = physical(memory, TABLES_AT), table = root;
    for (unsigned shift = memory->root_shift; shift > page_shift; shift -= INDEX_BITS) {
        uint64_t old = *entry_of(plan, table, address, shift), lower;
        if ((old & memory->bits) == memory->table) {
            lower = ((old & ~memory->bits) << memory->address_shift) - tables;
        } else {
            lower = new_table(plan);
            *entry_of(plan, table, address, shift) = entry_for(memory, tables + lower, memory->table);
            uint64_t from = (old & ~memory->bits) << memory->address_shift;
            for (uint64_t i = 0; old != 0 && i < ENTRIES; i++)
                *entry_of(plan, lower, i << SMALL_SHIFT, SMALL_SHIFT) =
                    entry_for(memory, from + i * SMALL, memory->small);
        }
        table = lower;
    }
    *entry_of(plan, table, address, page_shift) =
        entry_for(memory, to, page_shift == LARGE_SHIFT ? memory->large : memory->small);
}

static uint64_t map_all(struct board_plan *plan, bool shared)
{
    enum { X86_USER = 4 };
    uint64_t root = new_table(plan);
    for (size_t i = 0; i < plan->part_count; i++) {
        const struct loaded_part *part = &plan->parts[i];
        uint64_t address = part->address / LARGE * LARGE, at = part->at / LARGE * LARGE;
        for (; address < part->address + part->bytes; address += LARGE, at += LARGE)
            map(plan, root, address, physical(plan->memory, at), LARGE_SHIFT);
    }
    for (size_t i = 0; shared && i < plan->shared_count; i++)
        for (uint64_t at = 0; at < plan->shared[i].bytes; at += SMALL)
            map(plan, root, plan->shared[i].address + at,
                physical(plan->memory, plan->end + plan->shared[i].place + at), SMALL_SHIFT);
    if (plan->memory->is_firmware) { /* with its copy of the firmware */
        map(plan, root, 0, 0, LARGE_SHIFT);
        uint64_t third = *entry_of(plan, root, 0, 39) & ~plan->memory->bits;
        uint64_t second =
            *entry_of(plan, third - physical(plan->memory, TABLES_AT), 0, 30) & ~plan->memory->bits;
        *entry_of(plan, second - physical(plan->memory, TABLES_AT), 0, LARGE_SHIFT) &= ~(uint64_t)X86_USER;
    }
    return physical(plan->memory, TABLES_AT) + root;
}

/* The upper half of AArch64's addresses: devices from 0 on, then memory, in pages of 1 GiB that are its
 * system's. */
static uint64_t map_upper(struct board_plan *plan)
{
    static const uint64_t DEVICES = UINT64_C(0x0060000000000405), OWN = 0x701;
    uint64_t table = new_table(plan);
    *entry_of(plan, table, 0, 30) = DEVICES;
    *entry_of(plan, table, UINT64_C(1) << 30, 30) = UINT64_C(1) << 30 | OWN;
    return physical(plan->memory, TABLES_AT) + table;
}

/* ---- the whole ---- */

static enum status write_board(struct board_plan *plan, const struct qemu_board_request *request,
                               const struct buffer *object, struct qemu_board *board, struct error *error)
{
    const struct qemu_board_memory *memory = plan->memory;
    static const char *const names[] = {"board_words", "board_advised", "board_shared"};
    uint64_t places[sizeof names / sizeof names[0]];
    struct object_part code;
    enum status status = object_section(object->data, object->size, ".text", &code, error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof names / sizeof names[0]; i++)
        status = object_symbol(object->data, object->size, names[i], &places[i], error);
    if (status != STATUS_OK)
        return status;
    uint64_t words[WORDS] = {
        [WORD_ENTRY] = plan->entry, [WORD_STACK] = ARGUMENTS, [WORD_FORK] = (uint64_t)request->fork_returns};
    words[WORD_ROOT] = map_all(plan, false);
    words[WORD_SHARED_ROOT] = map_all(plan, true);
    words[WORD_UPPER] = map_upper(plan);
    if (memory->root_bits != 0) {
        words[WORD_ROOT] = memory->root_bits | words[WORD_ROOT] >> SMALL_SHIFT;
        words[WORD_SHARED_ROOT] = memory->root_bits | words[WORD_SHARED_ROOT] >> SMALL_SHIFT;
    }
    if (plan->tables.size > PARTS_AT - TABLES_AT)
        return error_set(error, STATUS_UNAVAILABLE,
                         "the program's data needs more page tables than a board has");

    struct buffer system = {0};
    buffer_append(&system, code.bytes, code.size);
    memcpy(system.data + places[0], words, sizeof words);
    struct loaded_part parts[MOST_PARTS + 3] = {
        {.at = physical(memory, memory->system_at),
         .content = system.data,
         .size = memory->is_firmware ? 0 : system.size},
        {.at = physical(memory, TABLES_AT), .content = plan->tables.data, .size = plan->tables.size},
        {.at = physical(memory, PARTS_AT + ARGUMENTS % LARGE),
         .content = plan->arguments.data,
         .size = plan->arguments.size}};
    size_t count = 3;
    for (size_t i = 0; i < plan->part_count; i++)
        if (plan->parts[i].size > 0) {
            parts[count] = plan->parts[i];
            parts[count++].at = physical(memory, plan->parts[i].at);
        }
    size_t first = memory->is_firmware;
    append_elf(&board->image, request->isa, parts[0].at, parts + first, count - first, true);
    if (memory->is_firmware)
        buffer_append(&board->firmware, system.data, system.size);
    buffer_free(&system);
    board->memory = plan->end;
    buffer_printf(&board->plugin, ",code=%" PRIu64 ",code_end=%" PRIu64, plan->code, plan->code_end);
    if (!request->shares)
        buffer_printf(&board->plugin, ",advised=%" PRIu64, memory->code + places[1]);
    else
        buffer_printf(&board->plugin, ",shared=%" PRIu64, memory->code + places[2]);
    for (size_t i = 0; i < plan->shared_count; i++)
        buffer_printf(&board->plugin, ",map=%" PRIu64 ":%" PRIu64 ":%" PRIu64, plan->shared[i].address,
                      plan->shared[i].bytes, plan->shared[i].place);
    return STATUS_OK;
}

enum status qemu_board_make(const struct qemu_board_request *request, struct qemu_board *board,
                            struct error *error)
{
    struct buffer object = {0};
    struct board_plan plan = {0};
    enum status status = assemble(request->isa, &object, error);
    if (status == STATUS_OK) {
        plan.memory = &qemu_target_find(request->isa->name)->memory;
        status = lay_out(&plan, request, error);
    }
    if (status == STATUS_OK)
        status = write_board(&plan, request, &object, board, error);
    buffer_free(&object);
    buffer_free(&plan.tables);
    buffer_free(&plan.arguments);
    buffer_free(&plan.trial);
    return status;
}

void qemu_board_free(struct qemu_board *board)
{
    buffer_free(&board->image);
    buffer_free(&board->firmware);
    buffer_free(&board->plugin);
}
