#include "generator/suite/manifest.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/json/json_text.h"
#include "generator/emit/emit_operations.h"
#include "generator/kernel/kernel.h"
#include "generator/plan/code/code_plan.h"
#include "generator/plan/gpu/gpu_data.h"
#include "generator/plan/gpu/gpu_dispatch.h"
#include "generator/plan/gpu/gpu_image.h"
#include "generator/plan/memory/plan_shared.h"
#include "generator/plan/plan_forms.h"
#include "generator/plan/plan_rates.h"
#include "isa/isa.h"
#include "isa/loop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Size of most manifests. */
enum { LIKELY_BYTES = 8000 };

static json_t *rates_to_json(const struct rates *rates)
{
    json_t *object = json_object();
    for (size_t i = 0; i < rates->count; i++)
        json_object_set_new(object, rates->items[i].metric, json_from_number(rates->items[i].value));
    return object;
}

static void write_rates(struct json_text *text, const struct rates *rates)
{
    for (size_t i = 0; i < rates->count; i++)
        json_text_number(text, rates->items[i].metric, rates->items[i].value);
}

/* True when an earlier behaviour is of the same op. */
static bool is_repeated(const struct kernel *kernel, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (kernel->items[i].count > 0 && strcmp(kernel->items[i].op, kernel->items[index].op) == 0)
            return true;
    return false;
}

/* The body's required counts of each op, from the plan and the rows: mix.<op> and body.share over all the
 * loop's instructions are written this way, and counted in the bytes independently. */
static void write_mix(struct json_text *text, const struct plan *plan, const struct template *templates,
                      const struct form_tally *tally, unsigned loop_instructions)
{
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const char *op = plan->kernel->items[i].op;
        char metric[64];
        if (plan->kernel->items[i].count == 0 || is_repeated(plan->kernel, i))
            continue;
        snprintf(metric, sizeof metric, "mix.%s", op);
        double count = tally_instructions(templates, tally, op);
        json_text_real(text, metric, count / loop_instructions);
    }
    double body = tally_instructions(templates, tally, NULL);
    json_text_real(text, "body.share", body / loop_instructions);
}

static void write_branches(struct json_text *text, const struct branch_counts *branches)
{
    json_text_open(text, "branches", '{');
    json_text_integer(text, "total", branches->total);
    json_text_integer(text, "random", branches->random);
    json_text_integer(text, "taken", branches->taken);
    json_text_integer(text, "not_taken", branches->fallthrough);
    if (branches->indirect > 0) {
        json_text_open(text, "indirect", '{');
        json_text_integer(text, "total", branches->indirect);
        json_text_integer(text, "random", branches->indirect_random);
        json_text_close(text, '}');
    }
    json_text_close(text, '}');
}

/* The initial data: a run is words at offset, offset + step, ..., count times. */
static void write_runs(struct json_text *text, const struct plan *plan)
{
    json_text_open(text, "runs", '[');
    for (size_t i = 0; i < plan->data.run_count; i++) {
        const struct data_run *run = &plan->data.runs[i];
        char word[24];
        snprintf(word, sizeof word, "0x%016" PRIx64, run->value);
        json_text_open(text, NULL, '{');
        json_text_integer(text, "offset", (long long)run->offset);
        json_text_integer(text, "step", (long long)run->step);
        json_text_integer(text, "count", (long long)run->count);
        json_text_string(text, "word", plan->memory.relative ? "address of the data" : word);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void write_eviction_sets(struct json_text *text, const struct plan *plan)
{
    json_text_open(text, "eviction_sets", '[');
    for (unsigned i = 0; i < plan->memory.eviction.set_count; i++) {
        const struct eviction_set *set = &plan->memory.eviction.sets[i];
        json_text_open(text, NULL, '{');
        json_text_integer(text, "l1d_set", set->l1d_set);
        json_text_integer(text, "lines", set->lines);
        json_text_integer(text, "rounds", set->rounds);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

/* rotating_set.h defines its position in each pass; turns: passes until it returns. A walk has no stated
 * level. */
static json_t *describe_base(const struct plan *plan, unsigned index)
{
    const struct base *base = &plan->memory.bases[index];
    const struct rotation *at = &base->at;
    json_t *described = json_object();
    if (plan_base_is_walk(plan, index))
        json_object_set_new(described, "walk", json_true());
    else
        json_object_set_new(described, "level", json_string(level_name((int)base->level)));
    json_object_update_new(described,
                           json_pack("{s:s, s:I, s:I, s:I, s:I, s:I, s:I}", "by",
                                     base->by_capacity ? "capacity" : "conflict", "start",
                                     (json_int_t)at->start, "step", (json_int_t)at->step, "positions",
                                     (json_int_t)at->positions, "jump", (json_int_t)at->jump, "turns",
                                     (json_int_t)rotation_turns(at), "lines", (json_int_t)base->lines));
    if (at->until > 0)
        json_object_set_new(described, "passes",
                            json_pack("[I, I]", (json_int_t)at->from, (json_int_t)at->until));
    return described;
}

/* Addresses that move from pass to pass. */
static json_t *bases_to_json(const struct plan *plan)
{
    json_t *bases = json_array();
    for (unsigned i = 0; i < plan->memory.base_count; i++)
        json_array_append_new(bases, describe_base(plan, i));
    return bases;
}

static void write_owned(struct json_text *text, const char *key, json_t *value)
{
    json_text_value(text, key, value);
    json_decref(value);
}

static void write_data(struct json_text *text, const struct plan *plan)
{
    json_text_open(text, "data", '{');
    json_text_integer(text, "bytes", (long long)plan->memory.bytes);
    json_text_integer(text, "align", (long long)plan->memory.align);
    json_text_integer(text, "pages", plan->memory.pages);
    json_text_integer(text, "huge_pages_from", (long long)plan->memory.huge_from);
    json_text_open(text, "regions", '[');
    json_text_open(text, NULL, '{');
    json_text_string(text, "name", plan->memory.by_rotation ? "working sets" : "lines");
    json_text_integer(text, "offset", 0);
    json_text_integer(text, "bytes", (long long)plan->memory.bytes);
    write_runs(text, plan);
    json_text_close(text, '}');
    json_text_close(text, ']');
    write_eviction_sets(text, plan);
    write_owned(text, "bases", bases_to_json(plan));
    json_text_close(text, '}');
}

/* The layout of code lines: with code{}, the misses in a period are misses * period + copied_lines * moves.
 */
static void write_code(struct json_text *text, const struct plan *plan, unsigned loop_bytes)
{
    json_text_open(text, "code", '{');
    json_text_integer(text, "loop_bytes", loop_bytes);
    if (plan->code != NULL) {
        const struct code_layout *layout = &plan->code->layout;
        json_text_integer(text, "bytes", (long long)layout->bytes);
        json_text_integer(text, "align", (long long)layout->align);
        json_text_integer(text, "chunks", (long long)layout->count);
        json_text_integer(text, "lines", layout->lines);
        json_text_integer(text, "misses", layout->share.misses);
        json_text_integer(text, "copies", layout->copies);
        json_text_integer(text, "copied_lines", layout->share.run_lines);
        json_text_integer(text, "moves", layout->share.moves);
        json_text_integer(text, "period", layout->share.period);
        json_text_integer(text, "conflict_sets", layout->miss_sets);
        json_text_integer(text, "first_conflict_set", layout->first_miss_set);
    }
    json_text_close(text, '}');
}

/* Offsets from the data's start, in order of access over one period, which begins with the very first pass;
 * and, with stores or wide data, one letter for each access of a pass: s for a store, l for a load, and x, y
 * or z for one that has 16, 32 or 64 bytes of a bus that carries data. */
static const char *access_kind(const struct plan *plan, const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    unsigned bus = kernel_data(plan->kernel) == NULL ? 0 : behaviour_bus(item);
    if (item->kind == BEHAVIOUR_STORE)
        return "s";
    return bus <= 8 ? "l" : bus == 16 ? "x" : bus == 32 ? "y" : "z";
}

/* The accesses of a period and their kinds. */
static void write_accesses(struct json_text *text, const struct plan *plan, struct arena *arena)
{
    size_t most = plan->sizing.period * (plan->loads + plan->stores);
    uint64_t *offsets = arena_alloc(arena, most, sizeof *offsets);
    size_t count = 0;
    for (unsigned pass = 0; pass < plan->sizing.period; pass++)
        for (size_t i = 0; i < plan->slot_count; i++)
            if (plan->slots[i].place_count > 0 && count < most)
                offsets[count++] = plan_offset(plan, &plan->slots[i], pass);
    json_text_integers(text, "accesses", offsets, count);
    bool kinds_differ = plan->stores > 0;
    for (size_t i = 0; !kinds_differ && i < plan->slot_count; i++)
        kinds_differ = plan->slots[i].place_count > 0 && *access_kind(plan, &plan->slots[i]) != 'l';
    if (!kinds_differ)
        return;
    struct buffer kinds = {0};
    for (size_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].place_count > 0)
            buffer_append(&kinds, access_kind(plan, &plan->slots[i]), 1);
    json_text_string(text, "access_kinds", kinds.data == NULL ? "" : kinds.data);
    buffer_free(&kinds);
}

static bool is_prepared(const struct shared_access *access)
{
    return access->coherence != COHERENCE_NONE;
}

static bool is_copied(const struct shared_access *access)
{
    return access->copies;
}

/* Accesses of a pass to shared regions for which the test is true. */
static long long count_shared(const struct plan *plan, bool (*test)(const struct shared_access *access))
{
    long long count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (plan->kernel->items[i].kind == BEHAVIOUR_SHARED && test(&plan->kernel->items[i].shared))
            count += (long long)plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

/* What copies share: which bytes of the data are which of the file that they map, and what a pass does there.
 */
static void write_shared(struct json_text *text, const struct plan *plan)
{
    static const char *const ops[] = {"load", "store", "atomic"};
    const struct plan_shared *shared = &plan->shared;
    if (shared->mapping_count == 0)
        return;
    json_text_open(text, "shared", '{');
    json_text_integer(text, "file_bytes", (long long)SHARED_FILE_BYTES);
    json_text_integer(text, "state", (long long)shared->state);
    json_text_bool(text, "waits", kernel_waits(plan->kernel));
    json_text_open(text, "regions", '[');
    for (unsigned i = 0; i < shared->mapping_count; i++) {
        json_text_open(text, NULL, '{');
        json_text_string(text, "name", i == 0 ? "turns" : plan->kernel->regions[i - 1]);
        json_text_integer(text, "offset", (long long)shared->mappings[i].at);
        json_text_integer(text, "bytes", (long long)shared->mappings[i].bytes);
        json_text_integer(text, "file_offset", (long long)shared->mappings[i].file_at);
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        json_text_integer(text, ops[i], plan_shared_accesses(plan, ops[i]));
    json_text_integer(text, "turns", plan_shared_turns(plan));
    if (shared->coherence != COHERENCE_NONE) {
        json_text_string(text, "coherence", coherence_name(shared->coherence));
        json_text_integer(text, "lines", (long long)shared->prepared_lines);
        json_text_number(text, "pass_lines", shared->pass_lines);
        json_text_integer(text, "prepared_loads", count_shared(plan, is_prepared));
        json_text_integer(text, "copied", count_shared(plan, is_copied));
        json_text_integer(text, "line", (long long)shared->line);
    }
    json_text_close(text, '}');
}

static void write_hashes(struct json_text *text, const json_t *point, struct program *program)
{
    const char *target = json_string_or(point, "target", "");
    json_text_open(text, "hashes", '{');
    json_text_string(text, "algorithm", "blake3");
    for (const struct program_part *part = program_parts; part->target != NULL; part++) {
        char hash[HASH_TEXT_BYTES];
        const struct buffer *bytes = program_part_buffer(part, program);
        if (!isa_is_listed(part->target, target) || !program_part_is_in(part, json_object_get(point, "from")))
            continue;
        hash_bytes(bytes->data, bytes->size, hash);
        json_text_string(text, part->name, hash);
        if (part->decides)
            memcpy(program->hash, hash, sizeof hash);
    }
    json_text_close(text, '}');
}

/* Copies the recipe's field, if present. */
static void carry(struct json_text *text, const json_t *point, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_text_value(text, keys[i], json_object_get(point, keys[i]));
}

/* The common start of all manifests, up to the expected rates, which the caller closes. */
static void begin(struct json_text *text, const json_t *point, const struct machine *machine,
                  const json_t *compiled, uint64_t seed, const struct plan_rates *rates)
{
    static const char *const named[] = {"benchmark", "point", "parameters", "target"};
    json_text_open(text, NULL, '{');
    json_text_integer(text, "schema", MANIFEST_SCHEMA);
    json_text_string(text, "kind", "program");
    carry(text, point, named, sizeof named / sizeof named[0]);
    json_text_string(text, "machine", machine->name);
    if (machine_is_gpu(machine)) {
        json_text_string(text, "arch", machine->gpu.arch);
        json_text_string(text, "entry", json_string_or(compiled, "kernel", "trauma_kernel"));
        json_text_value(text, "from", compiled);
    }
    json_text_integer(text, "seed", (long long)seed);
    json_text_open(text, "targets", '{');
    write_rates(text, &rates->targets);
    json_text_close(text, '}');
    json_text_open(text, "expected", '{');
    write_rates(text, &rates->expected);
}

/* The recipe's requests for a run and its verdict. */
static void carry_requests(struct json_text *text, const json_t *point)
{
    static const char *const requests[] = {"expect", "tolerance", "calibration", "threads",
                                           "place",  "together",  "state",       "measure"};
    carry(text, point, requests, sizeof requests / sizeof requests[0]);
}

/* Measures the loop: as assembled or, if it is in pieces, as a disassembler finds it. */
static enum status measure_loop(const struct plan *plan, const struct template *templates,
                                const struct program *program, struct loop_count *loop, struct error *error)
{
    struct assembly_symbol begin;
    struct assembly_symbol end;
    if (plan->code != NULL)
        return loop_inspect(templates->isa, program->object.data, program->object.size, NULL, loop, error);
    *loop = (struct loop_count){0};
    if (!assembly_symbol(templates->assembly, "trauma_loop", &begin) ||
        !assembly_symbol(templates->assembly, "trauma_loop_end", &end))
        return error_set(error, STATUS_FAILED, "the templates of %s have no loop", templates->isa->name);
    loop->instructions = (unsigned)(end.instructions - begin.instructions);
    loop->bytes = (unsigned)(end.offset - begin.offset);
    return STATUS_OK;
}

/* The size of the loop, and the passes before its rates hold. */
static void write_loop(struct json_text *text, const struct plan *plan, const struct loop_count *loop)
{
    json_text_integer(text, "period", code_plan_period(plan));
    json_text_integer(text, "units", plan->sizing.units);
    json_text_integer(text, "instructions", loop->instructions);
    json_text_integer(text, "loads", plan->loads);
    json_text_integer(text, "stores", plan->stores);
    if (plan->branches.total > 0)
        write_branches(text, &plan->branches);
    json_text_integer(text, "warmup", code_plan_warmup(plan));
    json_text_bool(text, "indexed", plan->memory.indexed);
    if (plan->code != NULL)
        json_text_integer(text, "code_lines_entered", plan->code->layout.lines);
    write_code(text, plan, loop->bytes);
    write_data(text, plan);
    write_shared(text, plan);
}

enum status manifest_write(const struct plan *plan, const struct template *templates, const json_t *point,
                           uint64_t seed, const char *symbols, const char *markers, struct program *program,
                           struct error *error)
{
    struct json_text text = {.buffer = &program->manifest_text};
    struct arena arena = {0};
    struct form_tally tally;
    struct loop_count loop;
    enum status status = measure_loop(plan, templates, program, &loop, error);
    if (status != STATUS_OK)
        return status;
    if (plan->code == NULL && loop.bytes > plan->machine->l1i.size)
        return error_set(error, STATUS_RECIPE, "the loop has %u bytes, which exceeds L1I, %llu bytes",
                         loop.bytes, (unsigned long long)plan->machine->l1i.size);
    plan_tally(templates, plan, &arena, &tally);
    buffer_reserve(text.buffer, LIKELY_BYTES);
    begin(&text, point, plan->machine, NULL, seed, &plan->rates);
    write_mix(&text, plan, templates, &tally, loop.instructions);
    json_text_close(&text, '}');
    carry_requests(&text, point);
    write_loop(&text, plan, &loop);
    write_owned(&text, "features", emit_operations_features(plan, templates, &tally));
    json_t *operands = emit_operations_operands(plan, templates);
    write_owned(&text, "operands", json_array_size(operands) > 0 ? json_incref(operands) : NULL);
    json_decref(operands);
    write_owned(&text, "kernel", kernel_to_json(plan->asked));
    json_text_string(&text, "symbols", symbols);
    write_hashes(&text, point, program);
    write_accesses(&text, plan, &arena);
    if (markers != NULL)
        json_text_string(&text, "markers", markers);
    json_text_close(&text, '}');
    arena_free(&arena);
    return STATUS_OK;
}

enum status manifest_of_reference(const struct plan *plan, const struct template *templates,
                                  struct manifest **manifest, struct error *error)
{
    json_t *document = json_pack(
        "{s:I, s:I, s:I, s:{s:o}, s:o}", "instructions", (json_int_t)plan_instructions(templates, plan, NULL),
        "period", (json_int_t)code_plan_period(plan), "warmup", (json_int_t)code_plan_warmup(plan), "data",
        "bases", bases_to_json(plan), "expected", rates_to_json(&plan->rates.expected));
    enum status status = manifest_from_json(document, "the reference program", manifest, error);
    json_decref(document);
    return status;
}

/* ---- a GPU's program ---- */

static void write_gpu_data(struct json_text *text, const struct gpu_plan *plan)
{
    json_text_open(text, "data", '{');
    json_text_integer(text, "bytes", (long long)plan->bytes);
    json_text_integer(text, "align", (long long)plan->align);
    json_text_open(text, "regions", '[');
    for (int shared = 1; shared >= 0; shared--) { /* in order of their offsets */
        for (size_t i = 0; i < plan->stream_count; i++) {
            const struct gpu_stream *stream = &plan->streams[i];
            if (gpu_level_in_shared(stream->level) != (shared == 1))
                continue;
            json_text_open(text, NULL, '{');
            json_text_integer(text, "stream", (long long)i);
            json_text_string(text, "level", gpu_level_name((int)stream->level));
            json_text_integer(text, "offset", (long long)stream->rule.offset);
            json_text_integer(text, "bytes", (long long)stream->rule.bytes);
            write_owned(text, "fill", gpu_rule_to_json(&stream->rule));
            json_text_close(text, '}');
        }
    }
    json_text_close(text, ']');
    json_text_close(text, '}');
}

static void write_streams(struct json_text *text, const struct gpu_plan *plan)
{
    json_text_open(text, "streams", '[');
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        json_text_open(text, NULL, '{');
        json_text_string(text, "op", plan->kernel->items[stream->item].op);
        json_text_string(text, "level", gpu_level_name((int)stream->level));
        json_text_string(text, "predicted", gpu_level_name((int)stream->predicted));
        json_text_string(text, "cache", stream->cache);
        json_text_bool(text, "chase", stream->chase);
        if (stream->atomic != NULL) {
            const struct behaviour *item = &plan->kernel->items[stream->item];
            json_text_string(text, "atomic", stream->atomic);
            json_text_string(text, "scope", atomic_scope_name(item->scope));
            json_text_bool(text, "returns", stream->returns);
            json_text_integer(text, "together", stream->together);
        }
        json_text_integer(text, "width", stream->width);
        json_text_integer(text, "per_pass", stream->per_pass);
        json_text_integer(text, "bus", gpu_stream_bus(plan, stream));
        json_text_integer(text, "bytes", (long long)stream->bytes);
        json_text_integer(text, "step", (long long)stream->step);
        json_text_integer(text, "lane", (long long)stream->lane);
        json_text_integer(text, "block", (long long)stream->block);
        json_text_integer(text, "advance", (long long)stream->advance);
        if (stream->dense > 0 && !stream->chase) {
            json_text_integer(text, "dense", (long long)stream->dense);
            json_text_integer(text, "apart", (long long)stream->apart);
        }
        if (stream->async) {
            const struct gpu_ring *ring = &plan->rings[stream->item];
            json_text_string(text, "source", stream->bulk ? "tma" : "async");
            json_text_integer(text, "ring", (long long)ring->offset);
            json_text_integer(text, "stages", ring->stages);
            json_text_integer(text, "copies", ring->copies);
            if (!stream->bulk)
                json_text_integer(text, "pending", ring->pending);
            json_text_bool(text, "read", ring->read);
            if (!stream->bulk)
                json_text_integer(text, "groups", plan->groups);
        }
        if (stream->side != NULL) {
            json_text_string(text, "side", stream->side);
            json_text_integer(text, "hop", stream->hop);
            json_text_integer(text, "links", gpu_stream_links(stream));
        }
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

/* Clusters have a level of their own. */
static bool has_level(const struct gpu_plan *plan, int level)
{
    bool any = level != GPU_DSMEM;
    for (size_t i = 0; i < plan->stream_count; i++)
        any = any || plan->streams[i].level == GPU_DSMEM;
    return any;
}

static void write_transfers(struct json_text *text, const struct gpu_plan *plan, const char *name,
                            const uint64_t transfers[GPU_LEVELS])
{
    json_text_open(text, name, '{');
    for (int level = 0; level < GPU_LEVELS; level++)
        if (has_level(plan, level))
            json_text_integer(text, gpu_level_name(level),
                              (long long)transfers[level] * (long long)gpu_blocks_in_turn(plan));
    json_text_close(text, '}');
}

/* Loads of one pass of all blocks that work, and the transfers of these and of the stores, by the level that
 * serves them. */
static void write_gpu_accesses(struct json_text *text, const struct gpu_plan *plan)
{
    uint64_t stored = 0;
    json_text_open(text, "accesses", '{');
    for (int level = 0; level < GPU_LEVELS; level++)
        if (has_level(plan, level))
            json_text_integer(text, gpu_level_name(level),
                              (long long)(plan->loads[level] * plan->threads) *
                                  (long long)gpu_blocks_in_turn(plan));
    json_text_close(text, '}');
    write_transfers(text, plan, "transfers", plan->transfers);
    for (int level = 0; level < GPU_LEVELS; level++)
        stored += plan->stored[level];
    if (stored > 0)
        write_transfers(text, plan, "stored", plan->stored);
}

enum status manifest_write_gpu(const struct gpu_plan *plan, const json_t *point, uint64_t seed,
                               const json_t *compiled, struct program *program, struct error *error)
{
    struct json_text text = {.buffer = &program->manifest_text};
    (void)error;
    begin(&text, point, plan->machine, compiled, seed, &plan->rates);
    json_text_close(&text, '}');
    carry_requests(&text, point);
    json_text_open(&text, "grid", '{');
    json_text_integer(&text, "blocks", plan->blocks);
    json_text_integer(&text, "threads", plan->threads);
    if (plan->cluster > 1)
        json_text_integer(&text, "cluster", plan->cluster);
    json_text_close(&text, '}');
    json_text_integer(&text, "shared_bytes", (long long)plan->shared);
    json_text_integer(&text, "period", 1);
    json_text_integer(&text, "units", plan->units);
    if (compiled == NULL) /* else it is the compiler's choice */
        json_text_integer(&text, "instructions", (long long)plan->slot_count);
    if (plan->duty > 0)
        json_text_integer(&text, "idle", (long long)plan->idle);
    json_text_integer(&text, "warmup", (long long)plan->warmup);
    write_streams(&text, plan);
    write_gpu_accesses(&text, plan);
    write_gpu_data(&text, plan);
    json_text_value(&text, "kernel", json_object_get(point, "kernel"));
    write_hashes(&text, point, program);
    json_text_close(&text, '}');
    return STATUS_OK;
}
