/* Source "cachegrind": runs the standalone executable in Valgrind's cache simulator, with the target
 * machine's geometry, and subtracts the counts of two numbers of passes (simulated_passes.h). Three levels
 * take two such runs. */
#include "base/files/memory_file.h"
#include "base/text/complaint.h"
#include "base/units.h"
#include "isa/isa.h"
#include "runner/process/child.h"
#include "runner/sources/identity.h"
#include "runner/sources/simulated_passes.h"
#include "runner/sources/source.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENT_BYTES = 128, LINE_BYTES = 512, LEAST_LINE = 32 };
static const double TIMEOUT_S = 60;

/* Fewer misses of L2 per access come from the start code and reveal nothing about L3. */
static const double FEW = 1e-4;

/* The counts of one run that are used here; "first" and "last" are the two data caches that it simulates. */
enum cachegrind_event {
    READS,
    FIRST_READ_MISSES,
    LAST_READ_MISSES,
    WRITES,
    FIRST_WRITE_MISSES,
    LAST_WRITE_MISSES,
    BRANCHES, /* conditional */
    BRANCH_MISSES,
    JUMPS, /* indirect */
    JUMP_MISSES,
    L1I_MISSES,
    EVENTS
};

static const char *const event_names[EVENTS] = {"Dr", "D1mr", "DLmr", "Dw",  "D1mw", "DLmw",
                                                "Bc", "Bcm",  "Bi",   "Bim", "I1mr"};

struct totals {
    double of[EVENTS];
};

/* One simulation. */
struct simulation {
    const struct machine *machine;
    const struct cache *first, *last; /* data caches: Valgrind simulates two */
    const char *program;              /* path of the executable */
};

static enum status usable(struct error *why_not)
{
    if (child_program_exists("valgrind"))
        return STATUS_OK;
    error_set(why_not, STATUS_UNAVAILABLE, "valgrind is not installed");
    error_hint(why_not, "apt-get install valgrind");
    return STATUS_UNAVAILABLE;
}

/* Writes the option for the cache. */
static void cache_argument(char text[ARGUMENT_BYTES], const char *name, const struct cache *cache)
{
    snprintf(text, ARGUMENT_BYTES, "--%s=%" PRIu64 ",%u,%u", name, cache->size, cache->ways, cache->line);
}

/* The position of the program's line for that many iterations; its process wrote its report after it. */
static char *find_line(char *output, unsigned iterations)
{
    char line[ARGUMENT_BYTES];
    snprintf(line, sizeof line, "{\"iterations\":%u,", iterations);
    return strstr(output, line);
}

/* Reads the lines "events: Ir I1mr ..." and "summary: 100 2 ..."; false unless all counts are there. */
static bool read_report(const char *report, struct totals *totals)
{
    const char *events = strstr(report, "events:"), *summary = strstr(report, "summary:");
    char names[LINE_BYTES], values[LINE_BYTES], *name_rest = NULL, *value_rest = NULL;
    unsigned found = 0;
    if (events == NULL || summary == NULL)
        return false;
    snprintf(names, sizeof names, "%.*s", (int)strcspn(events, "\n"), events);
    snprintf(values, sizeof values, "%.*s", (int)strcspn(summary, "\n"), summary);
    const char *name = strtok_r(names, " ", &name_rest), *value = strtok_r(values, " ", &value_rest);
    while (name != NULL && value != NULL) {
        for (unsigned i = 0; i < EVENTS; i++)
            if (strcmp(name, event_names[i]) == 0 && units_parse_number(value, &totals->of[i]) &&
                totals->of[i] >= 0)
                found |= 1U << i;
        name = strtok_r(NULL, " ", &name_rest);
        value = strtok_r(NULL, " ", &value_rest);
    }
    return found == (1U << EVENTS) - 1;
}

/* Attributes a failure: STATUS_FAILED for the program, STATUS_UNAVAILABLE for Valgrind. A timeout or kill may
 * be due to either; a program that hangs does so in other sources too. */
static enum status blame(const struct child_result *result, struct error *error)
{
    char complaint[COMPLAINT_BYTES];
    complaint_join(complaint, sizeof complaint, result->errors.data, result->errors.size, "valgrind:");
    if (complaint[0] != '\0')
        return error_set(error, STATUS_UNAVAILABLE, "valgrind: %s", complaint);
    if (result->signal != 0 && result->signal != SIGKILL)
        return error_set(error, STATUS_FAILED, "the program ended by signal %d (%s) under valgrind",
                         result->signal, strsignal(result->signal));
    if (result->exit_code != 0)
        return error_set(error, STATUS_FAILED,
                         "the program ended with exit code %d under valgrind, expected 0", result->exit_code);
    return source_unavailable(STATUS_FAILED, error);
}

/* The counts of the passes by which the two processes differ. The parent waits until the child has ended, so
 * its line and its report come second. */
static enum status read_reports(const struct buffer *output, struct totals *totals, struct error *error)
{
    struct totals less;
    char *fewer = output->size > 0 ? find_line(output->data, PASSES_FEWER) : NULL;
    char *more = fewer != NULL ? find_line(fewer, PASSES_MORE) : NULL;
    if (more != NULL && more > fewer) {
        *more = '\0';
        if (read_report(fewer, &less) && read_report(more + 1, totals)) {
            for (size_t i = 0; i < EVENTS; i++)
                totals->of[i] -= less.of[i];
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_UNAVAILABLE, "valgrind did not write two readable summaries");
}

/* Valgrind's optimiser is off, as it would drop loads whose value is not used. When a process ends, it writes
 * its report to the file that receives the program's line. */
static enum status simulate(const struct simulation *simulation, struct totals *totals, struct error *error)
{
    const struct machine *machine = simulation->machine;
    char l1d[ARGUMENT_BYTES];
    char l1i[ARGUMENT_BYTES];
    char ll[ARGUMENT_BYTES];
    char path[ARGUMENT_BYTES];
    char fewer[ARGUMENT_BYTES];
    char besides[ARGUMENT_BYTES];
    cache_argument(l1d, "D1", simulation->first);
    cache_argument(l1i, "I1", &machine->l1i);
    cache_argument(ll, "LL", simulation->last);
    snprintf(path, sizeof path, "%s", simulation->program);
    snprintf(fewer, sizeof fewer, "%d", PASSES_FEWER);
    snprintf(besides, sizeof besides, "+%d", PASSES_COUNTED);
    char name[] = "valgrind";
    char tool[] = "--tool=cachegrind";
    char caches[] = "--cache-sim=yes";
    char branches[] = "--branch-sim=yes";
    char plain[] = "--vex-iropt-level=0";
    char out[] = "--cachegrind-out-file=/proc/self/fd/1";
    char *arguments[] = {name, tool, caches, branches, plain, l1d, l1i, ll, out, path, fewer, besides, NULL};
    struct child_request request = {.path = name, .arguments = arguments, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result = {0};
    enum status status = child_run(&request, &result, error);
    if (status == STATUS_FAILED)
        status = blame(&result, error);
    if (status == STATUS_OK)
        status = read_reports(&result.output, totals, error);
    child_result_free(&result);
    return status;
}

/* Valgrind runs on the processor itself. */
static enum status check_target(const struct test_program *test_program, struct error *error)
{
    const struct isa *host = isa_of_host();
    const char *target = manifest_text_or(test_program->manifest->target, test_program->machine->isa);
    if (host == NULL || strcmp(host->name, target) == 0)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE,
                     "valgrind runs only programs of this processor, %s; qemu runs those of %s", host->name,
                     target);
}

/* Cachegrind finds sets by masking address bits. */
static enum status check_geometry(const char *name, const struct cache *cache, struct error *error)
{
    unsigned sets = cache_sets(cache);
    if (!units_is_power_of_two(sets))
        return error_set(error, STATUS_UNAVAILABLE,
                         "cachegrind needs a power of two as a cache's number of sets; %s has %u", name,
                         sets);
    if (cache->line < LEAST_LINE || cache->size <= cache->line)
        return error_set(
            error, STATUS_UNAVAILABLE,
            "cachegrind simulates caches of more than one line, with lines of %d bytes or more; %s "
            "has %llu bytes in lines of %u bytes",
            LEAST_LINE, name, (unsigned long long)cache->size, cache->line);
    return STATUS_OK;
}

static enum status check_machine(const struct machine *machine, struct error *error)
{
    enum status status = check_geometry("L1I", &machine->l1i, error);
    if (status == STATUS_OK)
        status = check_geometry("L1D", &machine->l1d, error);
    return status == STATUS_OK ? check_geometry("L2", &machine->l2, error) : status;
}

/* L1 and L2, and memory if there is no level between. */
static void add_upper(const struct test_program *test_program, const struct totals *t,
                      struct observations *list)
{
    const struct machine *machine = test_program->machine;
    double lines = test_program->manifest->code_lines_entered * PASSES_COUNTED;
    double l1_misses = t->of[FIRST_READ_MISSES] + t->of[FIRST_WRITE_MISSES];
    source_add_share(&counter_cachegrind, list, "l1d.miss_rate", l1_misses, t->of[READS] + t->of[WRITES]);
    source_add_share(&counter_cachegrind, list, "l2.miss_rate",
                     t->of[LAST_READ_MISSES] + t->of[LAST_WRITE_MISSES], l1_misses);
    source_add_share(&counter_cachegrind, list, "served.L1", t->of[READS] - t->of[FIRST_READ_MISSES],
                     t->of[READS]);
    source_add_share(&counter_cachegrind, list, "served.L2",
                     t->of[FIRST_READ_MISSES] - t->of[LAST_READ_MISSES], t->of[READS]);
    if (machine->l3.size == 0)
        source_add_share(&counter_cachegrind, list, "served.MEM", t->of[LAST_READ_MISSES], t->of[READS]);
    source_add_share(&counter_cachegrind, list, "l1i.miss_rate", t->of[L1I_MISSES], lines);
    /* The jump of code{} to the copy in turn is not of branch{}: it is mispredicted when the copy changes. */
    const struct manifest_code *code = &test_program->manifest->code;
    bool copies = code->copies > 0;
    double entries = copies ? PASSES_COUNTED : 0, changes = copies ? entries * code->moves / code->period : 0;
    source_add_share(&counter_cachegrind, list, "branch.miss_rate",
                     t->of[BRANCH_MISSES] + fmax(0, t->of[JUMP_MISSES] - changes),
                     t->of[BRANCHES] + t->of[JUMPS] - entries);
}

/* Observes L3 in a second run, whose first cache is L2: what hits L1 also hits the larger L2. */
static enum status observe_l3(const struct test_program *test_program, const char *program,
                              struct observations *list, struct error *error)
{
    const struct machine *machine = test_program->machine;
    struct totals t;
    enum status status = check_geometry("L3", &machine->l3, error);
    if (status == STATUS_OK)
        status = simulate(&(struct simulation){machine, &machine->l2, &machine->l3, program}, &t, error);
    if (status != STATUS_OK)
        return status;
    source_add_share(&counter_cachegrind, list, "l3.miss_rate",
                     t.of[LAST_READ_MISSES] + t.of[LAST_WRITE_MISSES],
                     t.of[FIRST_READ_MISSES] + t.of[FIRST_WRITE_MISSES]);
    source_add_share(&counter_cachegrind, list, "served.L3", t.of[FIRST_READ_MISSES] - t.of[LAST_READ_MISSES],
                     t.of[READS]);
    source_add_share(&counter_cachegrind, list, "served.MEM", t.of[LAST_READ_MISSES], t.of[READS]);
    return STATUS_OK;
}

/* Writes that cachegrind does not count: an instruction that reads a word and writes it back is a read alone.
 * These writes hit. */
static double count_updates(const struct manifest *manifest)
{
    double updates = 0;
    for (size_t i = 0; i < manifest->unit_count; i++)
        updates += manifest->unit[i].updates ? manifest->unit[i].count * manifest->units : 0;
    return updates;
}

static enum status observe_program(const struct test_program *test_program, const char *program,
                                   struct observations *list, struct error *error)
{
    const struct machine *machine = test_program->machine;
    struct totals totals;
    enum status status =
        simulate(&(struct simulation){machine, &machine->l1d, &machine->l2, program}, &totals, error);
    if (status == STATUS_OK)
        totals.of[WRITES] += PASSES_COUNTED * count_updates(test_program->manifest);
    if (status == STATUS_OK)
        status = simulated_check_accesses(test_program, PASSES_COUNTED, totals.of[READS], totals.of[WRITES],
                                          error);
    if (status != STATUS_OK)
        return status;
    add_upper(test_program, &totals, list);
    double l2_misses = totals.of[LAST_READ_MISSES] + totals.of[LAST_WRITE_MISSES];
    bool deep = l2_misses > FEW * (totals.of[READS] + totals.of[WRITES]) ||
                rates_get(&test_program->manifest->expected, "l2.miss_rate", 0) > 0;
    return machine->l3.size > 0 && deep ? observe_l3(test_program, program, list, error) : STATUS_OK;
}

static enum status observe(const struct test_program *test_program, struct observations *list,
                           struct error *error)
{
    if (test_program->map != MAP_NONE)
        return error_set(error, STATUS_UNAVAILABLE,
                         "it simulates the program's own addresses; --map is for qemu");
    enum status status = check_target(test_program, error);
    if (status == STATUS_OK)
        status = check_machine(test_program->machine, error);
    if (status == STATUS_OK)
        status = test_program_check_walk(test_program, error);
    if (status == STATUS_OK)
        status = simulated_check_features(test_program, "valgrind", error);
    if (status == STATUS_OK) /* Valgrind executes a program's instructions on the processor's own */
        status = test_program_check_features(test_program, error);
    if (status == STATUS_OK)
        status = usable(error);
    if (status == STATUS_OK)
        status = test_program_check_executable(test_program, error);
    if (status != STATUS_OK)
        return status;
    int fd;
    status = memory_file_open(test_program->executable, test_program->executable_size, true, &fd, error);
    if (status != STATUS_OK)
        return status;
    char program[ARGUMENT_BYTES];
    memory_file_path(program, fd);
    status = observe_program(test_program, program, list, error);
    close(fd);
    return status;
}

const struct counter_source counter_cachegrind = {.name = "cachegrind",
                                                  .kind = EVIDENCE_SIMULATED,
                                                  .usable = usable,
                                                  .observe = observe,
                                                  .identify = identity_of_executable};
