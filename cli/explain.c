/* trauma explain: why a program is as it is. */
#include "base/json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/judged.h"
#include "cli/work.h"
#include "runner/evidence.h"
#include "runner/host.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const accepted[] = {"machine",  "point", "filter", "set",     "seed",
                                       "counters", "json",  "quiet",  "verbose", NULL};

static long long whole(const json_t *object, const char *key)
{
    return (long long)json_number_or(object, key, 0);
}

static const char *plural(long long count)
{
    return command_plural((size_t)count);
}

static void print_cache(const char *name, const struct cache *cache)
{
    char size[32];
    printf("  %-4s %s, %u-way, lines of %u B, %u set%s, replacement %s\n", name,
           units_format_size(cache->size, size, sizeof size), cache->ways, cache->line, cache_sets(cache),
           command_plural(cache_sets(cache)), cache_policy_name(cache->policy));
}

static void print_load(const json_t *item)
{
    const json_t *served = json_object_get(item, "served");
    const char *word = json_string_or(json_object_get(item, "data"), "word", NULL);
    printf(": %.6g from L1, %.6g from L2, %s, %s, %lld bytes wide", json_number_or(served, "L1", 0),
           json_number_or(served, "L2", 0), json_string_or(item, "order", ""),
           json_string_or(item, "address", ""), whole(item, "width"));
    if (word != NULL)
        printf(", of data %s", word);
    printf("\n");
}

static void print_code(const json_t *item)
{
    const json_t *fetched = json_object_get(item, "fetched");
    printf(": on to another line of code; %.6g of the lines from L1I, %.6g from L2\n",
           json_number_or(fetched, "L1I", 0), json_number_or(fetched, "L2", 0));
}

static void print_branch(const json_t *item)
{
    printf(": accuracy %.6g", json_number_or(item, "accuracy", 1));
    if (json_object_get(item, "taken") != NULL)
        printf(", %.6g taken", json_number_or(item, "taken", 0));
    if (json_object_get(item, "kind") != NULL)
        printf(", %s", json_string_or(item, "kind", ""));
    printf("\n");
}

static void print_text(const json_t *item)
{
    long long memory = whole(item, "memory");
    printf(": the recipe's own text");
    if (memory > 0)
        printf(", with %lld bytes of memory, so that rates of data are not promised", memory);
    printf("\n");
}

static void print_operation(const json_t *item)
{
    long long dependents = whole(item, "dependents");
    printf(": %lld of them consume%s the last load", dependents, dependents == 1 ? "s" : "");
    if (whole(item, "chain") > 0)
        printf(", in chains of %lld", whole(item, "chain"));
    printf("\n");
}

static void print_unit(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    printf("\nunit\n");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        printf("  %zu. %lld %s", i + 1, whole(item, "count"), json_string_or(item, "op", ""));
        if (json_object_get(item, "served") != NULL)
            print_load(item);
        else if (json_object_get(item, "accuracy") != NULL)
            print_branch(item);
        else if (json_object_get(item, "text") != NULL)
            print_text(item);
        else if (json_object_get(item, "fetched") != NULL)
            print_code(item);
        else
            print_operation(item);
    }
}

static void print_branches(const json_t *branches)
{
    long long total = whole(branches, "total");
    if (branches == NULL)
        return;
    printf("  %lld branch%s a pass, the loop's own among them: %lld random, %lld always taken, %lld never\n",
           total, total == 1 ? "" : "es", whole(branches, "random"), whole(branches, "taken"),
           whole(branches, "not_taken"));
    const json_t *indirect = json_object_get(branches, "indirect");
    if (indirect != NULL)
        printf("  %lld of them through a register, %lld of these random\n", whole(indirect, "total"),
               whole(indirect, "random"));
}

/* Where the pieces of a loop with code{} lie. */
static void print_chunks(const json_t *code, const struct machine *machine)
{
    char size[32];
    long long sets = whole(code, "conflict_sets");
    long long copies = whole(code, "copies");
    printf("  in %lld piece%s that jump to each other, over %s, aligned to %lld bytes: %lld lines of code a "
           "pass\n",
           whole(code, "chunks"), plural(whole(code, "chunks")),
           units_format_size((uint64_t)whole(code, "bytes"), size, sizeof size), whole(code, "align"),
           whole(code, "lines"));
    long long first = whole(code, "first_conflict_set");
    if (sets > 0)
        printf("  %lld of them miss L1I in every pass: they lie in set%s %lld", whole(code, "misses"),
               plural(sets), first);
    if (sets > 1)
        printf(" to %lld", first + sets - 1);
    if (sets > 0)
        printf(", with more of them to a set than its %u way%s\n", machine->l1i.ways,
               command_plural(machine->l1i.ways));
    if (copies > 0)
        printf("  %lld of them have %lld copies, entered in turn: they miss in %lld of %lld pass%s, when the "
               "copy "
               "changes\n",
               whole(code, "copied_lines"), copies, whole(code, "moves"), whole(code, "period"),
               whole(code, "period") == 1 ? "" : "es");
    if (sets == 0 && copies == 0)
        printf("  L1I holds them all\n");
}

static void print_loop(const json_t *manifest, const struct machine *machine)
{
    long long units = whole(manifest, "units");
    long long loads = whole(manifest, "loads");
    long long period = whole(manifest, "period");
    long long bytes = whole(json_object_get(manifest, "code"), "loop_bytes");
    char size[32];
    bool chunks = json_object_get(manifest, "code_lines_entered") != NULL;
    printf("\nloop\n  %lld unit%s a pass, %lld instructions in %lld bytes of code", units, plural(units),
           whole(manifest, "instructions"), bytes);
    if (chunks)
        printf("\n");
    else
        printf(": L1I (%s) holds it\n", units_format_size(machine->l1i.size, size, sizeof size));
    if (chunks)
        print_chunks(json_object_get(manifest, "code"), machine);
    print_branches(json_object_get(manifest, "branches"));
    printf("  %lld load%s a pass; the rates hold over %lld pass%s\n", loads, plural(loads), period,
           period == 1 ? "" : "es");
    if (period > 1)
        printf(
            "  one pass has too few misses, or not a whole number of them: lines or hits change from pass to "
            "pass\n");
}

static void print_group(const json_t *group)
{
    printf("    set %lld: %lld lines", whole(group, "l1d_set"), whole(group, "lines"));
    if (whole(group, "rounds") > 1)
        printf(", %lld times a pass", whole(group, "rounds"));
    printf("\n");
}

static void print_groups(const json_t *manifest, const struct machine *machine)
{
    const json_t *data = json_object_get(manifest, "data");
    const json_t *groups = json_object_get(data, "conflict_groups");
    size_t count = json_array_size(groups);
    bool changes = json_object_get(json_array_get(json_object_get(data, "regions"), 0), "words") != NULL;
    long long pages = whole(data, "pages");
    char size[32];
    units_format_size((uint64_t)whole(data, "bytes"), size, sizeof size);
    printf("\ndata\n  %s over %lld page%s of 4 KiB, aligned to %lld bytes\n", size, pages, plural(pages),
           whole(data, "align"));
    if (count == 0) {
        printf("  no conflict group: nothing misses\n");
        return;
    }
    if (cache_sets(&machine->l1d) == 1)
        printf("  L1D has no set apart for the line of all hits: each hit reads the line of the miss before "
               "it\n");
    else
        printf("  %s\n", changes ? "hits read a word each, in L1D sets that no conflict group uses"
                                 : "the line of all hits is in L1D set 0");
    printf("  %zu conflict group%s, %s more lines than the %u way%s of its L1D set, so that every visit "
           "misses,\n"
           "  and few enough in each set of L2 (%u way%s) that all stay there:\n",
           count, command_plural(count), count == 1 ? "with" : "each with", machine->l1d.ways,
           command_plural(machine->l1d.ways), machine->l2.ways, command_plural(machine->l2.ways));
    for (size_t i = 0; i < count; i++)
        print_group(json_array_get(groups, i));
}

static void print_rates(const json_t *manifest, const json_t *rates)
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
        judged_evidence(entry, observed, sizeof observed);
        table_cell(&table, "%s", metric);
        table_cell(&table, json_is_number(target) ? "%.6g" : "-", json_number_value(target));
        table_cell(&table, json_is_number(expected) ? "%.6g" : "-", json_number_value(expected));
        table_cell(&table, "%s", observed);
        table_cell(&table, "%s", json_string_or(entry, "verdict", ""));
    }
    printf("\nrates\n");
    table_print(&table);
    table_free(&table);
}

static void print_point(const struct work_item *item, const struct machine *machine, const json_t *manifest,
                        const json_t *rates)
{
    printf("%s/%s on %s\n", item->benchmark, item->point, machine->name);
    print_cache("L1I", &machine->l1i);
    print_cache("L1D", &machine->l1d);
    print_cache("L2", &machine->l2);
    print_unit(manifest);
    print_loop(manifest, machine);
    print_groups(manifest, machine);
    print_rates(manifest, rates);
}

static void print_json(const json_t *manifest, const json_t *rates)
{
    json_t *document = json_copy((json_t *)(uintptr_t)manifest);
    json_object_del(document, "accesses");
    json_object_set(document, "rates", (json_t *)(uintptr_t)rates);
    command_print_json(document, 0);
    json_decref(document);
}

static enum status explain_item(const struct work *work, const struct work_item *item,
                                const struct options *options, struct error *error)
{
    struct program program;
    bool changed;
    enum status status = work_program(work, item, &program, &changed, error);
    if (status != STATUS_OK) {
        program_free(&program);
        return status;
    }
    if (changed)
        command_warn(options,
                     "%s/%s: its files are not those that were generated; what is there is explained",
                     item->benchmark, item->point);
    struct subject subject = work_subject(work, item, &program, host_choose_cpu());
    struct evidence evidence;
    status = evidence_gather(&subject, options->counters, &evidence, error);
    if (status == STATUS_OK) {
        json_t *rates = evidence_judge(&subject, &evidence);
        if (options->json)
            print_json(program.manifest, rates);
        else
            print_point(item, subject.machine, program.manifest, rates);
        json_decref(rates);
    }
    evidence_free(&evidence);
    program_free(&program);
    return status;
}

/* Without --point or --filter, each benchmark's first point stands for the others. */
static bool is_wanted(const struct work *work, size_t index, const struct options *options)
{
    if (options->point != NULL || options->filter != NULL || index == 0)
        return true;
    return strcmp(work->items[index].benchmark, work->items[index - 1].benchmark) != 0;
}

static int run(const struct options *options)
{
    struct work work;
    struct error error;
    if (!evidence_check_names(options->counters, &error))
        return command_fail(&error);
    enum status status = work_open(options, false, &work, &error);
    size_t explained = 0;
    for (size_t i = 0; status == STATUS_OK && i < work.item_count; i++) {
        if (!is_wanted(&work, i, options))
            continue;
        if (explained++ > 0 && !options->json)
            printf("\n");
        status = explain_item(&work, &work.items[i], options, &error);
    }
    if (status == STATUS_OK && explained < work.item_count && !options->quiet)
        fprintf(stderr, "%zu more point%s; --point or --filter chooses\n", work.item_count - explained,
                command_plural(work.item_count - explained));
    work_close(&work);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

const struct command command_explain = {
    .name = "explain",
    .arguments = "RECIPE|SUITE [--point POINT] [-m MACHINE] [OPTIONS]",
    .summary = "tells why a program is as it is: units, conflict groups, period, expected against observed",
    .details = NULL,
    .options = accepted,
    .run = run,
};
