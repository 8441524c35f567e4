#include "cli/explain_gpu.h"

#include "base/json.h"
#include "base/plural.h"
#include "base/units.h"
#include "cli/command.h"
#include "report/table.h"

#include <stdio.h>
#include <string.h>

static long long whole(const json_t *object, const char *key)
{
    return (long long)json_number_or(object, key, 0);
}

static const char *size_of(const json_t *object, const char *key, char text[32])
{
    return units_format_size((uint64_t)whole(object, key), text, 32);
}

static void print_cache(const char *name, const struct cache *cache)
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

static void print_machine(const struct machine *machine)
{
    const struct gpu *gpu = &machine->gpu;
    command_print("  %s, %u %s", gpu->arch, gpu->sm,
                  strcmp(machine->isa, "ptx") == 0 ? "multiprocessors" : "compute units");
    if (gpu->se > 0)
        command_print(" in %u shader engines", gpu->se);
    command_print(", %u threads in step\n", gpu->wave);
    print_cache("L1", &machine->l1d);
    print_cache("L2", &machine->l2);
    if (gpu->sides > 1)
        command_print("       in %u parts, each near to some multiprocessors\n", gpu->sides);
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

static void print_grid(const json_t *manifest)
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
static void print_throttle(const json_t *manifest)
{
    const json_t *duty = json_object_get(json_object_get(manifest, "targets"), "throttle.duty");
    if (duty == NULL)
        return;
    command_print(
        "  throttle: %lld idle instruction%s a unit, counted out by the machine's gpu.bandwidth for %.6g of "
        "its peak rate; no source sees what comes of them\n",
        whole(manifest, "idle"), plural_s((size_t)whole(manifest, "idle")), json_number_value(duty));
}

static void print_loop(const json_t *manifest)
{
    long long units = whole(manifest, "units");
    long long warmup = whole(manifest, "warmup");
    command_print("\nloop\n  %lld unit%s a pass, %lld instruction%s of theirs; %lld pass%s of warm-up\n",
                  units, plural_s((size_t)units), whole(manifest, "instructions"),
                  plural_s((size_t)whole(manifest, "instructions")), warmup, warmup == 1 ? "" : "es");
    print_throttle(manifest);
}

static void print_streams(const json_t *manifest)
{
    static const struct table_column columns[] = {
        {"access", TABLE_LEFT}, {"level", TABLE_LEFT},   {"operator", TABLE_LEFT},
        {"bytes", TABLE_RIGHT}, {"a pass", TABLE_RIGHT}, {"region", TABLE_RIGHT},
        {"step", TABLE_RIGHT},  {"lane", TABLE_RIGHT},   {"next block", TABLE_RIGHT}};
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
    command_print(
        "\naccesses, of each thread: every one a step on from the one before, round and round its region\n");
    table_print(&table, stdout);
    table_free(&table);
}

void explain_gpu(const json_t *manifest, const struct machine *machine)
{
    char bytes[32];
    const json_t *data = json_object_get(manifest, "data");
    print_machine(machine);
    print_grid(manifest);
    print_loop(manifest);
    print_streams(manifest);
    command_print("\ndata\n  %s, aligned to %lld bytes\n", size_of(data, "bytes", bytes),
                  whole(data, "align"));
}
