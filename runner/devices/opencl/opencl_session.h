/* One OpenCL device in use: its context and its queue, whose commands run in order and are timed. */
#ifndef RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H
#define RUNNER_DEVICES_OPENCL_OPENCL_SESSION_H

#include "base/buffer.h"
#include "base/error.h"
#include "runner/devices/device_facts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the library ---- */

/* OpenCL through its ICD loader (libOpenCL.so.1), without its header. Numbers and layouts are those of the
 * Khronos specification of OpenCL 1.2, which every platform supports. Open it only in a worker
 * (runner/process/worker.h): a platform started before a fork does not work after it. */

typedef struct opencl_platform *opencl_platform;
typedef struct opencl_device *opencl_device;
typedef struct opencl_context *opencl_context;
typedef struct opencl_queue *opencl_queue;
typedef struct opencl_program *opencl_program;
typedef struct opencl_kernel *opencl_kernel;
typedef struct opencl_memory *opencl_memory;
typedef struct opencl_event *opencl_event;

/* The result codes that are distinguished. */
enum {
    OPENCL_OK = 0,
    OPENCL_NO_DEVICE = -1,
    OPENCL_NO_MEMORY = -4,
    OPENCL_BUILD_FAILED = -11,
    OPENCL_BAD_BINARY = -42,
    OPENCL_NO_PLATFORM = -1001, /* cl_khr_icd: none is registered */
};

struct opencl_library {
    void *handle;
    int (*platforms)(uint32_t room, opencl_platform *platforms, uint32_t *count);
    int (*platform_info)(opencl_platform platform, uint32_t what, size_t room, void *value, size_t *size);
    int (*devices)(opencl_platform platform, uint64_t types, uint32_t room, opencl_device *devices,
                   uint32_t *count);
    int (*device_info)(opencl_device device, uint32_t what, size_t room, void *value, size_t *size);
    opencl_context (*context)(const intptr_t *properties, uint32_t count, const opencl_device *devices,
                              void (*notify)(const char *text, const void *bytes, size_t size, void *own),
                              void *own, int *result);
    opencl_queue (*queue)(opencl_context context, opencl_device device, uint64_t properties, int *result);
    opencl_program (*program_of_source)(opencl_context context, uint32_t count, const char **texts,
                                        const size_t *sizes, int *result);
    opencl_program (*program_of_binary)(opencl_context context, uint32_t count, const opencl_device *devices,
                                        const size_t *sizes, const unsigned char **binaries, int *results,
                                        int *result);
    int (*build)(opencl_program program, uint32_t count, const opencl_device *devices, const char *options,
                 void (*notify)(opencl_program program, void *own), void *own);
    int (*build_info)(opencl_program program, opencl_device device, uint32_t what, size_t room, void *value,
                      size_t *size);
    int (*program_info)(opencl_program program, uint32_t what, size_t room, void *value, size_t *size);
    int (*release_program)(opencl_program program);
    opencl_kernel (*kernel)(opencl_program program, const char *name, int *result);
    int (*kernel_info)(opencl_kernel kernel, opencl_device device, uint32_t what, size_t room, void *value,
                       size_t *size);
    int (*argument)(opencl_kernel kernel, uint32_t index, size_t size, const void *value);
    opencl_memory (*allocate)(opencl_context context, uint64_t flags, size_t bytes, void *host, int *result);
    opencl_memory (*part)(opencl_memory memory, uint64_t flags, uint32_t kind, const void *region,
                          int *result);
    int (*fill)(opencl_queue queue, opencl_memory memory, const void *pattern, size_t pattern_bytes,
                size_t offset, size_t bytes, uint32_t waits, const opencl_event *waited, opencl_event *event);
    int (*copy_in)(opencl_queue queue, opencl_memory memory, uint32_t blocking, size_t offset, size_t bytes,
                   const void *from, uint32_t waits, const opencl_event *waited, opencl_event *event);
    int (*copy_out)(opencl_queue queue, opencl_memory memory, uint32_t blocking, size_t offset, size_t bytes,
                    void *to, uint32_t waits, const opencl_event *waited, opencl_event *event);
    int (*launch)(opencl_queue queue, opencl_kernel kernel, uint32_t dimensions, const size_t *from,
                  const size_t *threads, const size_t *block, uint32_t waits, const opencl_event *waited,
                  opencl_event *event);
    int (*finish)(opencl_queue queue);
    int (*event_time)(opencl_event event, uint32_t what, size_t room, void *value, size_t *size);
    int (*event_info)(opencl_event event, uint32_t what, size_t room, void *value, size_t *size);
    int (*release_event)(opencl_event event);
};

/* Opens the library that the variable TRAUMA_OPENCL names, else the loader's libOpenCL.so.1.
 * STATUS_UNAVAILABLE, with the remedy, when it is missing. Only the end of the process closes it. */
enum status opencl_library_open(struct opencl_library *library, struct error *error);

/* STATUS_OK for OPENCL_OK. Otherwise fills *error from the result of a call, after "what: ", with its meaning
 * and the remedy, and returns its status: STATUS_UNAVAILABLE if the machine lacks or forbids something, else
 * STATUS_FAILED. */
enum status opencl_refusal(int result, const char *what, struct error *error);

/* ---- one device in use ---- */

/* The devices of all OpenCL platforms, and the properties that each reports. */

enum { OPENCL_MOST_DEVICES = 64 };

struct opencl_place {
    opencl_platform platform;
    opencl_device device;
    bool amd; /* an AMD GPU on AMD's own platform, whose binaries are GCN code */
};

/* Lists AMD's GPUs first, then other GPUs, then other devices; otherwise in the loader's order. Fills places
 * and *count. STATUS_UNAVAILABLE when there is none. */
enum status opencl_places(const struct opencl_library *library,
                          struct opencl_place places[OPENCL_MOST_DEVICES], size_t *count,
                          struct error *error);

/* Describes the device, which gets the given number; arch is "" if it is unknown. */
struct device opencl_device_describe(const struct opencl_library *library, const struct opencl_place *place,
                                     size_t ordinal);

/* Appends a struct device for each; STATUS_UNAVAILABLE when there is none. */
enum status opencl_devices(struct buffer *devices, struct error *why_not);

struct opencl_session {
    struct opencl_library library;
    struct opencl_place place;
    opencl_context context;
    opencl_queue queue;
};

/* Opens the device of that number in opencl_devices' list and describes it. STATUS_UNAVAILABLE when there is
 * none. The end of the process releases its resources. */
enum status opencl_session_open(struct opencl_session *session, unsigned ordinal, struct device *description,
                                struct error *error);

/* Runs that many threads of the kernel, whose arguments are set, in blocks. *seconds: its duration by the
 * device's events. */
enum status opencl_session_run(const struct opencl_session *session, opencl_kernel kernel, size_t threads,
                               size_t block, double *seconds, struct error *error);

#endif
