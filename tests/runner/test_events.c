/* Files of events: the shipped ones are complete and for the right processors, errors are refused with their
 * line, and names, sums and metrics have the stated values. */
#include "base/file.h"
#include "base/text/names.h"
#include "runner/sources/events/event_folder.h"
#include "runner/sources/perf/perf_plan.h"
#include "tests/mutate.h"
#include "tests/runner/says_why_not.h"

#include <perfmon/pfmlib_perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct event_table *new_table(void)
{
    struct event_table *table = calloc(1, sizeof *table);
    assert_non_null(table);
    return table;
}

static void end_table(struct event_table *table)
{
    event_table_free(table);
    free(table);
}

/* The family that a processor's metrics come from. */
static void assert_family(const char *vendor, unsigned family, unsigned model, const char *pmu,
                          const char *expected, unsigned counters)
{
    struct event_table *table = new_table();
    struct error error = {0};
    const struct event_processor processor = {vendor, family, model, pmu, NULL};
    enum status status = event_folder_table(&processor, table, &error);
    if (status != STATUS_OK)
        print_message("%s:%d: %s (%s)\n", error.file, error.line, error.message, error.hint);
    assert_int_equal(status, STATUS_OK);
    assert_string_equal(table->files[0].family, expected);
    assert_int_equal(table->counters, counters);
    end_table(table);
}

static void processors_have_their_files(void **state)
{
    (void)state;
    assert_family("AuthenticAMD", 23, 0x01, "cpu", "amd-zen1", 6);
    assert_family("AuthenticAMD", 23, 0x31, "cpu", "amd-zen2", 6);
    assert_family("AuthenticAMD", 25, 0x21, "cpu", "amd-zen3", 6);
    assert_family("AuthenticAMD", 25, 0x11, "cpu", "amd-zen4", 6);
    assert_family("AuthenticAMD", 25, 0x61, "cpu", "amd-zen4", 6);
    assert_family("AuthenticAMD", 26, 0x02, "cpu", "amd-zen5", 6);
    assert_family("AuthenticAMD", 21, 0x01, "cpu", "amd-fam15h", 3);
    assert_family("AuthenticAMD", 21, 0x02, "cpu", "amd-fam15h", 3);
    assert_family("AuthenticAMD", 21, 0x30, "cpu", "any", 4);
    assert_family("GenuineIntel", 6, 0x01, "cpu", "intel-p6", 2);
    assert_family("GenuineIntel", 6, 0x09, "cpu", "any", 4);
    assert_family("GenuineIntel", 6, 0x9e, "cpu", "intel-skylake", 4);
    assert_family("GenuineIntel", 6, 0x55, "cpu", "intel-skylake", 4);
    assert_family("GenuineIntel", 6, 0x6a, "cpu", "intel-ice-lake", 4);
    assert_family("GenuineIntel", 6, 0xa7, "cpu", "intel-ice-lake", 4);
    assert_family("GenuineIntel", 6, 0x8f, "cpu", "intel-sapphire-rapids", 4);
    assert_family("GenuineIntel", 6, 0x97, "cpu_core", "intel-golden-cove", 4);
    assert_family("GenuineIntel", 6, 0x97, "cpu_atom", "intel-gracemont", 6);
    assert_family("GenuineIntel", 6, 0xbd, "cpu_core", "intel-lion-cove", 4);
    assert_family("GenuineIntel", 6, 0xc6, "cpu_atom", "intel-skymont", 8);
    assert_family("GenuineIntel", 6, 0xc6, "cpu", "any", 4);
    assert_family("Unheard", 1, 1, "cpu", "any", 4);
    assert_family("NVIDIA", 9, 0, "gpu", "nvidia-two-sides", 2);
    assert_family("NVIDIA", 8, 9, "gpu", "nvidia", 2);
}

/* A machine's name selects its family's file, as the family's own name does. */
static void machines_have_their_files(void **state)
{
    (void)state;
    static const char *const rows[][2] = {{"fx-8320", "amd-fam15h"},
                                          {"interlagos", "amd-fam15h"},
                                          {"amd-fam15h", "amd-fam15h"},
                                          {"pentium-pro", "intel-p6"},
                                          {"zen5", "amd-zen5"},
                                          {"skylake-sp", "intel-skylake"},
                                          {"neoverse-v2", "arm-neoverse"},
                                          {"sifive-u74", "riscv-sifive-7"},
                                          {"h200", "nvidia-two-sides"},
                                          {"ada", "nvidia"}};
    static const char *const none[] = {"fx", "8320", "neoverse", "interlagos fx-8320", "", "fx-8320 "};
    struct error error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event_table *table = new_table();
        const struct event_processor processor = {"", 0, 0, "cpu", rows[i][0]};
        assert_int_equal(event_folder_table(&processor, table, &error), STATUS_OK);
        assert_string_equal(table->files[0].family, rows[i][1]);
        end_table(table);
    }
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct event_table *table = new_table();
        const struct event_processor processor = {"", 0, 0, "cpu", none[i]};
        assert_int_equal(event_folder_table(&processor, table, &error), STATUS_USAGE);
        assert_non_null(strstr(error.hint, "intel-p6"));
        assert_non_null(strstr(error.hint, "machine"));
        end_table(table);
    }
}

/* Every file that ships resolves whole, says where it is from, and has a metric or a reason for each. */
static void all_files_are_whole(void **state)
{
    (void)state;
    static const char *const metrics[] = {"ipc",
                                          "dpc",
                                          "l1d.miss_rate",
                                          "l2.miss_rate",
                                          "l3.miss_rate",
                                          "l1i.miss_rate",
                                          "dtlb.miss_rate",
                                          "branch.miss_rate",
                                          "branch.taken_rate",
                                          "served.L2",
                                          "served.L3",
                                          "served.MEM",
                                          "bandwidth.L2",
                                          "bandwidth.MEM"};
    char names[1024];
    struct error error = {0};
    assert_int_equal(event_folder_names(false, names, sizeof names, &error), STATUS_OK);
    unsigned families = 0;
    for (char *name = strtok(names, ", "); name != NULL; name = strtok(NULL, ", ")) {
        struct event_table *table = new_table();
        const struct event_processor processor = {"", 0, 0, "cpu", name};
        if (strcmp(name, "any") == 0) {
            end_table(table);
            continue;
        }
        assert_int_equal(event_folder_table(&processor, table, &error), STATUS_OK);
        assert_non_null(table->files[0].source);
        for (size_t i = 0; !event_table_of_gpu(table) && i < sizeof metrics / sizeof metrics[0]; i++) {
            bool told = says_why_not(table, metrics[i]);
            for (size_t j = 0; j < table->ratio_count; j++)
                told = told || strcmp(table->ratios[j].metric, metrics[i]) == 0;
            if (!told)
                print_message("%s has neither %s nor why not\n", name, metrics[i]);
            assert_true(told);
        }
        families++;
        end_table(table);
    }
    assert_true(families >= 12);
}

/* The code by which libpfm4 counts the event, or 0. */
static uint64_t code_of(const char *name)
{
    pfm_pmu_encode_arg_t encoded = {.size = sizeof encoded};
    uint64_t code = 0;
    if (pfm_get_os_event_encoding(name, PFM_PLM3, PFM_OS_NONE, &encoded) == PFM_SUCCESS)
        code = encoded.codes[0] & ~UINT64_C(0x530000);
    free(encoded.codes);
    return code;
}

/* Where libpfm4 knows the vendor's name, the file's code is the one that it has. */
static void codes_are_those_of_libpfm4(void **state)
{
    (void)state;
    static const struct {
        const char *family, *unit;
    } known[] = {{"intel-skylake", "skl"},
                 {"intel-skylake", "skx"},
                 {"intel-ice-lake", "icl"},
                 {"intel-ice-lake", "icx"},
                 {"intel-sapphire-rapids", "spr"}};
    unsigned agreed = 0;
    setenv("LIBPFM_ENCODE_INACTIVE", "1", 1);
    assert_int_equal(pfm_initialize(), PFM_SUCCESS);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        struct event_table *table = new_table();
        struct error error = {0};
        const struct event_processor processor = {"", 0, 0, "cpu", known[i].family};
        assert_int_equal(event_folder_table(&processor, table, &error), STATUS_OK);
        for (size_t j = 0; j < table->files[0].row_count; j++) {
            const struct event_row *row = &table->files[0].rows[j];
            char name[128];
            snprintf(name, sizeof name, "%s::%.90s", known[i].unit, row->rest);
            char *dot = strchr(name, '.');
            if (row->kind != EVENT_CODE || dot == NULL)
                continue;
            *dot = ':';
            uint64_t code = code_of(name);
            if (code == 0)
                continue;
            if (code != strtoull(row->text + 1, NULL, 16))
                print_message("%s: %s is %s, libpfm4 says r%llx\n", known[i].family, name, row->text,
                              (unsigned long long)code);
            assert_int_equal(code, strtoull(row->text + 1, NULL, 16));
            agreed++;
        }
        end_table(table);
    }
    assert_true(agreed > 100);
}

enum { SELECTS = 4096 };

/* AMD's event select: bits 0 to 7 and 32 to 35. */
static size_t select_of(uint64_t code)
{
    return (size_t)((code & 0xff) | (code >> 24 & 0xf00));
}

/* All masks that libpfm4 has of each event select of the unit. */
static void learn_masks(pfm_pmu_t unit, uint8_t masks[SELECTS], bool known[SELECTS])
{
    pfm_pmu_info_t info = {.size = sizeof info};
    assert_int_equal(pfm_get_pmu_info(unit, &info), PFM_SUCCESS);
    for (int event = info.first_event; event != -1; event = pfm_get_event_next(event)) {
        pfm_event_info_t about = {.size = sizeof about};
        char name[256];
        if (pfm_get_event_info(event, PFM_OS_NONE, &about) != PFM_SUCCESS)
            continue;
        snprintf(name, sizeof name, "%s::%s", info.name, about.name);
        for (int i = -1; i < about.nattrs; i++) {
            pfm_event_attr_info_t attribute = {.size = sizeof attribute};
            if (i >= 0 && (pfm_get_event_attr_info(event, i, PFM_OS_NONE, &attribute) != PFM_SUCCESS ||
                           attribute.type != PFM_ATTR_UMASK))
                continue;
            snprintf(name, sizeof name, "%s::%s%s%s", info.name, about.name, i < 0 ? "" : ":",
                     i < 0 ? "" : attribute.name);
            uint64_t code = code_of(name);
            known[select_of(code)] = known[select_of(code)] || code != 0;
            masks[select_of(code)] |= (uint8_t)(code >> 8);
        }
    }
}

/* libpfm4 has other names for AMD's events: what can be held against it are the codes. */
static void codes_of_amd_are_in_libpfm4(void **state)
{
    (void)state;
    static const struct {
        const char *family;
        pfm_pmu_t unit;
    } known[] = {{"amd-zen1", PFM_PMU_AMD64_FAM17H_ZEN1},
                 {"amd-zen2", PFM_PMU_AMD64_FAM17H_ZEN2},
                 {"amd-zen3", PFM_PMU_AMD64_FAM19H_ZEN3},
                 {"amd-zen4", PFM_PMU_AMD64_FAM19H_ZEN4}};
    unsigned agreed = 0;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        uint8_t masks[SELECTS] = {0};
        bool there[SELECTS] = {false};
        struct event_table *table = new_table();
        const struct event_processor processor = {"", 0, 0, "cpu", known[i].family};
        assert_int_equal(event_folder_table(&processor, table, NULL), STATUS_OK);
        learn_masks(known[i].unit, masks, there);
        for (size_t j = 0; j < table->files[0].row_count; j++) {
            const struct event_row *row = &table->files[0].rows[j];
            uint64_t code = strtoull(row->text + 1, NULL, 16);
            if (row->kind != EVENT_CODE || !there[select_of(code)])
                continue;
            uint8_t mask = (uint8_t)(code >> 8);
            if (mask != 0xff && (mask & ~masks[select_of(code)]) != 0)
                print_message("%s: %s is %s, beyond the masks %02x of libpfm4\n", known[i].family, row->name,
                              row->text, masks[select_of(code)]);
            assert_true(mask == 0xff || (mask & ~masks[select_of(code)]) == 0);
            agreed++;
        }
        end_table(table);
    }
    assert_true(agreed > 80);
}

/* Family 15h has libpfm4's own names: each event's code is that of its name. */
static void codes_of_family_15h_are_those_of_libpfm4(void **state)
{
    (void)state;
    struct event_table *table = new_table();
    const struct event_processor processor = {"", 0, 0, "cpu", "amd-fam15h"};
    unsigned agreed = 0;
    assert_int_equal(event_folder_table(&processor, table, NULL), STATUS_OK);
    for (size_t i = 0; i < table->files[0].row_count; i++) {
        const struct event_row *row = &table->files[0].rows[i];
        char name[128];
        if (row->kind != EVENT_CODE)
            continue;
        snprintf(name, sizeof name, "amd64_fam15h_interlagos::%.*s", (int)strcspn(row->rest, " "), row->rest);
        size_t end = strlen(name) - 1;
        bool remarked = name[end] == ':'; /* "MAB_WAIT: of buffer 0" */
        name[end] = remarked ? '\0' : name[end];
        uint64_t code = strtoull(row->text + 1, NULL, 16), theirs = code_of(name);
        if (remarked) /* a mask that chooses one of several; libpfm4 has all by default */
            theirs &= 0xff;
        if (code != theirs)
            print_message("%s: %s is %s, libpfm4 says r%llx\n", row->name, name, row->text,
                          (unsigned long long)theirs);
        assert_int_equal(code, theirs);
        agreed++;
    }
    assert_int_equal(agreed, 26);
    end_table(table);
}

/* The codes that Su et al. 2014 print beside their counters (slide "Use 9 HW Events"), and that the file has.
 */
static void the_twelve_codes_of_ppep_are_there(void **state)
{
    (void)state;
    static const unsigned printed[] = {0x76, 0xc0, 0x69, 0xc1, 0x00, 0x80,
                                       0x40, 0x7d, 0xc2, 0xc3, 0x7e, 0xd1};
    struct event_table *table = new_table();
    const struct event_processor processor = {"", 0, 0, "cpu", "fx-8320"};
    struct error error;
    struct papers papers;
    assert_int_equal(event_papers_read(&papers, &error), STATUS_OK);
    assert_int_equal(event_folder_table(&processor, table, &error), STATUS_OK);
    size_t found = 0;
    for (size_t i = 0; i < papers.count; i++) {
        const struct paper *paper = &papers.items[i];
        if (strcmp(paper->paper, "ppep-2014") != 0)
            continue;
        for (size_t number = 0; number < paper->counter_count; number++) {
            unsigned told = 0;
            const char *name = paper->counters[number].names[0];
            assert_int_equal(sscanf(paper->counters[number].counter, "E%*u %x", &told), 1);
            const struct event_row *row = event_file_find(&table->files[0], 1U << EVENT_CODE, name);
            assert_non_null(row);
            assert_int_equal(told, printed[number]);
            assert_int_equal(strtoull(row->text + 1, NULL, 16) & 0xff, printed[number]);
            found++;
        }
    }
    assert_int_equal(found, sizeof printed / sizeof printed[0]);
    arena_free(&papers.arena);
    end_table(table);
}

/* libpfm4 has its table of the P6 in builds for 32 bits alone. These are that table's codes, and its masks of
 * all states of a line (lib/events/intel_p6_events.h). Where this libpfm4 has it, it is asked, too. */
static void codes_of_the_p6_are_those_of_libpfm4(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned code;
    } known[] = {{"CPU_CLK_UNHALTED", 0x79},
                 {"INST_RETIRED", 0xc0},
                 {"INST_DECODED", 0xd0},
                 {"UOPS_RETIRED", 0xc2},
                 {"BR_INST_RETIRED", 0xc4},
                 {"BR_INST_DECODED", 0xe0},
                 {"BR_MISS_PRED_RETIRED", 0xc5},
                 {"BR_TAKEN_RETIRED", 0xc9},
                 {"BTB_MISSES", 0xe2},
                 {"DATA_MEM_REFS", 0x43},
                 {"DCU_LINES_IN", 0x45},
                 {"DCU_MISS_OUTSTANDING", 0x48},
                 {"IFU_IFETCH", 0x80},
                 {"IFU_IFETCH_MISS", 0x81},
                 {"L2_RQSTS", 0xf2e},
                 {"L2_LD", 0xf29},
                 {"L2_ST", 0xf2a},
                 {"L2_IFETCH", 0xf28},
                 {"L2_LINES_IN", 0x24},
                 {"L2_M_LINES_OUTM", 0x27},
                 {"RESOURCE_STALLS", 0xa2}};
    struct event_table *table = new_table();
    const struct event_processor processor = {"", 0, 0, "cpu", "pentium-pro"};
    size_t agreed = 0;
    assert_int_equal(event_folder_table(&processor, table, NULL), STATUS_OK);
    for (size_t i = 0; i < table->files[0].row_count; i++) {
        const struct event_row *row = &table->files[0].rows[i];
        if (row->kind != EVENT_CODE)
            continue;
        char name[64], whole[80];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(row->rest, " :"), row->rest);
        uint64_t code = strtoull(row->text + 1, NULL, 16);
        unsigned expected = 0;
        for (size_t j = 0; j < sizeof known / sizeof known[0]; j++)
            expected = strcmp(known[j].name, name) == 0 ? known[j].code : expected;
        assert_int_equal(code, expected);
        snprintf(whole, sizeof whole, "ppro::%s", name);
        uint64_t theirs = code_of(whole);
        assert_true(theirs == 0 || (theirs & 0xff) == (code & 0xff));
        agreed++;
    }
    assert_int_equal(agreed, sizeof known / sizeof known[0]);
    end_table(table);
}

static enum status link_text(const char *text, struct event_table *table, struct error *error)
{
    *table = (struct event_table){.counters = 0};
    memset(error, 0, sizeof *error);
    enum status status =
        event_file_parse(text, strlen(text), "mine.txt", &table->arena, &table->files[0], error);
    table->file_count = 1;
    return status == STATUS_OK ? event_table_link(table, error) : status;
}

static void expressions_come_to_what_they_say(void **state)
{
    (void)state;
    struct event_table *table = new_table();
    struct error error;
    assert_int_equal(link_text("family mine\nevent a r01\nevent b r02\nevent c r03\n"
                               "count ab = a + 2 * b\n"
                               "metric m = ( ab - c ) / ( a + r04 )\n"
                               "metric n = 1 - 0.5 * a\n"
                               "metric o loads-only = ab / c",
                               table, &error),
                     STATUS_OK);
    const double counts[] = {1, 10, 100, 1000};
    assert_int_equal(table->event_count, 4);
    assert_int_equal(table->ratio_count, 3);
    assert_string_equal(table->events[3].code, "r04");
    assert_float_equal(event_sum_value(&table->ratios[0].over, counts), 1 + 20 - 100, 0);
    assert_float_equal(event_sum_value(&table->ratios[0].under, counts), 1001, 0);
    assert_float_equal(event_sum_value(&table->ratios[1].over, counts), 0.5, 0);
    assert_int_equal(table->ratios[1].under.count, 0);
    assert_true(table->ratios[2].loads_only);
    struct event_sum sum;
    assert_int_equal(event_table_sum(table, "ab", &sum, &error), STATUS_OK);
    assert_float_equal(event_sum_value(&sum, counts), 21, 0);
    assert_int_equal(event_table_sum(table, "MEM_LOAD_RETIRED:L1_MISS", &sum, &error), STATUS_OK);
    assert_int_equal(event_table_sum(table, "abb", &sum, &error), STATUS_RECIPE);
    assert_non_null(strstr(error.hint, "did you mean 'ab'"));
    end_table(table);
}

static void wrong_files_are_refused_at_their_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int line;
        const char *message, *hint; /* parts of them */
    } rows[] = {
        {"event a r01\n", 0, "has no name", "family NAME"},
        {"family f\nevnet a r01", 2, "\"evnet\"", "did you mean 'event'"},
        {"family f\nevent a", 2, "no code", "libpfm4"},
        {"family f\n\ncpu AuthenticAMD x 1", 3, "no processor", "AuthenticAMD 25"},
        {"family f\ncpu AuthenticAMD 25", 2, "no processor", "MODELS"},
        {"family f\ncpu AuthenticAMD 25 nine", 2, "models", "0x00-0x0f"},
        {"family f\ncounters many", 2, "invalid", "1 to 64"},
        {"family f\nmetric ipc instructions", 2, "no value", "blanks"},
        {"family f\nmetric ipc = b / c", 2, "\"b\"", "libpfm4 name"},
        {"family f\nevent b r1\nmetric ipc = b / ", 3, "its end", "a name or a number"},
        {"family f\nevent b r1\nmetric ipc = ( b + b", 3, "its end", ")"},
        {"family f\nevent b r1\nmetric ipc = b b", 3, "\"b\"", "the end"},
        {"family f\nevent b r1\ncount c = b + d\ncount d = c", 4, "", "depend on themselves"},
        {"family f\nnone ipc", 2, "no reason", "why"},
        {"family f\ntitle", 2, "nothing after", "a name or a text"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct event_table *table = new_table();
        struct error error;
        assert_int_equal(link_text(rows[i].text, table, &error), STATUS_RECIPE);
        assert_int_equal(error.line, rows[i].line);
        assert_string_equal(error.file, "mine.txt");
        assert_non_null(strstr(error.message, rows[i].message));
        assert_non_null(strstr(error.hint, rows[i].hint));
        end_table(table);
    }
}

/* A user's file comes first, metric by metric; what it leaves out is as shipped. */
static void own_files_come_first(void **state)
{
    (void)state;
    char folder[] = "/tmp/trauma-events-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[256];
    snprintf(path, sizeof path, "%s/traumagen/events", folder);
    assert_int_equal(file_make_folders(path, NULL), STATUS_OK);
    snprintf(path, sizeof path, "%s/traumagen/events/mine.txt", folder);
    static const char text[] =
        "family mine\ncpu AuthenticAMD 26 *\nevent odd r1234\nmetric ipc = odd / cycles\n";
    assert_int_equal(file_write(path, text, strlen(text), false, NULL), STATUS_OK);
    setenv("XDG_CONFIG_HOME", folder, 1);
    struct event_table *table = new_table();
    struct error error;
    const struct event_processor processor = {"AuthenticAMD", 26, 2, "cpu", NULL};
    assert_int_equal(event_folder_table(&processor, table, &error), STATUS_OK);
    unsetenv("XDG_CONFIG_HOME");
    assert_string_equal(table->files[0].family, "mine");
    assert_string_equal(table->files[1].family, "amd-zen5");
    assert_string_equal(table->ratios[0].metric, "ipc");
    assert_string_equal(table->events[table->ratios[0].over.terms[0].event].code, "r1234");
    assert_string_equal(table->events[table->ratios[0].under.terms[0].event].code, "r0076");
    assert_int_equal(table->counters, 6);
    end_table(table);
    assert_int_equal(file_remove_tree(folder, NULL), STATUS_OK);
}

static void damaged_files_do_no_harm(void **state)
{
    (void)state;
    struct buffer text = {0};
    assert_int_equal(event_folder_read("events/amd-zen5.txt", &text, NULL), STATUS_OK);
    struct random random = mutate_start("events");
    double end = mutate_now() + mutate_seconds() / 2;
    unsigned refused = 0;
    while (mutate_now() < end) {
        struct buffer damaged = {0};
        buffer_append(&damaged, text.data, text.size);
        for (int i = 0; i < 3; i++)
            mutate_once(&random, &damaged);
        struct event_table *table = new_table();
        struct error error = {0};
        if (damaged.size > 0) {
            enum status status = event_file_parse(damaged.data, damaged.size, "mine.txt", &table->arena,
                                                  &table->files[0], &error);
            table->file_count = status == STATUS_OK;
            status = status == STATUS_OK ? event_table_link(table, &error) : status;
            assert_true(status == STATUS_OK || (status == STATUS_RECIPE && error.message[0] != '\0'));
            refused += status != STATUS_OK;
        }
        end_table(table);
        buffer_free(&damaged);
    }
    buffer_free(&text);
    assert_true(refused > 0);
}

int main(void)
{
    unsetenv("XDG_CONFIG_HOME");
    setenv("HOME", "/nowhere", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(machines_have_their_files),
        cmocka_unit_test(processors_have_their_files),
        cmocka_unit_test(all_files_are_whole),
        cmocka_unit_test(codes_are_those_of_libpfm4),
        cmocka_unit_test(codes_of_amd_are_in_libpfm4),
        cmocka_unit_test(codes_of_family_15h_are_those_of_libpfm4),
        cmocka_unit_test(codes_of_the_p6_are_those_of_libpfm4),
        cmocka_unit_test(the_twelve_codes_of_ppep_are_there),
        cmocka_unit_test(expressions_come_to_what_they_say),
        cmocka_unit_test(wrong_files_are_refused_at_their_line),
        cmocka_unit_test(own_files_come_first),
        cmocka_unit_test(damaged_files_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
