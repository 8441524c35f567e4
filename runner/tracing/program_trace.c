#include "runner/tracing/program_trace.h"

#include "base/file.h"
#include "base/fork.h"
#include "base/json/json_text.h"
#include "base/memory.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "isa/qemu_target.h"
#include "runner/process/child.h"
#include "runner/sources/qemu/qemu_program.h"
#include "sim/qemu/trace_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLUGIN_BYTES = 256, NUMBER_BYTES = 24, NAME_BYTES = 64 };
static const double TIMEOUT_S = 3600;

const char program_trace_notes[] = "program.trace.json";

void program_trace_file(const struct trace_format *format, char name[64])
{
    bool packed = format->packed && child_program_exists("xz");
    snprintf(name, NAME_BYTES, "%s%s", format->file, packed ? ".xz" : "");
}

/* ---- the program's code ---- */

/* The program's instructions. roles: by offset in .text; zero where no instruction begins. */
struct code {
    const struct isa *isa;
    struct object_part text;
    uint64_t kernel, loop, loop_end;
    struct instruction_role *roles;
    uint64_t from; /* offset where disassembly began */
};

static void take_instruction(uint64_t offset, size_t length, const char *text, void *context)
{
    struct code *code = context;
    offset += code->from;
    if (offset < code->text.size)
        code->roles[offset] = instruction_role_of(code->isa, code->text.bytes + offset, length, text);
}

/* Reads the roles of the kernel's instructions. Disassembly may stop at the data behind the kernel's code,
 * after the loop's end. */
static enum status read_code(const struct test_program *test_program, struct code *code, struct error *error)
{
    const void *file = test_program->executable;
    size_t size = test_program->executable_size;
    const struct {
        const char *name;
        uint64_t *value;
    } symbols[] = {
        {"trauma_kernel", &code->kernel}, {"trauma_loop", &code->loop}, {"trauma_loop_end", &code->loop_end}};
    enum status status = object_section(file, size, ".text", &code->text, error);
    for (size_t i = 0; status == STATUS_OK && i < sizeof symbols / sizeof symbols[0]; i++)
        status = object_symbol(file, size, symbols[i].name, symbols[i].value, error);
    if (status != STATUS_OK)
        return status;
    code->from = code->kernel - code->text.address;
    if (code->kernel < code->text.address || code->from >= code->text.size)
        return error_set(error, STATUS_FAILED, "the program's kernel is not in its code");
    code->roles = memory_zeroed(code->text.size, sizeof *code->roles);
    struct error partly;
    enum status whole = mc_disassemble(code->isa, code->text.bytes + code->from, code->text.size - code->from,
                                       take_instruction, code, &partly);
    (void)whole;
    return STATUS_OK;
}

/* Replaces gem5's markers, which are in front of the kernel, once each, and its clock by instructions that do
 * nothing. STATUS_UNAVAILABLE for markers by address, which need gem5's memory. */
static enum status take_markers(const struct test_program *test_program, const struct code *code,
                                struct buffer *executable, struct error *error)
{
    const struct qemu_target *target = qemu_target_find(code->isa->name);
    size_t text = (size_t)((const char *)code->text.bytes - (const char *)test_program->executable);
    const uint32_t words[] = {target->gem5_markers[0], target->gem5_markers[1], target->gem5_clock};
    size_t found[3] = {0};
    buffer_append(executable, test_program->executable, test_program->executable_size);
    uint8_t *bytes = (uint8_t *)executable->data + text;
    for (size_t at = 0; at + sizeof target->nothing <= code->from; at++)
        for (size_t i = 0; i < 3 && words[i] != 0; i++)
            if (qemu_word(bytes + at) == words[i]) {
                memcpy(bytes + at, &target->nothing, sizeof target->nothing);
                found[i]++;
            }
    if (found[0] == 1 && found[1] == 1)
        return STATUS_OK;
    error_set(error, STATUS_UNAVAILABLE, "qemu does not execute the markers %s",
              test_program->manifest->markers);
    error_hint(error, "a suite with --markers gem5, or without markers, can be executed");
    return STATUS_UNAVAILABLE;
}

/* ---- QEMU, in a process of its own, whose plugin writes into the pipe ---- */

struct execution {
    const struct test_program *test_program;
    const struct code *code;
    uint64_t passes;
    int pipe;
};

static enum status execute(const struct execution *execution, struct error *error)
{
    char plugin[PLUGIN_BYTES], passes[NUMBER_BYTES];
    const struct code *code = execution->code;
    struct child_result result = {0};
    struct buffer unmarked = {0};
    enum qemu_way way;
    snprintf(plugin, sizeof plugin,
             "trace=/proc/%ld/fd/%d,kernel=%" PRIu64 ",loop=%" PRIu64 ",loop_end=%" PRIu64
             ",text_end=%" PRIu64,
             (long)getpid(), execution->pipe, code->kernel, code->loop, code->loop_end,
             code->text.address + code->text.size);
    snprintf(passes, sizeof passes, "%" PRIu64, execution->passes);
    const struct test_program *test_program = execution->test_program;
    const char *markers = test_program->manifest->markers;
    bool marked = markers != NULL && strncmp(markers, "gem5", 4) == 0;
    enum status status = qemu_program_find(code->isa, false, &way, error);
    if (status == STATUS_OK && marked)
        status = take_markers(test_program, code, &unmarked, error);
    const struct qemu_start start = {.isa = code->isa,
                                     .way = way,
                                     .cpu = qemu_program_cpu(test_program),
                                     .executable = marked ? unmarked.data : test_program->executable,
                                     .executable_size = test_program->executable_size,
                                     .plugin = plugin,
                                     .arguments = {passes},
                                     .timeout_s = TIMEOUT_S};
    if (status == STATUS_OK)
        status = qemu_program_run(&start, &result, error);
    child_result_free(&result);
    buffer_free(&unmarked);
    return status;
}

static void be_executor(void *context)
{
    const struct execution *execution = context;
    struct error error;
    if (execute(execution, &error) == STATUS_OK)
        return;
    const struct trace_record record = {.kind = TRACE_ERROR, .bytes = sizeof error};
    bool good = file_write_all(execution->pipe, &record, sizeof record) &&
                file_write_all(execution->pipe, &error, sizeof error);
    (void)good;
}

/* ---- from records to the format ---- */

struct writing {
    const struct trace_format *format;
    const struct code *code;
    FILE *file;
    const struct trace_visitor *visitor; /* instead of a format and its file */
    struct traced now;
    bool has_now, measures, ended;
    uint64_t begun;  /* passes, after the warm-up */
    uint64_t settle; /* the number of these that still warm up */
    struct trace_counts warmup, passes, ahead;
};

static void write_now(struct writing *writing, uint64_t next)
{
    struct traced *now = &writing->now;
    if (!writing->has_now)
        return;
    writing->begun += writing->measures && now->address == writing->code->loop;
    bool settles = writing->settle > 0 && writing->begun <= writing->settle;
    bool past = writing->visitor == NULL && writing->begun > writing->settle + writing->passes.passes;
    struct trace_counts *counts = !writing->measures || settles ? &writing->warmup
                                  : past                        ? &writing->ahead
                                                                : &writing->passes;
    now->next = next;
    counts->instructions++;
    counts->branches += now->role.branch == ROLE_CONDITIONAL;
    counts->taken += now->role.branch == ROLE_CONDITIONAL && next != now->address + now->bytes;
    for (unsigned i = 0; i < now->access_count; i++) {
        counts->loads += !now->accesses[i].store;
        counts->stores += now->accesses[i].store;
    }
    if (writing->visitor != NULL)
        writing->visitor->take(writing->visitor->context, now, writing->measures);
    else
        counts->entries += writing->format->write(writing->file, now);
    now->first = false;
    writing->has_now = false;
}

static void take_record(struct writing *writing, const struct trace_record *record)
{
    struct traced *now = &writing->now;
    const struct code *code = writing->code;
    switch (record->kind) {
    case TRACE_INSTRUCTION:
        write_now(writing, record->address);
        now->address = record->address;
        now->bytes = record->bytes;
        now->access_count = 0;
        now->role = record->address - code->text.address < code->text.size
                        ? code->roles[record->address - code->text.address]
                        : (struct instruction_role){0};
        writing->has_now = true;
        break;
    case TRACE_LOAD:
    case TRACE_STORE:
        if (now->access_count < TRACE_MOST_ACCESSES)
            now->accesses[now->access_count++] =
                (struct trace_access){record->address, record->bytes, record->kind == TRACE_STORE};
        break;
    case TRACE_MEASURED:
        write_now(writing, code->loop);
        writing->measures = true;
        break;
    case TRACE_END:
        write_now(writing, code->loop_end);
        writing->ended = true;
        break;
    }
}

static enum status follow(FILE *records, struct writing *writing, struct error *error)
{
    struct trace_record record;
    while (fread(&record, sizeof record, 1, records) == 1) {
        if (record.kind == TRACE_ERROR) {
            struct error reported;
            if (fread(&reported, sizeof reported, 1, records) != 1)
                break;
            if (error != NULL)
                *error = reported;
            return reported.code;
        }
        take_record(writing, &record);
    }
    return writing->ended ? STATUS_OK
                          : error_set(error, STATUS_UNAVAILABLE,
                                      "qemu's plugin wrote no end of the passes: it executed %" PRIu64
                                      " instructions of the warm-up and %" PRIu64 " of the passes",
                                      writing->warmup.instructions, writing->passes.instructions);
}

static enum status execute_and_follow(struct execution *execution, struct writing *writing,
                                      struct error *error)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(error, STATUS_FAILED, "cannot make a pipe for a trace: %s", strerror(errno));
    execution->pipe = ends[1];
    const struct fork_job job = {.work = be_executor, .context = execution, .traits = FORK_BOUND};
    fflush(NULL);
    pid_t child = fork_child(&job);
    close(ends[1]);
    FILE *records = fdopen(ends[0], "rb");
    enum status status =
        child < 0 || records == NULL
            ? error_set(error, STATUS_FAILED, "cannot start a process for a trace: %s", strerror(errno))
            : follow(records, writing, error);
    if (records != NULL)
        fclose(records);
    else
        close(ends[0]);
    if (child >= 0)
        (void)fork_wait(child);
    return status;
}

/* ---- the files ---- */

static void write_part(struct json_text *text, const char *name, const struct trace_counts *counts)
{
    json_text_open(text, name, '{');
    json_text_integer(text, "passes", (long long)counts->passes);
    json_text_integer(text, "instructions", (long long)counts->instructions);
    json_text_integer(text, "loads", (long long)counts->loads);
    json_text_integer(text, "stores", (long long)counts->stores);
    json_text_integer(text, "branches", (long long)counts->branches);
    json_text_integer(text, "taken", (long long)counts->taken);
    json_text_integer(text, "entries", (long long)counts->entries);
    json_text_close(text, '}');
}

static enum status write_notes(const struct writing *writing, const struct isa *isa, const char *folder,
                               const char *name, struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer document = {0}, options = {0};
    struct json_text text = {.buffer = &document, .first = true};
    writing->format->options(&writing->warmup, &writing->passes, &options);
    json_text_open(&text, NULL, '{');
    json_text_integer(&text, "schema", 1);
    json_text_string(&text, "kind", "trace");
    json_text_string(&text, "format", writing->format->name);
    json_text_string(&text, "file", name);
    json_text_string(&text, "isa", isa->name);
    write_part(&text, "warmup", &writing->warmup);
    write_part(&text, "measured", &writing->passes);
    if (writing->ahead.passes > 0)
        write_part(&text, "ahead", &writing->ahead);
    json_text_string(&text, "options", options.data);
    json_text_close(&text, '}');
    buffer_text(&document, "\n");
    FILE *file = fopen(file_join(path, folder, program_trace_notes), "we");
    bool good = file != NULL && fwrite(document.data, 1, document.size, file) == document.size;
    good = file != NULL && fclose(file) == 0 && good;
    buffer_free(&document);
    buffer_free(&options);
    return good
               ? STATUS_OK
               : error_set(error, STATUS_FAILED, "cannot write %s: %s", program_trace_notes, strerror(errno));
}

/* A file, to which the trace is written directly or through xz, so that no unpacked trace is on the disk. */
struct output {
    FILE *stream;
    pid_t packer; /* 0: none */
    int ends[2], file;
    void (*on_pipe)(int); /* the handler of SIGPIPE, which is ignored while xz reads */
};

/* The level -1 needs little memory, and repeated passes compress well at any level. */
static void be_packer(void *context)
{
    const struct output *output = context;
    if (dup2(output->ends[0], STDIN_FILENO) >= 0 && dup2(output->file, STDOUT_FILENO) >= 0)
        execlp("xz", "xz", "-1", "-q", "-c", (char *)NULL);
    _exit(EXIT_FAILURE);
}

static bool output_open(struct output *output, const char *path, bool packed)
{
    *output = (struct output){.file = -1, .ends = {-1, -1}};
    if (!packed) {
        output->stream = fopen(path, "we");
        return output->stream != NULL;
    }
    output->file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (output->file < 0 || pipe2(output->ends, O_CLOEXEC) != 0)
        return false;
    const struct fork_job job = {.work = be_packer,
                                 .context = output,
                                 .traits = FORK_BOUND | FORK_ALONE,
                                 .files = {output->ends[0], output->file}};
    fflush(NULL);
    output->packer = fork_child(&job);
    output->on_pipe = signal(SIGPIPE, SIG_IGN);
    output->stream = output->packer > 0 ? fdopen(output->ends[1], "wb") : NULL;
    return output->stream != NULL;
}

/* True if all was written. */
static bool output_close(struct output *output)
{
    bool good = output->stream != NULL && ferror(output->stream) == 0;
    if (output->stream != NULL)
        good = fclose(output->stream) == 0 && good;
    else if (output->ends[1] >= 0)
        close(output->ends[1]);
    if (output->ends[0] >= 0)
        close(output->ends[0]);
    if (output->file >= 0)
        close(output->file);
    if (output->packer > 0) {
        good = fork_wait(output->packer) == 0 && good;
        (void)signal(SIGPIPE, output->on_pipe);
    }
    return good;
}

static enum status check_program(const struct test_program *test_program, uint64_t passes,
                                 struct error *error)
{
    const char *target = qemu_program_target(test_program);
    uint64_t period = (uint64_t)test_program->manifest->period;
    if (!isa_is_processor(target)) {
        error_set(error, STATUS_USAGE,
                  "programs for %s have no trace: the formats are for processors' programs", target);
        error_hint(error, "-t x86_64, -t aarch64 or -t riscv64 selects those of a processor");
        return STATUS_USAGE;
    }
    if (period > 0 && passes % period != 0) {
        error_set(error, STATUS_USAGE,
                  "--passes %" PRIu64 ": the rates of this program hold over every %" PRIu64 " passes",
                  passes, period);
        error_hint(error, "--passes %" PRIu64 " is the next that they divide",
                   (passes / period + 1) * period);
        return STATUS_USAGE;
    }
    return test_program_check_executable(test_program, error);
}

static uint64_t instructions_of(const struct manifest *manifest)
{
    return manifest->instructions > 1 ? (uint64_t)manifest->instructions : 1;
}

static uint64_t whole_periods(const struct manifest *manifest, double passes)
{
    uint64_t period = manifest->period > 1 ? (uint64_t)manifest->period : 1;
    return (uint64_t)ceil(passes / (double)period) * period;
}

/* The passes for which two errors of a simulator's rates stay below about 1/3000. Executing ahead counts some
 * instructions too many or too few. Branches with random directions are mispredicted every other time, so
 * that in n passes the standard deviation of the rate is sqrt(n missed / 2) / (n branches). */
static double passes_enough(const struct manifest *manifest, const struct trace_format *format)
{
    double branches = rates_get(&manifest->counts, "branches", 0);
    double missed = rates_get(&manifest->counts, "branches.missed", 0), off = 1.0 / 3000;
    double passes = (double)format->least / (double)instructions_of(manifest);
    if (format->least > 0 && branches > 0)
        passes = fmax(passes, missed / 2 / (branches * branches * off * off));
    return fmax(passes, TRACE_PASSES);
}

static enum status write_trace(struct execution *execution, struct writing *writing, const char *folder,
                               struct error *error)
{
    char path[FILE_PATH_BYTES], name[NAME_BYTES];
    struct output output;
    program_trace_file(writing->format, name);
    file_join(path, folder, name);
    enum status status = output_open(&output, path, strcmp(name, writing->format->file) != 0)
                             ? STATUS_OK
                             : error_set(error, STATUS_FAILED, "cannot write %s: %s", name, strerror(errno));
    writing->file = output.stream;
    if (status == STATUS_OK)
        status = execute_and_follow(execution, writing, error);
    if (status == STATUS_OK && writing->format->finish != NULL)
        writing->format->finish(writing->file);
    if (!output_close(&output) && status == STATUS_OK)
        status = error_set(error, STATUS_FAILED, "cannot write %s: %s", name,
                           output.packer > 0 ? "xz failed" : strerror(errno));
    if (status == STATUS_OK)
        status = write_notes(writing, execution->code->isa, folder, name, error);
    return status;
}

enum status program_trace_follow(const struct test_program *test_program, uint64_t passes,
                                 const struct trace_visitor *visitor, struct error *error)
{
    struct code code = {.isa = isa_find(qemu_program_target(test_program))};
    struct writing *writing = memory_zeroed(1, sizeof *writing);
    struct execution execution = {.test_program = test_program, .code = &code, .passes = passes};
    *writing = (struct writing){.code = &code, .visitor = visitor};
    enum status status = check_program(test_program, passes, error);
    if (status == STATUS_OK)
        status = read_code(test_program, &code, error);
    if (status == STATUS_OK)
        status = execute_and_follow(&execution, writing, error);
    free(writing);
    free(code.roles);
    return status;
}

enum status program_trace_write(const struct test_program *test_program, const struct trace_format *format,
                                uint64_t passes, const char *folder, struct error *error)
{
    const struct manifest *manifest = test_program->manifest;
    if (passes == 0)
        passes = whole_periods(manifest, passes_enough(manifest, format));
    enum status status = check_program(test_program, passes, error);
    if (status != STATUS_OK)
        return status;
    struct code code = {.isa = isa_find(qemu_program_target(test_program))};
    status = read_code(test_program, &code, error);
    struct execution execution = {.test_program = test_program, .code = &code, .passes = passes};
    struct writing *writing = memory_zeroed(1, sizeof *writing);
    *writing = (struct writing){.format = format,
                                .code = &code,
                                .now = {.first = true, .isa = code.isa},
                                .settle = whole_periods(manifest, format->settle)};
    writing->warmup.passes = (uint64_t)manifest->warmup + writing->settle;
    writing->passes.passes = passes;
    writing->ahead.passes =
        whole_periods(manifest, ceil((double)format->ahead / (double)instructions_of(manifest)));
    execution.passes += writing->settle + writing->ahead.passes;
    if (status == STATUS_OK)
        status = write_trace(&execution, writing, folder, error);
    free(writing);
    free(code.roles);
    return status;
}
