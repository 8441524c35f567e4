/* Programs for AMD's GPUs on OpenCL devices (runner/devices/launcher.h): loaded once, with data that is
 * filled once, and run as often as needed. Runs share their data: a program that stores finds what the
 * previous run stored. OpenCL C runs on any device, AMD's machine code only on AMD's, which is not yet
 * tested. */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/machine/machine.h"
#include "generator/suite/compiled.h"
#include "isa/gcn/decode/decode.h"
#include "isa/gcn/patch/listing.h"
#include "isa/gcn/patch/patcher.h"
#include "runner/devices/block_record.h"
#include "runner/devices/compiler_message.h"
#include "runner/devices/data_pieces.h"
#include "runner/devices/device_driver.h"
#include "runner/devices/device_machine.h"
#include "runner/devices/grid.h"
#include "runner/devices/opencl/opencl_session.h"
#include "runner/launch/test_program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- building ---- */

/* Programs of an OpenCL device, from text or from binaries. */

/* cl_program_build_info, cl_program_info. */
enum { BUILD_LOG = 0x1183, BINARY_SIZES = 0x1165, BINARIES = 0x1166 };
enum { MOST_BYTES = 1 << 28 };

/* Appends the build log and a terminating NUL. */
static void read_log(const struct opencl_session *session, opencl_program program, struct buffer *log)
{
    const struct opencl_library *library = &session->library;
    size_t size = 0;
    int result = library->build_info(program, session->place.device, BUILD_LOG, 0, NULL, &size);
    char *text = result == OPENCL_OK && size < MOST_BYTES ? calloc(size + 1, 1) : NULL;
    if (text == NULL)
        return;
    if (library->build_info(program, session->place.device, BUILD_LOG, size, text, NULL) == OPENCL_OK)
        buffer_append(log, text, strlen(text));
    free(text);
}

static int build(const struct opencl_session *session, opencl_program program, const char *options,
                 struct buffer *log)
{
    int result = session->library.build(program, 1, &session->place.device, options, NULL, NULL);
    read_log(session, program, log);
    buffer_append(log, "", 1);
    log->size--;
    return result;
}

/* Compiles text with the options. file: the file name for errors in the text. log, if not NULL: receives the
 * compiler's messages. STATUS_FAILED with the faulty line. */
static enum status opencl_build_text(const struct opencl_session *session, const void *text, size_t size,
                                     const char *options, const char *file, opencl_program *program,
                                     struct buffer *log, struct error *error)
{
    struct buffer messages = {0};
    const char *texts = text;
    int result;
    *program = session->library.program_of_source(session->context, 1, &texts, &size, &result);
    if (*program == NULL)
        return opencl_refusal(result, file, error);
    result = build(session, *program, options, &messages);
    enum status status = STATUS_FAILED;
    if (result == OPENCL_BUILD_FAILED || (result != OPENCL_OK && compiler_message_line(messages.data) > 0))
        compiler_message_to_error(messages.data, file, error);
    else
        status = opencl_refusal(result, file, error);
    if (log != NULL)
        buffer_append(log, messages.data, messages.size);
    buffer_free(&messages);
    return status;
}

/* Loads a binary of the device's kind. STATUS_UNAVAILABLE when the device rejects it. */
static enum status opencl_build_binary(const struct opencl_session *session, const void *bytes, size_t size,
                                       const char *file, opencl_program *program, struct error *error)
{
    const unsigned char *binary = bytes;
    struct buffer log = {0};
    int of_device = OPENCL_OK;
    int result;
    *program = session->library.program_of_binary(session->context, 1, &session->place.device, &size, &binary,
                                                  &of_device, &result);
    if (*program == NULL)
        return opencl_refusal(of_device != OPENCL_OK ? of_device : result, file, error);
    result = build(session, *program, "", &log);
    enum status status = opencl_refusal(result, file, error);
    if (result == OPENCL_BUILD_FAILED) {
        error_set(error, STATUS_UNAVAILABLE, "%s: the device rejects the binary: %.400s", file,
                  log.size > 0 ? log.data : "it gives no reason");
        status = STATUS_UNAVAILABLE;
    }
    buffer_free(&log);
    return status;
}

/* Appends the program's binary. */
static enum status opencl_build_take(const struct opencl_session *session, opencl_program program,
                                     struct buffer *binary, struct error *error)
{
    size_t size = 0;
    int result = session->library.program_info(program, BINARY_SIZES, sizeof size, &size, NULL);
    if (result == OPENCL_OK && (size == 0 || size > MOST_BYTES))
        return error_set(error, STATUS_UNAVAILABLE, "the platform returns no binary of the compiled program");
    unsigned char *bytes = memory_zeroed(size + 1, 1);
    if (result == OPENCL_OK)
        result = session->library.program_info(program, BINARIES, sizeof bytes, &bytes, NULL);
    if (result == OPENCL_OK)
        buffer_append(binary, bytes, size);
    free(bytes);
    return opencl_refusal(result, "the compiled program's binary", error);
}

/* Compiles a text of this program, and finds the kernel in it. */
static enum status opencl_build_kernel(const struct opencl_session *session, const char *text,
                                       const char *name, opencl_kernel *kernel, struct error *error)
{
    opencl_program program;
    int result;
    enum status status = opencl_build_text(session, text, strlen(text), "", name, &program, NULL, error);
    if (status != STATUS_OK)
        return status;
    *kernel = session->library.kernel(program, name, &result);
    return *kernel == NULL ? opencl_refusal(result, name, error) : STATUS_OK;
}

/* A suite's program on an OpenCL device: its code object (program.co) if the device accepts it, else its
 * OpenCL C (program.cl), compiled there. OpenCL C cannot express how a wave determines where it runs. So
 * AMD's compiler emits a placeholder, and the binary is patched and loaded again. */

struct opencl_loaded {
    opencl_kernel kernel;
    struct block_record_unit units[RECORD_UNITS]; /* that its records' places encode */
    size_t unit_count;                            /* 0: none */
};

static const char text_file[] = "program.cl";
static const char code_file[] = "program.co";

/* The macro that inserts the placeholder. */
static const char macro[] = "TRAUMA_PLACEMENT";

/* AMD's runtimes keep the source in a binary, and recompile it when they load a patched binary. */
static const char patched_options[] = "-DTRAUMA_PLACEMENT -fno-bin-llvmir -fno-bin-amdil -fno-bin-source";

/* The fields that the patched instruction reads, and that program.cl decodes. */
static const char read_fields[] = "cu,sh,se";

/* The contents of records, by processor generation: names of units, and of the register's fields. */
static const struct record_layout {
    unsigned first, last; /* generations */
    const char *units[RECORD_UNITS], *fields[RECORD_UNITS];
} record_layouts[] = {
    {6, 9, {"xcc", "se", "sh", "cu"}, {"xcc", "se", "sh", "cu"}},
    {10, 12, {"se", "sh", "cu"}, {"se", "sa", "wgp"}},
};

/* Sets the units of records that contain the bits `read` of the register. */
static void set_units(const struct gcn_target *target, const struct gcn_bits *read,
                      struct opencl_loaded *loaded)
{
    for (size_t i = 0; target != NULL && i < sizeof record_layouts / sizeof record_layouts[0]; i++) {
        const struct record_layout *layout = &record_layouts[i];
        if (target->generation < layout->first || target->generation > layout->last)
            continue;
        for (size_t j = 0; j < RECORD_UNITS && layout->units[j] != NULL; j++) {
            const char *unit = layout->units[j];
            bool above = strcmp(unit, "xcc") == 0; /* program.s writes it above its sum */
            struct gcn_bits bits;
            struct error error;
            if (gcn_field_parse(target, layout->fields[j], &bits, &error) != STATUS_OK)
                continue;
            if (above ? read->size == 32
                      : bits.low >= read->low && bits.low + bits.size <= read->low + read->size)
                loaded->units[loaded->unit_count++] =
                    (struct block_record_unit){unit, above ? 32 + bits.low : bits.low - read->low, bits.size};
        }
    }
}

/* True if the program's blocks query where they run, which channels of L2 do not need. */
static bool is_placed(const struct manifest *manifest)
{
    static const char *const names[] = {"xcc", "se", "sh", "cu", "sm"};
    bool placed = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        placed = placed || manifest_units(manifest, names[i]) != NULL;
    return placed;
}

/* ---- OpenCL C, patched ---- */

/* STATUS_UNAVAILABLE if the platform kept the source and compiled it again, which restores the placeholder.
 */
static enum status check_kept(const struct opencl_session *session, opencl_program program,
                              const struct gcn_patch_request *request, const struct buffer *patched,
                              struct error *error)
{
    struct buffer kept = {0};
    struct buffer again = {0};
    struct gcn_patch patch = {0};
    struct error none;
    enum status status = opencl_build_take(session, program, &kept, error);
    bool same =
        status == STATUS_OK && kept.size == patched->size && memcmp(kept.data, patched->data, kept.size) == 0;
    if (status == STATUS_OK && !same &&
        gcn_patch(kept.data, kept.size, request, &again, &patch, &none) == STATUS_OK) {
        status = error_set(error, STATUS_UNAVAILABLE,
                           "the platform recompiled the program when it loaded the patched binary");
        error_hint(error, "program.co, where the platform accepts it, needs no patch");
    }
    gcn_patch_free(&patch);
    buffer_free(&again);
    buffer_free(&kept);
    return status;
}

static enum status patch_binary(const struct buffer *binary, const struct gcn_patch_request *request,
                                struct buffer *patched, struct opencl_loaded *loaded,
                                struct device_module *module, struct error *error)
{
    struct gcn_patch patch = {0};
    enum status status = gcn_patch(binary->data, binary->size, request, patched, &patch, error);
    if (status == STATUS_OK) {
        module->read = read_fields;
        module->patched = patch.count;
        module->patched_bytes = patch.bytes_changed;
        set_units(patch.target, &patch.bits, loaded);
    } else {
        error_prefix(error, "placing the compiled program.cl");
        status = error->code = STATUS_UNAVAILABLE; /* the compiler's output here does not concern the user */
    }
    gcn_patch_free(&patch);
    return status;
}

static enum status place(const struct opencl_session *session, const char *entry, opencl_program *program,
                         struct opencl_loaded *loaded, struct device_module *module, struct error *error)
{
    const struct gcn_patch_request request = {.field = read_fields, .kernel = entry, .occurrence = GCN_ALL};
    struct buffer binary = {0};
    struct buffer patched = {0};
    enum status status = opencl_build_take(session, *program, &binary, error);
    if (status == STATUS_OK)
        status = patch_binary(&binary, &request, &patched, loaded, module, error);
    if (status == STATUS_OK)
        status =
            opencl_build_binary(session, patched.data, patched.size, "the patched binary", program, error);
    if (status == STATUS_OK)
        status = check_kept(session, *program, &request, &patched, error);
    buffer_free(&patched);
    buffer_free(&binary);
    return status;
}

static enum status load_text(const struct opencl_session *session, const struct test_program *test_program,
                             opencl_program *program, struct opencl_loaded *loaded,
                             struct device_module *module, struct error *error)
{
    bool patched = session->place.amd && is_placed(test_program->manifest);
    if (test_program->source_size == 0)
        return error_set(error, STATUS_UNAVAILABLE, "there is no program.cl for the device to compile");
    if (patched && memmem(test_program->source, test_program->source_size, macro, sizeof macro - 1) == NULL)
        return error_set(error, STATUS_FAILED,
                         "the program is placed, but program.cl has nothing under %s to place it by", macro);
    enum status status =
        opencl_build_text(session, test_program->source, test_program->source_size,
                          patched ? patched_options : "", text_file, program, &module->log, error);
    module->from = text_file;
    if (status == STATUS_OK && patched)
        status = place(session, manifest_text_or(test_program->manifest->entry, "trauma_kernel"), program,
                       loaded, module, error);
    return status;
}

/* ---- compiled loads past L1 ---- */

/* A kernel's loads from global memory, by whether they skip L1. */
struct loads {
    const unsigned char *binary;
    size_t plain, past;
};

static void count_loads(void *context, const struct gcn_listing *listing)
{
    struct loads *loads = context;
    const struct gcn_target *target = listing->piece->target;
    unsigned skips = (target->traits & GCN_XCC) != 0 ? GCN_SCC1 : GCN_GLC;
    for (size_t i = 0; i < listing->count; i++) {
        const struct gcn_listed *listed = &listing->instructions[i];
        struct gcn_instruction in;
        struct error unknown;
        if (!listed->reached || gcn_decode(target->generation, loads->binary + listed->offset, listed->length,
                                           0, &in, &unknown) != STATUS_OK)
            continue;
        bool global =
            in.row->format == GCN_FLAT || in.row->format == GCN_GLOBAL || in.row->format == GCN_MUBUF;
        if (global && strstr(in.row->name, "load") != NULL)
            ++*((in.modifiers & skips) != 0 ? &loads->past : &loads->plain);
    }
}

/* STATUS_UNAVAILABLE if the compiler lacks the builtins of program.cl, and made plain loads of loads past L1.
 */
static enum status check_loads(const struct manifest *manifest, const struct buffer *binary,
                               struct error *error)
{
    struct loads loads = {.binary = (const unsigned char *)binary->data};
    bool skips = false, stays = false;
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        bool load = strcmp(stream->op, "load") == 0,
             past = load && stream->cache[0] != '\0' && strcmp(stream->cache, "l1") != 0;
        skips = skips || past;
        stays = stays || (load && !past); /* shared memory is filled by plain loads */
    }
    if (!skips)
        return STATUS_OK;
    enum status status =
        gcn_list(binary->data, binary->size, manifest_text_or(manifest->entry, "trauma_kernel"), NULL,
                 count_loads, &loads, error);
    if (status != STATUS_OK) {
        error_prefix(error, "looking for loads past L1 in the compiled program.cl");
        return error->code = STATUS_UNAVAILABLE;
    }
    if (loads.past > 0 && (stays || loads.plain == 0))
        return STATUS_OK;
    error_set(
        error, STATUS_UNAVAILABLE,
        "the platform's compiler made plain loads, which L1 serves, of loads that go past L1: of %zu loads "
        "in the compiled program.cl, %zu skip L1",
        loads.plain + loads.past, loads.past);
    error_hint(error, "program.co, where the platform accepts it, has the right loads");
    return STATUS_UNAVAILABLE;
}

/* ---- either ---- */

/* Whether the device takes the program's code object: ROCm's device names are the targets of code objects,
 * while Catalyst's binaries have other formats. A recipe's own binary is tried on either, because it has no
 * text. */
static bool takes_code(const struct test_program *test_program, const struct opencl_session *session,
                       const struct device *device)
{
    const char *arch = manifest_text_or(test_program->manifest->arch, "");
    bool own = test_program->manifest->from != NULL;
    return session->place.amd && (own || device->code_objects) && test_program->executable_size > 0 &&
           strcmp(arch, device->arch) == 0;
}

static enum status load_code(const struct opencl_session *session, const struct test_program *test_program,
                             opencl_program *program, struct opencl_loaded *loaded,
                             struct device_module *module, struct error *error)
{
    enum status status = opencl_build_binary(session, test_program->executable, test_program->executable_size,
                                             code_file, program, error);
    if (status != STATUS_OK)
        return status;
    const struct manifest *manifest = test_program->manifest;
    const struct gcn_target *target = gcn_target_named(manifest_text_or(manifest->arch, ""));
    struct gcn_bits read = {.size = 32};
    module->from = code_file;
    if (manifest->from != NULL && target != NULL)
        status = gcn_field_parse(target, manifest_text_or(manifest->from->field, ""), &read, error);
    set_units(target, &read, loaded);
    return status;
}

/* Reads the kernel's properties; AMD's private memory holds spilled registers. */
static void describe_kernel(const struct opencl_session *session, opencl_kernel kernel,
                            struct device_module *module)
{
    const struct {
        double *number;
        unsigned what;
        bool amd;
    } numbers[] = {{&module->threads_per_block, 0x11B0, false},
                   {&module->shared_bytes, 0x11B2, false},
                   {&module->local_bytes, 0x11B4, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t value = 0;
        if ((session->place.amd || !numbers[i].amd) &&
            session->library.kernel_info(kernel, session->place.device, numbers[i].what, sizeof value, &value,
                                         NULL) == OPENCL_OK)
            *numbers[i].number = (double)value;
    }
}

static const char *platform_of(const struct device *device)
{
    return device->platform[0] != '\0' ? device->platform : "?";
}

static enum status check_place(const struct test_program *test_program, const struct opencl_session *session,
                               const struct device *device, struct error *error)
{
    if (session->place.amd || !is_placed(test_program->manifest))
        return STATUS_OK;
    error_set(
        error, STATUS_UNAVAILABLE,
        "the program must run at a place of an AMD GPU, but on %s (%s, %s) a wave cannot learn where it runs",
        device->name, device->type, platform_of(device));
    error_hint(error, "`trauma sensors` lists the devices; --device N selects another");
    return STATUS_UNAVAILABLE;
}

/* Adds the module to facts, which already contain the device. STATUS_UNAVAILABLE when the program is placed
 * and waves cannot determine where they run on the device, or when AMD's compiler made plain loads of loads
 * past L1; STATUS_FAILED with the faulty line of its text. */
static enum status opencl_program_load(const struct opencl_session *session,
                                       const struct test_program *test_program, struct opencl_loaded *loaded,
                                       struct device_facts *facts, struct error *error)
{
    const struct device *device = &facts->device;
    struct device_module *module = &facts->module;
    const char *entry = manifest_text_or(test_program->manifest->entry, "trauma_kernel");
    opencl_program program = NULL;
    *loaded = (struct opencl_loaded){0};
    enum status status = check_place(test_program, session, device, error);
    if (status != STATUS_OK)
        return status;
    bool takes = takes_code(test_program, session, device);
    status = takes ? load_code(session, test_program, &program, loaded, module, error) : STATUS_UNAVAILABLE;
    if (takes && status != STATUS_OK)
        snprintf(module->why, sizeof module->why, "%s", error->message);
    bool emitted = test_program->manifest->from == NULL;
    if (!takes && !emitted)
        return error_set(error, STATUS_UNAVAILABLE,
                         "program.co is a compiled kernel for %s, and the device is a %s",
                         manifest_text_or(test_program->manifest->arch, "?"), device->arch);
    if (status != STATUS_OK && emitted)
        status = load_text(session, test_program, &program, loaded, module, error);
    if (status != STATUS_OK)
        return status;
    int result;
    loaded->kernel = session->library.kernel(program, entry, &result);
    if (loaded->kernel == NULL)
        return opencl_refusal(result, entry, error);
    describe_kernel(session, loaded->kernel, module);
    struct buffer binary = {0};
    struct error why_not;
    if (opencl_build_take(session, program, &binary, &why_not) == STATUS_OK)
        device_module_set_made(module, binary.data, binary.size);
    else
        snprintf(module->no_binary, sizeof module->no_binary, "%s", why_not.message);
    if (session->place.amd && module->from == text_file)
        status = check_loads(test_program->manifest, &binary, error);
    buffer_free(&binary);
    return status;
}

/* ---- the program's data and record in the device's memory ---- */

/* The data's address on the device must be known, for chases and alignment. OpenCL does not report addresses,
 * so a kernel does. */

struct opencl_data {
    const struct opencl_session *session;
    opencl_memory memory;
    uint64_t address; /* of memory, on the device */
};

/* cl_mem_flags, cl_buffer_create_type. */
enum { READ_WRITE = 1, REGION = 0x1220, LARGEST = 0x1010 };

/* The alignment of parts of memory that suits every platform; programs' data is never smaller. */
enum { LEAST_BYTES = 4096 };

static const char address_text[] =
    "__kernel void trauma_address(__global uchar *data, __global ulong *answer)\n"
    "{\n"
    "    answer[0] = (ulong)data;\n"
    "}\n";

/* Allocates that many bytes at any address. what: "the program's data". STATUS_UNAVAILABLE when there is not
 * enough. */
static enum status opencl_memory_take(const struct opencl_session *session, size_t bytes, const char *what,
                                      opencl_memory *memory, struct error *error)
{
    int result = OPENCL_OK;
    uint64_t most = 0;
    (void)session->library.device_info(session->place.device, LARGEST, sizeof most, &most, NULL);
    if (most > 0 && bytes > most) {
        error_set(error, STATUS_UNAVAILABLE, "%s needs %zu bytes; the device allows %" PRIu64 " in one piece",
                  what, bytes, most);
        error_hint(error, "use less data%s",
                   session->place.amd ? ", or allow more: GPU_MAX_ALLOC_PERCENT=100" : "");
        return STATUS_UNAVAILABLE;
    }
    *memory = session->library.allocate(session->context, READ_WRITE, bytes, NULL, &result);
    return *memory == NULL ? opencl_refusal(result, what, error) : STATUS_OK;
}

/* Runs a kernel of one thread that reports the address. */
static enum status find_address(const struct opencl_session *session, opencl_kernel kernel,
                                opencl_memory memory, opencl_memory answer, uint64_t *address,
                                struct error *error)
{
    static const char what[] = "querying the data's address";
    const struct opencl_library *library = &session->library;
    double seconds;
    int result = library->argument(kernel, 0, sizeof memory, &memory);
    if (result == OPENCL_OK)
        result = library->argument(kernel, 1, sizeof answer, &answer);
    enum status status = opencl_refusal(result, what, error);
    if (status == STATUS_OK)
        status = opencl_session_run(session, kernel, 1, 1, &seconds, error);
    if (status != STATUS_OK)
        return status;
    result = library->copy_out(session->queue, answer, 1, 0, sizeof *address, address, 0, NULL, NULL);
    return opencl_refusal(result, what, error);
}

/* The part of the memory that begins at the required alignment. */
static enum status align(const struct opencl_session *session, opencl_kernel kernel, opencl_memory whole,
                         opencl_memory answer, const struct gpu_image *image, size_t bytes,
                         struct opencl_data *loaded, struct error *error)
{
    uint64_t address = 0;
    int result = OPENCL_OK;
    enum status status = find_address(session, kernel, whole, answer, &address, error);
    if (status != STATUS_OK)
        return status;
    const size_t region[2] = {(size_t)(-address & (image->align - 1)), bytes};
    loaded->memory = session->library.part(whole, READ_WRITE, REGION, region, &result);
    if (loaded->memory == NULL)
        return opencl_refusal(result, "aligning the program's data", error);
    status = find_address(session, kernel, loaded->memory, answer, &loaded->address, error);
    if (status == STATUS_OK && loaded->address != address + region[0])
        return error_set(error, STATUS_UNAVAILABLE,
                         "the device moves memory: data is at 0x%" PRIx64 ", expected at 0x%" PRIx64,
                         loaded->address, address + region[0]);
    return status;
}

static enum status clear(const struct opencl_data *loaded, size_t bytes, struct error *error)
{
    const struct opencl_library *library = &loaded->session->library;
    const uint64_t zero = 0;
    int result =
        library->fill(loaded->session->queue, loaded->memory, &zero, sizeof zero, 0, bytes, 0, NULL, NULL);
    if (result == OPENCL_OK)
        result = library->finish(loaded->session->queue);
    return opencl_refusal(result, "clearing the device's memory", error);
}

static enum status take(void *context, const struct gpu_image *image, uint64_t *address, struct error *error)
{
    struct opencl_data *loaded = context;
    const struct opencl_session *session = loaded->session;
    size_t bytes = (image->bytes + LEAST_BYTES - 1) / LEAST_BYTES * LEAST_BYTES + LEAST_BYTES;
    opencl_kernel kernel = NULL;
    opencl_memory whole = NULL;
    opencl_memory answer = NULL;
    enum status status =
        opencl_memory_take(session, bytes + image->align, "the program's data", &whole, error);
    if (status == STATUS_OK)
        status = opencl_memory_take(session, LEAST_BYTES, "an address", &answer, error);
    if (status == STATUS_OK)
        status = opencl_build_kernel(session, address_text, "trauma_address", &kernel, error);
    if (status == STATUS_OK)
        status = align(session, kernel, whole, answer, image, bytes, loaded, error);
    if (status == STATUS_OK)
        status = clear(loaded, bytes, error);
    *address = loaded->address;
    return status;
}

static enum status write_piece(void *context, uint64_t offset, const void *bytes, size_t size,
                               struct error *error)
{
    const struct opencl_data *loaded = context;
    int result = loaded->session->library.copy_in(loaded->session->queue, loaded->memory, 1, offset, size,
                                                  bytes, 0, NULL, NULL);
    return opencl_refusal(result, "filling the device's memory", error);
}

/* Allocates memory, fills it from a manifest's "data" and clears the rest. STATUS_UNAVAILABLE when there is
 * not enough, STATUS_FAILED when the data is invalid. */
static enum status opencl_data_load(const struct opencl_session *session, const struct manifest_data *data,
                                    struct opencl_data *loaded, struct error *error)
{
    const struct data_pieces_memory memory = {.take = take, .write = write_piece, .context = loaded};
    *loaded = (struct opencl_data){.session = session};
    return data_pieces_load(data, &memory, error);
}

/* ---- opencl machine ---- */

/* A machine's description of a GPU, from OpenCL's data and facts about the GPU's family. */

/* Families; recipes/machines/ describes one chip of each, and a board may have fewer compute units. On GFX10
 * a compute unit is a work-group processor, both here and in OpenCL's count. */
static const struct family {
    const char *arch;
    unsigned se, sh_per_se, most_cu_per_sh;
    unsigned l1_kib, l1_line, l2_kib, l2_line, channels, wave;
    unsigned cu_per_xcc; /* active ones; 0: the GPU is one die */
} families[] = {
    {"gfx701", 4, 1, 11, 16, 64, 1024, 64, 16, 64, 0},   {"gfx803", 4, 1, 16, 16, 64, 2048, 64, 16, 64, 0},
    {"gfx900", 4, 1, 16, 16, 64, 4096, 64, 16, 64, 0},   {"gfx908", 8, 1, 16, 16, 64, 8192, 128, 32, 64, 0},
    {"gfx90a", 8, 1, 14, 16, 64, 8192, 128, 32, 64, 0},  {"gfx942", 4, 1, 10, 32, 128, 4096, 128, 0, 64, 38},
    {"gfx1030", 4, 2, 5, 16, 128, 4096, 128, 16, 32, 0},
};

/* The dies on which a program runs: all in the mode SPX, fewer in the partition modes DPX, QPX and CPX. */
static unsigned dies_of(const struct family *family, unsigned units)
{
    return family->cu_per_xcc == 0 ? 1 : units / family->cu_per_xcc;
}

static const struct family *find_family(const char *arch)
{
    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++)
        if (strcmp(families[i].arch, arch) == 0)
            return &families[i];
    return NULL;
}

static enum status check(const struct device *device, const struct family *family, struct error *error)
{
    const char *name = device->name;
    if (!device->amd)
        error_set(error, STATUS_UNAVAILABLE, "%s (%s, %s) is not a GPU on AMD's own OpenCL platform", name,
                  device->type, platform_of(device));
    else if (family == NULL)
        error_set(error, STATUS_UNAVAILABLE,
                  "%s is a GPU of the family %s, whose shader engines and caches this version does not know",
                  name, device->arch);
    else {
        unsigned arrays = family->se * family->sh_per_se;
        unsigned units = (unsigned)device->units;
        unsigned per_die = family->cu_per_xcc;
        if (units > 0 && (per_die > 0 ? units % per_die == 0
                                      : units % arrays == 0 && units / arrays <= family->most_cu_per_sh))
            return STATUS_OK;
        if (per_die > 0)
            error_set(error, STATUS_UNAVAILABLE, "%s has %u compute units; a known %s has %u on each die",
                      name, units, family->arch, per_die);
        else
            error_set(error, STATUS_UNAVAILABLE,
                      "%s has %u compute units; a known %s has up to %u in each of %u arrays", name, units,
                      family->arch, family->most_cu_per_sh, arrays);
    }
    error_hint(error, "-m w9100 selects that machine; or describe yours in a file (recipes/machines/fiji.lua "
                      "is an example) and pass -m FILE");
    return STATUS_UNAVAILABLE;
}

/* Fills *machine (free with machine_free), as the present one. Shader engines and caches come from the
 * family, because OpenCL reports neither. STATUS_UNAVAILABLE for a device that is not an AMD GPU, and for an
 * unknown family. */
static enum status opencl_machine(const struct device *device, struct machine *machine, struct error *error)
{
    const struct family *family = find_family(device->arch);
    memset(machine, 0, sizeof *machine);
    enum status status = check(device, family, error);
    if (status != STATUS_OK)
        return status;
    unsigned units = (unsigned)device->units, arrays = family->se * family->sh_per_se;
    bool dies = family->cu_per_xcc > 0;
    const struct device_machine description = {
        .isa = "gcn",
        .vendor = "AMD",
        .who = "OpenCL",
        .l1 = {{"size", (uint64_t)family->l1_kib << 10}, {"line", family->l1_line}, {"ways", 4}},
        .l2 = {{"size", (uint64_t)family->l2_kib << 10}, {"line", family->l2_line}, {"ways", 16}},
        .policy = "lru",
        .gpu = {{"se", family->se},
                {"sh_per_se", family->sh_per_se},
                {"cu_per_sh", dies ? family->most_cu_per_sh : units / arrays},
                {"wave", family->wave},
                {"l2_channels", family->channels},
                {"interleave", family->channels > 0 ? 256 : 0},
                {"xcc", dies ? dies_of(family, units) : 0},
                {"cu_per_xcc", family->cu_per_xcc},
                {"block_threads", device->threads_per_block},
                {"shared", device->shared},
                {"memory", device->memory}}};
    return device_machine_make(device, &description, machine, error);
}

/* True when the device matches the machine: architecture, compute units and, if both state it, about as much
 * memory. */
static bool opencl_machine_is(const struct device *device, const struct machine *machine)
{
    return strcmp(device->arch, machine->gpu.arch) == 0 && find_family(device->arch) != NULL &&
           device->units == machine->gpu.sm && device_machine_memory(device, machine);
}

/* ---- opencl driver ---- */

/* A lower bound: no instruction takes less time on any device. */
static const uint64_t MANY_PASSES = 1 << 20;
static const double LEAST_PASS_S = 1e-11;

struct opencl_run {
    struct opencl_session session;
    struct device_grid grid;
    struct opencl_loaded loaded;
    struct opencl_data data;
    opencl_memory record;
    struct block_record_entry *entries;
    bool has_timer; /* its blocks recorded the time of their loops */
};

static enum status make_record(struct opencl_run *run, struct error *error)
{
    run->entries = calloc(run->grid.blocks, sizeof *run->entries);
    if (run->entries == NULL)
        return error_set(error, STATUS_FAILED, "no memory for the record of %u blocks", run->grid.blocks);
    return opencl_memory_take(&run->session, run->grid.blocks * sizeof *run->entries, "the blocks' record",
                              &run->record, error);
}

static enum status open_program(const struct test_program *test_program, void **handle,
                                struct device_facts *facts, struct error *error)
{
    struct opencl_run *run = memory_zeroed(1, sizeof *run);
    *handle = run;
    enum status status = device_grid_read(test_program->manifest, &run->grid, error);
    if (status == STATUS_OK)
        status = opencl_session_open(&run->session, test_program->device, &facts->device, error);
    if (status == STATUS_OK)
        status = opencl_program_load(&run->session, test_program, &run->loaded, facts, error);
    if (status == STATUS_OK)
        status = opencl_data_load(&run->session, &test_program->manifest->data, &run->data, error);
    return status == STATUS_OK ? make_record(run, error) : status;
}

static int set_arguments(const struct opencl_run *run, uint64_t iterations)
{
    const struct {
        const void *value;
        size_t size;
    } arguments[] = {{&iterations, sizeof iterations},
                     {&run->grid.warmup, sizeof run->grid.warmup},
                     {&run->data.memory, sizeof run->data.memory},
                     {&run->record, sizeof run->record}};
    int result = OPENCL_OK;
    for (uint32_t i = 0; result == OPENCL_OK && i < sizeof arguments / sizeof arguments[0]; i++)
        result = run->session.library.argument(run->loaded.kernel, i, arguments[i].size, arguments[i].value);
    return result;
}

/* One launch, and the reading of its record. */
static enum status launch(struct opencl_run *run, uint64_t iterations, double *seconds, struct error *error)
{
    const struct opencl_library *library = &run->session.library;
    const unsigned char unwritten = RECORD_UNWRITTEN;
    size_t bytes = run->grid.blocks * sizeof *run->entries;
    size_t threads = (size_t)run->grid.blocks * run->grid.threads;
    int result = library->fill(run->session.queue, run->record, &unwritten, 1, 0, bytes, 0, NULL, NULL);
    if (result == OPENCL_OK)
        result = library->finish(run->session.queue);
    if (result == OPENCL_OK)
        result = set_arguments(run, iterations);
    enum status status = opencl_refusal(result, "the kernel", error);
    if (status == STATUS_OK)
        status =
            opencl_session_run(&run->session, run->loaded.kernel, threads, run->grid.threads, seconds, error);
    return status;
}

static enum status read_record(struct opencl_run *run, struct error *error)
{
    size_t bytes = run->grid.blocks * sizeof *run->entries;
    int result = run->session.library.copy_out(run->session.queue, run->record, 1, 0, bytes, run->entries, 0,
                                               NULL, NULL);
    for (size_t i = 0; result == OPENCL_OK && i < run->grid.blocks; i++)
        run->has_timer = run->has_timer || (run->entries[i].worked == 1 && run->entries[i].stop_ns != 0);
    return opencl_refusal(result, "reading the record", error);
}

/* STATUS_FAILED if passes take no time: the compiler then found the loop without effect and removed it. */
static enum status check_runs(uint64_t iterations, const struct device_run *done, struct error *error)
{
    if (iterations < MANY_PASSES || done->kernel_s > (double)iterations * LEAST_PASS_S)
        return STATUS_OK;
    return error_set(error, STATUS_FAILED,
                     "%" PRIu64 " passes took %g s: the device's compiler removed the program's loop",
                     iterations, done->kernel_s);
}

/* If blocks cannot time their loops, the time of a run of only the warm-up is subtracted from the kernel's
 * time. The run of the warm-up comes first, so that the measured run ends last. */
static enum status run_program(void *handle, uint64_t iterations, struct device_run *done,
                               struct error *error)
{
    struct opencl_run *run = handle;
    double warmup_s = 0;
    enum status status = STATUS_OK;
    *done = (struct device_run){.entries = run->entries,
                                .blocks = run->grid.blocks,
                                .units = run->loaded.units,
                                .unit_count = run->loaded.unit_count};
    if (iterations > 0 && !run->has_timer)
        status = launch(run, 0, &warmup_s, error);
    done->from_s = clock_now_s();
    if (status == STATUS_OK)
        status = launch(run, iterations, &done->kernel_s, error);
    done->to_s = clock_now_s();
    if (status == STATUS_OK)
        status = read_record(run, error);
    if (iterations > 0 && !run->has_timer && done->kernel_s > warmup_s)
        done->loop_s = done->kernel_s - warmup_s;
    return status == STATUS_OK ? check_runs(iterations, done, error) : status;
}

/* The device's resources are released with the process. */
static void close_program(void *handle)
{
    struct opencl_run *run = handle;
    free(run->entries);
    free(run);
}

static const char *const units[] = {"xcc", "se", "sh", "cu", NULL};

const struct device_driver opencl_driver = {.open = open_program,
                                            .run = run_program,
                                            .close = close_program,
                                            .list = opencl_devices,
                                            .machine = opencl_machine,
                                            .is_machine = opencl_machine_is,
                                            .name = "opencl",
                                            .units = units,
                                            .counted = "compute units"};
