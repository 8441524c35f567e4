/* Reads the report of DynamoRIO's drcachesim: Hits and Misses below "L1D0 (...)" or "L1D stats:", and those
 * of the last level, which takes the place of L2 if there is no L2. Loads and stores are not
 * distinguished. */
#include "runner/simulators/simulator.h"

#include <math.h>
#include <string.h>

static enum status read_stats(const struct simulated_text *from, struct simulated_stats *stats,
                              struct error *error)
{
    const char *l1d = strstr(from->text, "L1D");
    const char *last = strstr(from->text, "\nLL"), *second = strstr(from->text, "\nL2");
    if (l1d == NULL)
        return simulated_refuse(from, "drcachesim's report with an L1D and an LL", error);
    double misses = simulated_number(l1d, "Misses:");
    simulated_stats_add(stats, SIMULATED_ACCESSES, simulated_number(l1d, "Hits:") + misses);
    simulated_stats_add(stats, SIMULATED_L1D_MISSES, misses);
    if (second != NULL)
        simulated_stats_add(stats, SIMULATED_L2_MISSES, simulated_number(second, "Misses:"));
    if (last != NULL)
        simulated_stats_add(stats, second == NULL ? SIMULATED_L2_MISSES : SIMULATED_L3_MISSES,
                            simulated_number(last, "Misses:"));
    return STATUS_OK;
}

/* The file for -config_file, which does not describe TLBs. */
static enum status configure(const struct machine *machine, struct buffer *text, struct buffer *notes,
                             struct error *error)
{
    const char *below = machine->l2.size > 0 ? "L2" : "memory";
    const struct {
        const char *name, *kind, *parent;
        const struct cache *cache;
    } levels[] = {{"L1I", "  type instruction\n  core 0\n", below, &machine->l1i},
                  {"L1D", "  type data\n  core 0\n", below, &machine->l1d},
                  {"L2", "", machine->l3.size > 0 ? "LLC" : "memory", &machine->l2},
                  {"LLC", "", "memory", &machine->l3}};
    enum status status = STATUS_OK;
    buffer_printf(text, "num_cores 1\nline_size %u\n", machine->l1d.line);
    for (size_t i = 0; status == STATUS_OK && i < sizeof levels / sizeof levels[0]; i++) {
        const struct cache *cache = levels[i].cache;
        if (cache->size == 0)
            continue;
        status = simulator_check_sets("drcachesim", levels[i].name, cache, error);
        buffer_printf(
            text, "%s {\n%s  size %llu\n  assoc %u\n  parent %s\n  replace_policy %s\n  prefetcher none\n}\n",
            levels[i].name, levels[i].kind, (unsigned long long)cache->size, cache->ways, levels[i].parent,
            cache->policy == POLICY_FIFO ? "FIFO" : "LRU");
        if (cache->policy == POLICY_TREE_PLRU || cache->policy == POLICY_RANDOM)
            buffer_printf(notes, "drcachesim does not support replacement by %s: %s uses LRU\n",
                          cache_policy_name(cache->policy), levels[i].name);
    }
    if (machine->data_tlb.entries > 0)
        buffer_printf(text, "// the data TLB is an option: -TLB_L1D_entries %u\n", machine->data_tlb.entries);
    return status;
}

const struct simulator simulator_drcachesim = {
    .name = "drcachesim", .title = "drcachesim's report", .read = read_stats, .configure = configure};
