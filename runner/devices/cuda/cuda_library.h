/* NVIDIA's driver API, loaded at run time without its header. Numbers and layouts are those of its ABI
 * (cuda.h, "CUDA Driver API"). A changed function gets a new name there (cuMemAlloc is cuMemAlloc_v2) and the
 * old one stays, so every driver since CUDA 11 has the functions that are bound here. Open it only in a
 * worker (runner/process/worker.h): a driver started before a fork does not work after it. */
#ifndef RUNNER_DEVICES_CUDA_CUDA_LIBRARY_H
#define RUNNER_DEVICES_CUDA_CUDA_LIBRARY_H

#include "base/error.h"

#include <stddef.h>

typedef int cuda_device;
typedef struct cu_context *cuda_context;
typedef struct cu_module *cuda_module;
typedef struct cu_link *cuda_link;
typedef struct cu_function *cuda_function;
typedef struct cu_event *cuda_event;
typedef struct cu_stream *cuda_stream;
typedef unsigned long long cuda_address;

/* The CUresult values that are distinguished. */
enum {
    CUDA_OK = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_BINARY = 209,
    CUDA_INVALID_PTX = 218,
    CUDA_PTX_TOO_NEW = 222,
    CUDA_NOT_FOUND = 500,
    CUDA_NOT_SUPPORTED = 801
};

struct cuda_library {
    void *handle;
    int (*init)(unsigned flags);
    int (*driver_version)(int *version); /* 13000 for CUDA 13.0 */
    int (*error_name)(int result, const char **text);
    int (*error_text)(int result, const char **text);
    int (*device_count)(int *count);
    int (*device)(cuda_device *device, int ordinal);
    int (*device_name)(char *name, int capacity, cuda_device device);
    int (*device_attribute)(int *value, int attribute, cuda_device device);
    int (*device_memory)(size_t *bytes, cuda_device device);
    int (*context_flags)(cuda_device device, unsigned flags);
    int (*context_retain)(cuda_context *context, cuda_device device);
    int (*context_release)(cuda_device device);
    int (*context_set)(cuda_context context);
    int (*module_load)(cuda_module *module, const void *image, unsigned options, int *names, void **values);
    int (*module_function)(cuda_function *function, cuda_module module, const char *name);
    int (*function_attribute)(int *value, int attribute, cuda_function function);
    int (*function_set)(cuda_function function, int attribute, int value);
    /* NULL in a library without it. */
    int (*limit_set)(int limit, size_t value);
    int (*limit_get)(size_t *value, int limit);
    int (*link_create)(unsigned options, int *names, void **values, cuda_link *link);
    int (*link_add)(cuda_link link, int kind, const void *data, size_t size, const char *name,
                    unsigned options, int *names, void **values);
    int (*link_complete)(cuda_link link, void **binary, size_t *size); /* owned by the link */
    int (*link_destroy)(cuda_link link);
    int (*allocate)(cuda_address *address, size_t bytes);
    int (*release)(cuda_address address);
    int (*memory_left)(size_t *available, size_t *total);
    int (*fill)(cuda_address address, unsigned char byte, size_t bytes);
    int (*copy_in)(cuda_address to, const void *from, size_t bytes);
    int (*copy_out)(void *to, cuda_address from, size_t bytes);
    int (*launch)(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                  unsigned block_y, unsigned block_z, unsigned shared_bytes, cuda_stream stream,
                  void **parameters, void **extra);
    int (*stream_create)(cuda_stream *stream, unsigned flags);
    int (*event_create)(cuda_event *event, unsigned flags);
    int (*event_record)(cuda_event event, cuda_stream stream);
    int (*event_wait)(cuda_event event);
    int (*event_elapsed)(float *milliseconds, cuda_event from, cuda_event to);
};

/* Opens the library that the variable TRAUMA_CUDA names, else the loader's libcuda.so.1, and initialises it;
 * GPUs are then numbered as in NVML. STATUS_UNAVAILABLE, with the remedy, when it or its driver is missing or
 * denies access. Only the end of the process closes it. */
enum status cuda_library_open(struct cuda_library *library, struct error *error);

/* STATUS_OK for CUDA_OK. Otherwise fills *error from the result of a call, after "what: ", with its meaning
 * and the remedy, and returns its status: STATUS_UNAVAILABLE if the machine lacks or forbids something, else
 * STATUS_FAILED. */
enum status cuda_refusal(const struct cuda_library *library, int result, const char *what,
                         struct error *error);

#endif
