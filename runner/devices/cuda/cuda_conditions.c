#include "runner/devices/cuda/cuda_conditions.h"

#include "base/json.h"
#include "generator/plan/gpu/gpu_split.h"

#include <math.h>
#include <string.h>

/* CUfunction_attribute, CUclusterSchedulingPolicy, CUlimit. */
enum { SHARED_SPLIT = 9, CLUSTER_POLICY = 15, SPREAD = 1, L2_FETCH = 5, SECTOR = 32 };

static bool has_level(const struct manifest *manifest, const char *level)
{
    for (size_t i = 0; i < manifest->stream_count; i++)
        if (strcmp(manifest->streams[i].level, level) == 0)
            return true;
    return false;
}

static enum status set_split(const struct cuda_library *library, cuda_function function,
                             const struct manifest *manifest, const json_t *device, json_t *launch,
                             struct error *error)
{
    struct gpu_split split;
    double units = fmax(json_number_or(device, "sm", 1), 1);
    unsigned blocks = (unsigned)ceil(manifest->blocks / units);
    if (!gpu_split_of(json_string_or(device, "arch", ""), (uint64_t)manifest->shared_bytes, blocks, &split))
        return STATUS_OK;
    /* In percent of the most; the driver takes the next step that holds as much. */
    int percent = (int)ceil(100 * (double)split.shared / (double)split.most);
    int result = library->function_set(function, SHARED_SPLIT, percent);
    if (result == CUDA_OK)
        json_object_set_new(launch, "shared_split", json_integer((json_int_t)split.shared));
    else if (has_level(manifest, "L1"))
        return cuda_refusal(library, result, "L1 may be smaller than the program's: requesting its split",
                            error);
    return STATUS_OK;
}

enum status cuda_conditions_set(const struct cuda_library *library, cuda_function function,
                                const struct manifest *manifest, json_t *facts, struct error *error)
{
    const json_t *device = json_object_get(facts, "device");
    json_t *launch = json_object();
    size_t fetched = 0;
    json_object_set_new(facts, "launch", launch);
    enum status status = set_split(library, function, manifest, device, launch, error);
    if (status == STATUS_OK && manifest->cluster > 1) {
        int result = library->function_set(function, CLUSTER_POLICY, SPREAD);
        if (result == CUDA_OK)
            json_object_set_new(launch, "cluster_policy", json_string("spread"));
        else
            status =
                cuda_refusal(library, result,
                             "two blocks of a cluster may share a multiprocessor: requesting others", error);
    }
    if (library->limit_set != NULL && library->limit_get != NULL) {
        (void)library->limit_set(L2_FETCH, SECTOR); /* a wish, which not all chips know */
        if (library->limit_get(&fetched, L2_FETCH) == CUDA_OK)
            json_object_set_new(launch, "l2_fetch_bytes", json_integer((json_int_t)fetched));
    }
    return status;
}
