#include "runner/sources/qemu/qemu_application.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/files/memory_file.h"
#include "base/memory.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "runner/process/application_process.h"
#include "runner/process/child.h"
#include "runner/sources/qemu/qemu_program.h"

#include <elf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* x86-64's instruction of one byte; its meaning in other instruction sets does not matter. */
enum { NO_OPERATION = 0x90 };

enum { PLUGIN_BYTES = 768 * APP_MACHINES, NAME_BYTES = 64, MOST_WORDS = 64, SMALL_PAGE = 4096 };

/* ---- classes ---- */

enum { BOTH = 1 << APP_LOAD | 1 << APP_STORE };

/* An instruction of a block with its class; the mnemonic matters for CLASS_OTHER. */
struct classed {
    struct app_code code;
    size_t class;
    bool flows;   /* it accesses memory, and is a jump, call or return */
    bool updates; /* it loads a word and stores it */
    struct register_flow registers;
    char mnemonic[MNEMONIC_BYTES];
};

/* Instructions that are disassembled together, as starting a disassembler takes long. */
struct naming {
    const struct instruction_classes *classes;
    struct classed **items;
    size_t count, next;
    uint64_t offset; /* of the next one */
};

/* Bytes from an instruction to the next one. After an instruction of unknown length, there is room for
 * another one that its last bytes may begin. */
static size_t bytes_to_next(const struct classed *item)
{
    return item->code.size == sizeof item->code.bytes ? 2 * sizeof item->code.bytes : item->code.size;
}

/* An mc_visitor. */
static void name_class(uint64_t offset, size_t length, const char *text, void *context)
{
    (void)length;
    struct naming *naming = context;
    /* A prefix that the disassembler prints as an instruction of its own stands for the whole. */
    while (naming->next < naming->count && naming->offset < offset)
        naming->offset += bytes_to_next(naming->items[naming->next++]);
    if (naming->next == naming->count || naming->offset != offset)
        return;
    struct classed *item = naming->items[naming->next++];
    naming->offset += bytes_to_next(item);
    snprintf(item->mnemonic, sizeof item->mnemonic, "%.*s", (int)strcspn(text, " \t"), text);
    item->class = instruction_class_of(naming->classes, text);
    item->registers =
        instruction_registers(naming->classes, text, (item->code.accessed & 1 << APP_LOAD) != 0);
}

/* Classifies all instructions; those that access memory belong to a class by their accesses. */
static void find_classes(const struct instruction_classes *classes, struct classed *items, size_t count)
{
    struct naming naming = {.classes = classes, .items = memory_zeroed(count, sizeof *naming.items)};
    for (size_t i = 0; i < count; i++)
        naming.items[naming.count++] = &items[i];
    const struct isa *isa = classes->isa;
    while (naming.next < naming.count) {
        struct buffer bytes = {0};
        struct error unknown;
        size_t first = naming.next;
        naming.offset = 0;
        for (size_t i = first; i < naming.count; i++) {
            const struct app_code *code = &naming.items[i]->code;
            buffer_append(&bytes, code->bytes, code->size);
            for (size_t j = code->size; j < bytes_to_next(naming.items[i]); j++)
                buffer_append(&bytes, &(const char){(char)NO_OPERATION}, 1);
        }
        enum status status =
            mc_disassemble_with(isa, isa->others_features != NULL ? isa->others_features : isa->features,
                                bytes.data, bytes.size, name_class, &naming, &unknown);
        buffer_free(&bytes);
        /* If nothing was disassembled, the first instruction is unknown and stays in CLASS_OTHER. */
        naming.next += naming.next == first && status != STATUS_OK;
        if (naming.next == first)
            break;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned accessed = items[i].code.accessed;
        const char *name = classes->items[items[i].class].name;
        items[i].flows = accessed != 0 && strcmp(name, "jump") == 0;
        items[i].updates = accessed == BOTH && strcmp(name, "jump") != 0 && strcmp(name, "copy") != 0;
        if (accessed != 0)
            items[i].class = (accessed & 1 << APP_STORE) != 0 ? CLASS_STORE : CLASS_LOAD;
    }
    free(naming.items);
}

/* ---- the plugin's file ---- */

void application_counts_add(struct application_counts *a, const struct application_counts *b)
{
    uint64_t *to = (uint64_t *)&a->tally, *to_caches = (uint64_t *)a->caches;
    const uint64_t *from = (const uint64_t *)&b->tally, *from_caches = (const uint64_t *)b->caches;
    for (size_t i = 0; i < sizeof a->tally / sizeof *to; i++)
        to[i] += from[i];
    for (size_t i = 0; i < sizeof a->caches / (sizeof *to); i++)
        to_caches[i] += from_caches[i];
    for (size_t i = 0; i < CLASS_MOST; i++)
        a->classes[i] += b->classes[i];
    a->updates += b->updates;
    double *to_waits = (double *)&a->waits;
    const double *from_waits = (const double *)&b->waits;
    for (size_t i = 0; i < sizeof a->waits / sizeof *to_waits; i++)
        to_waits[i] += from_waits[i];
}

struct other {
    char mnemonic[MNEMONIC_BYTES];
    double count;
};

struct app_reader {
    const char *at;
    size_t left;
    struct other *others;
    size_t other_count;
};

static bool take(struct app_reader *reading, void *into, size_t bytes)
{
    if (reading->left < bytes)
        return false;
    memcpy(into, reading->at, bytes);
    reading->at += bytes;
    reading->left -= bytes;
    return true;
}

static void add_other(struct app_reader *reading, const char *mnemonic, double count)
{
    size_t i = 0;
    while (i < reading->other_count && strcmp(reading->others[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == reading->other_count) {
        reading->others = memory_next(reading->others, reading->other_count++, sizeof *reading->others);
        reading->others[i] = (struct other){.count = 0};
        memcpy(reading->others[i].mnemonic, mnemonic, MNEMONIC_BYTES);
    }
    reading->others[i].count += count;
}

/* A block's instructions, and how often it was executed in each interval. */
struct counted_block {
    size_t first, count;
    uint32_t times[APP_INTERVALS];
};

struct counted_code {
    struct classed *items;
    size_t count;
    struct counted_block *blocks;
};

static bool read_block(struct app_reader *reading, size_t intervals, struct counted_code *code,
                       struct counted_block *block)
{
    struct app_block written;
    if (!take(reading, &written, sizeof written) ||
        reading->left / sizeof(struct app_code) < written.instructions)
        return false;
    block->first = code->count;
    block->count = written.instructions;
    for (size_t i = 0; i < block->count; i++) {
        code->items = memory_next(code->items, code->count, sizeof *code->items);
        code->items[code->count] = (struct classed){.class = CLASS_OTHER};
        struct app_code *own = &code->items[code->count++].code;
        if (!take(reading, own, sizeof *own) || own->size > sizeof own->bytes)
            return false;
    }
    return take(reading, block->times, intervals * sizeof block->times[0]);
}

static void add_block(struct app_reader *reading, const struct counted_code *code,
                      const struct counted_block *block, struct application_profile *profile)
{
    double all = 0;
    for (size_t i = 0; i < profile->count; i++)
        all += block->times[i];
    for (size_t j = 0; all > 0 && j < block->count; j++) {
        const struct classed *item = &code->items[block->first + j];
        profile->accessing_flow += item->flows ? all : 0;
        if (item->class == CLASS_OTHER)
            add_other(reading, item->mnemonic, all);
        for (size_t i = 0; i < profile->count; i++)
            profile->intervals[i].classes[item->class] += block->times[i];
        for (size_t i = 0; item->updates && i < profile->count; i++)
            profile->intervals[i].updates += block->times[i];
    }
}

/* ---- loads that wait for loads ---- */

/* The load on which a register's value depends. depth: how many loads in a row waited before it. */
struct load_origin {
    uint64_t instruction, load; /* their numbers in the path; instruction 0: no load */
    unsigned depth;
};

static struct load_origin latest(const struct load_origin registers[REGISTER_KEYS], uint64_t which)
{
    struct load_origin found = {0};
    for (size_t i = 0; which != 0; i++, which >>= 1)
        if ((which & 1) != 0 && registers[i].instruction > found.instruction)
            found = registers[i];
    return found;
}

struct path_state {
    struct load_origin registers[REGISTER_KEYS];
    uint64_t now, load; /* instructions and loads so far */
};

/* Counts the waits of a path. Its first WAIT_REACH instructions are not counted, as they may depend on loads
 * before the path. */
static void follow_path(const struct counted_code *code, const uint32_t *path, size_t count,
                        struct path_state *state, struct application_waits *waits)
{
    struct load_origin *registers = state->registers;
    uint64_t now = state->now, load = state->load;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < code->blocks[path[i]].count; j++) {
            const struct classed *item = &code->items[code->blocks[path[i]].first + j];
            const struct register_flow *flow = &item->registers;
            struct load_origin from = latest(registers, flow->reads);
            now++;
            if ((item->code.accessed & 1 << APP_LOAD) != 0) {
                struct load_origin address = latest(registers, flow->address);
                bool waits_for = address.instruction > 0 && now - address.instruction <= WAIT_REACH;
                load++;
                if (now > WAIT_REACH) {
                    waits->loads++;
                    waits->waiting += waits_for;
                    waits->chained += waits_for && address.depth > 0;
                    waits->instructions += waits_for ? (double)(now - address.instruction) : 0;
                    waits->between += waits_for ? (double)(load - address.load) : 0;
                }
                from = (struct load_origin){now, load, waits_for ? address.depth + 1 : 0};
            }
            uint64_t written = flow->writes;
            for (size_t k = 0; written != 0; k++, written >>= 1)
                if ((written & 1) != 0)
                    registers[k] = from;
        }
    state->now = now;
    state->load = load;
}

/* Reads the sampled paths; they number blocks from the last one of the file on. */
static bool read_paths(struct app_reader *reading, const struct counted_code *code, size_t blocks,
                       struct application_profile *profile)
{
    uint32_t path[APP_PATH];
    struct path_state state = {.now = 0};
    bool good = true;
    for (uint64_t i = 0; good && i < profile->header.paths; i++) {
        struct app_path written = {0};
        good = take(reading, &written, sizeof written) && written.blocks <= APP_PATH &&
               written.interval < profile->count && take(reading, path, written.blocks * sizeof path[0]);
        for (size_t j = 0; good && j < written.blocks; j++) {
            good = path[j] < blocks;
            path[j] = (uint32_t)(blocks - 1 - path[j]);
        }
        if (written.goes_on == 0)
            state = (struct path_state){.now = 0};
        if (good)
            follow_path(code, path, written.blocks, &state, &profile->intervals[written.interval].waits);
    }
    return good;
}

static bool read_code(struct app_reader *reading, const struct application_run *request,
                      struct application_profile *profile)
{
    struct counted_code code = {.blocks = NULL};
    bool good = true;
    size_t read = 0;
    for (; good && read < profile->header.blocks; read++) {
        code.blocks = memory_next(code.blocks, read, sizeof *code.blocks);
        good = read_block(reading, profile->count, &code, &code.blocks[read]);
    }
    if (good && code.count > 0)
        find_classes(request->classes, code.items, code.count);
    for (size_t i = 0; good && i < read; i++)
        add_block(reading, &code, &code.blocks[i], profile);
    good = good && read_paths(reading, &code, read, profile);
    free(code.items);
    free(code.blocks);
    return good;
}

static int by_count(const void *a, const void *b)
{
    double x = ((const struct other *)a)->count, y = ((const struct other *)b)->count;
    return (x < y) - (x > y);
}

static bool read_file(const struct buffer *file, const struct application_run *request,
                      struct application_profile *profile)
{
    struct app_reader reading = {.at = file->data, .left = file->size};
    if (!take(&reading, &profile->header, sizeof profile->header) || profile->header.complete != 1 ||
        profile->header.intervals > APP_INTERVALS || profile->header.machines != request->machine_count ||
        file->size < APP_BODY)
        return false;
    reading.at = file->data + APP_BODY;
    reading.left = file->size - APP_BODY;
    profile->count = profile->header.intervals;
    profile->intervals = memory_zeroed(profile->count, sizeof *profile->intervals);
    bool good = true;
    for (size_t i = 0; good && i < profile->count; i++)
        good =
            take(&reading, &profile->intervals[i].tally, sizeof profile->intervals[i].tally) &&
            take(&reading, profile->intervals[i].caches, request->machine_count * sizeof(struct app_caches));
    good = good && read_code(&reading, request, profile);
    if (reading.other_count > 1)
        qsort(reading.others, reading.other_count, sizeof *reading.others, by_count);
    for (size_t i = 0; i < MNEMONICS_MOST && i < reading.other_count; i++)
        memcpy(profile->others[i], reading.others[i].mnemonic, MNEMONIC_BYTES);
    free(reading.others);
    return good && reading.at != NULL && profile->header.blocks > 0;
}

/* ---- the application's file ---- */

enum status application_isa(const char *name, const struct isa **isa, struct error *error)
{
    char path[FILE_PATH_BYTES];
    Elf64_Ehdr header = {0};
    if (!child_program_find(name, path)) {
        error_set(error, STATUS_UNAVAILABLE, "there is no executable program \"%s\"", name);
        error_hint(error, "install it, add its folder to PATH, or give its path");
        return STATUS_UNAVAILABLE;
    }
    FILE *file = fopen(path, "rb");
    size_t got = file == NULL ? 0 : fread(&header, 1, sizeof header, file);
    if (file != NULL)
        fclose(file);
    if (got < sizeof header || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64) {
        error_set(error, STATUS_UNAVAILABLE, "%s is no executable of 64 bits, and QEMU runs nothing else",
                  path);
        error_hint(error, "of a script, name its interpreter: trauma clone -- perl FILE");
        return STATUS_UNAVAILABLE;
    }
    for (size_t i = 0; isa_table[i] != NULL; i++)
        if (isa_is_processor(isa_table[i]->name) && isa_table[i]->elf_machine == header.e_machine) {
            *isa = isa_table[i];
            return STATUS_OK;
        }
    return error_set(error, STATUS_UNAVAILABLE,
                     "%s is for a processor (ELF machine %u) that no program is made for", path,
                     header.e_machine);
}

/* ---- one run ---- */

static enum status find_qemu(const struct isa *isa, struct error *error)
{
    enum qemu_way way;
    enum status status = qemu_program_find(isa, false, &way, error);
    if (status == STATUS_OK && way != QEMU_USER) {
        error_set(error, STATUS_UNAVAILABLE, "qemu-%s is missing here, or loads no plugin", isa->name);
        error_hint(
            error,
            "apt-get install qemu-user; a static one loads no plugin, and qemu-system runs no applications");
        status = STATUS_UNAVAILABLE;
    }
    return status;
}

struct app_files {
    int plugin, output, program;
    char plugin_path[MEMORY_FILE_PATH_BYTES], output_path[MEMORY_FILE_PATH_BYTES],
        program_path[MEMORY_FILE_PATH_BYTES];
};

static enum status open_files(const struct application_run *request, struct app_files *files,
                              struct error *error)
{
    enum status status = qemu_program_plugin(&files->plugin, files->plugin_path, error);
    if (status == STATUS_OK)
        status = memory_file_open("", 0, false, &files->output, error);
    if (status == STATUS_OK)
        memory_file_path(files->output_path, files->output);
    if (status == STATUS_OK && request->command == NULL)
        status = memory_file_open(request->program, request->program_size, true, &files->program, error);
    if (status == STATUS_OK && request->command == NULL)
        memory_file_path(files->program_path, files->program);
    return status;
}

static void close_files(struct app_files *files)
{
    int *const fds[] = {&files->plugin, &files->output, &files->program};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++)
        if (*fds[i] >= 0)
            close(*fds[i]);
}

/* Runs the application with our input and output. */
static enum status run_connected(char *const *words, struct application_profile *profile, struct error *error)
{
    struct application_process process;
    application_pass_signals();
    enum status status = application_create(words, &process, error);
    if (status == STATUS_OK)
        status = application_begin(&process, error);
    if (status == STATUS_OK) {
        application_wait(&process, INFINITY);
        profile->exit_code = application_exit_code(&process);
    }
    application_end(&process);
    return status;
}

static enum status run_silently(char *const *words, struct error *error)
{
    static const double TIMEOUT_S = 240;
    struct child_result result = {0};
    const struct child_request request = {
        .path = words[0], .arguments = words, .cpu = -1, .timeout_s = TIMEOUT_S};
    enum status status = child_run(&request, &result, error);
    child_result_free(&result);
    return status;
}

static enum status add_passes(const struct application_run *request, char *plugin, size_t size, size_t *used,
                              struct error *error)
{
    uint64_t kernel = 0, loop = 0;
    enum status status =
        object_symbol(request->program, request->program_size, "trauma_kernel", &kernel, error);
    if (status == STATUS_OK)
        status = object_symbol(request->program, request->program_size, "trauma_loop", &loop, error);
    *used += (size_t)snprintf(plugin + *used, size - *used, ",kernel=%" PRIu64 ",loop=%" PRIu64 ",passes=%u",
                              kernel, loop, request->passes);
    return status;
}

static enum status run(const struct application_run *request, struct app_files *files,
                       struct application_profile *profile, struct error *error)
{
    char name[NAME_BYTES], plugin[PLUGIN_BYTES + 2 * MEMORY_FILE_PATH_BYTES], path[FILE_PATH_BYTES];
    char passes[NAME_BYTES];
    snprintf(name, sizeof name, "qemu-%s", request->classes->isa->name);
    /* One pass before the counted ones, and one whose start ends the count. */
    snprintf(passes, sizeof passes, "%u", request->passes + 2);
    size_t used =
        (size_t)snprintf(plugin, sizeof plugin, "%s,app=%s", files->plugin_path, files->output_path);
    enum status status =
        request->command != NULL ? STATUS_OK : add_passes(request, plugin, sizeof plugin, &used, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < request->machine_count; i++)
        used = qemu_program_add_caches(plugin, sizeof plugin, used, request->machines[i],
                                       request->machines[i]->data_tlb.page == SMALL_PAGE);
    size_t count = 1;
    while (request->command != NULL && request->command[count] != NULL)
        count++;
    enum { OWN = 8 };
    const char **words = memory_zeroed(count + OWN, sizeof *words);
    size_t words_used = 0;
    words[words_used++] = name;
    words[words_used++] = "-cpu";
    words[words_used++] = request->cpu == NULL ? qemu_program_plain_cpu(request->classes->isa) : request->cpu;
    words[words_used++] = "-plugin";
    words[words_used++] = plugin;
    if (request->command != NULL) {
        child_program_find(request->command[0], path);
        words[words_used++] = "-0";
        words[words_used++] = request->command[0];
        words[words_used++] = path;
        for (size_t i = 1; i < count; i++)
            words[words_used++] = request->command[i];
    } else {
        words[words_used++] = files->program_path;
        words[words_used++] = passes;
    }
    status = request->command != NULL ? run_connected((char *const *)words, profile, error)
                                      : run_silently((char *const *)words, error);
    free(words);
    return status;
}

static enum status read_profile(const struct application_run *request, int fd,
                                struct application_profile *profile, struct error *error)
{
    struct buffer file = {0};
    enum status status = memory_file_read(fd, &file, error);
    if (status == STATUS_OK && !read_file(&file, request, profile)) {
        status = error_set(error, STATUS_FAILED,
                           "the command was not counted to its end; its exit code is %d", profile->exit_code);
        error_hint(
            error,
            "one that a signal ends, or that replaces itself by another program (exec), is not counted: "
            "name that program itself; `trauma sensors` reports whether this qemu-user loads plugins");
    }
    buffer_free(&file);
    return status;
}

enum status application_count(const struct application_run *request, struct application_profile *profile,
                              struct error *error)
{
    struct app_files files = {-1, -1, -1, "", "", ""};
    *profile = (struct application_profile){0};
    enum status status = request->command == NULL ? STATUS_OK : find_qemu(request->classes->isa, error);
    if (status == STATUS_OK)
        status = open_files(request, &files, error);
    if (status == STATUS_OK)
        status = run(request, &files, profile, error);
    if (status == STATUS_OK)
        status = read_profile(request, files.output, profile, error);
    close_files(&files);
    return status;
}

void application_profile_free(struct application_profile *profile)
{
    free(profile->intervals);
    *profile = (struct application_profile){0};
}
