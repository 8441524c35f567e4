/* A CUPTI that counts what the made-up libcuda (fake_cuda.c) runs: so much a pass of each metric as stands
 * below, over two replays, which must be alike. FAKE_CUPTI says what goes wrong: "enable=N",
 * "initialize=N" and "start=N" (results), "crash", "slow" (the clock, from then on), "drop" (a range),
 * "endless" (never enough replays), "nan", "once" (a profiler is set up a single time), "old" (structs are of
 * another size), "lacks=METRIC", or "METRIC=VALUE" for another number; several apart by blanks. */
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runner/devices/cupti/cupti_library.h"

enum {
    WRONG_PARAMETER = 1,
    WRONG_STATE = 2,
    REPLAYS = 2,
    CONFIG_BYTES = 40,
    DATA_BYTES = 96,
    IMAGE_BYTES = 16
};

static const struct {
    const char *metric;
    double each; /* of a pass */
} metrics[] = {
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 10000},
    {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 6000},
    {"lts__t_sectors_srcunit_tex_op_read.sum", 4000},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 2000},
    {"lts__t_sectors_srcunit_tex_op_read_lookup_miss.sum", 2000},
    {"smsp__sass_inst_executed_op_global_ld.sum", 3000},
    {"smsp__sass_inst_executed_op_shared_ld.sum", 1000},
    {"smsp__inst_executed.sum", 9000},
    {"smsp__cycles_active.sum", 18000},
    {"lts__t_sectors_srcunit_ltcfabric_op_read.sum", 1500},
    {"lts__t_sectors_srcunit_ltcfabric_op_read_lookup_hit.sum", 1000},
};
enum { METRICS = sizeof metrics / sizeof metrics[0] };

static const char loop_name[] = "loop";
static int object; /* its address stands for the profiler and the host */
static bool enabled, configured, started, pushed;
static unsigned set_up; /* since it was enabled */
static unsigned replays;
static uint64_t begun, counted;

/* What is said of the word; NULL: nothing. */
static const char *said(const char *word)
{
    const char *text = getenv("FAKE_CUPTI");
    size_t length = strlen(word);
    for (const char *at = text; at != NULL && (at = strstr(at, word)) != NULL; at += length)
        if ((at == text || at[-1] == ' ') && strchr("= ", at[length]) != NULL)
            return at[length] == '=' ? at + length + 1 : at + length;
    return NULL;
}

static bool wrong(size_t size, size_t expected)
{
    return size != expected || said("old") != NULL;
}
#define WRONG(parameters, last) wrong((parameters)->size, CUPTI_SIZE(__typeof__(*(parameters)), last))

static uint64_t passes_now(void)
{
    uint64_t (*passes)(void) = NULL;
    void *library = dlopen(getenv("TRAUMA_CUDA"), RTLD_NOW | RTLD_NOLOAD);
    void *found = library == NULL ? NULL : dlsym(library, "fake_cuda_passes");
    memcpy(&passes, &found, sizeof passes);
    return passes == NULL ? 0 : passes();
}

int cuptiGetVersion(uint32_t *version);
int cuptiGetResultString(int result, const char **text);
int cuptiProfilerInitialize(struct cupti_plain *parameters);
int cuptiProfilerDeInitialize(struct cupti_plain *parameters);
int cuptiProfilerGetCounterAvailability(struct cupti_availability *parameters);
int cuptiDeviceGetChipName(struct cupti_chip_name *parameters);
int cuptiProfilerHostInitialize(struct cupti_host_open *parameters);
int cuptiProfilerHostDeinitialize(struct cupti_host_close *parameters);
int cuptiProfilerHostConfigAddMetrics(struct cupti_add_metrics *parameters);
int cuptiProfilerHostGetConfigImageSize(struct cupti_config_size *parameters);
int cuptiProfilerHostGetConfigImage(struct cupti_config *parameters);
int cuptiProfilerHostGetNumOfPasses(struct cupti_passes *parameters);
int cuptiProfilerHostEvaluateToGpuValues(struct cupti_evaluate *parameters);
int cuptiRangeProfilerEnable(struct cupti_enable *parameters);
int cuptiRangeProfilerDisable(struct cupti_object *parameters);
int cuptiRangeProfilerGetCounterDataSize(struct cupti_data_size *parameters);
int cuptiRangeProfilerCounterDataImageInitialize(struct cupti_data_begin *parameters);
int cuptiRangeProfilerSetConfig(struct cupti_set_config *parameters);
int cuptiRangeProfilerStart(struct cupti_object *parameters);
int cuptiRangeProfilerStop(struct cupti_stop *parameters);
int cuptiRangeProfilerPushRange(struct cupti_push *parameters);
int cuptiRangeProfilerPopRange(struct cupti_object *parameters);
int cuptiRangeProfilerDecodeData(struct cupti_decode *parameters);
int cuptiRangeProfilerGetCounterDataInfo(struct cupti_data_info *parameters);

int cuptiGetVersion(uint32_t *version)
{
    *version = 130000;
    return CUPTI_OK;
}

int cuptiGetResultString(int result, const char **text)
{
    *text = result == WRONG_STATE ? "CUPTI_ERROR_WRONG_STATE" : "CUPTI_ERROR_MADE_UP";
    return CUPTI_OK;
}

int cuptiProfilerInitialize(struct cupti_plain *parameters)
{
    const char *result = said("initialize");
    return WRONG(parameters, reserved) ? WRONG_PARAMETER : result != NULL ? atoi(result) : CUPTI_OK;
}

int cuptiProfilerDeInitialize(struct cupti_plain *parameters)
{
    return WRONG(parameters, reserved) || enabled ? WRONG_STATE : CUPTI_OK;
}

int cuptiProfilerGetCounterAvailability(struct cupti_availability *parameters)
{
    if (WRONG(parameters, image) || parameters->context == NULL)
        return WRONG_PARAMETER;
    if (parameters->image != NULL)
        memset(parameters->image, 7, parameters->image_size);
    parameters->image_size = IMAGE_BYTES;
    return CUPTI_OK;
}

int cuptiDeviceGetChipName(struct cupti_chip_name *parameters)
{
    parameters->name = "GH100";
    return WRONG(parameters, name) || parameters->device != 0 ? WRONG_PARAMETER : CUPTI_OK;
}

int cuptiProfilerHostInitialize(struct cupti_host_open *parameters)
{
    if (WRONG(parameters, host) || strcmp(parameters->chip, "GH100") != 0 || parameters->profiler != 0 ||
        parameters->availability == NULL || parameters->availability[0] != 7)
        return WRONG_PARAMETER;
    parameters->host = &object;
    return CUPTI_OK;
}

int cuptiProfilerHostDeinitialize(struct cupti_host_close *parameters)
{
    return parameters->host == &object ? CUPTI_OK : WRONG_PARAMETER;
}

static int find(const char *name)
{
    const char *lacks = said("lacks");
    for (int i = 0; i < METRICS; i++)
        if (strcmp(metrics[i].metric, name) == 0)
            return lacks != NULL && strncmp(lacks, name, strlen(name)) == 0 ? -1 : i;
    return -1;
}

int cuptiProfilerHostConfigAddMetrics(struct cupti_add_metrics *parameters)
{
    for (size_t i = 0; i < parameters->count; i++)
        if (find(parameters->names[i]) < 0)
            return CUPTI_INVALID_METRIC;
    return WRONG(parameters, count) ? WRONG_PARAMETER : CUPTI_OK;
}

int cuptiProfilerHostGetConfigImageSize(struct cupti_config_size *parameters)
{
    parameters->bytes = CONFIG_BYTES;
    return WRONG(parameters, bytes) ? WRONG_PARAMETER : CUPTI_OK;
}

int cuptiProfilerHostGetConfigImage(struct cupti_config *parameters)
{
    if (WRONG(parameters, image) || parameters->bytes != CONFIG_BYTES)
        return WRONG_PARAMETER;
    memset(parameters->image, 9, CONFIG_BYTES);
    return CUPTI_OK;
}

int cuptiProfilerHostGetNumOfPasses(struct cupti_passes *parameters)
{
    parameters->passes = REPLAYS;
    return WRONG(parameters, passes) || parameters->image[0] != 9 ? WRONG_PARAMETER : CUPTI_OK;
}

int cuptiProfilerHostEvaluateToGpuValues(struct cupti_evaluate *parameters)
{
    if (WRONG(parameters, values) || parameters->range != 0 || parameters->bytes != DATA_BYTES)
        return WRONG_PARAMETER;
    uint64_t passes;
    memcpy(&passes, parameters->data, sizeof passes); /* as decoding left it there */
    for (size_t i = 0; i < parameters->count; i++) {
        int index = find(parameters->names[i]);
        const char *other = said(parameters->names[i]);
        double each = other != NULL ? strtod(other, NULL) : metrics[index].each;
        /* What a launch adds of its own falls out of the difference. */
        parameters->values[i] = said("nan") != NULL ? NAN : 123 + each * (double)passes;
    }
    return CUPTI_OK;
}

int cuptiRangeProfilerEnable(struct cupti_enable *parameters)
{
    const char *result = said("enable");
    if (WRONG(parameters, profiler) || parameters->context == NULL || enabled)
        return WRONG_PARAMETER;
    parameters->profiler = &object;
    if (said("slow") != NULL)
        setenv("FAKE_CUDA_SLOW", "1", 1); /* of this process, which counts */
    enabled = result == NULL;
    return result != NULL ? atoi(result) : CUPTI_OK;
}

int cuptiRangeProfilerDisable(struct cupti_object *parameters)
{
    enabled = false;
    set_up = 0;
    return parameters->profiler == &object ? CUPTI_OK : WRONG_PARAMETER;
}

int cuptiRangeProfilerGetCounterDataSize(struct cupti_data_size *parameters)
{
    parameters->bytes = DATA_BYTES;
    return WRONG(parameters, bytes) || parameters->most_ranges != 1 || parameters->most_nodes < 1
               ? WRONG_PARAMETER
               : CUPTI_OK;
}

int cuptiRangeProfilerCounterDataImageInitialize(struct cupti_data_begin *parameters)
{
    if (WRONG(parameters, data) || parameters->bytes != DATA_BYTES)
        return WRONG_PARAMETER;
    memset(parameters->data, 0, DATA_BYTES);
    return CUPTI_OK;
}

static uint8_t *data;

int cuptiRangeProfilerSetConfig(struct cupti_set_config *parameters)
{
    if (WRONG(parameters, target_nesting) || parameters->config[0] != 9 ||
        parameters->config_bytes != CONFIG_BYTES || parameters->range != 2 || parameters->replay != 3 ||
        parameters->nesting_levels != 1 || !enabled)
        return WRONG_PARAMETER;
    if (said("once") != NULL && set_up++ > 0)
        return WRONG_STATE;
    data = parameters->data;
    configured = true;
    replays = 0;
    return CUPTI_OK;
}

int cuptiRangeProfilerStart(struct cupti_object *parameters)
{
    bool good = !WRONG(parameters, profiler) && configured && !started;
    if (said("crash") != NULL)
        abort();
    started = good && said("start") == NULL;
    return said("start") != NULL ? atoi(said("start")) : good ? CUPTI_OK : WRONG_STATE;
}

int cuptiRangeProfilerPushRange(struct cupti_push *parameters)
{
    bool good = !WRONG(parameters, name) && started && !pushed && strcmp(parameters->name, loop_name) == 0;
    pushed = good;
    begun = passes_now();
    return good ? CUPTI_OK : WRONG_STATE;
}

int cuptiRangeProfilerPopRange(struct cupti_object *parameters)
{
    uint64_t ran = passes_now() - begun;
    bool good = !WRONG(parameters, profiler) && pushed && (replays == 0 || ran == counted);
    pushed = false;
    counted = ran;
    return good ? CUPTI_OK : WRONG_STATE;
}

int cuptiRangeProfilerStop(struct cupti_stop *parameters)
{
    bool good = !WRONG(parameters, all_submitted) && started && !pushed;
    started = false;
    parameters->all_submitted = ++replays >= REPLAYS && said("endless") == NULL;
    return good ? CUPTI_OK : WRONG_STATE;
}

int cuptiRangeProfilerDecodeData(struct cupti_decode *parameters)
{
    parameters->dropped = said("drop") != NULL;
    memcpy(data, &counted, sizeof counted);
    return WRONG(parameters, dropped) || replays < REPLAYS ? WRONG_STATE : CUPTI_OK;
}

int cuptiRangeProfilerGetCounterDataInfo(struct cupti_data_info *parameters)
{
    parameters->ranges = 1;
    return WRONG(parameters, ranges) || parameters->bytes != DATA_BYTES ? WRONG_PARAMETER : CUPTI_OK;
}
