#include "base/hash.h"
#include "base/json.h"
#include "base/json_text.h"
#include "generator/plan/gpu/gpu_streams.h"
#include "generator/suite/gpu_program.h"
#include "generator/suite/program_parts.h"
#include "isa/isa.h"

#include <string.h>

static void put_rates(struct json_text *text, const char *key, const struct rates *rates)
{
    json_text_open(text, key, '{');
    for (size_t i = 0; i < rates->count; i++)
        json_text_number(text, rates->items[i].metric, rates->items[i].value);
    json_text_close(text, '}');
}

static void put_owned(struct json_text *text, const char *key, json_t *value)
{
    json_text_value(text, key, value);
    json_decref(value);
}

static void put_data(struct json_text *text, const struct gpu_plan *plan)
{
    json_text_open(text, "data", '{');
    json_text_integer(text, "bytes", (long long)plan->bytes);
    json_text_integer(text, "align", (long long)plan->align);
    json_text_open(text, "regions", '[');
    for (int shared = 1; shared >= 0; shared--) { /* by their offsets, as they were laid out */
        for (size_t i = 0; i < plan->stream_count; i++) {
            const struct gpu_stream *stream = &plan->streams[i];
            if ((stream->level == GPU_SHARED) != (shared == 1))
                continue;
            json_text_open(text, NULL, '{');
            json_text_integer(text, "stream", (long long)i);
            json_text_string(text, "level", gpu_level_name((int)stream->level));
            json_text_integer(text, "offset", (long long)stream->rule.offset);
            json_text_integer(text, "bytes", (long long)stream->rule.bytes);
            put_owned(text, "fill", gpu_rule_to_json(&stream->rule));
            json_text_close(text, '}');
        }
    }
    json_text_close(text, ']');
    json_text_close(text, '}');
}

static void put_streams(struct json_text *text, const struct gpu_plan *plan)
{
    json_text_open(text, "streams", '[');
    for (size_t i = 0; i < plan->stream_count; i++) {
        const struct gpu_stream *stream = &plan->streams[i];
        json_text_open(text, NULL, '{');
        json_text_string(text, "op", plan->kernel->items[stream->item].base.op);
        json_text_string(text, "level", gpu_level_name((int)stream->level));
        json_text_string(text, "predicted", gpu_level_name((int)stream->predicted));
        json_text_string(text, "cache", stream->cache);
        json_text_bool(text, "chase", stream->chase);
        json_text_integer(text, "width", stream->width);
        json_text_integer(text, "per_pass", stream->per_pass);
        json_text_integer(text, "bus", gpu_stream_bus(plan, stream));
        json_text_integer(text, "bytes", (long long)stream->bytes);
        json_text_integer(text, "step", (long long)stream->step);
        json_text_integer(text, "lane", (long long)stream->lane);
        json_text_integer(text, "block", (long long)stream->block);
        json_text_integer(text, "advance", (long long)stream->advance);
        if (stream->side != NULL) {
            json_text_string(text, "side", stream->side);
            json_text_integer(text, "hop", stream->hop);
        }
        json_text_close(text, '}');
    }
    json_text_close(text, ']');
}

static void put_transfers(struct json_text *text, const struct gpu_plan *plan, const char *name,
                          const uint64_t transfers[GPU_LEVELS])
{
    json_text_open(text, name, '{');
    for (int level = 0; level < GPU_LEVELS; level++)
        json_text_integer(text, gpu_level_name(level), (long long)(transfers[level] * plan->blocks));
    json_text_close(text, '}');
}

/* Loads of a pass of the whole grid, and the transfers that they and the stores are, by the level that serves
 * them. */
static void put_accesses(struct json_text *text, const struct gpu_plan *plan)
{
    uint64_t stored = 0;
    json_text_open(text, "accesses", '{');
    for (int level = 0; level < GPU_LEVELS; level++)
        json_text_integer(text, gpu_level_name(level),
                          (long long)(plan->loads[level] * plan->threads * plan->blocks));
    json_text_close(text, '}');
    put_transfers(text, plan, "transfers", plan->transfers);
    for (int level = 0; level < GPU_LEVELS; level++)
        stored += plan->stored[level];
    if (stored > 0)
        put_transfers(text, plan, "stored", plan->stored);
}

static void put_hashes(struct json_text *text, const json_t *point, struct program *program)
{
    const char *target = json_string_or(point, "target", "");
    json_text_open(text, "hashes", '{');
    json_text_string(text, "algorithm", "blake3");
    for (const struct program_part *part = program_parts; part->target != NULL; part++) {
        char hash[HASH_TEXT_BYTES];
        const struct buffer *bytes = program_part_buffer(part, program);
        if (!isa_is_listed(part->target, target))
            continue;
        hash_bytes(bytes->data, bytes->size, hash);
        json_text_string(text, part->name, hash);
        if (part->decides)
            memcpy(program->hash, hash, sizeof hash);
    }
    json_text_close(text, '}');
}

static void carry(struct json_text *text, const json_t *point, const char *const *keys, size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_text_value(text, keys[i], json_object_get(point, keys[i]));
}

enum status gpu_manifest_write(const struct gpu_plan *plan, const json_t *point, uint64_t seed,
                               struct program *program, struct error *error)
{
    static const char *const named[] = {"benchmark", "point", "parameters", "target"};
    static const char *const wished[] = {"expect", "tolerance", "place", "state", "measure"};
    struct json_text text = {.buffer = &program->manifest_text};
    (void)error;
    json_text_open(&text, NULL, '{');
    json_text_integer(&text, "schema", 1);
    json_text_string(&text, "kind", "program");
    carry(&text, point, named, sizeof named / sizeof named[0]);
    json_text_string(&text, "machine", plan->machine->name);
    json_text_string(&text, "arch", plan->machine->gpu.arch);
    json_text_string(&text, "entry", "trauma_kernel");
    json_text_integer(&text, "seed", (long long)seed);
    put_rates(&text, "targets", &plan->targets);
    put_rates(&text, "expected", &plan->expected);
    carry(&text, point, wished, sizeof wished / sizeof wished[0]);
    json_text_open(&text, "grid", '{');
    json_text_integer(&text, "blocks", plan->blocks);
    json_text_integer(&text, "threads", plan->threads);
    json_text_close(&text, '}');
    json_text_integer(&text, "shared_bytes", (long long)plan->shared);
    json_text_integer(&text, "period", 1);
    json_text_integer(&text, "units", plan->units);
    json_text_integer(&text, "instructions", (long long)plan->slot_count);
    if (plan->duty > 0)
        json_text_integer(&text, "idle", (long long)plan->idle);
    json_text_integer(&text, "warmup", (long long)plan->warmup);
    put_streams(&text, plan);
    put_accesses(&text, plan);
    put_data(&text, plan);
    json_text_value(&text, "kernel", json_object_get(point, "kernel"));
    put_hashes(&text, point, program);
    json_text_close(&text, '}');
    return STATUS_OK;
}
