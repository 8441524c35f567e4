#include "runner/sources/qemu/qemu_program.h"

#include "base/files/memory_file.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/qemu_target.h"
#include "runner/sources/source.h"
#include "sim/qemu/share_board.h"

#include <elf.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the board's image ---- */

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

/* Places in the board's memory, from its start: page tables, enough for all regions that copies can share,
 * then the program's parts. Untouched memory takes none of the host's. */
enum { TABLES_AT = LARGE + 0x10000, PARTS_AT = 32 * LARGE };

/* Addresses of the program's stack, which is below its code and ends with the arguments. */
static const uint64_t STACK = LARGE, ARGUMENTS = 2 * LARGE - SMALL, CODE_OF_TRIAL = 2 * LARGE;

enum { WORD_ROOT, WORD_SHARED_ROOT, WORD_ENTRY, WORD_STACK, WORD_FORK, WORD_UPPER, WORDS };

/* Bytes of the program: their address there, and their place in the board's memory. */
struct loaded_part {
    uint64_t address, bytes, at;
    const void *content; /* [size]; zeros follow */
    size_t size;
};

struct shared_part {
    uint64_t address, bytes, place; /* byte of the shared file */
};

enum { MOST_PARTS = 8, MOST_SHARED = 16 };

/* Room behind the parts: some boards put the description of their devices there. */
enum { ROOM = 2 * LARGE };

struct board_plan {
    const struct qemu_board_memory *memory;
    struct loaded_part parts[MOST_PARTS];
    size_t part_count;
    struct shared_part shared[MOST_SHARED];
    size_t shared_count;
    uint64_t end; /* end of the used part of the board's memory */
    uint64_t entry, code, code_end, data;
    struct buffer tables, arguments, trial;
};

/* ---- the board's system ---- */

static enum status assemble(const struct isa *isa, struct buffer *object, struct error *error)
{
    for (size_t i = 0; i < sizeof systems / sizeof systems[0]; i++)
        if (strcmp(systems[i].isa, isa->name) == 0)
            return mc_assemble(isa, (const char *)systems[i].text, "the board's system", object, error);
    return error_set(error, STATUS_UNAVAILABLE, "no board is known for %s", isa->name);
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

/* ---- the layout ---- */

static uint64_t physical(const struct qemu_board_memory *memory, uint64_t at)
{
    return memory->start + at + (memory->hole > 0 && at >= memory->hole ? memory->above : 0);
}

/* Assigns whole large pages to the part. */
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

/* Finds the table of shared regions. It follows the start code's parameters, which begin with three addresses
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
        return error_set(error, STATUS_FAILED, "the executable's table of shared regions is not found");
    for (uint64_t i = 0; i < entries; i++, at += sizeof words) {
        memcpy(words, file + at, sizeof words);
        if (words[1] > 0)
            plan->shared[plan->shared_count++] =
                (struct shared_part){plan->data + words[0], (words[1] + SMALL - 1) / SMALL * SMALL, words[2]};
    }
    return STATUS_OK;
}

/* Writes the arguments as Linux does: their number and addresses, an empty environment, and no data from the
 * system. */
static void write_arguments(struct board_plan *plan, const char *const *arguments)
{
    enum {
        ENDS = 4
    }; /* zeros: ends of the arguments and the environment, and two words of the system's data */
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

/* Maps one page. A large page at that address is divided. */
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
    if (plan->memory->is_firmware) { /* the board's copy of the firmware is mapped too */
        map(plan, root, 0, 0, LARGE_SHIFT);
        uint64_t third = *entry_of(plan, root, 0, 39) & ~plan->memory->bits;
        uint64_t second =
            *entry_of(plan, third - physical(plan->memory, TABLES_AT), 0, 30) & ~plan->memory->bits;
        *entry_of(plan, second - physical(plan->memory, TABLES_AT), 0, LARGE_SHIFT) &= ~(uint64_t)X86_USER;
    }
    return physical(plan->memory, TABLES_AT) + root;
}

/* Maps the upper half of AArch64's addresses: devices from 0 on, then memory, in pages of 1 GiB for the
 * system alone. */
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

/* ---- the program ---- */

/* From cmake/embed.cmake: sim/qemu/ as a shared object. */
extern const unsigned char qemu_plugin[];
extern const unsigned long qemu_plugin_size;

enum { MOST_WORDS = 48, NAME_BYTES = 64, MIB = 1 << 20, HUGE_PAGE = 2 << 20 };

static const char *const ways[QEMU_WAYS] = {[QEMU_USER] = "qemu-", [QEMU_SYSTEM] = "qemu-system-"};

const char *qemu_program_target(const struct test_program *test_program)
{
    return manifest_text_or(test_program->manifest->target, test_program->machine->isa);
}

static const char *find_cpu(const char *target, const struct manifest_words *needed)
{
    const struct qemu_target *known = qemu_target_find(target);
    const struct qemu_processor *processor = known == NULL ? NULL : known->processors;
    for (; processor != NULL && processor->cpu != NULL; processor++) {
        bool needs = processor->feature == NULL;
        for (size_t i = 0; !needs && i < needed->count; i++)
            needs = needed->items[i] != NULL && strcmp(needed->items[i], processor->feature) == 0;
        if (needs)
            return processor->cpu;
    }
    return "max";
}

const char *qemu_program_plain_cpu(const struct isa *isa)
{
    return find_cpu(isa->name, &(const struct manifest_words){0});
}

const char *qemu_program_cpu(const struct test_program *test_program)
{
    return find_cpu(qemu_program_target(test_program), &test_program->manifest->features);
}

/* ---- the machine's caches ---- */

/* The plugin's names of policies. */
static const char *const policies[] = {[POLICY_UNKNOWN] = "lru",
                                       [POLICY_LRU] = "lru",
                                       [POLICY_TREE_PLRU] = "tree_plru",
                                       [POLICY_RANDOM] = "random",
                                       [POLICY_FIFO] = "fifo"};

static size_t add_cache(char *text, size_t bytes, size_t used, const char *name, const struct cache *cache)
{
    if (cache->size == 0)
        return used;
    return used + (size_t)snprintf(text + used, bytes - used, ",%s=%" PRIu64 ":%u:%u:%s", name, cache->size,
                                   cache->ways, cache->line, policies[cache->policy]);
}

/* The plugin's limit (sim/qemu/line_cache.h). */
enum { MOST_WAYS = 4096 };

static bool fits(const struct tlb *tlb)
{
    return (tlb->ways == 0 ? tlb->entries : tlb->ways) <= MOST_WAYS;
}

bool qemu_program_has_tlb(const struct machine *machine)
{
    return machine->data_tlb.entries > 0 && fits(&machine->data_tlb) && fits(&machine->huge_tlb);
}

static size_t add_tlb(char *text, size_t bytes, size_t used, const char *name, const struct tlb *tlb,
                      uint64_t page)
{
    const struct cache pages = {.size = tlb->entries * page,
                                .ways = tlb->ways == 0 ? tlb->entries : tlb->ways,
                                .line = (unsigned)page,
                                .policy = tlb->policy};
    return add_cache(text, bytes, used, name, &pages);
}

size_t qemu_program_add_caches(char *text, size_t bytes, size_t used, const struct machine *machine,
                               bool huge)
{
    used = add_cache(text, bytes, used, "l1i", &machine->l1i);
    used = add_cache(text, bytes, used, "l1d", &machine->l1d);
    used = add_cache(text, bytes, used, "l2", &machine->l2);
    used = add_cache(text, bytes, used, "l3", &machine->l3);
    if (!qemu_program_has_tlb(machine))
        return used;
    used = add_tlb(text, bytes, used, "tlb", &machine->data_tlb, machine->data_tlb.page);
    return huge ? add_tlb(text, bytes, used, "huge_tlb", &machine->huge_tlb, HUGE_PAGE) : used;
}

enum status qemu_program_plugin(int *fd, char path[MEMORY_FILE_PATH_BYTES], struct error *error)
{
    enum status status = memory_file_open(qemu_plugin, qemu_plugin_size, true, fd, error);
    if (status == STATUS_OK)
        memory_file_path(path, *fd);
    return status;
}

/* ---- one process ---- */

/* Files in memory that the process needs. */
enum { PLUGIN, PROGRAM, FIRMWARE, FILES };
struct qemu_files {
    int fds[FILES];
    char paths[FILES][MEMORY_FILE_PATH_BYTES];
};

static enum status open_file(struct qemu_files *files, int file, const void *bytes, size_t size,
                             struct error *error)
{
    enum status status = memory_file_open(bytes, size, true, &files->fds[file], error);
    if (status == STATUS_OK)
        memory_file_path(files->paths[file], files->fds[file]);
    return status;
}

/* Divides the text into words, one per line. */
static void divide(char *text, char *words[MOST_WORDS + 1])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, "\n", &rest); word != NULL && count < MOST_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        words[count++] = word;
    words[count] = NULL;
}

/* Runs the command, whose words are lines. */
static enum status run(const char *name, struct buffer *command, double timeout_s,
                       struct child_result *result, struct error *error)
{
    char *words[MOST_WORDS + 1];
    divide(command->data, words);
    struct child_request request = {.path = name, .arguments = words, .cpu = -1, .timeout_s = timeout_s};
    return child_run(&request, result, error);
}

/* The bytes that the executable takes in memory; 0 if it cannot be read. */
static double loaded_bytes(const struct qemu_start *start)
{
    Elf64_Ehdr header = {0};
    double bytes = 0;
    if (start->executable_size >= sizeof header)
        memcpy(&header, start->executable, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > start->executable_size || start->executable_size - at < sizeof segment)
            return 0;
        memcpy(&segment, (const char *)start->executable + at, sizeof segment);
        bytes += segment.p_type == PT_LOAD ? (double)segment.p_memsz : 0;
    }
    return bytes;
}

/* The plugin's limit is far beyond any program that ends: set-up executes about a tenth of an
 * instruction for each byte of memory. */
static void begin_command(struct buffer *command, const char *name, const struct qemu_start *start,
                          const struct qemu_files *files)
{
    static const double LEAST = 2e8;
    static const double TIMES = 16, PER_BYTE = 2;
    buffer_printf(command, "%s\n-cpu\n%s\n-plugin\n%s,%s", name, start->cpu, files->paths[PLUGIN],
                  start->plugin);
    if (start->instructions > 0)
        buffer_printf(command, ",most=%.0f",
                      LEAST + TIMES * start->instructions + PER_BYTE * loaded_bytes(start));
}

static enum status run_user(const char *name, const struct qemu_start *start, struct qemu_files *files,
                            struct child_result *result, struct error *error)
{
    struct buffer command = {0}, trial = {0};
    enum status status = STATUS_OK;
    if (start->executable == NULL)
        status = qemu_board_trial(start->isa, &trial, error);
    if (status == STATUS_OK)
        status = open_file(files, PROGRAM, start->executable == NULL ? trial.data : start->executable,
                           start->executable == NULL ? trial.size : start->executable_size, error);
    begin_command(&command, name, start, files);
    buffer_printf(&command, "\n%s\n", files->paths[PROGRAM]);
    for (size_t i = 0; start->arguments[i] != NULL; i++)
        buffer_printf(&command, "%s\n", start->arguments[i]);
    if (status == STATUS_OK)
        status = run(name, &command, start->timeout_s, result, error);
    buffer_free(&command);
    buffer_free(&trial);
    return status;
}

/* Reads how the board's system ended the program (isa/<isa>/board.s). */
static void read_exit(const struct qemu_board_options *board, struct child_result *result)
{
    enum { SIGNALS = 64 };
    int code = result->exit_code / (board->exit_scale > 0 ? (int)board->exit_scale : 1);
    if (result->signal == 0 && code > SIGNALS)
        result->signal = code - SIGNALS;
}

static enum status run_board(const char *name, const struct qemu_board_options *board,
                             const struct qemu_start *start, const struct qemu_board *made,
                             struct qemu_files *files, struct child_result *result, struct error *error)
{
    struct buffer command = {0};
    uint64_t own = made->memory / MIB, shared = start->share == NULL ? 0 : BOARD_PARTS * BOARD_SPAN / MIB;
    enum status status = open_file(files, PROGRAM, made->image.data, made->image.size, error);
    if (status == STATUS_OK && made->firmware.size > 0)
        status = open_file(files, FIRMWARE, made->firmware.data, made->firmware.size, error);
    begin_command(&command, name, start, files);
    buffer_printf(&command,
                  "%s\n-accel\ntcg,thread=single\n-nodefaults\n-no-user-config\n-no-reboot\n-display\nnone\n",
                  made->plugin.data);
    buffer_printf(&command,
                  "-object\nmemory-backend-ram,id=own,size=%" PRIu64 "M,reserve=off\n-m\n%" PRIu64 "M\n", own,
                  own + shared);
    if (shared > 0)
        buffer_printf(&command,
                      "-object\nmemory-backend-file,id=shared,size=%" PRIu64
                      "M,mem-path=%s,share=on\n-smp\n2\n-numa\nnode,memdev=own,cpus=0\n"
                      "-numa\nnode,memdev=shared,cpus=1\n",
                      shared, start->share);
    buffer_printf(&command, "-machine\n%s%s\n%s%s\n%s", board->machine,
                  shared > 0 ? "" : ",memory-backend=own", board->image, files->paths[PROGRAM],
                  board->others);
    if (made->firmware.size > 0)
        buffer_printf(&command, "-bios\n%s\n", files->paths[FIRMWARE]);
    if (status == STATUS_OK)
        status = run(name, &command, start->timeout_s, result, error);
    read_exit(board, result);
    buffer_free(&command);
    return status;
}

/* A board's program does not fork: it runs once as the child, then as the parent. */
static enum status run_system(const char *name, const struct qemu_start *start, struct qemu_files *files,
                              struct child_result *result, struct error *error)
{
    const char *arguments[QEMU_ARGUMENTS + 2] = {"program"};
    const struct qemu_target *target = qemu_target_find(start->isa->name);
    if (target == NULL)
        return error_set(error, STATUS_UNAVAILABLE, "no board is known for %s", start->isa->name);
    memcpy(arguments + 1, start->arguments, sizeof start->arguments);
    enum status status = STATUS_OK;
    int runs = start->forks ? 2 : 1;
    for (int fork_returns = 0; status == STATUS_OK && fork_returns < runs; fork_returns++) {
        struct qemu_board made = {0};
        struct child_result once = {0};
        const struct qemu_board_request request = {.isa = start->isa,
                                                   .executable = start->executable,
                                                   .executable_size = start->executable_size,
                                                   .arguments = arguments,
                                                   .fork_returns = fork_returns,
                                                   .shares = start->share != NULL};
        for (int file = PROGRAM; file < FILES; file++)
            if (files->fds[file] >= 0)
                close(files->fds[file]), files->fds[file] = -1;
        status = qemu_board_make(&request, &made, error);
        if (status == STATUS_OK)
            status = run_board(name, &target->options, start, &made, files, &once, error);
        qemu_board_free(&made);
        buffer_append(&result->output, once.output.data, once.output.size);
        buffer_append(&result->errors, once.errors.data, once.errors.size);
        result->signal = once.signal;
        result->exit_code = once.exit_code;
        child_result_free(&once);
    }
    return status;
}

static enum status blame(const struct child_result *result, struct error *error)
{
    const char *endless = result->errors.size == 0 ? NULL : strstr(result->errors.data, QEMU_ENDLESS);
    if (endless != NULL)
        return error_set(
            error, STATUS_FAILED,
            "the program executed more than %.0f instructions under qemu, far more than its manifest "
            "states, and was ended",
            strtod(endless + strlen(QEMU_ENDLESS), NULL));
    if (result->signal != 0 && result->signal != SIGKILL)
        return error_set(error, STATUS_FAILED, "the program ended by signal %d (%s) under qemu",
                         result->signal, strsignal(result->signal));
    return source_unavailable(STATUS_FAILED, error);
}

enum status qemu_program_run(const struct qemu_start *start, struct child_result *result, struct error *error)
{
    char name[NAME_BYTES];
    struct qemu_files files = {.fds = {-1, -1, -1}};
    snprintf(name, sizeof name, "%s%s", ways[start->way], start->isa->name);
    enum status status = open_file(&files, PLUGIN, qemu_plugin, qemu_plugin_size, error);
    if (status == STATUS_OK)
        status = start->way == QEMU_USER ? run_user(name, start, &files, result, error)
                                         : run_system(name, start, &files, result, error);
    for (size_t i = 0; i < FILES; i++)
        if (files.fds[i] >= 0)
            close(files.fds[i]);
    return status == STATUS_FAILED ? blame(result, error) : status;
}

/* ---- which way ---- */

static enum status try_way(const struct isa *isa, enum qemu_way way, struct error *error)
{
    static const double ENOUGH_S = 20;
    static const char counted[] = "\"loads\":1,\"stores\":1,";
    const struct qemu_start start = {.isa = isa,
                                     .way = way,
                                     .cpu = qemu_program_plain_cpu(isa),
                                     .plugin = "l1i=4096:4:64:lru,l1d=4096:4:64:lru",
                                     .timeout_s = ENOUGH_S};
    struct child_result result = {0};
    enum status status = qemu_program_run(&start, &result, error);
    if (status == STATUS_OK && (result.output.size == 0 || strstr(result.output.data, counted) == NULL))
        status = error_set(error, STATUS_UNAVAILABLE,
                           "%s%s ran a small program, and the plugin did not count its load and its store",
                           ways[way], isa->name);
    child_result_free(&result);
    return status == STATUS_FAILED ? STATUS_UNAVAILABLE : status;
}

enum status qemu_program_find(const struct isa *isa, bool prove, enum qemu_way *way, struct error *error)
{
    struct buffer reasons = {0};
    for (*way = 0; *way < QEMU_WAYS; ++*way) {
        char name[NAME_BYTES];
        struct error reason = {0};
        snprintf(name, sizeof name, "%s%s", ways[*way], isa->name);
        if (!child_program_exists(name))
            error_set(&reason, STATUS_UNAVAILABLE, "%s is not installed", name);
        else if ((*way == QEMU_SYSTEM && !prove) || try_way(isa, *way, &reason) == STATUS_OK)
            break;
        buffer_printf(&reasons, "%s%s", reasons.size == 0 ? "" : "; ", reason.message);
    }
    enum status status = *way < QEMU_WAYS ? STATUS_OK : STATUS_UNAVAILABLE;
    if (status != STATUS_OK) {
        error_set(error, STATUS_UNAVAILABLE, "%s", reasons.data);
        error_hint(
            error,
            "apt-get install qemu-user; where that is a static program, as on Debian 13, which loads no "
            "plugin: qemu-system-x86, qemu-system-arm, qemu-system-riscv (qemu-system-misc before)");
    }
    buffer_free(&reasons);
    return status;
}
