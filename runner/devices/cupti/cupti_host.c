#include "runner/devices/cupti/cupti_host.h"

#include <stdio.h>
#include <string.h>

enum { WHAT_BYTES = 160 };

static int open_handle(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                       void **handle)
{
    struct cupti_host_open open = {.size = CUPTI_SIZE(struct cupti_host_open, host),
                                   .profiler = CUPTI_RANGE_PROFILER,
                                   .chip = chip,
                                   .availability = availability};
    int result = library->host_open(&open);
    *handle = result == CUPTI_OK ? open.host : NULL;
    return result;
}

static void close_handle(const struct cupti_library *library, void *handle)
{
    struct cupti_host_close close = {.size = CUPTI_SIZE(struct cupti_host_close, host), .host = handle};
    if (handle != NULL)
        (void)library->host_close(&close); /* nothing left can fail */
}

static int add_metrics(const struct cupti_library *library, void *handle, const char **names, size_t count)
{
    struct cupti_add_metrics add = {
        .size = CUPTI_SIZE(struct cupti_add_metrics, count), .host = handle, .names = names, .count = count};
    return library->add_metrics(&add);
}

bool cupti_host_has(const struct cupti_library *library, const char *chip, const uint8_t *availability,
                    const char *metric)
{
    void *handle;
    bool has = open_handle(library, chip, availability, &handle) == CUPTI_OK &&
               add_metrics(library, handle, &metric, 1) == CUPTI_OK;
    close_handle(library, handle);
    return has;
}

static enum status make_config(struct cupti_host *host, struct error *error)
{
    const struct cupti_library *library = host->library;
    struct cupti_config_size size = {.size = CUPTI_SIZE(struct cupti_config_size, bytes),
                                     .host = host->handle};
    int result = library->config_size(&size);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, "sizing the configuration", error);
    buffer_fill(&host->config, '\0', size.bytes);
    uint8_t *image = (uint8_t *)host->config.data;
    struct cupti_config config = {.size = CUPTI_SIZE(struct cupti_config, image),
                                  .host = host->handle,
                                  .bytes = host->config.size,
                                  .image = image};
    struct cupti_passes passes = {
        .size = CUPTI_SIZE(struct cupti_passes, passes), .bytes = host->config.size, .image = image};
    result = library->config(&config);
    if (result == CUPTI_OK)
        result = library->passes(&passes);
    host->passes = passes.passes;
    return cupti_refusal(library, result, "making the configuration", error);
}

/* CUPTI does not report which names are unknown to it. */
static enum status blame_metric(const struct cupti_host *host, const char *chip, const uint8_t *availability,
                                int result, struct error *error)
{
    for (size_t i = 0; i < host->count; i++)
        if (!cupti_host_has(host->library, chip, availability, host->names[i])) {
            error_set(error, STATUS_UNAVAILABLE, "%s has no counter %s", chip, host->names[i]);
            error_hint(error, "`ncu --query-metrics --chip %s` lists those that it has", chip);
            return STATUS_UNAVAILABLE;
        }
    return cupti_refusal(host->library, result, "choosing counters", error);
}

enum status cupti_host_open(const struct cupti_library *library, const char *chip,
                            const uint8_t *availability, const char **names, size_t count,
                            struct cupti_host *host, struct error *error)
{
    char what[WHAT_BYTES];
    *host = (struct cupti_host){.library = library, .names = names, .count = count};
    snprintf(what, sizeof what, "the counters of the chip %.60s", chip);
    int result = open_handle(library, chip, availability, &host->handle);
    if (result != CUPTI_OK)
        return cupti_refusal(library, result, what, error);
    result = add_metrics(library, host->handle, names, count);
    return result != CUPTI_OK ? blame_metric(host, chip, availability, result, error)
                              : make_config(host, error);
}

enum status cupti_host_evaluate(const struct cupti_host *host, const uint8_t *data, size_t bytes,
                                size_t range, double *values, struct error *error)
{
    struct cupti_evaluate evaluate = {.size = CUPTI_SIZE(struct cupti_evaluate, values),
                                      .host = host->handle,
                                      .data = data,
                                      .bytes = bytes,
                                      .range = range,
                                      .names = host->names,
                                      .count = host->count,
                                      .values = values};
    return cupti_refusal(host->library, host->library->evaluate(&evaluate), "evaluating counters", error);
}

void cupti_host_close(struct cupti_host *host)
{
    close_handle(host->library, host->handle);
    buffer_free(&host->config);
    host->handle = NULL;
}
