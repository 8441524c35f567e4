/* trauma explain: explains a program. */
#include "base/json.h"
#include "base/memory.h"
#include "base/plural.h"
#include "base/rational.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/requests.h"
#include "generator/machine/machine.h"
#include "generator/plan/tuning.h"
#include "generator/suite/manifest.h"
#include "report/table.h"
#include "report/verdict_report.h"
#include "runner/launch/host.h"
#include "runner/results/evidence.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- GPU programs ---- */

/* Prints the part of trauma explain for a GPU program between its name and its rates. */

static long long whole(const json_t *object, const char *key)
{
    return (long long)json_number_or(object, key, 0);
}

static const char *size_of(const json_t *object, const char *key, char text[32])
{
    return units_format_size((uint64_t)whole(object, key), text, 32);
}

static void print_gpu_cache(const char *name, const struct cache *cache)
{
    char size[32];
    command_print("  %-4s %s, lines of %u B", name, units_format_size(cache->size, size, sizeof size),
                  cache->line);
    if (cache->sector != 0 && cache->sector != cache->line)
        command_print(" in sectors of %u B", cache->sector);
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
        command_print(" in %u shader engines", gpu->se);
    command_print(", %u threads in step\n", gpu->wave);
    print_gpu_cache("L1", &machine->l1d);
    print_gpu_cache("L2", &machine->l2);
    if (gpu->sides > 1)
        command_print("       in %u parts, each near some of the multiprocessors\n", gpu->sides);
    if (gpu->l2_channels > 0) {
        char bytes[32];
        command_print("       in %u channels, which take turns every %s\n", gpu->l2_channels,
                      units_format_size(gpu->interleave, bytes, sizeof bytes));
    }
}

static void print_numbers(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        command_print("%s%lld", i == 0 ? "" : ", ", (long long)json_integer_value(json_array_get(list, i)));
}

static void print_gpu_grid(const json_t *manifest)
{
    const json_t *grid = json_object_get(manifest, "grid");
    const char *key;
    json_t *value;
    char shared[32];
    command_print("\ngrid\n  %lld block%s of %lld threads", whole(grid, "blocks"),
                  plural_s((size_t)whole(grid, "blocks")), whole(grid, "threads"));
    if (whole(manifest, "shared_bytes") > 0)
        command_print(", with %s of shared memory each", size_of(manifest, "shared_bytes", shared));
    command_print("\n");
    json_object_foreach(json_object_get(manifest, "place"), key, value)
    {
        command_print("  place %s: ", key);
        if (json_is_string(value))
            command_print("%s", json_string_value(value));
        print_numbers(value);
        command_print("\n");
    }
}

/* A duty of 1 adds nothing. */
static void print_gpu_throttle(const json_t *manifest)
{
    const json_t *duty = json_object_get(json_object_get(manifest, "targets"), "throttle.duty");
    if (duty == NULL)
        return;
    command_print("  throttle: %lld idle instruction%s per unit, computed from the machine's gpu.bandwidth "
                  "for %.6g of its peak rate; no source observes their effect\n",
                  whole(manifest, "idle"), plural_s((size_t)whole(manifest, "idle")),
                  json_number_value(duty));
}

static void print_gpu_loop(const json_t *manifest)
{
    long long units = whole(manifest, "units");
    long long warmup = whole(manifest, "warmup");
    command_print("\nloop\n  %lld unit%s per pass with %lld instruction%s; %lld warm-up pass%s\n", units,
                  plural_s((size_t)units), whole(manifest, "instructions"),
                  plural_s((size_t)whole(manifest, "instructions")), warmup, warmup == 1 ? "" : "es");
    print_gpu_throttle(manifest);
}

static void print_gpu_streams(const json_t *manifest)
{
    static const struct table_column columns[] = {
        {"access", TABLE_LEFT}, {"level", TABLE_LEFT},     {"operator", TABLE_LEFT},
        {"bytes", TABLE_RIGHT}, {"per pass", TABLE_RIGHT}, {"region", TABLE_RIGHT},
        {"step", TABLE_RIGHT},  {"lane", TABLE_RIGHT},     {"next block", TABLE_RIGHT}};
    struct table table = {.columns = columns, .column_count = sizeof columns / sizeof columns[0]};
    const json_t *streams = json_object_get(manifest, "streams");
    const json_t *stream;
    char text[32];
    size_t i;
    json_array_foreach(streams, i, stream)
    {
        bool chase = json_is_true(json_object_get(stream, "chase"));
        const char *cache = json_string_or(stream, "cache", "");
        table_cell(&table, "%s%s", json_string_or(stream, "op", ""), chase ? ", chase" : "");
        table_cell(&table, "%s", json_string_or(stream, "level", ""));
        table_cell(&table, "%s", cache[0] == '\0' ? "-" : cache);
        table_cell(&table, "%lld", whole(stream, "width"));
        table_cell(&table, "%lld", whole(stream, "per_pass"));
        table_cell(&table, "%s", size_of(stream, "bytes", text));
        table_cell(&table, "%s", size_of(stream, "step", text));
        table_cell(&table, "%lld B", whole(stream, "lane"));
        table_cell(&table, "%s", whole(stream, "block") == 0 ? "the same" : size_of(stream, "block", text));
    }
    if (i == 0)
        return;
    command_print("\naccesses of each thread: each is one step beyond the one before and wraps at the end of "
                  "its region\n");
    table_print(&table, stdout);
    table_free(&table);
}

static void explain_gpu(const json_t *manifest, const struct machine *machine)
{
    char bytes[32];
    const json_t *data = json_object_get(manifest, "data");
    print_gpu_machine(machine);
    print_gpu_grid(manifest);
    print_gpu_loop(manifest);
    print_gpu_streams(manifest);
    command_print("\ndata\n  %s, aligned to %lld bytes\n", size_of(data, "bytes", bytes),
                  whole(data, "align"));
}

/* ---- where loads and stores go, and why they miss there ---- */

static const char *plural(long long count)
{
    return plural_s((size_t)count);
}

static void print_size(long long bytes)
{
    char size[32];
    command_print("%s", units_format_size((uint64_t)bytes, size, sizeof size));
}

/* ---- one load or store of the unit ---- */

static void print_source(const json_t *item)
{
    const json_t *served = json_object_get(item, "served");
    const char *before = ": ";
    if (whole(item, "working_set") > 0) {
        command_print(": a walk through ");
        print_size(whole(item, "working_set"));
    }
    for (int level = 0; level < LEVEL_COUNT; level++) {
        double share = json_number_or(served, level_name(level), 0);
        if (served == NULL || (share == 0 && level > LEVEL_L2))
            continue;
        command_print("%s%.6g from %s", before, share, level_name(level));
        before = ", ";
    }
}

static void print_words(const json_t *data)
{
    const char *word = json_string_or(data, "word", NULL);
    if (word != NULL)
        command_print(", data %s", word);
    else if (json_object_get(data, "toggle") != NULL)
        command_print(", data that toggle %.6g of their bits", json_number_or(data, "toggle", 0));
    else if (data != NULL)
        command_print(", data that cycle through %zu words", json_array_size(json_object_get(data, "words")));
}

/* Prints the options of a load or store of the manifest's unit, to the line's end. */
static void explain_access(const json_t *item)
{
    const char *prefetch = json_string_or(item, "prefetch", "defeat");
    print_source(item);
    command_print(", %s, %s, %lld bytes wide", json_string_or(item, "order", ""),
                  json_string_or(item, "address", ""), whole(item, "width"));
    if (whole(item, "stride") > 0)
        command_print(", %lld bytes apart", whole(item, "stride"));
    if (strcmp(prefetch, "invite") == 0)
        command_print(", in an order that prefetchers follow");
    print_words(json_object_get(item, "data"));
    command_print("\n");
}

/* ---- eviction sets ---- */

static void print_group(const json_t *group)
{
    command_print("    set %lld: %lld lines", whole(group, "l1d_set"), whole(group, "lines"));
    if (whole(group, "rounds") > 1)
        command_print(", %lld times per pass", whole(group, "rounds"));
    command_print("\n");
}

static bool has_changing_words(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *data = json_object_get(json_array_get(unit, i), "data");
        if (data != NULL && json_object_get(data, "word") == NULL)
            return true;
    }
    return false;
}

static void print_groups(const json_t *manifest, const struct machine *machine, const json_t *groups)
{
    size_t count = json_array_size(groups);
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
        print_group(json_array_get(groups, i));
}

/* ---- working sets ---- */

/* A line that is read `offset` bytes beyond the base in turns t with t % cycle == phase. */
struct rotation_place {
    uint64_t offset, phase;
};

/* The places of a base's accesses. An access that occurs only in some passes of a period has its own phase,
 * as far as turns and periods have a common divisor. */
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
static uint64_t end_of(const json_t *bases, const struct rotation_places *places)
{
    uint64_t end = places->start + places->step * places->turns;
    for (size_t i = 0; i < json_array_size(bases); i++) {
        uint64_t next = (uint64_t)whole(json_array_get(bases, i), "start");
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

static void collect_places(const json_t *manifest, size_t of_pass, struct rotation_places *places)
{
    const json_t *accesses = json_object_get(manifest, "accesses");
    uint64_t end = end_of(json_object_get(json_object_get(manifest, "data"), "bases"), places);
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(accesses); i++) {
        uint64_t at = (uint64_t)json_integer_value(json_array_get(accesses, i));
        uint64_t pass = i / of_pass;
        uint64_t here = places->start + pass % places->turns * places->step;
        if (at >= here && at < here + places->step && at < end)
            places->items[found++] = (struct rotation_place){at - here, pass % places->cycle};
    }
    keep_each_once(places, found);
}

/* False when no access goes there. Free places->items. */
static bool find_places(const json_t *manifest, const json_t *base, struct rotation_places *places)
{
    size_t all = json_array_size(json_object_get(manifest, "accesses"));
    size_t of_pass = (size_t)(whole(manifest, "loads") + whole(manifest, "stores"));
    *places = (struct rotation_places){.items = memory_zeroed(all + 1, sizeof *places->items),
                                       .start = (uint64_t)whole(base, "start"),
                                       .step = (uint64_t)whole(base, "step"),
                                       .turns = (uint64_t)whole(base, "turns")};
    if (places->step == 0 || places->turns == 0 || of_pass == 0)
        return false;
    places->cycle = rational_gcd(places->turns, (uint64_t)whole(manifest, "period"));
    collect_places(manifest, of_pass, places);
    return places->count > 0;
}

/* The fewest and the most lines that a set gets in all turns, of the sets that get any. */
static bool count_lines(const struct rotation_places *places, const struct cache *cache, unsigned *least,
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
    return true;
}

static void print_pressure(const struct rotation_places *places, const struct cache *cache, const char *name)
{
    unsigned least;
    unsigned most;
    if (!count_lines(places, cache, &least, &most))
        return;
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

static bool is_by_capacity(const json_t *base)
{
    return strcmp(json_string_or(base, "by", ""), "capacity") == 0;
}

/* Lines per pass of this level and those behind it. */
static double lines_a_pass(const json_t *bases, int level)
{
    double lines = 0;
    for (size_t i = 0; i < json_array_size(bases); i++) {
        const json_t *base = json_array_get(bases, i);
        if (is_by_capacity(base) && (int)manifest_base_level(base) >= level)
            lines += json_number_or(base, "lines", 0) / json_number_or(base, "turns", 1);
    }
    return lines;
}

/* Compares the lines that are read between two uses of a line with the capacity of each cache. */
static void print_capacity(const struct machine *machine, const json_t *bases, const json_t *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    int level = (int)manifest_base_level(base);
    double turns = json_number_or(base, "turns", 1);
    command_print("    for %s, by capacity: %lld lines, all read once in %.0f passes\n",
                  json_string_or(base, "level", "?"), whole(base, "lines"), turns);
    for (int i = LEVEL_L1; i < LEVEL_MEM; i++) {
        const struct cache *cache = machine_cache(machine, i);
        if (cache == NULL || (level < LEVEL_MEM && i > level))
            continue;
        double times =
            turns * lines_a_pass(bases, i < level ? level : i) / ((double)cache->size / cache->line);
        command_print("      %-4s %.3g times its number of lines is read before a line is read again: %s\n",
                      names[i], times, i < level ? "every access misses" : "all lines stay");
    }
}

static void print_base(const json_t *manifest, const struct machine *machine, const json_t *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    long long turns = whole(base, "turns");
    struct rotation_places places;
    bool walk = json_is_true(json_object_get(base, "walk"));
    bool found = find_places(manifest, base, &places);
    command_print("    for %s: %lld lines over ", walk ? "a walk" : json_string_or(base, "level", "?"),
                  found ? lines_of(&places) : whole(base, "lines"));
    print_size(whole(base, "step") * turns);
    command_print(", all read in %lld passes%s\n", turns,
                  walk ? "; its rates are predicted, not promised" : "");
    for (int level = LEVEL_L1; found && level < LEVEL_MEM; level++)
        if (machine_cache(machine, level) != NULL)
            print_pressure(&places, machine_cache(machine, level), names[level]);
    free(places.items);
}

static void print_working_sets(const json_t *manifest, const struct machine *machine, const json_t *bases)
{
    size_t count = json_array_size(bases);
    if (count == 0) {
        command_print("  every pass reads the same lines\n");
        return;
    }
    command_print("  %zu working set%s; each pass reads the next lines. A cache misses if one of its sets "
                  "gets more lines than it\n  has ways, or, whatever its index, if several times its "
                  "capacity is read between two uses of a line\n",
                  count, plural_s(count));
    for (size_t i = 0; i < count; i++) {
        if (is_by_capacity(json_array_get(bases, i)))
            print_capacity(machine, bases, json_array_get(bases, i));
        else
            print_base(manifest, machine, json_array_get(bases, i));
    }
}

/* Prints the manifest's data: eviction sets, working sets and the effect of each on the caches. */
static void explain_data(const json_t *manifest, const struct machine *machine)
{
    const json_t *data = json_object_get(manifest, "data");
    const json_t *groups = manifest_eviction_sets(manifest);
    const json_t *region = json_array_get(json_object_get(data, "regions"), 0);
    long long pages = whole(data, "pages");
    command_print("\ndata\n  ");
    print_size(whole(data, "bytes"));
    command_print(", of which %lld page%s of 4 KiB are accessed, aligned to %lld bytes", pages, plural(pages),
                  whole(data, "align"));
    double from = json_number_or(data, "huge_pages_from", INFINITY);
    if (from < (double)whole(data, "bytes"))
        command_print(", in huge pages where available");
    if (from > 0 && from < (double)whole(data, "bytes"))
        command_print(" except the first %.0f MiB", from / (1 << 20));
    command_print("\n");
    if (strcmp(json_string_or(region, "name", ""), "working sets") == 0)
        print_working_sets(manifest, machine, json_object_get(data, "bases"));
    else if (json_array_size(groups) == 0)
        command_print("  no eviction set: nothing misses\n");
    else
        print_groups(manifest, machine, groups);
}

/* ---- processor programs ---- */

static const char *const accepted[] = {"machine", "index",          "target",   "point", "filter",
                                       "set",     "seed",           "counters", "json",  "quiet",
                                       "verbose", "no-calibration", "tune",     NULL};

static void print_cache(const char *name, const struct cache *cache)
{
    char size[32];
    command_print("  %-4s %s, %u-way, lines of %u B, %u set%s, replacement %s\n", name,
                  units_format_size(cache->size, size, sizeof size), cache->ways, cache->line,
                  cache_sets(cache), plural_s(cache_sets(cache)), cache_policy_name(cache->policy));
}

static void print_code(const json_t *item)
{
    const json_t *fetched = json_object_get(item, "fetched");
    command_print(": jumps to another line of code; %.6g of the lines from L1I, %.6g from L2\n",
                  json_number_or(fetched, "L1I", 0), json_number_or(fetched, "L2", 0));
}

static void print_branch(const json_t *item)
{
    command_print(": accuracy %.6g", json_number_or(item, "accuracy", 1));
    if (json_object_get(item, "taken") != NULL)
        command_print(", %.6g taken", json_number_or(item, "taken", 0));
    if (json_object_get(item, "kind") != NULL)
        command_print(", %s", json_string_or(item, "kind", ""));
    command_print("\n");
}

static void print_text(const json_t *item)
{
    long long memory = whole(item, "memory");
    command_print(": the recipe's own text");
    if (memory > 0)
        command_print(", with %lld bytes of memory, so that data rates are not promised", memory);
    command_print("\n");
}

/* The operands' data, as the recipe states it. */
static void print_operand_data(const json_t *data)
{
    const char *word = json_string_or(data, "word", NULL);
    size_t words = json_array_size(json_object_get(data, "words"));
    if (word != NULL)
        command_print(", on data %s", word);
    else if (words > 0)
        command_print(", on %zu word%s in turn", words, plural_s(words));
    else if (data != NULL)
        command_print(", on words with a toggle rate of %.6g", json_number_or(data, "toggle", 0));
}

/* True if operations could consume a load: then a count of 0 is worth printing. */
static bool could_depend(const json_t *item, const json_t *unit)
{
    static const char *const able[] = {"add", "sub", "xor", "mul", "div"};
    const char *op = json_string_or(item, "op", "");
    bool can = false, loads = false;
    for (size_t i = 0; i < sizeof able / sizeof able[0]; i++)
        can = can || strcmp(op, able[i]) == 0;
    for (size_t i = 0; i < json_array_size(unit); i++)
        loads = loads || strcmp(json_string_or(json_array_get(unit, i), "op", ""), "load") == 0;
    return can && loads;
}

static void print_operation(const json_t *item, const json_t *unit)
{
    long long dependents = whole(item, "dependents");
    const char *mark = ": ";
    if (dependents > 0 || could_depend(item, unit)) {
        command_print(": %lld of them consume%s the last load", dependents, dependents == 1 ? "s" : "");
        mark = ", ";
    }
    if (whole(item, "chain") > 0) {
        command_print("%sin chains of %lld", mark, whole(item, "chain"));
        mark = ", ";
    }
    if (json_object_get(item, "width") != NULL)
        command_print("%s%lld bytes wide", mark, whole(item, "width"));
    print_operand_data(json_object_get(item, "data"));
    command_print("\n");
}

/* A duty of 1 adds nothing. The number of idle instructions is known only if the unit has one throttle{}. */
static void print_throttle(const json_t *manifest, const json_t *item, const json_t *unit)
{
    double share = json_number_or(json_object_get(manifest, "expected"), "mix.throttle", 0);
    double idle = share * (double)whole(manifest, "instructions") / fmax(1, (double)whole(manifest, "units"));
    size_t throttles = 0;
    for (size_t i = 0; i < json_array_size(unit); i++)
        throttles += json_object_get(json_array_get(unit, i), "duty") != NULL;
    command_print("throttle: ");
    if (throttles == 1)
        command_print("%.0f ", idle);
    command_print("idle instructions, which leave the rest %.6g of its peak rate\n",
                  json_number_or(item, "duty", 1));
}

/* Prints a line where a phase begins; sizes: the lengths of all phases. */
static void print_phase(const json_t *sizes, size_t index)
{
    size_t begin = 0;
    for (size_t i = 0; i < json_array_size(sizes); i++) {
        if (begin == index)
            command_print("  phase %zu: all its units of a pass run before the next phase\n", i + 1);
        begin += (size_t)json_integer_value(json_array_get(sizes, i));
    }
}

static void print_unit(const json_t *manifest)
{
    const json_t *kernel = json_object_get(manifest, "kernel");
    const json_t *unit = json_object_get(kernel, "unit");
    command_print("\nunit\n");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        print_phase(json_object_get(kernel, "phases"), i);
        bool throttle = json_object_get(item, "duty") != NULL;
        command_print("  %zu. ", i + 1);
        if (!throttle)
            command_print("%lld %s", whole(item, "count"), json_string_or(item, "op", ""));
        if (throttle)
            print_throttle(manifest, item, unit);
        else if (json_object_get(item, "address") != NULL)
            explain_access(item);
        else if (json_object_get(item, "accuracy") != NULL)
            print_branch(item);
        else if (json_object_get(item, "text") != NULL)
            print_text(item);
        else if (json_object_get(item, "fetched") != NULL)
            print_code(item);
        else
            print_operation(item, unit);
    }
}

static void print_branches(const json_t *branches)
{
    long long total = whole(branches, "total");
    if (branches == NULL)
        return;
    command_print("  %lld branch%s per pass, including the loop's own: %lld random, %lld always taken, %lld "
                  "never taken\n",
                  total, total == 1 ? "" : "es", whole(branches, "random"), whole(branches, "taken"),
                  whole(branches, "not_taken"));
    const json_t *indirect = json_object_get(branches, "indirect");
    if (indirect != NULL)
        command_print("  %lld of them are indirect, and %lld of these are random\n", whole(indirect, "total"),
                      whole(indirect, "random"));
}

/* Where the pieces of a loop with code{} lie. */
static void print_chunks(const json_t *code, const struct machine *machine)
{
    char size[32];
    long long sets = whole(code, "conflict_sets");
    long long copies = whole(code, "copies");
    command_print("  in %lld piece%s that jump to each other, over %s, aligned to %lld bytes: %lld lines of "
                  "code per pass\n",
                  whole(code, "chunks"), plural(whole(code, "chunks")),
                  units_format_size((uint64_t)whole(code, "bytes"), size, sizeof size), whole(code, "align"),
                  whole(code, "lines"));
    long long first = whole(code, "first_conflict_set");
    if (sets > 0)
        command_print("  %lld of them miss L1I in every pass: they lie in set%s %lld", whole(code, "misses"),
                      plural(sets), first);
    if (sets > 1)
        command_print(" to %lld", first + sets - 1);
    if (sets > 0)
        command_print(", with more lines per set than its %u way%s\n", machine->l1i.ways,
                      plural_s(machine->l1i.ways));
    if (copies > 0)
        command_print("  %lld of them have %lld copies, executed in turn: they miss in %lld of %lld pass%s, "
                      "when the copy changes\n",
                      whole(code, "copied_lines"), copies, whole(code, "moves"), whole(code, "period"),
                      whole(code, "period") == 1 ? "" : "es");
    if (sets == 0 && copies == 0)
        command_print("  L1I holds them all\n");
}

static void print_loop(const json_t *manifest, const struct machine *machine)
{
    long long units = whole(manifest, "units");
    long long loads = whole(manifest, "loads");
    long long stores = whole(manifest, "stores");
    long long period = whole(manifest, "period");
    long long bytes = whole(json_object_get(manifest, "code"), "loop_bytes");
    char size[32];
    bool chunks = json_object_get(manifest, "code_lines_entered") != NULL;
    command_print("\nloop\n  %lld unit%s per pass, %lld instructions in %lld bytes of code", units,
                  plural(units), whole(manifest, "instructions"), bytes);
    if (chunks)
        command_print("\n");
    else
        command_print(": L1I (%s) holds it\n", units_format_size(machine->l1i.size, size, sizeof size));
    if (chunks)
        print_chunks(json_object_get(manifest, "code"), machine);
    print_branches(json_object_get(manifest, "branches"));
    command_print("  %lld load%s and %lld store%s per pass; the rates hold over %lld pass%s\n", loads,
                  plural(loads), stores, plural(stores), period, period == 1 ? "" : "es");
    if (period > 1)
        command_print("  one pass has too few misses, or a fractional number of them, so lines or hits "
                      "change from pass to pass\n");
}

static void print_rates(const json_t *manifest, const json_t *rates, bool verbose)
{
    static const struct table_column columns[] = {{"metric", TABLE_LEFT},
                                                  {"wanted", TABLE_RIGHT},
                                                  {"expected", TABLE_RIGHT},
                                                  {"observed", TABLE_LEFT},
                                                  {"verdict", TABLE_LEFT}};
    struct table table = {.columns = columns, .column_count = 5};
    const char *metric;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)rates, metric, entry)
    {
        const json_t *target = json_object_get(entry, "target");
        const json_t *expected = json_object_get(json_object_get(manifest, "expected"), metric);
        char observed[512];
        verdict_evidence(entry, verbose ? NULL : &table, observed, sizeof observed);
        table_cell(&table, "%s", metric);
        table_cell(&table, json_is_number(target) ? "%.6g" : "-", json_number_value(target));
        table_cell(&table, json_is_number(expected) ? "%.6g" : "-", json_number_value(expected));
        table_cell(&table, "%s", observed);
        table_cell(&table, "%s", json_string_or(entry, "verdict", ""));
    }
    command_print("\nrates\n");
    table_print(&table, stdout);
    table_free(&table);
}

static void print_tuning(const json_t *calibration)
{
    struct plan_tuning tuning = {0};
    char text[200];
    const char *source = json_string_or(calibration, "source", NULL);
    if (calibration == NULL ||
        tuning_from_json(json_object_get(calibration, "tuning"), NULL, &tuning, NULL) != STATUS_OK)
        return;
    command_print("  %s %s: %s\n", source == NULL ? "tuned" : "calibrated by",
                  source == NULL ? "by hand" : source, tuning_describe(&tuning, text, sizeof text));
}

static void print_point(const struct work_item *item, const struct machine *machine, const json_t *manifest,
                        const json_t *rates, bool verbose)
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
    print_tuning(json_object_get(manifest, "calibration"));
    print_unit(manifest);
    print_loop(manifest, machine);
    explain_data(manifest, machine);
    print_rates(manifest, rates, verbose);
}

static void print_json(const json_t *manifest, const json_t *rates)
{
    json_t *document = json_copy((json_t *)(uintptr_t)manifest);
    json_object_del(document, "accesses");
    json_object_set(document, "rates", (json_t *)(uintptr_t)rates);
    command_print_json(document, 0);
    json_decref(document);
}

static enum status explain_item(const struct work_item *item, const struct options *options,
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
        json_t *rates = evidence_judge(&test_program, &evidence);
        if (options->json)
            print_json(program.manifest, rates);
        else
            print_point(item, test_program.machine, program.manifest, rates, options->verbose);
        json_decref(rates);
    }
    evidence_free(&evidence);
    program_free(&program);
    return status;
}

/* Without --point or --filter, only each benchmark's first point is explained. */
static bool is_wanted(const struct work *work, size_t index, const struct options *options)
{
    if (options->point != NULL || options->filter != NULL || index == 0)
        return true;
    return strcmp(work->items[index].benchmark, work->items[index - 1].benchmark) != 0;
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
    size_t explained = 0;
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++) {
        if (!is_wanted(&work, i, options))
            continue;
        if (explained++ > 0 && !options->json)
            command_print("\n");
        status = explain_item(&work.items[i], options, &error);
    }
    if (status == STATUS_OK && explained < work.item_count && !options->quiet)
        command_tell("%zu more point%s; select with --point or --filter", work.item_count - explained,
                     plural_s(work.item_count - explained));
    work_close(&work);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "RECIPE|SUITE [--point POINT] [-m MACHINE] [OPTIONS]",
    .summary = "explains a program: units, eviction sets, period, expected against observed rates",
    .details = NULL,
    .options = accepted,
    .run = run,
};
