/* What a probe writes into a machine file: only values that it adopted are marked as measured. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "runner/probe/probe.h"

#include <string.h>

static const char HERE[] =
    "{\"name\":\"toy\",\"isa\":\"x86_64\",\"caches\":{"
    "\"L1I\":{\"size\":32768,\"ways\":8,\"line\":64},\"L1D\":{\"size\":32768,\"ways\":8,\"line\":64},"
    "\"L2\":{\"size\":1048576,\"ways\":16,\"line\":64}}}";

static void add(struct probe *probe, const char *name, double value, enum probe_agreement agreement)
{
    probe->values[probe->value_count++] = (struct probe_value){
        .name = name, .unit = "", .found = true, .interval = {.value = value}, .agreement = agreement};
}

static void what_is_not_taken_over_is_not_measured(void **state)
{
    (void)state;
    static const struct {
        double l1d_ways;      /* 0: not found */
        const char *measured; /* as the file has it; NULL: not at all */
        json_int_t l1d;
    } cases[] = {{0, NULL, 32768}, {12, "[\"L1D\"]", 49152}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct error error;
        struct machine here, told;
        json_t *document = json_parse(HERE, strlen(HERE), "here", &error);
        assert_int_equal(machine_from_json(document, "here", &here, &error), STATUS_OK);
        struct probe_request request = {.machine = &here};
        struct probe *probe = test_calloc(1, sizeof *probe);
        probe->request = &request;
        add(probe, "l1i.size", 134 << 10, PROBE_DISAGREES);
        add(probe, "l1d.size", 48 << 10, PROBE_DISAGREES);
        if (cases[i].l1d_ways > 0)
            add(probe, "l1d.ways", cases[i].l1d_ways, PROBE_DISAGREES);
        assert_int_equal(probe_describe(probe, &told, &error), STATUS_OK);
        json_t *wanted = cases[i].measured == NULL
                             ? NULL
                             : json_parse(cases[i].measured, strlen(cases[i].measured), "", &error);
        const json_t *measured = json_object_get(told.document, "measured");
        assert_true(measured == wanted || json_equal(measured, wanted));
        assert_int_equal(told.l1i.size, 32768);
        assert_int_equal(told.l1d.size, cases[i].l1d);
        json_decref(wanted);
        json_decref(document);
        machine_free(&here);
        machine_free(&told);
        test_free(probe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_taken_over_is_not_measured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
