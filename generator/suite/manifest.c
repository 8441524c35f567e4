#include "generator/suite/manifest.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "generator/emit/emit_operations.h"
#include "generator/kernel/kernel.h"
#include "generator/plan/code/code_plan.h"
#include "generator/plan/gpu/gpu_data.h"
#include "generator/plan/gpu/gpu_dispatch.h"
#include "generator/plan/memory/plan_shared.h"
#include "generator/plan/plan.h"
#include "generator/plan/plan_forms.h"
#include "generator/plan/plan_rates.h"
#include "generator/suite/compiled.h"
#include "generator/suite/gpu_regions.h"
#include "isa/isa.h"
#include "isa/loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- of all targets ---- */

/* A new manifest without any field; its arena owns what is added. */
static struct manifest *begin(void)
{
    struct manifest *manifest = memory_zeroed(1, sizeof *manifest);
    *manifest = manifest_none;
    return manifest;
}

/* A copy of a text of the plan, which the manifest outlives. */
static const char *keep(struct manifest *manifest, const char *text)
{
    return text == NULL ? NULL : arena_strdup(&manifest->arena, text);
}

static void keep_rates(struct manifest *manifest, const struct rates *from, struct rates *to)
{
    for (size_t i = 0; i < from->count; i++)
        rates_add(&manifest->arena, to, keep(manifest, from->items[i].metric), from->items[i].value);
}

/* Adds the recipe's fields, and the program's origin. */
static void fill_head(struct manifest *manifest, const struct manifest_origin *origin,
                      const struct plan_rates *rates)
{
    const struct manifest *point = origin->point;
    const struct plan_calibration *calibration = &point->calibration;
    manifest->recipe = json_incref((json_t *)(uintptr_t)point->recipe);
    manifest->benchmark = point->benchmark;
    manifest->point = point->point;
    manifest->parameters = point->parameters;
    manifest->target = point->target;
    manifest->calibration = *calibration;
    manifest->calibration.source = keep(manifest, calibration->source);
    manifest->calibration.kind = keep(manifest, calibration->kind);
    manifest->machine = keep(manifest, origin->machine->name);
    manifest->seed = origin->seed;
    manifest->symbols = keep(manifest, origin->symbols);
    manifest->markers = keep(manifest, origin->markers);
    keep_rates(manifest, &rates->targets, &manifest->targets);
    keep_rates(manifest, &rates->expected, &manifest->expected);
}

static void add_hash(struct manifest *manifest, const char *name, const char *hash)
{
    manifest->hashes =
        arena_next(&manifest->arena, manifest->hashes, manifest->hash_count, sizeof *manifest->hashes);
    manifest->hashes[manifest->hash_count++] = (struct manifest_hash){name, keep(manifest, hash)};
}

static void fill_hashes(struct manifest *manifest, struct program *program)
{
    const char *target = manifest_text_or(manifest->target, "");
    add_hash(manifest, "algorithm", "blake3");
    for (const struct program_part *part = program_parts; part->target != NULL; part++) {
        char hash[HASH_TEXT_BYTES];
        const struct buffer *bytes = program_part_buffer(part, program);
        if (!isa_is_listed(part->target, target) || !program_part_is_in(part, manifest->from != NULL))
            continue;
        hash_bytes(bytes->data, bytes->size, hash);
        add_hash(manifest, part->name, hash);
        if (part->decides)
            memcpy(program->hash, hash, sizeof hash);
    }
}

/* ---- quantities that a pass has in a known number ---- */

struct counting {
    const struct plan *plan;
    const struct template *templates;
    const struct form_tally *tally;
    const struct loop_count *loop;
    struct arena *arena;
    struct rates *counts;
};

/* Adds a quantity; NAN is unknown. */
static void add(const struct counting *counting, const char *quantity, double per_pass)
{
    if (!isnan(per_pass))
        rates_add(counting->arena, counting->counts, quantity, per_pass);
}

/* Instructions of the behaviours for which the test is true. */
static unsigned count_items(const struct plan *plan, bool (*test)(const struct behaviour *item))
{
    unsigned count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (test(&plan->kernel->items[i]))
            count += plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

static bool some(const struct plan *plan, bool (*test)(const struct behaviour *item))
{
    return count_items(plan, test) > 0;
}

/* ---- predicates of behaviours ---- */

/* The plan does not determine how often its instructions execute, or what they do. */
static bool is_free(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_ASM || behaviour_is_atomic(item, "turn") ||
           (item->kind == BEHAVIOUR_SHARED && item->shared.coherence != COHERENCE_NONE);
}

static bool is_atomic(const struct behaviour *item)
{
    return behaviour_is_atomic(item, "add") || behaviour_is_atomic(item, "swap");
}

/* Its row may load the word before it tries an exchange. */
static bool is_exchange(const struct behaviour *item)
{
    return behaviour_is_atomic(item, "cas");
}

static bool is_shared_load(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "load") == 0;
}

static bool is_shared_store(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_SHARED && strcmp(item->op, "store") == 0;
}

/* Processors' events may or may not count it as a load. */
static bool is_prefetch(const struct behaviour *item)
{
    return behaviour_can(item, FORM_HITS_LINE);
}

/* The level that serves its accesses depends on the cache's policy, or on other copies. */
static bool is_predicted(const struct behaviour *item)
{
    return behaviour_walks(item) || behaviour_passes_caches(item) || is_prefetch(item) ||
           (item->kind == BEHAVIOUR_SHARED && (item->shared.working_set > 0 || item->shared.stride > 0));
}

/* Prefetchers may predict its misses. */
static bool is_followed(const struct behaviour *item)
{
    return behaviour_accesses(item) && item->prefetch == PREFETCH_INVITE && behaviour_miss_rate(item) > 0;
}

static bool is_division(const struct behaviour *item)
{
    return behaviour_can(item, FORM_ITERATIVE);
}

static bool is_idle(const struct behaviour *item)
{
    return item->kind == BEHAVIOUR_THROTTLE;
}

/* ---- the quantities ---- */

static void add_accesses(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    unsigned atomics = count_items(plan, is_atomic);
    bool known = !some(plan, is_exchange);
    double loads = plan->loads + plan->popped + count_items(plan, is_shared_load) + atomics;
    double stores = plan->stores + plan->written + count_items(plan, is_shared_store) + atomics;
    bool reads = known && !some(plan, is_prefetch);
    add(counting, "loads", reads ? loads : NAN);
    add(counting, "stores", known ? stores : NAN);
    add(counting, "l1d.accesses", reads && !some(plan, behaviour_passes_caches) ? loads + stores : NAN);
    add(counting, "atomics", known ? atomics : NAN);
}

/* True if the back edge is too far for a conditional branch, which is then the opposite branch over a jump.
 */
static bool is_far(const struct counting *counting, uint64_t bytes)
{
    enum { BRANCH_AND_JUMP = 8 };
    unsigned reach = counting->templates->isa->branch_reach;
    return reach > 0 && counting->plan->code == NULL && bytes > reach + BRANCH_AND_JUMP;
}

/* Number of unconditional jumps: those between pieces of code, and those that a far back edge needs. */
static unsigned count_jumps(const struct counting *counting)
{
    const struct form *next = template_form(counting->templates, "code.next"),
                      *own = template_form(counting->templates, "jump");
    const char *text = template_section(counting->templates, "code.close");
    unsigned jumps = 0;
    for (size_t i = 0; i < counting->tally->count; i++)
        jumps += counting->tally->items[i].form == own ? counting->tally->items[i].slots : 0;
    if (counting->plan->code == NULL || next == NULL || text == NULL)
        return jumps + is_far(counting, counting->loop->bytes);
    jumps += (unsigned)counting->plan->code->count - 1;
    const char *end = strstr(text, "trauma_loop_end");
    char jump[16];
    snprintf(jump, sizeof jump, " %.12s ", next->mnemonic);
    while ((text = strstr(text, jump)) != NULL && text < end) {
        jumps++;
        text++;
    }
    return jumps;
}

/* Branches with which atomics retry; never taken, as no other copies access their lines. */
static unsigned count_tries(const struct counting *counting)
{
    unsigned tries = 0;
    for (size_t i = 0; i < counting->tally->count; i++)
        if (strstr(counting->tally->items[i].form->text, "{again}") != NULL)
            tries += counting->tally->items[i].slots;
    return tries;
}

/* Adds branches. The back edge is one of the plan's branches, if there are any. Copies of code are entered by
 * an indirect jump, which predictors may mispredict. */
static void add_branches(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    const struct branch_counts *own = &plan->branches;
    bool copies = plan->code != NULL && plan->code->layout.copies > 0;
    unsigned jumps = count_jumps(counting), tries = count_tries(counting);
    unsigned conditional = own->total > 0 ? own->total - own->indirect : 1;
    double taken = own->total > 0 ? own->taken + (own->random + own->indirect_random) / 2.0 : 1;
    if (own->total > 0 && is_far(counting, 2 * (uint64_t)counting->loop->bytes))
        return; /* random numbers decide which of its jumps are executed */
    add(counting, "instructions", counting->loop->instructions);
    add(counting, "branches", conditional + own->indirect + jumps + tries);
    add(counting, "branches.conditional", conditional + tries);
    add(counting, "branches.indirect", own->indirect + copies);
    add(counting, "branches.taken", taken + jumps - is_far(counting, counting->loop->bytes));
    add(counting, "branches.missed", copies ? NAN : own->random / 2.0);
}

/* Adds the accesses that reach a level, and its misses of loads, of stores and of both. */
static void add_level(const struct counting *counting, int level, const char *name, double reaching,
                      double loads, double all)
{
    const struct {
        const char *what;
        double per_pass;
    } rows[] = {
        {"accesses", reaching}, {"load_misses", loads}, {"store_misses", all - loads}, {"misses", all}};
    for (size_t i = level == LEVEL_L1; i < sizeof rows / sizeof rows[0]; i++) {
        char quantity[32];
        snprintf(quantity, sizeof quantity, "%s.%s", name, rows[i].what);
        add(counting, arena_strdup(counting->arena, quantity), rows[i].per_pass);
    }
}

/* Lines of a pass that miss L1I: none without code{}, if the loop and its twin fit in L1I; NAN: unknown. */
static double count_code_misses(const struct counting *counting)
{
    const struct plan *plan = counting->plan;
    uint64_t bytes = counting->loop->bytes;
    if (plan->code != NULL)
        return rates_get(&plan->rates.expected, "l1i.miss_rate", NAN) * plan->code->layout.lines;
    return (plan->branches.total > 0 ? 2 : 1) * bytes <= plan->machine->l1i.size ? 0 : NAN;
}

static void add_misses(const struct counting *counting)
{
    static const char *const names[] = {"l1d", "l2", "l3"}, *const followed[] = {
                                                                "l1d.followed", "l2.followed", "l3.followed"};
    const struct plan *plan = counting->plan;
    double code = count_code_misses(counting), loads = plan->loads + plan->popped, all = plan_accesses(plan);
    bool known = !some(plan, is_predicted) && (all == 0 || plan->simulation.counted);
    bool follows = some(plan, is_followed);
    add(counting, "l1i.misses", code);
    for (int level = LEVEL_L1; known && level < LEVEL_MEM; level++) {
        double reaching = all + (level == LEVEL_L2 ? code : 0);
        if (machine_cache(plan->machine, level) == NULL)
            continue;
        loads -= plan->simulation.loads[level];
        all -= plan->simulation.all[level];
        add(counting, followed[level], follows ? all : 0);
        if (!follows)
            add_level(counting, level, names[level], reaching, loads, all);
    }
    if (!some(plan, is_predicted))
        add(counting, "dtlb.misses", plan_page_misses(plan));
}

static void add_operations(const struct counting *counting)
{
    static const struct {
        const char *quantity;
        unsigned width;
    } rows[] = {{"fp.4", 4}, {"fp.8", 8}, {"fp.16", 16}, {"fp.32", 32}, {"fp.64", 64}};
    const struct plan *plan = counting->plan;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned count = 0;
        for (size_t j = 0; j < plan->kernel->count; j++) {
            const struct behaviour *item = &plan->kernel->items[j];
            if (behaviour_can(item, FORM_FLOATING) && item->width == rows[i].width)
                count += item->count * plan->sizing.units;
        }
        add(counting, rows[i].quantity, count);
    }
    add(counting, "divisions", count_items(plan, is_division));
    add(counting, "idle", count_items(plan, is_idle));
}

/* Adds each quantity that is known, as a mean over many passes, to *counts. loop: as assembled. A quantity is
 * known if it is the same for caches of any policy and for any predictor; rates that are predicted but not
 * promised are not used. Assumes that only the copies access shared regions. */
static void plan_count(const struct plan *plan, const struct template *templates,
                       const struct form_tally *tally, const struct loop_count *loop, struct arena *arena,
                       struct rates *counts)
{
    const struct counting counting = {plan, templates, tally, loop, arena, counts};
    if (some(plan, is_free))
        return;
    add_branches(&counting);
    add_accesses(&counting);
    add_misses(&counting);
    add_operations(&counting);
}

/* ---- a processor's program ---- */

/* True if an earlier behaviour has the same op. */
static bool is_repeated(const struct kernel *kernel, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (kernel->items[i].count > 0 && strcmp(kernel->items[i].op, kernel->items[index].op) == 0)
            return true;
    return false;
}

/* Adds the expected mix.<op> and body.share, over all the loop's instructions, from the plan and the rows;
 * check counts them again in the bytes. */
static void fill_mix(struct manifest *manifest, const struct plan *plan, const struct template *templates,
                     const struct form_tally *tally, unsigned loop_instructions)
{
    for (size_t i = 0; i < plan->kernel->count; i++) {
        const char *op = plan->kernel->items[i].op;
        char metric[64];
        if (plan->kernel->items[i].count == 0 || is_repeated(plan->kernel, i))
            continue;
        snprintf(metric, sizeof metric, "mix.%s", op);
        double count = tally_instructions(templates, tally, op);
        rates_add(&manifest->arena, &manifest->expected, keep(manifest, metric), count / loop_instructions);
    }
    double body = tally_instructions(templates, tally, NULL);
    rates_add(&manifest->arena, &manifest->expected, "body.share", body / loop_instructions);
}

/* The initial data: a run is words at offset, offset + step, ..., count times. */
static void fill_region(struct manifest *manifest, const struct plan *plan)
{
    enum { WORD_BYTES = 24 };
    struct manifest_region *region = arena_alloc(&manifest->arena, 1, sizeof *region);
    size_t count = plan->data.run_count;
    char(*words)[WORD_BYTES] = arena_room(&manifest->arena, count, WORD_BYTES);
    *region = (struct manifest_region){.name = plan->memory.by_rotation ? "working sets" : "lines",
                                       .stream = NAN,
                                       .bytes = (double)plan->memory.bytes,
                                       .runs = arena_room(&manifest->arena, count, sizeof *region->runs),
                                       .run_count = count};
    for (size_t i = 0; i < count; i++) {
        const struct data_run *run = &plan->data.runs[i];
        if (!plan->memory.relative)
            snprintf(words[i], WORD_BYTES, "0x%016llx", (unsigned long long)run->value);
        region->runs[i] = (struct manifest_run){(double)run->offset, (double)run->step, (double)run->count,
                                                plan->memory.relative ? "address of the data" : words[i]};
    }
    manifest->data.regions = region;
    manifest->data.region_count = 1;
}

static void fill_eviction_sets(struct manifest *manifest, const struct plan *plan)
{
    const struct eviction_layout *layout = &plan->memory.eviction;
    struct manifest_data *data = &manifest->data;
    data->eviction_set_count = layout->set_count;
    data->eviction_sets = arena_alloc(&manifest->arena, layout->set_count, sizeof *data->eviction_sets);
    for (unsigned i = 0; i < layout->set_count; i++)
        data->eviction_sets[i] = (struct manifest_eviction_set){
            layout->sets[i].l1d_set, layout->sets[i].lines, layout->sets[i].rounds};
}

/* Adds the bases, whose addresses move from pass to pass; rotating_set.h defines a base's position in each
 * pass. turns: passes until it returns. A walk has no stated level. */
static void fill_bases(struct manifest *manifest, const struct plan *plan)
{
    struct manifest_data *data = &manifest->data;
    data->base_count = plan->memory.base_count;
    data->bases = arena_alloc(&manifest->arena, data->base_count, sizeof *data->bases);
    for (unsigned i = 0; i < data->base_count; i++) {
        const struct base *base = &plan->memory.bases[i];
        struct manifest_base *stated = &data->bases[i];
        bool walk = plan_base_is_walk(plan, i);
        *stated = (struct manifest_base){.level = walk ? NULL : level_name((int)base->level),
                                         .walk = walk,
                                         .by_capacity = base->by_capacity,
                                         .by = base->by_capacity ? "capacity" : "conflict",
                                         .start = (double)base->at.start,
                                         .step = (double)base->at.step,
                                         .positions = base->at.positions,
                                         .jump = base->at.jump,
                                         .turns = rotation_turns(&base->at),
                                         .lines = (double)base->lines,
                                         .has_passes = base->at.until > 0};
        if (!stated->has_passes)
            continue;
        stated->pass_count = 2;
        stated->passes = arena_alloc(&manifest->arena, 2, sizeof *stated->passes);
        stated->passes[0] = base->at.from;
        stated->passes[1] = base->at.until;
    }
}

static void fill_data(struct manifest *manifest, const struct plan *plan)
{
    manifest->data = (struct manifest_data){.given = true,
                                            .bytes = (double)plan->memory.bytes,
                                            .align = (double)plan->memory.align,
                                            .pages = plan->memory.pages,
                                            .huge_pages_from = (double)plan->memory.huge_from};
    fill_region(manifest, plan);
    fill_eviction_sets(manifest, plan);
    fill_bases(manifest, plan);
}

/* The layout of code lines: with code{}, the misses in a period are misses * period + copied_lines * moves.
 */
static struct manifest_code code_of(const struct plan *plan, unsigned loop_bytes)
{
    if (plan->code == NULL)
        return (struct manifest_code){.given = true, .loop_bytes = loop_bytes};
    const struct code_layout *layout = &plan->code->layout;
    return (struct manifest_code){.given = true,
                                  .has_layout = true,
                                  .loop_bytes = loop_bytes,
                                  .bytes = (double)layout->bytes,
                                  .align = (double)layout->align,
                                  .chunks = (double)layout->count,
                                  .lines = layout->lines,
                                  .misses = layout->share.misses,
                                  .copies = layout->copies,
                                  .copied_lines = layout->share.run_lines,
                                  .moves = layout->share.moves,
                                  .period = layout->share.period,
                                  .conflict_sets = layout->miss_sets,
                                  .first_conflict_set = layout->first_miss_set};
}

/* One letter for each access of a pass: s for a store, l for a load, j for a branch that loads its target,
 * and x, y or z for one that has 16, 32 or 64 bytes of a bus that carries data. */
static char access_kind(const struct plan *plan, const struct slot *slot)
{
    const struct behaviour *item = &plan->kernel->items[slot->item];
    unsigned bus = kernel_data(plan->kernel) == NULL ? 0 : behaviour_bus(item);
    if (item->kind == BEHAVIOUR_STORE)
        return 's';
    if (behaviour_loads_target(item))
        return 'j';
    return bus <= 8 ? 'l' : bus == 16 ? 'x' : bus == 32 ? 'y' : 'z';
}

/* Adds the offsets from the data's start, in order of access over one period, which begins with the very
 * first pass; with stores or wide data also the kinds of accesses. */
static void fill_accesses(struct manifest *manifest, const struct plan *plan)
{
    unsigned of_pass = plan->loads + plan->stores;
    size_t most = plan->sizing.period * of_pass, count = 0, kinds = 0;
    uint64_t *offsets = arena_room(&manifest->arena, most, sizeof *offsets);
    char *letters = arena_alloc(&manifest->arena, plan->slot_count + 1, 1);
    bool differ = plan->stores > 0;
    for (unsigned pass = 0; pass < plan->sizing.period; pass++)
        for (size_t i = 0; i < plan->slot_count; i++)
            if (plan->slots[i].place_count > 0 && count < most)
                offsets[count++] = plan_offset(plan, &plan->slots[i], pass);
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (plan->slots[i].place_count == 0)
            continue;
        letters[kinds] = access_kind(plan, &plan->slots[i]);
        differ = differ || letters[kinds] != 'l';
        kinds++;
    }
    manifest->accesses = offsets;
    manifest->access_count = count;
    manifest->states_access_kinds = differ;
    manifest->access_kinds = differ ? letters : "";
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
static double count_shared(const struct plan *plan, bool (*test)(const struct shared_access *access))
{
    double count = 0;
    for (size_t i = 0; i < plan->kernel->count; i++)
        if (plan->kernel->items[i].kind == BEHAVIOUR_SHARED && test(&plan->kernel->items[i].shared))
            count += (double)plan->kernel->items[i].count * plan->sizing.units;
    return count;
}

/* Adds what copies share: the bytes of the data that are mapped from the file, and a pass's accesses to them.
 */
static void fill_shared(struct manifest *manifest, const struct plan *plan)
{
    const struct plan_shared *shared = &plan->shared;
    struct manifest_shared *stated = &manifest->shared;
    if (shared->mapping_count == 0)
        return;
    *stated = (struct manifest_shared){
        .given = true,
        .file_bytes = SHARED_FILE_BYTES,
        .state = (double)shared->state,
        .waits = kernel_waits(plan->kernel),
        .regions = arena_alloc(&manifest->arena, shared->mapping_count, sizeof *stated->regions),
        .region_count = shared->mapping_count,
        .load = plan_shared_accesses(plan, "load"),
        .store = plan_shared_accesses(plan, "store"),
        .atomic = plan_shared_accesses(plan, "atomic"),
        .turns = plan_shared_turns(plan)};
    for (unsigned i = 0; i < shared->mapping_count; i++) {
        const struct shared_mapping *mapping = &shared->mappings[i];
        stated->regions[i] =
            (struct manifest_mapping){i == 0 ? "turns" : keep(manifest, plan->kernel->regions[i - 1]),
                                      (double)mapping->at, (double)mapping->bytes, (double)mapping->file_at};
    }
    if (shared->coherence == COHERENCE_NONE)
        return;
    stated->has_coherence = true;
    stated->coherence = coherence_name(shared->coherence);
    stated->lines = (double)shared->prepared_lines;
    stated->pass_lines = shared->pass_lines;
    stated->prepared_loads = count_shared(plan, is_prepared);
    stated->copied = count_shared(plan, is_copied);
    stated->line = (double)shared->line;
}

/* Adds the features that the program's rows need, and the registers that hold operands. */
static void fill_operations(struct manifest *manifest, const struct plan *plan,
                            const struct template *templates, const struct form_tally *tally)
{
    struct operand_registers *operands;
    manifest->states_features = true;
    manifest->features.items =
        emit_operations_features(plan, templates, tally, &manifest->arena, &manifest->features.count);
    manifest->operand_count = emit_operations_operands(plan, templates, &manifest->arena, &operands);
    manifest->states_operands = manifest->operand_count > 0;
    manifest->operands = arena_alloc(&manifest->arena, manifest->operand_count, sizeof *manifest->operands);
    for (size_t i = 0; i < manifest->operand_count; i++)
        manifest->operands[i] = (struct manifest_operand){operands[i].behaviour,
                                                          keep(manifest, operands[i].op),
                                                          operands[i].bits,
                                                          {operands[i].names, operands[i].count}};
}

/* Measures the loop: as assembled or, if it is in pieces, by disassembly. */
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

/* True if other copies access the same regions. */
static bool is_contended(const struct plan *plan, const struct manifest *point)
{
    return plan->shared.mapping_count > 0 && (point->threads > 1 || point->together.count > 0);
}

/* The size of the loop, and the passes before its rates hold. */
static void fill_loop(struct manifest *manifest, const struct plan *plan, const struct loop_count *loop)
{
    const struct branch_counts *branches = &plan->branches;
    manifest->period = code_plan_period(plan);
    manifest->units = plan->sizing.units;
    manifest->instructions = loop->instructions;
    manifest->loads = plan->loads + plan->popped;
    manifest->stores = plan->stores + plan->written;
    manifest->states_instructions = manifest->states_loads = manifest->states_stores = true;
    manifest->branches = (struct manifest_branches){.given = branches->total > 0,
                                                    .total = branches->total,
                                                    .random = branches->random,
                                                    .taken = branches->taken,
                                                    .not_taken = branches->fallthrough,
                                                    .has_indirect = branches->indirect > 0,
                                                    .indirect = branches->indirect,
                                                    .indirect_random = branches->indirect_random};
    manifest->warmup = code_plan_warmup(plan);
    manifest->states_indexed = true;
    manifest->indexed = plan->memory.indexed;
    manifest->has_code = plan->code != NULL;
    manifest->code_lines_entered = plan->code == NULL ? 0 : plan->code->layout.lines;
    manifest->code = code_of(plan, loop->bytes);
}

enum status manifest_of_plan(const struct plan *plan, const struct template *templates,
                             const struct manifest_origin *origin, struct program *program,
                             struct error *error)
{
    struct arena arena = {0};
    struct form_tally tally;
    struct loop_count loop;
    enum status status = measure_loop(plan, templates, program, &loop, error);
    if (status != STATUS_OK)
        return status;
    if (plan->code == NULL && loop.bytes > plan->machine->l1i.size)
        return error_set(error, STATUS_RECIPE, "the loop has %u bytes, which exceeds L1I, %llu bytes",
                         loop.bytes, (unsigned long long)plan->machine->l1i.size);
    struct manifest *manifest = program->manifest = begin();
    plan_tally(templates, plan, &arena, &tally);
    fill_head(manifest, origin, &plan->rates);
    fill_mix(manifest, plan, templates, &tally, loop.instructions);
    fill_loop(manifest, plan, &loop);
    if (!is_contended(plan, origin->point))
        plan_count(plan, templates, &tally, &loop, &manifest->arena, &manifest->counts);
    fill_data(manifest, plan);
    fill_shared(manifest, plan);
    fill_operations(manifest, plan, templates, &tally);
    manifest->kernel = kernel_to_json(plan->requested);
    fill_hashes(manifest, program);
    fill_accesses(manifest, plan);
    arena_free(&arena);
    return manifest_read_requests(manifest, "the manifest", error);
}

void manifest_of_reference(const struct plan *plan, const struct template *templates, struct program *program)
{
    struct manifest *manifest = program->manifest = begin();
    manifest->instructions = plan_instructions(templates, plan, NULL);
    manifest->states_instructions = true;
    manifest->period = code_plan_period(plan);
    manifest->warmup = code_plan_warmup(plan);
    fill_bases(manifest, plan);
    keep_rates(manifest, &plan->rates.expected, &manifest->expected);
}

/* ---- a GPU's program ---- */

static void fill_stream(const struct gpu_plan *plan, const struct gpu_stream *stream,
                        struct manifest_stream *stated)
{
    *stated = (struct manifest_stream){.op = plan->kernel->items[stream->item].op,
                                       .level = gpu_level_name((int)stream->level),
                                       .predicted = gpu_level_name((int)stream->predicted),
                                       .cache = stream->cache,
                                       .source = "",
                                       .chase = stream->chase,
                                       .width = stream->width,
                                       .per_pass = stream->per_pass,
                                       .bus = gpu_stream_bus(plan, stream),
                                       .bytes = (double)stream->bytes,
                                       .step = (double)stream->step,
                                       .lane = (double)stream->lane,
                                       .block = (double)stream->block,
                                       .advance = (double)stream->advance,
                                       .is_dense = stream->dense > 0 && !stream->chase,
                                       .is_async = stream->async,
                                       .has_groups = stream->async && !stream->bulk,
                                       .side = stream->side,
                                       .is_sided = stream->side != NULL,
                                       .atomic = stream->atomic,
                                       .is_atomic = stream->atomic != NULL};
    if (stream->store && stream->bulk) {
        stated->source = "tma";
        stated->ring = (double)plan->outgoing;
        stated->is_async = true;
        stated->stages = stated->copies = 1;
    }
    if (stated->is_atomic) {
        stated->scope = atomic_scope_name(plan->kernel->items[stream->item].scope);
        stated->returns = stream->returns;
        stated->together = stream->together;
    }
    if (stated->is_dense) {
        stated->dense = (double)stream->dense;
        stated->apart = (double)stream->apart;
    }
    if (stream->async) {
        const struct gpu_ring *ring = &plan->rings[stream->item];
        stated->source = stream->bulk ? "tma" : "async";
        stated->ring = (double)ring->offset;
        stated->stages = ring->stages;
        stated->copies = ring->copies;
        stated->read = ring->read;
        stated->pending = stated->has_groups ? ring->pending : 0;
        stated->groups = stated->has_groups ? plan->groups : 0;
    }
    if (stated->is_sided) {
        stated->hop = stream->hop;
        stated->links = gpu_stream_links(stream);
    }
}

static void fill_streams(struct manifest *manifest, const struct gpu_plan *plan)
{
    manifest->stream_count = plan->stream_count;
    manifest->streams = arena_alloc(&manifest->arena, plan->stream_count, sizeof *manifest->streams);
    for (size_t i = 0; i < plan->stream_count; i++) {
        struct manifest_stream *stated = &manifest->streams[i];
        fill_stream(plan, &plan->streams[i], stated);
        stated->op = keep(manifest, stated->op);
        stated->cache = keep(manifest, stated->cache);
        stated->side = keep(manifest, stated->side);
        stated->atomic = keep(manifest, stated->atomic);
        stated->scope = keep(manifest, stated->scope);
    }
}

/* True if some access is to DSMEM, the level that clusters add. */
static bool has_level(const struct gpu_plan *plan, int level)
{
    bool any = level != GPU_DSMEM && level != GPU_L3;
    for (size_t i = 0; i < plan->stream_count; i++)
        any = any || (int)plan->streams[i].level == level;
    return any;
}

/* Adds, by level, the numbers of one block multiplied by `times`. */
static void fill_levels(struct manifest *manifest, const struct gpu_plan *plan,
                        const uint64_t of_block[GPU_LEVELS], uint64_t times, struct rates *rates)
{
    for (int level = 0; level < GPU_LEVELS; level++)
        if (has_level(plan, level))
            rates_add(&manifest->arena, rates, gpu_level_name(level),
                      (double)(of_block[level] * times * (uint64_t)gpu_blocks_in_turn(plan)));
}

/* Adds the loads of one pass, and the transfers of loads and of stores. */
static void fill_gpu_accesses(struct manifest *manifest, const struct gpu_plan *plan)
{
    uint64_t stored = 0;
    fill_levels(manifest, plan, plan->loads, plan->threads, &manifest->loads_by_level);
    fill_levels(manifest, plan, plan->transfers, 1, &manifest->transfers);
    for (int level = 0; level < GPU_LEVELS; level++)
        stored += plan->stored[level];
    if (stored > 0)
        fill_levels(manifest, plan, plan->stored, 1, &manifest->stored);
}

enum status manifest_of_gpu_plan(const struct gpu_plan *plan, const struct manifest_origin *origin,
                                 const struct compiled_kernel *compiled, struct arena *arena,
                                 struct program *program, struct error *error)
{
    struct manifest *manifest = program->manifest = begin();
    manifest->arena = *arena;
    *arena = (struct arena){0};
    fill_head(manifest, origin, &plan->rates);
    manifest->arch = keep(manifest, plan->arch);
    manifest->from = compiled;
    manifest->entry = compiled == NULL ? "trauma_kernel" : compiled->kernel;
    manifest->has_grid = true;
    manifest->blocks = plan->blocks;
    manifest->block_threads = plan->threads;
    manifest->has_clusters = plan->cluster > 1;
    manifest->cluster = plan->cluster > 1 ? plan->cluster : 1;
    manifest->states_working = true;
    manifest->working = (double)gpu_blocks_in_turn(plan);
    manifest->leaving = plan->blocks - manifest->working;
    manifest->shared_bytes = (double)plan->shared;
    manifest->period = 1;
    manifest->units = plan->units;
    manifest->states_instructions = compiled == NULL; /* else the compiler decides it */
    manifest->instructions = compiled == NULL ? (double)plan->slot_count : 0;
    manifest->states_idle = plan->duty > 0;
    manifest->idle = plan->duty > 0 ? plan->idle : 0;
    manifest->warmup = (double)plan->warmup;
    fill_streams(manifest, plan);
    fill_gpu_accesses(manifest, plan);
    gpu_regions_state(plan, &manifest->data);
    manifest->kernel = json_incref((json_t *)(uintptr_t)origin->point->kernel);
    fill_hashes(manifest, program);
    return manifest_read_requests(manifest, "the manifest", error);
}
