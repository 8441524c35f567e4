#include "runner/devices/cuda/cuda_library.h"

#include "runner/devices/symbols.h"

#include <stdlib.h>

#define USUAL_NAME "libcuda.so.1"
static const char variable[] = "TRAUMA_CUDA";

static const struct library_symbol symbols[] = {
    {"cuInit", offsetof(struct cuda_library, init), false},
    {"cuDriverGetVersion", offsetof(struct cuda_library, driver_version), false},
    {"cuGetErrorName", offsetof(struct cuda_library, error_name), false},
    {"cuGetErrorString", offsetof(struct cuda_library, error_text), false},
    {"cuDeviceGetCount", offsetof(struct cuda_library, device_count), false},
    {"cuDeviceGet", offsetof(struct cuda_library, device), false},
    {"cuDeviceGetName", offsetof(struct cuda_library, device_name), false},
    {"cuDeviceGetAttribute", offsetof(struct cuda_library, device_attribute), false},
    {"cuDeviceTotalMem_v2", offsetof(struct cuda_library, device_memory), false},
    {"cuDevicePrimaryCtxSetFlags_v2", offsetof(struct cuda_library, context_flags), false},
    {"cuDevicePrimaryCtxRetain", offsetof(struct cuda_library, context_retain), false},
    {"cuDevicePrimaryCtxRelease_v2", offsetof(struct cuda_library, context_release), false},
    {"cuCtxSetCurrent", offsetof(struct cuda_library, context_set), false},
    {"cuModuleLoadDataEx", offsetof(struct cuda_library, module_load), false},
    {"cuModuleGetFunction", offsetof(struct cuda_library, module_function), false},
    {"cuFuncGetAttribute", offsetof(struct cuda_library, function_attribute), false},
    {"cuFuncSetAttribute", offsetof(struct cuda_library, function_set), false},
    {"cuCtxSetLimit", offsetof(struct cuda_library, limit_set), true},
    {"cuCtxGetLimit", offsetof(struct cuda_library, limit_get), true},
    {"cuLinkCreate_v2", offsetof(struct cuda_library, link_create), true},
    {"cuLinkAddData_v2", offsetof(struct cuda_library, link_add), true},
    {"cuLinkComplete", offsetof(struct cuda_library, link_complete), true},
    {"cuLinkDestroy", offsetof(struct cuda_library, link_destroy), true},
    {"cuMemAlloc_v2", offsetof(struct cuda_library, allocate), false},
    {"cuMemFree_v2", offsetof(struct cuda_library, release), false},
    {"cuMemGetInfo_v2", offsetof(struct cuda_library, memory_left), false},
    {"cuMemsetD8_v2", offsetof(struct cuda_library, fill), false},
    {"cuMemcpyHtoD_v2", offsetof(struct cuda_library, copy_in), false},
    {"cuMemcpyDtoH_v2", offsetof(struct cuda_library, copy_out), false},
    {"cuLaunchKernel", offsetof(struct cuda_library, launch), false},
    {"cuStreamCreate", offsetof(struct cuda_library, stream_create), false},
    {"cuEventCreate", offsetof(struct cuda_library, event_create), false},
    {"cuEventRecord", offsetof(struct cuda_library, event_record), false},
    {"cuEventSynchronize", offsetof(struct cuda_library, event_wait), false},
    {"cuEventElapsedTime", offsetof(struct cuda_library, event_elapsed), false},
};

/* The meaning of results for the user, and the remedies. */
static const struct meaning {
    int result;
    enum status status;
    const char *hint;
} meanings[] = {
    {CUDA_OUT_OF_MEMORY, STATUS_UNAVAILABLE,
     "`nvidia-smi` shows which processes use the GPU's memory; or use less data"},
    {34, STATUS_UNAVAILABLE,
     "this is the toolkit's stub: install NVIDIA's driver, which has the real libcuda.so.1"},
    {46, STATUS_UNAVAILABLE, "`nvidia-smi -q -d COMPUTE` shows whether another process uses it exclusively"},
    {100, STATUS_UNAVAILABLE,
     "`nvidia-smi -L` lists the GPUs; start a container with access to them (docker run --gpus all); "
     "CUDA_VISIBLE_DEVICES may hide them"},
    {102, STATUS_UNAVAILABLE, "the virtual GPU's licence does not allow computing"},
    {CUDA_NO_BINARY, STATUS_UNAVAILABLE, "generate the suite for this GPU: `trauma machine detect -t ptx`"},
    {214, STATUS_FAILED, "memory of the GPU is faulty: `nvidia-smi -q -d ECC,PAGE_RETIREMENT`"},
    {221, STATUS_UNAVAILABLE, "libnvidia-ptxjitcompiler.so.1 is missing, which comes with the driver"},
    {CUDA_PTX_TOO_NEW, STATUS_UNAVAILABLE,
     "the driver is older than the program's PTX version: update it, or generate for an older chip"},
    {304, STATUS_UNAVAILABLE, "`ls -l /dev/nvidia*` shows who may use the GPU"},
    {700, STATUS_FAILED, "the program accessed memory that is not its own"},
    {701, STATUS_UNAVAILABLE, "the grid's blocks need more registers or shared memory than the GPU has"},
    {702, STATUS_FAILED, "a display's watchdog ends kernels after seconds: fewer iterations, or no display"},
    {714, STATUS_FAILED, "the program broke the GPU's stack"},
    {715, STATUS_FAILED, "the GPU lacks an instruction of the program"},
    {716, STATUS_FAILED, "the program's access is not aligned to its width"},
    {717, STATUS_FAILED, "the program mixed up shared and global addresses"},
    {719, STATUS_FAILED, "`dmesg | grep -i xid` shows the GPU's error"},
    {800, STATUS_UNAVAILABLE,
     "sudo chmod a+rw /dev/nvidiactl /dev/nvidia*, or join the group that owns them"},
    {CUDA_NOT_SUPPORTED, STATUS_UNAVAILABLE, "update the driver; an old GPU may lack it"},
    {802, STATUS_UNAVAILABLE,
     "a machine with NVSwitch needs its fabric manager: "
     "`systemctl status nvidia-fabricmanager`"},
    {803, STATUS_UNAVAILABLE, "driver and library differ: reboot, or reload the nvidia module"},
    {804, STATUS_UNAVAILABLE, "the forward-compatible libcuda does not serve this GPU: use the driver's own"},
    {999, STATUS_UNAVAILABLE, "`nvidia-smi` and `dmesg | grep -i nvrm` show more"},
};

enum status cuda_refusal(const struct cuda_library *library, int result, const char *what,
                         struct error *error)
{
    const char *name = NULL;
    const char *text = NULL;
    enum status status = STATUS_FAILED;
    const char *hint = "";
    if (result == CUDA_OK)
        return STATUS_OK;
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (meanings[i].result == result) {
            status = meanings[i].status;
            hint = meanings[i].hint;
        }
    if (library->error_name(result, &name) != CUDA_OK || name == NULL)
        name = "an error without a name";
    if (library->error_text(result, &text) != CUDA_OK || text == NULL)
        text = "no details are available";
    error_set(error, status, "%s: %s (%s, %d)", what, text, name, result);
    error_hint(error, "%s", hint);
    return status;
}

enum status cuda_library_open(struct cuda_library *library, struct error *error)
{
    const char *named = getenv(variable);
    const char *path = named != NULL && named[0] != '\0' ? named : USUAL_NAME;
    const struct symbols_library driver = {.path = path,
                                           .what = "NVIDIA's CUDA driver",
                                           .get = "it comes with NVIDIA's driver (Debian: apt-get install "
                                                  "libcuda1) and needs an NVIDIA GPU; `trauma "
                                                  "check` checks PTX programs without either",
                                           .kind = "the driver library of CUDA 11 or newer",
                                           .get_kind =
                                               "update NVIDIA's driver, whose library is called " USUAL_NAME,
                                           .symbols = symbols,
                                           .count = sizeof symbols / sizeof symbols[0]};
    *library = (struct cuda_library){0};
    enum status status = symbols_open(&driver, &library->handle, library, error);
    if (status != STATUS_OK)
        return status;
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0); /* as in NVML; by default the fastest comes first */
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);    /* otherwise the first launch loads, and fails late */
    return cuda_refusal(library, library->init(0), "CUDA does not start", error);
}
