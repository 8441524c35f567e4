/* Micro-operations by port without a PMU: a simulated kernel counts what a loop would execute on a processor
 * whose events are in templates/events/. */
#include "runner/instruction/instruction_ports.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

enum { DESCRIPTORS = 1024, ITERATIONS = 50, COPIES = 8 };

/* What an iteration of the loop executes, in micro-operations, by the event's code; the loop's own end is one
 * of port 6 and two in all. Other events the processor does not have. */
static const struct {
    uint64_t config;
    double loop, empty;
} executed[] = {
    {0x02c2, 2 * COPIES + 2, 2}, /* Skylake: UOPS_RETIRED.RETIRE_SLOTS */
    {0x01a1, 0.5 * COPIES, 0},   /* port 0 */
    {0x02a1, 0.5 * COPIES, 0},   /* port 1 */
    {0x04a1, 0, 0},
    {0x08a1, 0, 0},
    {0x10a1, 0, 0},
    {0x20a1, 1 * COPIES, 0}, /* port 5 */
    {0x40a1, 1, 1},          /* port 6 */
    {0x80a1, 0, 0},
};
enum { EVENTS = sizeof executed / sizeof executed[0] };

static struct {
    uint64_t loops, empties; /* iterations so far */
    uint64_t config[DESCRIPTORS];
    int opened[EVENTS];
    int refusal;
} fake;

static int find(uint64_t config)
{
    for (int i = 0; i < (int)EVENTS; i++)
        if (executed[i].config == config)
            return i;
    return -1;
}

static int fake_open(const struct perf_event_attr *attributes, pid_t pid, int cpu, int leader)
{
    (void)cpu;
    assert_int_equal(pid, 0); /* this process */
    assert_int_equal(leader, -1);
    if (fake.refusal != 0 || find(attributes->config) < 0) {
        errno = fake.refusal != 0 ? fake.refusal : ENOENT;
        return -1;
    }
    int fd = memfd_create("counter", MFD_CLOEXEC);
    assert_in_range(fd, 0, DESCRIPTORS - 1);
    fake.config[fd] = attributes->config;
    fake.opened[find(attributes->config)]++;
    return fd;
}

/* Reading costs ten of each event. */
static bool fake_read(int fd, struct perf_reading *reading)
{
    const int event = find(fake.config[fd]);
    const double value =
        10 + (double)fake.loops * executed[event].loop + (double)fake.empties * executed[event].empty;
    *reading = (struct perf_reading){(uint64_t)value, 1000, 1000};
    return true;
}

static const struct perf_kernel fake_kernel = {fake_open, fake_read};

static void run(void *context, uint64_t iterations)
{
    (void)context;
    fake.loops += iterations;
}

static void run_empty(void *context, uint64_t iterations)
{
    (void)context;
    fake.empties += iterations;
}

static const struct perf_host skylake = {.vendor = "GenuineIntel",
                                         .family = 6,
                                         .model = 0x5e,
                                         .pmu = "cpu",
                                         .pmu_type = PERF_TYPE_RAW,
                                         .has_pmu = true,
                                         .paranoid = 2,
                                         .kernel = &fake_kernel};

static const struct insn_port *port_of(const struct insn_ports *ports, const char *name)
{
    for (unsigned i = 0; i < ports->count; i++)
        if (strcmp(ports->ports[i].name, name) == 0)
            return &ports->ports[i];
    fail_msg("no port \"%s\"", name);
    return NULL;
}

static void ports_are_counted_per_instruction(void **state)
{
    (void)state;
    struct error error;
    struct insn_ports ports;
    memset(&fake, 0, sizeof fake);
    struct insn_port_events *events = insn_ports_open(&skylake, &error);
    if (events == NULL)
        fail_msg("%s", error.message);
    const struct insn_ports_loop loop = {
        .run = run, .empty = run_empty, .iterations = ITERATIONS, .instructions = COPIES};
    assert_int_equal(insn_ports_count(events, &loop, &ports, &error), STATUS_OK);
    assert_int_equal(ports.count, EVENTS);
    for (int i = 0; i < (int)EVENTS; i++)
        assert_true(fake.opened[i] > 0);
    assert_float_equal(port_of(&ports, "")->per_instruction.value, 2, 1e-9);
    assert_float_equal(port_of(&ports, "0")->per_instruction.value, 0.5, 1e-9);
    assert_float_equal(port_of(&ports, "1")->per_instruction.value, 0.5, 1e-9);
    assert_float_equal(port_of(&ports, "5")->per_instruction.value, 1, 1e-9);
    assert_float_equal(port_of(&ports, "6")->per_instruction.value, 0, 1e-9); /* the loop's own, taken away */
    assert_float_equal(port_of(&ports, "7")->per_instruction.value, 0, 1e-9);
    insn_ports_close(events);
}

/* Ports that share an event are named together; events that this processor lacks are left out. */
static void shared_ports_are_named_together(void **state)
{
    (void)state;
    struct error error;
    struct insn_ports ports;
    struct perf_host host = skylake;
    host.model = 0x6a; /* Ice Lake-SP */
    memset(&fake, 0, sizeof fake);
    struct insn_port_events *events = insn_ports_open(&host, &error);
    assert_non_null(events);
    const struct insn_ports_loop loop = {.run = run, .iterations = ITERATIONS, .instructions = COPIES};
    assert_int_equal(insn_ports_count(events, &loop, &ports, &error), STATUS_OK);
    assert_float_equal(port_of(&ports, "2,3")->per_instruction.value, 0, 1e-9);
    assert_float_equal(port_of(&ports, "4,9")->per_instruction.value, 0, 1e-9);
    assert_float_equal(port_of(&ports, "6")->per_instruction.value, 1.0 / COPIES, 1e-9); /* no empty loop */
    insn_ports_close(events);
}

static void a_processor_without_counters_says_why(void **state)
{
    (void)state;
    struct error error;
    struct perf_host host = skylake;
    memset(&fake, 0, sizeof fake);
    fake.refusal = EACCES;
    assert_null(insn_ports_open(&host, &error));
    assert_non_null(strstr(error.message, "perf_event_paranoid"));
    fake.refusal = ENOENT;
    host.has_pmu = false;
    host.hypervisor = true;
    assert_null(insn_ports_open(&host, &error));
    assert_non_null(strstr(error.message, "no PMU"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports_are_counted_per_instruction),
        cmocka_unit_test(shared_ports_are_named_together),
        cmocka_unit_test(a_processor_without_counters_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
