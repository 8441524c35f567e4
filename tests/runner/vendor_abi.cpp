// What this repository says of the binary interfaces of NVIDIA's libraries, held against the vendor's own headers: compiled
// only, never linked or run, by tests/e2e/test_vendor_abi.sh, where those headers are. VENDOR_CUDA, VENDOR_CUPTI or
// VENDOR_NVML says which. checks.h comes from our sources: FUNCTION(field, symbol) of each table of symbols, and
// NUMBER(key, number) of each table of attributes.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/error.h"

// As a call sees it: both are handed over in the same way, and where both tell what they point to that is alike, too.
template <class T> constexpr int kind()
{
    if (std::is_void<T>::value)
        return 0;
    if (std::is_pointer<T>::value)
        return 1;
    if (std::is_floating_point<T>::value)
        return 2;
    return 3 * (std::is_integral<T>::value + std::is_enum<T>::value);
}

template <class T> concept complete = requires { sizeof(T); };

template <class A, class B> constexpr bool alike()
{
    if constexpr (std::is_pointer_v<A> && std::is_pointer_v<B>) {
        using a = std::remove_cv_t<std::remove_pointer_t<A>>;
        using b = std::remove_cv_t<std::remove_pointer_t<B>>;
        if constexpr (std::is_void_v<a> || std::is_void_v<b> || !complete<a> || !complete<b>)
            return true;
        else
            return alike<a, b>();
    } else {
        return kind<A>() == kind<B>() && sizeof(A) == sizeof(B);
    }
}

template <class A, class B> struct same_call : std::false_type {};
template <class R, class... A, class S, class... B>
    requires(sizeof...(A) == sizeof...(B))
struct same_call<R (*)(A...), S (*)(B...)> : std::bool_constant<alike<R, S>() && (alike<A, B>() && ...)> {};

#define FUNCTION(field, symbol)                                                                                        \
    static_assert(same_call<decltype(library::field), decltype(&symbol)>::value, #symbol " takes other arguments");
#define SAME(ours, vendors) static_assert((long long)(ours) == (long long)(vendors), #ours " is not " #vendors);
#define FIELD(ours, field, vendors, theirs)                                                                            \
    static_assert(offsetof(ours, field) == offsetof(vendors, theirs) &&                                                \
                      sizeof(((ours *)0)->field) == sizeof(((vendors *)0)->theirs),                                    \
                  #vendors "." #theirs " lies elsewhere");

// ---- the driver ----
#ifdef VENDOR_CUDA
#include <cuda.h>
namespace ours
{
#include "runner/devices/cuda/cuda_library.h"
}
using namespace ours;
using library = cuda_library;
#define NUMBER(key, number) constexpr int our_##key = number;
#include "checks.h"

SAME(CUDA_OK, CUDA_SUCCESS)
SAME(ours::CUDA_OUT_OF_MEMORY, CUDA_ERROR_OUT_OF_MEMORY)
SAME(CUDA_NO_BINARY, CUDA_ERROR_NO_BINARY_FOR_GPU)
SAME(CUDA_INVALID_PTX, CUDA_ERROR_INVALID_PTX)
SAME(CUDA_PTX_TOO_NEW, CUDA_ERROR_UNSUPPORTED_PTX_VERSION)
SAME(CUDA_NOT_FOUND, CUDA_ERROR_NOT_FOUND)
SAME(sizeof(cuda_address), sizeof(CUdeviceptr))

SAME(our_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
SAME(our_threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
SAME(our_threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)
SAME(our_blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)
SAME(our_shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
SAME(our_shared, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)
SAME(our_shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)
SAME(our_l2, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)
SAME(our_clock_hz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE)
SAME(our_memory_clock_hz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)
SAME(our_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH)
SAME(our_wave, CU_DEVICE_ATTRIBUTE_WARP_SIZE)
SAME(our_MAJOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)
SAME(our_MINOR, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)
SAME(our_PCI_DOMAIN, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID)
SAME(our_PCI_BUS, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID)
SAME(our_PCI_DEVICE, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID)
SAME(our_SCHEDULE_BLOCKING, CU_CTX_SCHED_BLOCKING_SYNC)
SAME(our_EVENT_BLOCKING, CU_EVENT_BLOCKING_SYNC)
SAME(our_STREAM_DEFAULT, CU_STREAM_DEFAULT)

SAME(our_function_threads_per_block, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK)
SAME(our_function_shared_bytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES)
SAME(our_function_local_bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES)
SAME(our_function_registers, CU_FUNC_ATTRIBUTE_NUM_REGS)
SAME(our_function_ptx, CU_FUNC_ATTRIBUTE_PTX_VERSION)
SAME(our_function_binary, CU_FUNC_ATTRIBUTE_BINARY_VERSION)
SAME(our_INFO_LOG, CU_JIT_INFO_LOG_BUFFER)
SAME(our_INFO_LOG_BYTES, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
SAME(our_ERROR_LOG, CU_JIT_ERROR_LOG_BUFFER)
SAME(our_ERROR_LOG_BYTES, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
SAME(our_LOG_VERBOSE, CU_JIT_LOG_VERBOSE)
SAME(our_LINE_INFO, CU_JIT_GENERATE_LINE_INFO)
SAME(our_PTX, CU_JIT_INPUT_PTX)
SAME(our_SHARED_SPLIT, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT)
SAME(our_CLUSTER_POLICY, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE)
SAME(our_SPREAD, CU_CLUSTER_SCHEDULING_POLICY_SPREAD)
SAME(our_L2_FETCH, CU_LIMIT_MAX_L2_FETCH_GRANULARITY)
#endif

// ---- the profiler ----
#ifdef VENDOR_CUPTI
#include <cupti_version.h>

#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
namespace ours
{
#include "runner/devices/cupti/cupti_library.h"
}
using namespace ours;
using library = cupti_library;
#include "checks.h"

SAME(CUPTI_OK, CUPTI_SUCCESS)
SAME(CUPTI_INVALID_METRIC, CUPTI_ERROR_INVALID_METRIC_NAME)
SAME(CUPTI_HARDWARE_BUSY, CUPTI_ERROR_HARDWARE_BUSY)
SAME(CUPTI_VIRTUALIZED, CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED)
SAME(CUPTI_NO_PRIVILEGE, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
SAME(CUPTI_OLD_PROFILER_HELD, CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED)
SAME(CUPTI_OTHER_TOOL, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
SAME(CUPTI_CONFIDENTIAL, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED)
SAME(CUPTI_WSL, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED)
SAME(CUPTI_INVALID_CHIP, CUPTI_ERROR_INVALID_CHIP_NAME)
SAME(CUPTI_VIRTUAL_NO_PRIVILEGE, CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES)
SAME(CUPTI_MIG, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED)
SAME(ours::CUPTI_UNKNOWN, CUPTI_ERROR_UNKNOWN)
SAME(ours::CUPTI_RANGE_PROFILER, CUPTI_PROFILER_TYPE_RANGE_PROFILER)
SAME(CUPTI_USER_RANGE, CUPTI_UserRange)
SAME(CUPTI_USER_REPLAY, CUPTI_UserReplay)

#define SIZE(ours, last, vendors)                                                                                      \
    SAME(CUPTI_SIZE(ours, last), vendors##_STRUCT_SIZE)                                                                \
    FIELD(ours, size, vendors, structSize)                                                                             \
    FIELD(ours, reserved, vendors, pPriv)

SIZE(cupti_plain, reserved, CUpti_Profiler_Initialize_Params)
SIZE(cupti_plain, reserved, CUpti_Profiler_DeInitialize_Params)
SIZE(cupti_chip_name, name, CUpti_Device_GetChipName_Params)
FIELD(cupti_chip_name, device, CUpti_Device_GetChipName_Params, deviceIndex)
FIELD(cupti_chip_name, name, CUpti_Device_GetChipName_Params, pChipName)
SIZE(cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params)
FIELD(cupti_availability, context, CUpti_Profiler_GetCounterAvailability_Params, ctx)
FIELD(cupti_availability, image_size, CUpti_Profiler_GetCounterAvailability_Params, counterAvailabilityImageSize)
FIELD(cupti_availability, image, CUpti_Profiler_GetCounterAvailability_Params, pCounterAvailabilityImage)
SIZE(struct ours::cupti_host_open, host, CUpti_Profiler_Host_Initialize_Params)
FIELD(struct ours::cupti_host_open, profiler, CUpti_Profiler_Host_Initialize_Params, profilerType)
FIELD(struct ours::cupti_host_open, chip, CUpti_Profiler_Host_Initialize_Params, pChipName)
FIELD(struct ours::cupti_host_open, availability, CUpti_Profiler_Host_Initialize_Params, pCounterAvailabilityImage)
FIELD(struct ours::cupti_host_open, host, CUpti_Profiler_Host_Initialize_Params, pHostObject)
SIZE(struct cupti_host_close, host, CUpti_Profiler_Host_Deinitialize_Params)
FIELD(struct cupti_host_close, host, CUpti_Profiler_Host_Deinitialize_Params, pHostObject)
SIZE(cupti_add_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params)
FIELD(cupti_add_metrics, host, CUpti_Profiler_Host_ConfigAddMetrics_Params, pHostObject)
FIELD(cupti_add_metrics, names, CUpti_Profiler_Host_ConfigAddMetrics_Params, ppMetricNames)
FIELD(cupti_add_metrics, count, CUpti_Profiler_Host_ConfigAddMetrics_Params, numMetrics)
SIZE(cupti_config_size, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params)
FIELD(cupti_config_size, host, CUpti_Profiler_Host_GetConfigImageSize_Params, pHostObject)
FIELD(cupti_config_size, bytes, CUpti_Profiler_Host_GetConfigImageSize_Params, configImageSize)
SIZE(cupti_config, image, CUpti_Profiler_Host_GetConfigImage_Params)
FIELD(cupti_config, host, CUpti_Profiler_Host_GetConfigImage_Params, pHostObject)
FIELD(cupti_config, bytes, CUpti_Profiler_Host_GetConfigImage_Params, configImageSize)
FIELD(cupti_config, image, CUpti_Profiler_Host_GetConfigImage_Params, pConfigImage)
SIZE(cupti_passes, passes, CUpti_Profiler_Host_GetNumOfPasses_Params)
FIELD(cupti_passes, bytes, CUpti_Profiler_Host_GetNumOfPasses_Params, configImageSize)
FIELD(cupti_passes, image, CUpti_Profiler_Host_GetNumOfPasses_Params, pConfigImage)
FIELD(cupti_passes, passes, CUpti_Profiler_Host_GetNumOfPasses_Params, numOfPasses)
SIZE(cupti_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params)
FIELD(cupti_evaluate, host, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pHostObject)
FIELD(cupti_evaluate, data, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pCounterDataImage)
FIELD(cupti_evaluate, bytes, CUpti_Profiler_Host_EvaluateToGpuValues_Params, counterDataImageSize)
FIELD(cupti_evaluate, range, CUpti_Profiler_Host_EvaluateToGpuValues_Params, rangeIndex)
FIELD(cupti_evaluate, names, CUpti_Profiler_Host_EvaluateToGpuValues_Params, ppMetricNames)
FIELD(cupti_evaluate, count, CUpti_Profiler_Host_EvaluateToGpuValues_Params, numMetrics)
FIELD(cupti_evaluate, values, CUpti_Profiler_Host_EvaluateToGpuValues_Params, pMetricValues)
SIZE(cupti_enable, profiler, CUpti_RangeProfiler_Enable_Params)
FIELD(cupti_enable, context, CUpti_RangeProfiler_Enable_Params, ctx)
FIELD(cupti_enable, profiler, CUpti_RangeProfiler_Enable_Params, pRangeProfilerObject)
SIZE(cupti_object, profiler, CUpti_RangeProfiler_Disable_Params)
SIZE(cupti_object, profiler, CUpti_RangeProfiler_Start_Params)
SIZE(cupti_object, profiler, CUpti_RangeProfiler_PopRange_Params)
FIELD(cupti_object, profiler, CUpti_RangeProfiler_Disable_Params, pRangeProfilerObject)
FIELD(cupti_object, profiler, CUpti_RangeProfiler_Start_Params, pRangeProfilerObject)
FIELD(cupti_object, profiler, CUpti_RangeProfiler_PopRange_Params, pRangeProfilerObject)
SIZE(cupti_data_size, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params)
FIELD(cupti_data_size, profiler, CUpti_RangeProfiler_GetCounterDataSize_Params, pRangeProfilerObject)
FIELD(cupti_data_size, names, CUpti_RangeProfiler_GetCounterDataSize_Params, pMetricNames)
FIELD(cupti_data_size, count, CUpti_RangeProfiler_GetCounterDataSize_Params, numMetrics)
FIELD(cupti_data_size, most_ranges, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumOfRanges)
FIELD(cupti_data_size, most_nodes, CUpti_RangeProfiler_GetCounterDataSize_Params, maxNumRangeTreeNodes)
FIELD(cupti_data_size, bytes, CUpti_RangeProfiler_GetCounterDataSize_Params, counterDataSize)
SIZE(cupti_data_begin, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
FIELD(cupti_data_begin, profiler, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pRangeProfilerObject)
FIELD(cupti_data_begin, bytes, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, counterDataSize)
FIELD(cupti_data_begin, data, CUpti_RangeProfiler_CounterDataImage_Initialize_Params, pCounterData)
SIZE(cupti_set_config, target_nesting, CUpti_RangeProfiler_SetConfig_Params)
FIELD(cupti_set_config, profiler, CUpti_RangeProfiler_SetConfig_Params, pRangeProfilerObject)
FIELD(cupti_set_config, config_bytes, CUpti_RangeProfiler_SetConfig_Params, configSize)
FIELD(cupti_set_config, config, CUpti_RangeProfiler_SetConfig_Params, pConfig)
FIELD(cupti_set_config, data_bytes, CUpti_RangeProfiler_SetConfig_Params, counterDataImageSize)
FIELD(cupti_set_config, data, CUpti_RangeProfiler_SetConfig_Params, pCounterDataImage)
FIELD(cupti_set_config, range, CUpti_RangeProfiler_SetConfig_Params, range)
FIELD(cupti_set_config, replay, CUpti_RangeProfiler_SetConfig_Params, replayMode)
FIELD(cupti_set_config, most_ranges, CUpti_RangeProfiler_SetConfig_Params, maxRangesPerPass)
FIELD(cupti_set_config, nesting_levels, CUpti_RangeProfiler_SetConfig_Params, numNestingLevels)
FIELD(cupti_set_config, least_nesting, CUpti_RangeProfiler_SetConfig_Params, minNestingLevel)
FIELD(cupti_set_config, pass, CUpti_RangeProfiler_SetConfig_Params, passIndex)
FIELD(cupti_set_config, target_nesting, CUpti_RangeProfiler_SetConfig_Params, targetNestingLevel)
SIZE(cupti_push, name, CUpti_RangeProfiler_PushRange_Params)
FIELD(cupti_push, profiler, CUpti_RangeProfiler_PushRange_Params, pRangeProfilerObject)
FIELD(cupti_push, name, CUpti_RangeProfiler_PushRange_Params, pRangeName)
SIZE(cupti_stop, all_submitted, CUpti_RangeProfiler_Stop_Params)
FIELD(cupti_stop, profiler, CUpti_RangeProfiler_Stop_Params, pRangeProfilerObject)
FIELD(cupti_stop, pass, CUpti_RangeProfiler_Stop_Params, passIndex)
FIELD(cupti_stop, target_nesting, CUpti_RangeProfiler_Stop_Params, targetNestingLevel)
FIELD(cupti_stop, all_submitted, CUpti_RangeProfiler_Stop_Params, isAllPassSubmitted)
SIZE(cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params)
FIELD(cupti_decode, profiler, CUpti_RangeProfiler_DecodeData_Params, pRangeProfilerObject)
FIELD(cupti_decode, dropped, CUpti_RangeProfiler_DecodeData_Params, numOfRangeDropped)
SIZE(cupti_data_info, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params)
FIELD(cupti_data_info, data, CUpti_RangeProfiler_GetCounterDataInfo_Params, pCounterDataImage)
FIELD(cupti_data_info, bytes, CUpti_RangeProfiler_GetCounterDataInfo_Params, counterDataImageSize)
FIELD(cupti_data_info, ranges, CUpti_RangeProfiler_GetCounterDataInfo_Params, numTotalRanges)
#endif

// ---- power, energy and clocks ----
#ifdef VENDOR_NVML
#include <nvml.h>
namespace ours
{
#include "runner/power/sensors/nvml_library.h"
}
using library = ours::nvml_library;
#define NUMBER(key, number) constexpr unsigned our_##key = number;
#include "checks.h"

SAME(ours::NVML_OK, NVML_SUCCESS)
SAME(ours::NVML_NOT_SUPPORTED, NVML_ERROR_NOT_SUPPORTED)
SAME(ours::NVML_NO_PERMISSION, NVML_ERROR_NO_PERMISSION)
SAME(ours::NVML_GPU_IS_LOST, NVML_ERROR_GPU_IS_LOST)
SAME(9, NVML_ERROR_DRIVER_NOT_LOADED)
SAME(18, NVML_ERROR_LIB_RM_VERSION_MISMATCH)
SAME(ours::NVML_POWER_AVERAGE, NVML_FI_DEV_POWER_AVERAGE)
SAME(ours::NVML_POWER_INSTANT, NVML_FI_DEV_POWER_INSTANT)
SAME(ours::NVML_CLOCK_SM, ::NVML_CLOCK_SM)
SAME(ours::NVML_CLOCK_MEMORY, ::NVML_CLOCK_MEM)
SAME(ours::NVML_TEMPERATURE_GPU, ::NVML_TEMPERATURE_GPU)
SAME(our_BASE_CLOCK, NVML_CLOCK_LIMIT_ID_TDP)

SAME(sizeof(ours::nvml_field), sizeof(nvmlFieldValue_t))
FIELD(ours::nvml_field, field, nvmlFieldValue_t, fieldId)
FIELD(ours::nvml_field, scope, nvmlFieldValue_t, scopeId)
FIELD(ours::nvml_field, timestamp, nvmlFieldValue_t, timestamp)
FIELD(ours::nvml_field, latency_us, nvmlFieldValue_t, latencyUsec)
FIELD(ours::nvml_field, type, nvmlFieldValue_t, valueType)
FIELD(ours::nvml_field, result, nvmlFieldValue_t, nvmlReturn)
FIELD(ours::nvml_field, value, nvmlFieldValue_t, value)
SAME(0, NVML_VALUE_TYPE_DOUBLE) // nvml_field_number's order
SAME(1, NVML_VALUE_TYPE_UNSIGNED_INT)
SAME(2, NVML_VALUE_TYPE_UNSIGNED_LONG)
SAME(3, NVML_VALUE_TYPE_UNSIGNED_LONG_LONG)
SAME(4, NVML_VALUE_TYPE_SIGNED_LONG_LONG)
SAME(5, NVML_VALUE_TYPE_SIGNED_INT)
SAME(6, NVML_VALUE_TYPE_UNSIGNED_SHORT)

SAME(sizeof(ours::nvml_pci), sizeof(nvmlPciInfo_t))
FIELD(ours::nvml_pci, domain, nvmlPciInfo_t, domain)
FIELD(ours::nvml_pci, bus, nvmlPciInfo_t, bus)
FIELD(ours::nvml_pci, device, nvmlPciInfo_t, device)
FIELD(ours::nvml_pci, id, nvmlPciInfo_t, pciDeviceId)
FIELD(ours::nvml_pci, name, nvmlPciInfo_t, busId)
#endif
