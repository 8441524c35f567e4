#include "generator/emit/gpu_emit.h"

#include "generator/emit/gpu_emission.h"
#include "generator/kernel/operations.h"
#include "generator/plan/gpu/gpu_image_sides.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts ---- */

static bool has_pool(const struct gpu_emission *emission, const char *role)
{
    return template_pool(emission->templates, role) != NULL;
}

enum { OF_ATOMICS = 2 }; /* streams' registers that hold the operands of atomics, on ISAs with pools */

/* Refuses more streams than the ISA has registers for. */
static enum status check_streams(const struct gpu_emission *emission)
{
    const struct pool *pool = template_pool(emission->templates, "s");
    unsigned taken = 0; /* by atomics */
    for (size_t i = 0; i < emission->plan->stream_count; i++)
        taken = emission->plan->streams[i].atomic != NULL ? OF_ATOMICS : taken;
    if (pool == NULL || pool->count - taken >= emission->plan->stream_count)
        return STATUS_OK;
    return error_set(
        emission->error, STATUS_RECIPE,
        "the kernel has %zu streams of accesses (one for each level of each load and store): %s has "
        "registers for %u; expected fewer loads and stores, or levels of them",
        emission->plan->stream_count, emission->templates->isa->name, pool->count - taken);
}

uint64_t gpu_shared_offset(const struct gpu_plan *plan, unsigned index)
{
    uint64_t before = 0;
    for (unsigned i = 0; i < index; i++)
        if (gpu_level_in_shared(plan->streams[i].level))
            before += (gpu_stream_reach(&plan->streams[i]) + GPU_SHARED_ALIGN - 1) / GPU_SHARED_ALIGN *
                      GPU_SHARED_ALIGN;
    return before;
}

static void bind_copy(struct gpu_emission *emission, unsigned index)
{
    const struct gpu_stream *stream = &emission->plan->streams[index];
    bindings_set(&emission->bindings, "offset", "%" PRIu64, gpu_shared_offset(emission->plan, index));
    bindings_set(&emission->bindings, "region", "%" PRIu64, stream->rule.bytes);
    bindings_set(&emission->bindings, "copied", "%u", 8 * emission->plan->threads);
    gpu_bind_register(emission, "relative",
                      !stream->chase                   ? "zero"
                      : stream->level == GPU_DSMEM     ? "e"
                      : has_pool(emission, "relative") ? "relative"
                                                       : "s",
                      index);
}

/* The same for a stream that stays on one side of L2. */
static enum status emit_sided(struct gpu_emission *emission, unsigned index, struct buffer *start,
                              struct buffer *advance, struct buffer *finish)
{
    const struct gpu_stream *stream = &emission->plan->streams[index];
    unsigned wave = emission->plan->machine->gpu.wave;
    gpu_bind_stream(emission, index);
    bindings_set(&emission->bindings, "starts", "%u", stream->rule.starts);
    bindings_set(&emission->bindings, "wave_shift", "%d", __builtin_ctz(wave));
    bindings_set(&emission->bindings, "wave_mask", "%u", wave - 1);
    bindings_set(&emission->bindings, "bus", "%u", stream->rule.bus);
    bindings_set(&emission->bindings, "key", "0x%" PRIx64, gpu_sides_key(&stream->rule, 0));
    bindings_set(&emission->bindings, "odd_key", "0x%" PRIx64,
                 gpu_sides_key(&stream->rule, stream->rule.bus));
    enum status status = bindings_section(&emission->bindings, "side.start", start);
    if (status == STATUS_OK && !stream->chase)
        status = bindings_section(&emission->bindings, "side.link", start);
    if (status == STATUS_OK && !stream->chase)
        status = bindings_section(&emission->bindings, "side.next", advance);
    return status == STATUS_OK ? bindings_section(&emission->bindings, "stream.finish", finish) : status;
}

/* The code before the loop and at the end of a pass for each stream. */
static enum status emit_stream(struct gpu_emission *emission, unsigned index, struct buffer *start,
                               struct buffer *advance, struct buffer *finish)
{
    const struct gpu_stream *stream = &emission->plan->streams[index];
    bool shared = gpu_level_in_shared(stream->level);
    const char *section = stream->level == GPU_DSMEM ? "cluster.copy" : shared ? "shared.copy" : "stream";
    if (stream->side != NULL)
        return emit_sided(emission, index, start, advance, finish);
    gpu_bind_stream(emission, index);
    if (shared)
        bind_copy(emission, index);
    enum status status = STATUS_OK;
    if (stream->together > 0)
        status = bindings_section_if(&emission->bindings, "words", start);
    if (status == STATUS_OK)
        status = bindings_section(&emission->bindings, section, start);
    if (status == STATUS_OK && (stream->chase || stream->atomic != NULL) && !shared)
        status = bindings_section_if(&emission->bindings, "stream.chase", start);
    if (status == STATUS_OK && !stream->chase && stream->atomic == NULL)
        status = stream->advance > 0 ? bindings_section(&emission->bindings, "advance", advance)
                                     : bindings_section_if(&emission->bindings, "renew", advance);
    if (status == STATUS_OK && shared && !stream->chase && stream->advance > 0)
        status = bindings_section_if(&emission->bindings, "advance.shared", advance);
    if (status == STATUS_OK && stream->chase)
        status = bindings_section_if(&emission->bindings, "stream.chase.finish", finish);
    return status == STATUS_OK ? bindings_section_if(&emission->bindings, "stream.finish", finish) : status;
}

/* The kinds of registers that operations use: the prefix of their sections, and the rows' trait. */
static const struct pair_kind {
    const char *section;
    enum form_trait trait;
    unsigned width; /* of the operations; 0: any */
} pair_kinds[] = {{"word", FORM_ACCUMULATES, 4}, {"long", FORM_ACCUMULATES, 8},
                  {"float", FORM_FLOAT_PAIR, 0}, {"double", FORM_DOUBLE_PAIR, 0},
                  {"half", FORM_HALF_PAIR, 0},   {"brain", FORM_BRAIN_PAIR, 0},
                  {"tile", FORM_TILE, 0},        {"whole", FORM_WHOLE_TILE, 0}};

static bool works_in(const struct gpu_emission *emission, const struct pair_kind *kind)
{
    const struct kernel *kernel = emission->plan->kernel;
    bool word = strcmp(kind->section, "word") == 0;
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (word && (item->kind == BEHAVIOUR_BRANCH || item->kind == BEHAVIOUR_THROTTLE ||
                     item->kind == BEHAVIOUR_ASM))
            return true;
        const struct form *form =
            item->kind == BEHAVIOUR_OPERATION
                ? operation_form(emission->templates, emission->plan->machine, item, false, false)
                : NULL;
        if (form_has(form, kind->trait) && (kind->width == 0 || kind->width == item->width))
            return true;
    }
    return false;
}

static enum status emit_pairs(struct gpu_emission *emission, const char *kind, struct buffer *clear,
                              struct buffer *start, struct buffer *finish)
{
    enum status status = STATUS_OK;
    char names[3][32];
    snprintf(names[0], sizeof names[0], "%s.clear", kind);
    snprintf(names[1], sizeof names[1], "%s.start", kind);
    snprintf(names[2], sizeof names[2], "%s.finish", kind);
    for (unsigned n = 0; status == STATUS_OK && n <= GPU_PAIRS; n++) {
        gpu_bind_pair(emission, n, 4, false);
        bindings_set(&emission->bindings, "seed", "%u", 2 * n + 3);
        bindings_set(&emission->bindings, "n0", "%u", 4 * n);
        bindings_set(&emission->bindings, "n1", "%u", 4 * n + 1);
        bindings_set(&emission->bindings, "n2", "%u", 4 * n + 2);
        bindings_set(&emission->bindings, "n3", "%u", 4 * n + 3);
        status = bindings_section_if(&emission->bindings, names[0], clear);
        if (status == STATUS_OK)
            status = bindings_section_if(&emission->bindings, names[1], start);
        if (status == STATUS_OK)
            status = bindings_section_if(&emission->bindings, names[2], finish);
    }
    return status;
}

/* True if the kernel has an operation with the trait and width (0: any) that does not work on loaded values
 * alone. */
static bool has_operation(const struct kernel *kernel, const char *op, unsigned width)
{
    for (size_t i = 0; i < kernel->count; i++) {
        const struct behaviour *item = &kernel->items[i];
        if (item->kind == BEHAVIOUR_OPERATION && strcmp(item->op, op) == 0 &&
            (width == 0 || item->width == width) && item->dependents < item->count)
            return true;
    }
    return false;
}

/* Binds the factor of multiplications: below and above 1 in alternate passes, so that products stay near one
 * magnitude. Beside divisions, which invert the values, it is 1. */
static enum status emit_factor(struct gpu_emission *emission, struct buffer *advance)
{
    const struct kernel *kernel = emission->plan->kernel;
    bool turns = has_operation(kernel, "fmul", 0) && !has_operation(kernel, "fdiv", 0);
    bool one = has_operation(kernel, "fmul", 0) && !turns;
    enum status status = STATUS_OK;
    bindings_set(&emission->bindings, "factor", one ? "0x3f800000" : "0x3f7ffff0");
    if (turns && has_operation(kernel, "fmul", 4))
        status = bindings_section_if(&emission->bindings, "factor.turn", advance);
    if (status == STATUS_OK && turns && has_operation(kernel, "fmul", 8))
        status = bindings_section_if(&emission->bindings, "factor.turn.8", advance);
    return status;
}

static enum status emit_operations(struct gpu_emission *emission, struct buffer *clear, struct buffer *start,
                                   struct buffer *finish)
{
    enum status status = STATUS_OK;
    bool any = false, tiles = emission->plan->tiles.group;
    for (size_t i = 0; status == STATUS_OK && i < sizeof pair_kinds / sizeof pair_kinds[0]; i++) {
        if (!works_in(emission, &pair_kinds[i]))
            continue;
        any = true;
        tiles = tiles || (pair_kinds[i].trait & (FORM_TILE | FORM_WHOLE_TILE)) != 0;
        status = emit_pairs(emission, pair_kinds[i].section, clear, start, finish);
    }
    if (status == STATUS_OK && any)
        status = bindings_section_if(&emission->bindings, "operations.constants", start);
    const struct gpu_tiles *data = &emission->plan->tiles;
    if (status == STATUS_OK && tiles && data->sets == 0)
        status = bindings_section(&emission->bindings, "operations.factors", start);
    for (unsigned i = 0; status == STATUS_OK && i < data->sets * GPU_TILE_WORDS; i++) {
        if (i % GPU_TILE_WORDS >= data->first + data->second)
            continue;
        bindings_set(&emission->bindings, "n", "%u", i);
        bindings_set(&emission->bindings, "word", "0x%08" PRIx32,
                     data->words[i / GPU_TILE_WORDS][i % GPU_TILE_WORDS]);
        status = bindings_section(&emission->bindings, "tile.factors", start);
    }
    if (status == STATUS_OK && kernel_has(emission->plan->kernel, BEHAVIOUR_BRANCH))
        status = bindings_section(&emission->bindings, "branch.start", start);
    return status;
}

static enum status emit_sums(struct gpu_emission *emission, struct buffer *clear, struct buffer *finish)
{
    enum status status = STATUS_OK;
    for (unsigned i = 0; status == STATUS_OK && i < GPU_SUMS; i++) {
        gpu_bind_register(emission, "sum", "sum", i);
        status = bindings_section_if(&emission->bindings, "sum.clear", clear);
        if (status == STATUS_OK && i > 0)
            status = bindings_section_if(&emission->bindings, "sum.finish", finish);
    }
    return status;
}

/* Binds the word that stores write: the first store's, else zeros. */
static enum status emit_stored(struct gpu_emission *emission, struct buffer *start)
{
    const struct behaviour *store = NULL;
    for (size_t i = 0; i < emission->plan->kernel->count; i++) {
        const struct behaviour *item = &emission->plan->kernel->items[i];
        if (item->kind != BEHAVIOUR_STORE || item->atomic != NULL)
            continue;
        bool same = store == NULL || (store->has_data == item->has_data && store->word == item->word);
        if (item->changes || !same || (item->word >> 32 != (item->word & UINT32_MAX)))
            return error_set(
                emission->error, STATUS_RECIPE,
                "store.data: on a GPU all stores of a kernel write one word, whose halves of 32 bits are "
                "equal: expected a pattern such as pattern.ones() or pattern.alternating(), the same for "
                "all");
        store = item;
    }
    if (store == NULL)
        return STATUS_OK;
    bindings_set(&emission->bindings, "word", "0x%08" PRIx32, (uint32_t)store->word);
    return bindings_section(&emission->bindings, "stored", start);
}

/* The PTX version that the architecture and all rows need. The templates must list the architecture's,
 * because older versions do not support it. */
static enum status bind_version(struct gpu_emission *emission)
{
    char name[64];
    uint64_t version = 0;
    const char *arch = emission->plan->arch;
    snprintf(name, sizeof name, "%.10s.%.20s", emission->templates->isa->name, arch);
    if (!template_word(emission->templates, name, &version) && strncmp(arch, "sm_", 3) == 0) {
        error_set(emission->error, STATUS_RECIPE,
                  "machine.gpu.arch is \"%s\": the templates do not state the PTX version that supports it",
                  arch);
        error_hint(emission->error,
                   "expected one such as sm_90, sm_100a or sm_120, or a word ptx.%s in templates/ptx/ops.txt",
                   arch);
        return STATUS_RECIPE;
    }
    if (version > emission->version)
        emission->version = (unsigned)version;
    bindings_set(&emission->bindings, "ptx", "%u.%u", emission->version / 10, emission->version % 10);
    return STATUS_OK;
}

enum {
    PART_TABLES,
    PART_SHARED,
    PART_CLEAR,
    PART_PLACEMENT,
    PART_START,
    PART_BODY,
    PART_ADVANCE,
    PART_DRAIN,
    PART_FINISH,
    PART_CLUSTER,
    PART_LEAVE,
    PARTS
};

static bool reads_others(const struct gpu_plan *plan)
{
    bool any = false;
    for (size_t i = 0; i < plan->stream_count; i++)
        any = any || plan->streams[i].level == GPU_DSMEM;
    return any;
}

/* Appends the barrier of all blocks of a cluster. */
static enum status emit_barrier(struct gpu_emission *emission, struct buffer *output)
{
    static const char *const names[] = {"cluster.arrive", "cluster.wait"};
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof names / sizeof names[0]; i++)
        status = gpu_put_row(emission, operation_row(emission->templates, emission->plan->machine, names[i]),
                             output);
    return status;
}

/* Appends the code for clusters: their size and, if blocks read the shared memory of others, which block each
 * reads. */
static enum status emit_cluster(struct gpu_emission *emission, struct buffer *parts)
{
    enum status status = STATUS_OK;
    bindings_set(&emission->bindings, "cluster", "%u", emission->plan->cluster);
    if (emission->plan->cluster > 1)
        status = bindings_section(&emission->bindings, "cluster", &parts[PART_CLUSTER]);
    if (status == STATUS_OK && reads_others(emission->plan))
        status = bindings_section(&emission->bindings, "cluster.start", &parts[PART_START]);
    return status;
}

/* Appends barriers, so that no block reads before all have filled their shared memory, and none ends before
 * all have read it. */
static enum status emit_barriers(struct gpu_emission *emission, struct buffer *parts)
{
    if (!reads_others(emission->plan))
        return STATUS_OK;
    enum status status = emit_barrier(emission, &parts[PART_START]);
    return status == STATUS_OK ? emit_barrier(emission, &parts[PART_LEAVE]) : status;
}

static enum status emit_parts(struct gpu_emission *emission, struct buffer parts[PARTS])
{
    enum status status = check_streams(emission);
    if (status == STATUS_OK)
        status = gpu_emit_places(emission, &parts[PART_TABLES], &parts[PART_PLACEMENT]);
    if (status == STATUS_OK && emission->plan->shared > 0) {
        bindings_set(&emission->bindings, "bytes", "%" PRIu64, emission->plan->shared);
        status = bindings_section(&emission->bindings, "shared.declare", &parts[PART_SHARED]);
    }
    if (status == STATUS_OK)
        status = emit_cluster(emission, parts);
    if (status == STATUS_OK)
        status = emit_sums(emission, &parts[PART_CLEAR], &parts[PART_FINISH]);
    for (unsigned i = 0; status == STATUS_OK && i < emission->plan->stream_count; i++) {
        gpu_bind_stream(emission, i);
        status = bindings_section_if(&emission->bindings, "stream.clear", &parts[PART_CLEAR]);
        if (status == STATUS_OK && i == 0)
            status = gpu_settle(emission, &parts[PART_ADVANCE]);
        if (status == STATUS_OK)
            status = emit_stream(emission, i, &parts[PART_START], &parts[PART_ADVANCE], &parts[PART_FINISH]);
        if (status == STATUS_OK && emission->plan->streams[i].chase)
            status = bindings_section_if(&emission->bindings, "chase.drain", &parts[PART_DRAIN]);
    }
    if (status == STATUS_OK && emission->plan->rings != NULL)
        status = gpu_emit_rings(emission, &parts[PART_START], &parts[PART_DRAIN]);
    if (status == STATUS_OK)
        status = emit_stored(emission, &parts[PART_START]);
    if (status == STATUS_OK)
        status = gpu_emit_outgoing(emission, &parts[PART_START], &parts[PART_DRAIN]);
    for (unsigned i = 0; status == STATUS_OK && i < emission->plan->stream_count; i++)
        if (emission->plan->streams[i].atomic != NULL) {
            status = bindings_section_if(&emission->bindings, "atomics", &parts[PART_START]);
            break;
        }
    if (status == STATUS_OK)
        status = emit_factor(emission, &parts[PART_ADVANCE]);
    if (status == STATUS_OK)
        status = emit_operations(emission, &parts[PART_CLEAR], &parts[PART_START], &parts[PART_FINISH]);
    if (status == STATUS_OK)
        status = gpu_emit_group(emission, &parts[PART_CLEAR], &parts[PART_START], &parts[PART_DRAIN],
                                &parts[PART_FINISH]);
    if (status == STATUS_OK)
        status =
            gpu_emit_asm_registers(emission, &parts[PART_CLEAR], &parts[PART_START], &parts[PART_FINISH]);
    if (status == STATUS_OK)
        status = emit_barriers(emission, parts);
    if (status == STATUS_OK && machine_has(emission->plan->machine, "xcc"))
        status = bindings_section_if(&emission->bindings, "leave.die", &parts[PART_LEAVE]);
    if (status == STATUS_OK && machine_has(emission->plan->machine, "gfx12"))
        status = bindings_section_if(&emission->bindings, "words.gfx12", &parts[PART_TABLES]);
    return status == STATUS_OK ? gpu_emit_body(emission, &parts[PART_BODY]) : status;
}

static enum status bind_frame(struct gpu_emission *emission, const struct buffer parts[PARTS])
{
    static const char *const names[PARTS] = {"tables",  "shared", "clear",  "placement", "start", "body",
                                             "advance", "drain",  "finish", "clusters",  "leave"};
    uint64_t vgprs;
    for (int i = 0; i < PARTS; i++)
        bindings_text(&emission->bindings, names[i], parts[i].data);
    bindings_set(&emission->bindings, "wave", "%u", emission->plan->machine->gpu.wave);
    bindings_set(&emission->bindings, "shared_bytes", "%" PRIu64, emission->plan->shared);
    bindings_set(&emission->bindings, "arch", "%s", emission->plan->arch);
    bindings_set(&emission->bindings, "threads", "%u", emission->plan->threads);
    bindings_set(&emission->bindings, "resident", "%u", emission->plan->resident);
    if (template_word(emission->templates, "vgprs", &vgprs))
        bindings_set(&emission->bindings, "vgprs", "%" PRIu64, vgprs);
    bindings_set(&emission->bindings, "open", "{");
    bindings_set(&emission->bindings, "close", "}");
    bindings_set(&emission->bindings, "values", "%d", GPU_VALUES);
    bindings_set(&emission->bindings, "sums", "%d", GPU_SUMS);
    bindings_set(&emission->bindings, "accumulators", "%d", GPU_PAIRS + 1);
    bindings_set(&emission->bindings, "tiles", "%d", 4 * (GPU_PAIRS + 1));
    bindings_set(&emission->bindings, "streams", "%zu", emission->plan->stream_count + 1);
    return bind_version(emission);
}

enum status gpu_emit(const struct gpu_plan *plan, const struct template *templates, const char *title,
                     struct buffer *source, struct error *error)
{
    struct gpu_emission emission = {.plan = plan,
                                    .templates = templates,
                                    .bindings = {.templates = templates, .error = error},
                                    .error = error,
                                    .version = 10};
    struct buffer parts[PARTS] = {0};
    bindings_set(&emission.bindings, "open", "{");
    bindings_set(&emission.bindings, "close", "}");
    gpu_bind_rows(&emission);
    enum status status = emit_parts(&emission, parts);
    if (status == STATUS_OK)
        status = bind_frame(&emission, parts);
    if (status == STATUS_OK) {
        buffer_printf(source, "// %s\n", title);
        status = bindings_section(&emission.bindings, "kernel", source);
    }
    for (int i = 0; i < PARTS; i++)
        buffer_free(&parts[i]);
    free(emission.group_tile);
    return status;
}
