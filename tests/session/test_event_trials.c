/* Events counted here, by a simulated processor whose events count what the test says: each alone, all the
 * time, in runs of programs that are really started. */
#include "base/file.h"
#include "runner/sources/events/event_folder.h"
#include "session/event_trials.h"
#include "tests/skip.h"
#include "tests/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { REPS = 2, PROGRAMS_MOST = 64 };

/* What is known of the programs, from a trial of counts that were made elsewhere, and what is counted now. */
static struct {
    size_t programs;
    double instructions[PROGRAMS_MOST], loads[PROGRAMS_MOST], stores[PROGRAMS_MOST];
    uint64_t code;     /* of the event that is open */
    size_t run;        /* of that event */
    unsigned open_now; /* events */
    bool crowded;      /* more than one was */
} fake;

enum { CODE_LOADS = 0x0123, CODE_BOTH = 0x0456, CODE_DEAD = 0x0789, CODE_REFUSED = 0x0bad };

static int fake_open(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader)
{
    (void)cpu;
    (void)leader;
    if (attributes->config == CODE_REFUSED) {
        errno = ENOENT;
        return -1;
    }
    if (pid != 0) {
        fake.run = fake.code == attributes->config ? fake.run + 1 : 0;
        fake.code = attributes->config;
        fake.crowded = fake.crowded || ++fake.open_now > 1;
    }
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static double passes_of(size_t program, bool more)
{
    double fewer = floor(1e6 / fake.instructions[program]) + 1;
    return more ? fewer + floor(1e7 / fake.instructions[program]) + 1 : fewer;
}

static bool fake_read(int fd, struct perf_reading *reading)
{
    (void)fd;
    size_t program = fake.run / (2 * REPS) % fake.programs;
    double each = fake.code == CODE_LOADS  ? fake.loads[program]
                  : fake.code == CODE_BOTH ? fake.loads[program] + fake.stores[program]
                                           : 0;
    fake.open_now--;
    *reading =
        (struct perf_reading){(uint64_t)(each * passes_of(program, fake.run % 2 == 1)) + 500, 1000, 1000};
    return true;
}

static const struct perf_kernel kernel = {fake_open, fake_read};

static void tell(void *context, enum session_level level, const char *text)
{
    (void)context;
    (void)level;
    print_message("%s\n", text);
}

static void show_progress(void *context, const char *what, size_t done, size_t total)
{
    (void)context;
    (void)what;
    (void)done;
    (void)total;
}

static const char RECIPE[] =
    "benchmark { name = \"mix\", sweep = { l = {1, 3, 6}, s = {0, 2}, a = {1, 9} }, kernel = function(p)\n"
    "  local k = { load { served_by = { L1 = 1 }, count = p.l }, add { count = p.a } }\n"
    "  if p.s > 0 then k[3] = store { served_by = { L1 = 1 }, count = p.s } end\n"
    "  return k end }\n";

static struct point_notes notes;
static const struct session_events events = {tell, show_progress, NULL, &notes};
static const struct target_request target = {.events = &events, .root = ""};

static enum status make(const struct event_trial_request *request, const char *recipe,
                        struct event_trials *trials, struct error *error)
{
    const char *inputs[] = {recipe};
    const struct selection selection = {.inputs = inputs, .input_count = 1, .seed = 1};
    return event_trials_make(request, &selection, &target, trials, error);
}

static size_t column(const struct trial_suite *suite, const char *name)
{
    size_t i = 0;
    while (i < suite->quantities && strcmp(suite->names[i], name) != 0)
        i++;
    assert_true(i < suite->quantities);
    return i;
}

static void know(const struct trial_suite *suite)
{
    fake.programs = suite->programs;
    assert_true(fake.programs > 6 && fake.programs <= PROGRAMS_MOST);
    for (size_t i = 0; i < fake.programs; i++) {
        fake.instructions[i] = suite->known[i * suite->quantities + column(suite, "instructions")];
        fake.loads[i] = suite->known[i * suite->quantities + column(suite, "loads")];
        fake.stores[i] = suite->known[i * suite->quantities + column(suite, "stores")];
    }
}

static void write_text(const char *folder, const char *name, const char *text, char path[FILE_PATH_BYTES])
{
    assert_int_equal(file_write(file_join(path, folder, name), text, strlen(text), false, NULL), STATUS_OK);
}

static void events_are_counted_one_by_one(void **state)
{
    (void)state;
    char folder[] = "/tmp/trialXXXXXX", recipe[FILE_PATH_BYTES], counts[FILE_PATH_BYTES],
         claims[FILE_PATH_BYTES];
    static const char *const names[] = {"r0123", "r0456", "r0789", "r0bad"};
    struct event_trials trials = {0};
    struct error error = {0};
    assert_non_null(mkdtemp(folder));
    assert_int_equal(setenv("XDG_CONFIG_HOME", folder, 1), 0);
    write_text(folder, "mix.lua", RECIPE, recipe);
    write_text(folder, "counts.csv", "program,event,passes,count\n", counts);
    write_text(folder, "claims.txt", "r0123 = loads\nr0456 = loads\nr0789 = stores\nr0bad = stores\n",
               claims);
    struct event_trial_request request = {.counts = counts, .root = ""};
    enum status status = make(&request, recipe, &trials, &error);
    if (status != STATUS_OK)
        skip_because("no programs for this host: %s", error.message);
    know(&trials.set.suite);
    event_trials_free(&trials);

    trials = (struct event_trials){0};
    request = (struct event_trial_request){
        .events = names, .event_count = 4, .claims = claims, .root = "", .kernel = &kernel, .reps = REPS};
    status = make(&request, recipe, &trials, &error);
    assert_int_equal(status, STATUS_OK);
    assert_false(fake.crowded);
    assert_int_equal(trials.set.count, 4);
    assert_int_equal(trials.set.items[0].result.verdict, TRIAL_EXACT);
    assert_int_equal(trials.set.items[1].result.verdict, TRIAL_MIXTURE);
    assert_int_equal(trials.set.items[1].result.meaning.count, 2);
    assert_int_equal(trials.set.items[2].result.verdict, TRIAL_DEAD);
    assert_int_equal(trials.set.items[3].result.verdict, TRIAL_UNAVAILABLE);
    assert_true(trials.set.items[3].why[0] != '\0');
    assert_true(trial_set_contradicts(&trials.set));
    event_trials_free(&trials);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(events_are_counted_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
