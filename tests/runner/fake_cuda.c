/* A libcuda of one made-up GPU for tests: it has 4 multiprocessors at 1.755 GHz, 1 GiB of memory, and "runs"
 * a kernel by sleeping a microsecond a pass and writing the record; the first launches of a generated program
 * are executed besides (fake_cuda_executed.h), so that a wrong one faults, and later ones must be as they
 * are. What goes wrong stands in the program's text, as "//FAKE fault" (at the launch), "crash", "hang" (with
 * a process that STRAY names), "silent" (no record), "sm N" (only blocks there work), "chase" (follows the
 * addresses in its data), "sass" (no binary for this chip); a line that begins with "syntax" is an error of
 * the compiler. FAKE_CUDA says what is wrong with the machine: "init=N", "alone" (no GPU),
 * "arch=MAJOR.MINOR"; "sm=N" is as "//FAKE sm N"; "latency" makes loads take as long as the level would that
 * its data fits into: L1 of 192 KiB, L2 of 3 MiB, or "halves" with far lines from 1.5 MiB on; "paced=N" makes
 * each load of a pass take N ticks, beside which idle instructions take 4 each; "fixed" refuses attributes of
 * functions; "link=FILE", at its end, makes the driver compile every program to what the file has; and what
 * fake_cuda_sides.h has. Grids on streams run at the same time, from when they are launched and their warm-up
 * is over; "serial" runs each after those before, and "loaded" makes one the slower the more blocks run
 * beside it. When kernels run is written to FAKE_GPU_BUSY, pairs of doubles on CLOCK_MONOTONIC, for a made-up
 * NVML to draw power by. */
#include "fake_cuda_executed.h"
#include "fake_cuda_sides.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    OK = 0,
    NO_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    NOT_FOUND = 500,
    FAULT = 700,
    NOT_SUPPORTED = 801
};
enum { MOST_MEMORIES = 8, MOST_EXECUTED = 2 };
enum { SMS = 4, MEMORY = 1 << 30, ALIGNMENT = 512 };

struct entry {
    uint64_t start_ticks, stop_ticks, start_ns, stop_ns;
    uint32_t place, worked;
    uint64_t sum, zero[2];
};

static char texts[4][1 << 20]; /* of the modules */
static unsigned text_count;
static char *program = texts[0]; /* of the module last loaded or launched */
static char linked[1 << 20];     /* what linking made of linked_text */
static const char *linked_text;
static double walk_ticks; /* of a load on one side of L2; 0: it did not go there */
static size_t used;
static int broken; /* what every call says after a fault */
static double times[16];
static int events;
static struct stream {
    uint64_t until_ns; /* when what was launched on it ends */
    unsigned blocks;   /* of that */
} streams[4];
static int stream_count;
static uint64_t data_from, data_to;
static struct fake_memory memories[MOST_MEMORIES];
static size_t memory_count;
static struct fake_launch executed[4]; /* by module: the last one */
static unsigned execute_count[4];
static uint64_t least_warmup[4]; /* by module */

int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int result, const char **text);
int cuGetErrorString(int result, const char **text);
int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int capacity, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(void *context);
int cuModuleLoadDataEx(void **module, const char *image, unsigned count, const int *names, void **values);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuLinkCreate_v2(unsigned options, const int *names, void **values, void **link);
int cuLinkAddData_v2(void *link, int kind, const void *data, size_t size, const char *name, unsigned options,
                     const int *names, void **values);
int cuLinkComplete(void *link, void **binary, size_t *size);
int cuLinkDestroy(void *link);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemGetInfo_v2(size_t *left, size_t *total);
int cuMemsetD8_v2(uint64_t address, unsigned char byte, size_t bytes);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra);
int cuStreamCreate(void **stream, unsigned flags);
int cuEventCreate(int **event, unsigned flags);
int cuEventRecord(const int *event, void *stream);
int cuEventSynchronize(const int *event);
int cuEventElapsedTime(float *milliseconds, const int *from, const int *to);
int cuCtxGetCurrent(void **context);
uint64_t fake_cuda_passes(void);

/* Of all launches, warm-up too: what the made-up CUPTI counts by. */
static uint64_t passes;

uint64_t fake_cuda_passes(void)
{
    return passes;
}

static const char *trouble(void)
{
    const char *text = getenv("FAKE_CUDA");
    return text == NULL ? "" : text;
}

static bool says(const char *word)
{
    char text[64];
    snprintf(text, sizeof text, "//FAKE %s", word);
    return strstr(program, text) != NULL;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int cuInit(unsigned flags)
{
    if (strncmp(trouble(), "init=", 5) == 0)
        return atoi(trouble() + 5);
    return flags == 0 ? OK : 1;
}

int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return OK;
}

int cuGetErrorName(int result, const char **text)
{
    *text = result == FAULT ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OTHER";
    return OK;
}

int cuGetErrorString(int result, const char **text)
{
    *text = result == FAULT       ? "an illegal memory access was encountered"
            : result == NO_DEVICE ? "no CUDA-capable device is detected"
            : result == 800       ? "operation not permitted"
                                  : "it failed";
    return OK;
}

int cuDeviceGetCount(int *count)
{
    *count = strcmp(trouble(), "alone") == 0 ? 0 : 1;
    return OK;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = 70 + ordinal;
    return ordinal == 0 && strcmp(trouble(), "alone") != 0 ? OK : INVALID_DEVICE;
}

int cuDeviceGetName(char *name, int capacity, int device)
{
    snprintf(name, (size_t)capacity, "Fake GH%d", device);
    return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    static const int pairs[][2] = {{16, SMS},    {1, 1024},     {39, 2048},    {8, 49152},    {97, 232448},
                                   {81, 233472}, {38, 1 << 22}, {13, 1980000}, {36, 2619000}, {37, 5120},
                                   {10, 32},     {75, 9},       {76, 0},       {33, 0x0f}};
    int major;
    int minor;
    (void)device;
    *value = 0;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        if (pairs[i][0] == attribute)
            *value = pairs[i][1];
    if (sscanf(trouble(), "arch=%d.%d", &major, &minor) == 2 && (attribute == 75 || attribute == 76))
        *value = attribute == 75 ? major : minor;
    return OK;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = MEMORY;
    return OK;
}

int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    (void)device, (void)flags;
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    *context = &used;
    return OK;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    return OK;
}

int cuCtxSetCurrent(void *context)
{
    return context == &used ? OK : 201;
}

int cuCtxGetCurrent(void **context)
{
    *context = &used;
    return OK;
}

/* The line of the text where the compiler stumbles; 0: nowhere. */
static int wrong_line(void)
{
    int line = 1;
    for (const char *at = program; *at != '\0'; at++) {
        if ((at == program || at[-1] == '\n') && strncmp(at, "syntax", 6) == 0)
            return line;
        line += *at == '\n';
    }
    return 0;
}

int cuModuleLoadDataEx(void **module, const char *image, unsigned count, const int *names, void **values)
{
    char *complaints = NULL;
    size_t room = 0;
    if (text_count == sizeof texts / sizeof texts[0])
        return NO_MEMORY;
    program = texts[text_count++];
    snprintf(program, sizeof texts[0], "%s",
             memcmp(image,
                    "\x7f"
                    "ELF",
                    4) == 0
                 ? linked_text
                 : image);
    for (unsigned i = 0; i < count; i++) {
        complaints = names[i] == 5 ? values[i] : complaints;
        room = names[i] == 6 ? (size_t)(uintptr_t)values[i] : room;
        if (names[i] == 3)
            snprintf(values[i], 64, "ptxas info    : Used 12 registers\n");
    }
    *module = program;
    if (says("sass"))
        return NO_BINARY;
    int line = wrong_line();
    if (line == 0)
        return OK;
    snprintf(complaints, room,
             "ptxas application ptx input, line %d; error   : Unknown symbol 'syntax'\n"
             "ptxas fatal   : Ptx assembly aborted due to errors\n",
             line);
    return INVALID_PTX;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char text[128];
    *function = module;
    snprintf(text, sizeof text, ".entry %s", name);
    return strstr(module, text) != NULL ? OK : NOT_FOUND;
}

int cuFuncGetAttribute(int *value, int attribute, void *function)
{
    (void)function;
    *value = attribute == 4 ? 12 : attribute == 3 ? 0 : 90;
    return OK;
}

int cuFuncSetAttribute(void *function, int attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return strstr(trouble(), "fixed") != NULL ? NOT_SUPPORTED : OK;
}

/* Linking gives the file that "link=" names, made of the text by a real ptxas. */
int cuLinkCreate_v2(unsigned options, const int *names, void **values, void **link)
{
    (void)options, (void)names, (void)values;
    *link = &linked;
    return strstr(trouble(), "link=") != NULL ? OK : NOT_SUPPORTED;
}

int cuLinkAddData_v2(void *link, int kind, const void *data, size_t size, const char *name, unsigned options,
                     const int *names, void **values)
{
    (void)link, (void)kind, (void)size, (void)name, (void)options, (void)names, (void)values;
    linked_text = strdup(data);
    return OK;
}

int cuLinkComplete(void *link, void **binary, size_t *size)
{
    (void)link;
    FILE *file = fopen(strstr(trouble(), "link=") + strlen("link="), "rb");
    if (file == NULL)
        return NOT_FOUND;
    *size = fread(linked, 1, sizeof linked, file);
    *binary = linked;
    fclose(file);
    return OK;
}

int cuLinkDestroy(void *link)
{
    (void)link;
    return OK;
}

int cuMemAlloc_v2(uint64_t *address, size_t bytes)
{
    if (bytes == 0 || bytes > MEMORY - used)
        return bytes == 0 ? 1 : NO_MEMORY;
    void *memory = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    *address = (uint64_t)(uintptr_t)memory;
    if (used == 0) { /* the first is the data */
        data_from = *address;
        data_to = *address + bytes;
    }
    used += bytes;
    if (memory_count < MOST_MEMORIES)
        memories[memory_count++] = (struct fake_memory){*address, bytes};
    return memory == NULL ? NO_MEMORY : OK;
}

int cuMemFree_v2(uint64_t address)
{
    for (size_t i = 0; i < memory_count; i++)
        if (memories[i].address == address)
            memories[i] = memories[--memory_count];
    free((void *)(uintptr_t)address);
    return OK;
}

int cuMemGetInfo_v2(size_t *left, size_t *total)
{
    *left = MEMORY - used;
    *total = MEMORY;
    return OK;
}

int cuMemsetD8_v2(uint64_t address, unsigned char byte, size_t bytes)
{
    if (broken == OK)
        memset((void *)(uintptr_t)address, byte, bytes);
    return broken;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return broken;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes)
{
    if (broken == OK)
        memcpy(to, (const void *)(uintptr_t)from, bytes);
    return broken;
}

static void sleep_us(uint64_t microseconds)
{
    struct timespec pause = {(time_t)(microseconds / 1000000), (long)(microseconds % 1000000) * 1000};
    nanosleep(&pause, NULL);
}

/* Every address that the data leads to lies in it. */
static bool follow(uint64_t address)
{
    for (int i = 0; i < 10000; i++) {
        if (address < data_from || address > data_to - 8)
            return false;
        memcpy(&address, (const void *)(uintptr_t)address, sizeof address);
    }
    return true;
}

static void tell_busy(void)
{
    const char *path = getenv("FAKE_GPU_BUSY");
    FILE *file = path == NULL ? NULL : fopen(path, "ab");
    double now = now_s();
    if (file == NULL)
        return;
    fwrite(&now, sizeof now, 1, file);
    fclose(file);
}

static unsigned count_of(const char *word)
{
    unsigned count = 0;
    for (const char *at = strstr(program, word); at != NULL; at = strstr(at + 1, word))
        count++;
    return count;
}

/* Ticks of a pass: each step from one level to the next lies between two sizes. */
static uint64_t pass_ticks(void)
{
    static const double whole[][3] = {
        {192 << 10, 256 << 10, 270 - 33}, {3 << 20, 4 << 20, 680 - 270}, {1, 2, 0}};
    static const double in_halves[][3] = {
        {192 << 10, 256 << 10, 270 - 33}, {3 << 19, 4 << 19, 430 - 270}, {4 << 20, 5 << 20, 680 - 430}};
    bool halves = strcmp(trouble(), "halves") == 0;
    const double(*steps)[3] = halves ? in_halves : whole;
    double bytes = (double)(data_to - data_from) - 4096;
    double latency = 33;
    if (walk_ticks > 0)
        return (uint64_t)(walk_ticks * (count_of("ld.global.cg") + count_of("ld.global.cv") +
                                        count_of("ld.global.L1::no_allocate")));
    if (strncmp(trouble(), "paced=", 6) == 0) {
        unsigned busy = (unsigned)atoi(trouble() + 6) * count_of("ld.global");
        unsigned idle = 4 * (count_of("%a8, %a8, %b8;") + count_of("%b8, %b8, %a8;"));
        return busy > idle ? busy : idle;
    }
    if (!halves && strcmp(trouble(), "latency") != 0)
        return 1755;
    if (count_of("ld.shared") > 0)
        return 29 * count_of("ld.shared");
    for (int i = 0; i < 3; i++) {
        double share = (bytes - steps[i][0]) / (steps[i][1] - steps[i][0]);
        latency += steps[i][2] * (share < 0 ? 0 : share > 1 ? 1 : share);
    }
    return (uint64_t)(latency * count_of("ld.global"));
}

/* The made-up CUPTI may slow it down. */
static uint64_t clock_mhz(void)
{
    return getenv("FAKE_CUDA_SLOW") == NULL ? 1755 : 1170;
}

static void write_record(uint64_t address, unsigned blocks, uint64_t ticks, uint64_t begin_ns,
                         uint64_t end_ns)
{
    unsigned only = SMS;
    const char *place = strstr(program, "//FAKE sm ");
    if (place != NULL)
        only = (unsigned)atoi(place + 10);
    else if (strncmp(trouble(), "sm=", 3) == 0)
        only = (unsigned)atoi(trouble() + 3);
    for (unsigned i = 0; i < blocks; i++) {
        bool works = only == SMS || i % SMS == only;
        struct entry entry = {.place = i % SMS, .worked = works};
        if (works) {
            entry.start_ticks = 1000000;
            entry.stop_ticks = entry.start_ticks + 8 + ticks;
            entry.start_ns = begin_ns;
            entry.stop_ns = end_ns;
        }
        memcpy((char *)(uintptr_t)address + i * sizeof entry, &entry, sizeof entry);
    }
}

/* As drivers do; STRAY names the program (tests/stray.c). */
static void start_helper(void)
{
    const char *helper = getenv("STRAY");
    if (helper != NULL && fork() == 0) {
        execl(helper, helper, (char *)NULL);
        _exit(127);
    }
}

/* Whether the launch is right: the first ones, which make passes, are executed. */
static bool is_right(const struct fake_launch *launch, bool beside)
{
    size_t number = (size_t)(launch->text - texts[0]) / sizeof texts[0];
    struct fake_launch *last = &executed[number];
    if (!fake_executes(launch->text))
        return true;
    if (execute_count[number] < MOST_EXECUTED) {
        execute_count[number] += launch->parameters[0] > 0;
        *last = *launch;
        least_warmup[number] = execute_count[number] == 1 ? launch->parameters[1] : least_warmup[number];
        return fake_execute(launch, memories, memory_count, SMS);
    }
    last->parameters[0] = launch->parameters[0];
    if (beside && launch->parameters[1] >= least_warmup[number]) /* for as long as the others warm up */
        last->parameters[1] = launch->parameters[1];
    return memcmp(last, launch, sizeof *last) == 0;
}

/* When the loop of a launch on a stream begins and ends: nothing sleeps until somebody waits for it. */
static void place_in_time(struct stream *stream, unsigned blocks, const uint64_t *arguments,
                          uint64_t *begin_ns, uint64_t *end_ns)
{
    double pass_ns = (double)pass_ticks() * 1000 / (double)clock_mhz(), others = 0;
    uint64_t start_ns = (uint64_t)(now_s() * 1e9), now_ns = start_ns;
    for (int i = 0; i < stream_count; i++) {
        others += &streams[i] != stream && streams[i].until_ns > now_ns ? streams[i].blocks : 0;
        if ((strstr(trouble(), "serial") != NULL || &streams[i] == stream) && streams[i].until_ns > start_ns)
            start_ns = streams[i].until_ns;
    }
    if (strstr(trouble(), "loaded") != NULL)
        pass_ns *= 1 + others / SMS;
    *begin_ns = start_ns + (uint64_t)((double)arguments[1] * pass_ns);
    *end_ns = *begin_ns + 5 + (uint64_t)((double)arguments[0] * pass_ns);
    stream->until_ns = *end_ns;
    stream->blocks = blocks;
}

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **parameters, void **extra)
{
    uint64_t arguments[4]; /* iterations, warmup, data, record */
    (void)extra;
    if (gy != 1 || gz != 1 || by != 1 || bz != 1)
        return 1; /* an invalid value */
    if (broken != OK)
        return broken;
    program = function;
    if (strstr(program, ".entry trauma_sides") != NULL) {
        fake_sides_measure(parameters, SMS, gx);
        return OK;
    }
    for (int i = 0; i < 4; i++)
        memcpy(&arguments[i], parameters[i], sizeof arguments[i]);
    if (says("crash"))
        abort();
    if (says("hang"))
        start_helper();
    while (says("hang"))
        pause();
    passes += arguments[0] + arguments[1];
    struct fake_launch launch;
    memset(&launch, 0, sizeof launch); /* with what is between its fields */
    launch.text = program;
    launch.blocks = gx;
    launch.threads = bx;
    launch.shared = shared;
    memcpy(launch.parameters, arguments, sizeof arguments);
    bool right = is_right(&launch, stream != NULL);
    bool lost =
        fake_sides_walks(program) && !fake_sides_walk(program, arguments[2], data_to, SMS, &walk_ticks);
    uint64_t begin_ns = (uint64_t)(now_s() * 1e9), end_ns, ticks = arguments[0] * pass_ticks();
    tell_busy();
    if (stream != NULL) {
        place_in_time(stream, gx, arguments, &begin_ns, &end_ns);
        ticks = (end_ns - begin_ns) * clock_mhz() / 1000;
    } else {
        sleep_us(arguments[0]);
        end_ns = begin_ns + 5 + ticks * 1000 / clock_mhz();
    }
    tell_busy();
    bool faults =
        lost || !right || (says("fault") && arguments[0] > 0) || (says("chase") && !follow(arguments[2]));
    if (!faults && !says("silent"))
        write_record(arguments[3], gx, ticks, begin_ns, end_ns);
    broken = faults ? FAULT : OK; /* told by whoever waits for the kernel */
    return OK;
}

int cuEventCreate(int **event, unsigned flags)
{
    static int numbers[16];
    (void)flags;
    if (events == 16)
        return NO_MEMORY;
    numbers[events] = events;
    *event = &numbers[events++];
    return OK;
}

int cuStreamCreate(void **stream, unsigned flags)
{
    if (stream_count == (int)(sizeof streams / sizeof streams[0]))
        return NO_MEMORY;
    *stream = &streams[stream_count++];
    return flags == 0 ? OK : 1;
}

/* What comes before it on the stream is over then. */
int cuEventRecord(const int *event, void *stream)
{
    const struct stream *after = stream;
    double now = now_s();
    times[*event] =
        after != NULL && (double)after->until_ns * 1e-9 > now ? (double)after->until_ns * 1e-9 : now;
    return OK;
}

int cuEventSynchronize(const int *event)
{
    double left_s = times[*event] - now_s();
    if (left_s > 0)
        sleep_us((uint64_t)(left_s * 1e6));
    return broken;
}

int cuEventElapsedTime(float *milliseconds, const int *from, const int *to)
{
    *milliseconds = (float)((times[*to] - times[*from]) * 1e3);
    return broken;
}
