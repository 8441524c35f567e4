#include "runner/devices/opencl/opencl_program.h"

#include "base/json.h"
#include "isa/gcn/decode/decode.h"
#include "isa/gcn/patch/listing.h"
#include "isa/gcn/patch/patcher.h"
#include "runner/devices/made_binary.h"
#include "runner/devices/opencl/opencl_build.h"

#include <stdio.h>
#include <string.h>

static const char text_file[] = "program.cl";
static const char code_file[] = "program.co";

/* The macro that inserts the placeholder. */
static const char macro[] = "TRAUMA_PLACEMENT";

/* AMD's runtimes keep the source in a binary, and recompile it when they load a patched binary. */
static const char patched_options[] = "-DTRAUMA_PLACEMENT -fno-bin-llvmir -fno-bin-amdil -fno-bin-source";

/* What the patched instruction reads, which a program compiled from program.cl decodes. */
static const char read_fields[] = "cu,sh,se";

/* The contents of records, by processor generation: names in records and of the register's fields. */
static const struct told {
    unsigned first, last;
    const char *units[RECORD_UNITS], *fields[RECORD_UNITS];
} told_by[] = {
    {6, 9, {"xcc", "se", "sh", "cu"}, {"xcc", "se", "sh", "cu"}},
    {10, 12, {"se", "sh", "cu"}, {"se", "sa", "wgp"}},
};

/* Records contain these bits of the register. */
static void set_units(const struct gcn_target *target, const struct gcn_bits *read,
                      struct opencl_loaded *loaded)
{
    for (size_t i = 0; target != NULL && i < sizeof told_by / sizeof told_by[0]; i++) {
        const struct told *told = &told_by[i];
        if (target->generation < told->first || target->generation > told->last)
            continue;
        for (size_t j = 0; j < RECORD_UNITS && told->units[j] != NULL; j++) {
            struct gcn_bits bits;
            struct error error;
            if (gcn_field_parse(target, told->fields[j], &bits, &error) != STATUS_OK)
                continue;
            if (strcmp(told->units[j], "xcc") == 0 &&
                read->size == 32) /* what program.s writes above its sum */
                loaded->units[loaded->unit_count++] =
                    (struct block_record_unit){told->units[j], 32 + bits.low, bits.size};
            else if (strcmp(told->units[j], "xcc") != 0 && bits.low >= read->low &&
                     bits.low + bits.size <= read->low + read->size)
                loaded->units[loaded->unit_count++] =
                    (struct block_record_unit){told->units[j], bits.low - read->low, bits.size};
        }
    }
}

/* True if its blocks query where they run. Channels of L2 are chosen by addresses. */
static bool is_placed(const struct manifest *manifest)
{
    static const char *const asked[] = {"xcc", "se", "sh", "cu", "sm"};
    bool placed = false;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        placed = placed || manifest_units(manifest, asked[i]) != NULL;
    return placed;
}

/* ---- OpenCL C, patched ---- */

/* A platform that kept the source compiles it anew, which restores the placeholder. */
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
                                struct buffer *patched, struct opencl_loaded *loaded, json_t *module,
                                struct error *error)
{
    struct gcn_patch patch = {0};
    enum status status = gcn_patch(binary->data, binary->size, request, patched, &patch, error);
    if (status == STATUS_OK) {
        json_object_set_new(module, "placement",
                            json_pack("{s:s, s:I, s:I}", "read", read_fields, "instructions",
                                      (json_int_t)patch.count, "bytes", (json_int_t)patch.bytes_changed));
        set_units(patch.target, &patch.bits, loaded);
    } else {
        error_prefix(error, "placing the compiled program.cl");
        status = error->code = STATUS_UNAVAILABLE; /* the compiler's output here does not concern the user */
    }
    gcn_patch_free(&patch);
    return status;
}

static enum status place(const struct opencl_session *session, const char *entry, opencl_program *program,
                         struct opencl_loaded *loaded, json_t *module, struct error *error)
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
                             opencl_program *program, struct opencl_loaded *loaded, json_t *module,
                             struct error *error)
{
    struct buffer log = {0};
    bool asks = session->place.amd && is_placed(test_program->manifest);
    if (test_program->source_size == 0)
        return error_set(error, STATUS_UNAVAILABLE, "there is no program.cl for the device to compile");
    if (asks && memmem(test_program->source, test_program->source_size, macro, sizeof macro - 1) == NULL)
        return error_set(error, STATUS_FAILED,
                         "the program is placed, but program.cl has nothing under %s to place it by", macro);
    enum status status = opencl_build_text(session, test_program->source, test_program->source_size,
                                           asks ? patched_options : "", text_file, program, &log, error);
    json_t *text = status == STATUS_OK && log.size > 0 ? json_stringn(log.data, log.size) : NULL;
    if (text != NULL)
        json_object_set(module, "log", text);
    json_decref(text);
    buffer_free(&log);
    json_object_set_new(module, "from", json_string(text_file));
    if (status == STATUS_OK && asks)
        status = place(session, manifest_text_or(test_program->manifest->entry, "trauma_kernel"), program,
                       loaded, module, error);
    return status;
}

/* ---- what the compiler made of loads past L1 ---- */

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

/* A compiler without the builtins of program.cl may have made plain loads of all loads past L1. */
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

/* ROCm's device names are the targets of code objects; Catalyst's binaries have other formats, and a recipe's
 * own binary has no text. */
static bool takes_code(const struct test_program *test_program, const struct opencl_session *session,
                       const json_t *device)
{
    const char *arch = manifest_text_or(test_program->manifest->arch, "");
    bool own = test_program->manifest->from != NULL;
    return session->place.amd && (own || json_is_true(json_object_get(device, "code_objects"))) &&
           test_program->executable_size > 0 && strcmp(arch, json_string_or(device, "arch", "")) == 0;
}

static enum status load_code(const struct opencl_session *session, const struct test_program *test_program,
                             opencl_program *program, struct opencl_loaded *loaded, json_t *module,
                             struct error *error)
{
    enum status status = opencl_build_binary(session, test_program->executable, test_program->executable_size,
                                             code_file, program, error);
    if (status != STATUS_OK)
        return status;
    const struct manifest *manifest = test_program->manifest;
    const struct gcn_target *target = gcn_target_named(manifest_text_or(manifest->arch, ""));
    struct gcn_bits read = {.size = 32};
    json_object_set_new(module, "from", json_string(code_file));
    if (manifest->from != NULL && target != NULL)
        status = gcn_field_parse(target, json_string_or(manifest->from, "field", ""), &read, error);
    set_units(target, &read, loaded);
    return status;
}

/* Reads such a number of the kernel; AMD's private memory holds spilled registers. */
static void describe(const struct opencl_session *session, opencl_kernel kernel, json_t *module)
{
    static const struct {
        const char *key;
        unsigned what;
        bool amd;
    } numbers[] = {
        {"threads_per_block", 0x11B0, false}, {"shared_bytes", 0x11B2, false}, {"local_bytes", 0x11B4, true}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        uint64_t value = 0;
        if ((session->place.amd || !numbers[i].amd) &&
            session->library.kernel_info(kernel, session->place.device, numbers[i].what, sizeof value, &value,
                                         NULL) == OPENCL_OK)
            json_object_set_new(module, numbers[i].key, json_integer((json_int_t)value));
    }
}

static enum status check_place(const struct test_program *test_program, const struct opencl_session *session,
                               const json_t *device, struct error *error)
{
    if (session->place.amd || !is_placed(test_program->manifest))
        return STATUS_OK;
    error_set(
        error, STATUS_UNAVAILABLE,
        "the program must run at a place of an AMD GPU, but on %s (%s, %s) a wave cannot learn where it runs",
        json_string_or(device, "name", "the device"), json_string_or(device, "type", "?"),
        json_string_or(device, "platform", "?"));
    error_hint(error, "`trauma sensors` lists the devices; --device N selects another");
    return STATUS_UNAVAILABLE;
}

enum status opencl_program_load(const struct opencl_session *session, const struct test_program *test_program,
                                const json_t *device, struct opencl_loaded *loaded, json_t *facts,
                                struct error *error)
{
    const char *entry = manifest_text_or(test_program->manifest->entry, "trauma_kernel");
    opencl_program program = NULL;
    json_t *module = json_object();
    json_object_set_new(facts, "module", module);
    *loaded = (struct opencl_loaded){0};
    enum status status = check_place(test_program, session, device, error);
    if (status != STATUS_OK)
        return status;
    bool takes = takes_code(test_program, session, device);
    status = takes ? load_code(session, test_program, &program, loaded, module, error) : STATUS_UNAVAILABLE;
    if (takes && status != STATUS_OK)
        json_object_set_new(module, "why", json_string(error->message));
    bool emitted = test_program->manifest->from == NULL;
    if (!takes && !emitted)
        return error_set(
            error, STATUS_UNAVAILABLE, "program.co is a compiled kernel for %s, and the device is a %s",
            manifest_text_or(test_program->manifest->arch, "?"), json_string_or(device, "arch", "?"));
    if (status != STATUS_OK && emitted)
        status = load_text(session, test_program, &program, loaded, module, error);
    if (status != STATUS_OK)
        return status;
    int result;
    loaded->kernel = session->library.kernel(program, entry, &result);
    if (loaded->kernel == NULL)
        return opencl_refusal(result, entry, error);
    describe(session, loaded->kernel, module);
    struct buffer binary = {0};
    struct error why_not;
    if (opencl_build_take(session, program, &binary, &why_not) == STATUS_OK)
        made_binary_report(&binary, module, facts);
    else
        json_object_set_new(module, "no_binary", json_string(why_not.message));
    if (session->place.amd && strcmp(json_string_or(module, "from", ""), text_file) == 0)
        status = check_loads(test_program->manifest, &binary, error);
    buffer_free(&binary);
    return status;
}
