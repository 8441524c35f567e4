/* The logical processor to measure on, for topologies from XML: one kind of core, and two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/launch/host_cpu.h"

#include <stdio.h>
#include <string.h>

enum { CPUS = 6, TEXT_BYTES = 8192 };

/* A machine of CPUS cores, each with a first-level data cache of the given size. */
static hwloc_topology_t load(const unsigned kib[CPUS])
{
    char text[TEXT_BYTES];
    int used =
        snprintf(text, sizeof text,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"
                 "<object type=\"Machine\" os_index=\"0\" cpuset=\"0x3f\" complete_cpuset=\"0x3f\" "
                 "allowed_cpuset=\"0x3f\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
                 "allowed_nodeset=\"0x1\" gp_index=\"1\">\n"
                 "<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0x3f\" complete_cpuset=\"0x3f\" "
                 "nodeset=\"0x1\" complete_nodeset=\"0x1\" gp_index=\"2\" local_memory=\"1000000\"/>\n");
    for (unsigned i = 0; i < CPUS; i++) {
        char sets[128];
        snprintf(sets, sizeof sets,
                 "cpuset=\"0x%x\" complete_cpuset=\"0x%x\" nodeset=\"0x1\" complete_nodeset=\"0x1\"", 1U << i,
                 1U << i);
        used += snprintf(text + used, sizeof text - (size_t)used,
                         "<object type=\"L1Cache\" %s gp_index=\"%u\" cache_size=\"%u\" depth=\"1\" "
                         "cache_linesize=\"64\" cache_associativity=\"8\" cache_type=\"1\">\n"
                         "<object type=\"PU\" os_index=\"%u\" %s gp_index=\"%u\"/></object>\n",
                         sets, 10 + i, kib[i] * 1024, i, sets, 20 + i);
    }
    snprintf(text + used, sizeof text - (size_t)used, "</object>\n</topology>\n");
    hwloc_topology_t topology;
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_xmlbuffer(topology, text, (int)strlen(text) + 1), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU), CPUS);
    return topology;
}

static int choose(const unsigned kib[CPUS], unsigned long allowed)
{
    hwloc_topology_t topology = load(kib);
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    hwloc_bitmap_from_ulong(mask, allowed);
    int cpu = host_cpu_like_first(topology, mask);
    hwloc_bitmap_free(mask);
    hwloc_topology_destroy(topology);
    return cpu;
}

static void among_equals_it_is_the_last(void **state)
{
    (void)state;
    static const unsigned alike[CPUS] = {32, 32, 32, 32, 32, 32};
    assert_int_equal(choose(alike, 0x3f), 5);
    assert_int_equal(choose(alike, 0x16), 4);
    assert_int_equal(choose(alike, 0x01), 0);
    assert_int_equal(choose(alike, 0), -1);
}

/* The machine is described by its first core, so that the plan is for that kind. */
static void among_two_kinds_it_is_the_last_of_the_first_ones_kind(void **state)
{
    (void)state;
    static const unsigned hybrid[CPUS] = {48, 48, 48, 32, 32, 32};
    assert_int_equal(choose(hybrid, 0x3f), 2);
    assert_int_equal(choose(hybrid, 0x39), 0);
    assert_int_equal(choose(hybrid, 0x38), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(among_equals_it_is_the_last),
        cmocka_unit_test(among_two_kinds_it_is_the_last_of_the_first_ones_kind),
    };
    return cmocka_run_group_tests_name("runner/host", tests, NULL, NULL);
}
