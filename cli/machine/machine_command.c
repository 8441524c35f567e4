/* trauma machine: prints machine descriptions, and writes that of the present machine. */
#include "base/buffer.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text/suggest.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/options/output_kind.h"
#include "generator/machine/core_kinds.h"
#include "generator/machine/detect.h"
#include "report/table.h"
#include "runner/simulators/simulator.h"
#include "session/devices.h"
#include "session/find_machine.h"

#include <stdio.h>
#include <string.h>

struct action {
    const char *name;
    size_t inputs_most; /* most arguments after the action's name */
    enum status (*run)(const struct options *options, struct error *error);
};

/* Prints the description, or writes it to the file of -o. */
static enum status deliver(const struct machine *machine, const struct options *options, struct error *error)
{
    struct buffer text = {0};
    enum status status = output_kind_check(options->output, options->json ? ".json" : ".lua", error);
    if (status != STATUS_OK)
        return status;
    if (options->json)
        json_write(&text, machine->document, 2);
    else
        machine_write_lua(machine, &text);
    status = output_write(options->output, text.data, text.size, error);
    buffer_free(&text);
    return status;
}

/* Warns of what the description of a detected machine cannot express. */
static void warn_of_notes(const struct machine *machine, const struct options *options)
{
    const char *note;
    for (size_t i = 0; (note = machine_note(machine, i)) != NULL; i++)
        command_warn(options, "%s", note);
}

static enum status find_and_deliver(const char *name, const struct options *options, struct error *error)
{
    struct machine machine;
    enum status status = find_machine(name, "", &machine, error);
    if (status == STATUS_OK)
        status = deliver(&machine, options, error);
    machine_free(&machine);
    return status;
}

static bool names_folder(const char *path)
{
    return path != NULL && path[0] != '\0' && (path[strlen(path) - 1] == '/' || file_is_folder(path));
}

/* Writes NAME-KIND for the kind of core, or NAME if all cores are of one kind (NULL). */
static enum status write_kind(const char *root, const struct core_kind *kind, const struct options *given,
                              struct error *error)
{
    struct machine machine;
    struct options options = *given;
    char name[128], path[FILE_PATH_BYTES];
    enum status status =
        detect_machine_in(root, kind == NULL ? DETECT_FIRST : (int)kind->first, &machine, error);
    if (status == STATUS_OK) {
        snprintf(name, sizeof name, "%s%s%s.%s", machine.name, kind == NULL ? "" : "-",
                 kind == NULL ? "" : kind->name, given->json ? "json" : "lua");
        options.output = file_join(path, given->output, name);
        status = deliver(&machine, &options, error);
    }
    if (status == STATUS_OK && !given->quiet)
        command_note("%s%s%s", path, kind == NULL ? "" : ": processors ",
                     kind == NULL ? "" : kind->cpus.data);
    machine_free(&machine);
    return status;
}

static enum status write_kinds(const char *root, const struct options *options, struct error *error)
{
    if (options_given(options, "cpu"))
        return error_set(error, STATUS_USAGE, "-o %s is a folder for all kinds of core, and --cpu names one",
                         options->output);
    struct core_kinds kinds = core_kinds_at(root);
    enum status status = file_make_folders(options->output, error);
    if (status == STATUS_OK && kinds.count < 2)
        status = write_kind(root, NULL, options, error);
    for (size_t i = 0; status == STATUS_OK && kinds.count > 1 && i < kinds.count; i++)
        status = write_kind(root, &kinds.items[i], options, error);
    core_kinds_free(&kinds);
    return status;
}

/* Detects the present machine, or the one whose /proc and /sys are copied below --sysfs-root. */
static enum status detect_processor(const struct options *options, struct error *error)
{
    const char *root = options->sysfs_root;
    if (root != NULL && options->target != NULL)
        return error_set(error, STATUS_USAGE, "trauma machine detect takes --sysfs-root or -t, not both");
    if (root != NULL && !file_is_folder(root))
        return error_set(error, STATUS_USAGE, "--sysfs-root %s is not a folder", root);
    if (names_folder(options->output))
        return write_kinds(root == NULL ? "" : root, options, error);
    struct machine machine;
    int cpu = options_given(options, "cpu") ? (int)options->cpu : DETECT_FIRST;
    enum status status = detect_machine_in(root == NULL ? "" : root, cpu, &machine, error);
    if (status == STATUS_OK) {
        warn_of_notes(&machine, options);
        status = deliver(&machine, options, error);
    }
    machine_free(&machine);
    return status;
}

static enum status detect(const struct options *options, struct error *error)
{
    if (options->machine != NULL) {
        error_set(error, STATUS_USAGE, "trauma machine detect describes the present machine and takes no -m");
        error_hint(error, "trauma machine show %s prints that one", options->machine);
        return STATUS_USAGE;
    }
    if (options->sysfs_root != NULL || options->target == NULL)
        return detect_processor(options, error);
    struct machine machine;
    enum status status = devices_detect((unsigned)options->device, options->target, &machine, error);
    if (status == STATUS_OK)
        status = deliver(&machine, options, error);
    machine_free(&machine);
    return status;
}

/* Prints the machine as a simulator's configuration. */
static enum status show_as(const char *name, const struct options *options, struct error *error)
{
    const struct simulator *simulator = NULL;
    struct machine machine = {0};
    struct buffer text = {0}, notes = {0};
    enum status status = simulator_find(options->as, &simulator, error);
    if (status == STATUS_OK && simulator->configure == NULL)
        status = error_set(error, STATUS_USAGE, "--as %s: this simulator is not configured by a file",
                           simulator->name);
    if (status == STATUS_OK && (options->target != NULL || options->json))
        status = error_set(error, STATUS_USAGE, "--as prints a simulator's configuration, and takes no %s",
                           options->json ? "--json" : "-t");
    if (status == STATUS_OK)
        status = find_machine(name, "", &machine, error);
    if (status == STATUS_OK && machine_is_gpu(&machine))
        status = error_set(error, STATUS_USAGE, "--as is for processors, and %s is a GPU", machine.name);
    if (status == STATUS_OK)
        status = simulator->configure(&machine, &text, &notes, error);
    for (size_t at = 0; status == STATUS_OK && at < notes.size && !options->quiet;) {
        size_t length = strcspn(notes.data + at, "\n");
        command_note("%.*s", (int)length, notes.data + at);
        at += length + 1;
    }
    if (status == STATUS_OK)
        status = output_write(options->output, text.data, text.size, error);
    buffer_free(&text);
    buffer_free(&notes);
    machine_free(&machine);
    return status;
}

static enum status show(const struct options *options, struct error *error)
{
    const char *name = options->input_count > 1 ? options->inputs[1] : NULL;
    if (name != NULL && options->machine != NULL) {
        error_set(error, STATUS_USAGE, "trauma machine show takes one machine; found %s and -m %s", name,
                  options->machine);
        error_hint(error, "name one");
        return STATUS_USAGE;
    }
    name = name != NULL ? name : options->machine;
    if (options->as != NULL)
        return show_as(name, options, error);
    if (options->target == NULL)
        return find_and_deliver(name, options, error);
    if (name == NULL)
        return detect(options, error);
    error_set(error, STATUS_USAGE, "trauma machine show takes a machine or -t; found %s and -t %s", name,
              options->target);
    error_hint(error, "-t selects the present machine's GPU");
    return STATUS_USAGE;
}

/* ---- list ---- */

static void cell_cache(struct table *table, const struct cache *cache)
{
    char size[32];
    if (cache->size == 0)
        table_cell(table, "-");
    else
        table_cell(table, "%s", units_show_size(cache->size, size, sizeof size));
}

static void print_machine(const struct machine *machine, const char *name, bool json, struct table *table)
{
    if (json) {
        struct json_text line = {.buffer = NULL};
        json_text_open(&line, NULL, '{');
        json_text_string(&line, "name", name);
        json_text_value(&line, "machine", machine->document);
        json_text_close(&line, '}');
        command_print_tree(&line, 0);
        return;
    }
    table_texts(table, name, machine->isa, machine->vendor);
    cell_cache(table, &machine->l1d);
    cell_cache(table, &machine->l2);
    cell_cache(table, &machine->l3);
}

static enum status list(const struct options *options, struct error *error)
{
    struct table table = table_of("machine|isa|vendor|>L1D|>L2|>L3");
    char **names = machine_names(error);
    enum status status = names == NULL ? error->code : STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && names[i] != NULL; i++) {
        struct machine machine;
        status = find_machine(names[i], "", &machine, error);
        if (status == STATUS_OK)
            print_machine(&machine, names[i], options->json, &table);
        machine_free(&machine);
    }
    if (status == STATUS_OK && !options->json)
        table_print(&table, stdout);
    table_free(&table);
    if (names != NULL)
        file_free_names(names);
    return status;
}

static const struct action actions[] = {
    {"list", 0, list}, {"show", 1, show}, {"detect", 0, detect}, {"probe", 0, machine_probe}};
enum { ACTION_COUNT = sizeof actions / sizeof actions[0] };

static enum status find_action(const struct options *options, const struct action **action,
                               struct error *error)
{
    const char *names[ACTION_COUNT];
    for (size_t i = 0; i < ACTION_COUNT; i++) {
        names[i] = actions[i].name;
        if (options->input_count > 0 && strcmp(options->inputs[0], names[i]) == 0) {
            *action = &actions[i];
            return STATUS_OK;
        }
    }
    static const char usage[] = "trauma machine list, show [NAME|FILE], detect or probe";
    if (options->input_count == 0) {
        error_set(error, STATUS_USAGE, "trauma machine needs an action");
        error_hint(error, "%s", usage);
    } else {
        error_set(error, STATUS_USAGE, "trauma machine has no action '%s'", options->inputs[0]);
        suggest_hint(error, options->inputs[0], names, ACTION_COUNT, usage);
    }
    return STATUS_USAGE;
}

static int run(const struct options *options)
{
    struct error error;
    const struct action *action = NULL;
    enum status status = find_action(options, &action, &error);
    if (status == STATUS_OK && options->input_count > 1 + action->inputs_most) {
        status = error_set(&error, STATUS_USAGE, "trauma machine %s takes no argument '%s'", action->name,
                           options->inputs[1 + action->inputs_most]);
        error_hint(&error, "trauma machine --help lists its arguments");
    }
    if (status == STATUS_OK && action->run != machine_probe && (options->figure != NULL || options->time > 0))
        status = error_set(&error, STATUS_USAGE, "trauma machine %s takes no --%s, as it measures nothing",
                           action->name, options->figure != NULL ? "figure" : "time");
    if (status == STATUS_OK && action->run != machine_probe && options->structures)
        status = error_set(&error, STATUS_USAGE, "trauma machine %s takes no --structures: probe does",
                           action->name);
    if (status == STATUS_OK && action->run != show && options->as != NULL)
        status = error_set(&error, STATUS_USAGE, "trauma machine %s takes no --as: show does", action->name);
    if (status == STATUS_OK && action->run != detect && options->sysfs_root != NULL)
        status = error_set(&error, STATUS_USAGE,
                           "trauma machine %s takes no --sysfs-root: only detect reads files", action->name);
    if (status == STATUS_OK && (action->run != detect || options->target != NULL) &&
        options_given(options, "cpu"))
        status =
            error_set(&error, STATUS_USAGE, "trauma machine %s%s takes no --cpu: detect describes a core",
                      action->name, options->target == NULL ? "" : " of a GPU");
    if (status == STATUS_OK)
        status = action->run(options, &error);
    return status == STATUS_OK ? STATUS_OK : command_fail(&error);
}

static const char *const accepted[] = {"machine", "target",     "device", "output",     "json",
                                       "figure",  "time",       "quiet",  "sysfs-root", "cpu",
                                       "as",      "structures", NULL};

const struct command command_machine = {
    .name = "machine",
    .arguments = "list | show [NAME|FILE] | detect | probe",
    .summary = "lists or prints descriptions of machines, or detects or measures this one",
    .details =

        "  list              lists the shipped machines, with the sizes of their caches\n"
        "  show [NAME|FILE]  prints the description of the named machine, or else of this machine, as a "
        "machine file; with -t that of this machine's GPU, as detect does; with --as a simulator's "
        "configuration\n"
        "  detect            describes this machine as the processor (CPUID; MIDR and HWCAPs; hwprobe) "
        "and the operating system report it. --sysfs-root DIR describes the machine whose /proc and "
        "/sys/devices/system/cpu were copied to DIR. --cpu N selects the core, if there are several "
        "kinds. -t ptx or -t gcn describes this machine's NVIDIA or AMD GPU; --device N selects one of "
        "several\n"
        "  probe             measures this machine with microbenchmarks. It prints the findings with "
        "intervals beside what the system reports, including a core's real share of L2 and L3 "
        "(effective). --figure draws latency over working set. With -t ptx it measures the GPU. With "
        "--structures it measures what is inside a core instead, each with its curve: reorder buffer, "
        "queues, registers, schedulers, predictors, misses in flight, TLBs, replacement policies; -o "
        "FILE.html writes a page of them\n"
        "\n"
        "-o writes the description to a file; -m accepts it if it is Lua. detect -o FOLDER/ writes a file "
        "for each kind of core, NAME-KIND.lua. show's NAME is a machine in recipes/machines.\n",
    .examples = "  trauma machine list\n"
                "  trauma machine show cortex-a72 -o mine.lua  # to change, then -m mine.lua\n"
                "  trauma machine show cortex-a53 --as champsim -o champsim.json\n"
                "  trauma machine probe -o this.lua --figure latency.svg\n"
                "  trauma machine probe --structures -o core.html\n",
    .options = accepted,
    .run = run,
};
