#include "runner/sources/bytes/ptxas.h"

#include "base/files/memory_file.h"
#include "base/memory.h"
#include "base/text/complaint.h"
#include "isa/sass/cubin_join.h"
#include "runner/process/child.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENT_BYTES = 128, MOST_OUTPUT = 64 << 20 };
static const double TIMEOUT_S = 60;

/* Runs the tool and appends what it writes to output and errors. */
static enum status call(const char *tool, char *const *arguments, struct buffer *output,
                        struct buffer *errors, struct error *error)
{
    const struct child_request request = {
        .path = tool, .arguments = arguments, .cpu = -1, .timeout_s = TIMEOUT_S, .output_limit = MOST_OUTPUT};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    if (result.output.size > 0)
        buffer_append(output, result.output.data, result.output.size);
    if (result.errors.size > 0)
        buffer_append(errors, result.errors.data, result.errors.size);
    child_result_free(&result);
    return status;
}

/* ---- assembling ---- */

/* The number before the first place where the text contains `behind`; 0: none. */
static unsigned number_before(const char *text, const char *behind)
{
    const char *at = strstr(text, behind);
    if (at == NULL)
        return 0;
    while (at > text && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
        at--;
    return (unsigned)strtoul(at, NULL, 10);
}

static void read_resources(const char *text, struct ptxas_resources *resources)
{
    *resources = (struct ptxas_resources){.registers = number_before(text, " registers"),
                                          .stack = number_before(text, " bytes stack frame"),
                                          .spill_stores = number_before(text, " bytes spill stores"),
                                          .spill_loads = number_before(text, " bytes spill loads"),
                                          .shared = number_before(text, " bytes smem")};
}

void ptxas_version(const struct ptxas_result *result, char version[PTXAS_VERSION_BYTES])
{
    static char known_tool[PTXAS_TOOL_BYTES], known[PTXAS_VERSION_BYTES];
    if (known[0] != '\0' && strcmp(known_tool, result->tool) == 0) {
        memcpy(version, known, sizeof known);
        return;
    }
    char name[] = "ptxas";
    char version_flag[] = "--version";
    char *const arguments[] = {name, version_flag, NULL};
    struct buffer output = {0};
    struct buffer errors = {0};
    version[0] = '\0';
    if (call(result->tool, arguments, &output, &errors, NULL) == STATUS_OK && output.size > 0) {
        const char *at = strstr(output.data, ", V"); /* "..., release 13.0, V13.0.88" */
        if (at != NULL)
            snprintf(version, PTXAS_VERSION_BYTES, "%.*s", (int)strspn(at + 3, "0123456789."), at + 3);
    }
    memcpy(known_tool, result->tool, sizeof known_tool);
    memcpy(known, version, sizeof known);
    buffer_free(&output);
    buffer_free(&errors);
}

static enum status assemble_with(const char *tool, int source, int cubin, const char *arch,
                                 struct ptxas_result *result, struct error *error)
{
    char name[] = "ptxas";
    char wanted[] = "-v";
    char lines[] = "-lineinfo";
    char output_flag[] = "-o";
    char machine[ARGUMENT_BYTES];
    char from[ARGUMENT_BYTES];
    char to[ARGUMENT_BYTES];
    snprintf(machine, sizeof machine, "-arch=%.60s", arch);
    memory_file_path(from, source);
    memory_file_path(to, cubin);
    char *const arguments[] = {name, wanted, lines, machine, from, output_flag, to, NULL};
    struct buffer output = {0};
    struct error reason = {.code = STATUS_OK};
    enum status status = call(tool, arguments, &output, &output, &reason);
    const char *messages = output.size == 0 ? "" : output.data;
    if (status == STATUS_OK)
        read_resources(messages, &result->resources);
    else if (strstr(messages, "ptxas") != NULL)
        status = ptxas_blame(messages, arch, error);
    else
        status = error_set(error, STATUS_UNAVAILABLE, "%s does not work: %s", tool, reason.message);
    if (status == STATUS_OK)
        status = memory_file_read(cubin, &result->cubin, error);
    buffer_free(&output);
    return status;
}

static enum status no_ptxas(struct error *error)
{
    error_set(error, STATUS_UNAVAILABLE, "ptxas is neither on PATH nor in /usr/local/cuda*/bin");
    error_hint(error, "install a CUDA toolkit (apt-get install nvidia-cuda-toolkit) or `pip install "
                      "nvidia-cuda-nvcc`; no GPU is needed");
    return STATUS_UNAVAILABLE;
}

enum status ptxas_assemble(const char *text, size_t size, const char *arch, struct ptxas_result *result,
                           struct error *error)
{
    int source = -1;
    int cubin = -1;
    *result = (struct ptxas_result){.tool = ""};
    enum status status = memory_file_open(text, size, false, &source, error);
    if (status == STATUS_OK)
        status = memory_file_open("", 0, false, &cubin, error);
    if (status == STATUS_OK)
        status = no_ptxas(error);
    for (unsigned i = 0;
         cubin >= 0 && status == STATUS_UNAVAILABLE && ptxas_find_tool("ptxas", i, result->tool); i++)
        status = assemble_with(result->tool, source, cubin, arch, result, error);
    if (source >= 0)
        close(source);
    if (cubin >= 0)
        close(cubin);
    return status;
}

void ptxas_free(struct ptxas_result *result)
{
    buffer_free(&result->cubin);
}

/* ---- disassembling ---- */

/* -ndf omits the labels of the branch stack, which are not needed and take a quarter of the time. */
static const struct {
    const char *name;
    const char *options[3]; /* NULL: none */
} disassemblers[] = {{"nvdisasm", {"-gp", "-c", "-ndf"}}, {"cuobjdump", {"-sass"}}};

static enum status disassemble_with(size_t which, const char *tool, int fd, struct buffer *text,
                                    struct error *error)
{
    char words[4][ARGUMENT_BYTES];
    char from[ARGUMENT_BYTES];
    char *arguments[6] = {words[0]};
    unsigned count = 1;
    memory_file_path(from, fd);
    snprintf(words[0], sizeof words[0], "%s", disassemblers[which].name);
    for (; count <= 3 && disassemblers[which].options[count - 1] != NULL; count++) {
        snprintf(words[count], sizeof words[count], "%s", disassemblers[which].options[count - 1]);
        arguments[count] = words[count];
    }
    arguments[count] = from;
    struct error reason = {.code = STATUS_OK};
    struct buffer errors = {0};
    enum status status = call(tool, arguments, text, &errors, &reason);
    if (status == STATUS_OK && text->size == 0)
        status = error_set(&reason, STATUS_UNAVAILABLE, "it wrote nothing");
    if (status == STATUS_OK &&
        text->size >= MOST_OUTPUT) /* a part of the loop must not be taken for all of it */
        status = error_set(&reason, STATUS_UNAVAILABLE, "it wrote more than %d MiB", MOST_OUTPUT >> 20);
    if (status != STATUS_OK) {
        buffer_free(text);
        char complaint[COMPLAINT_BYTES];
        complaint_join(complaint, sizeof complaint, errors.data, errors.size, "");
        status = error_set(error, STATUS_UNAVAILABLE, "%s rejects the machine code: %s",
                           disassemblers[which].name, complaint[0] != '\0' ? complaint : reason.message);
    }
    buffer_free(&errors);
    return status;
}

bool ptxas_can_disassemble(void)
{
    char tool[PTXAS_TOOL_BYTES];
    bool found = false;
    for (size_t i = 0; i < sizeof disassemblers / sizeof disassemblers[0] && !found; i++)
        found = ptxas_find_tool(disassemblers[i].name, 0, tool);
    return found;
}

enum status ptxas_disassemble(const struct buffer *cubin, struct buffer *text, struct error *error)
{
    char tool[PTXAS_TOOL_BYTES];
    int fd;
    enum status status = memory_file_open(cubin->data, cubin->size, false, &fd, error);
    if (status != STATUS_OK)
        return status;
    status = error_set(error, STATUS_UNAVAILABLE,
                       "neither nvdisasm nor cuobjdump is on PATH or in /usr/local/cuda*/bin");
    if (error != NULL)
        error_hint(error, "install a complete CUDA toolkit or `pip install nvidia-cuda-nvdisasm`");
    for (size_t i = 0; i < sizeof disassemblers / sizeof disassemblers[0]; i++)
        for (unsigned j = 0; status != STATUS_OK && ptxas_find_tool(disassemblers[i].name, j, tool); j++)
            status = disassemble_with(i, tool, fd, text, error);
    close(fd);
    return status;
}

/* Takes the i-th program's part of the joined text if it is at *text, and moves *text behind it. */
static void cut_listing(const char **text, size_t i, struct ptxas_one *one)
{
    static const char SECTION[] = "\t.section\t.text.";
    char kernel[CUBIN_NAME_BYTES];
    size_t named = cubin_name(i, kernel), before = strlen(SECTION);
    const char *at = strstr(*text, SECTION);
    if (at == NULL || strncmp(at + before, kernel, named) != 0 || at[before + named] != ',')
        return;
    const char *end = strstr(at + before, SECTION);
    size_t size = end == NULL ? strlen(at) : (size_t)(end - at);
    one->listing = memory_zeroed(1, sizeof *one->listing + size);
    *one->listing = (struct ptxas_listing){.made = one->made, .size = size};
    one->listing->made.cubin = (struct buffer){0};
    memcpy(one->listing->kernel, kernel, sizeof kernel);
    memcpy(one->listing->text, at, size);
    *text = at + size;
}

/* Disassembles the programs of the first one's architecture. False if that failed. */
static bool disassemble_alike(struct ptxas_one *ones, size_t count)
{
    struct buffer joined = {0}, text = {0};
    struct cubin *cubins = memory_zeroed(count, sizeof *cubins);
    for (size_t i = 0; i < count; i++)
        if (ones[i].listing == NULL)
            cubins[i] = (struct cubin){&ones[i].made.cubin, ones[i].kernel};
    bool good = cubin_join(cubins, count, &joined) && ptxas_disassemble(&joined, &text, NULL) == STATUS_OK;
    const char *at = text.data;
    for (size_t i = 0; good && i < count; i++)
        if (cubins[i].file != NULL)
            cut_listing(&at, i, &ones[i]);
    buffer_free(&joined);
    buffer_free(&text);
    free(cubins);
    return good && ones[0].listing != NULL;
}

void ptxas_disassemble_all(struct ptxas_one *ones, size_t count)
{
    bool good = true;
    for (size_t i = 0; good && i < count; i++)
        if (ones[i].made.cubin.size > 0 && ones[i].listing == NULL)
            good = disassemble_alike(ones + i, count - i);
}

/* ---- ptxas's messages ---- */

/* Turns a message of ptxas into a sentence at a line of program.ptx. Wording as of ptxas 13.0; unknown
 * messages are passed on unchanged. */

/* Messages that are not the program's fault: this ptxas is too old or too new for it. */
static const struct {
    const char *begins, *has, *hint;
} lacks[] = {
    {"Value '", "is not defined for option 'gpu-name'",
     "use a CUDA toolkit whose ptxas supports it: 12.x for sm_50 to sm_72, 12.8 or newer for sm_100 and "
     "sm_120"},
    {"Unsupported .version", "",
     "use a newer ptxas: a later CUDA toolkit, or `pip install nvidia-cuda-nvcc`"},
};

/* Reads an error message, "ptxas FILE, line 13; error   : Unknown modifier '.zz'": returns the text after the
 * colon and fills in the line. NULL if the output's line is no error message. */
static const char *read_complaint(const char *output, int *line)
{
    static const char *const words[] = {"error", "fatal"};
    size_t length = strcspn(output, "\n");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *word = strstr(output, words[i]);
        const char *number = strstr(output, ", line ");
        if (word == NULL || word > output + length || strncmp(output, "ptxas", 5) != 0)
            continue;
        const char *at = word + strlen(words[i]) + strspn(word + strlen(words[i]), " ");
        if (*at != ':')
            continue;
        *line = number != NULL && number < word ? atoi(number + strlen(", line ")) : 0;
        return at + 1 + strspn(at + 1, " ");
    }
    return NULL;
}

enum status ptxas_blame(const char *output, const char *arch, struct error *error)
{
    int line = 0;
    const char *message = NULL;
    for (const char *at = output; at != NULL && message == NULL;) {
        message = read_complaint(at, &line);
        at = strchr(at, '\n');
        at += at != NULL;
    }
    char complaint[COMPLAINT_BYTES];
    if (message == NULL) {
        complaint_join(complaint, sizeof complaint, output, strlen(output), "");
        return error_set(error, STATUS_UNAVAILABLE, "ptxas failed without a reason: %s", complaint);
    }
    complaint_join(complaint, sizeof complaint, message, strcspn(message, "\n"), "");
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++) {
        if (strncmp(complaint, lacks[i].begins, strlen(lacks[i].begins)) != 0 ||
            strstr(complaint, lacks[i].has) == NULL)
            continue;
        error_set(error, STATUS_UNAVAILABLE, "this ptxas rejects it: %s", complaint);
        error_hint(error, "%s", lacks[i].hint);
        return STATUS_UNAVAILABLE;
    }
    if (line > 0)
        error_set(error, STATUS_FAILED, "ptxas rejects line %d of program.ptx for %s: %s", line, arch,
                  complaint);
    else
        error_set(error, STATUS_FAILED, "ptxas rejects program.ptx for %s: %s", arch, complaint);
    return STATUS_FAILED;
}

/* ---- finding NVIDIA's tools ---- */

/* The n-th folder of PATH that has the program; decrements *n for each one passed. */
static bool find_on_path(const char *name, unsigned *n, char path[PTXAS_TOOL_BYTES])
{
    const char *folders = getenv("PATH");
    for (const char *at = folders; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ":");
        if (length + strlen(name) + 2 < PTXAS_TOOL_BYTES) {
            snprintf(path, PTXAS_TOOL_BYTES, "%.*s/%s", (int)length, at, name);
            if (access(path, X_OK) == 0 && (*n)-- == 0)
                return true;
        }
        at += length + (at[length] == ':');
    }
    return false;
}

/* The same for a toolkit's usual folders, the highest version first. */
static bool find_in_toolkits(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES])
{
    glob_t found;
    bool good = false;
    snprintf(path, PTXAS_TOOL_BYTES, "/usr/local/cuda*/bin/%s", name);
    if (glob(path, 0, NULL, &found) != 0)
        return false;
    for (size_t i = found.gl_pathc; i-- > 0 && !good;) {
        if (access(found.gl_pathv[i], X_OK) != 0 || n-- > 0)
            continue;
        snprintf(path, PTXAS_TOOL_BYTES, "%s", found.gl_pathv[i]);
        good = true;
    }
    globfree(&found);
    return good;
}

bool ptxas_find_tool(const char *name, unsigned n, char path[PTXAS_TOOL_BYTES])
{
    return find_on_path(name, &n, path) || find_in_toolkits(name, n, path);
}
