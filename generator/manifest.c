#include "generator/manifest.h"

#include "base/hash.h"
#include "base/json.h"
#include "generator/code_plan.h"
#include "generator/emit_operations.h"
#include "generator/kernel.h"
#include "generator/plan_rates.h"
#include "isa/loop.h"

#include <stdio.h>
#include <string.h>

json_t *manifest_rates(const struct rates *rates)
{
    json_t *object = json_object();
    for (size_t i = 0; i < rates->count; i++)
        json_object_set_new(object, rates->items[i].metric, json_from_number(rates->items[i].value));
    return object;
}

/* What the body must hold of each op, from the plan and the rows: mix.<op> and body.share over all the loop's
 * instructions are told so and counted in the bytes apart from each other. */
static json_t *expected_to_json(const struct plan *plan, const struct template *templates,
                                unsigned loop_instructions)
{
    json_t *expected = manifest_rates(&plan->expected);
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const char *op = plan->kernel->items[i].op;
        char metric[64];
        if (plan->kernel->items[i].count == 0)
            continue;
        snprintf(metric, sizeof metric, "mix.%s", op);
        double count = plan_instructions(templates, plan, op);
        json_object_set_new(expected, metric, json_real(count / loop_instructions));
    }
    double body = plan_instructions(templates, plan, NULL);
    json_object_set_new(expected, "body.share", json_real(body / loop_instructions));
    return expected;
}

static json_t *branches_to_json(const struct branch_counts *branches)
{
    json_t *object =
        json_pack("{s:i, s:i, s:i, s:i}", "total", (int)branches->total, "random", (int)branches->random,
                  "taken", (int)branches->taken, "not_taken", (int)branches->fallthrough);
    if (branches->indirect > 0)
        json_object_set_new(object, "indirect",
                            json_pack("{s:i, s:i}", "total", (int)branches->indirect, "random",
                                      (int)branches->indirect_random));
    return object;
}

/* What the data holds before anything runs: a run is words at offset, offset + step, ..., count times. */
static json_t *runs_to_json(const struct plan *plan)
{
    json_t *runs = json_array();
    for (size_t i = 0; i < plan->run_count; i++) {
        const struct data_run *run = &plan->runs[i];
        json_array_append_new(
            runs, json_pack("{s:I, s:I, s:I, s:o}", "offset", (json_int_t)run->offset, "step",
                            (json_int_t)run->step, "count", (json_int_t)run->count, "word",
                            plan->relative ? json_string("address of the data")
                                           : json_sprintf("0x%016llx", (unsigned long long)run->value)));
    }
    return runs;
}

static json_t *groups_to_json(const struct plan *plan)
{
    json_t *groups = json_array();
    for (unsigned i = 0; i < plan->layout.group_count; i++) {
        const struct group *group = &plan->layout.groups[i];
        json_array_append_new(groups, json_pack("{s:i, s:i, s:i}", "l1d_set", (int)group->set, "lines",
                                                (int)group->lines, "rounds", (int)group->rounds));
    }
    return groups;
}

/* Addresses that move from pass to pass: start + (pass % turns) * step. */
static json_t *bases_to_json(const struct plan *plan)
{
    json_t *bases = json_array();
    for (unsigned i = 0; i < plan->base_count; i++) {
        const struct base *base = &plan->bases[i];
        json_array_append_new(bases,
                              json_pack("{s:s, s:I, s:I, s:i, s:I}", "level", level_name((int)base->level),
                                        "start", (json_int_t)base->start, "step", (json_int_t)base->step,
                                        "turns", (int)base->turns, "lines", (json_int_t)base->lines));
    }
    return bases;
}

static json_t *data_to_json(const struct plan *plan)
{
    json_t *region = json_pack("{s:s, s:i, s:I, s:o}", "name", plan->rings ? "working sets" : "lines",
                               "offset", 0, "bytes", (json_int_t)plan->bytes, "runs", runs_to_json(plan));
    return json_pack("{s:I, s:I, s:I, s:I, s:[o], s:o, s:o}", "bytes", (json_int_t)plan->bytes, "align",
                     (json_int_t)plan->align, "pages", (json_int_t)plan->pages, "huge_pages_from",
                     (json_int_t)plan->huge_from, "regions", region, "conflict_groups", groups_to_json(plan),
                     "bases", bases_to_json(plan));
}

/* How the lines of code lie: with code{}, what misses in a period is misses * period + copied_lines * moves.
 */
static json_t *code_to_json(const struct plan *plan, unsigned loop_bytes)
{
    json_t *code = json_pack("{s:i}", "loop_bytes", (int)loop_bytes);
    if (plan->code == NULL)
        return code;
    const struct code_layout *layout = &plan->code->layout;
    json_object_set_new(code, "bytes", json_integer((json_int_t)layout->bytes));
    json_object_set_new(code, "align", json_integer((json_int_t)layout->align));
    json_object_set_new(code, "chunks", json_integer((json_int_t)layout->count));
    json_object_set_new(code, "lines", json_integer(layout->lines));
    json_object_set_new(code, "misses", json_integer(layout->share.misses));
    json_object_set_new(code, "copies", json_integer(layout->copies));
    json_object_set_new(code, "copied_lines", json_integer(layout->share.run_lines));
    json_object_set_new(code, "moves", json_integer(layout->share.moves));
    json_object_set_new(code, "period", json_integer(layout->share.period));
    json_object_set_new(code, "conflict_sets", json_integer(layout->miss_sets));
    json_object_set_new(code, "first_conflict_set", json_integer(layout->first_miss_set));
    return code;
}

/* Offsets from the data's start, in the order in which one period touches them, the first of all passes being
 * its first. */
static json_t *accesses_to_json(const struct plan *plan)
{
    json_t *accesses = json_array();
    for (unsigned pass = 0; pass < plan->sizing.period; pass++)
        for (size_t i = 0; i < plan->slot_count; i++)
            if (plan->slots[i].place_count > 0)
                json_array_append_new(accesses,
                                      json_integer((json_int_t)plan_offset(plan, &plan->slots[i], pass)));
    return accesses;
}

/* One letter for each access of a pass: l for a load, s for a store. */
static json_t *kinds_to_json(const struct plan *plan)
{
    struct buffer kinds = {0};
    for (size_t i = 0; i < plan->slot_count; i++)
        if (plan->slots[i].place_count > 0)
            buffer_text(&kinds, plan->kernel->items[plan->slots[i].item].is_store ? "s" : "l");
    json_t *text = json_string(kinds.data == NULL ? "" : kinds.data);
    buffer_free(&kinds);
    return text;
}

static void set_hash(json_t *hashes, const char *name, const struct buffer *part)
{
    char text[HASH_TEXT_BYTES];
    hash_bytes(part->data, part->size, text);
    json_object_set_new(hashes, name, json_string(text));
}

static json_t *hashes_of(const struct program *program)
{
    json_t *hashes = json_pack("{s:s}", "algorithm", "blake3");
    set_hash(hashes, "program.s", &program->source);
    set_hash(hashes, "program.o", &program->object);
    set_hash(hashes, "program", &program->executable);
    return hashes;
}

/* Copies what the recipe gave, if it did. */
static void carry(json_t *manifest, const json_t *point, const char *key)
{
    json_t *value = json_object_get(point, key);
    if (value != NULL)
        json_object_set(manifest, key, value);
}

enum status manifest_make(const struct plan *plan, const struct template *templates, const json_t *point,
                          uint64_t seed, struct program *program, struct error *error)
{
    const char *isa = plan->machine->isa;
    struct loop_count loop;
    enum status status =
        loop_inspect(isa_find(isa), program->object.data, program->object.size, &loop, error);
    if (status != STATUS_OK)
        return status;
    if (plan->code == NULL && loop.bytes > plan->machine->l1i.size)
        return error_set(error, STATUS_RECIPE, "the loop has %u bytes, more than L1I", loop.bytes);
    json_t *manifest = json_pack("{s:i, s:s}", "schema", 1, "kind", "program");
    carry(manifest, point, "benchmark");
    carry(manifest, point, "point");
    carry(manifest, point, "parameters");
    carry(manifest, point, "target");
    json_object_set_new(manifest, "machine", json_string(plan->machine->name));
    json_object_set_new(manifest, "seed", json_integer((json_int_t)seed));
    json_object_set_new(manifest, "targets", manifest_rates(&plan->targets));
    json_object_set_new(manifest, "expected", expected_to_json(plan, templates, loop.instructions));
    carry(manifest, point, "expect");
    carry(manifest, point, "tolerance");
    carry(manifest, point, "calibration");
    carry(manifest, point, "threads");
    carry(manifest, point, "place");
    carry(manifest, point, "together");
    carry(manifest, point, "state");
    carry(manifest, point, "measure");
    json_object_set_new(manifest, "period", json_integer(code_plan_period(plan)));
    json_object_set_new(manifest, "units", json_integer(plan->sizing.units));
    json_object_set_new(manifest, "instructions", json_integer(loop.instructions));
    json_object_set_new(manifest, "loads", json_integer(plan->loads));
    json_object_set_new(manifest, "stores", json_integer(plan->stores));
    if (plan->branches.total > 0)
        json_object_set_new(manifest, "branches", branches_to_json(&plan->branches));
    json_object_set_new(manifest, "warmup", json_integer(code_plan_warmup(plan)));
    json_object_set_new(manifest, "indexed", json_boolean(plan->indexed));
    if (plan->code != NULL)
        json_object_set_new(manifest, "code_lines_entered", json_integer(plan->code->layout.lines));
    json_object_set_new(manifest, "code", code_to_json(plan, loop.bytes));
    json_object_set_new(manifest, "data", data_to_json(plan));
    json_object_set_new(manifest, "features", emit_operations_features(plan, templates));
    json_t *operands = emit_operations_operands(plan, templates);
    if (json_array_size(operands) > 0)
        json_object_set(manifest, "operands", operands);
    json_decref(operands);
    json_object_set_new(manifest, "kernel", kernel_to_json(plan->asked));
    json_object_set_new(manifest, "hashes", hashes_of(program));
    json_object_set_new(manifest, "accesses", accesses_to_json(plan));
    if (plan->stores > 0)
        json_object_set_new(manifest, "access_kinds", kinds_to_json(plan));
    program->manifest = manifest;
    return STATUS_OK;
}
