/* trauma explain: explains a program. */
#include "base/json.h"
#include "base/json/field_json.h"
#include "base/memory.h"
#include "base/rational.h"
#include "base/text/plural.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/requests.h"
#include "generator/machine/machine.h"
#include "generator/metric/metric.h"
#include "generator/metric/quantity.h"
#include "generator/plan/tuning.h"
#include "generator/suite/compiled.h"
#include "generator/suite/manifest_read.h"
#include "report/table.h"
#include "report/verdict_report.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/host.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- GPU programs: the part between the name and the rates ---- */

static long long whole(double number)
{
    return (long long)number;
}

static const char *size_of(double bytes, char text[32])
{
    return units_show_size((uint64_t)whole(bytes), text, 32);
}

static void print_gpu_cache(const char *name, const struct cache *cache)
{
    char size[32];
    command_print("  %-4s %s, lines of %u bytes", name, units_show_size(cache->size, size, sizeof size),
                  cache->line);
    if (cache->sector != 0 && cache->sector != cache->line)
        command_print(" in sectors of %u bytes", cache->sector);
    if (cache->ways > 0)
        command_print(", %u-way, replacement %s", cache->ways, cache_policy_name(cache->policy));
    command_print("\n");
}

static void print_gpu_machine(const struct machine *machine)
{
    const struct gpu *gpu = &machine->gpu;
    command_print("  %s, %u %s", gpu->arch, gpu->sm,
                  strcmp(machine->isa, "ptx") == 0 ? "multiprocessors" : "compute units");
    if (gpu->se > 0)
        command_print(" in %u shader engines", gpu->se * gpu->xcc);
    command_print(", %u threads in step\n", gpu->wave);
    print_gpu_cache("L1", &machine->l1d);
    print_gpu_cache("L2", &machine->l2);
    if (gpu->sides > 1)
        command_print("       in %u parts, each near some of the multiprocessors\n", gpu->sides);
    if (gpu->l2_channels > 0) {
        char bytes[32];
        command_print("       in %u channels, which take turns every %s\n", gpu->l2_channels,
                      units_show_size(gpu->interleave, bytes, sizeof bytes));
    }
    if (machine->l3.size > 0)
        print_gpu_cache("L3", &machine->l3);
}

static void print_gpu_grid(const struct manifest *manifest)
{
    char shared[32];
    command_print("\ngrid\n  %lld block%s of %lld thread%s", whole(manifest->blocks),
                  plural_s((size_t)manifest->blocks), whole(manifest->block_threads),
                  plural_s((size_t)manifest->block_threads));
    if (manifest->cluster > 1)
        command_print(", in clusters of %lld", whole(manifest->cluster));
    if (manifest->shared_bytes > 0)
        command_print(", with %s of shared memory each", size_of(manifest->shared_bytes, shared));
    command_print("\n");
    for (size_t i = 0; i < manifest->place.count; i++) {
        const struct manifest_units *units = &manifest->place.items[i];
        command_print("  place %s: %s", units->kind, manifest_text_or(units->word, ""));
        for (size_t j = 0; j < units->count; j++)
            command_print("%s%lld", j == 0 ? "" : ", ", units->numbers[j]);
        command_print("\n");
    }
    const struct compiled_kernel *from = manifest->from;
    for (size_t i = 0; from != NULL && i < from->change_count; i++)
        command_print("  program.co is %s with '%s' at 0x%llx\n", manifest_text_or(from->file, "?"),
                      manifest_text_or(from->changes[i].text_after, "?"),
                      (unsigned long long)fmax(from->changes[i].offset, 0));
}

static void print_gpu_throttle(const struct manifest *manifest)
{
    static const char duty[] = "throttle.duty";
    if (!manifest_has_target(manifest, duty))
        return;
    command_print("  throttle: %lld idle instruction%s per unit, computed from the machine's gpu.bandwidth "
                  "for %.6g of the peak rate of the channels and multiprocessors in use\n",
                  whole(manifest->idle), plural_s((size_t)manifest->idle),
                  rates_get(&manifest->targets, duty, 0));
}

static void print_gpu_loop(const struct manifest *manifest)
{
    long long units = whole(manifest->units);
    long long warmup = whole(manifest->warmup);
    command_print("\nloop\n  %lld unit%s per pass", units, plural_s((size_t)units));
    if (manifest->states_instructions)
        command_print(" with %lld instruction%s", whole(manifest->instructions),
                      plural_s((size_t)manifest->instructions));
    command_print("; %lld warm-up pass%s\n", warmup, warmup == 1 ? "" : "es");
    print_gpu_throttle(manifest);
}

static void print_gpu_streams(const struct manifest *manifest)
{
    if (manifest->stream_count == 0)
        return;
    struct table table =
        table_of("access|level|operator|>bytes|>accesses/pass|>region|>step|>lane|>next block");
    char text[32];
    for (size_t i = 0; i < manifest->stream_count; i++) {
        const struct manifest_stream *stream = &manifest->streams[i];
        table_cell(&table, "%s%s%s%s%s", stream->op, stream->atomic != NULL ? " " : "",
                   manifest_text_or(stream->atomic, ""), stream->chase ? ", chase" : "",
                   stream->source[0] == '\0'            ? ""
                   : strcmp(stream->source, "tma") == 0 ? ", bulk copy"
                                                        : ", asynchronous");
        table_texts(&table, stream->level,
                    stream->atomic != NULL     ? manifest_text_or(stream->scope, "-")
                    : stream->cache[0] == '\0' ? "-"
                                               : stream->cache);
        table_cell(&table, "%lld", whole(stream->width));
        table_cell(&table, "%lld", whole(stream->per_pass));
        table_cell(&table, "%s", size_of(stream->bytes, text));
        table_cell(&table, "%s", size_of(stream->step, text));
        table_cell(&table, "%s", whole(stream->lane) == 0 ? "the same" : size_of(stream->lane, text));
        table_cell(&table, "%s", whole(stream->block) == 0 ? "the same" : size_of(stream->block, text));
    }
    command_print("\naccesses of each thread: each is one step beyond the one before and wraps at the end of "
                  "its region\n");
    table_finish(&table, stdout);
}

static void explain_gpu(const struct manifest *manifest, const struct machine *machine)
{
    char bytes[32], align[32];
    print_gpu_machine(machine);
    print_gpu_grid(manifest);
    print_gpu_loop(manifest);
    print_gpu_streams(manifest);
    command_print("\ndata\n  %s, aligned to %s\n", size_of(manifest->data.bytes, bytes),
                  size_of(manifest->data.align, align));
}

/* ---- one load or store of the unit ---- */

static void print_source(const struct manifest_item *item)
{
    const char *before = ": ";
    char size[32];
    if (item->working_set > 0)
        command_print(": a walk through %s", size_of(item->working_set, size));
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double share = item->served[level];
        if (!item->is_served || (share == 0 && level > LEVEL_L2))
            continue;
        command_print("%s%.6g from %s", before, share, level_name(level));
        before = ", ";
    }
}

/* The limits of a stated toggle rate. */
static void print_limits(const struct manifest_pattern *data)
{
    if (data->order != NULL)
        command_print(" in program order alone");
    if (data->zeros > 0)
        command_print(" beside groups of %lld zeros", whole(data->zeros));
}

static void print_words(const struct manifest_pattern *data)
{
    if (data->loaded)
        command_print(", the data of the last load");
    else if (data->word != NULL)
        command_print(", data %s", data->word);
    else if (!isnan(data->toggle)) {
        command_print(", data that toggle %.6g of their bits", data->toggle);
        print_limits(data);
    } else if (data->given)
        command_print(", data that cycle through %zu words", data->words);
}

/* True if several levels serve it, so that the order of hits and misses matters. */
static bool is_mixed(const struct manifest_item *item)
{
    unsigned levels = 0;
    for (int level = 0; level < LEVEL_COUNT; level++)
        levels += item->is_served && item->served[level] > 0;
    return levels > 1 && item->order != NULL;
}

/* Ends the line of a load or store. */
static void explain_access(const struct manifest_item *item)
{
    print_source(item);
    if (is_mixed(item))
        command_print(", hits and misses %s",
                      strcmp(manifest_text_or(item->order, ""), "burst") == 0 ? "in bursts" : item->order);
    command_print(", %s, %lld bytes wide", manifest_text_or(item->address, ""),
                  isnan(item->width) ? 0 : whole(item->width));
    if (item->updates)
        command_print(", writes it back");
    if (item->copies)
        command_print(", writes it on the stack, from where it is loaded");
    if (item->leads)
        command_print(", leads");
    if (item->behind > 0)
        command_print(", %lld places behind the one that leads", whole(item->behind));
    if (item->from != NULL)
        command_print(", from %s registers", item->from);
    if (item->stride > 0)
        command_print(", %lld bytes apart", whole(item->stride));
    if (strcmp(manifest_text_or(item->prefetch, "defeat"), "invite") == 0)
        command_print(", lines in address order (prefetch = \"invite\")");
    print_words(&item->data);
    command_print("\n");
}

/* ---- eviction sets ---- */

static void print_group(const struct manifest_eviction_set *group)
{
    command_print("    set %lld: %lld lines", whole(group->l1d_set), whole(group->lines));
    if (whole(group->rounds) > 1)
        command_print(", %lld times per pass", whole(group->rounds));
    command_print("\n");
}

static bool has_changing_words(const struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->unit_count; i++)
        if (manifest->unit[i].data.given && manifest->unit[i].data.word == NULL)
            return true;
    return false;
}

static void print_groups(const struct manifest *manifest, const struct machine *machine)
{
    size_t count = manifest->data.eviction_set_count;
    if (cache_sets(&machine->l1d) == 1)
        command_print("  L1D has no separate set for hits: each hit reads the line of the miss before it\n");
    else
        command_print("  %s\n", has_changing_words(manifest)
                                    ? "each hit reads its own word, in L1D sets without an eviction set"
                                    : "all hits read one line in L1D set 0");
    command_print("  %zu eviction set%s, %s more lines than the %u way%s of its L1D set, so that every "
                  "access misses,\n  but few enough for each L2 set (%u way%s) that all stay there:\n",
                  count, plural_s(count), count == 1 ? "with" : "each with", machine->l1d.ways,
                  plural_s(machine->l1d.ways), machine->l2.ways, plural_s(machine->l2.ways));
    for (size_t i = 0; i < count; i++)
        print_group(&manifest->data.eviction_sets[i]);
}

/* ---- working sets ---- */

/* A line at `offset` bytes beyond the base, read in the turns t with t % cycle == phase. */
struct rotation_place {
    uint64_t offset, phase;
};

/* The places of a base's accesses. An access that occurs only in some passes of a period has a phase if turns
 * and period have a common divisor. */
struct rotation_places {
    struct rotation_place *items; /* [count], each once */
    size_t count;
    uint64_t start, step, turns, cycle;
};

static int compare_places(const void *a, const void *b)
{
    const struct rotation_place *left = a;
    const struct rotation_place *right = b;
    if (left->phase != right->phase)
        return left->phase > right->phase ? 1 : -1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

/* The start of the next working set: a base's last turn may end before its step does. */
static uint64_t end_of(const struct manifest_data *data, const struct rotation_places *places)
{
    uint64_t end = places->start + places->step * places->turns;
    for (size_t i = 0; i < data->base_count; i++) {
        uint64_t next = (uint64_t)whole(data->bases[i].start);
        if (next > places->start && next < end)
            end = next;
    }
    return end;
}

static void keep_each_once(struct rotation_places *places, size_t found)
{
    qsort(places->items, found, sizeof *places->items, compare_places);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || compare_places(&places->items[i], &places->items[i - 1]) != 0)
            places->items[places->count++] = places->items[i];
}

static void collect_places(const struct manifest *manifest, size_t of_pass, struct rotation_places *places)
{
    uint64_t end = end_of(&manifest->data, places);
    size_t found = 0;
    for (size_t i = 0; i < manifest->access_count; i++) {
        uint64_t at = manifest->accesses[i];
        uint64_t pass = i / of_pass;
        uint64_t here = places->start + pass % places->turns * places->step;
        if (at >= here && at < here + places->step && at < end)
            places->items[found++] = (struct rotation_place){at - here, pass % places->cycle};
    }
    keep_each_once(places, found);
}

/* False when no access goes there. Free places->items. */
static bool find_places(const struct manifest *manifest, const struct manifest_base *base,
                        struct rotation_places *places)
{
    size_t all = manifest->access_count;
    size_t of_pass = all / (size_t)fmax(1, manifest->period);
    *places = (struct rotation_places){.items = memory_zeroed(all + 1, sizeof *places->items),
                                       .start = (uint64_t)whole(base->start),
                                       .step = (uint64_t)whole(base->step),
                                       .turns = (uint64_t)whole(base->turns)};
    if (places->step == 0 || places->turns == 0 || of_pass == 0)
        return false;
    places->cycle = rational_gcd(places->turns, (uint64_t)whole(manifest->period));
    collect_places(manifest, of_pass, places);
    return places->count > 0;
}

/* The fewest and the most lines per set in all turns, among the sets that get any. */
static void count_lines(const struct rotation_places *places, const struct cache *cache, unsigned *least,
                        unsigned *most)
{
    unsigned sets = cache_sets(cache);
    unsigned *lines = memory_zeroed(sets, sizeof *lines);
    for (size_t i = 0; i < places->count; i++) {
        const struct rotation_place *place = &places->items[i];
        for (uint64_t turn = place->phase; turn < places->turns; turn += places->cycle)
            lines[(places->start + turn * places->step + place->offset) / cache->line % sets]++;
    }
    *least = UINT32_MAX;
    *most = 0;
    for (unsigned set = 0; set < sets; set++) {
        if (lines[set] > 0 && lines[set] < *least)
            *least = lines[set];
        if (lines[set] > *most)
            *most = lines[set];
    }
    free(lines);
}

static void print_pressure(const struct rotation_places *places, const struct cache *cache, const char *name)
{
    unsigned least;
    unsigned most;
    count_lines(places, cache, &least, &most);
    const char *does = least > cache->ways   ? "every access misses"
                       : most <= cache->ways ? "all lines stay"
                                             : "some lines stay";
    command_print("      %-4s %u to %u lines per set of %u way%s: %s\n", name, least, most, cache->ways,
                  plural_s(cache->ways), does);
}

/* Lines read in all turns. */
static long long lines_of(const struct rotation_places *places)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < places->count; i++)
        lines += (places->turns - places->items[i].phase + places->cycle - 1) / places->cycle;
    return (long long)lines;
}

/* Lines per pass that this level or a later one serves. */
static double lines_a_pass(const struct manifest_data *data, int level)
{
    double lines = 0;
    for (size_t i = 0; i < data->base_count; i++) {
        const struct manifest_base *base = &data->bases[i];
        if (base->by_capacity && (int)manifest_base_level(base) >= level)
            lines += base->lines / base->turns;
    }
    return lines;
}

/* Compares the lines that are read between two uses of a line with the capacity of each cache. */
static void print_capacity(const struct machine *machine, const struct manifest_data *data,
                           const struct manifest_base *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    int level = (int)manifest_base_level(base);
    double turns = base->turns;
    command_print("    for %s, by capacity: %lld lines, all read once in %.0f passes\n",
                  manifest_text_or(base->level, "?"), whole(base->lines), turns);
    for (int i = LEVEL_L1; i < LEVEL_MEM; i++) {
        const struct cache *cache = machine_cache(machine, i);
        if (cache == NULL || (level < LEVEL_MEM && i > level))
            continue;
        double times =
            turns * lines_a_pass(data, i < level ? level : i) / ((double)cache->size / cache->line);
        command_print("      %-4s %.3g times its number of lines is read before a line is read again: %s\n",
                      names[i], times, i < level ? "every access misses" : "all lines stay");
    }
}

static void print_base(const struct manifest *manifest, const struct machine *machine,
                       const struct manifest_base *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    long long turns = whole(base->turns);
    char size[32];
    struct rotation_places places;
    bool found = find_places(manifest, base, &places);
    command_print("    for %s: %lld lines over %s, all read in %lld passes%s\n",
                  base->walk ? "a walk" : manifest_text_or(base->level, "?"),
                  found ? lines_of(&places) : whole(base->lines), size_of(base->step * base->turns, size),
                  turns, base->walk ? "; its rates are predicted, not promised" : "");
    for (int level = LEVEL_L1; found && level < LEVEL_MEM; level++)
        if (machine_cache(machine, level) != NULL)
            print_pressure(&places, machine_cache(machine, level), names[level]);
    free(places.items);
}

static int compare_lines(const void *a, const void *b)
{
    const uint64_t *left = a;
    const uint64_t *right = b;
    return (*left > *right) - (*left < *right);
}

/* True if the address lies in a working set, whose lines change from pass to pass. */
static bool is_of_base(const struct manifest_data *data, uint64_t at)
{
    for (size_t i = 0; i < data->base_count; i++) {
        const struct manifest_base *base = &data->bases[i];
        double start = base->start;
        if ((double)at >= start && (double)at < start + base->step * base->turns)
            return true;
    }
    return false;
}

/* Prints the lines that every pass reads in L1D sets that get more of them than they have ways: L2 serves
 * these, beside the working sets of later levels. */
static void print_every_pass(const struct manifest *manifest, const struct machine *machine)
{
    const struct cache *l1d = &machine->l1d;
    unsigned sets = cache_sets(l1d);
    uint64_t *lines = memory_zeroed(manifest->access_count + 1, sizeof *lines);
    unsigned *of_set = memory_zeroed(sets, sizeof *of_set);
    size_t found = 0, all = 0;
    for (size_t i = 0; i < manifest->access_count; i++)
        if (!is_of_base(&manifest->data, manifest->accesses[i]))
            lines[found++] = manifest->accesses[i] / l1d->line;
    qsort(lines, found, sizeof *lines, compare_lines);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || lines[i] != lines[i - 1])
            of_set[lines[i] % sets]++;
    for (unsigned set = 0; set < sets; set++)
        all += of_set[set] > l1d->ways ? of_set[set] : 0;
    if (all > 0)
        command_print("    for L2, in every pass: %zu lines, in L1D sets that get more than their %u way%s\n",
                      all, l1d->ways, plural_s(l1d->ways));
    for (unsigned set = 0; set < sets; set++)
        if (of_set[set] > l1d->ways)
            command_print("      set %u: %u lines\n", set, of_set[set]);
    free(lines);
    free(of_set);
}

static void print_working_sets(const struct manifest *manifest, const struct machine *machine)
{
    const struct manifest_data *data = &manifest->data;
    size_t count = data->base_count;
    if (count == 0) {
        command_print("  every pass reads the same lines\n");
        return;
    }
    command_print("  %zu working set%s; each pass reads the next lines. A cache misses if one of its sets "
                  "gets more lines than it\n  has ways, or, whatever its index, if several times its "
                  "capacity is read between two uses of a line\n",
                  count, plural_s(count));
    for (size_t i = 0; i < count; i++) {
        if (data->bases[i].by_capacity)
            print_capacity(machine, data, &data->bases[i]);
        else
            print_base(manifest, machine, &data->bases[i]);
    }
    print_every_pass(manifest, machine);
}

/* Prints the manifest's data: eviction sets, working sets and the effect of each on the caches. */
static void explain_data(const struct manifest *manifest, const struct machine *machine)
{
    const struct manifest_data *data = &manifest->data;
    long long pages = whole(data->pages);
    char size[32], align[32];
    command_print("\ndata\n  %s, of which %lld page%s of 4 KiB %s accessed, aligned to %s",
                  size_of(data->bytes, size), pages, plural_s((size_t)pages), pages == 1 ? "is" : "are",
                  size_of(data->align, align));
    if (data->huge_pages_from < data->bytes)
        command_print(", in huge pages where available");
    if (data->huge_pages_from > 0 && data->huge_pages_from < data->bytes)
        command_print(" except the first %.0f MiB", data->huge_pages_from / (1 << 20));
    command_print("\n");
    if (data->by_rotation)
        print_working_sets(manifest, machine);
    else if (data->eviction_set_count == 0)
        command_print("  no eviction set: nothing misses\n");
    else
        print_groups(manifest, machine);
}

/* ---- processor programs ---- */

static const char *const accepted[] = {"machine", "index",          "target",   "point", "filter",
                                       "set",     "seed",           "counters", "json",  "quiet",
                                       "verbose", "no-calibration", "tune",     NULL};

static void print_cache(const char *name, const struct cache *cache)
{
    char size[32];
    command_print("  %-4s %s, %u-way, lines of %u bytes, %u set%s, replacement %s\n", name,
                  units_show_size(cache->size, size, sizeof size), cache->ways, cache->line,
                  cache_sets(cache), plural_s(cache_sets(cache)), cache_policy_name(cache->policy));
}

static void print_code(const struct manifest_item *item)
{
    if (!isnan(item->misses)) {
        command_print(": jumps to another line of code; %.6g lines of a unit miss L1I\n", item->misses);
        return;
    }
    command_print(": jumps to another line of code; %.6g of the lines from L1I, %.6g from L2\n",
                  item->from_l1i, item->from_l2);
}

static void print_branch(const struct manifest_item *item)
{
    command_print(": accuracy %.6g", item->accuracy);
    if (!isnan(item->taken))
        command_print(", %.6g taken", item->taken);
    if (item->kind != NULL)
        command_print(", %s%s", item->kind, item->through != NULL ? " through memory" : "");
    command_print("\n");
}

static void print_text(const struct manifest_item *item)
{
    char size[32];
    command_print(": the recipe's own text");
    if (item->memory > 0)
        command_print(", with %s of memory, so that data rates are not promised",
                      size_of(item->memory, size));
    command_print("\n");
}

/* The operands' data, as the recipe states it. */
static void print_operand_data(const struct manifest_pattern *data)
{
    if (data->word != NULL)
        command_print(", on data %s", data->word);
    else if (data->words > 0)
        command_print(", on %zu word%s in turn", data->words, plural_s(data->words));
    else if (data->given)
        command_print(", on words with a toggle rate of %.6g", isnan(data->toggle) ? 0 : data->toggle);
    print_limits(data);
}

/* True if operations could consume a load: then a count of 0 is worth printing. */
static bool could_depend(const struct manifest *manifest, const struct manifest_item *item)
{
    static const char *const able[] = {"add", "sub", "xor", "mul", "div"};
    bool can = false, loads = false;
    for (size_t i = 0; i < sizeof able / sizeof able[0]; i++)
        can = can || strcmp(item->op, able[i]) == 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        loads = loads || strcmp(manifest->unit[i].op, "load") == 0;
    return can && loads;
}

static void print_operation(const struct manifest *manifest, const struct manifest_item *item)
{
    long long dependents = whole(item->dependents);
    const char *mark = ": ";
    if (dependents > 0 || could_depend(manifest, item)) {
        command_print(": %lld of them consume%s the last load", dependents, dependents == 1 ? "s" : "");
        mark = ", ";
    }
    if (whole(item->chain) > 0) {
        command_print("%sin chains of %lld", mark, whole(item->chain));
        mark = ", ";
    }
    if (!isnan(item->width))
        command_print("%s%lld bytes wide", mark, whole(item->width));
    print_operand_data(&item->data);
    command_print("\n");
}

/* The number of idle instructions is known only if the unit has one throttle{}. */
static void print_throttle(const struct manifest *manifest, const struct manifest_item *item)
{
    double share = rates_get(&manifest->expected, "mix.throttle", 0);
    double idle = share * manifest->instructions / fmax(1, manifest->units);
    size_t throttles = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        throttles += !isnan(manifest->unit[i].duty);
    command_print("throttle: ");
    if (throttles == 1)
        command_print("%.0f ", idle);
    command_print("idle instructions, which leave the rest %.6g of its peak rate\n", item->duty);
}

/* Prints a line where a phase begins. */
static void print_phase(const struct manifest *manifest, size_t index)
{
    size_t begin = 0;
    for (size_t i = 0; i < manifest->phase_count; i++) {
        if (begin == index)
            command_print("  phase %zu: all its units of a pass run before the next phase\n", i + 1);
        begin += (size_t)manifest->phases[i];
    }
}

static void print_unit(const struct manifest *manifest)
{
    command_print("\nunit\n");
    for (size_t i = 0; i < manifest->unit_count; i++) {
        const struct manifest_item *item = &manifest->unit[i];
        bool throttle = !isnan(item->duty);
        print_phase(manifest, i);
        command_print("  %zu. ", i + 1);
        if (!throttle)
            command_print("%lld %s", whole(item->count), item->op);
        if (throttle)
            print_throttle(manifest, item);
        else if (item->address != NULL)
            explain_access(item);
        else if (!isnan(item->accuracy))
            print_branch(item);
        else if (item->has_text)
            print_text(item);
        else if (item->is_fetched || !isnan(item->misses))
            print_code(item);
        else
            print_operation(manifest, item);
    }
}

static void print_branches(const struct manifest_branches *branches)
{
    long long total = whole(branches->total);
    if (!branches->given)
        return;
    command_print("  %lld branch%s per pass, including the loop's own: %lld random, %lld always taken, %lld "
                  "never taken\n",
                  total, total == 1 ? "" : "es", whole(branches->random), whole(branches->taken),
                  whole(branches->not_taken));
    if (branches->has_indirect)
        command_print("  %lld of them are indirect, and %lld of these are random\n",
                      whole(branches->indirect), whole(branches->indirect_random));
}

/* Where the pieces of a loop with code{} lie. */
static void print_chunks(const struct manifest_code *code, const struct machine *machine)
{
    char size[32];
    long long sets = whole(code->conflict_sets);
    long long copies = whole(code->copies);
    command_print("  in %lld piece%s that jump to each other, over %s, aligned to %lld bytes: %lld lines of "
                  "code per pass\n",
                  whole(code->chunks), plural_s((size_t)code->chunks), size_of(code->bytes, size),
                  whole(code->align), whole(code->lines));
    long long first = whole(code->first_conflict_set);
    if (sets > 0)
        command_print("  %lld of them miss L1I in every pass: they lie in set%s %lld", whole(code->misses),
                      plural_s((size_t)sets), first);
    if (sets > 1)
        command_print(" to %lld", first + sets - 1);
    if (sets > 0)
        command_print(", with more lines per set than its %u way%s\n", machine->l1i.ways,
                      plural_s(machine->l1i.ways));
    if (copies > 0)
        command_print("  %lld of them have %lld copies, executed in turn: they miss in %lld of %lld pass%s, "
                      "when the copy changes\n",
                      whole(code->copied_lines), copies, whole(code->moves), whole(code->period),
                      whole(code->period) == 1 ? "" : "es");
    if (sets == 0 && copies == 0)
        command_print("  L1I holds them all\n");
}

static void print_loop(const struct manifest *manifest, const struct machine *machine)
{
    long long units = whole(manifest->units);
    long long loads = whole(manifest->loads);
    long long stores = whole(manifest->stores);
    long long period = whole(manifest->period);
    long long bytes = whole(manifest->code.loop_bytes);
    char size[32];
    bool chunks = manifest->has_code;
    command_print("\nloop\n  %lld unit%s per pass, %lld instructions in %lld bytes of code", units,
                  plural_s((size_t)units), whole(manifest->instructions), bytes);
    if (chunks)
        command_print("\n");
    else
        command_print(": L1I (%s) holds it\n", units_show_size(machine->l1i.size, size, sizeof size));
    if (chunks)
        print_chunks(&manifest->code, machine);
    print_branches(&manifest->branches);
    command_print("  %lld load%s and %lld store%s per pass; the rates hold over %lld pass%s\n", loads,
                  plural_s((size_t)loads), stores, plural_s((size_t)stores), period, period == 1 ? "" : "es");
    if (period > 1)
        command_print("  one pass has too few misses, or a fractional number of them, so lines or hits "
                      "change from pass to pass\n");
}

/* The value in the unit that tables show. */
static void cell_rate(struct table *table, const char *metric, double value)
{
    char unit[32];
    metric_write_unit(metric, unit, sizeof unit);
    if (isnan(value))
        table_cell(table, "-");
    else
        table_cell(table, "%.6g%s", value * metric_scale(metric), unit);
}

/* A place or channel that the recipe does not name and that gets nothing: there may be a hundred of them. */
static bool is_elsewhere(const struct manifest *manifest, const struct result_rate *rate)
{
    const struct metric *row = metric_find(rate->metric);
    bool none = row != NULL && row->star == STAR_NUMBER && isnan(rate->target) && !rate->bounded &&
                rate->seen.count > 0 && !(rates_get(&manifest->expected, rate->metric, 0) > 0);
    for (size_t i = 0; none && i < rate->seen.count; i++)
        none = rate->seen.items[i].high <= 0;
    return none;
}

static void print_rates(const struct manifest *manifest, const struct result_rates *rates, bool verbose)
{
    struct table table = table_of("metric|>wanted|>expected|observed|verdict");
    unsigned elsewhere = 0;
    for (size_t i = 0; i < rates->count; i++) {
        const struct result_rate *rate = &rates->items[i];
        if (!verbose && is_elsewhere(manifest, rate)) {
            elsewhere++;
            continue;
        }
        double expected = rates_get(&manifest->expected, rate->metric, NAN);
        char observed[512];
        verdict_evidence(rate, verbose ? NULL : &table, observed, sizeof observed);
        verdict_marks(rate, rate->metric, &table);
        table_cell(&table, "%s", rate->metric);
        cell_rate(&table, rate->metric, rate->target);
        cell_rate(&table, rate->metric, expected);
        table_texts(&table, observed, verdict_name(rate->verdict));
    }
    command_print("\nrates\n");
    table_finish(&table, stdout);
    if (elsewhere > 0)
        command_print("%u place%s that the recipe does not name get%s nothing; -v prints them\n", elsewhere,
                      plural_s(elsewhere), elsewhere == 1 ? "s" : "");
}

static void print_counts(const struct rates *counts)
{
    struct table table = table_of("quantity|>per pass|what it counts");
    for (size_t i = 0; i < counts->count; i++) {
        const struct quantity *row = quantity_find(counts->items[i].metric);
        table_cell(&table, "%s", counts->items[i].metric);
        table_cell(&table, "%.6g", counts->items[i].value);
        table_cell(&table, "%s", row == NULL ? "" : row->meaning);
    }
    command_print("\ncounts\n");
    table_finish(&table, stdout);
}

static void print_tuning(const struct plan_calibration *calibration)
{
    char text[200];
    const char *source = calibration->source;
    if (!calibration->tuned)
        return;
    command_print("  %s %s: %s\n", source == NULL ? "tuned" : "calibrated by",
                  source == NULL ? "by hand" : source,
                  tuning_describe(&calibration->tuning, text, sizeof text));
}

static void print_point(const struct work_item *item, const struct machine *machine,
                        const struct manifest *manifest, const struct result_rates *rates, bool verbose)
{
    command_print("%s/%s on %s\n", item->benchmark, item->point, machine->name);
    if (machine_is_gpu(machine)) {
        explain_gpu(manifest, machine);
        print_rates(manifest, rates, verbose);
        return;
    }
    print_cache("L1I", &machine->l1i);
    print_cache("L1D", &machine->l1d);
    print_cache("L2", &machine->l2);
    if (machine->l3.size > 0)
        print_cache("L3", &machine->l3);
    print_tuning(&manifest->calibration);
    print_unit(manifest);
    print_loop(manifest, machine);
    explain_data(manifest, machine);
    if (verbose)
        print_counts(&manifest->counts);
    print_rates(manifest, rates, verbose);
}

static void print_json(const struct manifest *manifest, const struct result_rates *rates)
{
    static const char *const left_out[] = {"accesses", NULL};
    const struct field_choice choice = {left_out, true};
    struct buffer output = {0};
    struct json_text text = {.buffer = &output, .compact = true};
    json_text_open(&text, NULL, '{');
    manifest_write_members(manifest, &choice, &text);
    result_rates_write(&text, "rates", rates);
    json_text_close(&text, '}');
    command_print_json_lines(&output);
}

static enum status explain_item(const struct work_item *item, const struct options *options, bool first,
                                struct error *error)
{
    struct program program;
    bool changed;
    enum status status = work_program(item, &program, &changed, error);
    if (status != STATUS_OK) {
        program_free(&program);
        return status;
    }
    if (changed)
        command_warn(options, "%s/%s: its files differ from those generated; the present files are explained",
                     item->benchmark, item->point);
    struct test_program test_program = work_test_program(item, &program, host_choose_cpu());
    struct evidence evidence;
    status = evidence_gather(&test_program, options->counters, &evidence, error);
    if (status == STATUS_OK) {
        struct result_rates rates;
        evidence_judge(&test_program, &evidence, &rates);
        if (!first && !options->json)
            command_print("\n");
        if (options->json)
            print_json(program.manifest, &rates);
        else
            print_point(item, test_program.machine, program.manifest, &rates, options->verbose);
        result_rates_free(&rates);
    }
    evidence_free(&evidence);
    program_free(&program);
    return status;
}

/* Without --point or --filter, only each benchmark's first point that is not refused is explained. */
static bool is_wanted(const struct work *work, size_t index, const char *explained,
                      const struct options *options)
{
    return options->point != NULL || options->filter != NULL ||
           strcmp(work->items[index].benchmark, explained) != 0;
}

/* Explains all wanted points. Counts those explained and those refused; session_report_points names the
 * latter.
 */
static enum status explain_items(const struct work *work, const struct options *options, size_t *explained,
                                 size_t *refused, struct error *error)
{
    enum status status = STATUS_OK;
    const char *last = "";
    for (size_t i = 0; status == STATUS_OK && i < work->item_count; i++) {
        const struct work_item *item = &work->items[i];
        if (!is_wanted(work, i, last, options))
            continue;
        status = explain_item(item, options, *explained == 0, error);
        if (status == STATUS_RECIPE) {
            work_reduce(item, error);
            session_refuse(work->request->events, item->benchmark, item->point, error);
            ++*refused;
            status = STATUS_OK;
            continue;
        }
        last = item->benchmark;
        ++*explained;
    }
    return status;
}

static int run(const struct options *options)
{
    struct requests requests;
    struct work work = {0};
    struct error error;
    if (!evidence_check_names(options->counters, &error))
        return command_fail(&error);
    requests_fill(options, WORK_GPU_ANOTHER, &requests);
    enum status status = requests_refuse_for_suites(options, requests_of_programs, &error);
    if (status == STATUS_OK)
        status = work_open(&requests.selection, &requests.target, &work, &error);
    size_t explained = 0, refused = 0;
    if (status == STATUS_OK)
        status = explain_items(&work, options, &explained, &refused, &error);
    session_report_points(&requests.shown.events);
    size_t left = work.item_count - explained - refused;
    if (status == STATUS_OK && left > 0 && !options->quiet)
        command_note("%zu more point%s; select with --point or --filter", left, plural_s(left));
    work_close(&work);
    if (status != STATUS_OK)
        return command_fail(&error);
    return refused > 0 ? STATUS_RECIPE : STATUS_OK;
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "RECIPE|SUITE [--point POINT] [-m MACHINE] [OPTIONS]",
    .summary = "explains a program: units, eviction sets, period, expected against observed rates",
    .details =

        "For each point, the command prints the machine's caches; the unit as the recipe states it; the "
        "loop that repeats the unit; the data, with the lines that each cache gets between two uses of a "
        "line; and each rate: wanted, expected by the plan, observed by every source that works here, and "
        "its verdict. A row without a wanted value was observed, but the recipe does not request it. -v "
        "also prints what a pass does a known number of times: instructions, branches, accesses and "
        "misses by level, operations. Without --point or --filter, the first point of each benchmark is "
        "explained.\n"
        "\n"
        "trauma gen writes the program itself, as commented assembly.\n",
    .examples = "  trauma explain my.lua --point dependents=0,miss=0.37\n",
    .options = accepted,
    .run = run,
};
