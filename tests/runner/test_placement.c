/* Placement of copies on simulated machines: Su et al.'s FX-8320, a two-socket one with hardware threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "runner/launch/placement.h"
#include "tests/given_manifest.h"

#include <stdlib.h>
#include <string.h>

static const char fx_8320[] = "pack:1 l3:1(size=8388608) l2:4(size=2097152) l1d:2(size=16384) core:1 pu:1";
static const char two_sockets[] = "pack:2 l2:2(size=1048576) l1d:1(size=32768) core:1 pu:2";

static const char two_nodes[] = "pack:2 [numa] l2:2(size=1048576) core:1 pu:1";

/* The processors as text, "0 2", or the error's message. */
static enum status place(const char *machine, const char *allowed, const char *manifest, char text[256])
{
    hwloc_topology_t topology;
    hwloc_bitmap_t mask = hwloc_bitmap_alloc();
    struct placement placement;
    struct error error = {0};
    json_t *document = json_loads(manifest, 0, NULL);
    assert_non_null(document);
    assert_int_equal(hwloc_topology_init(&topology), 0);
    assert_int_equal(hwloc_topology_set_synthetic(topology, machine), 0);
    assert_int_equal(hwloc_topology_load(topology), 0);
    assert_int_equal(hwloc_bitmap_list_sscanf(mask, allowed), 0);
    enum status status = placement_in(topology, mask, given_manifest(document), &placement, &error);
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < placement.count; i++)
        used += (size_t)snprintf(text + used, 256 - used, "%s%d", i == 0 ? "" : " ", placement.cpus[i]);
    if (status != STATUS_OK) {
        assert_int_equal(placement.count, 0);
        assert_string_equal(placement.why_not.message, error.message);
        snprintf(text, 256, "%.255s", error.message);
    }
    hwloc_topology_destroy(topology);
    hwloc_bitmap_free(mask);
    json_decref(document);
    return status;
}

static void copies_spread_over_units_first(void **state)
{
    (void)state;
    static const struct {
        const char *machine, *allowed, *manifest, *cpus;
    } rows[] = {
        {fx_8320, "0-7", "{\"threads\":3,\"place\":{\"cu\":\"all\"}}", "0 2 4"},
        {fx_8320, "0-7", "{\"threads\":5,\"place\":{\"cu\":\"all\"}}", "0 2 4 6 1"},
        {fx_8320, "0-7", "{\"threads\":0,\"place\":{\"cu\":\"all\"}}", ""},
        {fx_8320, "0-7", "{\"place\":{\"cu\":[2,1]}}", "4 2 5 3"},
        {fx_8320, "0-7", "{\"threads\":3}", "0 1 2"},
        {fx_8320, "0-7", "{\"place\":{\"cores\":[7,3]}}", "7 3"},
        {fx_8320, "0-7", "{\"threads\":1,\"place\":{\"cores\":[7,3]}}", "7"},
        {fx_8320, "1,4-5", "{\"place\":{\"cores\":\"all\"}}", "1 4 5"},
        {fx_8320, "1,4-5", "{\"threads\":2,\"place\":{\"cu\":\"all\"}}", "1 4"},
        {two_sockets, "0-7", "{\"threads\":5}", "0 2 4 6 1"},
        {two_sockets, "0-7", "{\"threads\":2,\"place\":{\"sockets\":\"all\"}}", "0 4"},
        {two_sockets, "0-7", "{\"place\":{\"sockets\":[1]}}", "4 6 5 7"},
        {two_sockets, "0-7", "{\"threads\":6,\"place\":{\"cu\":[0,3,1]}}", "0 6 2 1 7 3"},
        {two_sockets, "0-7", "{\"place\":{\"cores\":\"core\"}}", "0 2 4 6"},
        {two_sockets, "1,4-7", "{\"place\":{\"cores\":\"core\"}}", "1 4 6"},
        {two_sockets, "0-7", "{\"threads\":3,\"place\":{\"cores\":\"core\"}}", "0 2 4"},
        {two_sockets, "0-7", "{\"place\":{\"cores\":\"cluster\"}}", "0 2 4 6"},
        {two_sockets, "2-7", "{\"place\":{\"cores\":\"socket\"}}", "2 4"},
        {fx_8320, "0-7", "{\"place\":{\"cores\":\"cluster\"}}", "0"},
        {"pu:3", "0-2", "{\"place\":{\"cores\":\"core\"}}", "0 1 2"},
        {two_nodes, "0-3", "{\"place\":{\"node\":[1]}}", "2 3"},
        {two_nodes, "0-3", "{\"threads\":1,\"place\":{\"node\":[0]}}", "0"},
        {"pu:3", "0-2", "{\"threads\":2,\"place\":{\"cu\":\"all\"}}", "0 1"},
        {"pu:3", "0-2", "{\"place\":{\"sockets\":[0]}}", "0 1 2"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        enum status status = place(rows[i].machine, rows[i].allowed, rows[i].manifest, text);
        if (status != STATUS_OK || strcmp(text, rows[i].cpus) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].manifest, text, rows[i].cpus);
    }
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *allowed, *manifest;
        enum status status;
        const char *part;
    } rows[] = {
        {"0-7", "{\"threads\":9}", STATUS_UNAVAILABLE, "threads is 9, and there are 8 logical processors"},
        {"0-1", "{\"threads\":3,\"place\":{\"cu\":\"all\"}}", STATUS_UNAVAILABLE, "in the place: 0-1"},
        {"0-7", "{\"threads\":3,\"place\":{\"cu\":[0]}}", STATUS_UNAVAILABLE, "2 logical processors"},
        {"0-7", "{\"threads\":2,\"place\":{\"cores\":\"socket\"}}", STATUS_UNAVAILABLE,
         "there is 1 logical processor for them here in the place: 0"},
        {"0-7", "{\"place\":{\"cores\":[8]}}", STATUS_UNAVAILABLE, "names logical processor 8, which is not"},
        {"0-7", "{\"place\":{\"cu\":[4]}}", STATUS_UNAVAILABLE,
         "compute unit 4, which is not on this machine: it has 4"},
        {"0-7", "{\"place\":{\"sockets\":[1]}}", STATUS_UNAVAILABLE, "socket 1, which is not"},
        {"0-7", "{\"place\":{\"node\":[3]}}", STATUS_UNAVAILABLE,
         "NUMA node 3, which is not on this machine"},
        {"0-6", "{\"place\":{\"cores\":[7]}}", STATUS_UNAVAILABLE,
         "this process may not use logical processor 7; it may use 0-6"},
        {"0-6", "{\"place\":{\"cu\":[3]}}", STATUS_UNAVAILABLE, "may not use logical processor 7"},
        {"0-7", "{\"place\":{\"cores\":[1,1]}}", STATUS_RECIPE, "names 1 twice"},
        {"0-7", "{\"place\":{}}", STATUS_RECIPE, "place names nothing"},
        {"0-7", "{\"place\":{\"cores\":\"all\"},\"threads\":-1}", STATUS_RECIPE, "threads is -1"},
        {"0-7", "{\"place\":{\"cores\":[-5]}}", STATUS_UNAVAILABLE, "-5"},
        {"0-7", "{\"threads\":1e9}", STATUS_RECIPE, "expected from 0 to 1024"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        assert_int_equal(place(fx_8320, rows[i].allowed, rows[i].manifest, text), rows[i].status);
        if (strstr(text, rows[i].part) == NULL)
            fail_msg("%s: \"%s\" has no \"%s\"", rows[i].manifest, text, rows[i].part);
    }
}

static void hardware_threads_come_after_all_cores(void **state)
{
    (void)state;
    char text[256];
    assert_int_equal(place("l2:2(size=2097152) core:1 pu:2", "0-3", "{\"threads\":4}", text), STATUS_OK);
    assert_string_equal(text, "0 2 1 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_spread_over_units_first),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(hardware_threads_come_after_all_cores),
    };
    return cmocka_run_group_tests_name("runner/placement", tests, NULL, NULL);
}
