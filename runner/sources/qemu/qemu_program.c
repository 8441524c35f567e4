#include "runner/sources/qemu/qemu_program.h"

#include "base/files/memory_file.h"
#include "isa/qemu_target.h"
#include "runner/sources/qemu/qemu_board.h"
#include "runner/sources/source.h"
#include "sim/qemu/share_board.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

/* The plugin's names. */
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

bool qemu_program_sees_tlb(const struct machine *machine)
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
    if (!qemu_program_sees_tlb(machine))
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

/* The files that it needs, in memory. */
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

/* Divides the text into words, one on each line. */
static void divide(char *text, char *words[MOST_WORDS + 1])
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, "\n", &rest); word != NULL && count < MOST_WORDS;
         word = strtok_r(NULL, "\n", &rest))
        words[count++] = word;
    words[count] = NULL;
}

/* Runs the command, a word on each line. */
static enum status run(const char *name, struct buffer *command, double timeout_s,
                       struct child_result *result, struct error *error)
{
    char *words[MOST_WORDS + 1];
    divide(command->data, words);
    struct child_request request = {.path = name, .arguments = words, .cpu = -1, .timeout_s = timeout_s};
    return child_run(&request, result, error);
}

static void begin_command(struct buffer *command, const char *name, const struct qemu_start *start,
                          const struct qemu_files *files)
{
    buffer_printf(command, "%s\n-cpu\n%s\n-plugin\n%s,%s", name, start->cpu, files->paths[PLUGIN],
                  start->plugin);
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

/* How the board's system ended it (isa/<isa>/board.s). */
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

/* A board's program does not fork: it runs as the child, then as the parent. */
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
    if (result->signal != 0 && result->signal != SIGKILL)
        return error_set(error, STATUS_FAILED, "the program ended by signal %d (%s) under qemu",
                         result->signal, strsignal(result->signal));
    return source_cannot_see(STATUS_FAILED, error);
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
