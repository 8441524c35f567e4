/* Source "cachegrind": the standalone executable in Valgrind's cache simulator, with the target machine's
 * geometry. Two runs with different iteration counts are subtracted, so that set-up and warm-up drop out. */
#include "base/json.h"
#include "base/memory_file.h"
#include "base/units.h"
#include "runner/child.h"
#include "runner/counters/source.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A hundred passes apart: every period divides it (DESIGN.md section 3). */
enum {
    FEWER = 20,
    MORE = 120,
    ARGUMENT_BYTES = 128,
    MOST_EVENTS = 16,
    LEAST_LINE = 32,
    COMPLAINT_BYTES = 256
};
static const double TIMEOUT_S = 60;

/* Totals of one run that are used here. */
struct totals {
    double reads, l1_read_misses, ll_read_misses;
    double branches, branch_misses; /* conditional */
};

/* One simulation; two of them run side by side. */
struct simulation {
    const struct machine *machine;
    const char *program; /* path of the executable */
    unsigned iterations;
    struct totals totals;
    enum status status;
    struct error error;
};

static enum status usable(struct error *why_not)
{
    if (child_program_exists("valgrind"))
        return STATUS_OK;
    error_set(why_not, STATUS_UNAVAILABLE, "valgrind is not installed");
    error_hint(why_not, "apt-get install valgrind");
    return STATUS_UNAVAILABLE;
}

/* How other processes of this user reach the file. */
static void memory_path(char path[ARGUMENT_BYTES], int fd)
{
    snprintf(path, ARGUMENT_BYTES, "/proc/%ld/fd/%d", (long)getpid(), fd);
}

static void cache_argument(char text[ARGUMENT_BYTES], const char *name, const struct cache *cache)
{
    snprintf(text, ARGUMENT_BYTES, "--%s=%" PRIu64 ",%u,%u", name, cache->size, cache->ways, cache->line);
}

/* Where each wanted event stands in the file's line "events: Ir I1mr ...". */
static double event_value(char *events, char *summary, const char *wanted)
{
    char *save_name = NULL;
    char *save_value = NULL;
    const char *name = strtok_r(events, " \n", &save_name);
    const char *value = strtok_r(summary, " \n", &save_value);
    for (int i = 0; name != NULL && value != NULL && i < MOST_EVENTS; i++) {
        double number;
        if (strcmp(name, wanted) == 0 && units_parse_number(value, &number))
            return number;
        name = strtok_r(NULL, " \n", &save_name);
        value = strtok_r(NULL, " \n", &save_value);
    }
    return -1;
}

static bool read_event(const char *report, const char *wanted, double *value)
{
    const char *events = strstr(report, "events:");
    const char *summary = strstr(report, "summary:");
    if (events == NULL || summary == NULL)
        return false;
    char names[512];
    char values[512];
    snprintf(names, sizeof names, "%.*s", (int)strcspn(events, "\n"), events);
    snprintf(values, sizeof values, "%.*s", (int)strcspn(summary, "\n"), summary);
    *value = event_value(names + strlen("events:"), values + strlen("summary:"), wanted);
    return *value >= 0;
}

static enum status read_report(int fd, struct totals *totals, struct error *error)
{
    struct buffer report = {0};
    enum status status = memory_file_read(fd, &report, error);
    bool good = status == STATUS_OK && report.size > 0 && read_event(report.data, "Dr", &totals->reads) &&
                read_event(report.data, "D1mr", &totals->l1_read_misses) &&
                read_event(report.data, "DLmr", &totals->ll_read_misses) &&
                read_event(report.data, "Bc", &totals->branches) &&
                read_event(report.data, "Bcm", &totals->branch_misses);
    buffer_free(&report);
    if (good)
        return STATUS_OK;
    return error_set(error, STATUS_UNAVAILABLE, "valgrind wrote no summary that can be read");
}

/* The first line with which Valgrind itself complains; false when there is none. */
static bool find_complaint(const struct buffer *text, char line[COMPLAINT_BYTES])
{
    static const char mark[] = "valgrind:";
    const char *at = text->data;
    while (at != NULL && strncmp(at, mark, sizeof mark - 1) != 0) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at != NULL)
        snprintf(line, COMPLAINT_BYTES, "%.*s", (int)strcspn(at, "\n"), at);
    return at != NULL;
}

/* Whose fault a bad end is: STATUS_FAILED when the program's, STATUS_UNAVAILABLE when Valgrind's. What ran
 * out of time or was killed may have been either; a program that hangs does so in other sources too. */
static enum status blame(const struct child_result *result, struct error *error)
{
    char line[COMPLAINT_BYTES];
    if (find_complaint(&result->errors, line))
        return error_set(error, STATUS_UNAVAILABLE, "%s", line);
    if (result->signal != 0 && result->signal != SIGKILL)
        return error_set(error, STATUS_FAILED, "the program ended by signal %d (%s) under valgrind",
                         result->signal, strsignal(result->signal));
    if (result->exit_code != 0)
        return error_set(error, STATUS_FAILED,
                         "the program ended with exit code %d under valgrind, expected 0", result->exit_code);
    return source_cannot_see(STATUS_FAILED, error);
}

/* Valgrind's optimiser would drop loads whose value is dead: it is off. The count has as many digits in every
 * run, so that the stack lies alike and the runs differ in the loop alone. */
static enum status run_valgrind(const struct simulation *simulation, const char *report, struct error *error)
{
    const struct machine *machine = simulation->machine;
    char l1d[ARGUMENT_BYTES];
    char l1i[ARGUMENT_BYTES];
    char ll[ARGUMENT_BYTES];
    char out[2 * ARGUMENT_BYTES];
    char path[ARGUMENT_BYTES];
    char iterations[ARGUMENT_BYTES];
    cache_argument(l1d, "D1", &machine->l1d);
    cache_argument(l1i, "I1", &machine->l1i);
    cache_argument(ll, "LL", &machine->l2);
    snprintf(out, sizeof out, "--cachegrind-out-file=%s", report);
    snprintf(path, sizeof path, "%s", simulation->program);
    snprintf(iterations, sizeof iterations, "%06u", simulation->iterations);
    char name[] = "valgrind";
    char tool[] = "--tool=cachegrind";
    char caches[] = "--cache-sim=yes";
    char branches[] = "--branch-sim=yes";
    char plain[] = "--vex-iropt-level=0";
    char *arguments[] = {name, tool, caches, branches, plain, l1d, l1i, ll, out, path, iterations, NULL};
    struct child_request request = {.path = name, .arguments = arguments, .cpu = -1, .timeout_s = TIMEOUT_S};
    struct child_result result = {0};
    enum status status = child_run(&request, &result, error);
    if (status == STATUS_FAILED)
        status = blame(&result, error);
    child_result_free(&result);
    return status;
}

static void *simulate(void *context)
{
    struct simulation *simulation = context;
    char report[ARGUMENT_BYTES];
    int fd;
    simulation->status = memory_file_open("", 0, false, &fd, &simulation->error);
    if (simulation->status != STATUS_OK)
        return NULL;
    memory_path(report, fd);
    simulation->status = run_valgrind(simulation, report, &simulation->error);
    if (simulation->status == STATUS_OK)
        simulation->status = read_report(fd, &simulation->totals, &simulation->error);
    close(fd);
    return NULL;
}

/* Runs both side by side. That the program failed counts for more than that Valgrind did. */
static enum status simulate_both(struct simulation runs[2], struct error *error)
{
    pthread_t thread;
    bool beside = pthread_create(&thread, NULL, simulate, &runs[0]) == 0;
    if (!beside)
        simulate(&runs[0]);
    simulate(&runs[1]);
    if (beside)
        pthread_join(thread, NULL);
    bool first = runs[0].status == STATUS_FAILED || runs[1].status == STATUS_OK;
    const struct simulation *worse = first ? &runs[0] : &runs[1];
    if (worse->status != STATUS_OK)
        *error = worse->error;
    return worse->status;
}

/* Cachegrind finds sets by masking address bits. */
static enum status check_geometry(const struct machine *machine, struct error *error)
{
    const struct cache *caches[] = {&machine->l1i, &machine->l1d, &machine->l2};
    static const char *const names[] = {"L1I", "L1D", "L2"};
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++) {
        unsigned sets = cache_sets(caches[i]);
        if (!units_is_power_of_two(sets))
            return error_set(error, STATUS_UNAVAILABLE,
                             "cachegrind simulates caches with a power of two of sets; %s has %u", names[i],
                             sets);
        if (caches[i]->line < LEAST_LINE || caches[i]->size <= caches[i]->line)
            return error_set(
                error, STATUS_UNAVAILABLE,
                "cachegrind simulates caches of more than one line, with lines of %d bytes or more; %s "
                "has %llu bytes in lines of %u",
                LEAST_LINE, names[i], (unsigned long long)caches[i]->size, caches[i]->line);
    }
    return STATUS_OK;
}

static void add(struct observations *list, const char *metric, double part, double whole)
{
    if (whole > 0)
        observations_add(list, metric, counter_cachegrind.name, counter_cachegrind.kind, part / whole,
                         part / whole, part / whole, whole);
}

/* What the passes by which the runs differ did. */
static enum status add_rates(const struct subject *subject, const struct totals *fewer,
                             const struct totals *more, struct observations *list, struct error *error)
{
    double loads = json_number_or(subject->manifest, "loads", 0);
    double reads = more->reads - fewer->reads;
    double l1 = more->l1_read_misses - fewer->l1_read_misses;
    double ll = more->ll_read_misses - fewer->ll_read_misses;
    if (loads > 0 && !(reads > 0)) {
        error_set(error, STATUS_FAILED,
                  "the program read nothing in %d passes; its manifest has %.0f loads in each", MORE - FEWER,
                  loads);
        error_hint(error, "generate the suite again: its files are not those that were generated");
        return STATUS_FAILED;
    }
    add(list, "l1d.miss_rate", l1, reads);
    add(list, "l2.miss_rate", ll, l1);
    add(list, "served.L1", reads - l1, reads);
    add(list, "served.L2", l1 - ll, reads);
    add(list, "branch.miss_rate", more->branch_misses - fewer->branch_misses,
        more->branches - fewer->branches);
    return STATUS_OK;
}

static enum status observe(const struct subject *subject, struct observations *list, struct error *error)
{
    enum status status = check_geometry(subject->machine, error);
    if (status == STATUS_OK)
        status = usable(error);
    if (status == STATUS_OK)
        status = subject_check_executable(subject, error);
    if (status != STATUS_OK)
        return status;
    int fd;
    status = memory_file_open(subject->executable, subject->executable_size, true, &fd, error);
    if (status != STATUS_OK)
        return status;
    char program[ARGUMENT_BYTES];
    memory_path(program, fd);
    struct simulation runs[2] = {{.machine = subject->machine, .program = program, .iterations = FEWER},
                                 {.machine = subject->machine, .program = program, .iterations = MORE}};
    status = simulate_both(runs, error);
    close(fd);
    if (status != STATUS_OK)
        return status;
    return add_rates(subject, &runs[0].totals, &runs[1].totals, list, error);
}

static const char *const metrics[] = {"l1d.miss_rate", "l2.miss_rate",     "served.L1",
                                      "served.L2",     "branch.miss_rate", NULL};

const struct counter_source counter_cachegrind = {
    .name = "cachegrind", .kind = "simulated", .usable = usable, .observe = observe, .metrics = metrics};
