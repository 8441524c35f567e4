/* DynamoRIO's drcachesim: "L1D0 (...)" or "L1D stats:" with Hits and Misses below, and those of the last
 * level. Loads and stores are one. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <string.h>

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    const char *l1d = strstr(from->text, "L1D");
    const char *last = strstr(from->text, "LL");
    if (l1d == NULL)
        return simulated_refuse(from, "drcachesim's report with an L1D and an LL", error);
    double misses = simulated_number(l1d, "Misses:");
    simulated_stats_add(stats, SIMULATED_ACCESSES, simulated_number(l1d, "Hits:") + misses);
    simulated_stats_add(stats, SIMULATED_L1D_MISSES, misses);
    if (last != NULL)
        simulated_stats_add(stats, SIMULATED_L2_MISSES, simulated_number(last, "Misses:"));
    return STATUS_OK;
}

const struct simulator simulator_drcachesim = {
    .name = "drcachesim", .title = "drcachesim's report", .read = read_stats};
