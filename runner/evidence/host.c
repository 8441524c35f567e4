#include "runner/evidence/host.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/json/field_json.h"
#include "base/stats.h"
#include "runner/launch/host_cpu.h"
#include "runner/sources/timing/reference.h"

#include <hwloc.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LATENCY_ROUNDS = 9, LATENCY_UNITS = 256 };
static const double REP_S = 0.0005;

/* The value of a "name : value" line of /proc/cpuinfo, or NULL. */
static const char *cpuinfo_value(struct arena *arena, const char *text, const char *name)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || strchr(" \t:", line[length]) == NULL)
            continue;
        const char *value = line + strcspn(line, ":\n");
        value += *value == ':';
        value += strspn(value, " \t");
        return arena_print(arena, "%.*s", (int)strcspn(value, "\n"), value);
    }
    return NULL;
}

static const char *first_line(struct arena *arena, const char *path)
{
    struct buffer text = {0};
    const char *line = NULL;
    if (file_read(path, &text, NULL) == STATUS_OK && text.size > 0)
        line = arena_print(arena, "%.*s", (int)strcspn(text.data, "\n"), text.data);
    buffer_free(&text);
    return line;
}

void host_read(struct host_names *host)
{
    struct utsname names;
    struct buffer cpuinfo = {0};
    *host = (struct host_names){.host = NULL};
    if (uname(&names) == 0) {
        host->host = arena_strdup(&host->arena, names.nodename);
        host->kernel = arena_print(&host->arena, "%s %s", names.sysname, names.release);
    }
    (void)file_read("/proc/cpuinfo", &cpuinfo, NULL);
    host->cpu = cpuinfo_value(&host->arena, cpuinfo.data, "model name");
    host->microcode = cpuinfo_value(&host->arena, cpuinfo.data, "microcode");
    buffer_free(&cpuinfo);
    host->governor = first_line(&host->arena, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
}

void host_write(struct json_text *text)
{
    static const struct field_row rows[] = {FIELD_ROW(host_names, "host", FIELD_NOTHING, host),
                                            FIELD_ROW(host_names, "kernel", FIELD_NOTHING, kernel),
                                            FIELD_ROW(host_names, "cpu", FIELD_NOTHING, cpu),
                                            FIELD_ROW(host_names, "microcode", FIELD_NOTHING, microcode),
                                            FIELD_ROW(host_names, "governor", FIELD_NOTHING, governor),
                                            {NULL}};
    struct host_names names;
    host_read(&names);
    fields_write(text, rows, NULL, &names);
    arena_free(&names.arena);
}

/* Writes one list: for each processor, the number of the unit that it belongs to. */
static void write_units(struct json_text *text, const char *key, hwloc_topology_t topology,
                        hwloc_obj_type_t type, hwloc_obj_type_t otherwise)
{
    hwloc_obj_t pu = NULL;
    json_text_open(text, key, '[');
    while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != NULL) {
        hwloc_obj_t unit = type == HWLOC_OBJ_PU ? pu : hwloc_get_ancestor_obj_by_type(topology, type, pu);
        unit = unit != NULL ? unit : hwloc_get_ancestor_obj_by_type(topology, otherwise, pu);
        json_text_integer(text, NULL,
                          unit == NULL           ? -1
                          : type == HWLOC_OBJ_PU ? (long long)pu->os_index
                                                 : (long long)unit->logical_index);
    }
    json_text_close(text, ']');
}

void host_write_processors(struct json_text *text)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    if (hwloc_topology_load(topology) == 0) {
        json_text_open(text, "processors", '{');
        write_units(text, "cpus", topology, HWLOC_OBJ_PU, HWLOC_OBJ_PU);
        write_units(text, "socket", topology, HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE);
        write_units(text, "cluster", topology, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE);
        write_units(text, "core", topology, HWLOC_OBJ_CORE, HWLOC_OBJ_PU);
        json_text_close(text, '}');
    }
    hwloc_topology_destroy(topology);
}

int host_choose_cpu(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return -1;
    int cpu = -1;
    hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
    if (allowed != NULL && hwloc_topology_load(topology) == 0 &&
        hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_PROCESS) == 0)
        cpu = host_cpu_like_first(topology, allowed);
    hwloc_bitmap_free(allowed);
    hwloc_topology_destroy(topology);
    return cpu;
}

enum { HITS, MISSES, CLOCK };

static void write_latencies(const struct race *race, struct json_text *text)
{
    double cycles[2][LATENCY_ROUNDS];
    for (size_t i = 0; i < race->rounds; i++)
        for (size_t end = HITS; end <= MISSES; end++)
            cycles[end][i] = race->ticks_per_pass[end][i] * race->clock_cycles /
                             race->ticks_per_pass[CLOCK][i] / LATENCY_UNITS;
    const struct interval pass = stats_fastest(race->ticks_per_pass[CLOCK], race->rounds);
    const double clock = race->clock_cycles;
    const struct interval core = {clock / pass.value, clock / pass.high, clock / pass.low, pass.n};
    json_text_open(text, "clock", '{');
    json_text_open(text, "cycles_per_tick", '{');
    fields_write(text, interval_fields, NULL, &core);
    json_text_close(text, '}');
    json_text_close(text, '}');
    json_text_open(text, "latency_cycles", '{');
    json_text_real(text, "L1D", stats_agreeing(cycles[HITS], race->rounds).value);
    json_text_real(text, "L2", stats_agreeing(cycles[MISSES], race->rounds).value);
    json_text_close(text, '}');
}

enum status host_measure_latency(const struct machine *machine, int cpu, struct json_text *text,
                                 struct error *error)
{
    if (!machine->present || machine_is_gpu(machine))
        return error_set(error, STATUS_UNAVAILABLE, "%s is not the machine that this runs on", machine->name);
    struct code_generator code_generator;
    struct race race = {.rep_s = REP_S};
    json_t *chase = json_pack("{s:[{s:s, s:{s:i, s:i}, s:s}]}", "unit", "op", "load", "served", "L1", 1, "L2",
                              0, "address", "chase");
    const struct manifest manifest = {.kernel = chase, .units = LATENCY_UNITS};
    struct test_program test_program = {
        .benchmark = "latency", .point = "", .manifest = &manifest, .machine = machine, .cpu = cpu};
    enum status status = code_generator_open(machine->isa, &code_generator, error);
    if (status == STATUS_OK)
        status = race_add_end(&race, &test_program, &code_generator, (struct race_end){LEVEL_L1, 0}, error);
    if (status == STATUS_OK)
        status = race_add_end(&race, &test_program, &code_generator, (struct race_end){LEVEL_L2, 0}, error);
    if (status == STATUS_OK)
        status = race_add_clock(&race, &test_program, &code_generator, error);
    if (status == STATUS_OK)
        status = race_run(&race, LATENCY_ROUNDS, error);
    if (status == STATUS_OK)
        write_latencies(&race, text);
    race_free(&race);
    code_generator_close(&code_generator);
    json_decref(chase);
    return status;
}
