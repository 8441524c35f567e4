#include "cli/explain_data.h"

#include "base/json.h"
#include "base/rational.h"
#include "base/units.h"
#include "cli/command.h"
#include "generator/suite/manifest.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long long whole(const json_t *object, const char *key)
{
    return (long long)json_number_or(object, key, 0);
}

static const char *plural(long long count)
{
    return command_plural((size_t)count);
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
        command_print(", of data %s", word);
    else if (json_object_get(data, "toggle") != NULL)
        command_print(", of data that toggle %.6g of their bits", json_number_or(data, "toggle", 0));
    else if (data != NULL)
        command_print(", of data that go through %zu words", json_array_size(json_object_get(data, "words")));
}

void explain_access(const json_t *item)
{
    const char *prefetch = json_string_or(item, "prefetch", "defeat");
    print_source(item);
    command_print(", %s, %s, %lld bytes wide", json_string_or(item, "order", ""),
                  json_string_or(item, "address", ""), whole(item, "width"));
    if (whole(item, "stride") > 0)
        command_print(", %lld bytes from one to the next", whole(item, "stride"));
    if (strcmp(prefetch, "invite") == 0)
        command_print(", in an order that prefetchers follow");
    print_words(json_object_get(item, "data"));
    command_print("\n");
}

/* ---- conflict groups ---- */

static void print_group(const json_t *group)
{
    command_print("    set %lld: %lld lines", whole(group, "l1d_set"), whole(group, "lines"));
    if (whole(group, "rounds") > 1)
        command_print(", %lld times a pass", whole(group, "rounds"));
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
        command_print(
            "  L1D has no set apart for the line of all hits: each hit reads the line of the miss before "
            "it\n");
    else
        command_print("  %s\n", has_changing_words(manifest)
                                    ? "hits read a word each, in L1D sets that no conflict group uses"
                                    : "the line of all hits is in L1D set 0");
    command_print(
        "  %zu conflict group%s, %s more lines than the %u way%s of its L1D set, so that every visit "
        "misses,\n"
        "  and few enough in each set of L2 (%u way%s) that all stay there:\n",
        count, command_plural(count), count == 1 ? "with" : "each with", machine->l1d.ways,
        command_plural(machine->l1d.ways), machine->l2.ways, command_plural(machine->l2.ways));
    for (size_t i = 0; i < count; i++)
        print_group(json_array_get(groups, i));
}

/* ---- working sets ---- */

/* A line that is read, offset bytes from where the base stands, in those turns that leave phase over cycle.
 */
struct ring_place {
    uint64_t offset, phase;
};

/* The places of a base's accesses. An access of some passes of a period only has a phase of its own, as far
 * as turns and periods keep in step. */
struct ring_places {
    struct ring_place *items; /* [count], each once */
    size_t count;
    uint64_t start, step, turns, cycle;
};

static int compare_places(const void *a, const void *b)
{
    const struct ring_place *left = a;
    const struct ring_place *right = b;
    if (left->phase != right->phase)
        return left->phase > right->phase ? 1 : -1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

/* Where the next working set begins: the last of a base's turns may have room left, and it is not its own. */
static uint64_t end_of(const json_t *bases, const struct ring_places *places)
{
    uint64_t end = places->start + places->step * places->turns;
    for (size_t i = 0; i < json_array_size(bases); i++) {
        uint64_t next = (uint64_t)whole(json_array_get(bases, i), "start");
        if (next > places->start && next < end)
            end = next;
    }
    return end;
}

static void keep_each_once(struct ring_places *places, size_t found)
{
    qsort(places->items, found, sizeof *places->items, compare_places);
    for (size_t i = 0; i < found; i++)
        if (i == 0 || compare_places(&places->items[i], &places->items[i - 1]) != 0)
            places->items[places->count++] = places->items[i];
}

static void collect_places(const json_t *manifest, size_t of_pass, struct ring_places *places)
{
    const json_t *accesses = json_object_get(manifest, "accesses");
    uint64_t end = end_of(json_object_get(json_object_get(manifest, "data"), "bases"), places);
    size_t found = 0;
    for (size_t i = 0; i < json_array_size(accesses); i++) {
        uint64_t at = (uint64_t)json_integer_value(json_array_get(accesses, i));
        uint64_t pass = i / of_pass;
        uint64_t here = places->start + pass % places->turns * places->step;
        if (at >= here && at < here + places->step && at < end)
            places->items[found++] = (struct ring_place){at - here, pass % places->cycle};
    }
    keep_each_once(places, found);
}

/* False without memory, or when no access goes there. Free places->items. */
static bool find_places(const json_t *manifest, const json_t *base, struct ring_places *places)
{
    size_t all = json_array_size(json_object_get(manifest, "accesses"));
    size_t of_pass = (size_t)(whole(manifest, "loads") + whole(manifest, "stores"));
    *places = (struct ring_places){.items = calloc(all + 1, sizeof *places->items),
                                   .start = (uint64_t)whole(base, "start"),
                                   .step = (uint64_t)whole(base, "step"),
                                   .turns = (uint64_t)whole(base, "turns")};
    if (places->items == NULL || places->step == 0 || places->turns == 0 || of_pass == 0)
        return false;
    places->cycle = rational_gcd(places->turns, (uint64_t)whole(manifest, "period"));
    collect_places(manifest, of_pass, places);
    return places->count > 0;
}

/* Lines that come to a set in all turns: the fewest and the most, of sets that get any. */
static bool count_lines(const struct ring_places *places, const struct cache *cache, unsigned *least,
                        unsigned *most)
{
    unsigned sets = cache_sets(cache);
    unsigned *lines = calloc(sets, sizeof *lines);
    if (lines == NULL)
        return false;
    for (size_t i = 0; i < places->count; i++) {
        const struct ring_place *place = &places->items[i];
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

static void print_pressure(const struct ring_places *places, const struct cache *cache, const char *name)
{
    unsigned least;
    unsigned most;
    if (!count_lines(places, cache, &least, &most))
        return;
    const char *does = least > cache->ways   ? "every visit misses"
                       : most <= cache->ways ? "all stay"
                                             : "some stay";
    command_print("      %-4s %u to %u lines in a set of %u way%s: %s\n", name, least, most, cache->ways,
                  command_plural(cache->ways), does);
}

/* Lines that come by in all turns. */
static long long lines_of(const struct ring_places *places)
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

/* Lines of the levels from this one on that come by in a pass. */
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

/* What comes by before a line comes back, beside what each cache holds. */
static void print_capacity(const struct machine *machine, const json_t *bases, const json_t *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    int level = (int)manifest_base_level(base);
    double turns = json_number_or(base, "turns", 1);
    command_print("    for %s, by capacity: %lld lines, which %.0f passes go round\n",
                  json_string_or(base, "level", "?"), whole(base, "lines"), turns);
    for (int i = LEVEL_L1; i < LEVEL_MEM; i++) {
        const struct cache *cache = machine_cache(machine, i);
        if (cache == NULL || (level < LEVEL_MEM && i > level))
            continue;
        double times =
            turns * lines_a_pass(bases, i < level ? level : i) / ((double)cache->size / cache->line);
        command_print("      %-4s %.3g times its lines come by before one comes back: %s\n", names[i], times,
                      i < level ? "every visit misses" : "all stay");
    }
}

static void print_base(const json_t *manifest, const struct machine *machine, const json_t *base)
{
    static const char *const names[] = {"L1D", "L2", "L3"};
    long long turns = whole(base, "turns");
    struct ring_places places;
    bool walk = json_is_true(json_object_get(base, "walk"));
    bool found = find_places(manifest, base, &places);
    command_print("    for %s: %lld lines over ", walk ? "a walk" : json_string_or(base, "level", "?"),
                  found ? lines_of(&places) : whole(base, "lines"));
    print_size(whole(base, "step") * turns);
    command_print(", which %lld passes go round%s\n", turns,
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
    command_print(
        "  %zu working set%s, of which every pass takes the next lines: a cache misses where a set gets "
        "more lines\n  than it has ways, or, whatever its index, where several times its lines come by\n",
        count, command_plural(count));
    for (size_t i = 0; i < count; i++) {
        if (is_by_capacity(json_array_get(bases, i)))
            print_capacity(machine, bases, json_array_get(bases, i));
        else
            print_base(manifest, machine, json_array_get(bases, i));
    }
}

void explain_data(const json_t *manifest, const struct machine *machine)
{
    const json_t *data = json_object_get(manifest, "data");
    const json_t *groups = json_object_get(data, "conflict_groups");
    const json_t *region = json_array_get(json_object_get(data, "regions"), 0);
    long long pages = whole(data, "pages");
    command_print("\ndata\n  ");
    print_size(whole(data, "bytes"));
    command_print(", of which %lld page%s of 4 KiB are touched, aligned to %lld bytes%s\n", pages,
                  plural(pages), whole(data, "align"),
                  json_is_true(json_object_get(data, "huge_pages")) ? ", in huge pages where there are any"
                                                                    : "");
    if (strcmp(json_string_or(region, "name", ""), "working sets") == 0)
        print_working_sets(manifest, machine, json_object_get(data, "bases"));
    else if (json_array_size(groups) == 0)
        command_print("  no conflict group: nothing misses\n");
    else
        print_groups(manifest, machine, groups);
}
