#include "cli/options/options.h"

#include "base/json.h"
#include "base/text/suggest.h"
#include "base/units.h"

#include <assert.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { KIND_FLAG, KIND_TEXT, KIND_WHOLE, KIND_SECONDS, KIND_SET, KIND_TUNE };

struct option_row {
    const char *name;
    char letter;
    enum kind kind;
    const char *argument;
    size_t offset; /* of the field in struct options */
    const char *help;
};

#define FIELD(field) offsetof(struct options, field)

static const struct option_row rows[] = {
    {"machine", 'm', KIND_TEXT, "MACHINE", FIELD(machine),
     "a machine file or a name under recipes/machines (default: this machine)"},
    {"target", 't', KIND_TEXT, "TARGET", FIELD(target),
     "only points of this target (x86_64, aarch64, riscv64, ptx, gcn)"},
    {"output", 'o', KIND_TEXT, "PATH", FIELD(output),
     "where to write; -: standard output, if the output is text"},
    {"failed-in", 0, KIND_TEXT, "FILE", FIELD(failed_in),
     "only points that did not pass, or did not run, in this results file"},
    {"filter", 0, KIND_TEXT, "REGEX", FIELD(filter), "only points whose benchmark/point matches"},
    {"set", 0, KIND_SET, "NAME=VALUE", 0, "set a sweep parameter: one value, or several with commas"},
    {"seed", 0, KIND_WHOLE, "N", FIELD(seed), "seed of all random orders (1)"},
    {"shard", 0, KIND_TEXT, "I/N", FIELD(shard),
     "only every N-th point, starting at the I-th; I counts from 1 (default: SLURM_ARRAY_TASK_ID and "
     "SLURM_ARRAY_TASK_COUNT)"},
    {"op", 0, KIND_TEXT, "OP", FIELD(op), "read, write or copy (default: all three)"},
    {"node", 0, KIND_TEXT, "N|all", FIELD(node), "the NUMA node of the data; all: each node in turn"},
    {"streams", 0, KIND_WHOLE, "N", FIELD(streams),
     "cores that stream beside the chase (default: all others)"},
    {"threads", 0, KIND_WHOLE, "N|all", FIELD(threads),
     "copies that run together, each on its own core (1); all: on every logical processor of its kind"},
    {"point", 0, KIND_TEXT, "POINT", FIELD(point), "the point, as `trauma list -v` names it"},
    {"benchmark", 0, KIND_TEXT, "NAME", FIELD(benchmark), "only this benchmark"},
    {"x", 0, KIND_TEXT, "NAME,...", FIELD(x), "of the model linear: the regressors"},
    {"y", 0, KIND_TEXT, "METRIC,...", FIELD(y),
     "of the model linear: the metric to fit (dynamic_w: power above idle)"},
    {"intercept", 0, KIND_FLAG, NULL, FIELD(intercept), "of the model linear: add a constant term"},
    {"nonnegative", 0, KIND_FLAG, NULL, FIELD(nonnegative), "of the model linear: no coefficient below 0"},
    {"channel", 0, KIND_TEXT, "CHANNEL", FIELD(channel),
     "fit to this channel's power: dram, core, package, uncore, psys, gpu, or its name in the results"},
    {"by", 0, KIND_TEXT, "NAME", FIELD(by), "one line per value of this sweep parameter"},
    {"counters", 0, KIND_TEXT, "LIST", FIELD(counters),
     "sources of evidence, with commas: plan, bytes, cachegrind, qemu, wave, warp, timing, duty, perf, "
     "record, cupti"},
    {"import", 0, KIND_TEXT, "FILE", FIELD(import),
     "import the counters of one point from another tool: perf stat -j or -x, or CSV of Nsight Compute, "
     "rocprof or CodeXL"},
    {"as", 0, KIND_TEXT, "SIMULATOR", FIELD(as),
     "print the machine as a simulator's configuration: champsim, gem5, cachegrind or drcachesim"},
    {"simulator", 0, KIND_TEXT, "NAME", FIELD(simulator),
     "judge a simulator by its report on a suite (--import): champsim, gem5, cachegrind, drcachesim, or csv"},
    {"columns", 0, KIND_TEXT, "LIST", FIELD(columns),
     "the meaning of unknown columns of an imported file: NAME=METRIC,...; which rows to read, if there are "
     "several scopes: @kernel=NAME, @core=CPU0, @pmu=cpu_core, ...; the form of numbers: @decimal=point or "
     "@decimal=comma"},
    {"events", 0, KIND_FLAG, NULL, FIELD(events),
     "list the events behind each metric, and the papers' counters"},
    {"all", 0, KIND_FLAG, NULL, FIELD(all), "also every event that libpfm4 knows for this processor"},
    {"suite", 0, KIND_TEXT, "DIR", FIELD(suite),
     "the suite whose programs were counted elsewhere (`trauma gen events`)"},
    {"counts", 0, KIND_TEXT, "FILE", FIELD(counts),
     "counts made elsewhere: a table of program, event, passes, count, or a folder "
     "BENCHMARK/POINT/PASSES.csv of `perf stat -x,` or `-j`"},
    {"claims", 0, KIND_TEXT, "FILE", FIELD(claims),
     "the quantities that events are believed to count, rows EVENT = QUANTITY (default: their names in "
     "templates/events/)"},
    {"against", 0, KIND_TEXT, "OLD.json", FIELD(against),
     "compare with this earlier scorecard; exit 5 if something became worse"},
    {"badge", 0, KIND_TEXT, "FILE.svg", FIELD(badge),
     "also write a badge with the number of rates that hold"},
    {"metrics", 0, KIND_FLAG, NULL, FIELD(metrics),
     "list every metric: its unit, what it counts, its sources, and which of them work here"},
    {"power", 0, KIND_TEXT, "LIST", FIELD(power),
     "sensors, with commas: NAME[=ADDRESS][@KEY=VALUE]..., or none; `trauma sensors` lists them (default: "
     "the variable TRAUMA_POWER, or all that are found)"},
    {"sysfs-root", 0, KIND_TEXT, "DIR", FIELD(sysfs_root),
     "look for sensors and the machine's state under this folder instead of /"},
    {"cpu", 0, KIND_WHOLE, "N", FIELD(cpu),
     "describe the core of this logical processor (default: the first that may be used)"},
    {"device", 0, KIND_WHOLE, "N", FIELD(device), "which GPU, as `trauma sensors` numbers them (0)"},
    {"allow-state", 0, KIND_FLAG, NULL, FIELD(allow_state),
     "set the state that a recipe requests (state = {...}), and restore it afterwards; one run at a time; "
     "under --sysfs-root, also restore the state that a killed command left"},
    {"index", 0, KIND_TEXT, "KIND", FIELD(index),
     "the index of the caches behind L1: virtual (the program's addresses, as in simulators) or unknown"},
    {"map", 0, KIND_TEXT, "KIND", FIELD(map),
     "the places of the program's pages in qemu: none (the default), pages (at random), or hashed (at "
     "random, "
     "and L2 and L3 hash their index)"},
    {"markers", 0, KIND_TEXT, "KIND", FIELD(markers),
     "a simulator's region markers around the measured passes: gem5, gem5-address or cpuid (Simics)"},
    {"trace", 0, KIND_TEXT, "FORMAT", FIELD(trace),
     "also write a trace of each program for a simulator: champsim, drmemtrace or dinero"},
    {"phases", 0, KIND_WHOLE, "N", FIELD(phases), "the most phases beside the whole (4); 1: none"},
    {"passes", 0, KIND_WHOLE, "N", FIELD(passes),
     "passes of the trace after the warm-up (100; for ChampSim as many as it needs)"},
    {"prefix", 0, KIND_TEXT, "NAME", FIELD(prefix),
     "the beginning of all names that objects export, instead of 'trauma'"},
    {"calibrate", 0, KIND_FLAG, NULL, FIELD(calibrate),
     "tune the plans until the machine meets their rates, and store the result"},
    {"no-calibration", 0, KIND_FLAG, NULL, FIELD(no_calibration), "ignore stored calibrations"},
    {"probe", 0, KIND_FLAG, NULL, FIELD(probe),
     "first measure a core's share of this machine's caches and its issue width, and store them for later "
     "runs"},
    {"structures", 0, KIND_FLAG, NULL, FIELD(structures),
     "measure the core's own structures instead: reorder buffer, queues, registers, predictors, replacement"},
    {"tune", 0, KIND_TUNE, "NAME=VALUE", 0,
     "tune by hand: depth (lines of an eviction set, in multiples of the ways), or the value to aim at for a "
     "miss rate"},
    {"here", 0, KIND_FLAG, NULL, FIELD(here),
     "the machine of -m is this host, even if its file describes the caches differently"},
    {"reps", 0, KIND_WHOLE, "N", FIELD(reps), "repetitions of each point (5); more if they disagree"},
    {"time", 0, KIND_SECONDS, "SECONDS", FIELD(time), "duration of one repetition (0.05)"},
    {"interval", 0, KIND_SECONDS, "T", FIELD(interval),
     "also record each interval of this length, in seconds or as 200ms, as it ends"},
    {"noise", 0, KIND_TEXT, "WATTS", FIELD(noise),
     "standard deviation of the meter's mean over one second (0.1)"},
    {"measure", 0, KIND_FLAG, NULL, FIELD(measure),
     "load the processors in waves; report how each sensor updates, averages, lags and compares"},
    {"order", 0, KIND_TEXT, "ORDER", FIELD(order),
     "order of the points: given, or random by the seed (default: random if power is measured)"},
    {"figure", 0, KIND_TEXT, "FILE", FIELD(figure), "draw the results into FILE.svg or FILE.png"},
    {"idle", 0, KIND_TEXT, "MODEL.json", FIELD(idle),
     "take the idle power at each temperature from this model instead of from the idle intervals"},
    {"explain", 0, KIND_FLAG, NULL, FIELD(explain),
     "describe what the model assumes and needs, and when not to trust it"},
    {"force", 0, KIND_FLAG, NULL, FIELD(force),
     "write into a folder that contains other files; only files with the suite's names are replaced"},
    {"resume", 0, KIND_FLAG, NULL, FIELD(resume), "continue an existing results file"},
    {"jobs", 'j', KIND_WHOLE, "N", FIELD(jobs), "number of parallel processes (default: one per processor)"},
    {"follow", 0, KIND_FLAG, NULL, FIELD(follow),
     "predict each step of a growing trace, until the line \"end\", Ctrl-C, or --time without a new line"},
    {"each", 0, KIND_FLAG, NULL, FIELD(each),
     "files with the same name up to the first dot are one application; a file of settings alone applies to "
     "all"},
    {"dry-run", 0, KIND_FLAG, NULL, FIELD(dry_run), "print what would be done, without doing it"},
    {"strict", 0, KIND_FLAG, NULL, FIELD(strict),
     "exit 4 if a rate is unobserved, inconclusive, or on this machine pass (code)"},
    {"schema", 0, KIND_FLAG, NULL, FIELD(schema), "print the JSON schema of a line of results"},
    {"wide", 0, KIND_FLAG, NULL, FIELD(wide), "one row per point, a column per metric"},
    {"threshold", 0, KIND_TEXT, "LIST", FIELD(threshold),
     "largest change that does not count: X, or rates=X,time=X,power=X (0.01; for time and power 0.05 of the "
     "old value)"},
    {"marker", 0, KIND_FLAG, NULL, FIELD(marker), "the placeholder is s_movk_i32 sN, 0x7a5a, for any N"},
    {"replace", 0, KIND_TEXT, "WORD|TEXT", FIELD(replace),
     "the placeholder: eight hexadecimal digits, or an instruction's text"},
    {"with", 0, KIND_TEXT, "TEXT", FIELD(with), "the instruction to put there"},
    {"field", 0, KIND_TEXT, "LIST", FIELD(field),
     "read these adjacent fields of the wave's hardware ID into the placeholder's register (cu,sh,se)"},
    {"kernel", 0, KIND_TEXT, "NAME", FIELD(kernel), "only code of this kernel"},
    {"occurrence", 0, KIND_TEXT, "N|all", FIELD(occurrence),
     "which of several placeholders to replace: the N-th, or all"},
    {"unreached", 0, KIND_FLAG, NULL, FIELD(unreached),
     "include code that control flow does not reach from a kernel's entry; it may be data"},
    {"list", 0, KIND_FLAG, NULL, FIELD(list), "list kernels, instructions and offsets"},
    {"failed", 0, KIND_FLAG, NULL, FIELD(failed), "show only what did not pass"},
    {"as-is", 0, KIND_FLAG, NULL, FIELD(as_is), "also judge files of a suite that were changed"},
    {"tap", 0, KIND_FLAG, NULL, FIELD(tap), "print TAP version 13"},
    {"junit", 0, KIND_TEXT, "FILE", FIELD(junit),
     "also write a JUnit report; -: to standard output, in place of the table"},
    {"json", 0, KIND_FLAG, NULL, FIELD(json), "machine-readable output"},
    {"csv", 0, KIND_FLAG, NULL, FIELD(csv), "only the table, as comma-separated values"},
    {"quiet", 'q', KIND_FLAG, NULL, FIELD(quiet), "no progress and no warnings"},
    {"verbose", 'v', KIND_FLAG, NULL, FIELD(verbose), "print more details"},
    {"help", 'h', KIND_FLAG, NULL, FIELD(help), "this text"},
};

/* The meaning of options for one command, or for it and its parts, where that is not the general one. */
static const struct {
    const char *command, *option, *help;
} own_meanings[] = {
    {"measure sharing", "op", "latency, read or copy (default: all three)"},
    {"measure loaded", "op", "read, write, copy, or N:M, reads to writes (default: the first three)"},
    {"measure instruction", "list", "print a table of the instructions of a FILE, or of all forms"},
    {"measure", "time", "duration of one repetition"},
    {"check", "jobs", "number of parallel processes (default: one per processor, at most 8)"},
    {"validate", "jobs", "number of parallel processes (default: one per processor, at most 8)"},
    {"validate", "time", "duration of the whole validation at most (600)"},
    {"validate", "schema", "print the JSON schema of a scorecard"},
    {"machine", "target", "describe or measure this machine's GPU: ptx or gcn"},
    {"machine", "time", "duration of the whole probe (60)"},
    {"machine", "sysfs-root", "describe the machine whose /proc and /sys are copied to this folder"},
    {"sensors", "time", "duration of --measure (24)"},
    {"sensors", "allow-state", "under --sysfs-root, also restore the state that a killed command left"},
    {"plot", "x", "draw against this sweep parameter or metric"},
    {"plot", "y", "draw these metrics, one panel each"},
    {"merge", "strict", "exit 4 if a shard is missing"},
    {"patch", "target", "only code for this processor (gfx906)"},
    {"fit", "set", "set one of the model's settings"},
    {"design", "set", "set one of the model's settings"},
    {"design", "time", "duration of the whole measurement (default: that of the recipes)"},
    {"predict", "set", "set one of the model's settings, or the ghz or temperature_c that a trace lacks"},
    {"predict", "time", "with --follow: the longest wait for a new line (default: unlimited)"},
    {"predict", "allow-state", "with --follow: set the clock that keeps the cap, and restore it afterwards"},
    {"record", "counters", "counts, libpfm4's events and raw codes, with commas; perf (all counts) or none"},
    {"record", "reps", "runs of the command, each with the next group of counts (1)"},
    {"record", "resume", "add to an existing file of the same machine"},
    {"clone", "machine",
     "machine files or names under recipes/machines, with commas (default: this machine)"},
};

/* Ranges of numbers. From 2^53 on, a double cannot represent every whole number. Seconds must exceed `least`.
 */
static const struct range {
    const char *name;
    double least, most;
} ranges[] = {{"seed", 0, 9007199254740991},
              {"reps", 1, 1000},
              {"passes", 1, 1000000},
              {"phases", 1, 4},
              {"threads", 1, 1024},
              {"time", 0, 86400},
              {"interval", 0.001, 86400},
              {"jobs", 1, 256},
              {"cpu", 0, 8191},
              {"streams", 1, 1024},
              {"device", 0, 255}};

enum { ROW_COUNT = sizeof rows / sizeof rows[0] };
static_assert((int)ROW_COUNT <= (int)OPTIONS_ROWS, "struct options has room for every row");

static bool accepts(const char *const *accepted, const char *name)
{
    if (strcmp(name, "help") == 0)
        return true;
    for (size_t i = 0; accepted != NULL && accepted[i] != NULL; i++)
        if (strcmp(accepted[i], name) == 0)
            return true;
    return false;
}

static const struct option_row *find_row(const char *const *accepted, const char *name, size_t length,
                                         char letter)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        bool same = letter != 0 ? rows[i].letter == letter
                                : strlen(rows[i].name) == length && strncmp(rows[i].name, name, length) == 0;
        if (same && accepts(accepted, rows[i].name))
            return &rows[i];
    }
    return NULL;
}

static enum status unknown(const char *command, const char *given, const char *const *accepted,
                           struct error *error)
{
    const char *names[ROW_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (accepts(accepted, rows[i].name))
            names[count++] = rows[i].name;
    char word[64];
    const char *bare = given + strspn(given, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    const char *meant = suggest(word, names, count);
    error_set(error, STATUS_USAGE, "trauma %s takes no option %s", command, given);
    if (meant != NULL)
        error_hint(error, "did you mean --%s?", meant);
    else
        error_hint(error, "trauma %s --help lists its options", command);
    return STATUS_USAGE;
}

static enum status add_override(struct options *options, char *text, struct error *error)
{
    char *equals = strchr(text, '=');
    if (options->override_count == OPTIONS_MOST) {
        error_set(error, STATUS_USAGE, "--set is given more than %d times: '%s' is one too many",
                  OPTIONS_MOST, text);
        error_hint(error, "one --set takes several values: NAME=0.1,0.9");
        return STATUS_USAGE;
    }
    if (equals == NULL || equals == text || equals[1] == '\0') {
        error_set(error, STATUS_USAGE, "--set: expected NAME=VALUE, found '%s'", text);
        error_hint(error, "for example --set hit=0.5, or --set hit=0.1,0.9");
        return STATUS_USAGE;
    }
    *equals = '\0';
    options->overrides[options->override_count++] = (struct override){text, equals + 1};
    return STATUS_OK;
}

static const struct range *range_of(const struct option_row *row)
{
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++)
        if (strcmp(ranges[i].name, row->name) == 0)
            return &ranges[i];
    abort(); /* each option with a number needs a range */
}

static enum status store_number(const struct option_row *row, const char *value, double *field,
                                struct error *error)
{
    const struct range *range = range_of(row);
    bool whole = row->kind == KIND_WHOLE;
    double number;
    if (strcmp(row->name, "threads") == 0 && strcmp(value, "all") == 0) {
        *field = OPTIONS_ALL;
        return STATUS_OK;
    }
    bool read = whole ? units_parse_number(value, &number) : units_parse_seconds(value, &number);
    bool good = read && number <= range->most &&
                (whole ? number >= range->least && number == floor(number) : number > range->least);
    if (good)
        *field = number;
    else if (whole)
        error_set(error, STATUS_USAGE, "--%s: expected a whole number from %.0f to %.0f, found '%s'",
                  row->name, range->least, range->most, value);
    else
        error_set(error, STATUS_USAGE,
                  "--%s: expected a number of seconds above %g and at most %.0f, found '%s'", row->name,
                  range->least, range->most, value);
    return good ? STATUS_OK : STATUS_USAGE;
}

static enum status add_tuning(struct options *options, const char *text, struct error *error)
{
    char name[64];
    const char *equals = strchr(text, '=');
    double value;
    if (equals == NULL || !units_parse_number(equals + 1, &value)) {
        error_set(error, STATUS_USAGE, "--tune: expected NAME=NUMBER, found '%s'", text);
        error_hint(error, "for example --tune depth=3, or --tune l1d.miss_rate=0.4");
        return STATUS_USAGE;
    }
    snprintf(name, sizeof name, "%.*s", (int)(equals - text), text);
    return tuning_set(&options->tuning, name, value, error);
}

static enum status store(const struct option_row *row, char *value, struct options *options,
                         struct error *error)
{
    void *field = (char *)options + row->offset;
    if (row->kind == KIND_SET)
        return add_override(options, value, error);
    if (row->kind == KIND_TUNE)
        return add_tuning(options, value, error);
    if (row->kind != KIND_TEXT)
        return store_number(row, value, field, error);
    memcpy(field, &value, sizeof value);
    return STATUS_OK;
}

/* The second of two selections would silently replace the first. */
static enum status refuse_twice(const struct option_row *row, const struct options *options,
                                struct error *error)
{
    static const char *const selections[] = {"filter", "failed-in", "point", "benchmark", "shard"};
    for (size_t i = 0; i < sizeof selections / sizeof selections[0]; i++)
        if (options->given[row - rows] && strcmp(row->name, selections[i]) == 0)
            return error_set(error, STATUS_USAGE, "--%s is given twice; expected one", row->name);
    return STATUS_OK;
}

/* Reads the option at argv[*at] and its value, which follows '=' or is the next word. */
static enum status take(int argc, char **argv, int *at, const char *command, const char *const *accepted,
                        struct options *options, struct error *error)
{
    char *word = argv[*at];
    bool is_long = word[1] == '-';
    char *equals = is_long ? strchr(word, '=') : NULL;
    size_t length = equals == NULL ? strlen(word + 2) : (size_t)(equals - word - 2);
    const struct option_row *row = find_row(accepted, word + 2, is_long ? length : 0, is_long ? 0 : word[1]);
    if (row == NULL)
        return unknown(command, word, accepted, error);
    if (refuse_twice(row, options, error) != STATUS_OK)
        return STATUS_USAGE;
    options->given[row - rows] = true;
    bool joined = !is_long && word[2] != '\0';
    if (row->kind == KIND_FLAG) {
        if (equals != NULL || joined)
            return unknown(command, word, accepted, error);
        *((bool *)((char *)options + row->offset)) = true;
        return STATUS_OK;
    }
    char *value = equals != NULL ? equals + 1 : joined ? word + 2 : argv[*at + 1];
    if (equals == NULL && !joined && ++*at >= argc)
        return error_set(error, STATUS_USAGE, "--%s: expected %s after it", row->name, row->argument);
    return store(row, value, options, error);
}

bool options_given(const struct options *options, const char *name)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (options->given[i] && strcmp(rows[i].name, name) == 0)
            return true;
    return false;
}

enum status options_refuse(const struct options *options, const char *const *names, const char *input,
                           const char *why, struct error *error)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (!options_given(options, names[i]))
            continue;
        error_set(error, STATUS_USAGE, "--%s does not apply to %s", names[i], input);
        error_hint(error, "%s", why);
        return STATUS_USAGE;
    }
    return STATUS_OK;
}

/* All arguments, as names and paths go into results, indices and messages. */
static enum status check_utf8(int argc, char **argv, struct error *error)
{
    for (int i = 1; i < argc; i++) {
        if (json_is_text(argv[i]))
            continue;
        return error_set(error, STATUS_USAGE, "the argument '%.200s' is not UTF-8", argv[i]);
    }
    return STATUS_OK;
}

enum status options_parse(int argc, char **argv, const char *command, const char *const *accepted,
                          struct options *options, struct error *error)
{
    memset(options, 0, sizeof *options);
    options->seed = 1;
    bool only_inputs = false;
    enum status status = check_utf8(argc, argv, error);
    if (status != STATUS_OK)
        return status;
    for (int i = 1; i < argc; i++) {
        bool is_option = !only_inputs && argv[i][0] == '-' && argv[i][1] != '\0';
        if (is_option && strcmp(argv[i], "--") == 0) {
            only_inputs = true;
            continue;
        }
        if (is_option) {
            status = take(argc, argv, &i, command, accepted, options, error);
            if (status != STATUS_OK)
                return status;
        } else if (options->input_count == OPTIONS_MOST) {
            error_set(error, STATUS_USAGE, "trauma %s takes at most %d files or names: '%s' is one too many",
                      command, OPTIONS_MOST, argv[i]);
            error_hint(error, "name a folder to use all files in it");
            return STATUS_USAGE;
        } else {
            options->inputs[options->input_count++] = argv[i];
        }
    }
    return STATUS_OK;
}

enum status options_check_command(const struct options *options, const char *name, struct error *error)
{
    if (options->command == NULL) {
        error_set(error, STATUS_USAGE, "trauma %s needs a command to run, behind --", name);
        error_hint(error, "trauma %s%s%s -- %s", name, options->output == NULL ? "" : " -o ",
                   options->output == NULL ? "" : options->output,
                   options->input_count > 0 ? options->inputs[0] : "COMMAND ARGS");
        return STATUS_USAGE;
    }
    if (options->input_count > 0)
        return error_set(error, STATUS_USAGE,
                         "'%s' stands before --: the command and its arguments stand behind it",
                         options->inputs[0]);
    return STATUS_OK;
}

bool options_is_of(const char *command, const char *name)
{
    size_t length = strlen(name);
    return strncmp(command, name, length) == 0 && (command[length] == '\0' || command[length] == ' ');
}

static const char *help_of(const struct option_row *row, const char *command)
{
    for (size_t i = 0; i < sizeof own_meanings / sizeof own_meanings[0]; i++)
        if (strcmp(own_meanings[i].option, row->name) == 0 && options_is_of(command, own_meanings[i].command))
            return own_meanings[i].help;
    return row->help;
}

bool options_words(const char *command, const char *const *accepted, size_t index, struct option_words *words)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (!accepts(accepted, rows[i].name) || index-- > 0)
            continue;
        *words =
            (struct option_words){rows[i].name, rows[i].letter, rows[i].argument, help_of(&rows[i], command)};
        return true;
    }
    return false;
}

void options_add_help(const char *command, const char *const *accepted, struct buffer *page)
{
    struct option_words words;
    for (size_t i = 0; options_words(command, accepted, i, &words); i++) {
        char left[64];
        int used = words.letter != 0 ? snprintf(left, sizeof left, "-%c, ", words.letter)
                                     : snprintf(left, sizeof left, "    ");
        snprintf(left + used, sizeof left - (size_t)used, "--%s%s%s", words.name,
                 words.argument == NULL ? "" : " ", words.argument == NULL ? "" : words.argument);
        buffer_printf(page, "  %-26s  %s\n", left, words.help);
    }
}
