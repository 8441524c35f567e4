/* Whose failure it is: the program's ends the point, a source's own becomes a note and the others continue. A
 * script replaces Valgrind and behaves like it in each case. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/json.h"
#include "runner/evidence/evidence.h"
#include "runner/evidence/evidence_memory.h"
#include "tests/given_manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct place {
    char folder[64];
    char *old_path;
};

static int set_up(void **state)
{
    struct place *place = calloc(1, sizeof *place);
    if (place == NULL)
        return 1;
    *state = place;
    strcpy(place->folder, "/tmp/trauma-evidence-XXXXXX");
    const char *path = getenv("PATH");
    place->old_path = strdup(path == NULL ? "" : path);
    return mkdtemp(place->folder) != NULL && setenv("PATH", place->folder, 1) == 0 ? 0 : 1;
}

static int tear_down(void **state)
{
    struct place *place = *state;
    setenv("PATH", place->old_path, 1);
    enum status status = file_remove_tree(place->folder, NULL);
    free(place->old_path);
    free(place);
    return status == STATUS_OK ? 0 : 1;
}

/* The script gets its last two words, the passes of the one process and by how many the other's are more, as
 * $fewer and $more, and what both write when each says `report PASSES READS MISSES`. */
static void put_valgrind(const struct place *place, const char *script)
{
    char path[FILE_PATH_BYTES];
    char text[2048];
    snprintf(text, sizeof text,
             "#!/bin/sh\nfor word; do\ncase $word in --cachegrind-out-file=*) report=${word#*=} ;; esac\n"
             "fewer=$more more=$word\ndone\n"
             "report()\n{\necho \"{\\\"iterations\\\":$1,\\\"ticks\\\":5}\"\n"
             "echo \"events: Ir Dr D1mr DLmr Dw D1mw DLmw Bc Bcm Bi Bim I1mr\" >$report\n"
             "echo \"summary: 9 $2 $3 0 0 0 0 0 0 0 0 $3\" >$report\n}\n%s\n",
             script);
    assert_int_equal(file_write(file_join(path, place->folder, "valgrind"), text, strlen(text), true, NULL),
                     STATUS_OK);
}

static const char GOOD_REPORT[] =
    "[ $more = +100 ] && report $fewer 1000 500 && report $((fewer + 100)) 5000 1500";
static const char EMPTY_REPORT[] = "report $fewer 70 7; report $((fewer + 100)) 70 7";

static const char MANIFEST[] = "{\"loads\":8,\"code_lines_entered\":40,\"targets\":{\"l1d.miss_rate\":0.25},"
                               "\"expected\":{\"l1d.miss_rate\":0.25}}";

/* evidence_gather, or what is to come to the same. */
typedef enum status gathering(const struct test_program *test_program, const char *counters,
                              struct evidence *evidence, struct error *error);

/* Gathers by cachegrind, bytes and plan; the object is none, which bytes cannot read. */
static enum status gather_by(gathering *how, const char *executable, struct evidence *evidence,
                             struct error *error)
{
    static const char no_object[] = "no object";
    const struct cache first = {.size = 8192, .ways = 2, .line = 32};
    const struct cache second = {.size = 262144, .ways = 4, .line = 32};
    const struct machine machine = {
        .name = "model", .isa = "x86_64", .l1i = first, .l1d = first, .l2 = second};
    json_t *manifest = json_loads(MANIFEST, 0, NULL);
    const struct test_program test_program = {.manifest = given_manifest(manifest),
                                              .executable = executable,
                                              .executable_size = strlen(executable),
                                              .object = no_object,
                                              .object_size = sizeof no_object,
                                              .machine = &machine,
                                              .cpu = -1};
    enum status status = how(&test_program, "cachegrind,bytes,plan", evidence, error);
    json_decref(manifest);
    return status;
}

static enum status gather(const char *executable, struct evidence *evidence, struct error *error)
{
    return gather_by(evidence_gather, executable, evidence, error);
}

/* One process asks and tells another, which asks for the rest and joins both. */
static enum status gather_through_a_file(const struct test_program *test_program, const char *counters,
                                         struct evidence *evidence, struct error *error)
{
    struct evidence_parts here = {0};
    struct evidence_parts there = {0};
    FILE *between = tmpfile();
    assert_non_null(between);
    evidence_ask(test_program, counters, false, NULL, &there);
    assert_true(evidence_send(&there, between));
    rewind(between);
    assert_true(evidence_receive(&here, between));
    assert_false(evidence_receive(&here, between)); /* there is no more */
    fclose(between);
    evidence_ask(test_program, counters, true, NULL, &here);
    enum status status = evidence_join(&here, evidence, error);
    evidence_free_parts(&here);
    evidence_free_parts(&there);
    return status;
}

/* Cachegrind sees nothing and says why; what the others see stays. */
static void expect_note(const struct place *place, const char *script, const char *note)
{
    struct evidence evidence;
    struct error error = {0};
    put_valgrind(place, script);
    if (gather("\177ELF", &evidence, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    if (strstr(evidence.unseen, note) == NULL)
        fail_msg("'%s' instead of '%s'", evidence.unseen, note);
    assert_non_null(strstr(evidence.unseen, "bytes: program.o: not an ELF file"));
    assert_null(observations_find(&evidence.observations, "l1d.miss_rate", "cachegrind"));
    assert_non_null(observations_find(&evidence.observations, "l1d.miss_rate", "plan"));
    evidence_free(&evidence);
}

static void expect_failure(const struct place *place, const char *script, const char *executable,
                           const char *message)
{
    struct evidence evidence;
    struct error error = {0};
    put_valgrind(place, script);
    assert_int_equal(gather(executable, &evidence, &error), STATUS_FAILED);
    if (strstr(error.message, message) == NULL)
        fail_msg("'%s' instead of '%s'", error.message, message);
    evidence_free(&evidence);
}

static void what_is_counted_is_seen(void **state)
{
    struct evidence evidence;
    struct error error = {0};
    put_valgrind(*state, GOOD_REPORT);
    assert_int_equal(gather("\177ELF", &evidence, &error), STATUS_OK);
    const struct observation *seen = observations_find(&evidence.observations, "l1d.miss_rate", "cachegrind");
    assert_non_null(seen);
    assert_true(seen->value == 0.25 && seen->n == 4000);
    seen = observations_find(&evidence.observations, "l1i.miss_rate", "cachegrind");
    assert_non_null(seen);
    assert_true(seen->value == 0.25 && seen->n == 4000); /* of 40 lines in each of 100 passes */
    assert_non_null(strstr(evidence.unseen, "bytes: program.o: not an ELF file"));
    evidence_free(&evidence);
}

static void valgrinds_own_failure_is_a_note(void **state)
{
    expect_note(*state,
                "echo 'valgrind: Bad option: --D1=1,1,1' >&2\n"
                "echo 'valgrind: Use --help for more information' >&2\nexit 1",
                "cachegrind: valgrind: Bad option: --D1=1,1,1;");
    expect_note(*state,
                "echo '==1== Cachegrind' >&2\necho 'valgrind: the impossible happened' >&2\nkill -SEGV $$",
                "cachegrind: valgrind: the impossible happened;");
    expect_note(*state, "exit 0", "did not write two readable summaries");
    expect_note(*state, "report $((fewer + 100)) 5000 1500", "did not write two readable summaries");
    expect_note(*state, "report $fewer 1000 500", "did not write two readable summaries");
    expect_note(*state, "echo '{\"iterations\":20,'; report $((fewer + 100)) 5000 1500",
                "did not write two readable summaries");
    expect_note(*state, "kill -KILL $$", "cachegrind: valgrind ended by signal 9");
}

static void the_programs_failure_ends_the_point(void **state)
{
    expect_failure(*state,
                   "echo '==7== valgrind: Unrecognised instruction at address 0x400200.' >&2\nkill -ILL $$",
                   "\177ELF", "cachegrind: the program ended by signal 4 (Illegal instruction)");
    expect_failure(*state, "exit 3", "\177ELF", "the program ended with exit code 3");
}

/* Valgrind takes an empty file for a script that ends well. */
static void a_program_that_does_nothing_is_no_evidence(void **state)
{
    expect_failure(*state, GOOD_REPORT, "", "not an executable (0 bytes");
    expect_failure(*state, GOOD_REPORT, "exit 0\n", "not an executable (7 bytes");
    expect_failure(*state, EMPTY_REPORT, "\177ELF",
                   "read 0 and wrote 0 times in 100 passes; its manifest has 8 loads");
}

static bool same_observation(const struct observation *a, const struct observation *b)
{
    return strcmp(a->metric, b->metric) == 0 && strcmp(a->source, b->source) == 0 && a->kind == b->kind &&
           a->value == b->value && a->low == b->low && a->high == b->high && a->n == b->n &&
           a->copy == b->copy;
}

/* Evidence that came from another process is the same, in the same order, with the same notes. */
static void what_another_process_saw_is_the_same(void **state)
{
    struct evidence direct;
    struct evidence joined;
    struct error error = {0};
    put_valgrind(*state, GOOD_REPORT);
    assert_int_equal(gather("\177ELF", &direct, &error), STATUS_OK);
    assert_int_equal(gather_by(gather_through_a_file, "\177ELF", &joined, &error), STATUS_OK);
    assert_true(direct.observations.count > 1);
    assert_int_equal(joined.observations.count, direct.observations.count);
    for (size_t i = 0; i < direct.observations.count; i++)
        assert_true(same_observation(&joined.observations.items[i], &direct.observations.items[i]));
    assert_string_equal(joined.unseen, direct.unseen);
    evidence_free(&direct);
    evidence_free(&joined);
}

static void what_failed_in_another_process_fails_here(void **state)
{
    struct evidence evidence;
    struct error direct = {0};
    struct error joined = {0};
    put_valgrind(*state, "kill -11 $$");
    assert_int_equal(gather("\177ELF", &evidence, &direct), STATUS_FAILED);
    evidence_free(&evidence);
    assert_int_equal(gather_by(gather_through_a_file, "\177ELF", &evidence, &joined), STATUS_FAILED);
    evidence_free(&evidence);
    assert_true(strncmp(joined.message, "cachegrind: ", 12) == 0);
    assert_string_equal(joined.message, direct.message);
}

static void only_what_measures_has_to_be_alone(void **state)
{
    (void)state;
    assert_true(evidence_wants_alone(NULL));
    assert_true(evidence_wants_alone("plan,timing"));
    assert_true(evidence_wants_alone("perf"));
    assert_false(evidence_wants_alone("plan,bytes,cachegrind"));
}

static void a_source_that_is_none_is_refused(void **state)
{
    (void)state;
    struct error error = {0};
    assert_true(evidence_check_names("plan,perf", &error));
    assert_false(evidence_check_names("plan,pref", &error));
    assert_string_equal(error.hint, "did you mean 'perf'?");
    assert_false(evidence_check_names("quite-another", &error));
    assert_string_equal(error.hint, "trauma sensors lists them");
}

#define EVIDENCE_TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

static unsigned asked;

static enum status always(struct error *why_not)
{
    (void)why_not;
    return STATUS_OK;
}

static enum status observe_one(const struct test_program *test_program, struct observations *list,
                               struct error *error)
{
    (void)error;
    asked++;
    observations_add(list, "ipc", "one", EVIDENCE_SIMULATED, test_program->cpu, 0, 0, 1);
    return STATUS_OK;
}

static void identify_point(const struct test_program *test_program, char identity[HASH_TEXT_BYTES])
{
    hash_bytes(test_program->point, strlen(test_program->point), identity);
}

static unsigned looked;

static enum status refuse(struct error *why_not)
{
    looked++;
    return error_set(why_not, STATUS_UNAVAILABLE, "there is no such device");
}

/* Looking for a device may start processes: for each of a thousand programs it would cost more than they
 * do. */
static void whether_a_source_can_work_is_asked_once(void **state)
{
    (void)state;
    const struct counter_source source = {
        .name = "none", .kind = EVIDENCE_SIMULATED, .usable = refuse, .observe = observe_one};
    const struct machine machine = {.name = "a"};
    struct evidence_memory memory = {0};
    looked = asked = 0;
    for (int i = 0; i < 3; i++) {
        const struct test_program test_program = {.point = "p", .machine = &machine, .cpu = i};
        struct evidence_part part;
        evidence_memory_ask(&memory, &source, &test_program, &part);
        assert_true(part.present && part.status == STATUS_UNAVAILABLE);
        assert_string_equal(part.reason.message, "there is no such device");
    }
    assert_int_equal(looked, 1);
    assert_int_equal(asked, 0);
    evidence_memory_free(&memory);
}

/* Another program, another machine and a source that does not identify programs are asked anew. */
static void the_same_program_is_observed_once(void **state)
{
    (void)state;
    const struct counter_source source = {.name = "one",
                                          .kind = EVIDENCE_SIMULATED,
                                          .usable = always,
                                          .observe = observe_one,
                                          .identify = identify_point};
    const struct counter_source plain = {
        .name = "one", .kind = EVIDENCE_SIMULATED, .usable = always, .observe = observe_one};
    const struct machine machines[2] = {{.name = "a"}, {.name = "a"}};
    const struct {
        const struct counter_source *source;
        const struct machine *machine;
        const char *point;
        unsigned asked, value;
    } rows[] = {{&source, &machines[0], "p", 1, 0}, {&source, &machines[0], "p", 1, 0},
                {&source, &machines[0], "q", 2, 2}, {&source, &machines[1], "p", 3, 3},
                {&source, &machines[0], "q", 3, 2}, {&plain, &machines[0], "p", 4, 5}};
    struct evidence_memory memory = {0};
    asked = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct test_program test_program = {
            .point = rows[i].point, .machine = rows[i].machine, .cpu = (int)i};
        struct evidence_part part;
        evidence_memory_ask(&memory, rows[i].source, &test_program, &part);
        assert_int_equal(asked, rows[i].asked);
        assert_int_equal(part.seen.count, 1);
        assert_float_equal(part.seen.items[0].value, rows[i].value, 0);
        observations_free(&part.seen);
    }
    evidence_memory_free(&memory);
}

/* Processes that share points leave the answer to whoever has the earlier turn; what it says is kept, with
 * its warnings, where all answers meet. */
static void one_process_observes_what_several_have(void **state)
{
    (void)state;
    const struct counter_source source = {.name = "one",
                                          .kind = EVIDENCE_SIMULATED,
                                          .usable = always,
                                          .observe = observe_one,
                                          .identify = identify_point};
    const struct machine machine = {.name = "a"};
    static const struct {
        unsigned process, turn;
        const char *point;
        bool asked;
    } rows[] = {
        {0, 2, "p", true}, {1, 1, "p", true}, {1, 3, "p", false}, {0, 4, "q", true}, {0, 6, "q", false}};
    struct evidence_claims *claims = evidence_claims_new(8);
    struct evidence_memory memories[2] = {{.claims = claims}, {.claims = claims}}, all = {0};
    assert_non_null(claims);
    asked = 0;
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct test_program test_program = {.point = rows[i].point, .machine = &machine, .cpu = (int)i};
        struct evidence_part part, here;
        unsigned before = asked;
        memories[rows[i].process].turn = rows[i].turn;
        assert_int_equal(evidence_memory_will_ask(&memories[rows[i].process], &source, &test_program),
                         rows[i].asked);
        evidence_memory_ask(&memories[rows[i].process], &source, &test_program, &part);
        assert_int_equal(part.present, rows[i].asked);
        assert_int_equal(asked - before, rows[i].asked);
        if (part.present) {
            warning_add(&part.seen.warnings, NULL, "beware");
            evidence_memory_keep(&all, &source, &test_program, &part);
        }
        evidence_memory_ask(&all, &source, &test_program, &here);
        assert_int_equal(asked - before, rows[i].asked);
        assert_int_equal(here.seen.count, 1);
        assert_int_equal(here.seen.warnings.count, 1);
        observations_free(&part.seen);
        observations_free(&here.seen);
    }
    evidence_memory_free(&memories[0]);
    evidence_memory_free(&memories[1]);
    evidence_memory_free(&all);
    evidence_claims_free(claims);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        EVIDENCE_TEST(what_is_counted_is_seen),
        EVIDENCE_TEST(valgrinds_own_failure_is_a_note),
        EVIDENCE_TEST(the_programs_failure_ends_the_point),
        EVIDENCE_TEST(a_program_that_does_nothing_is_no_evidence),
        EVIDENCE_TEST(what_another_process_saw_is_the_same),
        EVIDENCE_TEST(what_failed_in_another_process_fails_here),
        cmocka_unit_test(the_same_program_is_observed_once),
        cmocka_unit_test(whether_a_source_can_work_is_asked_once),
        cmocka_unit_test(one_process_observes_what_several_have),
        cmocka_unit_test(only_what_measures_has_to_be_alone),
        cmocka_unit_test(a_source_that_is_none_is_refused),
    };
    return cmocka_run_group_tests_name("runner/evidence", tests, NULL, NULL);
}
