/* A libOpenCL of one made-up AMD GPU for tests. It "compiles" any text to the binary in the file
 * FAKE_OPENCL_BINARY; binaries that are loaded are written to FAKE_OPENCL_LOADED. A kernel "runs" by writing
 * the record: of a loaded binary each block i is on shader engine i % 2, shader array 0 and compute unit i /
 * 2, as a patched instruction would read it, or, of ROCm's own code object, as the whole HW_ID has it.
 * FAKE_OPENCL names the device ("Hawaii": Catalyst's, "gfx906:sramecc-": ROCm's) and says what goes wrong
 * behind a comma: "refuse" (program.co is not taken), "anew" (the platform compiles anew what is loaded),
 * "se0" (blocks elsewhere go home), "none" (no platform), "alone" (no device). */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OK = 0, NO_DEVICE = -1, BAD_VALUE = -30, BAD_BINARY = -42, BAD_NAME = -46, NO_PLATFORM = -1001 };
enum { MOST = 1 << 20, ARGUMENTS = 4 };

struct program {
    unsigned char bytes[MOST];
    size_t size;
    bool asks; /* text that calls for the address of its data */
    bool loaded;
};

struct kernel {
    struct program *program;
    uint64_t arguments[ARGUMENTS];
};

struct event {
    uint64_t begin, end;
};

int clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count);
int clGetPlatformInfo(void *platform, uint32_t what, size_t room, void *value, size_t *size);
int clGetDeviceIDs(void *platform, uint64_t types, uint32_t room, void **devices, uint32_t *count);
int clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size);
void *clCreateContext(const intptr_t *properties, uint32_t count, void **devices, void *notify, void *own,
                      int *result);
void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *result);
struct program *clCreateProgramWithSource(void *context, uint32_t count, const char **texts,
                                          const size_t *sizes, int *result);
struct program *clCreateProgramWithBinary(void *context, uint32_t count, void **devices, const size_t *sizes,
                                          const unsigned char **binaries, int *results, int *result);
int clBuildProgram(struct program *program, uint32_t count, void **devices, const char *options, void *notify,
                   void *own);
int clGetProgramBuildInfo(struct program *program, void *device, uint32_t what, size_t room, void *value,
                          size_t *size);
int clGetProgramInfo(struct program *program, uint32_t what, size_t room, void *value, size_t *size);
int clReleaseProgram(struct program *program);
struct kernel *clCreateKernel(struct program *program, const char *name, int *result);
int clGetKernelWorkGroupInfo(struct kernel *kernel, void *device, uint32_t what, size_t room, void *value,
                             size_t *size);
int clSetKernelArg(struct kernel *kernel, uint32_t index, size_t size, const void *value);
char *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int *result);
char *clCreateSubBuffer(char *memory, uint64_t flags, uint32_t kind, const size_t *region, int *result);
int clEnqueueFillBuffer(void *queue, char *memory, const void *pattern, size_t pattern_bytes, size_t offset,
                        size_t bytes, uint32_t waits, void *waited, void *event);
int clEnqueueWriteBuffer(void *queue, char *memory, uint32_t blocking, size_t offset, size_t bytes,
                         const void *from, uint32_t waits, void *waited, void *event);
int clEnqueueReadBuffer(void *queue, const char *memory, uint32_t blocking, size_t offset, size_t bytes,
                        void *to, uint32_t waits, void *waited, void *event);
int clEnqueueNDRangeKernel(void *queue, struct kernel *kernel, uint32_t dimensions, const size_t *from,
                           const size_t *threads, const size_t *block, uint32_t waits, void *waited,
                           struct event **event);
int clFinish(void *queue);
int clGetEventProfilingInfo(const struct event *event, uint32_t what, size_t room, void *value, size_t *size);
int clGetEventInfo(const struct event *event, uint32_t what, size_t room, void *value, size_t *size);
int clReleaseEvent(struct event *event);

static size_t compiled; /* bytes of what was made from text; 0: nothing was */
static int something;   /* what handles of things point to that have no state */

static bool says(const char *word)
{
    const char *text = getenv("FAKE_OPENCL");
    const char *comma = text == NULL ? NULL : strchr(text, ',');
    return comma != NULL && strcmp(comma + 1, word) == 0;
}

static void device_name(char name[64])
{
    const char *text = getenv("FAKE_OPENCL");
    snprintf(name, 64, "%.*s", text == NULL ? 6 : (int)strcspn(text, ","), text == NULL ? "Hawaii" : text);
}

static int give(const void *from, size_t size, size_t room, void *value, size_t *told)
{
    if (told != NULL)
        *told = size;
    if (value != NULL && room < size)
        return BAD_VALUE;
    if (value != NULL)
        memcpy(value, from, size);
    return OK;
}

static void *made(size_t bytes)
{
    void *memory = calloc(1, bytes);
    if (memory == NULL)
        abort();
    return memory;
}

int clGetPlatformIDs(uint32_t room, void **platforms, uint32_t *count)
{
    if (says("none") || room == 0)
        return NO_PLATFORM;
    platforms[0] = &something;
    *count = 1;
    return OK;
}

int clGetPlatformInfo(void *platform, uint32_t what, size_t room, void *value, size_t *size)
{
    static const char name[] = "AMD Accelerated Parallel Processing";
    (void)platform;
    return what == 0x0902 ? give(name, sizeof name, room, value, size) : BAD_VALUE;
}

int clGetDeviceIDs(void *platform, uint64_t types, uint32_t room, void **devices, uint32_t *count)
{
    (void)platform, (void)types;
    if (says("alone") || room == 0)
        return NO_DEVICE;
    devices[0] = &something;
    *count = 1;
    return OK;
}

static int device_number(uint32_t what, uint64_t *value, size_t *size)
{
    static const struct {
        uint32_t what;
        size_t size;
        uint64_t value;
    } numbers[] = {{0x1000, 8, 4},   {0x1002, 4, 44},      {0x1004, 8, 256},         {0x1023, 8, 32768},
                   {0x100C, 4, 930}, {0x1010, 8, 1 << 28}, {0x101F, 8, 17179869184}, {0x4043, 4, 64}};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].what == what) {
            *value = numbers[i].value;
            *size = numbers[i].size;
            return OK;
        }
    return BAD_VALUE;
}

int clGetDeviceInfo(void *device, uint32_t what, size_t room, void *value, size_t *size)
{
    static const unsigned char topology[24] = {1, [21] = 3};
    static const char board[] = "Fake FirePro W9100";
    char name[64];
    uint64_t number = 0;
    size_t bytes = 0;
    (void)device;
    device_name(name);
    if (what == 0x102B)
        return give(name, strlen(name) + 1, room, value, size);
    if (what == 0x4038)
        return give(board, sizeof board, room, value, size);
    if (what == 0x4037)
        return give(topology, sizeof topology, room, value, size);
    return device_number(what, &number, &bytes) == OK ? give(&number, bytes, room, value, size) : BAD_VALUE;
}

void *clCreateContext(const intptr_t *properties, uint32_t count, void **devices, void *notify, void *own,
                      int *result)
{
    (void)properties, (void)count, (void)devices, (void)notify, (void)own;
    *result = OK;
    return &something;
}

void *clCreateCommandQueue(void *context, void *device, uint64_t properties, int *result)
{
    (void)context, (void)device;
    *result = properties == 2 ? OK : BAD_VALUE; /* without profiling there are no times */
    return *result == OK ? &something : NULL;
}

struct program *clCreateProgramWithSource(void *context, uint32_t count, const char **texts,
                                          const size_t *sizes, int *result)
{
    struct program *program = made(sizeof *program);
    (void)context, (void)count;
    program->asks = memmem(texts[0], sizes[0], "trauma_address", 14) != NULL;
    *result = OK;
    return program;
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = path == NULL ? NULL : fopen(path, "wb");
    if (file == NULL)
        return;
    fwrite(bytes, 1, size, file);
    fclose(file);
}

struct program *clCreateProgramWithBinary(void *context, uint32_t count, void **devices, const size_t *sizes,
                                          const unsigned char **binaries, int *results, int *result)
{
    (void)context, (void)count, (void)devices;
    bool elf = sizes[0] > 4 && sizes[0] <= MOST &&
               memcmp(binaries[0],
                      "\x7f"
                      "ELF",
                      4) == 0;
    bool own = compiled == 0; /* nothing was compiled yet */
    *result = *results = !elf || (own && says("refuse")) ? BAD_BINARY : OK;
    if (*result != OK)
        return NULL;
    struct program *program = made(sizeof *program);
    memcpy(program->bytes, binaries[0], sizes[0]);
    program->size = sizes[0];
    program->loaded = true;
    write_file(getenv("FAKE_OPENCL_LOADED"), binaries[0], sizes[0]);
    return program;
}

static void compile(struct program *program)
{
    const char *path = getenv("FAKE_OPENCL_BINARY");
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    if (file == NULL)
        return;
    compiled = program->size = fread(program->bytes, 1, MOST, file);
    fclose(file);
}

int clBuildProgram(struct program *program, uint32_t count, void **devices, const char *options, void *notify,
                   void *own)
{
    (void)count, (void)devices, (void)notify, (void)own;
    (void)options;
    if ((!program->loaded && !program->asks) || (program->loaded && says("anew")))
        compile(program);
    return OK;
}

int clGetProgramBuildInfo(struct program *program, void *device, uint32_t what, size_t room, void *value,
                          size_t *size)
{
    (void)program, (void)device, (void)what;
    return give("", 1, room, value, size);
}

int clGetProgramInfo(struct program *program, uint32_t what, size_t room, void *value, size_t *size)
{
    if (what == 0x1165)
        return give(&program->size, sizeof program->size, room, value, size);
    if (what != 0x1166 || room != sizeof(void *))
        return BAD_VALUE;
    void *to;
    memcpy(&to, value, sizeof to);
    memcpy(to, program->bytes, program->size);
    return OK;
}

int clReleaseProgram(struct program *program)
{
    free(program);
    return OK;
}

struct kernel *clCreateKernel(struct program *program, const char *name, int *result)
{
    bool known = program->asks ? strcmp(name, "trauma_address") == 0
                               : strcmp(name, "first") == 0 || strcmp(name, "trauma_kernel") == 0;
    *result = known ? OK : BAD_NAME;
    if (!known)
        return NULL;
    struct kernel *kernel = made(sizeof *kernel);
    kernel->program = program;
    return kernel;
}

int clGetKernelWorkGroupInfo(struct kernel *kernel, void *device, uint32_t what, size_t room, void *value,
                             size_t *size)
{
    const uint64_t number = what == 0x11B0 ? 256 : 0;
    (void)kernel, (void)device;
    return give(&number, sizeof number, room, value, size);
}

int clSetKernelArg(struct kernel *kernel, uint32_t index, size_t size, const void *value)
{
    if (index >= ARGUMENTS || size != 8)
        return -51;
    memcpy(&kernel->arguments[index], value, size);
    return OK;
}

char *clCreateBuffer(void *context, uint64_t flags, size_t bytes, void *host, int *result)
{
    (void)context, (void)flags, (void)host;
    *result = OK;
    return aligned_alloc(256, (bytes + 255) / 256 * 256);
}

char *clCreateSubBuffer(char *memory, uint64_t flags, uint32_t kind, const size_t *region, int *result)
{
    (void)flags;
    *result = kind == 0x1220 && region[0] % 256 == 0 ? OK : -13;
    return *result == OK ? memory + region[0] : NULL;
}

int clEnqueueFillBuffer(void *queue, char *memory, const void *pattern, size_t pattern_bytes, size_t offset,
                        size_t bytes, uint32_t waits, void *waited, void *event)
{
    (void)queue, (void)waits, (void)waited, (void)event;
    for (size_t i = 0; i < bytes; i += pattern_bytes)
        memcpy(memory + offset + i, pattern, pattern_bytes);
    return OK;
}

int clEnqueueWriteBuffer(void *queue, char *memory, uint32_t blocking, size_t offset, size_t bytes,
                         const void *from, uint32_t waits, void *waited, void *event)
{
    (void)queue, (void)blocking, (void)waits, (void)waited, (void)event;
    memcpy(memory + offset, from, bytes);
    return OK;
}

int clEnqueueReadBuffer(void *queue, const char *memory, uint32_t blocking, size_t offset, size_t bytes,
                        void *to, uint32_t waits, void *waited, void *event)
{
    (void)queue, (void)blocking, (void)waits, (void)waited, (void)event;
    memcpy(to, memory + offset, bytes);
    return OK;
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Entries of eight words: place and worked share the fifth. */
static void write_record(const struct kernel *kernel, size_t blocks)
{
    bool whole = compiled == 0 && getenv("FAKE_OPENCL_PATCHED") == NULL;
    for (size_t i = 0; i < blocks; i++) {
        uint64_t entry[8] = {0};
        uint64_t place = kernel->program->loaded ? (i % 2) << 5 | (i / 2 % 16) : 0;
        uint64_t worked = !says("se0") || i % 2 == 0;
        entry[4] = worked << 32 | (whole ? place << 8 | 0x37 : place);
        memcpy((char *)(uintptr_t)kernel->arguments[3] + i * sizeof entry, entry, sizeof entry);
    }
}

int clEnqueueNDRangeKernel(void *queue, struct kernel *kernel, uint32_t dimensions, const size_t *from,
                           const size_t *threads, const size_t *block, uint32_t waits, void *waited,
                           struct event **event)
{
    (void)queue, (void)dimensions, (void)from, (void)waits, (void)waited;
    *event = made(sizeof **event);
    (*event)->begin = now_ns();
    if (kernel->program->asks) {
        memcpy((void *)(uintptr_t)kernel->arguments[1], &kernel->arguments[0], 8);
    } else {
        uint64_t ns = 5000 + 1000 * (kernel->arguments[0] + kernel->arguments[1]);
        const struct timespec pause = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
        nanosleep(&pause, NULL);
        (*event)->end = (*event)->begin + ns;
        write_record(kernel, threads[0] / block[0]);
    }
    return OK;
}

int clFinish(void *queue)
{
    (void)queue;
    return OK;
}

int clGetEventProfilingInfo(const struct event *event, uint32_t what, size_t room, void *value, size_t *size)
{
    return give(what == 0x1282 ? &event->begin : &event->end, 8, room, value, size);
}

int clGetEventInfo(const struct event *event, uint32_t what, size_t room, void *value, size_t *size)
{
    const int32_t complete = 0;
    (void)event;
    return what == 0x11D3 ? give(&complete, 4, room, value, size) : BAD_VALUE;
}

int clReleaseEvent(struct event *event)
{
    free(event);
    return OK;
}
