#include "runner/evidence/host.h"

#include "base/buffer.h"
#include "base/file.h"
#include "base/stats.h"
#include "runner/launch/host_cpu.h"
#include "runner/results/result_point.h"
#include "runner/sources/timing/reference.h"

#include <hwloc.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { LATENCY_ROUNDS = 9, LATENCY_UNITS = 256 };
static const double REP_S = 0.0005;

/* The value of a "name : value" line of /proc/cpuinfo, or null. */
static json_t *cpuinfo_value(const char *text, const char *name)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        size_t length = strlen(name);
        if (strncmp(line, name, length) != 0 || strchr(" \t:", line[length]) == NULL)
            continue;
        const char *value = line + strcspn(line, ":\n");
        value += *value == ':';
        value += strspn(value, " \t");
        return json_stringn(value, strcspn(value, "\n"));
    }
    return json_null();
}

static json_t *first_line(const char *path)
{
    struct buffer text = {0};
    json_t *line = json_null();
    if (file_read(path, &text, NULL) == STATUS_OK && text.size > 0)
        line = json_stringn(text.data, strcspn(text.data, "\n"));
    buffer_free(&text);
    return line == NULL ? json_null() : line;
}

void host_describe(json_t *context)
{
    struct utsname names;
    struct buffer cpuinfo = {0};
    bool named = uname(&names) == 0;
    json_object_set_new(context, "host", named ? json_string(names.nodename) : json_null());
    json_object_set_new(context, "kernel",
                        named ? json_sprintf("%s %s", names.sysname, names.release) : json_null());
    (void)file_read("/proc/cpuinfo", &cpuinfo, NULL);
    json_object_set_new(context, "cpu", cpuinfo_value(cpuinfo.data, "model name"));
    json_object_set_new(context, "microcode", cpuinfo_value(cpuinfo.data, "microcode"));
    buffer_free(&cpuinfo);
    json_object_set_new(context, "governor",
                        first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
}

void host_describe_processors(json_t *context)
{
    static const struct {
        const char *key;
        hwloc_obj_type_t type, otherwise;
    } kinds[] = {{"socket", HWLOC_OBJ_PACKAGE, HWLOC_OBJ_MACHINE},
                 {"cluster", HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE},
                 {"core", HWLOC_OBJ_CORE, HWLOC_OBJ_PU}};
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    json_t *processors = json_pack("{s:[], s:[], s:[], s:[]}", "cpus", "socket", "cluster", "core");
    bool loaded = hwloc_topology_load(topology) == 0;
    hwloc_obj_t pu = NULL;
    while (loaded && (pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != NULL) {
        json_array_append_new(json_object_get(processors, "cpus"), json_integer((json_int_t)pu->os_index));
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
            hwloc_obj_t unit = hwloc_get_ancestor_obj_by_type(topology, kinds[i].type, pu);
            unit = unit != NULL ? unit : hwloc_get_ancestor_obj_by_type(topology, kinds[i].otherwise, pu);
            json_array_append_new(json_object_get(processors, kinds[i].key),
                                  json_integer(unit == NULL ? -1 : (json_int_t)unit->logical_index));
        }
    }
    if (loaded)
        json_object_set(context, "processors", processors);
    json_decref(processors);
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

static void set_latencies(const struct race *race, json_t *context)
{
    double cycles[2][LATENCY_ROUNDS];
    for (size_t i = 0; i < race->rounds; i++)
        for (size_t end = HITS; end <= MISSES; end++)
            cycles[end][i] = race->ticks_per_pass[end][i] * race->clock_cycles /
                             race->ticks_per_pass[CLOCK][i] / LATENCY_UNITS;
    const struct interval pass = stats_fastest(race->ticks_per_pass[CLOCK], race->rounds);
    const double clock = race->clock_cycles;
    const struct interval core = {clock / pass.value, clock / pass.high, clock / pass.low, pass.n};
    json_object_set_new(context, "clock",
                        json_pack("{s:o}", "cycles_per_tick", result_interval_to_json(core)));
    json_object_set_new(context, "latency_cycles",
                        json_pack("{s:f, s:f}", "L1D", stats_agreeing(cycles[HITS], race->rounds).value, "L2",
                                  stats_agreeing(cycles[MISSES], race->rounds).value));
}

enum status host_measure_latency(const struct machine *machine, int cpu, json_t *context, struct error *error)
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
        set_latencies(&race, context);
    race_free(&race);
    code_generator_close(&code_generator);
    json_decref(chase);
    return status;
}
