#include "runner/devices/opencl/opencl_session.h"

#include "runner/devices/symbols.h"

#include <stdlib.h>

/* ---- the library ---- */

#define USUAL_NAME "libOpenCL.so.1"
static const char variable[] = "TRAUMA_OPENCL";

static const struct library_symbol symbols[] = {
    {"clGetPlatformIDs", offsetof(struct opencl_library, platforms), false},
    {"clGetPlatformInfo", offsetof(struct opencl_library, platform_info), false},
    {"clGetDeviceIDs", offsetof(struct opencl_library, devices), false},
    {"clGetDeviceInfo", offsetof(struct opencl_library, device_info), false},
    {"clCreateContext", offsetof(struct opencl_library, context), false},
    {"clCreateCommandQueue", offsetof(struct opencl_library, queue), false},
    {"clCreateProgramWithSource", offsetof(struct opencl_library, program_of_source), false},
    {"clCreateProgramWithBinary", offsetof(struct opencl_library, program_of_binary), false},
    {"clBuildProgram", offsetof(struct opencl_library, build), false},
    {"clGetProgramBuildInfo", offsetof(struct opencl_library, build_info), false},
    {"clGetProgramInfo", offsetof(struct opencl_library, program_info), false},
    {"clReleaseProgram", offsetof(struct opencl_library, release_program), false},
    {"clCreateKernel", offsetof(struct opencl_library, kernel), false},
    {"clGetKernelWorkGroupInfo", offsetof(struct opencl_library, kernel_info), false},
    {"clSetKernelArg", offsetof(struct opencl_library, argument), false},
    {"clCreateBuffer", offsetof(struct opencl_library, allocate), false},
    {"clCreateSubBuffer", offsetof(struct opencl_library, part), false},
    {"clEnqueueFillBuffer", offsetof(struct opencl_library, fill), false},
    {"clEnqueueWriteBuffer", offsetof(struct opencl_library, copy_in), false},
    {"clEnqueueReadBuffer", offsetof(struct opencl_library, copy_out), false},
    {"clEnqueueNDRangeKernel", offsetof(struct opencl_library, launch), false},
    {"clFinish", offsetof(struct opencl_library, finish), false},
    {"clGetEventProfilingInfo", offsetof(struct opencl_library, event_time), false},
    {"clGetEventInfo", offsetof(struct opencl_library, event_info), false},
    {"clReleaseEvent", offsetof(struct opencl_library, release_event), false},
};

#define TAKE_LESS "another process may use the device's memory; or use less data"

/* The meaning of results for the user, and the remedies. */
static const struct meaning {
    int result;
    enum status status;
    const char *name, *text, *hint;
} meanings[] = {
    {OPENCL_NO_PLATFORM, STATUS_UNAVAILABLE, "CL_PLATFORM_NOT_FOUND_KHR", "no OpenCL platform is installed",
     "a GPU's platform comes with its driver (AMD: rocm-opencl-runtime); `apt-get install pocl-opencl-icd` "
     "installs one that runs on the processor; /etc/OpenCL/vendors lists installed ones"},
    {OPENCL_NO_DEVICE, STATUS_UNAVAILABLE, "CL_DEVICE_NOT_FOUND", "no OpenCL device is found",
     "`clinfo -l` lists platforms and devices; AMD's need /dev/kfd and /dev/dri, which the groups render and "
     "video may use; start a container with access to the GPU"},
    {-2, STATUS_UNAVAILABLE, "CL_DEVICE_NOT_AVAILABLE", "the device is not available",
     "another process may use it exclusively"},
    {-3, STATUS_UNAVAILABLE, "CL_COMPILER_NOT_AVAILABLE", "the platform has no compiler",
     "install the rest of the platform: AMD's compiler is comgr"},
    {OPENCL_NO_MEMORY, STATUS_UNAVAILABLE, "CL_MEM_OBJECT_ALLOCATION_FAILURE", "no memory on the device",
     TAKE_LESS},
    {-5, STATUS_UNAVAILABLE, "CL_OUT_OF_RESOURCES", "the device lacks what the program needs",
     "a fault of the program has the same effect: see `dmesg | tail`; else use fewer threads or less data"},
    {-6, STATUS_UNAVAILABLE, "CL_OUT_OF_HOST_MEMORY", "no memory on the host", ""},
    {OPENCL_BUILD_FAILED, STATUS_FAILED, "CL_BUILD_PROGRAM_FAILURE", "it does not build", ""},
    {-14, STATUS_FAILED, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST", "the kernel ended by an error",
     "`dmesg | tail` may show its driver's error"},
    {OPENCL_BAD_BINARY, STATUS_UNAVAILABLE, "CL_INVALID_BINARY", "the binary is not for this device",
     "generate the suite for this GPU: `trauma machine detect -t gcn`"},
    {-46, STATUS_FAILED, "CL_INVALID_KERNEL_NAME", "the program has no such kernel", ""},
    {-51, STATUS_FAILED, "CL_INVALID_ARG_SIZE", "the kernel's arguments differ from those expected",
     "it takes ulong iterations, ulong warmup, __global uchar *data, __global ulong *record"},
    {-49, STATUS_FAILED, "CL_INVALID_ARG_INDEX", "the kernel has fewer arguments",
     "it takes ulong iterations, ulong warmup, __global uchar *data, __global ulong *record"},
    {-54, STATUS_UNAVAILABLE, "CL_INVALID_WORK_GROUP_SIZE",
     "the device does not support blocks of that many threads",
     "the grid's threads must equal the kernel's reqd_work_group_size and not exceed the device's limit"},
    {-61, STATUS_UNAVAILABLE, "CL_INVALID_BUFFER_SIZE", "the device allows no buffer of that size",
     TAKE_LESS},
    {-9999, STATUS_FAILED, "NVIDIA's -9999", "the program accessed memory that is not its own", ""},
};

enum status opencl_refusal(int result, const char *what, struct error *error)
{
    if (result == OPENCL_OK)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].result == result) {
            error_set(error, meanings[i].status, "%s: %s (%s, %d)", what, meanings[i].text, meanings[i].name,
                      result);
            error_hint(error, "%s", meanings[i].hint);
            return meanings[i].status;
        }
    return error_set(error, STATUS_FAILED, "%s: OpenCL's error %d", what, result);
}

enum status opencl_library_open(struct opencl_library *library, struct error *error)
{
    const char *named = getenv(variable);
    const char *path = named != NULL && named[0] != '\0' ? named : USUAL_NAME;
    const struct symbols_library loader = {
        .path = path,
        .what = "OpenCL's loader",
        .get = "apt-get install ocl-icd-libopencl1 installs it, and a GPU's driver its platform "
               "(pocl-opencl-icd: "
               "the processor's); `trauma check` checks programs without either",
        .kind = "OpenCL 1.2 or newer",
        .get_kind = "apt-get install ocl-icd-libopencl1, whose library is called " USUAL_NAME,
        .symbols = symbols,
        .count = sizeof symbols / sizeof symbols[0]};
    *library = (struct opencl_library){0};
    return symbols_open(&loader, &library->handle, library, error);
}

/* ---- one device in use ---- */

/* cl_context_properties, cl_command_queue_properties, cl_profiling_info, cl_event_info. */
enum { CONTEXT_PLATFORM = 0x1084, QUEUE_PROFILING = 2, BEGIN = 0x1282, END = 0x1283, STATE = 0x11D3 };

enum status opencl_session_open(struct opencl_session *session, unsigned ordinal, struct device *description,
                                struct error *error)
{
    struct opencl_place places[OPENCL_MOST_DEVICES];
    size_t count = 0;
    int result;
    enum status status = opencl_library_open(&session->library, error);
    if (status == STATUS_OK)
        status = opencl_places(&session->library, places, &count, error);
    if (status != STATUS_OK)
        return status;
    if (ordinal >= count)
        return error_set(error, STATUS_UNAVAILABLE, "there is no OpenCL device %u; the machine has %zu",
                         ordinal, count);
    session->place = places[ordinal];
    *description = opencl_device_describe(&session->library, &session->place, ordinal);
    const intptr_t properties[] = {CONTEXT_PLATFORM, (intptr_t)session->place.platform, 0};
    session->context = session->library.context(properties, 1, &session->place.device, NULL, NULL, &result);
    if (session->context == NULL)
        return opencl_refusal(result, "taking the device", error);
    session->queue =
        session->library.queue(session->context, session->place.device, QUEUE_PROFILING, &result);
    return session->queue == NULL ? opencl_refusal(result, "the device's queue", error) : STATUS_OK;
}

/* A kernel that ended with an error has a negative state. */
static int read_event(const struct opencl_library *library, opencl_event event, double *seconds)
{
    uint64_t begin = 0;
    uint64_t end = 0;
    int32_t state = 0;
    int result = library->event_info(event, STATE, sizeof state, &state, NULL);
    if (result == OPENCL_OK && state < 0)
        result = state;
    if (result == OPENCL_OK)
        result = library->event_time(event, BEGIN, sizeof begin, &begin, NULL);
    if (result == OPENCL_OK)
        result = library->event_time(event, END, sizeof end, &end, NULL);
    *seconds = end > begin ? (double)(end - begin) * 1e-9 : 0;
    return result;
}

enum status opencl_session_run(const struct opencl_session *session, opencl_kernel kernel, size_t threads,
                               size_t block, double *seconds, struct error *error)
{
    const struct opencl_library *library = &session->library;
    opencl_event event = NULL;
    int result = library->launch(session->queue, kernel, 1, NULL, &threads, &block, 0, NULL, &event);
    if (result == OPENCL_OK)
        result = library->finish(session->queue);
    if (result == OPENCL_OK)
        result = read_event(library, event, seconds);
    if (event != NULL)
        (void)library->release_event(event);
    return opencl_refusal(result, "running the kernel", error);
}
