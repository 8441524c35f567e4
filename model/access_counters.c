#include "model/access_counters.h"

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Sums: each row's counter, where there is one, times its factor. */
static const struct {
    const char *level, *counter;
    double factor; /* accesses of 32 bytes in one of it */
} rows[] = {
    {"SHARED", "gpu_shared_wavefronts", 4}, /* a wavefront is 32 banks of 4 bytes */
    {"L1", "gpu_l1_hits", 1},
    {"L2", "gpu_l2_hits", 1},
    {"L2", "gpu_l2_writes", 1},
    {"MEM", "gpu_memory_read_bytes", 1.0 / 32},
    {"MEM", "gpu_memory_written_bytes", 1.0 / 32},
};

double access_counter(const json_t *counters, const char *level)
{
    char name[48];
    double sum = NAN;
    snprintf(name, sizeof name, "accesses.%.30s", level);
    if (json_object_get(counters, name) != NULL)
        return json_number_or(counters, name, NAN);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double counted = json_number_or(counters, rows[i].counter, NAN);
        if (strcmp(rows[i].level, level) == 0 && isfinite(counted))
            sum = (isnan(sum) ? 0 : sum) + rows[i].factor * counted;
    }
    return sum;
}
