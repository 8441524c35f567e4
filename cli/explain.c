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

static void print_cache(const char *name, const struct cache *cache)
{
    char size[32];
    printf("  %-4s %s, %u-way, lines of %u B, %u sets, replacement %s\n", name,
           units_format_size(cache->size, size, sizeof size), cache->ways, cache->line, cache_sets(cache),
           cache_policy_name(cache->policy));
}

static void print_unit(const json_t *manifest)
{
    const json_t *unit = json_object_get(json_object_get(manifest, "kernel"), "unit");
    printf("\nunit\n");
    for (size_t i = 0; i < json_array_size(unit); i++) {
        const json_t *item = json_array_get(unit, i);
        printf("  %zu. %lld %s", i + 1, whole(item, "count"), json_string_or(item, "op", ""));
        const json_t *served = json_object_get(item, "served");
        if (served != NULL)
            printf(": %.6g from L1, %.6g from L2, %s, %s\n", json_number_or(served, "L1", 0),
                   json_number_or(served, "L2", 0), json_string_or(item, "order", ""),
                   json_string_or(item, "address", ""));
        else
            printf(": %lld of them consume the last load\n", whole(item, "dependents"));
    }
}

static void print_loop(const json_t *manifest, const struct machine *machine)
{
    long long units = whole(manifest, "units");
    long long period = whole(manifest, "period");
    long long bytes = whole(json_object_get(manifest, "code"), "loop_bytes");
    char size[32];
    printf("\nloop\n  %lld units a pass, %lld instructions in %lld bytes of code: L1I (%s) holds it\n", units,
           whole(manifest, "instructions"), bytes, units_format_size(machine->l1i.size, size, sizeof size));
    printf("  %lld loads a pass; the rates hold over %lld pass%s\n", whole(manifest, "loads"), period,
           period == 1 ? "" : "es");
    if (period > 1)
        printf(
            "  one pass has too few misses, or not a whole number of them: lines or hits change from pass to "
            "pass\n");
}

static void print_groups(const json_t *manifest, const struct machine *machine)
{
    const json_t *data = json_object_get(manifest, "data");
    const json_t *groups = json_object_get(data, "conflict_groups");
    char size[32];
    units_format_size((uint64_t)whole(data, "bytes"), size, sizeof size);
    printf("\ndata\n  %s over %lld pages of 4 KiB, aligned to %lld bytes\n", size, whole(data, "pages"),
           whole(data, "align"));
    if (json_array_size(groups) == 0) {
        printf("  no conflict group: nothing misses\n");
        return;
    }
    printf("  the line of all hits is in L1D set 0\n  %zu conflict groups, each with more lines than the %u "
           "ways of "
           "its L1D set, so that every visit misses,\n  and few enough in each set of L2 (%u ways) that all "
           "stay "
           "there:\n",
           json_array_size(groups), machine->l1d.ways, machine->l2.ways);
    for (size_t i = 0; i < json_array_size(groups); i++) {
        const json_t *group = json_array_get(groups, i);
        printf("    set %lld: %lld lines", whole(group, "l1d_set"), whole(group, "lines"));
        if (whole(group, "rounds") > 1)
            printf(", %lld times a pass", whole(group, "rounds"));
        printf("\n");
    }
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
    struct buffer text = {0};
    json_object_del(document, "accesses");
    json_object_set(document, "rates", (json_t *)(uintptr_t)rates);
    json_write(&text, document, 0);
    fputs(text.data, stdout);
    buffer_free(&text);
    json_decref(document);
}

static enum status explain_item(const struct work *work, const struct work_item *item,
                                const struct options *options, struct error *error)
{
    struct program program;
    bool changed;
    enum status status = work_program(work, item, (uint64_t)options->seed, &program, &changed, error);
    if (status != STATUS_OK) {
        program_free(&program);
        return status;
    }
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
        fprintf(stderr, "%zu more points; --point or --filter chooses\n", work.item_count - explained);
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
