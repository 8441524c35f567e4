/* The generation part: a suite of a thousand programs, compared with bare file creation, as and LLVM MC. */
#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "bench/bench.h"
#include "isa/assembly.h"
#include "isa/isa.h"
#include "isa/mc.h"
#include "isa/object.h"
#include "runner/process/child.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { NAME_BYTES = 64, PROGRAMS = 1004, FILES = 4, ASSEMBLED = 40, MANY = 20080 };
static const double TIMEOUT_S = 600;
static const double HALF = 0.5;
static const double AS_TIMES = 15;
static const double MC_TIMES = 100;
static const double TWO_CORES = 1.5;
static const double FLAT = 1.1;
static const char slow[] =
    "slower than promised: see with `uptime` and `df` whether another program has the core or "
    "the disk, and repeat; if it stays so, it is worth a report with this output";

/* A folder in memory, and the free space required there. */
static const char MEMORY_FOLDER[] = "/dev/shm";
static const uint64_t ROOM = UINT64_C(4) << 30;

static const char *const names[FILES] = {"program.s", "program.o", "program", "manifest.json"};

/* Loops of 800 instructions; COPIES sweeps over copies of the whole suite. */
static const char recipe_text[] = "benchmark {\n"
                                  "  name = \"bench\", sweep = { hit = range(0, 1, 0.004), dependents = { 0, "
                                  "1, 2, 3 }, copy = range(1, %u, 1) },\n"
                                  "  loop = { instructions = 800 },\n"
                                  "  kernel = function(p)\n"
                                  "    return { load { served_by = { L1 = p.hit, L2 = 1 - p.hit } }, add { "
                                  "count = 3, dependents = p.dependents } }\n"
                                  "  end,\n"
                                  "}\n";

/* The machines whose suites are generated, with Debian's cross assemblers for them. */
static const struct subject {
    const char *isa, *machine, *as;
} subjects[] = {{"x86_64", "zen5", "x86_64-linux-gnu-as"},
                {"aarch64", "neoverse-n1", "aarch64-linux-gnu-as"},
                {"riscv64", "thead-c920", "riscv64-linux-gnu-as"}};

struct generation {
    const struct bench *bench;
    const struct isa *isa;
    const char *machine, *as;
    char folder[FILE_PATH_BYTES]; /* holds all files made here */
    size_t sizes[FILES];          /* of a program's files, on average */
    struct buffer body;           /* of one program: its loop's instructions */
    struct known_lines lines;     /* the same instructions as shapes and numbers */
    struct stencils *stencils;
    struct assembly *assembly;
};

/* ---- suites ---- */

/* Writes the recipe with that many copies of the thousand points. */
static enum status write_recipe(const struct generation *generation, const char *name, unsigned copies,
                                struct error *error)
{
    char path[FILE_PATH_BYTES];
    struct buffer text = {0};
    buffer_printf(&text, recipe_text, copies);
    enum status status =
        file_write(file_join(path, generation->folder, name), text.data, text.size, false, error);
    buffer_free(&text);
    return status;
}

static enum status generate(const struct generation *generation, const char *recipe, const char *suite,
                            unsigned jobs, double *seconds, struct error *error)
{
    char name[] = "trauma";
    char command[] = "gen";
    char machine_option[] = "-m";
    char machine[NAME_BYTES];
    char output[] = "-o";
    char quiet[] = "-q";
    char jobs_option[16];
    char path[FILE_PATH_BYTES];
    char target[FILE_PATH_BYTES];
    snprintf(machine, sizeof machine, "%s", generation->machine);
    snprintf(jobs_option, sizeof jobs_option, "-j%u", jobs);
    file_join(path, generation->folder, recipe);
    file_join(target, generation->folder, suite);
    char *const arguments[] = {name,   command, path,        machine_option, machine,
                               output, target,  jobs_option, quiet,          NULL};
    const struct child_request request = {.path = generation->bench->trauma,
                                          .arguments = arguments,
                                          .cpu = jobs == 1 ? generation->bench->cpu : -1,
                                          .timeout_s = TIMEOUT_S};
    struct child_result result;
    enum status status = child_run(&request, &result, error);
    *seconds = result.wall_s;
    child_result_free(&result);
    return status;
}

static enum status remove_suite(const struct generation *generation, const char *suite, struct error *error)
{
    char path[FILE_PATH_BYTES];
    return file_remove_tree(file_join(path, generation->folder, suite), error);
}

static enum status suite_rate(const struct generation *generation, unsigned jobs, double *rate,
                              struct error *error)
{
    double seconds = 0;
    enum status status = generate(generation, "suite.lua", "suite", jobs, &seconds, error);
    if (status == STATUS_OK)
        status = remove_suite(generation, "suite", error);
    *rate = PROGRAMS / seconds;
    return status;
}

static enum status measure_suite(void *context, double *rate, struct error *error)
{
    return suite_rate(context, 1, rate, error);
}

static enum status measure_suite_on_two(void *context, double *rate, struct error *error)
{
    return suite_rate(context, 2, rate, error);
}

/* ---- bare files ---- */

static bool create(const char *folder, const char *name, const char *bytes, size_t size)
{
    char path[FILE_PATH_BYTES];
    int fd = open(file_join(path, folder, name), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write(fd, bytes, size) == (ssize_t)size;
    return fd >= 0 && close(fd) == 0 && good;
}

static bool create_all(const struct generation *generation, const char *top, const char *bytes)
{
    for (unsigned i = 0; i < PROGRAMS; i++) {
        char name[16];
        char folder[FILE_PATH_BYTES];
        snprintf(name, sizeof name, "%u", i);
        if (mkdir(file_join(folder, top, name), 0777) != 0)
            return false;
        for (int f = 0; f < FILES; f++)
            if (!create(folder, names[f], bytes, generation->sizes[f]))
                return false;
    }
    return true;
}

/* Creates as many folders and files of the same sizes, on the same core. */
static enum status measure_bare(void *context, double *rate, struct error *error)
{
    const struct generation *generation = context;
    char top[FILE_PATH_BYTES];
    cpu_set_t before;
    cpu_set_t one;
    size_t largest = 0;
    for (int f = 0; f < FILES; f++)
        largest = generation->sizes[f] > largest ? generation->sizes[f] : largest;
    char *bytes = calloc(1, largest);
    if (bytes == NULL)
        abort();
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    CPU_SET(generation->bench->cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    double start = clock_now_s();
    bool good =
        mkdir(file_join(top, generation->folder, "bare"), 0777) == 0 && create_all(generation, top, bytes);
    *rate = PROGRAMS / (clock_now_s() - start);
    sched_setaffinity(0, sizeof before, &before);
    free(bytes);
    return good ? remove_suite(generation, "bare", error)
                : error_set(error, STATUS_FAILED, "cannot write to %s", generation->folder);
}

/* ---- assemblers ---- */

static enum status measure_as(void *context, double *rate, struct error *error)
{
    const struct generation *generation = context;
    char name[NAME_BYTES];
    char output[] = "-o";
    char source[FILE_PATH_BYTES];
    char object[FILE_PATH_BYTES];
    snprintf(name, sizeof name, "%s", generation->as);
    file_join(source, generation->folder, "program.s");
    file_join(object, generation->folder, "program.o");
    char *const arguments[] = {name, source, output, object, NULL};
    const struct child_request request = {.path = generation->as,
                                          .arguments = arguments,
                                          .cpu = generation->bench->cpu,
                                          .timeout_s = TIMEOUT_S};
    enum status status = STATUS_OK;
    double start = clock_now_s();
    for (unsigned i = 0; status == STATUS_OK && i < ASSEMBLED; i++) {
        struct child_result result;
        status = child_run(&request, &result, error);
        child_result_free(&result);
    }
    *rate = ASSEMBLED / (clock_now_s() - start);
    return status;
}

/* Encodes bytes in memory from shapes and numbers, as the generator has them. */
static enum status stencil(struct generation *generation, struct error *error)
{
    bool complete;
    assembly_clear(generation->assembly);
    enum status status = assembly_known(generation->assembly, "", &generation->lines, "body", error);
    if (status == STATUS_OK)
        status = assembly_finish(generation->assembly, &complete, error);
    if (status == STATUS_OK && !complete)
        status = stencils_learn(generation->stencils, error);
    return status;
}

static enum status measure_stencils(void *context, double *rate, struct error *error)
{
    enum { TIMES = 5000 };
    enum status status = STATUS_OK;
    double start = clock_now_s();
    for (unsigned i = 0; status == STATUS_OK && i < TIMES; i++)
        status = stencil(context, error);
    *rate = TIMES / (clock_now_s() - start);
    return status;
}

static enum status measure_mc(void *context, double *rate, struct error *error)
{
    const struct generation *generation = context;
    enum { TIMES = 20 };
    enum status status = STATUS_OK;
    double start = clock_now_s();
    for (unsigned i = 0; status == STATUS_OK && i < TIMES; i++) {
        struct buffer object = {0};
        status = mc_assemble(generation->isa, generation->body.data, "body", &object, error);
        buffer_free(&object);
    }
    *rate = TIMES / (clock_now_s() - start);
    return status;
}

/* Up to its comment. */
static size_t line_size(const char *line, const char *comment)
{
    size_t size = strcspn(line, "\n");
    const char *at = strstr(line, comment);
    return at != NULL && (size_t)(at - line) < size ? (size_t)(at - line) : size;
}

/* Takes the loop's instructions from a program's source, and checks that both ways give the same bytes. */
static enum status take_body(struct generation *generation, const char *source, struct error *error)
{
    const char *line = strstr(source, "\ntrauma_loop:\n");
    const char *end = strstr(source, "\ntrauma_advance:");
    if (line == NULL || end == NULL)
        return error_set(error, STATUS_FAILED, "the program's text has no loop");
    for (line += strlen("\ntrauma_loop:\n"); line < end; line += strcspn(line, "\n") + 1) {
        size_t size = line_size(line, generation->isa->syntax.comment);
        int64_t number;
        enum number_kind kind;
        struct shape *shape = assembly_shape(generation->assembly, line, size, &kind, &number);
        known_lines_add(&generation->lines, shape, number);
        buffer_append(&generation->body, line, size);
        buffer_text(&generation->body, "\n");
    }
    struct buffer object = {0};
    struct object_part code;
    enum status status = mc_assemble(generation->isa, generation->body.data, "body", &object, error);
    for (int look = 0; status == STATUS_OK && look < 4; look++)
        status = stencil(generation, error);
    if (status == STATUS_OK)
        status = object_section(object.data, object.size, ".text", &code, error);
    struct assembly_bytes own = assembly_section(generation->assembly, ".text");
    if (status == STATUS_OK && (own.size != code.size || memcmp(own.bytes, code.bytes, code.size) != 0))
        status =
            error_set(error, STATUS_FAILED, "the bytes from stencils are not what LLVM MC makes of the text");
    buffer_free(&object);
    return status;
}

/* ---- the comparisons ---- */

/* Makes the suite once to get the sizes of its files, and keeps the source of one program. */
static enum status look_at_suite(struct generation *generation, struct error *error)
{
    static const char one[] = "suite/bench/copy=1,dependents=1,hit=0.5";
    char folder[FILE_PATH_BYTES];
    char path[FILE_PATH_BYTES];
    double seconds;
    struct stat info;
    enum status status = write_recipe(generation, "suite.lua", 1, error);
    if (status == STATUS_OK)
        status = generate(generation, "suite.lua", "suite", 1, &seconds, error);
    file_join(folder, generation->folder, one);
    for (int f = 0; status == STATUS_OK && f < FILES; f++) {
        if (stat(file_join(path, folder, names[f]), &info) != 0)
            return error_set(error, STATUS_FAILED, "the suite has no %s", path);
        generation->sizes[f] = (size_t)info.st_size;
    }
    struct buffer source = {0};
    if (status == STATUS_OK)
        status = file_read(file_join(path, folder, "program.s"), &source, error);
    if (status == STATUS_OK)
        status = take_body(generation, source.data, error);
    if (status == STATUS_OK)
        status = file_write(file_join(path, generation->folder, "program.s"), source.data, source.size, false,
                            error);
    buffer_free(&source);
    return status == STATUS_OK ? remove_suite(generation, "suite", error) : status;
}

/* The largest memory that any of our processes has used so far. */
static double peak_kb(void)
{
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return (double)usage.ru_maxrss;
}

static enum status compare_memory(struct generation *generation, struct bench *bench, struct error *error)
{
    static const char name[] = "memory for 20 times the programs";
    double seconds;
    double first = peak_kb(); /* of suites of a thousand */
    if (!bench_wants(bench, name))
        return STATUS_OK;
    enum status status = write_recipe(generation, "many.lua", MANY / PROGRAMS, error);
    if (status == STATUS_OK)
        status = generate(generation, "many.lua", "many", 1, &seconds, error);
    if (status == STATUS_OK)
        bench_value(bench, &(struct bench_number){
                               .part = "generation",
                               .name = name,
                               .value = peak_kb() / first,
                               .unit = "times",
                               .limit = FLAT,
                               .advice = "memory grows with the number of programs: a fault of `trauma gen`, "
                                         "worth a report with this output"});
    return status == STATUS_OK ? remove_suite(generation, "many", error) : status;
}

/* A second place for files besides the disk: if the disk dominates the time, memory shows more. */
static bool open_memory(const struct generation *disk, struct generation *memory, struct error *error)
{
    struct statfs info;
    struct buffer source = {0};
    char from[FILE_PATH_BYTES];
    char to[FILE_PATH_BYTES];
    if (statfs(MEMORY_FOLDER, &info) != 0 || info.f_type != TMPFS_MAGIC ||
        (uint64_t)info.f_bavail * (uint64_t)info.f_bsize < ROOM)
        return false;
    *memory = *disk;
    snprintf(memory->folder, sizeof memory->folder, "%s/trauma-bench-XXXXXX", MEMORY_FOLDER);
    if (mkdtemp(memory->folder) == NULL)
        return false;
    file_join(from, disk->folder, "program.s");
    file_join(to, memory->folder, "program.s");
    bool good = write_recipe(memory, "suite.lua", 1, error) == STATUS_OK &&
                file_read(from, &source, error) == STATUS_OK &&
                file_write(to, source.data, source.size, false, error) == STATUS_OK;
    buffer_free(&source);
    if (!good)
        (void)file_remove_tree(memory->folder, NULL);
    return good;
}

/* Compares with as, if available. No suite can be written faster than its bare files: reports the remaining
 * overhead. */
static enum status compare_as(struct generation *generation, struct bench *bench, struct error *error)
{
    char sentence[FILE_PATH_BYTES];
    struct bench_ratio bare_ratio;
    struct bench_ratio ratio;
    const struct bench_pair pair = {.part = "generation",
                                    .name = "suite, as",
                                    .unit = "programs/s",
                                    .ours = {"gen", measure_suite, generation},
                                    .theirs = {"as", measure_as, generation},
                                    .least = AS_TIMES,
                                    .below = slow};
    const struct bench_pair bare = {.part = "generation",
                                    .name = "bare files, as",
                                    .unit = "programs/s",
                                    .ours = {"bare files", measure_bare, generation},
                                    .theirs = {"as", measure_as, generation}};
    if (!bench_wants(bench, pair.name))
        return STATUS_OK;
    if (!child_program_exists(generation->as)) {
        char lack[2 * NAME_BYTES];
        snprintf(lack, sizeof lack, "%s (binutils) is not installed: nothing to compare with",
                 generation->as);
        bench_skip(bench, "generation", lack);
        return STATUS_OK;
    }
    enum status status = bench_compare(bench, &pair, &ratio, error);
    if (status == STATUS_OK && ratio.ratio.value < AS_TIMES)
        status = bench_compare(bench, &bare, &bare_ratio, error);
    if (status != STATUS_OK || ratio.ratio.value >= AS_TIMES || bare_ratio.ratio.value >= 2 * AS_TIMES)
        return status;
    snprintf(
        sentence, sizeof sentence,
        "bare files are created in %.200s only %.1f times as fast as `as` makes an object there: half of "
        "that rate is %.1f times, and the required %.0f are out of reach",
        generation->folder, bare_ratio.ratio.value, HALF * bare_ratio.ratio.value, AS_TIMES);
    bench_note(bench, "generation", sentence);
    return status;
}

static enum status compare_bare(struct generation *generation, struct bench *bench, const char *name,
                                struct error *error)
{
    struct bench_ratio ratio;
    const struct bench_pair pair = {.part = "generation",
                                    .name = name,
                                    .unit = "programs/s",
                                    .ours = {"gen", measure_suite, generation},
                                    .theirs = {"bare files", measure_bare, generation},
                                    .least = HALF,
                                    .below = slow};
    return bench_wants(bench, name) ? bench_compare(bench, &pair, &ratio, error) : STATUS_OK;
}

static enum status compare_others(struct generation *generation, struct bench *bench, struct error *error)
{
    const struct bench_side suite = {"gen", measure_suite, generation};
    const struct bench_side two = {"gen -j2", measure_suite_on_two, generation};
    const struct bench_side stencils = {"stencils", measure_stencils, generation};
    const struct bench_side mc = {"LLVM MC", measure_mc, generation};
    const struct bench_pair pairs[] = {
        {.part = "generation",
         .name = "copying stencils, LLVM MC",
         .unit = "loops/s",
         .ours = stencils,
         .theirs = mc,
         .least = MC_TIMES,
         .below = slow},
        {.part = "generation",
         .name = "two processes, one",
         .unit = "programs/s",
         .ours = two,
         .theirs = suite,
         .least = TWO_CORES,
         .below = "a second process gains too little: see with `uptime` whether another program has the "
                  "second core, and repeat"},
    };
    enum status status = STATUS_OK;
    for (size_t i = 0; status == STATUS_OK && i < sizeof pairs / sizeof pairs[0]; i++) {
        struct bench_ratio ratio;
        if (!bench_wants(bench, pairs[i].name))
            continue;
        if (pairs[i].ours.measure == measure_suite_on_two && sysconf(_SC_NPROCESSORS_ONLN) < 2)
            bench_skip(bench, "generation", "one core: -j has no second one to use");
        else
            status = bench_compare(bench, &pairs[i], &ratio, error);
    }
    return status == STATUS_OK ? compare_memory(generation, bench, error) : status;
}

static enum status compare(struct generation *disk, struct bench *bench, struct error *error)
{
    char sentence[3 * FILE_PATH_BYTES];
    struct generation memory;
    bool second = open_memory(disk, &memory, error);
    struct generation *best = second ? &memory : disk;
    snprintf(sentence, sizeof sentence, "files are written to %s%s%s%s", disk->folder,
             second ? "; \"in memory\", as and -j: to " : "", second ? memory.folder : "",
             second ? " (tmpfs)" : "");
    bench_note(bench, "generation", sentence);
    enum status status = compare_bare(disk, bench, "suite, bare files", error);
    if (status == STATUS_OK && second)
        status = compare_bare(&memory, bench, "suite, bare in memory", error);
    if (status == STATUS_OK)
        status = compare_as(best, bench, error);
    if (status == STATUS_OK)
        status = compare_others(best, bench, error);
    if (second)
        (void)file_remove_tree(memory.folder, NULL);
    return status;
}

static enum status choose_subject(const char *name, struct generation *generation, struct error *error)
{
    const struct isa *host = isa_of_host();
    name = name != NULL ? name : host == NULL ? subjects[0].isa : host->name;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        if (strcmp(subjects[i].isa, name) == 0) {
            generation->isa = isa_find(name);
            generation->machine = subjects[i].machine;
            generation->as = generation->isa == host ? "as" : subjects[i].as;
            return STATUS_OK;
        }
    return error_set(error, STATUS_USAGE, "--isa %s: expected x86_64, aarch64 or riscv64", name);
}

enum status bench_generation(struct bench *bench, struct error *error)
{
    struct generation generation = {.bench = bench};
    const char *temporary = getenv("TMPDIR");
    enum status status = choose_subject(bench->isa, &generation, error);
    if (status != STATUS_OK)
        return status;
    snprintf(generation.folder, sizeof generation.folder, "%s/trauma-bench-XXXXXX",
             temporary == NULL || temporary[0] == '\0' ? "/tmp" : temporary);
    if (mkdtemp(generation.folder) == NULL)
        return error_set(error, STATUS_FAILED, "cannot make the folder %s", generation.folder);
    generation.stencils = stencils_new(generation.isa);
    generation.assembly = assembly_new(generation.stencils);
    status = look_at_suite(&generation, error);
    if (status == STATUS_OK)
        status = compare(&generation, bench, error);
    (void)file_remove_tree(generation.folder, NULL);
    assembly_free(generation.assembly);
    stencils_free(generation.stencils);
    known_lines_free(&generation.lines);
    buffer_free(&generation.body);
    return status;
}
